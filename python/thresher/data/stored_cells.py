"""Cells of text files as Parquet stores them: each column has one type, which fits all of its cells."""

from __future__ import annotations

import math
import pickle
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from .columns import object_array
from .table_files import File
from .text_cells import read_texts

_WHOLE = re.compile(r"[+-]?\d+")
_MAX_DIGITS = 18  # more may be beyond the whole numbers of 64 bits
_NOTHING = type(None)
_STORED = {int: nw.Int64(), float: nw.Float64(), bool: nw.Boolean(), str: nw.String(), _NOTHING: None}


def stored_file(file: File, text: Collection[str], numbers: Collection[str]) -> File:
    """Return a file with the types that its cells are read as.

    Parameters
    ----------
    file : File
        The file. Columns that are no texts, those of Parquet, are unchanged.
    text, numbers : collection of str
        As for :func:`.table_files.read_table`.

    Returns
    -------
    File
        Objects in place of texts: whole numbers, numbers, truth values or texts, and None for missing. Whole
        numbers of more than 18 digits stay text, unless they are among `numbers`.
    """
    columns = [
        object_array(_as_type(column, _common_type({_type_of(column, name in text, name in numbers)})))
        if isinstance(column, tuple)
        else column
        for name, column in zip(file.names, file.columns, strict=True)
    ]
    return replace(file, columns=columns)


def stored_batches(
    batches: Iterator[File], text: Collection[str], numbers: Collection[str]
) -> Iterator[File]:
    """Give the cells of batches the types that fit all of them; they wait for the last in a temporary file.

    Parameters
    ----------
    batches : iterator of File
        The batches, with the same columns.
    text, numbers : collection of str
        As for :func:`stored_file`.

    Yields
    ------
    File
        The batches, with narwhals Series (of Arrow) in place of texts.
    """
    with tempfile.TemporaryFile() as waiting:
        types: dict[str, set[type]] = {}
        n_waiting = 0
        for batch in batches:
            if not any(isinstance(column, tuple) for column in batch.columns):
                yield batch
                continue
            for name, column in zip(batch.names, batch.columns, strict=True):
                if isinstance(column, tuple):
                    types.setdefault(name, set()).add(_type_of(column, name in text, name in numbers))
            pickle.dump((batch.path, batch.names, batch.columns), waiting)
            n_waiting += 1
        found = {name: _common_type(each) for name, each in types.items()}
        waiting.seek(0)
        for _ in range(n_waiting):
            batch = File(*pickle.load(waiting))
            columns = [
                nw.new_series(name, _as_type(column, found[name]), _STORED[found[name]], backend="pyarrow")
                if name in found
                else column
                for name, column in zip(batch.names, batch.columns, strict=True)
            ]
            yield replace(batch, columns=columns)


def _type_of(texts: Sequence[str], as_text: bool, as_numbers: bool) -> type:
    """Return the type of the cells: int, float, bool or str; that of None if all are missing."""
    values = read_texts(texts, as_text, as_numbers)
    if values.dtype.kind != "f":
        return next((type(value) for value in values.tolist() if value is not None), _NOTHING)
    present = [texts[row].strip() for row in np.flatnonzero(~np.isnan(values)).tolist()]
    if not present:
        return _NOTHING
    if not all(map(_WHOLE.fullmatch, present)):
        return float
    if max(map(len, present)) <= _MAX_DIGITS:
        return int
    return float if as_numbers else str


def _common_type(types: set[type]) -> type:
    """Return the type that fits cells of several types."""
    found = types - {_NOTHING} or {_NOTHING}
    if found == {int, float}:
        return float
    return found.pop() if len(found) == 1 else str


def _as_type(texts: Sequence[str], kind: type) -> list[Any]:
    """Convert cells that are of a type; None for missing."""
    if kind is int:
        cells = read_texts(texts, as_text=True).tolist()
        return [None if cell is None else int(cell) for cell in cells]
    values = read_texts(texts, as_text=kind is str, as_numbers=kind is float).tolist()
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]
