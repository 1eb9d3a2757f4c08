"""Records that are sets of items: lists of sets, one-hot frames, 0/1 arrays, sparse matrices."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from .. import _native
from .inputs import Schema, UsedColumns, check_names
from .label_lists import LabelLists
from .records import PackedRecords
from .vocabulary import Vocabulary, words_of


def read_items(X: Any, owner: str) -> PackedRecords:
    """Read training records.

    Parameters
    ----------
    X : list of sets, frame, array or sparse matrix
        As :class:`ItemsetRegressor` takes them.
    owner : str
        The estimator's class name, for messages.

    Returns
    -------
    PackedRecords
        Records and vocabulary.

    Raises
    ------
    TypeError, ValueError
        If they are not records of items.
    """
    if is_matrix(X):
        held, names = _matrix(X, owner)
        labels = [f"x{j}" for j in range(held.shape[1])] if names is None else [str(n) for n in names]
        if len(set(labels)) != len(labels):
            raise ValueError("X has columns of the same name; names must differ")
        return _packed(held, Vocabulary(labels), names)
    records, sizes = _item_lists(X)
    return _pack(records, sizes, records.vocabulary())


def read_items_like(
    X: Any, vocabulary: Vocabulary, schema: Schema | None, owner: str, used: UsedColumns | None = None
) -> PackedRecords:
    """Read new records; items unknown from training are ignored.

    Parameters
    ----------
    X : list of sets, frame, array or sparse matrix
        As in training.
    vocabulary : Vocabulary
        The items of training.
    schema : Schema or None
        The columns, where training had a matrix.
    owner : str
        The estimator's class name, for messages.
    used : callable, optional
        Gives the positions of the columns that a frame with names cannot lack; by default
        it can lack none.

    Returns
    -------
    PackedRecords
        Records encoded with the vocabulary of training.

    Raises
    ------
    TypeError, ValueError
        If they differ from training.
    """
    if not is_matrix(X):
        return _pack(*_item_lists(X), vocabulary)
    if schema is None:
        raise TypeError(f"X is a matrix, but {owner} was fitted on sets of items; give sets of items")
    held, names = _matrix(X, owner)
    check_names(names, schema, owner, used)
    if names is not None and schema.named and held.shape[1] < len(schema.names):
        found = set(names)
        held = _with_empty_columns(held, [name in found for name in schema.names])
    if held.shape[1] != len(vocabulary):
        raise ValueError(
            f"X has {held.shape[1]} features, but {owner} is expecting {len(vocabulary)} features as input."
        )
    return _packed(held, vocabulary, names)


def _with_empty_columns(held: Any, present: Sequence[bool]) -> Any:
    """Add empty columns to a matrix, so that it has one for each entry of `present`."""
    columns = np.flatnonzero(present)
    return sparse.csr_array((held.data, columns[held.indices], held.indptr), (held.shape[0], len(present)))


def parse_items(items: Any, vocabulary: Vocabulary) -> dict[str, list[int]]:
    """Parse an item-set given by a user.

    Parameters
    ----------
    items : set or list of items, dict of item to bool, or str
        Required items; the values of a dict tell whether an item must be present or
        absent; a text has the form of ``Pattern.text``.
    vocabulary : Vocabulary
        The items.

    Returns
    -------
    dict
        Numbers of the items ``present`` and ``absent``.

    Raises
    ------
    ValueError
        If an item is unknown.
    TypeError
        If it is of another type.
    """
    if isinstance(items, str):
        items = _parse(items, vocabulary)
    if isinstance(items, Mapping):
        literals = {item: bool(there) for item, there in items.items()}
    elif isinstance(items, Iterable):
        literals = dict.fromkeys(items, True)
    else:
        raise TypeError(f"pattern: got {items!r}; give a set of items, a dict of item: bool, or text")
    unknown = [item for item in literals if item not in vocabulary.place]
    if unknown:
        raise ValueError(f"pattern: training saw no item {unknown[0]!r}")
    numbers = {vocabulary.place[item]: there for item, there in literals.items()}
    return {
        "present": sorted(item for item, there in numbers.items() if there),
        "absent": sorted(item for item, there in numbers.items() if not there),
    }


def _pack(records: LabelLists, sizes: list[int], vocabulary: Vocabulary) -> PackedRecords:
    packed = _native.Records.itemsets(vocabulary.to_json(), *records.encode(vocabulary, sizes))
    return PackedRecords(packed, vocabulary, len(sizes))


def _parse(text: str, vocabulary: Vocabulary) -> dict[Any, bool]:
    """Parse ``milk and not bread``, or a single item with this text if the parts are unknown."""
    known = vocabulary.known()
    words = words_of(text, r"\s+and\s+")
    if text in known and not all(word.removeprefix("not ") in known for word in words):
        words = [text]
    literals: dict[Any, bool] = {}
    for word in words:
        negated = word not in known and word.startswith("not ")
        name = word.removeprefix("not ").strip() if negated else word
        literals[known.get(name, name)] = not negated
    return literals


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


def _matrix(X: Any, owner: str) -> tuple[Any, NDArray[np.object_] | None]:
    """Return the indicator of non-zero cells as a CSR matrix, and the columns' names."""
    names = None
    if not sparse.issparse(X) and hasattr(X, "columns"):
        series = list(nw.from_native(X, eager_only=True).iter_columns())
        given = [column.name for column in series]
        names = np.asarray(given, dtype=object) if all(isinstance(name, str) for name in given) else None
        X = np.column_stack([_cells(column) for column in series]) if series else np.zeros((len(X), 0))
    checked = check_array(X, accept_sparse="csr", estimator=owner, input_name="X")
    held = sparse.csr_array(checked)
    held.sum_duplicates()
    held.eliminate_zeros()
    return held, names


def _cells(column: Any) -> NDArray[Any]:
    if column.dtype == nw.Object:
        return np.asarray(column.to_list(), dtype=object)
    if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
        raise TypeError(
            f"column '{column.name}' holds {column.dtype}; an item's column holds 0 and 1, or booleans. "
            "For categories give one column a category (pandas.get_dummies)"
        )
    if column.null_count():
        raise ValueError(
            f"Input X contains NaN. (column '{column.name}'; fill in 0 where the item is absent)"
        )
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _packed(held: Any, vocabulary: Vocabulary, names: NDArray[np.object_] | None) -> PackedRecords:
    starts, items = held.indptr.astype(np.int64), held.indices.astype(np.int64)
    packed = _native.Records.itemsets(vocabulary.to_json(), starts, items)
    return PackedRecords(packed, vocabulary, held.shape[0], True, names)


def _item_lists(X: Any) -> tuple[LabelLists, list[int]]:
    """Return the items of records and the number of items of each record."""
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise TypeError(
            f"X is {type(X).__name__}; give a list of sets of items, a 0/1 array, a frame or a sparse matrix"
        )
    labels: list[Any] = []
    sizes = []
    for row, record in enumerate(X):
        if isinstance(record, (str, bytes, Mapping)) or not isinstance(record, Iterable):
            raise TypeError(f"record {row} is {record!r}; give a set or a list of items")
        start = len(labels)
        labels.extend(record)
        sizes.append(len(labels) - start)
    if not sizes:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required: X has no records")
    return LabelLists.of(labels, sizes), sizes


def load_itemsets(path: str | Path, n_items: int | None = None) -> tuple[Any, NDArray[np.float64]]:
    r"""Read a file in the libsvm format: ``label item:value item:value ...`` line by line.

    Parameters
    ----------
    path : str or Path
        The file; ``.gz`` is decompressed.
    n_items : int or None, default=None
        Number of columns of the matrix; by default the largest item number.

    Returns
    -------
    X : scipy.sparse.csr_array of shape (n_records, n_items)
        The values; items are numbered from 1 in the file and from 0 here.
    y : ndarray of shape (n_records,)
        The labels.

    Raises
    ------
    ValueError
        If a line is invalid; the message names it.
    FileNotFoundError
        If the file does not exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two.libsvm"
    >>> _ = file.write_text("1 1:1 3:1\n-1 2:1\n")
    >>> X, y = load_itemsets(file)
    >>> X.toarray().tolist(), y.tolist()
    ([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    path = Path(path)
    labels: list[float] = []
    starts, items, values = [0], [], []
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for number, line in enumerate(file, start=1):
            words = line.split("#")[0].split()
            if not words:
                continue
            try:
                labels.append(float(words[0]))
                for word in words[1:]:
                    item, value = word.split(":")
                    items.append(int(item) - 1)
                    values.append(float(value))
                if (
                    not np.isfinite([labels[-1], *values[starts[-1] :]]).all()
                    or min(items[starts[-1] :], default=0) < 0
                ):
                    raise ValueError("an item below 1, or a number that is not finite")
            except ValueError as error:
                raise ValueError(
                    f"{path.name}, line {number}: expected 'label item:value ...' ({error})"
                ) from None
            starts.append(len(items))
    width = max(items, default=-1) + 1
    if n_items is not None and n_items < width:
        raise ValueError(f"n_items: got {n_items}, the file has item {width}")
    shape = (len(labels), width if n_items is None else n_items)
    return sparse.csr_array((values, items, starts), shape=shape), np.asarray(labels)
