"""Extraction of columns from arrays, frames and sparse matrices, one after another and without copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from ..validation import LARGEST_WHOLE
from .budget import COLUMN_BYTES, Budget
from .categories import category_levels
from .category_orders import has_order
from .columns import Coded, Level, date_error, object_array
from .datasets import is_dataset
from .frames import Columns, refuse_duplicate_names, text_names
from .masked_arrays import fill_masked
from .other_forms import advice_on_batches, kind_of_batches, refuse_other_forms

DENSE_LIMIT = 4 * 2**30
"""The default limit on the bytes of a sparse matrix in dense form."""
_BATCH_ROWS = 2**15
"""Cells of text or objects between two looks at the clock: they take up to 0.05 seconds."""
_LIST_CELLS = 2**17
"""Cells of a list between two looks at the clock: NumPy takes some 100 nanoseconds for each."""
_BLOCK_CELLS = 2**20
"""Cells that are checked at once: a bit mask of one MiB."""


FitBytes = Callable[[int, int], int]
"""Gives the memory of a fit for numbers of rows and columns."""


@dataclass(frozen=True)
class RawColumn:
    """A column before conversion.

    Parameters
    ----------
    kind : {"numeric", "categorical", "object"}
        The kind by dtype; for "object" the cells decide.
    n_rows : int
        Number of rows.
    cells : callable
        Returns the cells of a slice of the rows, an ndarray.
    order : list of levels, optional
        The levels in the order of the dtype.
    coded : callable, optional
        Returns categories and codes of a categorical dtype, which stand for the cells.
    is_finite : bool, default=False
        Whether the cells are known to hold no infinity.
    is_ordered : bool, default=False
        Whether the dtype says that its categories have an order.
    """

    kind: str  # "numeric", "categorical" or "object"
    n_rows: int
    cells: Callable[[slice], NDArray[Any]]
    order: list[Level] | None = None
    coded: Callable[[], Coded] | None = None
    is_finite: bool = False
    is_ordered: bool = False

    def batches(self, budget: Budget) -> Iterator[NDArray[Any]]:
        """Return the cells, some rows after others.

        Parameters
        ----------
        budget : Budget
            Its clock is looked at before each batch.

        Yields
        ------
        ndarray
            The next cells.
        """
        for start in range(0, self.n_rows, _BATCH_ROWS):
            budget.check_time(f"after {start} of {self.n_rows} rows of a column")
            yield self.cells(slice(start, start + _BATCH_ROWS))


class RawTable(NamedTuple):
    """The columns of a table before conversion.

    Parameters
    ----------
    columns : iterator of RawColumn
        The columns in order.
    n_columns : int
        Their number.
    feature_names : ndarray of str or None
        The user's names as texts; None if there are none.
    n_rows : int
        Number of rows, at least 1.
    """

    columns: Iterator[RawColumn]
    n_columns: int
    feature_names: NDArray[np.object_] | None
    n_rows: int


def extract(
    X: Any, budget: Budget, fit_bytes: FitBytes | None = None, *, dense_limit: float | None = None
) -> RawTable:
    """Extract the columns of a table.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The table.
    budget : Budget
        What the fit may take; without limits where no fit reads.
    fit_bytes : callable, optional
        Gives the memory that the fit takes for numbers of rows and columns, beside what is read.
    dense_limit : float, optional
        Bytes that a sparse matrix may take in dense form, `DENSE_LIMIT` by default.

    Returns
    -------
    RawTable
        The columns, which are not converted before they are asked for.

    Raises
    ------
    ValueError
        If `X` is empty, not two-dimensional, complex, or two columns share a name.
    TypeError
        If names are partly text, or cells are bytes, dates or lists.
    MemoryError
        If the memory is too small for the table, or for a sparse matrix in dense form.
    """
    if sparse.issparse(X):
        _check_dense_size(X, DENSE_LIMIT if dense_limit is None else dense_limit)
    _reserve(X, budget, fit_bytes)
    if isinstance(X, Columns):
        return _from_columns(X)
    if sparse.issparse(X):
        matrix: Any = X
        budget.hold(8 * matrix.shape[0] * matrix.shape[1], "the sparse matrix in dense form")
        return _from_array(np.asarray(matrix.toarray(order="F")), budget)
    if is_dataset(X):
        raise TypeError(
            f"X is a {kind_of_batches(X)}, which is not one table in memory; rules and score cards read it "
            f"in batches in fit, predict, score and verify. Elsewhere read it first: {advice_on_batches(X)}"
        )
    if hasattr(X, "columns") and not isinstance(X, np.ndarray):
        refuse_duplicate_names(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame, budget)
    return _from_array(X, budget)


def _reserve(X: Any, budget: Budget, fit_bytes: FitBytes | None) -> None:
    """Refuse a table that is too large for the memory, judging by its shape."""
    shape = getattr(X, "shape", None)
    if shape is None and isinstance(X, (list, tuple)) and X and isinstance(X[0], (list, tuple)):
        shape = len(X), len(X[0])
    if isinstance(shape, tuple) and len(shape) == 2:
        n, d = shape
        further = 0 if fit_bytes is None else fit_bytes(n, d)
        budget.hold(d * COLUMN_BYTES, f"a fit of {n} rows and {d} columns", further)


def _from_columns(X: Columns) -> RawTable:
    _check_size(X.n_rows, len(X.names))
    raw = (
        RawColumn(_array_kind(values), X.n_rows, values.__getitem__, is_ordered=name in X.ordered)
        for name, values in zip(X.names, X.values, strict=True)
    )
    return RawTable(raw, len(X.names), np.asarray(X.names, dtype=object), X.n_rows)


def _from_array(X: Any, budget: Budget, names: NDArray[np.object_] | None = None) -> RawTable:
    refuse_other_forms(X)
    if np.ma.is_masked(X):
        budget.hold(X.nbytes, "the masked array with missing cells")
    X = fill_masked(X)
    if not hasattr(X, "__array__") and not hasattr(X, "__array_interface__"):
        X = _list_to_array(X, budget)
        budget.hold(X.nbytes, "the list as an array")
    array = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=1, ensure_min_features=1)
    if array.dtype.kind == "S":
        raise TypeError("X holds bytes; decode them to text, or convert them to numbers")
    kind, is_finite = _array_kind(array), _is_free_of_infinities(array, budget)
    n_rows, n_columns = array.shape
    columns = (
        RawColumn(kind, n_rows, array[:, j].__getitem__, is_finite=is_finite) for j in range(n_columns)
    )
    return RawTable(columns, n_columns, names, n_rows)


def _is_free_of_infinities(array: NDArray[Any], budget: Budget) -> bool:
    """Return whether an array of floats is known to be; by blocks of rows, which is fast for wide arrays."""
    if array.dtype.kind != "f" or not array.flags.c_contiguous:
        return array.dtype.kind in "iub"
    rows = max(1, _BLOCK_CELLS // array.shape[1])
    blocks = (array[start : start + rows] for start in range(0, array.shape[0], rows))
    return not any(np.isinf(block).any() for block in budget.within_time(blocks, "blocks of rows", 8))


def _list_to_array(X: Any, budget: Budget) -> NDArray[Any]:
    """Convert a nested list to an array; keep the cells' types, since NumPy converts numbers beside text."""
    if not isinstance(X, list) or len({len(row) if isinstance(row, (list, tuple)) else -1 for row in X}) != 1:
        array = np.asarray(X)
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    rows = max(1, _LIST_CELLS // max(1, len(X[0]) if isinstance(X[0], (list, tuple)) else 1))
    parts: list[NDArray[Any]] = []
    dtype: type | None = None
    for start in budget.within_time(range(0, len(X), rows), "blocks of rows", 1):
        parts.append(np.asarray(X[start : start + rows], dtype=dtype))
        if dtype is None and parts[-1].dtype.kind in "US":
            dtype = object
            parts = [np.asarray(X[: start + rows], dtype=dtype)]
    return np.concatenate(parts)


def _array_kind(values: NDArray[Any]) -> str:
    return {"U": "categorical", "b": "categorical", "O": "object"}.get(values.dtype.kind, "numeric")


def _check_dense_size(X: Any, limit: float) -> None:
    if X.ndim != 2:
        raise ValueError("Expected 2D array, got a sparse array of another shape instead. Reshape your data.")
    size = X.shape[0] * X.shape[1] * 8
    if size > limit:
        raise MemoryError(
            f"X is sparse with {X.shape[0]:,} x {X.shape[1]:,} cells and would take "
            f"{size / 2**30:,.1f} GiB dense; the limit is {limit / 2**30:,.1f} GiB. "
            "Select columns, or raise memory_limit"
        )


def _check_size(n_rows: int, n_columns: int) -> None:
    shape = f"(shape=({n_rows}, {n_columns}))"
    if n_rows < 1:
        raise ValueError(f"Found array with 0 sample(s) {shape} while a minimum of 1 is required.")
    if n_columns < 1:
        raise ValueError(f"Found array with 0 feature(s) {shape} while a minimum of 1 is required.")


def _from_frame(frame: nw.DataFrame[Any], budget: Budget) -> RawTable:
    _check_size(*frame.shape)
    given = text_names(frame.columns)
    names = None if given is None else np.asarray(given, dtype=object)
    block = numeric_block(frame.to_native())
    if block is not None:
        return _from_array(block, budget, names)
    series = zip(
        budget.within_time(frame.iter_columns(), "columns", 16), given or map(str, frame.columns), strict=True
    )
    return RawTable((_raw_series(s, name) for s, name in series), frame.shape[1], names, frame.shape[0])


def numeric_block(X: Any) -> NDArray[Any] | None:
    """Return the cells of a pandas frame that are stored together as numbers or booleans of one NumPy dtype.

    Parameters
    ----------
    X : object
        A frame.

    Returns
    -------
    ndarray of shape (n_rows, n_columns) or None
        A view; None for other frames.

    Examples
    --------
    >>> import pandas as pd
    >>> numeric_block(pd.DataFrame(np.array([[1, 3], [2, 4]]))).tolist()
    [[1, 3], [2, 4]]
    """
    if not nw.dependencies.is_pandas_dataframe(X) or not X.shape[1]:
        return None
    dtypes = set(X.dtypes)
    if len(dtypes) != 1 or not isinstance(dtype := dtypes.pop(), np.dtype) or dtype.kind not in "fiub":
        return None
    first, last = (X.iloc[:, j].to_numpy() for j in (0, -1))
    if first.base is None or first.base is not last.base:  # columns that are stored apart would be copied
        return None
    block: NDArray[Any] = X.to_numpy()
    return block


def _raw_series(series: nw.Series[Any], name: str) -> RawColumn:
    dtype, n_rows = series.dtype, len(series)
    if dtype.is_numeric() and not _needs_objects(series):
        return RawColumn("numeric", n_rows, lambda rows: _numeric_series(series)[rows])

    def objects(rows: slice) -> NDArray[Any]:
        return object_array(series[rows].to_list())

    if dtype in (nw.Categorical, nw.Enum):
        levels, coded = _declared_levels(series, name), _coded(series)
        return RawColumn("categorical", n_rows, objects, levels, coded, is_ordered=has_order(series))
    if dtype.is_temporal():
        return RawColumn("object", n_rows, _refusing(date_error(name)))
    if dtype in (nw.String, nw.Boolean):
        return RawColumn("categorical", n_rows, objects)
    if str(series.dtype).startswith(("List", "Struct", "Array")):
        part = "field" if str(series.dtype).startswith("Struct") else "entry"
        found = (
            f"column '{name}' holds {series.dtype}; a column must be all strings or all numbers: make a "
            f"column of each {part} that matters, or leave it out"
        )
        return RawColumn("object", n_rows, _refusing(TypeError(found)))
    return RawColumn("object", n_rows, objects)


def _needs_objects(series: nw.Series[Any]) -> bool:
    """Whether NumPy has no dtype of whole numbers: of 128 bits, or beyond 2^53 beside missing cells."""
    if series.dtype in (nw.Int128, nw.UInt128):
        return True
    if series.dtype not in (nw.Int64, nw.UInt64) or not series.null_count():
        return False
    extremes = (series.min(), series.max())
    return any(value is not None and abs(int(value)) > LARGEST_WHOLE for value in extremes)


def _refusing(error: Exception) -> Callable[[slice], NDArray[Any]]:
    """Return what raises an error in place of cells: nobody may ask for those of an excluded column."""

    def cells(rows: slice) -> NDArray[Any]:  # noqa: ARG001
        raise error

    return cells


def _coded(series: nw.Series[Any]) -> Callable[[], Coded] | None:
    """Return the categories and codes of a pandas series of categories."""
    native = series.to_native()
    if not hasattr(native, "cat") or not hasattr(native.cat, "codes"):
        return None
    return lambda: (list(native.cat.categories), native.cat.codes.to_numpy())


def _numeric_series(series: nw.Series[Any]) -> NDArray[Any]:
    if series.dtype.is_decimal():
        return exact_decimals(series)
    values = series.to_numpy()
    if values.dtype.kind != "f" and (values.dtype.kind not in "iub" or series.null_count()):
        values = series.cast(nw.Float64).to_numpy()
    if values.dtype.kind == "O":
        return np.asarray(
            [np.nan if v is None or v is not v or v != v else float(v) for v in series.to_list()]
        )
    return values


def exact_decimals(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Convert decimals to the nearest numbers, which Arrow's own conversion misses by a digit.

    Parameters
    ----------
    series : narwhals.Series
        Decimals.

    Returns
    -------
    ndarray of shape (n_rows,)
        The numbers, NaN where missing.
    """
    if series.implementation.is_polars():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    import pyarrow as pa

    texts = series.to_arrow().cast(pa.string())
    return np.asarray(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _declared_levels(series: nw.Series[Any], name: str) -> list[Level] | None:
    """Read the categories in the dtype's order; None if the dtype has no order."""
    dtype = series.dtype
    if isinstance(dtype, nw.Enum):
        return category_levels(dtype.categories, name)
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        return category_levels(list(native.cat.categories), name)
    return None
