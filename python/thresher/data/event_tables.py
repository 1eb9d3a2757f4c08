"""Sequences from a long table: one row an event, with the record that it belongs to and its time."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..formatting.composition import composed_alike, spelled_alike
from ..formatting.text import did_you_mean, format_names, pluralize
from .columns import is_missing
from .event_times import column_values, session_gap_of, times_of
from .frames import Columns, repeated
from .label_types import written_otherwise
from .vocabulary import check_label

_SAME_TIME = ("order", "set")


@dataclass(frozen=True)
class EventSequences:
    """The sequences of a long table; a list of them that remembers where each comes from.

    It can be given to the estimators as `X`.

    Parameters
    ----------
    sequences : list of list
        The events of each sequence, in the order of their times; sets where events have the same time and
        this was asked for.
    records : list
        The record that each sequence belongs to: labels of the column `record`. Give them as groups to a
        cross-validation, so that the sessions of a visitor are in one fold.
    sessions : list of int
        The number of the sequence among those of its record, from 0.
    starts : list
        The time of the first event of each sequence, as in the table (of a column with a time zone the local
        time); None without times or events.

    Examples
    --------
    >>> from thresher import EventSequences
    >>> made = EventSequences([["a", "b"], ["b"]], ["eve", "bob"], [0, 0], [None, None])
    >>> len(made), made[0], made.align({"bob": 1.0, "eve": 2.0})
    (2, ['a', 'b'], [2.0, 1.0])
    >>> made[[False, True]].records
    ['bob']
    """

    sequences: list[list[Any]]
    records: list[Any]
    sessions: list[int]
    starts: list[Any]

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.sequences)

    def __iter__(self) -> Iterator[list[Any]]:
        """Iterate over the sequences."""
        return iter(self.sequences)

    def __repr__(self) -> str:
        """Return the numbers of sequences and records."""
        n_records = len(dict.fromkeys(self.records))
        return (
            f"{type(self).__name__}({pluralize(len(self), 'sequence')} of {pluralize(n_records, 'record')})"
        )

    def __getitem__(self, place: Any) -> Any:
        """Return a sequence by its position; several, with their records, by a slice, positions or a mask."""
        if not (isinstance(place, slice) or np.ndim(place)):
            return self.sequences[place]
        chosen = np.asarray([], dtype=np.intp) if not isinstance(place, slice) and not len(place) else place
        chosen = chosen if isinstance(chosen, slice) else np.asarray(chosen)
        rows = np.arange(len(self))[chosen].tolist()
        parts: Any = (self.sequences, self.records, self.sessions, self.starts)
        return type(self)(*([values[row] for row in rows] for values in parts))

    def align(self, values: Any) -> list[Any]:
        """Return the value of each sequence's record.

        Parameters
        ----------
        values : mapping of record to value, or pandas Series
            The values by record; the index of a Series holds the records.

        Returns
        -------
        list
            One value for each sequence, in their order; the sessions of a record have the same.

        Raises
        ------
        ValueError
            If a record has no value, or several.
        TypeError
            If `values` is neither a mapping nor a Series with an index.
        """
        if hasattr(values, "index") and hasattr(values, "tolist"):
            labels = values.index.tolist()
            if twice := repeated(labels):
                raise ValueError(
                    f"values: the index holds {twice[0]!r} several times; give one value a record"
                )
            values = dict(zip(labels, values.tolist(), strict=True))
        if not isinstance(values, Mapping):
            raise TypeError(
                f"values: got {type(values).__name__}; give a dict of record: value, or a pandas Series "
                "whose index holds the records"
            )
        lost = [record for record in dict.fromkeys(self.records) if record not in values]
        if lost:
            raise ValueError(
                f"values: there is none for {pluralize(len(lost), 'record')}: {format_names(lost)}; its keys "
                f"are {format_names(list(values)) or 'none'}"
            )
        return [values[record] for record in self.records]


def sequences_from_table(
    table: Any,
    *,
    record: str,
    event: str,
    time: str | None = None,
    session_gap: Any = None,
    gap_marker: Hashable | None = None,
    same_time: str = "order",
    records: Any = None,
) -> EventSequences:
    """Collect the sequences of a long table, which has one row for each event.

    The rows may have any order: the events of a record are sorted by time, those at the same time keep the
    order of their rows. Records are in the order in which they appear first; `records` gives another one, and
    :meth:`EventSequences.align` the targets of each.

    Parameters
    ----------
    table : pandas, polars or pyarrow data frame, or dict of columns
        The events.
    record : str
        The column that says to which record an event belongs: a visitor, a machine, a patient.
    event : str
        The column of the events: text, numbers, anything hashable.
    time : str, optional
        The column of times: dates, numbers, or text (``2026-03-01T09:30:00``, ``01.03.2026 9:30``). Without
        it the order of the rows counts.
    session_gap : timedelta, str or number, optional
        A pause of more than this begins a new session. For dates a ``timedelta`` or a text such as
        ``"30min"``, for numbers a number in their unit.
    gap_marker : hashable, optional
        By default each session is a sequence of its own. With a marker all sessions of a record remain one
        sequence, with the marker as an event between two sessions.
    same_time : {"order", "set"}, default="order"
        Events of one record at the same time: "order": one after another, as their rows; "set": one event
        that is a set of items, as in a basket of goods.
    records : sequence, optional
        The records to return, in this order, such as the index of a Series of targets. One without events has
        an empty sequence; events of other records are ignored. By default all records in the order in which
        they first occur in the table.

    Returns
    -------
    EventSequences
        The sequences, record by record, with the names of their records.

    Raises
    ------
    ValueError
        If a column does not exist, or holds missing values or empty texts; the message names the first row.
    TypeError
        If `table` is not a table, times are neither dates nor numbers, or `session_gap` does not fit them.

    Examples
    --------
    >>> from thresher import sequences_from_table
    >>> clicks = {
    ...     "user": ["eve", "bob", "eve", "eve"],
    ...     "page": ["pay", "home", "home", "help"],
    ...     "at": [7, 1, 5, 90],
    ... }
    >>> made = sequences_from_table(clicks, record="user", event="page", time="at", session_gap=30)
    >>> list(zip(made.records, made.sessions, made.sequences))
    [('eve', 0, ['home', 'pay']), ('eve', 1, ['help']), ('bob', 0, ['home'])]
    """
    return sequences_and_places(table, record, event, time, session_gap, gap_marker, same_time, records)[0]


def sequences_and_places(
    table: Any,
    record: str,
    event: str,
    time: str | None,
    session_gap: Any,
    gap_marker: Hashable | None,
    same_time: str,
    records: Any,
) -> tuple[EventSequences, NDArray[np.intp]]:
    """Make the sequences of a long table, and say which of them each row belongs to.

    Parameters
    ----------
    table, record, event, time, session_gap, gap_marker, same_time, records : object
        As for :func:`sequences_from_table`.

    Returns
    -------
    sequences : EventSequences
        The sequences.
    places : ndarray of shape (n_rows,)
        The position of the sequence of each row of the table; -1 for rows of other records.
    """
    _check_options(time, session_gap, gap_marker, same_time)
    if record == event:
        raise ValueError(f"event: got {event!r}, the column of records; name that of the events")
    columns = _columns_of(table, [record, event, *([] if time is None else [time])])
    shown = None if time is None else _columns_of(table, [time], in_utc=False)[time]
    owners, events = _labels(columns[record], record), _labels(columns[event], event)
    if gap_marker is not None and gap_marker in set(events):
        raise ValueError(
            f"gap_marker: {gap_marker!r} is an event of the column {event!r}; give another label"
        )
    _warn_of_spellings(events, event)
    wanted = _wanted(owners, records)
    times = np.arange(len(owners)) if time is None else times_of(columns[time], time)
    gap = None if session_gap is None else session_gap_of(session_gap, times, str(time))
    place = {name: number for number, name in enumerate(wanted)}
    codes = np.fromiter((place.get(owner, -1) for owner in owners), dtype=np.int64, count=len(owners))
    order = np.lexsort((times, codes))  # a stable sort: by record, then by time
    order = order[codes[order] >= 0]
    starts = _starts(codes[order], times[order], gap)
    parts = _parts(
        [events[row] for row in order.tolist()], starts, times[order] if same_time == "set" else None
    )
    made = EventSequences([], [], [], [])
    firsts = [None] * len(parts) if shown is None else list(shown[order[starts]])
    at, of_parts = 0, list[int]()
    for name, count in zip(wanted, _counts(codes[order[starts]], len(wanted)), strict=True):
        own, begun = parts[at : at + count] or [[]], firsts[at : at + count] or [None]
        at += count
        if gap_marker is not None:
            own, begun = [_joined(own, gap_marker)], begun[:1]
        of_parts += [len(made.sequences) + min(part, len(own) - 1) for part in range(count)]
        made.sequences.extend(own)
        made.records.extend([name] * len(own))
        made.sessions.extend(range(len(own)))
        made.starts.extend(begun)
    places = np.full(len(owners), -1, dtype=np.intp)
    places[order] = np.repeat(np.asarray(of_parts, dtype=np.intp), np.diff([*starts, order.size]))
    return made, places


def _check_options(time: str | None, session_gap: Any, gap_marker: Any, same_time: str) -> None:
    if same_time not in _SAME_TIME:
        raise ValueError(f"same_time: got {same_time!r}; give 'order' or 'set'")
    if time is None and (session_gap is not None or same_time == "set"):
        name = "session_gap" if session_gap is not None else "same_time"
        raise ValueError(f"{name}: needs times; name their column with time")
    if gap_marker is not None and session_gap is None:
        raise ValueError("gap_marker: marks the pauses of session_gap, which is not given")


def _columns_of(table: Any, names: Sequence[str], *, in_utc: bool = True) -> Columns:
    """Return columns of a table by name, as arrays of :func:`column_values`."""
    if isinstance(table, Columns):
        known, frame = table.names, None
    elif isinstance(table, Mapping):
        known, frame = list(table), None
    else:
        try:
            frame = nw.from_native(table, eager_only=True, pass_through=True)
        except nw.exceptions.DuplicateError:
            twice = repeated(table.columns)[0]
            raise ValueError(f"table: two columns share the name {twice!r}; names must differ") from None
        if not isinstance(frame, nw.DataFrame):
            raise TypeError(
                f"table: got {type(table).__name__}; give a data frame (pandas, polars, pyarrow) or a "
                "dict of columns"
            )
        known = frame.columns
    lost = [name for name in names if name not in known]
    if lost:
        listed = list(map(str, known))
        meant = did_you_mean(lost[0], listed)
        raise ValueError(
            f"table: there is no column {lost[0]!r}{meant}; its columns are {format_names(listed)}"
        )
    return Columns(
        list(dict.fromkeys(names)),
        [column_values(_series(table, frame, name), in_utc=in_utc) for name in dict.fromkeys(names)],
    )


def _series(table: Any, frame: Any, name: str) -> Any:
    return table[name] if frame is None else frame.get_column(name)


def _labels(column: NDArray[Any], name: str) -> list[Hashable]:
    """Return the labels of a column; each distinct one is checked once."""
    values = column.tolist()
    try:
        checked = {value: _label(value, name, 0) for value in set(values)}
    except (TypeError, ValueError):  # the message names the row
        return [_label(value, name, row) for row, value in enumerate(values)]
    return [checked[value] for value in values]


def _label(value: Any, column: str, row: int) -> Hashable:
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        got = "no value" if is_missing(value) else f"an empty text ({value!r})"
        raise ValueError(f"the column {column!r} has {got} in row {row}; fill it in, or drop such rows")
    return check_label(value, f"row {row} of the column {column!r}")


def _warn_of_spellings(events: list[Hashable], name: str) -> None:
    """Warn of events that differ in case and spaces alone: two events to a model, often one to its user."""
    groups = spelled_alike(dict.fromkeys(events))
    if alike := [texts for texts in groups if not composed_alike(texts)]:
        more = f" (and {pluralize(len(alike) - 1, 'more such group')})" if len(alike) > 1 else ""
        warnings.warn(
            f"the column {name!r} has events that differ in case or spaces alone: {format_names(alike[0])}"
            f"{more}; the model takes them for different events: write them alike if they are the same",
            UserWarning,
            stacklevel=3,
        )


def _wanted(owners: list[Hashable], records: Any) -> list[Hashable]:
    if records is None:
        return list(dict.fromkeys(owners))
    if hasattr(records, "to_pylist"):
        records = records.to_pylist()
    series = nw.from_native(records, series_only=True, pass_through=True)
    listed = series.to_list() if isinstance(series, nw.Series) else list(records)
    if twice := repeated(listed):
        raise ValueError(f"records: {twice[0]!r} is listed several times; list each record once")
    if listed and owners and not set(listed) & set(owners):
        raise ValueError(
            f"records: none of them is in the table, whose first is {owners[0]!r} and theirs {listed[0]!r}; "
            "give the labels of the column of records"
        )
    if pairs := written_otherwise(listed, owners):
        more = f" (and {pluralize(len(pairs) - 1, 'more such record')})" if len(pairs) > 1 else ""
        raise ValueError(
            f"records: {pairs[0][0]!r} is not in the table, which has {pairs[0][1]!r}{more}; give the labels "
            "as the column of records has them"
        )
    return listed


def _starts(codes: NDArray[np.int64], times: NDArray[Any], gap: Any) -> NDArray[np.intp]:
    """Return where sequences begin: at another record, and after a pause that is longer than the gap."""
    is_start = np.ones(codes.size, dtype=bool)
    is_start[1:] = codes[1:] != codes[:-1]
    if gap is not None:
        is_start[1:] |= np.diff(times) > gap
    return np.flatnonzero(is_start)


def _counts(codes: NDArray[np.int64], n_records: int) -> list[int]:
    """Count the sequences of each record."""
    counts: list[int] = np.bincount(codes, minlength=n_records).tolist()
    return counts[:n_records]


def _parts(events: list[Any], starts: NDArray[np.intp], times: NDArray[Any] | None) -> list[list[Any]]:
    """Cut sorted events into sequences; events of the same time become a set, where times are given."""
    ends = [*starts[1:].tolist(), len(events)][: starts.size]
    parts = [events[start:end] for start, end in zip(starts.tolist(), ends, strict=True)]
    if times is None:
        return parts
    is_same = [False, *(times[1:] == times[:-1]).tolist()]
    found: list[list[Any]] = []
    for start, part in zip(starts.tolist(), parts, strict=True):
        sets: list[set[Any]] = []
        for row, event in enumerate(part, start=start):
            if row > start and is_same[row]:
                sets[-1].add(event)
            else:
                sets.append({event})
        found.append(sets)
    return found


def _joined(sequences: list[list[Any]], marker: Hashable) -> list[Any]:
    """Return the sessions of a record as one sequence with a marker between them."""
    joined = list(sequences[0])
    for sequence in sequences[1:]:
        joined += [marker, *sequence]
    return joined
