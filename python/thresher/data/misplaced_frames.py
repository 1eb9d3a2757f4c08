"""Data frames given in place of records: which column, or which function, gives the records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from .other_forms import refuse_batches

ITEMS = "sets of items"
"""The noun for records of item-sets."""
_TIMES = ("time", "date", "at", "timestamp", "when", "day")
"""Names of a column of times, where none has a dtype of times."""
_RECORDS = ("id", "user", "customer", "patient", "record", "visitor", "order", "basket", "machine", "session")
"""Words in the name of the column that says to which record an event belongs."""


def refuse_frame(X: Any, records: str) -> None:
    """Raise an error for a data frame or a sparse matrix instead of a list of records.

    Iterating over a frame gives the names of its columns.

    Parameters
    ----------
    X : object
        The value.
    records : str
        The noun for the records, for the message.

    Raises
    ------
    TypeError
        If it is a data frame, a table that is read in batches or a sparse matrix.

    Examples
    --------
    >>> refuse_frame(["ab", "cd"], "sequences")
    """
    refuse_batches(X, records)
    if sparse.issparse(X):
        raise TypeError(f"X is a sparse matrix; give a list of {records}, one for each row")
    if nw.dependencies.is_into_dataframe(X):
        raise TypeError(f"X is a data frame; {advice_on(X, records)}")


def advice_on(X: Any, records: str) -> str:
    """Say how to get records from a data frame.

    Parameters
    ----------
    X : pandas, polars or pyarrow data frame
        The frame.
    records : {"sequences", "graphs", "sets of items"}
        The noun for the records.

    Returns
    -------
    str
        To give a column, if one holds such records, or to collect them from a long table. For items the
        columns may also be categories.

    Examples
    --------
    >>> import pandas as pd
    >>> clicks = pd.DataFrame({"user": ["eve", "bob", "eve"], "page": ["home", "home", "pay"]})
    >>> advice_on(clicks, "sequences").partition(";")[0]
    "if each row is one event, sequences_from_table(X, record='user', event='page') collects the sequences"
    """
    if nw.dependencies.is_pandas_dataframe(X) and not _are_names(X.columns):
        return f"give the column that holds the {records}"
    frame = nw.from_native(X, eager_only=True)
    for column in frame.iter_columns():
        if _holds_records(column, records):
            return f"give the column that holds the {records}: X[{column.name!r}]"
    texts = [name for name in frame.columns if _is_text(frame[name])]
    long_table = "" if records == "graphs" or (records == ITEMS and not texts) else _call_on(frame, records)
    if records == ITEMS:
        categories = "for categories give one column a category (pandas.get_dummies)"
        return f"{categories}; {long_table}" if long_table else categories
    names = [*texts, *frame.columns]
    column = f"give the column that holds the {records}" + (f", such as X[{names[0]!r}]" if names else "")
    return f"{long_table}; else {column}" if long_table else column


def _are_names(labels: Iterable[Any]) -> bool:
    """Whether the labels of columns are texts, each once; pandas alone allows others."""
    labels = list(labels)
    return all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)


def _call_on(frame: nw.DataFrame[Any], records: str) -> str:
    """Return the call that collects the records of a long table; empty if it does not look like one."""
    given = ", ".join(f"{role}={name!r}" for role, name in _roles(frame))
    one = "item" if records == ITEMS else "event"
    call = f"if each row is one {one}, sequences_from_table(X, {given}) collects the {records}"
    return call if given else ""


def _holds_records(column: nw.Series[Any], records: str) -> bool:
    """Whether the cells are lists or sets (or graphs, of which some are molecules)."""
    if records != "graphs" and column.dtype in (nw.List, nw.Array):
        return True
    if column.dtype != nw.Object:
        return False
    cells = [cell for cell in column.head(_LOOKED_AT).to_list() if cell is not None]
    if records == "graphs":
        return any(hasattr(cell, "nodes") or hasattr(cell, "GetAtoms") for cell in cells)
    return any(isinstance(cell, (list, tuple, set, frozenset, np.ndarray)) for cell in cells)


_LOOKED_AT = 100  # cells whose type tells that of a column


def _is_text(column: nw.Series[Any]) -> bool:
    if column.dtype not in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return False
    return any(isinstance(cell, str) for cell in column.head(_LOOKED_AT).to_list())


def _roles(frame: nw.DataFrame[Any]) -> list[tuple[str, str]]:
    """Return the columns of a long table by their roles; empty if no column names a record repeatedly."""
    names = [str(name) for name in frame.columns]
    times = [name for name in names if frame[name].dtype.is_temporal()] or _named(names, _TIMES)
    others = [name for name in names if name not in times[:1]]
    repeated = [name for name in others if frame[name].n_unique() < len(frame)]
    if len(others) < 2 or not repeated:
        return []
    record = (_named(repeated, _RECORDS) or repeated)[0]
    rest = [name for name in others if name != record]
    event = next((name for name in rest if _is_text(frame[name])), rest[0])
    return [("record", record), ("event", event), *(("time", name) for name in times[:1])]


def _named(names: Sequence[str], words: Iterable[str]) -> list[str]:
    known = set(words)
    return [name for name in names if known & set(name.lower().replace("_", " ").split())]
