"""Reading and writing of tables in files."""

from __future__ import annotations

import csv
import importlib.util
import io
import itertools
import math
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..formatting.text import pluralize
from .category_orders import ordered_in_parquet
from .columns import object_array
from .frames import Columns
from .streams import OTHER_CONTENT, input_name, open_input, open_output
from .text_cells import read_texts

_PARQUET = b"PAR1"  # the first bytes of every Parquet file

OUTPUT_SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq")
"""What the names of files may end on that :func:`write_table` writes."""


@dataclass(frozen=True)
class File:
    """A file with its cells as text, before conversion.

    Parameters
    ----------
    path : str or Path
        The file.
    names : list of str
        Its columns' names.
    columns : list of tuple of str, of narwhals Series or of ndarray
        Its columns: texts, those of a data frame, or computed ones.
    ordered : frozenset of str, default=frozenset()
        The columns of which the file says that their categories have an order.
    """

    path: str | Path
    names: list[str]
    columns: Sequence[Any]
    ordered: frozenset[str] = frozenset()

    def cells(self) -> Columns:
        """Return every cell unchanged.

        Returns
        -------
        Columns
            Objects: texts, or what the data frame holds.
        """
        return Columns(self.names, [object_array(_listed(column)) for column in self.columns])

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Iterate over the rows.

        Returns
        -------
        iterator of tuple
            The cells of each row.
        """
        return zip(*map(_listed, self.columns), strict=True)

    def select(self, names: Sequence[str]) -> File:
        """Select columns.

        Parameters
        ----------
        names : sequence of str
            Their names.

        Returns
        -------
        File
            The columns in this order.
        """
        if list(names) == self.names:
            return self
        return File(
            self.path, list(names), [self.columns[self.names.index(name)] for name in names], self.ordered
        )

    def table(
        self, text: Collection[str] = (), numbers: Collection[str] = (), *, may_be_empty: bool = False
    ) -> Columns:
        """Return the converted cells.

        Parameters
        ----------
        text, numbers : collection of str, default=()
            As for :func:`read_table`.
        may_be_empty : bool, default=False
            Whether a file without rows is a table.

        Returns
        -------
        Columns
            As from :func:`read_table`.

        Raises
        ------
        ValueError
            If there is no row, unless that is allowed.
        """
        table = Columns(
            self.names,
            [
                _of_series(column)
                if isinstance(column, nw.Series)
                else read_texts(column, name in text, name in numbers)
                for name, column in zip(self.names, self.columns, strict=True)
            ],
            self.ordered,
        )
        if not table.n_rows and not may_be_empty:
            raise ValueError(
                f"{self.path} names {pluralize(len(table.names), 'column')} and has no row below them"
            )
        return table


def _listed(column: Any) -> Sequence[Any]:
    if isinstance(column, nw.Series):
        return column.to_list()
    cells: Sequence[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    return cells


def read_table(path: str | Path, text: Collection[str] = (), numbers: Collection[str] = ()) -> Columns:
    """Read a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        Separated text with a header line, compressed by gzip or not, or Parquet (needs polars
        or pyarrow): a file, a pipe, or ``-`` for standard input.
    text : collection of str, default=()
        Columns to leave as text even if all their cells are numbers or booleans.
    numbers : collection of str, default=()
        Columns whose leading zeros mean nothing.

    Returns
    -------
    Columns
        A column without a name is named by its place. Text columns whose cells are all numbers become
        numbers, those that are all true or false (in any case) become booleans; spaces around these are
        allowed. Columns of digits alone, some with leading zeros (the postal code 01067), stay text. Other
        cells are left as they are, with spaces around them. Empty cells, ``NA``, ``nan``, ``null``,
        ``None`` and ``?`` are missing.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is empty or no text, has no rows, its lines are of different lengths, or it
        is incomplete.
    ImportError
        If no installed library can read Parquet.
    """
    return read_file(path).table(text, numbers)


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
    with opened_table(path) as (file, is_parquet):
        if is_parquet:
            return _read_parquet(path, file)
        return next(text_batches(input_name(path), file))


@contextmanager
def opened_table(path: str | Path) -> Iterator[tuple[IO[Any], bool]]:
    """Open a file of a table.

    Parameters
    ----------
    path : str or Path
        The file, a pipe, or ``-`` for standard input.

    Yields
    ------
    file : binary or text file
        Its content: bytes of Parquet, or text.
    is_parquet : bool
        Which of the two.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file, or it is a folder.
    ValueError
        If it is neither Parquet nor text.
    """
    if Path(path).is_dir():
        raise IsADirectoryError(
            f"{path} is a folder, not a file; fit, verify and predict read a folder with --from-disk"
        )
    try:
        with open_input(path) as file:
            if file.peek(len(_PARQUET))[: len(_PARQUET)] == _PARQUET or is_parquet_name(path):
                yield file, True
                return
            begin = file.peek(8)
            if kind := next((kind for mark, kind in OTHER_CONTENT.items() if begin.startswith(mark)), None):
                raise ValueError(f"{input_name(path)} is {kind}")
            with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
                yield text, False
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{input_name(path)} is no text in UTF-8; save the table as CSV in UTF-8, or as Parquet"
        ) from None


def write_table(path: str | Path, table: Columns) -> None:
    """Write a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        The file, as for :func:`open_output`; the suffix decides, as in :func:`read_table`: tabs for
        ``.tsv``, else commas.
    table : Columns
        The table.

    Raises
    ------
    ImportError
        If Parquet is asked for and neither pyarrow nor polars is there.
    OSError
        If it cannot be written; an existing file is unchanged.
    """
    if is_parquet_name(path):
        columns = {name: column.tolist() for name, column in zip(table.names, table.values, strict=True)}
        content = io.BytesIO()
        nw.from_dict(columns, backend=_parquet_backend("pyarrow", "polars")).write_parquet(content)
        with open_output(path) as file:
            file.write(content.getbuffer())
        return
    delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
    with open_output(path) as file:
        write_rows(file, table.names, zip(*map(np.ndarray.tolist, table.values), strict=True), delimiter)


def write_rows(
    file: IO[bytes], names: Iterable[Any], rows: Iterable[Iterable[Any]], delimiter: str = ","
) -> None:
    """Write separated text in UTF-8.

    Parameters
    ----------
    file : binary file
        Where to write.
    names : iterable
        The cells of the header line.
    rows : iterable of iterable
        The cells of each row.
    delimiter : str, default=","
        The separator.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    finally:
        text.detach()


def is_parquet_name(path: str | Path) -> bool:
    """Return whether the name of a file says that it is Parquet.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    bool
        Whether it ends on ``.parquet`` or ``.pq``.
    """
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _parquet_backend(*libraries: str) -> Any:
    """Find the first library that is installed; pandas itself needs pyarrow for Parquet."""
    for name in libraries:
        if importlib.util.find_spec(name) is not None:
            return name
    raise ImportError("Parquet files need polars or pyarrow: pip install polars")


def _read_parquet(path: str | Path, file: IO[bytes]) -> File:
    backend = _parquet_backend("polars", "pyarrow")
    with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
        source = str(path)
        if not Path(path).is_file():  # the libraries read from any place, which pipes do not allow
            shutil.copyfileobj(file, copy)
            copy.flush()
            source = copy.name
        try:
            frame = nw.read_parquet(source, backend=backend)
            ordered = ordered_in_parquet(source, frame)
        except Exception as error:  # each library has errors of its own
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ValueError(
                f"{input_name(path)} is no complete Parquet file ({reason}); copy or write it again"
            ) from None
    return File(input_name(path), [str(name) for name in frame.columns], list(frame.iter_columns()), ordered)


def text_batches(path: str | Path, file: IO[str], max_cells: float = math.inf) -> Iterator[File]:
    """Read separated text with a header line.

    Parameters
    ----------
    path : str or Path
        The file's name, for messages.
    file : text file
        Its content.
    max_cells : float, default=inf
        The most cells of a batch, which has at least one row.

    Yields
    ------
    File
        Rows in their order; the first batch may have none, no other.

    Raises
    ------
    ValueError
        As for :func:`read_table`.
    """
    rows = _rows(path, file)
    names = [name.strip() or f"column {place}" for place, name in enumerate(next(rows, ()), start=1)]
    if not names:
        raise ValueError(f"{path} is empty; a header line and at least one row are needed")
    most = None if max_cells == math.inf else max(int(max_cells) // len(names), 1)
    batch = list(itertools.islice(rows, most))
    yield File(path, names, list(zip(*batch, strict=True)) if batch else [()] * len(names))
    while batch := list(itertools.islice(rows, most)):
        yield File(path, names, list(zip(*batch, strict=True)))


def _rows(path: str | Path, file: IO[str]) -> Iterator[list[str]]:
    """Yield the header and the rows, which have the same number of cells; empty lines are left out."""
    first = file.readline()
    while first and not first.strip():
        first = file.readline()
    reader = csv.reader(itertools.chain([first], file), delimiter=_delimiter(first), strict=True)
    n_cells = 0
    try:
        for row in filter(None, reader):
            n_cells = n_cells or len(row)
            if len(row) != n_cells:
                found = f"{pluralize(len(row), 'cell')}, but the header has {pluralize(n_cells, 'name')}"
                raise ValueError(f"{path}, line {reader.line_num}: {found}")
            yield row
    except csv.Error as error:
        raise ValueError(
            f"{path}, line {reader.line_num}: {error}; look for a quotation mark that is left open or alone"
        ) from None


def _delimiter(header: str) -> str:
    """Return the most frequent separator of the header line."""
    return max((",", ";", "\t", "|"), key=header.count)


def _of_series(series: nw.Series[Any]) -> NDArray[Any]:
    cells = series.to_list()
    if not series.dtype.is_numeric():
        return object_array(cells)
    return np.asarray([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
