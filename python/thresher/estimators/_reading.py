"""Reading a fitted model: the methods that all estimators share, and the interface they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..fit_warnings import gathered, warn
from ..results.coverage import class_weight_note
from ..results.explanation import Contribution, Explanation, explain_rows
from ..results.subset_certificate import SubsetCertificate
from ..results.summary import Summary, SummaryRow


class ReadableEstimator(Protocol):
    """A fitted model whose terms add up to its decision values."""

    _task: Any
    _term_noun: Any
    _row_noun: Any
    _sum_phrase: Any
    _fitted: Any

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict."""

    def _finite_decision(self, X: Any) -> NDArray[np.float64]: ...

    def _constants(self) -> list[float]:
        """Return the constant of each output, to which its terms add up."""

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
    """Return the constant of each output with the output's label."""
    return list(zip(estimator._fitted.output_names(), estimator._constants(), strict=True))


def _note(estimator: ReadableEstimator, n_terms: int) -> str:
    if not n_terms:
        return f"The model has no terms, only the intercept: {why_empty(estimator)}."
    several_classes = estimator._task == "classification" and len(estimator._fitted.output_names()) > 1
    note = f"{estimator._sum_phrase} the {estimator._effect()}{'; the largest wins' * several_classes}."
    if not hasattr(estimator, "predict_proba"):
        return note
    return f"{note} {class_weight_note(estimator, 'probabilities')}".rstrip()


def why_empty(estimator: Any) -> str:
    """Say why a model has no terms.

    Parameters
    ----------
    estimator : estimator
        A fitted one without terms.

    Returns
    -------
    str
        A part of a sentence.
    """
    for name in ("max_steps", "max_columns", "max_nonzero"):
        if getattr(estimator, name, None) == 0:
            return f"{name}=0 allows none"
    if getattr(estimator, "max_linear", None) == 0 and estimator.linear:
        return "max_linear=0 ends the path before the first linear term; linear=False leaves these out"
    if getattr(getattr(estimator, "certificate_", None), "n_candidates", None) == 0:
        return f"the data have no candidate {estimator._term_noun}"
    if not getattr(getattr(estimator, "certificate_", None), "complete", True) and _has_limit(estimator):
        return "a limit ended the fit before it found one"
    rare = _too_rare(estimator)
    return too_rare(estimator) or _why_none_is_worth_it(estimator) + (rare and f", or {rare}")


def too_rare(estimator: Any) -> str:
    """Say that all candidates are too rare, if no model that was compared has a term.

    Parameters
    ----------
    estimator : estimator
        A fitted one without terms.

    Returns
    -------
    str
        A part of a sentence, with ``min_support``; empty where models differ, or every support is allowed.
    """
    return _too_rare(estimator) if all(map(_is_never_lower, estimator._fitted.outputs)) else ""


def _is_never_lower(output: Mapping[str, Any]) -> bool:
    """Return whether all models of a comparison have the same error, as those without terms have."""
    compared = (output.get("cv") or {}).get("mean") or (output.get("criterion") or {}).get("values") or ()
    return len(set(compared)) == 1 < len(compared)


def _why_none_is_worth_it(estimator: Any) -> str:
    if any(output.get("cv") is not None for output in estimator._fitted.outputs):
        within = "one within a standard error of " if getattr(estimator, "one_standard_error", False) else ""
        least = f"of the models compared the one without terms has {within}the least held-out error"
        return least + _or_larger_support(estimator)
    if getattr(estimator, "alpha", None) in ("bic", "ebic"):
        return "none lowers the information criterion"
    return "at this strength of the penalty none is worth its price"


def _or_larger_support(estimator: Any) -> str:
    """Advise a larger least support for a best subset, whose terms no penalty shrinks."""
    if (
        not isinstance(getattr(estimator, "certificate_", None), SubsetCertificate)
        or estimator.min_support != 1
    ):
        return ""
    noun, rows = estimator._term_noun, estimator._row_noun
    return f"; a larger min_support, such as 0.05, leaves out {noun}s that follow a few {rows} alone"


def _too_rare(estimator: Any) -> str:
    """Name the least support of a candidate, where there is one: it may exclude them all."""
    least = getattr(estimator, "min_support", 1)
    if isinstance(least, Integral) and least == 1:
        return ""
    return f"no {estimator._term_noun} holds for min_support={least:g} of the {estimator._row_noun}"


def _has_limit(estimator: Any) -> bool:
    limits = ("time_limit", "memory_limit")
    return any(getattr(estimator, name, None) is not None for name in limits)


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
    rows = self._summary_rows()
    return Summary(
        tuple(rows),
        tuple(intercepts_of(self)),
        self._effect(),
        _note(self, len(rows)),
        self._proof(),
        self._term_noun,
        self._row_noun,
        self._fitted.may_be_weighted,
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
        One for each row. The intercept and the contributions add up to the decision value, of two classes
        that of ``pos_label_`` (for a regression: to the prediction); prints as that sum.

    Raises
    ------
    TypeError, ValueError
        As in ``predict``.
    """
    check_is_fitted(self)
    X = self._as_rows(X)
    with gathered() as found:
        decision, predictions = self._finite_decision(X), self.predict(X)
        parts = self._contributions(X)
    for message, category in dict.fromkeys(found):  # each of the three reads the rows
        warn(message, category)
    return explain_rows(parts, intercepts_of(self), decision, predictions, self._effect())


def report(
    self: Any,
    path: str | Path,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    compare: Sequence[Any] | Mapping[str, Any] = (),
    group: str | ArrayLike | None = None,
    rows: int | Sequence[int] = 100,
    title: str | None = None,
) -> None:
    """Write a report of the model: one page of HTML that needs no network.

    The page shows the terms, the effects of single columns, the models along the path, the certificate,
    and a form that predicts in the browser. With `X` it explains single rows; with `y` it shows metrics,
    calibration, ROC and lift, or the errors of a regression.

    Parameters
    ----------
    path : str or Path
        The file to write; ``-`` is standard output.
    X : as in fit, or dict of str to tuple, optional
        Rows on which the model is shown. A frame may have further columns, such as that of `group`. Of
        several data sets, ``{"train": (X, y), "test": (X, y)}`` or with weights ``(X, y, sample_weight)``,
        the metrics are shown side by side, and all else on the last.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), or str, optional
        Their targets, or the name of a column of `X`.
    sample_weight : array-like of shape (n_rows,) or str, optional
        Weights of the rows in metrics and curves, or the name of a column of `X`; densities and explanations
        count every row once. Rows of weight 0 are left out. Weights of the fit are not remembered.
    compare : list of estimator or dict of str to estimator, optional
        Further fitted models, shown beside this one; also of other libraries that follow scikit-learn.
    group : str or array-like of shape (n_rows,), optional
        A column of `X`, or one value for each row: metrics are also shown group by group.
    rows : int or list of int, default=100
        How many rows are explained, spread evenly over the predictions, or their positions from 0. The page
        counts rows from 1.
    title : str, optional
        The title of the page; by default the names of the models.

    Raises
    ------
    TypeError, ValueError
        As in ``predict``; if the models predict different things, or `y`, `sample_weight` or `group` do
        not match `X`.
    ImportError
        If Jinja is not installed.
    OSError
        If the file cannot be written; an existing one is then unchanged.
    """
    from ..reports import report
    from ..reports._comparison import beside

    check_is_fitted(self)
    models = beside(self, compare, "model")
    report(path, models, X, y, sample_weight=sample_weight, group=group, rows=rows, title=title)
