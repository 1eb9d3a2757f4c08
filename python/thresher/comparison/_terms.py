"""The rules or patterns of a model as sets of rows, and how alike two of them are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples


@dataclass(frozen=True)
class TermRows:
    """The terms of a model, and the rows in which each holds.

    Parameters
    ----------
    terms : list of Rule or Pattern
        The terms.
    holds : ndarray of bool of shape (n_rows, n_terms)
        Whether each holds in each row.
    """

    terms: list[Any]
    holds: NDArray[np.bool_]


def term_rows(model: Any, X: Any) -> TermRows:
    """Find the rows in which the terms of a model hold.

    Parameters
    ----------
    model : estimator
        A fitted estimator with rules or patterns.
    X : array, frame or list of records
        The rows.

    Returns
    -------
    TermRows
        Terms and rows.

    Raises
    ------
    TypeError
        If the model has neither rules or patterns nor coefficients of columns.
    """
    if is_subset(model):
        return TermRows([], np.zeros((_num_samples(X), 0), dtype=bool))
    terms = getattr(model, "rules_", None)
    terms = getattr(model, "patterns_", None) if terms is None else terms
    if terms is None or not hasattr(model, "transform"):
        raise TypeError(
            f"{type(model).__name__} has no rules or patterns; give models over rules, item-sets, "
            "sequences or graphs, or best subsets (not score cards or factorization machines)"
        )
    found: Any = model.transform(X)
    dense: NDArray[np.float64] = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    return TermRows(list(terms), dense.reshape(len(dense), len(terms)) > 0)


def is_subset(model: Any) -> bool:
    """Return whether the terms of a model are coefficients of columns: a best subset.

    Parameters
    ----------
    model : estimator
        A fitted estimator.

    Returns
    -------
    bool
        Whether it has selected coefficients.
    """
    return hasattr(model, "n_nonzero_") and hasattr(model, "coef_")


def linear_terms(model: Any) -> dict[tuple[str, str], tuple[Any, float]]:
    """Return the linear terms of a model.

    Parameters
    ----------
    model : estimator
        A fitted estimator.

    Returns
    -------
    dict of (str, str) to (object, float)
        Output and coefficient, by the text of the output and the name of the column.
    """
    coef = getattr(model, "coef_" if is_subset(model) else "linear_coef_", None)
    if coef is None:
        return {}
    found = {}
    for output, row in zip(model._fitted.output_names(), np.atleast_2d(coef), strict=True):
        for name, value in zip(model._fitted.schema.names, row.tolist(), strict=True):
            if value != 0:
                found[str(output), str(name)] = (output, float(value))
    return found


def similarities(
    first: TermRows, second: TermRows, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Compare all terms of two models by the rows in which they hold.

    Parameters
    ----------
    first, second : TermRows
        The terms of two models in the same rows.
    weights : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_first, n_second)
        The Jaccard index of the rows in which two terms hold, or that of the rows in which they do not if it
        is smaller; the same of one term and the complement of the other, if that is larger. 0 for terms of
        different outputs.

    Notes
    -----
    A term that holds where another does not carries the same information, with the opposite sign and another
    intercept: no similarity changes if a term is replaced by its complement. Of two terms that hold in most
    rows the rows without them count, as common rows alone are no likeness.
    """
    a, b = first.holds, second.holds
    row_weights = np.ones(len(a)) if weights is None else weights
    both, only_a, only_b, neither = (_weight(p, q, row_weights) for p in (a, ~a) for q in (b, ~b))
    apart, common = only_a + only_b, both + neither
    same = np.minimum(_ratio(both, both + apart), _ratio(neither, neither + apart))
    opposite = np.minimum(_ratio(only_a, only_a + common), _ratio(only_b, only_b + common))
    is_same_output = [[str(s.output) == str(t.output) for t in second.terms] for s in first.terms]
    shape = (len(first.terms), len(second.terms))
    return np.maximum(same, opposite) * np.asarray(is_same_output, dtype=np.float64).reshape(shape)


def _weight(
    first: NDArray[np.bool_], second: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of the rows in which each of the first terms and each of the second hold."""
    found: NDArray[np.float64] = first.T.astype(np.float64) @ (second * weights[:, None])
    return found


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; two sets without rows are alike."""
    return np.divide(part, whole, out=np.ones_like(part), where=whole > 0)


def best_similarities(
    first: TermRows, second: TermRows, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return, for each term of the first model, its similarity with the closest one of the second.

    Parameters
    ----------
    first, second : TermRows
        The terms of two models in the same rows.
    weights : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    ndarray of shape (n_first,)
        The largest of each row of :func:`similarities`; 0 if the second model is empty.
    """
    best: NDArray[np.float64] = similarities(first, second, weights).max(axis=1, initial=0.0)
    return best
