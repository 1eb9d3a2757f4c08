"""Files of any size, and folders of them, read and written in batches."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import narwhals as nw

from .datasets import dataset_of
from .file_schemas import check_same_columns
from .streams import input_name, open_output
from .table_files import File, is_parquet_name, opened_table, text_batches, write_rows

_MAX_CELLS = 2**18
"""Cells of a batch: as texts about 20 MiB."""
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")


def read_batches(path: str | Path, *, may_be_empty: bool = False) -> Iterator[File]:
    """Read a file of a table, or a folder of such files, in batches.

    Parameters
    ----------
    path : str or Path
        A file as :func:`.table_files.read_file` takes it, a pipe, ``-`` for standard input; or a folder of
        Parquet files, or of text files, which are read in the order of their names.
    may_be_empty : bool, default=False
        Whether the table may have no rows, which are one batch without rows.

    Yields
    ------
    File
        At least one row each, or one batch without rows, with the same columns.

    Raises
    ------
    ValueError, OSError, ImportError
        As :func:`.table_files.read_table`; if the folder has no such file or files of both kinds, or if files
        of text have different columns.
    """
    files = _text_files(Path(path)) if Path(path).is_dir() else [Path(path)]
    is_empty, names = True, None
    for batch in itertools.chain.from_iterable(map(_of_file, files)) if files else _of_parquet(path):
        names = names or batch.names
        check_same_columns(files[0] if files else path, names, batch.path, batch.names)
        if len(batch.columns[0]):
            is_empty = False
            yield batch.select(names)
    if is_empty and not may_be_empty:
        raise ValueError(f"{input_name(path)} has no row")
    if is_empty:
        names = names or dataset_of(path).names
        yield File(path, names, [()] * len(names))


def _text_files(folder: Path) -> list[Path]:
    """List the text files of a folder; none if it has Parquet files."""
    files = sorted(file for file in folder.iterdir() if file.name.lower().endswith(_TEXT_SUFFIXES))
    has_parquet = any(map(is_parquet_name, folder.rglob("*")))
    if files and has_parquet:
        raise ValueError(f"the folder {folder} has Parquet files and text files; give a folder of one kind")
    if not files and not has_parquet:
        raise ValueError(f"the folder {folder} has no Parquet or CSV file")
    return files


def _of_file(path: Path) -> Iterator[File]:
    with opened_table(path) as (file, is_parquet):
        if not is_parquet:
            yield from text_batches(input_name(path), file, _MAX_CELLS)
        elif path.is_file():
            yield from _of_parquet(path)
        else:
            with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:  # Parquet is read from its end
                shutil.copyfileobj(file, copy)
                copy.flush()
                yield from _of_parquet(copy.name)


def _of_parquet(path: str | Path) -> Iterator[File]:
    data = dataset_of(path)
    n_rows = max(_MAX_CELLS // len(data.names), 1)
    for _, frame in data.read(data.names):
        for start in range(0, len(frame), n_rows):
            part = frame[start : start + n_rows]
            yield File(path, data.names, list(part.iter_columns()))


def write_batches(path: str | Path, batches: Iterator[File]) -> int:
    """Write batches of rows to one file, as :func:`.table_files.write_table` writes a table.

    Parameters
    ----------
    path : str or Path
        The file.
    batches : iterator of File
        At least one; all have the same columns.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    ImportError
        If Parquet is asked for without pyarrow.
    OSError
        If it cannot be written; an existing file is unchanged.
    """
    n_rows = 0

    def counted() -> Iterator[File]:
        nonlocal n_rows
        for batch in batches:
            n_rows += len(batch.columns[0])
            yield batch

    if is_parquet_name(path) and importlib.util.find_spec("pyarrow") is None:
        raise ImportError("Parquet files in batches need pyarrow: pip install pyarrow")
    found = counted()
    first = next(found)
    with open_output(path) as file:
        if is_parquet_name(path):
            _write_parquet(file, itertools.chain([first], found))
        else:
            rows = (row for batch in itertools.chain([first], found) for row in batch.rows())
            write_rows(file, first.names, rows, "\t" if Path(path).suffix.lower() == ".tsv" else ",")
    return n_rows


def _write_parquet(file: Any, batches: Iterator[File]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for batch in batches:
        arrays = [
            column.to_arrow() if isinstance(column, nw.Series) else pa.array(column)
            for column in batch.columns
        ]
        table = pa.Table.from_arrays(arrays, batch.names)
        writer = writer or pq.ParquetWriter(file, table.schema)
        writer.write_table(table.cast(writer.schema))
    if writer is not None:
        writer.close()
