"""Score cards with integer points: rounding with least loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..data.inputs import Table
from ..results.score_card import OutputCard
from ..results.shape_function import ShapeFunction
from .bins import bins_of_output
from .point_card import PointCard

_UNITS = 200  # sizes of a point tried, evenly spaced such that the largest range is 1 to max_points points
_MAX_STEPS = 50  # of Newton's method, which takes about five
_TOLERANCE = 1e-12  # relative decrease of the loss in the last step


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
    model: Any, table: Table, y: NDArray[np.float64], weights: NDArray[np.float64] | None, max_points: int
) -> PointCard:
    """Round the values of a model to integer points with least loss.

    Parameters
    ----------
    model : estimator
        A fitted additive model of one output.
    table : Table
        The rows on which the loss is computed, as the model reads them.
    y : ndarray of shape (n_rows,)
        Their responses; classes as -1 and 1.
    weights : ndarray of shape (n_rows,) or None
        Their weights.
    max_points : int
        The most points of a step; the lowest step of a column has 0.

    Returns
    -------
    PointCard
        The card of least loss, with a refitted scale and constant.
    """
    # A copy: the estimator may be fitted again.
    model = type(model)._holding(model.get_params(deep=False), model._fitted, model._path_index)
    shapes, loss = model.shape_functions_, model._fitted.document["loss"]
    [parts] = model._fitted.model.contributions(table.columns, model._path_index)
    [intercept] = model._constants()
    lows = {shape.feature_index: min(step.value for step in shape.steps) for shape in shapes}
    span = max(
        (step.value - lows[shape.feature_index] for shape in shapes for step in shape.steps), default=1.0
    )
    used = sorted(lows)
    above = parts[:, used] - np.asarray([lows[j] for j in used]) if used else np.zeros((len(y), 0))
    base = intercept + sum(lows.values())
    tried = []
    for top in np.unique(np.linspace(1.0, max_points, _UNITS)):
        unit = span / top
        points = np.round(above / unit).sum(axis=1)
        start, scale = _line(loss, y, points, weights, (base, unit))
        tried.append((summed_loss(loss, y, start + scale * points, weights), unit, start, scale))
    rounded, unit, start, scale = min(tried)
    pointed = tuple(_rounded(shape, unit) for shape in shapes)
    exact = summed_loss(loss, y, intercept + parts.sum(axis=1), weights)
    note = (
        f"Add up the points; {model._effect()} = {start:.4g} + {scale:.4g} * points.\n"
        f"Loss on these rows {rounded:.6g} (of the model, whose penalties shrink it: {exact:.6g})."
    )
    of_bins = tuple(
        tuple(float(round((value - lows[own.feature_index]) / unit)) for value in own.values)
        for own in bins_of_output(model, 0)
    )
    return PointCard((OutputCard(None, start, pointed),), note, scale, rounded, exact, model, of_bins)


def _rounded(shape: ShapeFunction, scale: float) -> ShapeFunction:
    """Return the steps of a column as integer points above the lowest one."""
    low = min(step.value for step in shape.steps)
    steps = (replace(step, value=float(round((step.value - low) / scale))) for step in shape.steps)
    return replace(shape, steps=tuple(steps))


def _line(
    loss: str,
    y: NDArray[np.float64],
    points: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    first: tuple[float, float],
) -> tuple[float, float]:
    """Fit a constant and a scale of points.

    The scale remains the first one where none above 0 has the least loss: the points do not rise with the
    response, or separate the classes.
    """
    w = np.ones_like(y) if weights is None else weights
    if loss == "squared":
        mean, level = np.average(points, weights=w), np.average(y, weights=w)
        rise = (w * (points - mean)) @ y
        scale = rise / (w @ (points - mean) ** 2) if rise > 0 else first[1]
        return float(level - scale * mean), float(scale)
    values, place = np.unique(points, return_inverse=True)
    positive, negative = (np.bincount(place, w * (y == side)).astype(np.float64) for side in (1.0, -1.0))
    lowest = np.min(values[positive > 0], initial=np.inf)
    highest = np.max(values[negative > 0], initial=-np.inf)
    rises = (positive @ values) * negative.sum() > (negative @ values) * positive.sum()
    columns = np.column_stack([np.ones_like(values), values])
    n_free = 2 if rises and lowest < highest else 1
    return _newton(loss, positive, negative, columns, np.asarray(first), n_free)


def _newton(
    loss: str,
    positive: NDArray[np.float64],
    negative: NDArray[np.float64],
    columns: NDArray[np.float64],
    coef: NDArray[np.float64],
    n_free: int,
) -> tuple[float, float]:
    """Minimise the loss of groups of rows over the first coefficients, by halved steps of Newton's method."""

    def value(coef: NDArray[np.float64]) -> float:
        f = columns @ coef
        return summed_loss(loss, np.ones_like(f), f, positive) + summed_loss(
            loss, -np.ones_like(f), f, negative
        )

    free, least = columns[:, :n_free], value(coef)
    for _ in range(_MAX_STEPS):
        f = columns @ coef
        if loss == "logistic":
            slope = (positive + negative) * expit(f) - positive
            curvature = (positive + negative) * expit(f) * expit(-f)
        else:
            slope = negative * np.exp(f) - positive * np.exp(-f)
            curvature = negative * np.exp(f) + positive * np.exp(-f)
        step = np.zeros_like(coef)
        step[:n_free] = np.linalg.lstsq(free.T @ (curvature[:, None] * free), -free.T @ slope)[0]
        while (new := value(coef + step)) > least:
            step /= 2
        coef, decrease, least = coef + step, least - new, new
        if decrease <= _TOLERANCE * least:
            break
    return float(coef[0]), float(coef[1])
