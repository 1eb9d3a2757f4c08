"""What is predicted: numbers or classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ..probabilities import probabilities
from ..targets import Target, classification_target, regression_target
from .base import ConvexModelBase
from .state import Fitted


class RegressionMethods(RegressorMixin, ConvexModelBase):
    """Predict numbers."""

    _task: ClassVar[str] = "regression"

    def _read_target(self, y: Any, n_rows: int, fitted: Fitted | None = None) -> Target:
        target = regression_target(y, n_rows, type(self).__name__)
        outputs = target.values.shape[1]
        if fitted is not None and outputs != len(fitted.document.outputs):
            raise ValueError(
                f"y has {outputs} columns, the model was fitted on {len(fitted.document.outputs)}"
            )
        return target

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
            If `X` is not like that of training: other columns, an infinite value, a
            category that matters and is unknown.
        TypeError
            If it is of another kind than in training.
        """
        decision = self._decision(X)
        return decision[:, 0] if self._fitted.flat else decision

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that several targets are welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _has_probabilities(estimator: ClassificationMethods) -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(
            f"predict_proba needs loss='logistic'; loss={estimator.loss!r} has decision_function and predict"
        )
    return True


class ClassificationMethods(ClassifierMixin, ConvexModelBase):
    """Predict classes, one against the rest where there are more than two."""

    _task: ClassVar[str] = "classification"

    def _read_target(self, y: Any, n_rows: int, fitted: Fitted | None = None) -> Target:
        classes = None if fitted is None else fitted.classes
        return classification_target(y, n_rows, type(self).__name__, classes)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Add up the intercept and the terms that apply.

        Parameters
        ----------
        X : as in fit
            The rows or records.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Two classes: positive means the second. More: one against the rest; the
            largest wins. Log-odds for the logistic loss.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        decision = self._decision(X)
        return decision[:, 0] if decision.shape[1] == 1 else decision

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : as in fit
            The rows or records.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels out of ``classes_``.

        Raises
        ------
        ValueError
            If `X` is not like that of training: other columns, an infinite value, a
            category that matters and is unknown.
        TypeError
            If it is of another kind than in training.
        """
        decision = self._decision(X)
        codes = (decision[:, 0] > 0).astype(np.intp) if decision.shape[1] == 1 else decision.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities; there for the logistic loss.

        Parameters
        ----------
        X : as in fit
            The rows or records.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Each row sums to 1, in the order of ``classes_``.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        return probabilities(self._decision(X))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the probabilities.

        Parameters
        ----------
        X : as in fit
            The rows or records.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Natural logarithms, in the order of ``classes_``.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
