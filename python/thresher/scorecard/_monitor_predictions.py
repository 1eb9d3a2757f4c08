"""New rows beside reference rows: a function that a regressor has as a method."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ._monitor import Given, compare
from ._predictions import PredictionCard
from .monitoring import Monitoring


def monitor_predictions(
    self: Any,
    X_reference: Any,
    X_new: Any,
    *,
    y_reference: ArrayLike | None = None,
    y_new: ArrayLike | None = None,
    sample_weight_reference: ArrayLike | None = None,
    sample_weight_new: ArrayLike | None = None,
    period: ArrayLike | None = None,
    by: str | None = None,
    n_bins: int = 10,
    thresholds: tuple[float, float] = (0.1, 0.25),
) -> Monitoring:
    """Compare new rows with reference rows: stability of predictions and columns, targets beside predictions.

    As ``monitor`` of a score card in points, with the prediction in the place of the score and the means of
    targets and predictions in the place of rates.

    Parameters
    ----------
    X_reference : array or frame of shape (n_reference, n_features)
        Rows such as those of training.
    X_new : array or frame of shape (n_rows, n_features)
        The rows to compare.
    y_reference, y_new : array-like or str, optional
        Their targets; missing where one is not known yet. These, weights and periods may be names of columns
        of the rows.
    sample_weight_reference, sample_weight_new : array-like or str, optional
        Their weights.
    period, by, n_bins, thresholds : object
        As in :meth:`ScaledCard.monitor`.

    Returns
    -------
    Monitoring
        The indices; ``periods``, ``bins`` and ``values`` as for a card.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, a parameter is invalid, or the model has several targets.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveRegressor
    >>> X = np.arange(200.0)[:, None] % 20
    >>> model = L0AdditiveRegressor(lambda0=1.0).fit(X, 3.0 * (X[:, 0] > 9))
    >>> found = model.monitor(X, X[X[:, 0] > 4], y_new=3.5 * (X[X[:, 0] > 4, 0] > 9))
    >>> round(found.total.predicted, 2), round(found.total.event_rate, 2)
    (1.99, 2.33)
    """
    check_is_fitted(self)
    if len(self._path_index) != 1:
        raise ValueError("monitor: the model has several targets; fit one model for each to monitor them")
    given = Given(y_reference, y_new, sample_weight_reference, sample_weight_new, period, by)
    return compare(PredictionCard(self), X_reference, X_new, given, n_bins, thresholds)
