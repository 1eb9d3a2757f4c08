"""Reading and writing of tables in files."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from .columns import truth_of
from .frames import Columns

# What pandas reads as missing, and a question mark.
_EMPTY = {"", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "NULL", "null", "None", "?"}

OUTPUT_SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq")
"""What the names of files may end on that :func:`write_table` writes."""


@dataclass(frozen=True)
class File:
    """A file with its cells as text, before conversion.

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
        """Return every cell unchanged.

        Returns
        -------
        Columns
            Objects: texts, or what the data frame holds.
        """
        lists = [column.to_list() if isinstance(column, nw.Series) else column for column in self.columns]
        return Columns(self.names, [_objects(cells) for cells in lists])

    def table(self, text: Collection[str] = ()) -> Columns:
        """Return the converted cells.

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
        a header line, ``.parquet`` and ``.pq`` as Parquet (needs polars or pyarrow).
    text : collection of str, default=()
        Columns to leave as text even if all their cells are numbers or booleans.

    Returns
    -------
    Columns
        Text columns whose cells are all numbers become numbers, those that are all true
        or false (in any case) become booleans. Empty cells, ``NA``, ``nan``, ``null``,
        ``None`` and ``?`` are missing.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is empty or no text, has no rows, or its lines are of different lengths.
    ImportError
        If no installed library can read Parquet.
    """
    return read_file(path).table(text)


def read_file(path: str | Path) -> File:
    """Read a CSV or Parquet file without converting its cells.

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
        frame = nw.read_parquet(str(path), backend=_parquet_backend("polars", "pyarrow"))
        return File(path, [str(name) for name in frame.columns], list(frame.iter_columns()))
    try:
        return _read_text(path)
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is no text in UTF-8; save the table as CSV in UTF-8, or as Parquet"
        ) from None


def write_table(path: str | Path, table: Columns) -> None:
    """Write a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        The file; the suffix decides, as in :func:`read_table`: tabs for ``.tsv``, else commas.
    table : Columns
        The table.

    Raises
    ------
    ImportError
        If Parquet is asked for and neither pyarrow nor polars is there.
    """
    path = Path(path)
    if path.suffix.lower() in (".parquet", ".pq"):
        backend = _parquet_backend("pyarrow", "polars")
        columns = {name: column.tolist() for name, column in zip(table.names, table.values, strict=True)}
        nw.from_dict(columns, backend=backend).write_parquet(str(path))
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        writer.writerow(table.names)
        writer.writerows(zip(*(column.tolist() for column in table.values), strict=True))


def _parquet_backend(*libraries: str) -> Any:
    """Find the first library that is installed; pandas itself needs pyarrow for Parquet."""
    for name in libraries:
        if importlib.util.find_spec(name) is not None:
            return name
    raise ImportError("Parquet files need polars or pyarrow: pip install polars")


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
    """Return the most frequent separator of the header line."""
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
