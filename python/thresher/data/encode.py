"""Conversion of tables and sparse matrices to the columns of a factorization machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import _native
from ..fit_warnings import warn
from ..formatting.text import format_level
from .budget import Budget
from .columns import Column
from .compressed import Compressed, compress, compress_like
from .id_numbers import warn_of_ids
from .inputs import Table, read, read_like
from .row_blocks import in_row_blocks
from .schema import Schema, UsedColumns
from .unknown_categories import apply_handle_unknown, one_warning_for_all_batches

_BYTES_OF_A_CELL = 8
"""The least memory for each cell of a table: as given; later copies do not store zeros."""
_BYTES_OF_AN_ENTRY = 48
"""The least memory for each entry of a sparse matrix: four copies of a row number and a value."""


@dataclass(frozen=True)
class Encoded:
    """The training columns.

    Parameters
    ----------
    data : thresher._native.FmData
        The columns.
    n_rows : int
        Number of rows.
    named : bool
        Whether the user named the columns.
    """

    data: _native.FmData
    n_rows: int
    named: bool


def read_rows(X: Any, categorical: Any, budget: Budget) -> Table | Compressed:
    """Read a training table.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The table; a sparse matrix is not made dense.
    categorical : object
        The categorical columns, as in :func:`thresher.data.inputs.read`.
    budget : Budget
        What the fit may take.

    Returns
    -------
    Table or Compressed
        The checked columns.

    Raises
    ------
    TypeError, ValueError
        If a column has an unsupported type.
    MemoryError, TimeoutError
        If the table does not fit into the limits.
    """
    if sparse.issparse(X):
        if categorical is not None and not (isinstance(categorical, str) and categorical == "from_dtype"):
            raise ValueError(
                "categorical_features: a sparse matrix holds numbers; give 'from_dtype' or None, or a frame"
            )
        return compress(X, budget, _BYTES_OF_AN_ENTRY)
    table = read(X, categorical=categorical, budget=budget, fit_bytes=lambda n, d: n * d * _BYTES_OF_A_CELL)
    warn_of_ids(table, categorical)
    n_entries = sum(_n_entries(column) for column in table.columns)
    copied = _BYTES_OF_A_CELL * table.n_rows * len(table.names)
    what = f"a fit of {table.n_rows} rows with {n_entries} cells that are not 0"
    budget.require(copied + _BYTES_OF_AN_ENTRY * n_entries, what)
    return table


def encode(rows: Table | Compressed) -> Encoded:
    """Convert training rows to the columns of a machine.

    Parameters
    ----------
    rows : Table or Compressed
        The rows.

    Returns
    -------
    Encoded
        The columns.
    """
    if isinstance(rows, Compressed):
        data = _native.FmData.of_sparse(rows.n_rows, rows.starts, rows.rows, rows.values, rows.names)
    else:
        data = _native.FmData.of_table(rows.columns, rows.names, rows.n_rows)
    return Encoded(data, rows.n_rows, rows.feature_names is not None)


def _n_entries(column: Column) -> int:
    """Return the number of entries of a column in sparse form; a category is the entry 1 of its level."""
    return int(column[0].size if isinstance(column, tuple) else np.count_nonzero(column))


def encode_like(X: Any, schema: Schema, owner: str) -> Encoded:
    """Read a further batch of training rows.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    schema : Schema
        The schema of the first batch.
    owner : str
        The estimator's class name, for messages.

    Returns
    -------
    Encoded
        The columns; levels unknown to the model are missing, with a warning.

    Raises
    ------
    TypeError, ValueError
        If the columns differ.
    """
    if sparse.issparse(X):
        found = compress_like(X, schema, owner)
        data = _native.FmData.of_sparse(found.n_rows, found.starts, found.rows, found.values, schema.names)
        return Encoded(data, found.n_rows, schema.named)
    table = read_like(X, schema, owner)
    with one_warning_for_all_batches() as said:
        known = apply_handle_unknown(table, schema, "missing", range(len(schema.names)))
    _warn_of_new_levels(table, schema, said.names)
    table = known
    data = _native.FmData.of_table(table.columns, table.names, table.n_rows)
    return Encoded(data, table.n_rows, schema.named)


def _warn_of_new_levels(table: Table, schema: Schema, exclude: Collection[str]) -> None:
    """Warn of levels that the first batch did not have, but for some columns: nothing is learnt of them."""
    found, n_rows = [], np.zeros(table.n_rows, dtype=bool)
    for name, column, known in zip(table.names, table.columns, schema.levels, strict=True):
        if name in exclude or not isinstance(column, tuple) or known is None:
            continue
        if (is_new := column[0] >= len(known)).any():
            codes, n_rows = np.unique(column[0][is_new]), n_rows | is_new
            found.append(f"{codes.size:,} of {name!r}, such as {column[1][int(codes[0])]!r}")
    if found:
        warn(
            f"X: {n_rows.sum():,} of {table.n_rows:,} rows of the batch have categories that the first batch "
            f"did not have ({'; '.join(found)}). They count as missing, and are never learnt: declare all "
            "categories of a column in the first batch, as a pandas.Categorical does, or map "
            "them to a fixed number of codes",
            UserWarning,
        )


def encode_rows(X: Any, schema: Schema, owner: str, used: UsedColumns) -> sparse.csr_array[Any]:
    """Return the encoded columns, one for each row of the factors.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    schema : Schema
        The model's columns.
    owner : str
        The estimator's class name, for messages.
    used : callable
        Gives the positions of the columns that a frame with names cannot lack.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_rows, n_columns)
        Numeric columns unchanged; categories as one 0/1 column for each known level.

    Raises
    ------
    TypeError, ValueError
        If the columns differ from training.
    """
    if sparse.issparse(X):
        compress_like(X, schema, owner)
        found: Any = X
        rows: sparse.csr_array[Any] = sparse.csr_array(found.astype(np.float64))
        return rows
    table = read_like(X, schema, owner, used=used)
    blocks: list[NDArray[np.float64]] = []
    for column, levels in zip(table.columns, schema.levels, strict=True):
        if isinstance(column, tuple) and levels is not None:
            blocks.append((column[0][:, None] == np.arange(len(levels))).astype(np.float64))
        else:
            blocks.append(np.asarray(column, dtype=np.float64)[:, None])
    stacked: Any = np.hstack(blocks)
    return sparse.csr_array(stacked)


def less_centers(rows: sparse.csr_array[Any], centers: Mapping[int, float]) -> sparse.csr_array[Any]:
    """Subtract numbers from columns.

    Parameters
    ----------
    rows : scipy.sparse.csr_array of shape (n_rows, n_columns)
        The rows.
    centers : mapping of int to float
        What to subtract, by columns.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_rows, n_columns)
        The rows, without the values that are 0.

    Examples
    --------
    >>> less_centers(sparse.csr_array([[5.0, 1.0], [0.0, 0.0]]), {0: 4.0}).toarray().tolist()
    [[1.0, 1.0], [-4.0, 0.0]]
    """
    less = np.zeros((1, rows.shape[1]))
    less[0, list(centers)] = list(centers.values())
    found: sparse.csr_array[Any] = rows - sparse.csr_array(np.ones((rows.shape[0], 1))) @ sparse.csr_array(
        less
    )
    return found


def decide(
    model: _native.FmModel, X: Any, schema: Schema, owner: str, points: list[int], used: UsedColumns
) -> Any:
    """Compute decision values.

    Parameters
    ----------
    model : thresher._native.FmModel
        The model.
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    schema : Schema
        The model's columns.
    owner : str
        The estimator's class name, for messages.
    points : list of int
        The selected point of each output.
    used : callable
        Gives the positions of the columns that a frame with names cannot lack.

    Returns
    -------
    ndarray of shape (n_rows, n_outputs)
        Decision values.

    Raises
    ------
    TypeError, ValueError
        If the columns differ from training.
    """
    if sparse.issparse(X):
        found = compress_like(X, schema, owner)
        return model.decision_sparse(found.n_rows, found.starts, found.rows, found.values, points)
    table = read_like(X, schema, owner, used=used)
    return in_row_blocks(table.columns, lambda block: model.decision(block, points))


def refuse_unknown(X: Any, schema: Schema, owner: str, handle: str, used: UsedColumns) -> None:
    """Raise an error or warn for unknown categories; their contribution is 0.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    schema : Schema
        The model's columns.
    owner : str
        The estimator's class name, for messages.
    handle : {"error", "missing", "warn"}
        How to treat unknown categories.
    used : callable
        Gives the positions of the columns that a frame with names cannot lack.

    Raises
    ------
    ValueError
        If `handle` is "error" and there is an unknown category.
    """
    if sparse.issparse(X):
        return
    apply_handle_unknown(read_like(X, schema, owner, used=used), schema, handle, used())


def schema_of(payload: Mapping[str, Any], named: bool) -> Schema:
    """Return the schema that a model expects.

    Parameters
    ----------
    payload : mapping
        The model's document.
    named : bool
        Whether the user named the columns.

    Returns
    -------
    Schema
        The columns.
    """
    features = payload["features"]
    return Schema([f["name"] for f in features], [f["levels"] for f in features], named)


def column_names(payload: Mapping[str, Any]) -> list[str]:
    """Return the names of the encoded columns.

    Parameters
    ----------
    payload : mapping
        The model's document.

    Returns
    -------
    list of str
        The names of numeric columns, and ``column=level`` for categories.

    Examples
    --------
    >>> column_names({"features": [{"name": "age", "levels": None}, {"name": "sex", "levels": ["f", "m"]}]})
    ['age', 'sex=f', 'sex=m']
    """
    names: list[str] = []
    for feature in payload["features"]:
        if feature["levels"] is None:
            names.append(feature["name"])
        else:
            names.extend(f"{feature['name']}={format_level(level)}" for level in feature["levels"])
    return names
