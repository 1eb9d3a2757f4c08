"""Score cards with integer points: rounding with least loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit

from ..data.inputs import Table
from .score_card import OutputCard, PointCard
from .shape_function import ShapeFunction

_SCALES = 200  # scales tried, evenly spaced such that the largest range is 1 to max_points points


def summed_loss(
    loss: str, y: NDArray[np.float64], f: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> float:
    """Sum up a loss.

    Parameters
    ----------
    loss : {"squared", "logistic", "exponential"}
        The loss.
    y, f : ndarray of shape (n_rows,)
        Responses (classes as -1 and 1) and decisions.
    weights : ndarray of shape (n_rows,) or None
        Row weights.

    Returns
    -------
    float
        The sum.

    Examples
    --------
    >>> summed_loss("squared", np.array([1.0, 2.0]), np.array([1.0, 4.0]), None)
    2.0
    """
    if loss == "squared":
        rows = 0.5 * (y - f) ** 2
    elif loss == "logistic":
        rows = np.logaddexp(0.0, -y * f)
    else:
        with np.errstate(over="ignore"):
            rows = np.exp(-y * f)
    return float(rows.sum() if weights is None else weights @ rows)


def point_card(
    shapes: Sequence[ShapeFunction],
    parts: NDArray[np.float64],
    intercept: float,
    loss: str,
    y: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    max_points: int,
    meaning: str,
    read: Callable[[Any], Table],
) -> PointCard:
    """Round the values of a model to integer points with least loss.

    Parameters
    ----------
    shapes : list of ShapeFunction
        The columns in use.
    parts : ndarray of shape (n_rows, n_features)
        The contribution of each column to each row.
    intercept : float
        The intercept of the model.
    loss : str
        The loss.
    y : ndarray of shape (n_rows,)
        Responses.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    max_points : int
        The most points of a step; the lowest step of a column has 0.
    meaning : str
        The name of the decision value.
    read : callable
        Converts rows to columns, as the model reads them.

    Returns
    -------
    PointCard
        The card of least loss over all scales, with a refitted intercept.
    """
    lows = {shape.feature_index: min(step.value for step in shape.steps) for shape in shapes}
    span = max(
        (step.value - lows[shape.feature_index] for shape in shapes for step in shape.steps), default=1.0
    )
    used = sorted(lows)
    above = parts[:, used] - np.asarray([lows[j] for j in used]) if used else np.zeros((len(y), 0))
    base = intercept + sum(lows.values())
    tried = []
    for top in np.unique(np.linspace(1.0, max_points, _SCALES)):
        scale = span / top
        total = scale * np.round(above / scale).sum(axis=1)
        start = _start(loss, y, total, weights, base)
        tried.append((summed_loss(loss, y, start + total, weights), scale, start))
    rounded, scale, start = min(tried)
    pointed = tuple(_rounded(shape, scale) for shape in shapes)
    exact = summed_loss(loss, y, intercept + parts.sum(axis=1), weights)
    note = (
        f"Add up the points; {meaning} = {start:.4g} + {scale:.4g} * points.\n"
        f"Loss on these rows {rounded:.6g} (of the model, whose penalties shrink it: {exact:.6g})."
    )
    unseen = {feature: round(-low / scale) for feature, low in lows.items()}
    return PointCard((OutputCard(None, start, pointed),), note, scale, rounded, exact, unseen, read)


def _rounded(shape: ShapeFunction, scale: float) -> ShapeFunction:
    """Return the steps of a column as integer points above the lowest one."""
    low = min(step.value for step in shape.steps)
    steps = (replace(step, value=float(round((step.value - low) / scale))) for step in shape.steps)
    return replace(shape, steps=tuple(steps))


def _start(
    loss: str,
    y: NDArray[np.float64],
    total: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    guess: float,
) -> float:
    """Fit the constant in closed form if there is one, else by a bracketing search."""
    w = np.ones_like(y) if weights is None else weights
    if loss == "squared":
        return float(w @ (y - total) / w.sum())
    if loss == "exponential":
        positive, negative = w[y > 0] @ np.exp(-total[y > 0]), w[y < 0] @ np.exp(total[y < 0])
        return float(0.5 * np.log(positive / negative))

    def slope(start: float) -> float:
        return float(w @ (expit(start + total) - (y > 0)))

    low, high = guess - 1.0, guess + 1.0
    while slope(low) > 0:
        low -= 2 * (high - low)
    while slope(high) < 0:
        high += 2 * (high - low)
    found = minimize_scalar(
        lambda start: summed_loss(loss, y, start + total, weights), bounds=(low, high), method="bounded"
    )
    return float(found.x)
