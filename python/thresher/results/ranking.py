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


def equal_weight_cuts(score: Floats, weights: Floats | None, n_bins: int) -> Floats:
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
    >>> equal_weight_cuts(np.arange(1.0, 9.0), None, 4).tolist()
    [2.0, 4.0, 6.0]
    >>> equal_weight_cuts(np.array([1.0, 1.0, 1.0, 5.0]), None, 10).tolist()
    [1.0]
    """
    values, inverse = np.unique(score, return_inverse=True)
    weight = np.bincount(inverse, weights=weights, minlength=len(values))
    values, weight = values[weight > 0], weight[weight > 0]
    if not len(values):
        return np.empty(0)
    below = np.cumsum(weight) / weight.sum()
    places = np.searchsorted(below, np.arange(1, n_bins) / n_bins - 1e-12)
    cuts = np.unique(values[np.minimum(places, len(values) - 1)])
    return np.asarray(cuts[cuts < values[-1]], dtype=np.float64)


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
