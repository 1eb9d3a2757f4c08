"""The mixin of all regressors."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _num_samples

from ..data.budget import Budget
from ..data.fit_rows import rows_of_weight
from ..data.masked_arrays import fill_masked
from ..data.targets import Target, regression_target, scored_target
from ..data.weights import row_weights
from ._training import FitResult


class Regressor(RegressorMixin):
    """Mixin of regressors."""

    _task: ClassVar[str] = "regression"

    def _read_target(
        self,
        y: Any,
        n_rows: int,
        fitted: FitResult | None = None,
        *,
        budget: Budget | None = None,  # noqa: ARG002
    ) -> Target:
        target = regression_target(y, n_rows, type(self).__name__)
        n_outputs = target.values.shape[1]
        if fitted is not None and n_outputs != len(fitted.outputs):
            raise ValueError(f"y has {n_outputs} columns, the model was fitted on {len(fitted.outputs)}")
        return target

    def _effect(self, output: Any = None) -> str:
        """Return the name of the sum of the terms, for the model or one output."""
        return "prediction" if output is None else f"prediction of {output}"

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict target values.

        Parameters
        ----------
        X : as in fit
            The rows or records. A frame with the names of training may lack columns that
            the model does not use.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The predictions, in units of y.

        Raises
        ------
        ValueError
            If `X` differs from training: a column that the model uses is missing, unknown
            columns, an infinite value, a missing value where none is allowed, or an unknown
            category in a column that the model uses.
        TypeError
            If `X` has another type than in training.
        """
        decision: NDArray[np.float64] = self._finite_decision(X)
        return decision[:, 0] if self._fitted.is_1d else decision

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R^2 of the predictions.

        Parameters
        ----------
        X : as in fit
            The rows or records.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Their targets.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row.

        Returns
        -------
        float
            1 is perfect, 0 that of the mean of `y`; the mean over several targets.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`, or if a target is missing.
        """
        y = scored_target(y, type(self).__name__)
        sample_weight = row_weights(fill_masked(sample_weight), _num_samples(y))
        with rows_of_weight(sample_weight):
            return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        """Declare for scikit-learn that several targets are supported."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.regressor_tags.poor_score = self._has_poor_score
        return tags
