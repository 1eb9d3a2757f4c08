"""What is predicted, numbers or classes: the methods that all estimators share."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable
from types import MethodType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from ..data.targets import Target, classification_target, regression_target
from ..model_io.mixin import SavedModel
from ..results.explanation import Contribution
from ..results.probabilities import probabilities
from ..results.summary import SummaryRow
from . import _reading


class Predicting(SavedModel):
    """Predict with the model that a fit left; the base of both tasks."""

    _task: ClassVar[str]
    _term_noun: ClassVar[str] = "rule"
    _sum_phrase: ClassVar[str] = "The sum of the effects that apply is"
    _row_noun: ClassVar[str] = "rows"

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int, fitted: Any = None, classes: Any = None) -> Target:
        """Check what is to be predicted: it has to suit a fitted model, or the classes that are known."""

    @abstractmethod
    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Intercept and terms added up; shape (n_rows, n_outputs)."""

    @abstractmethod
    def _effect(self, output: Any = None) -> str:
        """Name what the terms of the model, or of one of its outputs, add up to."""

    summary = _reading.summary
    explain = _reading.explain

    @abstractmethod
    def _summary_rows(self) -> list[SummaryRow]:
        """List the terms of the fitted model in the order in which they are shown."""

    @abstractmethod
    def _contributions(self, X: Any) -> list[list[Contribution]]:
        """Tell what each term adds to the decision value, row by row."""

    def _as_rows(self, X: Any) -> Any:
        """Give a single row of a table the form of several."""
        return X

    def _proof(self) -> str:
        """Say in a sentence what was proved of the model."""
        return f"Certificate: {self.certificate_}."

    def _html_repr(self) -> str:
        diagram = super()._html_repr() if hasattr(super(), "_html_repr") else ""
        return diagram + (self.summary()._repr_html_() if self.__sklearn_is_fitted__() else "")


class RegressionMethods(RegressorMixin, Predicting):
    """Predict numbers."""

    _task: ClassVar[str] = "regression"

    def _read_target(self, y: Any, n_rows: int, fitted: Any = None, classes: Any = None) -> Target:  # noqa: ARG002
        target = regression_target(y, n_rows, type(self).__name__)
        outputs = target.values.shape[1]
        if fitted is not None and outputs != len(fitted.output_names()):
            raise ValueError(f"y has {outputs} columns, the model was fitted on {len(fitted.output_names())}")
        return target

    def _effect(self, output: Any = None) -> str:
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
        decision = self._decision(X)
        return decision[:, 0] if self._fitted.flat else decision

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that several targets are welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class _Probable:
    """A method that is there for losses with probabilities; without one its absence says why.

    Parameters
    ----------
    method : callable
        The method.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        functools.update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self._method
        losses = estimator._probabilistic
        if estimator.loss not in losses:
            raise AttributeError(
                f"{self._method.__name__} needs loss={' or '.join(map(repr, losses))}; "
                f"loss={estimator.loss!r} has decision_function and predict"
            )
        return MethodType(self._method, estimator)


class ClassificationMethods(ClassifierMixin, Predicting):
    """Predict classes, one against the rest where there are more than two."""

    _task: ClassVar[str] = "classification"
    _probabilistic: ClassVar[tuple[str, ...]] = ("logistic",)

    def _read_target(self, y: Any, n_rows: int, fitted: Any = None, classes: Any = None) -> Target:
        if fitted is not None:
            classes = fitted.classes
        return classification_target(y, n_rows, type(self).__name__, classes)

    def _probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn decisions into probabilities."""
        return probabilities(decision)

    def _effect(self, output: Any = None) -> str:
        kinds = {"logistic": "log-odds", "exponential": "halved log-odds"}
        kind, classes = kinds.get(self.loss, "score"), self.classes_.tolist()
        named = classes[1] if len(classes) == 2 else output
        return f"{kind} of its class" if named is None else f"{kind} of class {named!r}"

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
            largest wins. Log-odds for the logistic loss, half of them for the
            exponential one.

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
            If `X` is not like that of training: other columns, an infinite value, one
            that is missing where none may be, a category that matters and is unknown.
        TypeError
            If it is of another kind than in training.
        """
        decision = self._decision(X)
        codes = (decision[:, 0] > 0).astype(np.intp) if decision.shape[1] == 1 else decision.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @_Probable
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities; there for losses that have them, such as the logistic.

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
        return self._probabilities(self._decision(X))

    @_Probable
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the probabilities; there where they are.

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
