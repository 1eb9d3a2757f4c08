"""Item-sets as the rows of a matrix: 0/1 arrays, frames of one column an item, sparse matrices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from ..formatting.text import refuse_surrogates
from .budget import Budget
from .extract import numeric_block
from .frames import names_of, refuse_duplicate_names, text_names
from .item_cells import CellCheck
from .masked_arrays import fill_masked
from .misplaced_frames import ITEMS, advice_on
from .numeric import to_numeric

_BLOCK_CELLS = 2**20
"""Cells of an array that are searched at once: a bit mask of one MiB and the positions of the items."""


@dataclass(frozen=True)
class ItemMatrix:
    """The items of each row.

    Parameters
    ----------
    starts : ndarray of shape (n_rows + 1,), dtype int64
        Where the items of each row begin in `items`.
    items : ndarray, dtype int64
        Columns that are not 0, row by row, ascending within a row.
    n_columns : int
        Number of columns.
    names : ndarray of str or None
        The columns' names as texts, where the user gave some.
    cells : CellCheck
        What was found in the cells.
    """

    starts: NDArray[np.int64]
    items: NDArray[np.int64]
    n_columns: int
    names: NDArray[np.object_] | None
    cells: CellCheck

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.starts.size - 1

    def spread(self, present: NDArray[np.bool_]) -> ItemMatrix:
        """Add empty columns.

        Parameters
        ----------
        present : ndarray of bool
            For each column of the result whether it is a column of this matrix.

        Returns
        -------
        ItemMatrix
            The matrix with `names` as they were.
        """
        return ItemMatrix(
            self.starts, np.flatnonzero(present)[self.items], present.size, self.names, self.cells
        )


CheckSize = Callable[[int, int], None]
"""Refuses numbers of rows and of items that are too large for the memory."""


def is_matrix(X: Any) -> bool:
    """Return whether records are the rows of a matrix rather than sets of items.

    Parameters
    ----------
    X : object
        The records.

    Returns
    -------
    bool
        True for arrays of two dimensions, frames, sparse matrices, and lists of equally
        long lists of floats.

    Examples
    --------
    >>> is_matrix([[0.0, 1.0], [1.0, 1.0]]), is_matrix([[1, 2], [3]]), is_matrix([{"a"}])
    (True, False, False)
    """
    if sparse.issparse(X) or (isinstance(X, np.ndarray) and not (X.ndim == 1 and X.dtype == object)):
        return True
    if isinstance(X, (list, tuple)):
        lists = all(isinstance(row, list) and row and len(row) == len(X[0]) for row in X)
        return bool(X) and lists and all(isinstance(cell, float) for row in X for cell in row)
    return (hasattr(X, "__array__") or hasattr(X, "columns")) and getattr(X, "ndim", 2) != 1


def read_item_matrix(X: Any, owner: str, budget: Budget, check_size: CheckSize) -> ItemMatrix:
    """Find the cells of a matrix that are not 0; it is neither copied nor made dense.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        Numbers or booleans.
    owner : str
        The estimator's class name, for messages.
    budget : Budget
        What the fit may take.
    check_size : callable
        Called with the numbers of rows and items once they are known, before they are stored.

    Returns
    -------
    ItemMatrix
        The items of each row.

    Raises
    ------
    TypeError
        If a column holds text or another object.
    ValueError
        If a cell is missing, infinite or negative, the matrix is empty, or two columns share a name.
    MemoryError, TimeoutError
        If it does not fit into the limits.
    """
    if sparse.issparse(X):
        return _of_sparse(X, owner, check_size)
    if not hasattr(X, "columns") or isinstance(X, np.ndarray):
        return _of_array(_checked(fill_masked(X), owner), None, budget, check_size)
    names = _names(X)
    block = numeric_block(X)
    if block is None and len(X) and X.shape[1]:
        try:
            return _of_columns(nw.from_native(X, eager_only=True), names, budget, check_size)
        except TypeError as error:
            found = str(error).partition(";")[0]
            raise TypeError(
                f"{found}; an item's column holds 0 and 1, or booleans: {advice_on(X, ITEMS)}"
            ) from None
    if block is None:
        block = np.zeros(X.shape)
    return _of_array(_checked(block, owner), names, budget, check_size)


def _checked(X: Any, owner: str, **options: Any) -> Any:
    """Check shape and type; values are checked with the names of their columns."""
    try:
        return check_array(X, estimator=owner, input_name="X", ensure_all_finite=False, **options)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise TypeError(
            f"X is an array that holds text ({error}); an item's column holds 0 and 1, or booleans. Give a "
            "list of sets of items, or for categories one column a category (pandas.get_dummies)"
        ) from None


def _names(X: Any) -> NDArray[np.object_] | None:
    """Return the names of a frame's columns as texts; None if they are numbers from 0, as without names."""
    refuse_duplicate_names(X)
    names = text_names(names_of(X))
    for name in names or ():
        refuse_surrogates(name, "the name of a column")
    return None if names is None else np.asarray(names, dtype=object)


def _of_sparse(X: Any, owner: str, check_size: CheckSize) -> ItemMatrix:
    if X.ndim == 2:
        check_size(X.shape[0], X.nnz)
    rows = _checked(X, owner, accept_sparse="csr")
    if not rows.has_canonical_format:
        rows = rows.copy()  # the user's matrix stays as it is
        rows.sum_duplicates()
    starts, items = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    cells = CellCheck()
    cells.check(rows.data, lambda k: (int(np.searchsorted(starts, k, "right")) - 1, f"x{items[k]}"))
    is_item = rows.data != 0
    if not is_item.all():
        starts, items = np.concatenate([[0], np.cumsum(is_item, dtype=np.int64)])[starts], items[is_item]
    return ItemMatrix(starts, items, rows.shape[1], None, cells)


def _of_array(
    array: NDArray[Any], names: NDArray[np.object_] | None, budget: Budget, check_size: CheckSize
) -> ItemMatrix:
    n_columns, cells = array.shape[1], CellCheck()
    height = max(1, _BLOCK_CELLS // n_columns)

    def blocks() -> Iterator[NDArray[Any]]:
        for start in budget.within_time(range(0, array.shape[0], height), "blocks of rows", 1):
            yield array[start : start + height]

    def place(first: int, cell: int) -> tuple[int, Any]:
        row, column = divmod(cell, n_columns)
        return first + row, f"x{column}" if names is None else names[column]

    n_items = 0
    for number, block in enumerate(blocks()):
        cells.check(block, functools.partial(place, number * height))
        n_items += int(np.count_nonzero(block))
    check_size(array.shape[0], n_items)
    starts, items = np.zeros(array.shape[0] + 1, dtype=np.int64), np.empty(n_items, dtype=np.int64)
    row, first = 0, 0
    for block in blocks():
        rows, columns = np.nonzero(block)
        starts[row + 1 : row + 1 + block.shape[0]] = np.bincount(rows, minlength=block.shape[0])
        items[first : first + columns.size] = columns
        row, first = row + block.shape[0], first + columns.size
    return ItemMatrix(np.cumsum(starts), items, n_columns, names, cells)


def _of_columns(
    frame: nw.DataFrame[Any], names: NDArray[np.object_] | None, budget: Budget, check_size: CheckSize
) -> ItemMatrix:
    n_rows, n_columns = frame.shape
    check_size(n_rows, 0)
    rows: list[NDArray[np.int32]] = []
    n_items, cells = 0, CellCheck()
    columns = budget.within_time(frame.iter_columns(), "columns", parts_a_look=1)
    for column in columns:
        rows.append(_rows_of(column, cells).astype(np.int32))
        n_items += rows[-1].size
        try:
            check_size(n_rows, n_items)
        except MemoryError:  # say what all columns need
            rows.clear()
            check_size(n_rows, n_items + sum(_rows_of(other, cells).size for other in columns))
    starts = np.cumsum([0, *map(len, rows)])
    joined: NDArray[np.int32] = np.concatenate(rows)
    del rows
    by_column = sparse.csc_array((np.ones(joined.size, np.int8), joined, starts), shape=(n_rows, n_columns))
    by_row = by_column.tocsr()
    return ItemMatrix(
        by_row.indptr.astype(np.int64), by_row.indices.astype(np.int64), n_columns, names, cells
    )


def _rows_of(column: nw.Series[Any], check: CellCheck) -> NDArray[np.intp]:
    """Return the rows of a column that are not 0."""
    stored = getattr(column.to_native(), "array", None)
    if hasattr(stored, "sp_index"):
        return _rows_of_sparse(stored, column.name, check)
    if column.dtype == nw.Object:
        cells: NDArray[Any] = to_numeric(
            [np.asarray(column.to_list(), dtype=object)], column.name, len(column)
        )
    elif column.dtype.is_numeric() or column.dtype == nw.Boolean:
        if column.null_count():
            cells = np.where(column.is_null().to_numpy(), np.nan, 0.0)  # its first NaN is an error
        else:
            cells = column.to_numpy()
        cells = cells if cells.dtype.kind in "fiub" else np.asarray(cells, dtype=np.float64)
    else:
        raise TypeError(f"column '{column.name}' holds {column.dtype}")
    check.check(cells, lambda row: (row, column.name))
    return np.flatnonzero(cells)


def _rows_of_sparse(stored: Any, name: str, check: CellCheck) -> NDArray[np.intp]:
    """Return the rows of a pandas sparse array that are not 0."""
    values = np.asarray(stored.sp_values)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"column '{name}' holds {stored.dtype}")
    if stored.fill_value == 0:
        found: NDArray[np.intp] = stored.sp_index.indices
        check.check(values, lambda k: (int(found[k]), name))
        rows: NDArray[np.intp] = found[values != 0]
        return rows
    cells = np.asarray(stored)
    check.check(cells, lambda row: (row, name))
    return np.flatnonzero(cells)
