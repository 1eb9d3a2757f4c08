"""Named columns without a data-frame library, and tables from and to files."""

from __future__ import annotations

import csv
import gzip
import importlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from .columns import truth_of

# What pandas reads as missing, and a question mark.
_EMPTY = {"", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "NULL", "null", "None", "?"}


WRITTEN = (".csv", ".tsv", ".txt", ".parquet", ".pq")
"""What the names of files may end on that :func:`write_table` writes."""


class Columns:
    """Named columns of equal length: the smallest thing that can be called a table.

    Parameters
    ----------
    names : list of str
        The columns' names.
    values : list of ndarray of shape (n_rows,)
        Numbers, or objects (text, None).

    Raises
    ------
    ValueError
        If lengths differ or two columns share a name.

    Examples
    --------
    >>> Columns(["a", "b"], [np.array([1.0, 2.0]), np.array(["x", "y"], dtype=object)]).n_rows
    2
    """

    def __init__(self, names: Sequence[str], values: Sequence[NDArray[Any]]) -> None:
        if len(names) != len(values) or len({len(column) for column in values}) > 1:
            raise ValueError("there must be one name for each column, and the columns must be equally long")
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ValueError(f"two columns share the name {twice[0]!r}; names must differ")
        self.names = list(names)
        self.values = list(values)
        self.n_rows = len(values[0]) if values else 0

    def __len__(self) -> int:
        """Count the rows."""
        return self.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self.names)

    def take(self, rows: NDArray[Any]) -> Columns:
        """Select rows.

        Parameters
        ----------
        rows : ndarray of int or bool
            Positions, or a mask.

        Returns
        -------
        Columns
            The rows in the order given.
        """
        return Columns(self.names, [column[rows] for column in self.values])

    def drop(self, names: Iterable[str]) -> Columns:
        """Leave columns out.

        Parameters
        ----------
        names : iterable of str
            Which.

        Returns
        -------
        Columns
            The others.
        """
        gone = set(names)
        kept = [(n, v) for n, v in zip(self.names, self.values, strict=True) if n not in gone]
        return Columns([n for n, _ in kept], [v for _, v in kept])

    def select(self, names: Sequence[str]) -> Columns:
        """Choose columns by name, in the order given.

        Parameters
        ----------
        names : list of str
            Which.

        Returns
        -------
        Columns
            Those columns.
        """
        return Columns(names, [self[name] for name in names])

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Give one column's cells."""
        return self.values[self.names.index(name)]


@dataclass(frozen=True)
class File:
    """A file that was read: its cells as it has them, and what they say.

    Parameters
    ----------
    path : Path
        The file.
    names : list of str
        Its columns' names.
    columns : list of tuple of str, or of narwhals Series
        Its columns: texts, or those of a data frame.
    """

    path: Path
    names: list[str]
    columns: Sequence[Any]

    def cells(self) -> Columns:
        """Give every cell as the file has it.

        Returns
        -------
        Columns
            Objects: texts, or what the data frame holds.
        """
        lists = [column.to_list() if isinstance(column, nw.Series) else column for column in self.columns]
        return Columns(self.names, [_objects(cells) for cells in lists])

    def table(self, text: Collection[str] = ()) -> Columns:
        """Give what the cells say.

        Parameters
        ----------
        text : collection of str, default=()
            As for :func:`read_table`.

        Returns
        -------
        Columns
            As from :func:`read_table`.

        Raises
        ------
        ValueError
            If there is no row.
        """
        table = Columns(
            self.names,
            [
                _of_series(column) if isinstance(column, nw.Series) else _of_texts(column, name in text)
                for name, column in zip(self.names, self.columns, strict=True)
            ],
        )
        if not table.n_rows:
            raise ValueError(f"{self.path} names {len(table.names)} columns and has no row below them")
        return table


def read_table(path: str | Path, text: Collection[str] = ()) -> Columns:
    """Read a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv`` and ``.txt`` (also ``.gz``) are read as separated text with
        a header line, ``.parquet`` and ``.pq`` as Parquet (needs pyarrow, polars or
        pandas).
    text : collection of str, default=()
        Columns to leave as text even if all their cells are numbers or truth values.

    Returns
    -------
    Columns
        Text columns whose cells are all numbers become numbers, those that are all true
        or false (in any case) become truth values. Empty cells, ``NA``, ``nan``, ``null``,
        ``None`` and ``?`` are missing.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is empty or no text, has no rows, or its lines are of different lengths.
    ImportError
        If Parquet is asked for and nothing here can read it.
    """
    return read_file(path).table(text)


def read_file(path: str | Path) -> File:
    """Read a CSV or Parquet file, and leave open what its cells say.

    Parameters
    ----------
    path : str or Path
        As for :func:`read_table`, with the same errors.

    Returns
    -------
    File
        Its cells.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.suffix.lower() in (".parquet", ".pq"):
        frame = nw.from_native(_read_parquet(path), eager_only=True)
        return File(path, [str(name) for name in frame.columns], list(frame.iter_columns()))
    try:
        return _read_text(path)
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is no text in UTF-8; save the table as CSV in UTF-8, or as Parquet"
        ) from None


def as_rows(X: Any) -> Any:
    """Give one row the form of a table: a list, an array of one dimension, a row of a pandas frame.

    Parameters
    ----------
    X : object
        One row, or rows.

    Returns
    -------
    object
        Rows.

    Examples
    --------
    >>> as_rows([1.0, "a"]).shape
    (1, 2)
    """
    if isinstance(X, (list, tuple, np.ndarray)) and np.asarray(X, dtype=object).ndim == 1:
        return np.asarray(X, dtype=object).reshape(1, -1)
    if nw.dependencies.is_pandas_series(X):
        return X.to_frame().T
    return X


def refuse_frame(X: Any, records: str) -> None:
    """Refuse a data frame where its column holds the records: to go through one gives its column names.

    Parameters
    ----------
    X : object
        What was given.
    records : str
        What the records are, for the message.

    Raises
    ------
    TypeError
        If it is a data frame.

    Examples
    --------
    >>> refuse_frame(["ab", "cd"], "sequences")
    """
    if nw.dependencies.is_into_dataframe(X):
        names = nw.from_native(X, eager_only=True).columns
        name = repr(names[0]) if names else "..."
        raise TypeError(f"X is a data frame; give the column that holds the {records}, such as X[{name}]")


def as_frame(columns: Mapping[str, Sequence[Any]], otherwise: Any) -> Any:
    """Make a data frame with what is installed.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns.
    otherwise : object
        What to give where there is no library for data frames.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or object
        From pandas if it is there, else polars, else `otherwise`.

    Examples
    --------
    >>> as_frame({"a": [1, 2]}, None).shape
    (2, 1)
    """
    for library in ("pandas", "polars"):
        try:
            return importlib.import_module(library).DataFrame(dict(columns))
        except ImportError:
            continue
    return otherwise


def write_table(path: str | Path, table: Columns) -> None:
    """Write a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        The file; the suffix decides, as in :func:`read_table`: tabs for ``.tsv``, else commas.
    table : Columns
        What to write.

    Raises
    ------
    ImportError
        If Parquet is asked for and pyarrow is not there.
    """
    path = Path(path)
    if path.suffix.lower() in (".parquet", ".pq"):
        arrow = _module("pyarrow", "pyarrow.parquet")
        columns = {n: arrow.array(v.tolist()) for n, v in zip(table.names, table.values, strict=True)}
        importlib.import_module("pyarrow.parquet").write_table(arrow.table(columns), str(path))
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        writer.writerow(table.names)
        writer.writerows(zip(*(column.tolist() for column in table.values), strict=True))


def _module(*names: str) -> Any:
    modules = [importlib.import_module(name) for name in names]
    return modules[0]


def _read_parquet(path: Path) -> Any:
    readers: dict[str, Callable[[Any], Any]] = {
        "polars": lambda module: module.read_parquet(path),
        "pandas": lambda module: module.read_parquet(path),
        "pyarrow.parquet": lambda module: module.read_table(path),
    }
    for name, reader in readers.items():
        try:
            return reader(importlib.import_module(name))
        except ImportError:
            continue
    raise ImportError("reading Parquet needs polars, pyarrow or pandas with pyarrow: pip install polars")


def _read_text(path: Path) -> File:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", newline="", encoding="utf-8-sig") as file:
        start = file.read(65536)
        file.seek(0)
        rows = [row for row in csv.reader(file, delimiter=_delimiter(start)) if row]
    if not rows:
        raise ValueError(f"{path} is empty; a header line and at least one row are needed")
    header = [name.strip() for name in rows[0]]
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ValueError(
                f"{path}, line {number}: {len(row)} cells, but the header has {len(header)} names"
            )
    return File(path, header, list(zip(*rows[1:], strict=True)) if len(rows) > 1 else [()] * len(header))


def _delimiter(start: str) -> str:
    """Take the separator that the header line holds most of."""
    header = start.split("\n", 1)[0]
    return max((",", ";", "\t", "|"), key=header.count)


def _of_series(series: nw.Series[Any]) -> NDArray[Any]:
    cells = series.to_list()
    if not series.dtype.is_numeric():
        return _objects(cells)
    return np.asarray([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)


def _of_texts(texts: Sequence[str], as_text: bool) -> NDArray[Any]:
    cells = [text.strip() for text in texts]
    present = [None if cell in _EMPTY else cell for cell in cells]
    if as_text:
        return _objects(present)
    try:
        return np.asarray([math.nan if cell is None else _number(cell) for cell in present], dtype=np.float64)
    except ValueError:
        truths = [truth_of(cell) for cell in present]
        return _objects(truths if truths.count(None) == present.count(None) else present)


def _objects(cells: Sequence[Any]) -> NDArray[Any]:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _number(cell: str) -> float:
    if "_" in cell:  # Python reads 1_000 as a number; a file means text
        raise ValueError(cell)
    return float(cell)
