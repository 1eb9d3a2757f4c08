"""Categories of new rows that training did not see: an error, a warning, or missing values."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from ..formatting.numbers import format_percent
from ..formatting.text import format_names, plain_text, pluralize, spelled_otherwise
from .columns import Column, Level
from .fit_rows import with_known_categories
from .inputs import Table
from .schema import Schema

_TOO_MANY_NEW = 20
"""So many different categories of a column, all unknown, are hardly new ones."""


class UnknownCategories:
    """The unknown categories of rows that come in batches.

    Attributes
    ----------
    start : int
        The number of rows before the batch that is read.
    """

    def __init__(self) -> None:
        self.start = 0
        self._first: dict[str, tuple[int, Level, str]] = {}
        self._counts: dict[str, dict[int, int]] = {}  # of each column, by the start of the batch
        self._n_rows = 0

    def count(self, n_rows: int) -> None:
        """Count the rows of a batch.

        Parameters
        ----------
        n_rows : int
            Their number.
        """
        self._n_rows = max(self._n_rows, self.start + n_rows)

    def add(self, name: str, row: int, level: Level, n_rows: int, others: str) -> None:
        """Count the rows of one column and batch; a batch that is read again is counted once.

        Parameters
        ----------
        name : str
            The column.
        row : int
            The first row of the batch with an unknown category.
        level : level
            This category.
        n_rows : int
            The number of such rows.
        others : str
            That their values are of another type than in training, if they are.
        """
        self._first.setdefault(name, (self.start + row, level, others))
        self._counts.setdefault(name, {})[self.start] = n_rows

    @property
    def names(self) -> Collection[str]:
        """The columns that are warned of."""
        return self._first.keys()

    def warn(self) -> None:
        """Warn once for each column."""
        for name, (row, level, others) in self._first.items():
            sentence = _sentence(name, row, level, sum(self._counts[name].values()), self._n_rows)
            warnings.warn(f"{sentence}; it counts as missing{others}", stacklevel=5)


_BATCHES: ContextVar[UnknownCategories | None] = ContextVar("unknown categories of batches", default=None)


@contextmanager
def one_warning_for_all_batches() -> Iterator[UnknownCategories]:
    """Join the warnings about unknown categories of several tables, which are batches of one.

    Yields
    ------
    UnknownCategories
        What was found so far, whose `start` the caller sets before each batch.

    Warns
    -----
    UserWarning
        At the end, once for each column with unknown categories.
    """
    found = UnknownCategories()
    token = _BATCHES.set(found)
    try:
        yield found
    finally:
        _BATCHES.reset(token)
    found.warn()


def apply_handle_unknown(table: Table, schema: Schema, handle: str, used: Collection[int]) -> Table:
    """Refuse unknown categories of the columns that matter, or replace unknown categories by missing values.

    Rows of weight 0 may have any, where :func:`~thresher.data.fit_rows.rows_of_weight` says which they are.

    Parameters
    ----------
    table : Table
        Rows to predict; levels that the model knows come first in their columns.
    schema : Schema
        The schema of the training table.
    handle : {"error", "missing", "warn"}
        "error" leaves those of other columns as they are.
    used : collection of int
        The positions of the columns that matter.

    Returns
    -------
    Table
        The rows.

    Raises
    ------
    ValueError
        If `handle` is "error" and there is one.

    Warns
    -----
    UserWarning
        If `handle` is "warn" and there is one; if it is "missing", of a column that matters whose new
        categories are of another type than those of training, or most of them the same but for spaces, case
        or leading zeros, or which has at least 20, all of them new.
    """
    table = with_known_categories(table, schema)
    batches = _BATCHES.get()
    found = UnknownCategories() if batches is None else batches
    found.count(table.n_rows)
    columns: list[Column] = []
    for place, (column, known) in enumerate(zip(table.columns, schema.levels, strict=True)):
        if not isinstance(column, tuple) or known is None:
            columns.append(column)
            continue
        codes, levels = column
        unknown = codes >= len(known)
        if place in used and unknown.any():
            name, row, n_new = table.names[place], int(unknown.argmax()), int(unknown.sum())
            level, new = levels[int(codes[row])], np.unique(codes[unknown])
            of_new = [levels[code] for code in new]
            others = _of_other_type(of_new, known) or _spelled_otherwise(of_new, schema.texts[place])
            if handle == "error":
                sentence = _sentence(name, row, level, n_new, codes.size)
                raise ValueError(f"{sentence}{others}; {_how_to_go_on(known)}")
            are_all_new = new.size >= _TOO_MANY_NEW and n_new == int((codes >= 0).sum())
            if handle == "warn" or others or are_all_new:
                found.add(name, row, level, n_new, others)
        columns.append((np.where(unknown, -1, codes).astype(codes.dtype), known))
    if batches is None:
        found.warn()
    if handle == "error":
        return table
    return Table(columns, table.names, table.feature_names, table.n_rows)


def _sentence(name: str, row: int, level: Level, n_new: int, n_rows: int) -> str:
    share = format_percent(n_new / n_rows)
    further = (
        f" (and {pluralize(n_new - 1, 'further row')} with such values, {share} of all)" if n_new > 1 else ""
    )
    return f"column '{name}' holds {level!r} in row {row}, a category that training did not see{further}"


def _of_other_type(new: Sequence[Level], known: Sequence[Level]) -> str:
    """Say that new categories are of another type than those of training; empty where they are not."""
    types = {_type_name(level) for level in new}
    if not known or any(_type_name(level) in types for level in known):
        return ""
    return (
        f"; these values are {_type_name(new[0])}, those of training are {_type_name(known[0])}, such as "
        f"{known[0]!r}: convert the column to the type of training"
    )


def _spelled_otherwise(new: Sequence[Level], texts: Mapping[str, str]) -> str:
    """Say that most new texts are those of training but for spaces, case or leading zeros, if they are."""
    n_alike = sum(isinstance(level, str) and plain_text(level) in texts for level in new)
    return "" if 2 * n_alike < len(new) else f"; {spelled_otherwise(new, texts)}"


def _type_name(level: Level) -> str:
    if isinstance(level, str):
        return "text"
    return "booleans" if isinstance(level, bool) else "numbers"


def _how_to_go_on(known: Sequence[Level]) -> str:
    return (
        f"known are {format_names(known)}. Replace it by one of these or by a missing value, or let unknown "
        "categories count as missing, without a new fit: model.set_params(handle_unknown='missing')"
    )
