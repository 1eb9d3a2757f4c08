"""Reading a fitted model: the methods that all estimators share, and the interface they use."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..results.explanation import Contribution, Explanation, explain_rows
from ..results.summary import Summary, SummaryRow


class ReadableEstimator(Protocol):
    """A fitted model whose terms add up to its decision values.

    Attributes
    ----------
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept of each output.
    """

    intercept_: Any
    _task: Any
    _term_noun: Any
    _row_noun: Any
    _sum_phrase: Any
    _fitted: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict."""

    def _finite_decision(self, X: Any) -> NDArray[np.float64]: ...

    def _effect(self, output: Any = None) -> str:
        """Return the name of the sum of the terms, for the model or one output."""

    def _summary_rows(self) -> list[SummaryRow]:
        """List the terms in the order in which they are shown."""

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        """Return the contribution of each term, row by row."""

    def _as_rows(self, X: Any) -> Any:
        """Convert a single row to a table of one row."""

    def _proof(self) -> str:
        """Return a sentence about what was proved of the model."""


def intercepts_of(estimator: ReadableEstimator) -> list[tuple[Any, float]]:
    """Return the intercept of each output with the output's label."""
    values = np.atleast_1d(np.asarray(estimator.intercept_, dtype=np.float64)).tolist()
    return list(zip(estimator._fitted.output_names(), values, strict=True))


def _note(estimator: ReadableEstimator) -> str:
    several_classes = estimator._task == "classification" and len(estimator._fitted.output_names()) > 1
    return f"{estimator._sum_phrase} the {estimator._effect()}{'; the largest wins' * several_classes}."


def summary(self: Any) -> Summary:
    """Return the model as one table with its terms and its certificate.

    Returns
    -------
    Summary
        Prints as text and shows as HTML in a notebook; ``to_frame()``, ``to_markdown()``
        and ``to_latex()`` convert it. For two classes the first line names the class
        that the effects refer to.
    """
    check_is_fitted(self)
    return Summary(
        tuple(self._summary_rows()),
        tuple(intercepts_of(self)),
        self._effect(),
        _note(self),
        self._proof(),
        self._term_noun,
        self._row_noun,
    )


def explain(self: Any, X: Any) -> list[Explanation]:
    """Explain predictions by the contribution of each term.

    Parameters
    ----------
    X : as in fit
        The rows or records; a single row of a table is allowed.

    Returns
    -------
    list of Explanation
        One for each row. The intercept and the contributions add up to the decision value
        (for a regression: to the prediction); prints as that sum.

    Raises
    ------
    TypeError, ValueError
        As in ``predict``.
    """
    check_is_fitted(self)
    X = self._as_rows(X)
    decision, predictions = self._finite_decision(X), self.predict(X)
    return explain_rows(self._contributions(X), intercepts_of(self), decision, predictions, self._effect())
