"""Stability indices of shares in bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from ..data.weights import effective_rows, half_a_row, weight_of_bins

Floats = NDArray[np.float64]
_CHANCE = 0.95  # of samples of one population have a smaller index than that of `chance_index`


@dataclass(frozen=True)
class Shares:
    """The shares of bins among the rows of a sample.

    Parameters
    ----------
    values : ndarray of shape (n_bins,)
        The shares; their sum is 1.
    least : float
        The share of half a row, which takes the place of 0.
    n_rows : float
        The number of rows that the weights are worth, by :func:`thresher.data.weights.effective_rows`.
    """

    values: Floats
    least: float
    n_rows: float


def shares_of(
    codes: NDArray[np.intp], n_bins: int, weights: Floats | None, counts_rows: bool = False
) -> Shares:
    """Return the share of each bin.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The bin of each row.
    n_bins : int
        The number of bins.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    counts_rows : bool, default=False
        Whether they are numbers of equal rows.

    Returns
    -------
    Shares
        The shares; NaN without rows.

    Examples
    --------
    >>> found = shares_of(np.array([0, 0, 1, 1]), 3, None)
    >>> found.values.tolist(), found.least
    ([0.5, 0.5, 0.0], 0.125)
    """
    if not codes.size:
        return Shares(np.full(n_bins, np.nan), np.nan, 0.0)
    found = weight_of_bins(codes, n_bins, weights)
    total = float(found.sum())
    n_rows = total if weights is None else effective_rows(weights, counts_rows)
    return Shares(found / total, half_a_row(weights, counts_rows) / total, n_rows)


def stability_index(reference: Shares, new: Shares) -> Floats:
    """Return what each bin adds to the population stability index.

    Parameters
    ----------
    reference, new : Shares
        The shares of the same bins in two samples.

    Returns
    -------
    ndarray of shape (n_bins,)
        ``(new - reference) ln(new / reference)``, none of them negative; a share of 0 counts as that of
        half a row, and a bin that is empty in both adds 0.

    Examples
    --------
    >>> before, after = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    >>> parts = stability_index(Shares(before, 0.01, 50.0), Shares(after, 0.01, 50.0))
    >>> round(float(parts.sum()), 4)
    0.2747
    """
    before, after = (np.where(own.values > 0, own.values, own.least) for own in (reference, new))
    is_empty = (reference.values == 0) & (new.values == 0)
    return np.where(is_empty, 0.0, (after - before) * np.log(after / before))


def chance_index(reference: Shares, new: Shares) -> float:
    """Return the stability index that 95 of 100 samples of one population stay below.

    Parameters
    ----------
    reference, new : Shares
        The shares of the same bins in two samples.

    Returns
    -------
    float
        The 95 % quantile of chi-squared with ``bins - 1`` degrees of freedom, times ``1 / n + 1 / m`` with n
        and m the numbers of rows, for bins that are not empty in both: the distribution of the index of many
        rows. Of fewer than about 10 new rows a bin up to 10 of 100 samples have a larger index.

    Examples
    --------
    >>> shares = np.full(10, 0.1)
    >>> round(chance_index(Shares(shares, 0.001, 500.0), Shares(shares, 0.001, 300.0)), 4)
    0.0902
    """
    n_bins = int(((reference.values > 0) | (new.values > 0)).sum())
    quantile = float(chdtri(n_bins - 1, 1 - _CHANCE)) if n_bins > 1 else 0.0
    return quantile * (1 / reference.n_rows + 1 / new.n_rows)
