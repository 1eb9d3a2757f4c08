"""Extraction of columns from arrays, frames and sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from .columns import Level, category_levels, date_error
from .frames import Columns

DENSE_LIMIT = 4 * 2**30
"""The default limit on the bytes of a sparse matrix in dense form."""


@dataclass(frozen=True)
class RawColumn:
    """A column before conversion.

    Parameters
    ----------
    values : callable
        Returns the cells, an ndarray of shape (n_rows,).
    kind : {"numeric", "categorical", "object"}
        The kind by dtype; for "object" the cells decide.
    order : list of levels, optional
        The levels in the order of the dtype.
    """

    values: Callable[[], NDArray[Any]]
    kind: str  # "numeric", "categorical" or "object"
    order: list[Level] | None = None


def extract(X: Any, memory_limit: float | None) -> tuple[list[RawColumn], NDArray[np.object_] | None, int]:
    """Extract the columns of a table.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The table.
    memory_limit : float or None
        The most bytes of a sparse matrix in dense form; None: `DENSE_LIMIT`.

    Returns
    -------
    columns : list of RawColumn
        The columns in order.
    feature_names : ndarray of str or None
        The user's names if all of them are text.
    n_rows : int
        Number of rows, at least 1.

    Raises
    ------
    ValueError
        If `X` is empty, not two-dimensional, complex, or two columns share a name.
    TypeError
        If names are partly text, or cells are bytes, dates or lists.
    MemoryError
        If a sparse matrix does not fit into the limit.
    """
    if isinstance(X, Columns):
        return _from_columns(X)
    if sparse.issparse(X):
        return _from_array(_dense(X, memory_limit))
    if hasattr(type(X), "collect") and hasattr(type(X), "collect_schema"):
        raise TypeError("X is a lazy frame; call .collect() on it first")
    if hasattr(X, "columns") and not isinstance(X, np.ndarray):
        duplicates = _duplicates(X)
        if duplicates:
            raise ValueError(f"X has more than one column named {duplicates[0]!r}; names must differ")
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    return _from_array(X)


def _duplicates(X: Any) -> list[Any]:
    try:
        names = list(X.columns)
    except TypeError:  # not a frame
        return []
    return (
        [name for name in names if isinstance(name, str) and names.count(name) > 1]
        if len(names) < 10_000
        else []
    )


def _from_columns(X: Columns) -> tuple[list[RawColumn], NDArray[np.object_] | None, int]:
    _check_size(X.n_rows, len(X.names))
    raw = [RawColumn(lambda values=values: values, _array_kind(values)) for values in X.values]  # type: ignore[misc]
    return raw, np.asarray(X.names, dtype=object), X.n_rows


def _from_array(X: Any) -> tuple[list[RawColumn], None, int]:
    if not hasattr(X, "__array__") and not hasattr(X, "__array_interface__"):
        X = _list_to_array(X)
    array = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=1, ensure_min_features=1)
    if array.dtype.kind == "S":
        raise TypeError("X holds bytes; decode them to text, or convert them to numbers")
    kind = _array_kind(array)
    columns = [RawColumn(lambda j=j: array[:, j], kind) for j in range(array.shape[1])]  # type: ignore[misc]
    return columns, None, array.shape[0]


def _list_to_array(X: Any) -> Any:
    """Convert a nested list to an array; keep the cells' types, since NumPy converts numbers beside text."""
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array


def _array_kind(values: NDArray[Any]) -> str:
    return {"U": "categorical", "b": "categorical", "O": "object"}.get(values.dtype.kind, "numeric")


def _dense(X: Any, memory_limit: float | None) -> NDArray[Any]:
    if X.ndim != 2:
        raise ValueError("Expected 2D array, got a sparse array of another shape instead. Reshape your data.")
    limit = DENSE_LIMIT if memory_limit is None else memory_limit
    size = X.shape[0] * X.shape[1] * 8
    if size > limit:
        raise MemoryError(
            f"X is sparse with {X.shape[0]:,} x {X.shape[1]:,} cells and would take "
            f"{size / 2**30:,.1f} GiB dense; the limit is {limit / 2**30:,.1f} GiB. "
            "Select columns, or raise memory_limit"
        )
    return np.asarray(X.toarray(order="F"))


def _check_size(n_rows: int, n_columns: int) -> None:
    shape = f"(shape=({n_rows}, {n_columns}))"
    if n_rows < 1:
        raise ValueError(f"Found array with 0 sample(s) {shape} while a minimum of 1 is required.")
    if n_columns < 1:
        raise ValueError(f"Found array with 0 feature(s) {shape} while a minimum of 1 is required.")


def _from_frame(frame: nw.DataFrame[Any]) -> tuple[list[RawColumn], NDArray[np.object_] | None, int]:
    _check_size(*frame.shape)
    series = list(frame.iter_columns())
    given = [column.name for column in series]
    texts = [isinstance(name, str) for name in given]
    if any(texts) and not all(texts):
        raise TypeError("X has column names that are text and others that are not; make them all text")
    names = np.asarray(given, dtype=object) if all(texts) else None
    raw = [_raw_series(column, str(column.name)) for column in series]
    return raw, names, frame.shape[0]


def _raw_series(series: nw.Series[Any], name: str) -> RawColumn:
    dtype = series.dtype
    if dtype.is_numeric():
        return RawColumn(lambda: _numeric_series(series), "numeric")
    if dtype in (nw.Categorical, nw.Enum):
        return RawColumn(lambda: _objects(series), "categorical", _declared_levels(series, name))
    if dtype.is_temporal():
        raise date_error(name)
    if dtype in (nw.String, nw.Boolean):
        return RawColumn(lambda: _objects(series), "categorical")
    if str(series.dtype).startswith(("List", "Struct", "Array")):
        raise TypeError(
            f"column '{name}' holds {series.dtype}; an argument must be all strings or all numbers"
        )
    return RawColumn(lambda: _objects(series), "object")


def _numeric_series(series: nw.Series[Any]) -> NDArray[Any]:
    values = series.to_numpy()
    if values.dtype.kind not in "fiub" or series.null_count():
        values = series.cast(nw.Float64).to_numpy()
    if values.dtype.kind == "O":
        return np.asarray(
            [np.nan if v is None or v is not v or v != v else float(v) for v in series.to_list()]
        )
    return values


def _objects(series: nw.Series[Any]) -> NDArray[Any]:
    cells = series.to_list()
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return values


def _declared_levels(series: nw.Series[Any], name: str) -> list[Level] | None:
    """Read the categories in the dtype's order; None if the dtype has no order."""
    dtype = series.dtype
    if isinstance(dtype, nw.Enum):
        return category_levels(dtype.categories, name)
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        return category_levels(list(native.cat.categories), name)
    return None
