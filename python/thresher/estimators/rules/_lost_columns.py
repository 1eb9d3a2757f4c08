"""Warnings of columns of numbers that have no linear term."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...fit_warnings import warn
from ...formatting.text import format_names
from .._training import TrainingData

_LEAST_DEVIATION = 1e-12
"""The least standard deviation of a linear term, relative to the largest value, as in the core."""
_MANY_TIMES = 100  # a deviation may be so much smaller than the range: only then are the cells looked at
_SQUARES = (1e-150, 1e150)  # numbers of these sizes have squares that are neither 0 nor infinite


def warn_of_lost_columns(data: TrainingData, features: Sequence[Mapping[str, Any]]) -> None:
    """Warn of columns that vary and have no linear term, since their deviation cannot be computed.

    Parameters
    ----------
    data : TrainingData
        The training rows.
    features : sequence of mapping
        The features of the model's document; those of numbers have ``lower`` and ``upper``.

    Warns
    -----
    UserWarning
        If there are such columns.
    """
    lost = [
        feature["name"]
        for feature, column in zip(features, data.inputs.columns, strict=True)
        if _is_suspect(feature) and not _has_deviation(column, data.weights, data.inputs.n_rows)
    ]
    if lost:
        warn(
            f"linear: there is no linear term of {format_names(lost)}, whose values vary by less than "
            f"{_LEAST_DEVIATION:g} of their size, or whose squares are too small or too large for a float64; "
            "subtract a constant, divide by one, or give linear=False",
            UserWarning,
        )


def _is_suspect(feature: Mapping[str, Any]) -> bool:
    lower, upper = feature.get("lower", 0.0), feature.get("upper", 0.0)
    spread, size = upper - lower, max(abs(lower), abs(upper))
    is_near = spread <= _MANY_TIMES * _LEAST_DEVIATION * size
    return lower < upper and (is_near or not _SQUARES[0] < spread < _SQUARES[1])


def _has_deviation(column: Any, weights: Any, n_rows: int) -> bool:
    """Return whether the standard deviation is a number above 0 that the digits of the values can show."""
    values = column if isinstance(column, np.ndarray) else column.take(np.arange(n_rows))
    known = ~np.isnan(values)
    values, own = values[known], np.ones(known.sum()) if weights is None else weights[known]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        center = (values * own).sum() / own.sum()
        deviation = math.sqrt(((values - center) ** 2 * own).sum() / own.sum())
    return 0.0 < deviation < math.inf and deviation > _LEAST_DEVIATION * np.abs(values).max()
