"""Lines of least loss through two classes of weighted values."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

_TOLERANCE = 1e-13  # of the Newton decrement, relative to the objective
_MOST_STEPS = 500
_LARGEST_CHANGE = 2.0  # of a decision value in a step: curvatures change by no more than a factor of exp(2)
_LEAST_DECREASE = 1e-4  # of a step, relative to that of the quadratic model
_LEAST_LENGTH = 1e-12  # of a step, relative to Newton's: below it nothing but rounding is left


def margin_loss(loss: str, margins: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the loss of margins, and its first and second derivatives.

    Parameters
    ----------
    loss : {"logistic", "exponential"}
        ``log(1 + exp(-m))``, or ``exp(-m)``.
    margins : ndarray
        The margins m: decision values, of the negative class with the other sign.

    Returns
    -------
    values : ndarray
        The loss of each margin.
    slopes, curvatures : ndarray
        The derivatives.

    Examples
    --------
    >>> [float(part) for part in margin_loss("exponential", np.array(0.0))]
    [1.0, -1.0, 1.0]
    """
    if loss == "logistic":
        chance = expit(-margins)
        return np.logaddexp(0.0, -margins), -chance, chance * expit(margins)
    with np.errstate(over="ignore"):
        values = np.exp(-margins)
    return values, -values, values


def fit_line(
    loss: str, values: Floats, positive: Floats, negative: Floats, first: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Fit decision values ``constant + slope * value`` with least loss, by Newton's method.

    Parameters
    ----------
    loss : {"logistic", "exponential"}
        The loss.
    values : ndarray of shape (n_values,)
        The values.
    positive, negative : ndarray of shape (n_values,)
        The weight of the rows of each class at each value.
    first : (float, float), optional
        A line whose slope remains. Without it both classes have some weight, and overlap.

    Returns
    -------
    (float, float)
        Constant and slope.

    Notes
    -----
    The third derivatives of both losses are at most their second ones, so that Newton's method with steps of
    limited length reaches the minimum from any start.

    References
    ----------
    Bach, "Self-concordant analysis for logistic regression", Electronic Journal of Statistics 4, 2010.

    Examples
    --------
    >>> values, positive = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    >>> [round(part, 9) for part in fit_line("logistic", values, positive, 4 - positive)]
    [-1.098612289, 2.197224577]
    """
    total = positive + negative
    center = float(np.average(values, weights=total))
    spread = math.sqrt(np.average((values - center) ** 2, weights=total)) or 1.0
    columns = np.column_stack([np.ones(values.size), (values - center) / spread])
    if first is None:
        odds = math.log(positive.sum() / negative.sum())
        start, n_free = np.array([odds if loss == "logistic" else odds / 2, 0.0]), 2
    else:
        start, n_free = np.array([first[0] + first[1] * center, first[1] * spread]), 1

    def objective(coef: Floats) -> float:
        f = columns @ coef
        with np.errstate(invalid="ignore"):  # infinite losses of a step that is too long
            return float(positive @ margin_loss(loss, f)[0] + negative @ margin_loss(loss, -f)[0])

    coef, current = start, objective(start)
    for _ in range(_MOST_STEPS):
        f = columns @ coef
        (_, up, curvature_up), (_, down, curvature_down) = margin_loss(loss, f), margin_loss(loss, -f)
        free = columns[:, :n_free]
        gradient = free.T @ (positive * up - negative * down)
        hessian = free.T @ ((positive * curvature_up + negative * curvature_down)[:, None] * free)
        step = np.zeros(2)
        step[:n_free] = np.linalg.lstsq(hessian, -gradient)[0]
        decrement = -float(gradient @ step[:n_free])
        length = _LARGEST_CHANGE / max(_LARGEST_CHANGE, float(np.abs(columns @ step).max()))
        coef, current = shorten_step(objective, coef, length * step, current, length * decrement)
        if not decrement > _TOLERANCE * abs(current):
            break
    return float(coef[0] - coef[1] * center / spread), float(coef[1] / spread)


def shorten_step(
    objective: Callable[[Floats], float], x: Floats, step: Floats, current: float, decrement: float
) -> tuple[Floats, float]:
    """Halve a step until the objective decreases enough.

    Parameters
    ----------
    objective : callable
        A convex function.
    x, step : ndarray of shape (n,)
        A point, and Newton's step from it.
    current : float
        The objective at the point.
    decrement : float
        The decrease of the quadratic model per length, at the point.

    Returns
    -------
    x : ndarray of shape (n,)
        The next point; the same where no length decreases the objective.
    current : float
        The objective there.

    Examples
    --------
    >>> shorten_step(lambda x: float(x @ x), np.array([1.0]), np.array([-1.0]), 1.0, 2.0)
    (array([0.]), 0.0)
    """
    length = 1.0
    while length > _LEAST_LENGTH:
        found = objective(x + length * step)
        if found <= current - _LEAST_DECREASE * length * decrement:
            return x + length * step, found
        length /= 2
    return x, current
