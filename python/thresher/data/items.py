"""Records that are sets of items: lists of sets, one-hot frames, 0/1 arrays, sparse matrices."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import _native
from .arrow_records import as_lists
from .budget import COLUMN_BYTES, Budget, running_budget
from .item_matrix import ItemMatrix, is_matrix, read_item_matrix
from .label_codes import LabelCodes, UnseenLabels
from .misplaced_frames import ITEMS
from .other_forms import refuse_batches
from .records import PackedRecords, require_records
from .schema import Schema, UsedColumns, check_names
from .vocabulary import Vocabulary, check_label, words_of

_BYTES_OF_A_RECORD, _BYTES_OF_AN_ITEM = (24, 16), (20, 16)
"""What the core reserves for each record and each item of one: as given, merged, by items; and in each
fold."""
_BYTES_OF_A_READ_ITEM = 12  # its number, twice: freed before the search, but seldom given back to the system


def read_items(X: Any, owner: str, budget: Budget | None = None) -> PackedRecords:
    """Read training records.

    Parameters
    ----------
    X : list of sets, frame, array or sparse matrix
        As :class:`ItemsetRegressor` takes them.
    owner : str
        The estimator's class name, for messages.
    budget : Budget, optional
        What the fit may take; by default there is no limit.

    Returns
    -------
    PackedRecords
        Records and vocabulary.

    Raises
    ------
    TypeError, ValueError
        If they are not records of items.
    MemoryError, TimeoutError
        If they do not fit into the limits.
    """
    budget = budget or Budget()

    def check_size(n_records: int, n_items: int) -> None:
        need = budget.of_records(n_records, n_items, _BYTES_OF_A_RECORD, _BYTES_OF_AN_ITEM)
        items = f" with {n_items} items" if n_items else ""
        budget.require(need, f"a fit of {n_records} records{items}")

    def hold(n_items: int, n_distinct: int) -> None:
        budget.hold(_BYTES_OF_A_READ_ITEM * n_items + COLUMN_BYTES * n_distinct, "the items as read")

    refuse_batches(X, ITEMS)
    X = as_lists(X)
    if is_matrix(X):
        matrix = read_item_matrix(X, owner, budget, check_size)
        matrix.cells.warn()
        numbered = [f"x{j}" for j in range(matrix.n_columns)]
        hold(matrix.items.size, matrix.n_columns)
        return _packed(matrix, Vocabulary(numbered if matrix.names is None else matrix.names.tolist()))
    records = _item_lists(X, budget)
    require_records(records.n_records)
    hold(records.n_labels, len(records.labels))
    return _pack(records, records.vocabulary())


def read_items_like(
    X: Any, vocabulary: Vocabulary, schema: Schema | None, owner: str, used: UsedColumns | None = None
) -> PackedRecords:
    """Read new records; items unknown from training are ignored.

    Parameters
    ----------
    X : list of sets, frame, array or sparse matrix
        As in training; sets of the columns' names where training had a frame.
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
    refuse_batches(X, ITEMS)
    X = as_lists(X)
    if not is_matrix(X):
        records = _item_lists(X, running_budget())
        if schema is not None:
            _refuse_other_items(records, schema, owner)
        return _pack(records, vocabulary)
    if schema is None:
        raise TypeError(f"X is a matrix, but {owner} was fitted on sets of items; give sets of items")
    matrix = read_item_matrix(X, owner, running_budget(), _any_size)
    check_names(matrix.names, schema, owner, used)
    if matrix.names is not None and schema.named and matrix.n_columns < len(schema.names):
        matrix = matrix.spread(np.isin(schema.names, matrix.names.tolist()))
    if matrix.n_columns != len(vocabulary):
        expected = f"{owner} is expecting {len(vocabulary)} features as input."
        raise ValueError(f"X has {matrix.n_columns} features, but {expected}")
    return _packed(matrix, vocabulary)


def unseen_items(X: Any, vocabulary: Vocabulary) -> UnseenLabels | None:
    """Find the items of new records that training did not have.

    Parameters
    ----------
    X : list of sets, frame, array or sparse matrix
        As in training.
    vocabulary : Vocabulary
        The items of training.

    Returns
    -------
    UnseenLabels or None
        The records, with these items; None for a matrix, whose columns are those of training.

    Raises
    ------
    TypeError, ValueError
        If they are not records of items.
    """
    X = as_lists(X)
    return None if is_matrix(X) else _item_lists(X, running_budget()).unseen(vocabulary, "items")


def _any_size(n_records: int, n_items: int) -> None:
    """Accept all sizes."""


def _refuse_other_items(records: LabelCodes, schema: Schema, owner: str) -> None:
    """Raise an error for records of items without a name of a column: each would be an empty record."""
    if schema.named and (not records.labels or not set(schema.names).isdisjoint(records.labels)):
        return
    items = " of the columns' names" if schema.named else ""
    raise TypeError(
        f"X is a list of records, but {owner} was fitted on a matrix of {len(schema.names)} columns; give a "
        f"matrix (an array, a frame or a sparse matrix){' or sets' if items else ''}{items}"
    )


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
        If an item is unknown, or to be both present and absent.
    TypeError
        If it is of another type.
    """
    if isinstance(items, str):
        items = _parse(items, vocabulary)
    if isinstance(items, Mapping):
        literals = {item: bool(there) for item, there in items.items()}
    elif isinstance(items, Iterable):
        literals = dict.fromkeys((check_label(item, "pattern") for item in items), True)
    else:
        raise TypeError(f"pattern: got {items!r}; give a set of items, a dict of item: bool, or text")
    numbers = {vocabulary.number_of(item, "item"): there for item, there in literals.items()}
    return {
        "present": sorted(item for item, there in numbers.items() if there),
        "absent": sorted(item for item, there in numbers.items() if not there),
    }


def _pack(records: LabelCodes, vocabulary: Vocabulary) -> PackedRecords:
    packed = _native.Records.itemsets(vocabulary.to_json(), *records.encode(vocabulary))
    return PackedRecords(packed, vocabulary, records.n_records)


def _parse(text: str, vocabulary: Vocabulary) -> dict[Any, bool]:
    """Parse ``milk and not bread``, or a single item with this text if the parts are unknown."""
    known = vocabulary.known
    words = words_of(text, r"\s+and\s+")
    if text in known and not all(word.removeprefix("not ") in known for word in words):
        words = [text]
    literals: dict[Any, bool] = {}
    for word in words:
        name = word.removeprefix("not ").strip()
        # Printed, an item that begins with this word is in quotes.
        negated = name != word and word not in vocabulary.printed and (name in known or word not in known)
        name = name if negated else word
        item = known.get(name, name)
        if literals.setdefault(item, not negated) == negated:
            raise ValueError(
                f"pattern: {text!r} asks for {item!r} both present and absent, which no record has; leave "
                "one of the two out"
            )
    return literals


def _packed(matrix: ItemMatrix, vocabulary: Vocabulary) -> PackedRecords:
    packed = _native.Records.itemsets(vocabulary.to_json(), matrix.starts, matrix.items)
    return PackedRecords(packed, vocabulary, matrix.n_rows, True, matrix.names)


def _item_lists(X: Any, budget: Budget) -> LabelCodes:
    """Return the items of records; of a record that is a mapping those with a positive count."""
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise TypeError(
            f"X is {type(X).__name__}; give a list of sets of items, a 0/1 array, a frame or a sparse matrix"
        )
    budget.require_records(X, _BYTES_OF_A_RECORD, _BYTES_OF_AN_ITEM)
    codes = LabelCodes()
    batch: list[Any] = []
    sizes: list[int] = []
    for row, record in enumerate(budget.within_time(X, "records")):
        if isinstance(record, (str, bytes)) or not isinstance(record, Iterable):
            raise TypeError(
                f"record {row} is {record!r}; give a set or a list of items, or a dict of item: count"
            )
        start = len(batch)
        batch.extend(_counted(record, row) if isinstance(record, Mapping) else record)
        sizes.append(len(batch) - start)
        if len(batch) >= _BATCH_LABELS:
            codes.add(batch, sizes)
            batch, sizes = [], []
    codes.add(batch, sizes)
    return codes


_BATCH_LABELS = 2**16  # encoded at once: some milliseconds and MiB


def _counted(record: Mapping[Any, Any], row: int) -> list[Any]:
    """Return the items of a record with a positive count or the value True."""
    for item, count in record.items():
        if not isinstance(count, (Real, np.bool_)) or count != count:
            raise TypeError(
                f"record {row} has {item!r}: {count!r}; the values of a dict are counts or booleans: an item "
                "is in the record where its value is positive or True"
            )
        if count < 0:
            raise ValueError(
                f"Negative values in data: record {row} has {item!r}: {count!r}; the values of a dict are "
                "counts or booleans. A code for missing, such as -9, is no item: leave the item out"
            )
    return [item for item, count in record.items() if count > 0]


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
    >>> from thresher import load_itemsets
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
