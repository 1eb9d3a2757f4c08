"""Forms of data that are no table: errors that say what to give instead."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from ..formatting.text import did_you_mean, format_names
from .batch_frames import is_record_batch
from .datasets import is_dataset
from .frames import column_names

_SOURCES = {
    "ParquetFile": ("iter_batches", "read"),
    "Scanner": ("to_batches", "to_table"),
    "DuckDBPyRelation": ("to_arrow_reader", "to_arrow_table"),
}
"""Types of objects that read a table: the methods that give batches, and the whole."""


def refuse_batches(X: Any, records: str) -> None:
    """Raise an error for a table that is read in batches instead of records.

    Parameters
    ----------
    X : object
        What an estimator of records was given.
    records : str
        The noun for the records.

    Raises
    ------
    TypeError
        If it is such a table.

    Examples
    --------
    >>> refuse_batches(["ab", "cd"], "sequences")
    """
    is_text = isinstance(X, (str, os.PathLike)) and not (_is_path(str(X)) or _is_folder(X))
    if is_dataset(X) and not is_text:
        raise TypeError(
            f"X is a {kind_of_batches(X)}, and {records} are read from memory: {advice_on_batches(X)}. Rules "
            "and score cards read tables in batches"
        )


def kind_of_batches(X: Any) -> str:
    """Return what messages call a table that is read in batches.

    Parameters
    ----------
    X : object
        The table.

    Returns
    -------
    str
        Its type, or "list of batches".

    Examples
    --------
    >>> kind_of_batches("rows.parquet")
    'path'
    """
    if isinstance(X, (str, os.PathLike)):
        return "path"
    return "list of batches" if isinstance(X, (list, tuple)) else type(X).__name__


def advice_on_batches(X: Any) -> str:
    """Return how a table that is read in batches is read into memory.

    Parameters
    ----------
    X : object
        The table.

    Returns
    -------
    str
        A call.

    Examples
    --------
    >>> advice_on_batches("rows.parquet")
    'give pandas.read_parquet(X)'
    """
    if isinstance(X, (str, os.PathLike)):
        return f"give pandas.read_{'csv' if str(X).lower().endswith('.csv') else 'parquet'}(X)"
    for method in ("collect", "to_table", "read_all"):  # of polars; of data sets and readers of Arrow
        if hasattr(X, method):
            return f"give X.{method}()"
    if isinstance(X, (list, tuple)):
        library = type(X[0]).__module__.partition(".")[0]
        tables = "pyarrow.Table.from_batches(X)" if is_record_batch(X[0]) else "pyarrow.concat_tables(X)"
        return f"give {tables if library == 'pyarrow' else f'{library}.concat(X)'}"
    return "give one frame of all its batches"


def refuse_other_forms(X: Any) -> None:
    """Raise an error for an object that holds rows, but is no table.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Raises
    ------
    TypeError
        If it is a dict, an iterator, a structured array, an object that reads a table, or a list of dicts,
        sets, paths or tables; the message says what to give.
    ValueError
        If it is an empty list.

    Examples
    --------
    >>> refuse_other_forms([[1.0, 2.0]])
    """
    if isinstance(X, Mapping):
        is_row = all(isinstance(cell, str) or not isinstance(cell, Iterable) for cell in X.values()) and X
        what, made = ("row", "[X]") if is_row else ("columns", "X")
        raise TypeError(f"X is a dict; give a data frame of its {what}, such as pandas.DataFrame({made})")
    if isinstance(X, Iterator):
        raise TypeError(
            f"X is a {type(X).__name__}, which can be read once; give a list of rows, list(X), or an array. "
            "Fits of rules and score cards read batches twice: give a function that makes it anew each time"
        )
    if type(X).__name__ in _SOURCES:
        batches, whole = _SOURCES[type(X).__name__]
        raise TypeError(
            f"X is a {type(X).__name__}, which is no table in memory; rules and score cards read one in "
            f"batches by a function: lambda: X.{batches}(). Elsewhere read it first: X.{whole}()"
        )
    if getattr(X, "dtype", None) is not None and X.dtype.names is not None:
        raise TypeError(
            "X is a structured array; give a data frame of its fields, such as pandas.DataFrame(X)"
        )
    if isinstance(X, (list, tuple)):
        _refuse_lists(X)


def _refuse_lists(X: Sequence[Any]) -> None:
    """Raise an error for a list of anything but rows."""
    if not X:
        raise ValueError("X is an empty list, which has no rows; give a list of rows, or of batches")
    first = X[0]
    if isinstance(first, Mapping):
        raise TypeError("X is a list of dicts; give a data frame of them, such as pandas.DataFrame(X)")
    if isinstance(first, (set, frozenset)):
        raise TypeError(
            "X is a list of sets, and this model reads tables; ItemsetClassifier and ItemsetRegressor read "
            "sets"
        )
    if all(map(_is_path, X)):
        raise TypeError(
            "X is a list of paths; rules and score cards read the folder that holds the files, or "
            "pyarrow.dataset.dataset(X). Elsewhere read and join the files first"
        )
    if isinstance(first, np.ndarray) and first.ndim == 2:
        raise TypeError(
            "X is a list of tables, as arrays; give one array, numpy.concatenate(X). Batches, which rules "
            "and score cards read, are data frames"
        )


def _is_path(entry: Any) -> bool:
    is_text = isinstance(entry, str) and entry.lower().endswith((".parquet", ".pq", ".csv"))
    return is_text or isinstance(entry, os.PathLike)


def _is_folder(path: str | os.PathLike[str]) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):  # a text that is no path
        return False


def refuse_names_of_columns(X: Any, values: Any, role: str) -> None:
    """Raise an error for names of columns of a table in memory, in place of the columns.

    Other `X` may be of a wrong kind, which is said first by what reads it.

    Parameters
    ----------
    X : object
        The rows.
    values : object
        The targets or weights.
    role : str
        What they are, such as "y".

    Raises
    ------
    TypeError
        If `X` is a batch.
    ValueError
        If they are a text, or a list of names of columns that has not the length of `X`.

    Examples
    --------
    >>> refuse_names_of_columns([[1.0], [2.0]], ["a", "b"], "y")
    """
    names = [values] if isinstance(values, str) else values
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return
    if isinstance(values, str) and is_record_batch(X):
        raise TypeError(
            f"X is one RecordBatch, and {role} the name of a column; give rules and score cards a list of "
            "batches, [X], and others a table and its columns: pyarrow.Table.from_batches([X])"
        )
    known = column_names(X)
    if not known:
        return
    if not isinstance(values, str) and (len(names) == len(X) or not set(names) <= set(known)):
        return
    if missing := [name for name in names if name not in known]:
        meant = did_you_mean(missing[0], known)
        raise ValueError(
            f"{role}: got {values!r}, and X has no column {missing[0]!r}{meant}; its columns are "
            f"{format_names(known)}. Give {role} as an array, or as a column of a frame"
        )
    how = f"columns={values!r}" if nw.dependencies.is_pandas_dataframe(X) else repr(values)
    raise ValueError(
        f"{role}: got {values!r}, the name of a column of X. Of a table in memory give the column itself: "
        f"X.drop({how}) as X, and X[{values!r}] as {role}. Names are for tables that are read in batches"
    )
