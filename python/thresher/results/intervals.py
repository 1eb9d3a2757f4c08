"""Confidence intervals of rates and means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..data.weights import effective_rows

Z = 1.959963984540054
"""The quantile of the normal distribution for intervals of 95 %."""
_TAIL = 0.975


def rate_interval(rate: float, n_rows: float) -> tuple[float, float]:
    """Return Wilson's interval of 95 % of a rate.

    Parameters
    ----------
    rate : float
        The rate.
    n_rows : float
        The number of rows; of rows with weights the one that would vary as much.

    Returns
    -------
    (float, float)
        The ends.

    References
    ----------
    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.

    Examples
    --------
    >>> [round(end, 3) for end in rate_interval(0.0, 10)]
    [0.0, 0.278]
    """
    middle = (rate + Z * Z / (2 * n_rows)) / (1 + Z * Z / n_rows)
    spread = math.sqrt(rate * (1 - rate) / n_rows + Z * Z / (4 * n_rows * n_rows))
    half = Z / (1 + Z * Z / n_rows) * spread
    # Rounding apart the rate is within.
    return min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half))


def mean_interval(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None = None, counts_rows: bool = False
) -> tuple[float, float] | None:
    """Return Student's interval of 95 % of a mean.

    Parameters
    ----------
    values : ndarray
        The values.
    weights : ndarray, optional
        Their weights, not all 0.
    counts_rows : bool, default=False
        Whether these are numbers of equal rows.

    Returns
    -------
    (float, float) or None
        The ends; None for fewer than two values.

    Examples
    --------
    >>> [round(end, 3) for end in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [-0.484, 4.484]
    """
    if not values.size:
        return None
    weights = np.ones(values.size) if weights is None else weights
    n, mean = effective_rows(weights, counts_rows), float(np.average(values, weights=weights))
    if n < 2:
        return None
    variance = float(np.average((values - mean) ** 2, weights=weights)) * n / (n - 1)
    half = float(stats.t.ppf(_TAIL, n - 1) * math.sqrt(variance / n))
    return mean - half, mean + half
