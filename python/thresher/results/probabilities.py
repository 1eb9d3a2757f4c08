"""Conversion of log-odds to probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit


def probabilities(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert log-odds to the probabilities of the classes.

    Parameters
    ----------
    log_odds : ndarray of shape (n_rows, 1) or (n_rows, n_classes)
        Log-odds of the second of two classes, or of each class against the rest.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Each row sums to 1; with more than two classes the normalised sigmoids.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities(np.array([[0.0]])).tolist()
    [[0.5, 0.5]]
    """
    if log_odds.shape[1] == 1:
        return np.column_stack([expit(-log_odds[:, 0]), expit(log_odds[:, 0])])
    # Scaled by the row's largest, so that tiny sigmoids keep their ratios.
    with np.errstate(invalid="ignore"):  # a record without an answer has NaN
        logs = -np.logaddexp(0.0, -log_odds)
    sigmoids = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(sigmoids / sigmoids.sum(axis=1, keepdims=True))
