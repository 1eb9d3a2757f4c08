"""Histograms of numbers that may lie so close together that there are fewer of them than bars."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def ends_of(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of a histogram of some values; equal ones have a width of 1 or, if large, more."""
    low, high = float(values.min()), float(values.max())
    margin = max(0.5, abs(low) / 1e9)
    return (low, high) if low < high else (low - margin, high + margin)


def histogram(
    values: NDArray[np.float64],
    low: float,
    high: float,
    n_bins: int,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any]:
    """Return the number, or the weight, of the values in each of some intervals of equal width.

    Ends between which there are fewer numbers than intervals have empty intervals.
    """
    return np.histogram(values, np.linspace(low, high, n_bins + 1), weights=weights)[0]
