"""Reading a fitted model: the methods that every estimator has, and what a family fills in for them."""

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
        Where the sum begins.
    """

    intercept_: Any
    _task: Any
    _term_noun: Any
    _row_noun: Any
    _sum_phrase: Any
    _fitted: Any

    def predict(self, X: Any) -> NDArray[Any]:  # numpydoc ignore=PR01
        """Predict."""

    def _decision(self, X: Any) -> NDArray[np.float64]: ...

    def _effect(self, output: Any = None) -> str:
        """Name what the terms of the model, or of one of its outputs, add up to."""

    def _summary_rows(self) -> list[SummaryRow]:
        """List the terms in the order in which they are shown."""

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        """Tell what each term adds, row by row."""

    def _as_rows(self, X: Any) -> Any:
        """Give a single row of a table the form of several."""

    def _proof(self) -> str:
        """Say in a sentence what was proved of the model."""


def intercepts_of(estimator: ReadableEstimator) -> list[tuple[Any, float]]:  # numpydoc ignore=PR01
    """Give the intercept of each output with the output's label."""
    values = np.atleast_1d(np.asarray(estimator.intercept_, dtype=np.float64)).tolist()
    return list(zip(estimator._fitted.output_names(), values, strict=True))


def _note(estimator: ReadableEstimator) -> str:
    several_classes = estimator._task == "classification" and len(estimator._fitted.output_names()) > 1
    return f"{estimator._sum_phrase} the {estimator._effect()}{'; the largest wins' * several_classes}."


def summary(self: Any) -> Summary:  # numpydoc ignore=PR01
    """Give the model as one table: its terms, what they add up to, and what was proved.

    Returns
    -------
    Summary
        Prints as text and shows as HTML in a notebook; ``to_frame()``, ``to_markdown()``
        and ``to_latex()`` write it elsewhere. Of two classes the first line names the one
        that the effects speak of.
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


def explain(self: Any, X: Any) -> list[Explanation]:  # numpydoc ignore=PR01
    """Take predictions apart: what each term adds for each row.

    Parameters
    ----------
    X : as in fit
        The rows or records; of a table one row alone will do.

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
    decision, predictions = self._decision(X), self.predict(X)
    return explain_rows(self._contributions(X), intercepts_of(self), decision, predictions, self._effect())
