"""The mixin of all classifiers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _num_samples

from ..data.budget import Budget
from ..data.category_orders import warn_of_ordered_classes
from ..data.fit_rows import rows_of_weight
from ..data.masked_arrays import fill_masked
from ..data.targets import Target, classification_target, scored_target
from ..data.weights import row_weights
from ..results.probabilities import probabilities
from ._training import FitResult


class _Probable:
    """A method of losses with probabilities; for another loss the AttributeError tells the reason.

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
        losses = tuple(estimator._log_odds_scale)
        loss = estimator._fitted_loss() if estimator.__sklearn_is_fitted__() else estimator.loss
        if loss not in losses:
            raise AttributeError(
                f"{self._method.__name__} needs loss={' or '.join(map(repr, losses))}; "
                f"loss={loss!r} has decision_function and predict"
            )
        return MethodType(self._method, estimator)


def _without_label(labels: NDArray[Any], unknown: NDArray[np.bool_]) -> NDArray[Any]:
    """Replace the labels of graphs that could not be read, the only rows without a decision, by NaN.

    Numbers become floats, other labels objects.
    """
    found = labels.astype(np.float64 if labels.dtype.kind in "iuf" else object)
    found[unknown] = np.nan
    return found


class Classifier(ClassifierMixin):
    """Mixin of classifiers; more than two classes are predicted one against the rest."""

    _task: ClassVar[str] = "classification"
    _log_odds_scale: ClassVar[Mapping[str, float]] = {"logistic": 1.0}

    def _read_target(
        self,
        y: Any,
        n_rows: int,
        fitted: FitResult | None = None,
        *,
        classes: NDArray[Any] | None = None,
        budget: Budget | None = None,
    ) -> Target:
        if fitted is not None:
            classes = fitted.classes
        target = classification_target(y, n_rows, type(self).__name__, classes, self.pos_label, budget)
        if classes is None and target.classes is not None:
            warn_of_ordered_classes(y, target.classes.size)
        return target

    def _probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert decision values to probabilities; some losses estimate a multiple of the log-odds."""
        return probabilities(self._log_odds_scale[self._fitted_loss()] * decision)

    def _fitted_loss(self) -> str:
        return str(self._fitted.document["loss"])

    def _effect(self, output: Any = None) -> str:
        classes = self._fitted.classes.tolist()
        if len(classes) == 2:
            kinds = {"logistic": "log-odds", "exponential": "halved log-odds"}
            return f"{kinds.get(self._fitted_loss(), 'score')} of class {classes[1]!r}"
        # The log-odds of one of several classes depend on the values of all.
        return f"decision value of {'its class' if output is None else f'class {output!r}'}"

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute the decision values, the sum of the intercept and the terms.

        Parameters
        ----------
        X : as in fit
            The rows or records.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Two classes: a positive value predicts the second of ``classes_``, 0 or less the first; where
            `pos_label` is the first, this is the negative of the sum, whose terms speak of ``pos_label_``.
            The values are log-odds for the logistic loss, half the log-odds for the exponential loss.
            More classes: one against the rest, the largest value wins; the probabilities are normalised, so
            that the values are not their log-odds.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        decision: NDArray[np.float64] = self._finite_decision(X)
        if decision.shape[1] > 1:
            return decision
        return -decision[:, 0] if self._fitted.is_reversed else decision[:, 0]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : as in fit
            The rows or records. A frame with the names of training may lack columns that
            the model does not use.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels from ``classes_``.

        Raises
        ------
        ValueError
            If `X` differs from training: a column that the model uses is missing, unknown
            columns, an infinite value, a missing value where none is allowed, or an unknown
            category in a column that the model uses.
        TypeError
            If `X` has another type than in training.
        """
        decision = self._finite_decision(X)
        if decision.shape[1] > 1:
            codes = decision.argmax(axis=1)
        else:  # at 0 the first of `classes_`
            codes = (decision[:, 0] >= 0 if self._fitted.is_reversed else decision[:, 0] > 0).astype(np.intp)
        labels: NDArray[Any] = self._fitted.classes[codes]
        unknown = np.isnan(decision).any(axis=1)
        return _without_label(labels, unknown) if unknown.any() else labels

    @_Probable
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities; available for losses that define them, such as the logistic loss.

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
        found = self._probabilities(self._finite_decision(X))
        return np.ascontiguousarray(found[:, ::-1]) if self._fitted.is_reversed else found

    @_Probable
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict log-probabilities; available where ``predict_proba`` is.

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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of the predictions.

        Parameters
        ----------
        X : as in fit
            The rows or records.
        y : array-like of shape (n_rows,)
            Their labels; one that the model does not know counts as an error.
        sample_weight : array-like of shape (n_rows,), optional
            The weight of each row.

        Returns
        -------
        float
            The share of the weight that is predicted correctly.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`, or if a label is missing.
        """
        y = scored_target(y, type(self).__name__)
        sample_weight = row_weights(fill_masked(sample_weight), _num_samples(y))
        with rows_of_weight(sample_weight):
            return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        """Declare for scikit-learn whether scores can be good on any matrix."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._has_poor_score
        return tags
