"""Score cards with integer points: rounding with least loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.inputs import Table
from ..results.line_fit import fit_line, margin_loss
from ..results.score_card import OutputCard
from ..results.shape_function import ShapeFunction
from .bins import bins_of_output
from .point_card import PointCard

_N_SIZES = 200  # sizes of a point tried, evenly spaced such that the largest range is 1 to max_points points


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
    rows = 0.5 * (y - f) ** 2 if loss == "squared" else margin_loss(loss, y * f)[0]
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
    for top in np.unique(np.linspace(1.0, max_points, _N_SIZES)):
        unit = span / top
        points = np.round(above / unit).sum(axis=1)
        start, scale = _line(loss, y, points, weights, (base, unit))
        tried.append((summed_loss(loss, y, start + scale * points, weights), unit, start, scale))
    rounded, unit, start, scale = min(tried)
    pointed = tuple(_rounded(shape, unit) for shape in shapes)
    exact = summed_loss(loss, y, intercept + parts.sum(axis=1), weights)
    note = f"Add up the points; {model._effect()} = {start:.4g} + {scale:.4g} * points."
    of_bins = tuple(
        tuple(float(round((value - lows[bins.feature_index]) / unit)) for value in bins.values)
        for bins in bins_of_output(model, 0)
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
    return fit_line(loss, values, positive, negative, None if rises and lowest < highest else first)
