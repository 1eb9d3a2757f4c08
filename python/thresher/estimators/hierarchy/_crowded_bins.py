"""Warnings of columns whose bins of equal width leave nearly all rows in one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...fit_warnings import warn
from ...formatting.text import format_names
from .._training import TrainingData

_MOST = 0.9
"""The largest part of the rows of a column, missing ones apart, that one bin may hold without a warning."""
_QUANTILES = np.arange(1, 6) / 6
"""The cut points of ``bins=6``."""
_LEAST_CUTS = 3
"""So many quantiles have to differ: one or two divide mostly equal values, such as counts of rare events."""
_MIN_ROWS = 20  # fewer rows are in one bin by chance


def warn_of_crowded_bins(data: TrainingData, features: Sequence[Mapping[str, Any]]) -> None:
    """Warn of columns of which one bin of equal width has nearly all rows, though quantiles divide them.

    Parameters
    ----------
    data : TrainingData
        The training rows.
    features : sequence of mapping
        The features of the model's document; those of numbers have ``cuts``.

    Warns
    -----
    UserWarning
        If there are such columns.
    """
    used = slice(None) if data.weights is None else data.weights > 0
    crowded = [
        feature["name"]
        for feature, column in zip(features, data.inputs.columns, strict=True)
        if "cuts" in feature and _is_crowded(_values(column, data.inputs.n_rows)[used], feature["cuts"])
    ]
    if crowded:
        warn(
            f"bins: one bin of equal width has more than {_MOST:.0%} of the rows of {format_names(crowded)}, "
            "and rules hardly divide them; bins=6 makes bins of as many rows each",
            UserWarning,
        )


def _values(column: Any, n_rows: int) -> Any:
    return column if isinstance(column, np.ndarray) else column.take(np.arange(n_rows))


def _is_crowded(values: Any, cuts: Sequence[float]) -> bool:
    known = values[~np.isnan(values)]
    if known.size < _MIN_ROWS:
        return False
    counts = np.bincount(np.searchsorted(cuts, known, side="left"))
    if counts.max() <= _MOST * known.size:
        return False
    return np.unique(np.quantile(known, _QUANTILES, method="lower")).size >= _LEAST_CUTS
