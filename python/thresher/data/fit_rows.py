"""Whether rows can be those of a fit, and what of them a fit does not see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..formatting.text import format_names, pluralize
from .alignment import to_array
from .coded_tables import CodedTable
from .columns import CategoricalColumn
from .inputs import Table
from .label_codes import UnseenLabels
from .schema import Schema

_Rows = TypeVar("_Rows", Table, CodedTable)
_WEIGHTS: ContextVar[Any] = ContextVar("weights of the rows that are read", default=None)


def without_unused_categories(inputs: _Rows, weights: NDArray[np.float64] | None) -> _Rows:
    """Leave out categories that no row of weight above 0 has; rows that have them get those of another row.

    Parameters
    ----------
    inputs : Table or CodedTable
        The rows of a fit.
    weights : ndarray of shape (n_rows,) or None
        Their weights.

    Returns
    -------
    Table or CodedTable
        The rows, with the categories that a fit sees.
    """
    counted = np.ones(inputs.n_rows, dtype=np.bool_) if weights is None else weights > 0
    columns = [_of_counted(own, counted) if isinstance(own, tuple) else own for own in inputs.columns]
    return replace(inputs, columns=columns)


def _of_counted(column: CategoricalColumn, counted: NDArray[np.bool_]) -> CategoricalColumn:
    codes, levels = column
    is_used = np.zeros(len(levels) + 1, dtype=np.bool_)  # the last entry, of code -1: missing
    is_used[codes[counted]] = True
    if is_used.all():
        return column
    fresh = np.where(is_used, np.cumsum(is_used) - 1, -1).astype(np.int32)
    fresh[-1] = -1
    fresh[~is_used] = fresh[codes[np.argmax(counted)]]
    return fresh[codes], [level for level, own in zip(levels, is_used[:-1].tolist(), strict=True) if own]


@contextmanager
def rows_of_weight(weights: Any) -> Iterator[None]:
    """Let rows of weight 0 have categories that the model does not know, while its rows are read within.

    Parameters
    ----------
    weights : array-like of shape (n_rows,), callable or None
        The weights of the rows that are read, checked by the caller, or what returns those of a batch.

    Yields
    ------
    None
        In the block, tables of so many rows are read with :func:`with_known_categories`.
    """
    token = _WEIGHTS.set(weights)
    try:
        yield
    finally:
        _WEIGHTS.reset(token)


def with_known_categories(table: Table, schema: Schema) -> Table:
    """Give rows of weight 0, whose own categories a model does not know, those of another row.

    Parameters
    ----------
    table : Table
        Rows for the model; levels that it knows come first in their columns.
    schema : Schema
        The schema of its training table.

    Returns
    -------
    Table
        The rows; the same table outside of :func:`rows_of_weight`.
    """
    counted = _counted()
    if counted is None or counted.shape != (table.n_rows,) or counted.all():
        return table
    columns = list(table.columns)
    for place, (column, known) in enumerate(zip(table.columns, schema.levels, strict=True)):
        if isinstance(column, tuple) and known is not None:
            codes, levels = column
            is_known = codes < len(known)
            other = codes[np.argmax(counted & is_known)]
            columns[place] = np.where(counted | is_known, codes, other), levels
    return replace(table, columns=columns)


def _counted() -> NDArray[np.bool_] | None:
    """Return which rows have weight; None where that is not known."""
    given = _WEIGHTS.get()
    weights = given() if callable(given) else given
    if weights is None or isinstance(weights, str):
        return None
    with suppress(TypeError, ValueError):
        return np.asarray(np.asarray(to_array(weights), dtype=np.float64) > 0)
    return None


def refuse_new_cells(inputs: Any, features: Sequence[Any], weights: NDArray[np.float64] | None) -> None:
    """Raise an error for missing values and categories that the rows of a fit did not have.

    Parameters
    ----------
    inputs : Table, CodedTable or other
        The rows; those without columns are not looked at.
    features : sequence
        The model's features: mappings with ``missing``, which says whether the column had missing values, or
        what says nothing of them.
    weights : ndarray of shape (n_rows,) or None
        The weights of the rows; those of weight 0 are no part of a fit.

    Raises
    ------
    CertificateError
        If there is such a value.
    """
    names, columns = (inputs.names, inputs.columns) if isinstance(inputs, (Table, CodedTable)) else ((), ())
    for name, column, feature in zip(names, columns, features, strict=False):
        if not isinstance(feature, Mapping):
            continue
        levels = feature.get("levels")
        if isinstance(column, tuple) and levels is not None:
            is_new = column[0] >= len(levels)
            _refuse(f"column '{name}' holds a category other than {format_names(levels)}", is_new, weights)
        if feature.get("missing") is False:
            found = f"column '{name}' has no value{', or an unknown category,' * isinstance(column, tuple)}"
            _refuse(found, _is_missing(column, inputs.n_rows), weights, ", and in the fit every row had one")


def refuse_new_labels(unseen: UnseenLabels | None, weights: NDArray[np.float64] | None) -> None:
    """Raise an error for items or events that the records of a fit did not have: patterns may hold them.

    Parameters
    ----------
    unseen : UnseenLabels or None
        The records with labels that are not in the model's vocabulary.
    weights : ndarray of shape (n_records,) or None
        The weights of the records; those of weight 0 are no part of a fit.

    Raises
    ------
    CertificateError
        If there is such a label.
    """
    if unseen is not None and unseen.labels:
        found = f"there are {unseen.noun} that the model does not know, such as {unseen.labels[0]!r},"
        _refuse(found, unseen.holds.sum(axis=1) > 0, weights)


def _is_missing(column: Any, n_rows: int) -> NDArray[np.bool_]:
    if isinstance(column, tuple):
        return np.asarray(column[0] < 0)
    return np.isnan(column if isinstance(column, np.ndarray) else column.take(np.arange(n_rows)))


def _refuse(
    found: str, is_new: NDArray[np.bool_], weights: NDArray[np.float64] | None, in_the_fit: str = ""
) -> None:
    rows = np.flatnonzero(is_new if weights is None else is_new & (weights > 0))
    if rows.size:
        further = f" and {pluralize(rows.size - 1, 'further row')}" if rows.size > 1 else ""
        where = f"{found} in row {rows[0]}{further}{in_the_fit}"
        raise _native.CertificateError(f"certificate refused: {where}; these are not the data of the fit")
