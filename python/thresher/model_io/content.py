"""Digests of the content of data: equal for equal values, wherever and however they lie in memory.

A slice of a frame and its copy, a frame before and after a file of Parquet, a list with one record twice and
one with two equal records have one digest. Values, missing cells, names and kinds of columns count; an index
of pandas, chunks and strides do not.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import joblib
import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.columns import is_missing

_MISSING = hashlib.sha1(b"missing").digest()
_PLAIN = {str, int, float, bool, type(None), bytes}
"""Types whose ``repr`` tells all values apart; a list of them has a ``repr`` that tells all lists apart."""
_SCALARS = (np.bool_, np.integer, np.floating, np.str_, np.bytes_)
_PRINTED = (complex, dt.date, dt.time, dt.timedelta, Decimal, Fraction)


def digest_of(value: Any) -> bytes:
    """Return the digest of an object.

    Parameters
    ----------
    value : object
        A table, records, targets, weights, a parameter, or a part of one.

    Returns
    -------
    bytes
        20 bytes. For objects of other packages it is that of their pickle.

    Raises
    ------
    Exception
        Whatever the pickle of such an object raises.

    Examples
    --------
    >>> values = np.arange(6.0).reshape(3, 2)
    >>> digest_of(values[::2]) == digest_of(values[::2].copy())
    True
    """
    if is_missing(value):
        return _MISSING
    if type(value) in _PLAIN or isinstance(value, np.generic):
        return _of_cell(value)
    if isinstance(value, np.ndarray):
        return _of_array(value)
    if isinstance(value, (list, tuple)):
        return _joined("tuple" if isinstance(value, tuple) else "list", [_of_list(list(value))])
    if isinstance(value, (set, frozenset)):
        return _joined("set", sorted(map(digest_of, value)))
    if isinstance(value, Mapping):
        return _joined("dict", sorted(_joined("", map(digest_of, item)) for item in value.items()))
    if sparse.issparse(value):
        return _of_sparse(value)
    table = _as_narwhals(value)
    if isinstance(table, nw.DataFrame):
        return _joined(f"frame {table.shape}", map(_of_column, table.iter_columns()))
    if isinstance(table, nw.Series):
        return _joined("column", [_of_column(table)])
    return _of_object(value)


def _joined(tag: str, parts: Iterable[bytes]) -> bytes:
    """Return the digest of a tag and of parts, each of which is a digest."""
    digest = hashlib.sha1(f"{tag}:".encode())
    for part in parts:
        digest.update(part)
    return digest.digest()


def _printed(tag: str, value: Any) -> bytes:
    return hashlib.sha1(f"{tag}:{value!r}".encode()).digest()


def _of_cell(value: Any) -> bytes:
    if isinstance(value, np.generic):
        value = value.item() if isinstance(value, _SCALARS) else value
    return _printed("cell", value)


def _of_list(values: list[Any]) -> bytes:
    values = [value.item() if isinstance(value, _SCALARS) else value for value in values]
    if set(map(type, values)) <= _PLAIN:
        return _printed("list", values)
    return _joined(f"list {len(values)}", map(digest_of, values))


def _of_array(values: NDArray[Any]) -> bytes:
    if isinstance(values, np.ma.MaskedArray):
        parts = [digest_of(np.ma.getmaskarray(values)), digest_of(values.filled(values.dtype.type()))]
        return _joined("masked", parts)
    name = getattr(values, "name", None)  # of a target with one
    kind = values.dtype.kind
    if kind not in "biufcmM":
        content = _of_list(values.ravel().tolist())
        return _joined(f"array {kind} {values.shape} {name!r}", [content])
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    if kind == "f" and np.isnan(native).any():
        native = np.where(np.isnan(native), native.dtype.type(np.nan), native)  # of which there are many
    digest = hashlib.sha1(f"array {native.dtype.str[1:]} {values.shape} {name!r}:".encode())
    digest.update(native.reshape(-1).view(np.uint8).data)
    return digest.digest()


def _of_sparse(values: Any) -> bytes:
    rows = sparse.csr_array(values, copy=True) if values.ndim == 2 else sparse.coo_array(values).toarray()
    if isinstance(rows, np.ndarray):
        return _joined("sparse", [_of_array(rows)])
    rows.sum_duplicates()
    parts = [rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data]
    return _joined(f"sparse {rows.shape}", map(_of_array, parts))


def _as_narwhals(value: Any) -> Any:
    """Return a frame or column of another library as one of narwhals, and others as they are."""
    if type(value).__module__.partition(".")[0] == "pyarrow":
        pa = importlib.import_module("pyarrow")
        if isinstance(value, pa.Array):
            value = pa.chunked_array([value])
        elif isinstance(value, pa.RecordBatch):
            value = pa.Table.from_batches([value])
    try:
        return nw.from_native(value, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:  # of names, which a fit refuses
        return value


def _of_column(column: Any) -> bytes:
    kind = column.dtype
    name = repr(column.name) if isinstance(column.name, str) else str(column.name)
    missing = column.is_null().to_numpy().astype(bool)
    if kind.is_float():
        values = column.to_numpy().astype(np.float64)
        missing |= np.isnan(values)
        content = [_of_array(np.where(missing, 0.0, values))]
    elif kind.is_integer() or isinstance(kind, nw.Boolean):
        filled = column.fill_null(False if isinstance(kind, nw.Boolean) else 0)
        content = [_of_array(filled.to_numpy())]
    else:
        cells = column.to_list()
        content = [_of_list([None if gone else cell for cell, gone in zip(cells, missing, strict=True)])]
        if isinstance(kind, nw.Datetime):  # which Python's datetimes do not hold
            content.append(_of_list(column.dt.nanosecond().to_list()))
        levels = getattr(getattr(column.to_native(), "cat", None), "categories", None)
        content.append(digest_of(levels))
    noun = f"Datetime {kind.time_zone}" if isinstance(kind, nw.Datetime) else str(kind)
    return _joined(f"{name} {noun}", [_of_array(missing), *content])


def _of_object(value: Any) -> bytes:
    if isinstance(value, _PRINTED):
        return _printed(type(value).__name__, value)
    if hasattr(value, "ToBinary"):  # a molecule of rdkit, which caches what it computes
        return _printed("molecule", value.ToBinary())
    if hasattr(value, "nodes") and hasattr(value, "edges"):  # a graph of networkx, which caches views
        directed = getattr(value, "is_directed", bool)()
        return digest_of([directed, list(value.nodes(data=True)), list(value.edges(data=True))])
    is_of_pandas = type(value).__module__.startswith("pandas.") and hasattr(value, "__array__")
    if is_of_pandas or hasattr(value, "__dlpack__"):  # an index or a column without a name; a tensor
        return _joined("values", [_of_array(np.asarray(value))])
    if not hasattr(value, "__array__") and all(hasattr(type(value), name) for name in _OF_RECORDS):
        return _joined("list", [_of_list(list(value))])
    return _printed("pickle", joblib.hash(value, hash_name="sha1"))


_OF_RECORDS = ("__len__", "__getitem__", "__iter__")
