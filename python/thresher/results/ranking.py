"""How well a score ranks events above others: ROC curve, AUC, Gini and KS; bands of a score."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_number, format_value

Floats = NDArray[np.float64]

_MOST_DIGITS = 10  # of a cut that is printed in full
_DIGITS_OF_WEIGHT = 12  # of a fraction of the weight; sums in another order differ beyond


@dataclass(frozen=True)
class Ranking:
    """The ROC curve of a score, and what follows from it.

    Parameters
    ----------
    false_positive_rate, true_positive_rate : ndarray of shape (n_points,)
        Fractions of the weight of the others, and of the events, with a score of at least each threshold.
    thresholds : ndarray of shape (n_points,)
        Descending; the first is infinite.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats

    @cached_property
    def auc(self) -> float:
        """The probability that an event has a larger score than another row; ties count half."""
        from sklearn.metrics import auc

        return float(auc(self.false_positive_rate, self.true_positive_rate))

    @property
    def gini(self) -> float:
        """``2 auc - 1``."""
        return 2 * self.auc - 1

    @property
    def ks(self) -> float:
        """The largest distance between the distributions of the scores of events and of others."""
        return float(np.abs(self.true_positive_rate - self.false_positive_rate)[self.ks_place])

    @cached_property
    def ks_place(self) -> int:
        """The point of the curve where that distance is."""
        return int(np.argmax(np.abs(self.true_positive_rate - self.false_positive_rate)))


def ranking_of(is_event: NDArray[np.bool_], score: Floats, weights: Floats | None = None) -> Ranking | None:
    """Rank rows by a score.

    Parameters
    ----------
    is_event : ndarray of shape (n_rows,)
        Which rows are events.
    score : ndarray of shape (n_rows,)
        The scores; events should have the larger ones.
    weights : ndarray of shape (n_rows,), optional
        Row weights.

    Returns
    -------
    Ranking or None
        The ranking; None without events or without others of positive weight.

    Examples
    --------
    >>> found = ranking_of(np.array([False, True, False, True]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> found.auc, found.gini, found.ks
    (0.75, 0.5, 0.5)
    """
    counted = is_event if weights is None else is_event[weights > 0]
    if counted.all() or not counted.any():
        return None
    from sklearn.metrics import roc_curve

    return Ranking(*roc_curve(is_event, score, sample_weight=weights, drop_intermediate=False))


def equal_weight_cuts(score: Floats, weights: Floats | None, n_bins: int, *, halfway: bool = False) -> Floats:
    """Choose cut points between bins of about equal weight; scores negated give mirrored bins.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    n_bins : int
        The most bins.
    halfway : bool, default=False
        Whether a cut point lies halfway to the next score, so that other scores are divided alike in both
        directions; else it is the largest score of its bin.

    Returns
    -------
    ndarray
        Cut points, ascending, fewer than `n_bins`; a score equal to one lies below it. At most `n_bins`
        different scores have a bin each. Of more, those cuts are taken below which the weight is nearest to a
        fraction k / n_bins; of two that are equally near the outer one, in the middle that of the wider gap.

    Examples
    --------
    >>> equal_weight_cuts(np.arange(1.0, 9.0), None, 4).tolist()
    [2.0, 4.0, 6.0]
    >>> equal_weight_cuts(np.array([1.0, 5.0, 5.0, 5.0]), None, 10, halfway=True).tolist()
    [3.0]
    """
    values, inverse = np.unique(score, return_inverse=True)
    weight = np.bincount(inverse, weights=weights, minlength=len(values))
    values, weight = values[weight > 0].astype(np.float64), weight[weight > 0]
    places = np.arange(len(values) - 1)
    gaps = np.diff(values)
    if len(values) > n_bins:
        below = np.cumsum(weight)[:-1] / weight.sum()
        wanted = np.arange(1, n_bins) / n_bins
        right = np.minimum(np.searchsorted(below, wanted), len(places) - 1)
        left = np.maximum(right - 1, 0)
        nearer = np.round((below[right] - wanted) - (wanted - below[left]), _DIGITS_OF_WEIGHT)
        outer = np.where(wanted == 0.5, gaps[left] - gaps[right], 0.5 - wanted)
        places = np.unique(np.where((nearer > 0) | ((nearer == 0) & (outer >= 0)), left, right))
    cuts = values[places]
    if halfway:
        middle = cuts + gaps[places] / 2
        cuts = np.where(middle < values[places + 1], middle, cuts)
    return cuts


def band_texts(cuts: Floats, noun: str = "score") -> list[str]:
    """Return a text of each band, ascending.

    Parameters
    ----------
    cuts : ndarray of shape (n_bands - 1,)
        The scores between the bands.
    noun : str, default="score"
        What has bands.

    Returns
    -------
    list of str
        The texts.

    Examples
    --------
    >>> band_texts(np.array([500.0, 550.0])), band_texts(np.array([]))
    (['score <= 500', '500 < score <= 550', 'score > 550'], ['every score'])
    >>> band_texts(np.array([0.1234567011, 0.1234567012]))[1]  # all digits where fewer do not tell two apart
    '0.1234567011 < score <= 0.1234567012'
    """
    # A cut that a person chose has few digits, one between scores that are not whole many.
    full = [format_number(cut) for cut in cuts.tolist()]
    texts = [text if len(text) <= _MOST_DIGITS else format_value(float(text)) for text in full]
    texts = [text if texts.count(text) == 1 else exact for text, exact in zip(texts, full, strict=True)]
    if not texts:
        return [f"every {noun}"]
    middle = [f"{low} < {noun} <= {high}" for low, high in itertools.pairwise(texts)]
    return [f"{noun} <= {texts[0]}", *middle, f"{noun} > {texts[-1]}"]
