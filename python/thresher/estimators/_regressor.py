"""What every regressor has."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ..data.targets import Target, regression_target
from ._training import FitResult


class Regressor(RegressorMixin):
    """Predict numbers; to be mixed into an :class:`Estimator`."""

    _task: ClassVar[str] = "regression"

    def _read_target(self, y: Any, n_rows: int, fitted: FitResult | None = None) -> Target:
        target = regression_target(y, n_rows, type(self).__name__)
        n_outputs = target.values.shape[1]
        if fitted is not None and n_outputs != len(fitted.outputs):
            raise ValueError(f"y has {n_outputs} columns, the model was fitted on {len(fitted.outputs)}")
        return target

    def _effect(self, output: Any = None) -> str:
        """Name what the terms of the model, or of one of its outputs, add up to."""
        return "prediction" if output is None else f"prediction of {output}"

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict numbers.

        Parameters
        ----------
        X : as in fit
            The rows or records.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            In units of y.

        Raises
        ------
        ValueError
            If `X` is not like that of training: other columns, an infinite value, one
            that is missing where none may be, a category that matters and is unknown.
        TypeError
            If it is of another kind than in training.
        """
        decision: NDArray[np.float64] = self._decision(X)
        return decision[:, 0] if self._fitted.is_1d else decision

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that several targets are welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.regressor_tags.poor_score = self._has_poor_score
        return tags
