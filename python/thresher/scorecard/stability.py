"""Stability indices of shares in bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bins import half_a_row, weight_of_bins

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shares:
    """The shares of bins among the rows of a sample.

    Parameters
    ----------
    values : ndarray of shape (n_bins,)
        The shares; their sum is 1.
    least : float
        The share of half a row of mean weight, which takes the place of 0.
    """

    values: Floats
    least: float


def shares_of(codes: NDArray[np.intp], n_bins: int, weights: Floats | None) -> Shares:
    """Return the share of each bin.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The bin of each row.
    n_bins : int
        The number of bins.
    weights : ndarray of shape (n_rows,) or None
        Row weights.

    Returns
    -------
    Shares
        The shares.

    Examples
    --------
    >>> found = shares_of(np.array([0, 0, 1, 1]), 3, None)
    >>> found.values.tolist(), found.least
    ([0.5, 0.5, 0.0], 0.125)
    """
    found = weight_of_bins(codes, n_bins, weights)
    return Shares(found / found.sum(), half_a_row(weights) / float(found.sum()))


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
    >>> parts = stability_index(Shares(np.array([0.5, 0.5]), 0.01), Shares(np.array([0.25, 0.75]), 0.01))
    >>> round(float(parts.sum()), 4)
    0.2747
    """
    before, after = (np.where(own.values > 0, own.values, own.least) for own in (reference, new))
    is_empty = (reference.values == 0) & (new.values == 0)
    return np.where(is_empty, 0.0, (after - before) * np.log(after / before))


def score_cuts(score: Floats, weights: Floats | None, n_bins: int) -> Floats:
    """Choose cut points between bins of about equal weight.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    n_bins : int
        The most bins.

    Returns
    -------
    ndarray
        Scores, ascending, fewer than `n_bins`: the least scores up to which a fraction k / n_bins of the
        weight lies. A score equal to a cut point lies below it.

    Examples
    --------
    >>> score_cuts(np.arange(1.0, 9.0), None, 4).tolist()
    [2.0, 4.0, 6.0]
    >>> score_cuts(np.array([1.0, 1.0, 1.0, 5.0]), None, 10).tolist()
    [1.0]
    """
    values, inverse = np.unique(score, return_inverse=True)
    own = np.bincount(inverse, weights=weights, minlength=len(values))
    values, own = values[own > 0], own[own > 0]
    below = np.cumsum(own) / own.sum()
    places = np.searchsorted(below, np.arange(1, n_bins) / n_bins - 1e-12)
    cuts = np.unique(values[np.minimum(places, len(values) - 1)])
    return np.asarray(cuts[cuts < values[-1]], dtype=np.float64)
