"""Tables that are read in batches: Parquet files, data sets of Arrow, lazy frames, lists of frames."""

from __future__ import annotations

import importlib.util
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw

from ..formatting.text import format_names
from .batch_frames import as_frame, is_batch
from .fetching import fetched
from .file_schemas import schemas_to_read
from .frames import names_of, repeated, text_names

BATCH_ROWS = 2**16
"""Rows of a batch: of 50 columns of numbers, 25 MiB."""


@dataclass(frozen=True)
class Dataset:
    """A table that can be read in batches more than once.

    Parameters
    ----------
    names : list of str
        The columns' names.
    batches : callable
        Given names of columns, returns an iterator over data frames that hold them, in the order of the rows.
    n_rows : int, optional
        The number of rows, where it is known before they are read.
    named : bool, default=True
        Whether the user named the columns; frames of pandas may number them, and :meth:`read` gives names.
    is_slow : bool, default=False
        Whether a library may take long for a batch, which another thread fetches then.
    """

    names: list[str]
    batches: Callable[[list[str]], Iterable[Any]]
    n_rows: int | None = None
    named: bool = True
    is_slow: bool = False

    def read(
        self, columns: Sequence[str], look: Callable[[int], None] = lambda _: None
    ) -> Iterator[tuple[int, nw.DataFrame[Any]]]:
        """Read some columns.

        Parameters
        ----------
        columns : sequence of str
            Their names.
        look : callable, optional
            Called with the number of rows that were read while a batch is awaited; it may raise an error.

        Yields
        ------
        tuple of (int, narwhals.DataFrame)
            The number of rows before a batch, and the batch; none is empty.

        Raises
        ------
        TypeError
            If a batch is no data frame.
        ValueError
            If a batch lacks one of the columns, or has one that the first batch lacks.
        """
        start = 0
        batches = self.batches(list(columns))
        if self.is_slow:
            batches = fetched(batches, lambda: look(start))
        for batch in batches:
            frame = as_frame(batch)
            if missing := [name for name in columns if name not in frame.columns]:
                raise ValueError(f"the batch that begins at row {start} lacks {format_names(missing)}")
            if more := [name for name in frame.columns if name not in self.names]:
                raise ValueError(
                    f"the batch that begins at row {start} has {format_names(more)}; the first one has not"
                )
            if len(frame):
                yield start, frame.select(*columns)
                start += len(frame)


@contextmanager
def naming_first_row(start: int) -> Iterator[None]:
    """Add to an error about a row of a batch where the batch begins.

    Parameters
    ----------
    start : int
        The number of rows before the batch.

    Yields
    ------
    None
        While the batch is used.

    Raises
    ------
    TypeError, ValueError
        If they are raised in the meantime.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        if not start or " row " not in str(error):
            raise
        raise type(error)(f"{error} (rows are counted from row {start} of the data)") from error


def is_dataset(X: Any) -> bool:
    """Return whether an object is a table that is read in batches.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Returns
    -------
    bool
        Whether :func:`dataset_of` reads it.

    Examples
    --------
    >>> is_dataset(Path("train.parquet")), is_dataset([[1.0, 2.0]])
    (True, False)
    """
    return (
        isinstance(X, (str, os.PathLike, Dataset))
        or _is_lazy(X)
        or hasattr(X, "scanner")
        or hasattr(X, "read_next_batch")
        or (isinstance(X, (list, tuple)) and bool(X) and is_batch(X[0]))
        or (callable(X) and not hasattr(X, "__array__") and not isinstance(X, type))
    )


def dataset_of(X: Any) -> Dataset:
    """Open a table that is read in batches.

    Parameters
    ----------
    X : path, pyarrow.dataset.Dataset, polars.LazyFrame, list of frames or callable
        A Parquet file or a folder of them; a data set; a lazy frame; record batches or data frames in a list;
        or a function without arguments that returns an iterator over them, each time from the start.

    Returns
    -------
    Dataset
        The table.

    Raises
    ------
    TypeError
        If `X` can be read once only, or is none of the above.
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file is no Parquet file, there is no batch, or two columns share a name.
    ImportError
        If no installed library reads Parquet.
    """
    if isinstance(X, Dataset):
        return X
    if hasattr(X, "read_next_batch"):
        raise TypeError(
            "X is a reader of record batches, which can be read once, and fit and verify read twice; give a "
            "function that opens it, such as fit(lambda: open_reader(), ...)"
        )
    found = _opened(X)
    if twice := repeated(found.names):
        raise ValueError(f"X has more than one column named {format_names(twice)}; names must differ")
    return found


def read_once(X: Any) -> Any:
    """Return what a prediction reads: a table, of a reader or an iterator of batches too.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Returns
    -------
    object
        A table that is read in batches in place of a reader or an iterator of them; else `X` itself.

    Examples
    --------
    >>> read_once([[1.0, 2.0]])
    [[1.0, 2.0]]
    """
    if hasattr(X, "read_next_batch"):
        reader = iter(X)
        if (first := next(reader, None)) is None:
            raise ValueError("X is a reader without batches: it was read before, or its source has no rows")
        return Dataset(list(X.schema.names), lambda _: itertools.chain([first], reader))
    if isinstance(X, Iterator):
        first = next(X, None)
        if first is None or is_batch(first):
            batches = [] if first is None else itertools.chain([first], X)
            return _of_batches(lambda: batches)
    return X


def _opened(X: Any) -> Dataset:
    if isinstance(X, (str, os.PathLike)):
        return _of_path(Path(X))
    if _is_lazy(X):
        return _of_lazy_frame(X)
    if hasattr(X, "scanner"):
        return _of_arrow(list(X.schema.names), [(X, None)])
    if callable(X):
        return _of_batches(X)
    return _of_batches(lambda: X)


def _is_lazy(X: Any) -> bool:
    return hasattr(type(X), "collect") and hasattr(type(X), "collect_schema")


def _of_path(path: Path) -> Dataset:
    path = path.expanduser()
    if not path.exists():
        is_pattern = any(sign in path.name for sign in "*?[")
        hint = f"; give the folder {path.parent}, or pyarrow.dataset.dataset(files)" if is_pattern else ""
        raise FileNotFoundError(f"there is no file or folder {path}{hint}")
    if importlib.util.find_spec("pyarrow") is not None:
        import pyarrow as pa
        import pyarrow.dataset as ds

        try:
            data = ds.dataset(path, format="parquet", partitioning="hive")
            files = {file.path: file for file in data.get_fragments()}
            schemas = {name: file.physical_schema for name, file in files.items()}
        except pa.ArrowTypeError as error:  # x=1/0.parquet has a column x of texts
            raise ValueError(
                f"the names of folders in {path} and the columns of files have different types: "
                f"{str(error).splitlines()[0]}; rename one of them"
            ) from None
        except (pa.ArrowInvalid, OSError) as error:
            reason = str(error).splitlines()[0]
            if "duplicate field names" in reason:
                raise ValueError(f"{path} has several columns of the same name; names must differ") from None
            hint = (
                "; read CSV first, such as X = pandas.read_csv(path)" if ".csv" in path.name.lower() else ""
            )
            raise ValueError(
                f"{path} is no complete Parquet file, nor a folder of such files alone ({reason}){hint}"
            ) from None
        if not files:
            raise ValueError(f"the folder {path} has no Parquet file")
        read_as = schemas_to_read(data.schema, schemas)
        parts: list[tuple[Any, Any]] = list(zip(files.values(), read_as, strict=True))
        if all(schema == read_as[0] for schema in read_as):  # small files are opened faster together
            if read_as[0] != data.schema:
                data = ds.dataset(path, format="parquet", partitioning="hive", schema=read_as[0])
            parts = [(data, None)]
        n_rows = sum(file.metadata.num_rows for file in files.values())
        return _of_arrow(list(data.schema.names), parts, n_rows)
    if importlib.util.find_spec("polars") is not None:
        import polars as pl

        return _of_lazy_frame(pl.scan_parquet(path))
    raise ImportError("Parquet files need polars or pyarrow: pip install pyarrow")


def _of_arrow(names: list[str], parts: Sequence[tuple[Any, Any]], n_rows: int | None = None) -> Dataset:
    """Return the table of data sets or files of Arrow, with the schemas with which they are read."""
    # Each batch that is read ahead takes memory; within a file one is enough while another is used.
    options = {"batch_size": BATCH_ROWS, "batch_readahead": 1, "fragment_readahead": 1}

    def batches(columns: list[str]) -> Iterator[Any]:
        for data, schema in parts:
            read_as = {} if schema is None else {"schema": schema}
            scanner = data.scanner(columns=columns, **read_as, **options, **_options_of_files(data))
            yield from scanner.to_batches()

    return Dataset(names, batches, n_rows, is_slow=True)


def _options_of_files(data: Any) -> dict[str, Any]:
    """Return how files are scanned.

    Arrow reads a Parquet file ahead as a whole, which gains time with object stores. On this machine it takes
    memory alone.
    """
    import pyarrow.dataset as ds
    from pyarrow.fs import LocalFileSystem

    is_local = isinstance(getattr(data, "filesystem", None), LocalFileSystem)
    if not (is_local and isinstance(data.format, ds.ParquetFileFormat)):
        return {}
    return {"fragment_scan_options": ds.ParquetFragmentScanOptions(pre_buffer=False)}


def release_unused_memory() -> None:
    """Return to the system what Arrow keeps of the batches that were read, for batches to come."""
    if pyarrow := sys.modules.get("pyarrow"):
        pyarrow.default_memory_pool().release_unused()


def _of_lazy_frame(frame: Any) -> Dataset:
    if not hasattr(frame, "collect_batches"):
        raise TypeError(
            f"X is a {type(frame).__module__.partition('.')[0]} lazy frame that cannot be read in batches; "
            "update polars, or call .collect() on it first"
        )

    def batches(columns: list[str]) -> Iterator[Any]:
        yield from frame.select(columns).collect_batches(chunk_size=BATCH_ROWS, maintain_order=True)

    return Dataset(frame.collect_schema().names(), batches, is_slow=True)


def _of_batches(batches: Callable[[], Iterable[Any]]) -> Dataset:
    """Return the table of a function, whose first call gives both the names and the first reading."""
    given = batches()
    is_table = is_batch(given) or (
        is_dataset(given) and not isinstance(given, (list, tuple)) and not hasattr(given, "read_next_batch")
    )
    if is_table or not isinstance(given, Iterable):
        raise TypeError(
            f"X is a function that returned a {type(given).__name__}; it must return an iterator over record "
            "batches or data frames, such as lambda: iter([frame]), or give what it returned itself as X"
        )
    iterator = iter(given)
    first = next(iterator, None)
    if first is None:
        raise ValueError("X has no batches; give at least one")
    begun = [itertools.chain([first], iterator)]

    def read(_: list[str]) -> Iterable[Any]:
        if begun:
            return begun.pop()
        again = batches()
        if again is given and isinstance(again, Iterator):
            raise TypeError(
                "X is a function that gave the same iterator twice, whose batches were read by then; it must "
                "make one at each call, such as lambda: pyarrow.parquet.ParquetFile(path).iter_batches()"
            )
        return again

    return Dataset(as_frame(first).columns, read, named=text_names(names_of(first)) is not None)
