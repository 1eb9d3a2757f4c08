"""Reading of tables: arrays, pandas, polars, pyarrow, sparse matrices.

A table is read once, column by column, into what the core takes. Nothing is imputed
and nothing is scaled; columns of float64 are not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fit_warnings import warn
from ..formatting.text import refuse_surrogates
from .budget import Budget, running_budget
from .categories import distinct_cells, to_categorical
from .category_orders import warn_of_orders
from .columns import (
    CategoricalColumn,
    Column,
    Level,
    NumericColumn,
    categorical_mask,
    object_kind,
)
from .extract import FitBytes, RawColumn, extract
from .frames import column_names
from .numbers_in_text import (
    ADVICE_ON_NEW_TEXT,
    ADVICE_ON_TEXT,
    ADVICE_ON_UNLISTED_TEXT,
    LIMIT_ADVICE,
    limit_among_numbers,
)
from .numeric import to_numeric
from .schema import Schema, UsedColumns, check_names
from .whole_numbers import warn_of_rounding


@dataclass(frozen=True)
class Table:
    """Checked columns.

    Parameters
    ----------
    columns : list of column
        As float64 arrays, or (codes, levels) pairs.
    names : list of str
        A name for each column, ``x0, x1, ...`` where the user gave none.
    feature_names : ndarray of str or None
        The names given by the user, None if there are none.
    n_rows : int
        Number of rows.
    """

    columns: list[Column]
    names: list[str]
    feature_names: NDArray[np.object_] | None
    n_rows: int


def read(
    X: Any,
    *,
    categorical: Any = "from_dtype",
    budget: Budget | None = None,
    fit_bytes: FitBytes | None = None,
    excluded: Callable[[Sequence[str]], Collection[int]] | None = None,
) -> Table:
    """Read a training table.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        NumPy arrays, lists, pandas, polars and pyarrow frames, scipy.sparse matrices
        (made dense). NaN, None and NA are missing.
    categorical : {"from_dtype"}, list of names or positions, mask or None, default="from_dtype"
        The categorical columns. "from_dtype": columns of text, booleans and categorical dtypes.
    budget : Budget, optional
        What the fit may take; by default a sparse matrix may take 4 GiB when dense, and all else
        has no limit.
    fit_bytes : callable, optional
        Gives the memory that the fit takes for numbers of rows and columns, beside what is read.
    excluded : callable, optional
        Gives, for the names of all columns, the positions of those whose cells are not read.

    Returns
    -------
    Table
        The checked columns; excluded ones have no values.

    Raises
    ------
    TypeError
        If a column mixes text and numbers, holds dates or another object.
    ValueError
        If the table is empty, not two-dimensional, has an infinite value or a text with an unpaired
        surrogate, or `categorical` names a column that does not exist.
    MemoryError
        If the table does not fit into the limit.
    TimeoutError
        If the time is over before all columns are read.

    Examples
    --------
    >>> read([[1.0, 2.0], [3.0, float("nan")]]).names
    ['x0', 'x1']
    """
    budget = budget or Budget()
    raw = extract(X, budget, fit_bytes, dense_limit=budget.memory_limit)
    names = _default_names(raw.feature_names, raw.n_columns)
    chosen = categorical_mask(categorical, names)
    advice = ADVICE_ON_TEXT if categorical is None else ADVICE_ON_UNLISTED_TEXT
    spared = () if excluded is None else excluded(names)
    nothing = np.full(raw.n_rows if spared else 0, np.nan)
    columns: list[Column] = []
    ordered: list[str] = []
    for place, (column, name, kind) in enumerate(zip(raw.columns, names, chosen, strict=True)):
        if place in spared:
            columns.append(nothing)
            continue
        budget.progress = f"after {place} of {raw.n_columns} columns of X had been read"
        budget.check_time(budget.progress)
        columns.append(_training_column(column, name, kind, budget, advice))
        if column.is_ordered and kind is None:
            ordered.append(name)
    budget.progress = ""
    warn_of_orders(ordered)
    refuse_surrogates_in(names, columns)
    return Table(columns, names, raw.feature_names, raw.n_rows)


def read_like(
    X: Any,
    schema: Schema,
    owner: str,
    memory_limit: float | None = None,
    used: UsedColumns | None = None,
    spared: Collection[int] = (),
) -> Table:
    """Read a table with the schema of the training table.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    schema : Schema
        The schema of the training table.
    owner : str
        The estimator's class name, for messages.
    memory_limit : float, optional
        Bytes a sparse matrix may take when dense; 4 GiB by default.
    used : callable, optional
        Gives the positions of the columns that a frame with names cannot lack; by default
        it can lack none.
    spared : collection of int, default=()
        The positions of columns that training did not read, and whose cells are not read.

    Returns
    -------
    Table
        The checked columns; levels that the model knows come first. Columns that the frame
        lacks are zeros, or missing categories; those that are spared have no values.

    Raises
    ------
    ValueError
        If the number, the names or the order of the columns differ.
    TypeError
        If a column has another type than in training.
    """
    budget = running_budget()
    raw, n_columns, feature_names, n_rows = extract(X, budget, dense_limit=memory_limit)
    check_names(feature_names, schema, owner, used)
    by_name = feature_names is not None and schema.named
    if not by_name and n_columns != len(schema.names):
        raise ValueError(
            f"X has {n_columns} features, but {owner} is expecting {len(schema.names)} features as input."
        )
    found_columns = iter(raw)
    names = set(schema.names if feature_names is None or not by_name else feature_names)
    columns: list[Column] = []
    for place, (name, levels) in enumerate(zip(schema.names, schema.levels, strict=True)):
        found = next(found_columns) if name in names else None
        if place in spared and levels is None:
            columns.append(np.full(n_rows, np.nan))
            continue
        if found is None:
            columns.append(_unused_column(levels, n_rows))
            continue
        columns.append(
            _numeric(found, name, budget, ADVICE_ON_NEW_TEXT)
            if levels is None
            else _categorical(found, name, levels, budget)
        )
    return Table(columns, list(schema.names), feature_names, n_rows)


def read_no_rows(X: Any, schema: Schema, owner: str, used: UsedColumns | None = None) -> Table:
    """Read a table without rows.

    Parameters
    ----------
    X : array or frame of shape (0, n_features)
        The table.
    schema : Schema
        The schema of the training table.
    owner : str
        The estimator's class name, for messages.
    used : callable, optional
        As in :func:`read_like`.

    Returns
    -------
    Table
        Empty columns.

    Raises
    ------
    ValueError
        If the number or the names of the columns differ.

    Examples
    --------
    >>> read_no_rows(np.empty((0, 1)), Schema(["a"], [None], False), "Model").n_rows
    0
    """
    listed = column_names(X)
    names = None if listed is None else np.asarray(listed, dtype=object)
    check_names(names, schema, owner, used)
    shape: tuple[Any, ...] = getattr(X, "shape", ())
    if (names is None or not schema.named) and len(shape) > 1 and shape[1] != len(schema.names):
        raise ValueError(
            f"X has {shape[1]} features, but {owner} is expecting {len(schema.names)} features as input."
        )
    return Table([_unused_column(levels, 0) for levels in schema.levels], list(schema.names), names, 0)


def _unused_column(levels: list[Level] | None, n_rows: int) -> Column:
    if levels is None:
        return np.zeros(n_rows)
    return np.full(n_rows, -1, dtype=np.int32), levels


def _training_column(
    raw: RawColumn, name: str, categorical: bool | None, budget: Budget, advice: str
) -> Column:
    """Convert one column; with `categorical` None the dtype decides its kind."""
    is_chosen = categorical is not None
    if categorical is None:
        kind = object_kind(raw.batches(budget), name) if raw.kind == "object" else raw.kind
        categorical = kind == "categorical"
        is_chosen = raw.order is not None
    if categorical:
        budget.hold(4 * raw.n_rows, f"the codes of column '{name}'")
        column = _categorical(raw, name, raw.order, budget)
        if not is_chosen:
            warn_of_limits(column, name)
        return column
    numbers = _numeric(raw, name, budget, advice)
    warn_of_rounding(name, numbers, lambda: raw.cells(slice(None)))
    return numbers


def warn_of_limits(column: CategoricalColumn, name: str) -> None:
    """Warn of a column that is text because of limits among its numbers.

    Parameters
    ----------
    column : (codes, levels)
        A categorical column whose dtype made it one.
    name : str
        Its name.

    Warns
    -----
    UserWarning
        If its texts are numbers and limits such as ``">6"``.
    """
    codes, levels = column
    place = limit_among_numbers(levels)
    if place is None:
        return
    rows = np.flatnonzero(codes == place)
    warn(
        f"column {name!r} holds numbers as text, because of {levels[place]!r} in row {rows[0]}, and becomes "
        f"categories: {LIMIT_ADVICE}. If categories are meant, name the column in categorical_features",
        UserWarning,
    )


def _numeric(raw: RawColumn, name: str, budget: Budget, advice: str) -> NumericColumn:
    if raw.kind != "numeric":
        budget.hold(8 * raw.n_rows, f"the numbers of column '{name}'")
        return to_numeric(raw.batches(budget), name, raw.n_rows, advice=advice)
    values = raw.cells(slice(None))
    if values.dtype != np.float64:
        budget.hold(8 * raw.n_rows, f"the numbers of column '{name}'")
    return to_numeric([values], name, raw.n_rows, is_finite=raw.is_finite)


def _categorical(
    raw: RawColumn, name: str, order: Sequence[Level] | None, budget: Budget
) -> CategoricalColumn:
    coded = distinct_cells(raw.batches(budget), name) if raw.coded is None else raw.coded()
    return to_categorical(coded, name, order)


def refuse_surrogates_in(names: Sequence[str], columns: Sequence[Any]) -> None:
    """Raise an error for names and categories that are no valid text.

    Parameters
    ----------
    names : sequence of str
        The columns' names.
    columns : sequence
        The columns; categorical ones are pairs (codes, levels).

    Raises
    ------
    ValueError
        If one holds an unpaired surrogate.
    """
    for name, column in zip(names, columns, strict=True):
        refuse_surrogates(name, "the name of a column")
        for level in column[1] if isinstance(column, tuple) else ():
            if isinstance(level, str):
                refuse_surrogates(level, f"column '{name}'")


def _default_names(feature_names: NDArray[np.object_] | None, n: int) -> list[str]:
    return [f"x{j}" for j in range(n)] if feature_names is None else [str(name) for name in feature_names]
