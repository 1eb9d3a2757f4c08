"""The confidence interval of the area under the ROC curve, by the method of DeLong."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..data.weights import are_counts, effective_rows
from .intervals import Z

Floats = NDArray[np.float64]


def auc_interval(
    is_event: NDArray[np.bool_], score: Floats, weights: Floats | None = None
) -> tuple[float, float] | None:
    """Return the interval of 95 % of the AUC, with the rows taken as independent.

    The variance is DeLong's: that of the events' fractions of other rows below them, over the number of
    events, plus that of the others' fractions of events above them, over their number. The interval is
    symmetric in log(AUC / (1 - AUC)), so that it stays between 0 and 1.

    Parameters
    ----------
    is_event : ndarray of shape (n_rows,)
        Which rows are events.
    score : ndarray of shape (n_rows,)
        The scores; events should have the larger ones.
    weights : ndarray of shape (n_rows,), optional
        Row weights, all above 0.

    Returns
    -------
    (float, float) or None
        The ends; None with fewer than two events or others, and where the score separates them.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating
    characteristic curves", Biometrics 44, 1988. Pepe, "The statistical evaluation of medical tests for
    classification and prediction", Oxford, 2003, for the scale.

    Examples
    --------
    >>> is_event = np.array([False, False, True, False, True, True])
    >>> [round(end, 3) for end in auc_interval(is_event, np.arange(6.0))]
    [0.261, 0.995]
    """
    row_weights, counts_rows = np.ones(score.size) if weights is None else weights, are_counts(weights)
    events, others = (score[is_event], row_weights[is_event]), (score[~is_event], row_weights[~is_event])
    if not events[0].size or not others[0].size:
        return None
    sizes = [effective_rows(group[1], counts_rows) for group in (events, others)]
    if min(sizes) < 2:
        return None
    above, below = _fraction_below(events[0], *others), 1 - _fraction_below(others[0], *events)
    auc = float(np.average(above, weights=events[1]))
    variance = sum(
        float(np.average((part - auc) ** 2, weights=group[1])) / (size - 1)
        for part, group, size in ((above, events, sizes[0]), (below, others, sizes[1]))
    )
    if not 0 < auc < 1:
        return None
    middle, half = math.log(auc / (1 - auc)), Z * math.sqrt(variance) / (auc * (1 - auc))
    return float(expit(middle - half)), float(expit(middle + half))


def _fraction_below(values: Floats, others: Floats, weights: Floats) -> Floats:
    """Return the fraction of the weight of other scores below each value; equal ones count half."""
    order = np.argsort(others, kind="stable")
    total = np.concatenate(([0.0], np.cumsum(weights[order])))
    ends = (np.searchsorted(others[order], values, side=side) for side in ("left", "right"))
    found: Floats = sum(total[end] for end in ends) / (2 * total[-1])
    return found
