"""Tables that are logs: a row is an event of a record, such as a page that a visitor opens."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing
from ..data.event_times import column_values, times_of
from ..data.frames import Columns
from ..data.id_numbers import names_things
from ..data.numbers_in_text import are_dates

_LEAST_RECORDS = 10
_ROWS_OF_A_RECORD = 2  # on average, at least
_ROWS_OF_AN_EVENT = 5
_MOST = 0.5  # of the records that have several rows
_IN_ORDER = 0.95  # of the rows that follow another, of all or of their record
_OF_PLACES = ("zip", "code")  # many rows share one without being its events
_ID = re.compile(r"[A-Za-z]{0,4}[-_/ ]?\d+(-\d+)*|[0-9a-f-]{8,36}", re.IGNORECASE)


class Log(NamedTuple):
    """The columns of a log.

    Parameters
    ----------
    record, event, time : str
        Their names.
    """

    record: str
    event: str
    time: str


class _Cells(NamedTuple):
    """The cells of a column as numbers of their distinct values.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The position of each cell among the distinct ones; -1 where it is missing.
    distinct : list
        The distinct cells.
    """

    codes: NDArray[np.intp]
    distinct: list[Any]


def log_of(table: Columns, target: str | None, ids: Sequence[str]) -> Log | None:
    """Find the columns of a log.

    A log has records that several rows belong to each, events of few kinds that change within them, and
    times. Panels of measurements, such as daily sales of stores, have the same columns. In a log the target
    is one of the record; without a target no number is measured anew in each row, and the rows are in the
    order of time.

    Parameters
    ----------
    table : Columns
        The table.
    target : str or None
        The column to predict.
    ids : sequence of str
        Columns of whole numbers that name things.

    Returns
    -------
    Log or None
        None for any other table.

    Examples
    --------
    >>> rows = np.arange(60)
    >>> days = np.asarray([f"2026-03-{1 + row // 4:02d}" for row in rows], dtype=object)
    >>> pages = np.asarray(["home", "cart", "pay"], dtype=object)[rows % 7 % 3]
    >>> log_of(Columns(["visit", "page", "day"], [rows % 12, pages, days]), None, ["visit"])
    Log(record='visit', event='page', time='day')
    """
    # Lists in cells are refused when the table is read.
    columns = {n: v for n, v in zip(table.names, table.values, strict=True) if _are_hashable(v)}
    coded = {
        name: _coded(values) for name, values in columns.items() if values.dtype.kind == "O" or name in ids
    }
    dates = [name for name in coded if name not in ids and are_dates(coded[name].distinct)]
    kinds = [name for name in coded if name not in (target, *dates)]
    records = [
        name
        for name in kinds
        if (name in ids or _are_ids(name, coded[name].distinct))
        and not name.lower().endswith(_OF_PLACES)
        and _is_of_records(coded[name], table.n_rows)
    ]
    if not dates or not records:
        return None
    record = max(records, key=lambda name: (names_things(name), name not in ids, len(coded[name].distinct)))
    rows_of = coded[record].codes
    events = [
        name
        for name in kinds
        if name != record
        and _ROWS_OF_AN_EVENT * len(coded[name].distinct) <= table.n_rows
        and _changes(rows_of, coded[name].codes)
    ]
    if not events:
        return None
    if target is not None:
        is_log = target in columns and not _changes(rows_of, _coded(columns[target]).codes, 0.0)
    else:
        numbers = [name for name, values in columns.items() if values.dtype.kind in "iuf" and name != record]
        is_log = _are_in_order(columns[dates[0]], rows_of) and not any(
            _changes(rows_of, _coded(columns[name]).codes) for name in numbers if not names_things(name)
        )
    event = max(events, key=lambda name: len(coded[name].distinct))
    return Log(record, event, dates[0]) if is_log else None


def _are_hashable(values: NDArray[Any]) -> bool:
    return values.dtype.kind != "O" or all(isinstance(cell, Hashable) for cell in values.tolist())


def _coded(values: NDArray[Any]) -> _Cells:
    numbers: dict[Any, int] = {}
    codes = [-1 if is_missing(cell) else numbers.setdefault(cell, len(numbers)) for cell in values.tolist()]
    return _Cells(np.asarray(codes, dtype=np.intp), list(numbers))


def _are_ids(name: str, distinct: Sequence[Any]) -> bool:
    """Return whether texts name single things, by the column's name or their form (``C-1041``)."""
    return names_things(name) or all(_ID.fullmatch(str(cell)) for cell in distinct)


def _is_of_records(cells: _Cells, n_rows: int) -> bool:
    n = len(cells.distinct)
    return n >= _LEAST_RECORDS and n_rows >= _ROWS_OF_A_RECORD * n


def _changes(records: NDArray[np.intp], codes: NDArray[np.intp], most: float = _MOST) -> bool:
    """Return whether cells differ within more than a part of the records of several rows."""
    order = np.argsort(records, kind="stable")
    inside = records[order][1:] == records[order][:-1]
    several = np.unique(records[order][1:][inside])
    differ = np.unique(records[order][1:][inside & (codes[order][1:] != codes[order][:-1])])
    return differ.size > most * several.size


def _are_in_order(times: NDArray[Any], records: NDArray[np.intp]) -> bool:
    """Return whether times do not decrease, from one row to the next or within each record."""
    with suppress(TypeError, ValueError):
        found = times_of(column_values(times), "time")
        later = found[1:] >= found[:-1]
        order = np.argsort(records, kind="stable")
        inside = records[order][1:] == records[order][:-1]
        own = (found[order][1:] >= found[order][:-1])[inside]
        return bool(max(later.mean(), own.mean()) >= _IN_ORDER)
    return False
