"""Contributions of the terms of each kind of model for given rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.columns import Column
from ..data.inputs import Table
from ..formatting.numbers import format_number, format_value
from ..formatting.quoting import quote_name
from .explanation import Contribution

if TYPE_CHECKING:  # the classes of terms of which each family needs its own
    from .interactions import Interactions
    from .pattern import Pattern
    from .payloads import FeaturePayload, LinearPayload
    from .rule import Rule
    from .shape_function import ShapeFunction

Parts = list[list[Contribution]]
"""The contributions of each row."""


def of_indicators(terms: Sequence[Rule | Pattern], holds: Any, kind: str) -> Parts:
    """List the rules that hold for each row, or the patterns that occur in it.

    Parameters
    ----------
    terms : sequence of Rule or Pattern
        The terms of a model.
    holds : ndarray or sparse matrix of shape (n_rows, n_terms)
        Non-zero where the term holds.
    kind : {"rule", "pattern"}
        What the terms are.

    Returns
    -------
    list of list of Contribution
        One list for each row.
    """
    rows = sparse.csr_array(holds)
    listed = [Contribution(term.text, term.coef, kind, term.output, term) for term in terms]
    return [
        [listed[k] for k in np.sort(rows.indices[rows.indptr[row] : rows.indptr[row + 1]]).tolist()]
        for row in range(rows.shape[0])
    ]


def of_linear_terms(
    terms: Iterable[LinearPayload], features: Sequence[FeaturePayload], table: Table, output: Any
) -> Parts:
    """Multiply coefficients and values; the mean of the column replaces a missing value or a special code.

    Parameters
    ----------
    terms : iterable of LinearPayload
        The linear terms of an output.
    features : list of FeaturePayload
        The columns.
    table : Table
        The rows.
    output : object
        The class or target.

    Returns
    -------
    list of list of Contribution
        One list for each row.
    """
    parts: Parts = [[] for _ in range(table.n_rows)]
    for term in terms:
        column, feature = table.columns[term["feature"]], features[term["feature"]]
        name, codes = feature["name"], [code["value"] for code in feature.get("special", ())]
        if isinstance(column, tuple) or term["coef"] == 0:
            continue
        for of_row, value in zip(parts, column.tolist(), strict=True):
            center = float(term["center"])
            text = f"{quote_name(name)} missing" if value != value else _equals(name, value)
            is_number = value == value and value not in codes
            text += "" if is_number else f", taken as its mean {center:.4g}"
            added = term["coef"] * (value if is_number else center)
            of_row.append(Contribution(text, added, "linear", output, feature=name))
    return parts


def of_coefficients(
    coef: Iterable[tuple[int, float]], names: Sequence[str], columns: Sequence[Column], output: Any
) -> Parts:
    """Multiply coefficients and values.

    Parameters
    ----------
    coef : iterable of (int, float)
        Columns and coefficients of an output.
    names : list of str
        The columns' names.
    columns : list of ndarray of shape (n_rows,)
        The rows, column by column, without missing values.
    output : object
        The class or target.

    Returns
    -------
    list of list of Contribution
        One list for each row.
    """
    parts: Parts = [[] for _ in range(len(columns[0]))]
    for feature, value in coef:
        for of_row, x in zip(parts, np.asarray(columns[feature]).tolist(), strict=True):
            text = _equals(names[feature], x)
            of_row.append(Contribution(text, value * x, "linear", output, feature=names[feature]))
    return parts


def of_sparse(
    coef: Iterable[tuple[int, float]],
    names: Sequence[str],
    rows: Any,
    output: Any,
    centers: Mapping[int, float] | None = None,
) -> Parts:
    """Multiply coefficients and the values of sparse rows.

    Parameters
    ----------
    coef : iterable of (int, float)
        Columns and coefficients of an output.
    names : list of str
        The columns' names.
    rows : sparse matrix of shape (n_rows, n_columns)
        The rows.
    output : object
        The class or target.
    centers : mapping of int to float, optional
        What has been subtracted from columns.

    Returns
    -------
    list of list of Contribution
        One list for each row; values of 0 are left out.
    """
    centers = centers or {}

    def text(j: int, x: float) -> str:
        if j not in centers:
            return _equals(names[j], x)
        return f"{_equals(names[j], x + centers[j])}, less {format_number(centers[j])}"

    coefficients, values = dict(coef), sparse.csr_array(rows)
    parts: Parts = []
    for start, end in zip(values.indptr, values.indptr[1:], strict=False):
        entries = zip(values.indices[start:end].tolist(), values.data[start:end].tolist(), strict=True)
        parts.append(
            [
                Contribution(text(j, x), coefficients[j] * x, "linear", output, feature=names[j])
                for j, x in entries
                if j in coefficients
            ]
        )
    return parts


def of_steps(
    shapes: Iterable[ShapeFunction],
    added: Sequence[NDArray[np.float64]],
    table: Table,
    outputs: Sequence[Any],
) -> Parts:
    """Find the step of each row, column by column.

    Parameters
    ----------
    shapes : iterable of ShapeFunction
        The functions of a model.
    added : list of ndarray of shape (n_rows, n_features)
        The contribution of each column, output by output.
    table : Table
        The rows.
    outputs : list
        The outputs' labels.

    Returns
    -------
    list of list of Contribution
        One list for each row.
    """
    from .shape_function import cell, value_text

    parts: Parts = [[] for _ in range(table.n_rows)]
    for shape in shapes:
        values = added[list(outputs).index(shape.output)][:, shape.feature_index]
        for row, (of_row, value) in enumerate(zip(parts, values.tolist(), strict=True)):
            seen = cell(table.columns[shape.feature_index], row)
            step = shape.step_of(seen)
            where = f" ({step.text})" if step else ", not seen in training"
            text = value_text(shape.feature_name, seen) + where
            of_row.append(Contribution(text, value, "step", shape.output, feature=shape.feature_name))
    return parts


def of_interactions(of_columns: Callable[[tuple[int, ...]], Interactions], rows: Any) -> Parts:
    """Multiply coefficients and products of values.

    Parameters
    ----------
    of_columns : callable
        Lists interactions, those of the given columns at least.
    rows : sparse matrix of shape (n_rows, n_columns)
        The encoded rows.

    Returns
    -------
    list of list of Contribution
        One list for each row; products that are 0 are left out.
    """
    values: Any = sparse.csr_array(rows)
    values.eliminate_zeros()
    values.sort_indices()
    parts: Parts = []
    for start, end in zip(values.indptr, values.indptr[1:], strict=False):
        columns = values.indices[start:end]
        interactions = of_columns(tuple(columns.tolist()))
        places, products = interactions.products(columns, values.data[start:end])
        terms = zip(map(interactions.__getitem__, places.tolist()), products.tolist(), strict=True)
        parts.append(
            [Contribution(each.text, product, "interaction", each.output, each) for each, product in terms]
        )
    return parts


def remainder(
    parts: Parts, intercepts: Sequence[tuple[Any, float]], decision: NDArray[np.float64], text: str
) -> Parts:
    """Return the difference between the decision values and the listed contributions.

    Parameters
    ----------
    parts : list of list of Contribution
        The listed contributions.
    intercepts : list of (output, float)
        The intercept of each output.
    decision : ndarray of shape (n_rows, n_outputs)
        Decision values.
    text : str
        The text of the remainder.

    Returns
    -------
    list of list of Contribution
        One list for each row, empty if the difference is due to rounding.
    """
    left: Parts = []
    for of_row, values in zip(parts, decision.tolist(), strict=True):
        row = []
        for (output, intercept), total in zip(intercepts, values, strict=True):
            listed = [part.value for part in of_row if len(intercepts) == 1 or part.output == output]
            size = abs(intercept) + sum(map(abs, listed)) + abs(total)
            rest = total - intercept - sum(listed)
            if abs(rest) > 1e-12 * size:
                row.append(Contribution(text, rest, "remainder", output))
        left.append(row)
    return left


def concatenate_rows(*sources: Parts) -> Parts:
    """Concatenate the contributions of several kinds of terms, row by row.

    Parameters
    ----------
    *sources : list of list of Contribution
        Lists of contributions, one for each row.

    Returns
    -------
    list of list of Contribution
        One list for each row.
    """
    return [[part for source in rows for part in source] for rows in zip(*sources, strict=True)]


def _equals(name: str, value: float) -> str:
    return f"{quote_name(name)} = {format_value(value)}"
