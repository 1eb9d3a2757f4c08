"""Calibration of probabilities by a logistic regression of the class on their log-odds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from .line_fit import fit_line

Floats = NDArray[np.float64]

_EPS = np.finfo(float).eps  # probabilities of 0 and 1 count as this far from them, as in the log-loss


def recalibration(
    is_event: NDArray[np.bool_], probability: Floats, weights: Floats | None = None
) -> tuple[float, float] | None:
    """Fit the calibration line: log-odds of the event = intercept + slope * predicted log-odds.

    Parameters
    ----------
    is_event : ndarray of shape (n_rows,)
        Which rows are events.
    probability : ndarray of shape (n_rows,)
        The predicted probabilities of the event.
    weights : ndarray of shape (n_rows,), optional
        Row weights, all above 0.

    Returns
    -------
    (float, float) or None
        Intercept and slope, 0 and 1 where the probabilities are calibrated; None where the maximum of the
        likelihood does not exist: equal predictions, or some that separate the events.

    References
    ----------
    Cox, "Two further applications of a model for binary regression", Biometrika 45, 1958.

    Examples
    --------
    >>> is_event = np.arange(100) % 10 < np.repeat([2, 8], 50)
    >>> [round(value, 6) + 0.0 for value in recalibration(is_event, np.repeat([0.2, 0.8], 50))]
    [0.0, 1.0]
    """
    odds = logit(np.clip(probability, _EPS, 1 - _EPS))
    yes, no = odds[is_event], odds[~is_event]
    if not yes.size or not no.size or no.max() <= yes.min() or yes.max() <= no.min():
        return None
    relative_weights = np.ones(odds.size) if weights is None else weights / weights.max()
    return fit_line("logistic", odds, relative_weights * is_event, relative_weights * ~is_event)
