"""The examination of a table and its target."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.category_orders import has_order
from ..data.columns import is_missing, object_array
from ..data.frames import Columns, refuse_duplicate_names
from ..data.masked_arrays import fill_masked
from ..data.numeric import to_float
from ..formatting.text import did_you_mean, pluralize
from ._column import RawColumn
from ._findings import ORDER, Examination
from ._leaks import leaks
from ._relations import copies, ids, of_target, repeated_rows, weights
from ._values import findings_of

_MAX_CLASSES = 20
_USELESS = ("refused", "identifier", "constant", "records")
"""Findings after which nothing else is said about a column."""


def examine(X: Any, y: Any = None) -> Examination:
    """Look at data before a fit for what would mislead a model, or be refused.

    It finds columns that number the rows or hold names, dates, numbers that stand for missing values
    (-9999), a number far from all others, numbers kept as text, constant columns, copies of columns,
    categories that are many or spelt in two ways, numbers of users and items, repeated rows, weights of
    rows, rare classes, and columns that give the target away.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_columns)
        The table; a frame of pandas, polars or pyarrow, an array, or a sparse matrix, whose columns become
        dense.
    y : array-like of shape (n_rows,) or str, optional
        The target, or the name of its column in the frame.

    Returns
    -------
    Examination
        The findings, the gravest first, with rows counted from 0. Nothing is changed.

    Raises
    ------
    TypeError
        If `X` is no table.
    ValueError
        If `y` has another length or is not a column, or two columns share a name.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import examine
    >>> rng = np.random.default_rng(0)
    >>> age = np.where(rng.random(200) < 0.05, -1, rng.integers(18, 90, 200))
    >>> print(examine({"row": np.arange(200), "age": age}).findings[0].found)
    is -1 in 12 rows, far from all other values
    """
    columns = _columns(X)
    if isinstance(y, str):
        columns, own = _split(columns, y)
        y, is_ordered = own.cells, own.is_ordered
    else:
        is_ordered = has_order(y)
    n_rows = columns[0].cells.size if columns else 0
    findings = [finding for column in columns for finding in findings_of(column)] if n_rows else []
    gone = {finding.column for finding in findings if finding.kind in _USELESS}
    useful = [column for column in columns if column.name not in gone]
    identifiers = {finding.column for finding in findings if finding.kind == "identifier"}
    target = None
    if y is not None:
        target, is_classes = target_of(y, is_ordered=is_ordered)
        if target.cells.size != n_rows:
            raise ValueError(
                f"y has {target.cells.size} values and X has {n_rows} rows; give one for each row"
            )
        findings += [*of_target(target, is_classes), *leaks(useful, target, is_classes)]
    findings += [
        *copies(useful),
        *ids(useful),
        *weights(useful),
        *repeated_rows(columns, identifiers, target),
    ]
    findings.sort(key=lambda finding: ORDER.index(finding.kind))
    return Examination(tuple(findings), n_rows, len(columns))


def target_of(y: Any, *, is_ordered: bool = False) -> tuple[RawColumn, bool]:
    """Return a target as a column, and whether its values are classes.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The target.
    is_ordered : bool, default=False
        Whether its categories have an order.

    Returns
    -------
    (RawColumn, bool)
        Both.
    """
    target = RawColumn("(target)", _cells(fill_masked(y)), is_ordered)
    return target, _are_classes(target)


def _split(columns: list[RawColumn], name: str) -> tuple[list[RawColumn], RawColumn]:
    found = [column for column in columns if column.name == name]
    if not found:
        names = [column.name for column in columns]
        meant = did_you_mean(name, names)
        raise ValueError(f"y: there is no column {name!r}{meant}; X has {', '.join(map(repr, names))}")
    return [column for column in columns if column.name != name], found[0]


def _are_classes(y: RawColumn) -> bool:
    if not y.is_numeric:
        return True
    is_whole = bool((y.values == np.round(y.values)).all())
    return len(y.distinct) <= 2 or (is_whole and len(y.distinct) <= _MAX_CLASSES)


def _columns(X: Any) -> list[RawColumn]:
    """Return the columns of a table with their cells unchanged."""
    if isinstance(X, Columns):
        pairs = zip(X.names, X.values, strict=True)
        return [RawColumn(name, values, name in X.ordered) for name, values in pairs]
    if isinstance(X, dict):
        return [RawColumn(str(name), _cells(values)) for name, values in X.items()]
    if sparse.issparse(X):
        by_column: Any = sparse.csc_array(X)  # type: ignore[call-overload]  # unknown type of numbers
        columns = (by_column[:, [j]].toarray().ravel() for j in range(by_column.shape[1]))
        return [RawColumn(f"x{j}", cells) for j, cells in enumerate(columns)]
    if hasattr(X, "columns"):
        refuse_duplicate_names(X)
        series = nw.from_native(X, eager_only=True).iter_columns()
        return [RawColumn(str(column.name), _cells_of(column), has_order(column)) for column in series]
    table = np.asarray(fill_masked(X))
    if table.ndim != 2:
        raise TypeError(
            f"X has {pluralize(table.ndim, 'dimension')}; give a table of rows and columns (of molecules and "
            "other records in a file: thresher doctor)"
        )
    return [RawColumn(f"x{j}", _cells(table[:, j])) for j in range(table.shape[1])]


def _cells_of(series: Any) -> NDArray[Any]:
    if series.dtype.is_numeric() and not series.null_count():
        return np.asarray(series.to_numpy())
    return _cells(series.to_list())


def _cells(values: Any) -> NDArray[Any]:
    """Return cells as an array: numbers with NaN for missing where all are numbers."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufmM":
        return values
    cells = list(values)
    numbers = [cell for cell in cells if not is_missing(cell)]
    if numbers and all(isinstance(c, (int, float, np.number)) and not isinstance(c, bool) for c in numbers):
        exact = np.asarray(cells)
        if exact.dtype.kind in "iu":
            return exact
        return np.asarray([np.nan if is_missing(cell) else to_float(cell) for cell in cells])
    return object_array(cells)
