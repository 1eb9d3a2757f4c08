"""Calibration of probabilities by a logistic regression of the class on their log-odds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Floats = NDArray[np.float64]

_EPS = np.finfo(float).eps  # probabilities of 0 and 1 count as this far from them, as in the log-loss
_STEPS = 100
_SMALL_STEP = 1e-10


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
    own = np.ones(odds.size) if weights is None else weights / weights.max()
    center = float(np.average(odds, weights=own))
    scale = float(np.sqrt(np.average((odds - center) ** 2, weights=own)))
    columns = np.column_stack([np.ones(odds.size), (odds - center) / scale])
    start, slope = _maximum_likelihood(columns, is_event.astype(float), own)
    return float(start - slope * center / scale), float(slope / scale)


def _maximum_likelihood(columns: Floats, target: Floats, weights: Floats) -> Floats:
    """Return the coefficients of a logistic regression, by Newton steps, halved until the loss falls."""

    def loss(coef: Floats) -> float:
        score = columns @ coef
        return float(weights @ (np.logaddexp(0, score) - target * score))

    coef = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        chance = expit(columns @ coef)
        hessian = (columns * (weights * chance * (1 - chance))[:, None]).T @ columns
        step = np.linalg.solve(hessian, columns.T @ (weights * (target - chance)))
        while loss(coef + step) > loss(coef) and np.abs(step).max() > _SMALL_STEP:
            step /= 2
        coef = coef + step
        if np.abs(step).max() <= _SMALL_STEP:
            break
    return coef
