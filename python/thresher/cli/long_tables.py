"""Records of long tables, which have a row for each item or event."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing, object_array
from ..data.durations import read_duration
from ..data.event_tables import EventSequences, sequences_and_places
from ..data.frames import Columns, repeated
from ..data.label_types import written_otherwise
from ..data.table_files import File, read_file
from ..formatting.numbers import format_number
from ..formatting.text import did_you_mean, pluralize
from .columns import check_column, column_of, rows_with_target
from .messages import in_file
from .record_rows import RecordColumns, Records


def records_of_long_table(
    file: File, arguments: argparse.Namespace, kind: str, columns: RecordColumns
) -> Records:
    """Read a long table, and the targets from itself or from a second table.

    Without a target, all columns of the second table stand beside the records.

    Parameters
    ----------
    file : File
        The table.
    arguments : Namespace
        The parsed arguments.
    kind : {"itemsets", "sequences"}
        The model.
    columns : RecordColumns
        The other columns.

    Returns
    -------
    Records
        The records.

    Raises
    ------
    ValueError
        If a column does not exist, or a record (of those in sessions: a session) has two targets.
    """
    source = file if arguments.targets is None else read_file(arguments.targets)
    columns = columns.found_in(source.names, source.path)
    table = _events(file, arguments, columns)
    groups = getattr(arguments, "groups", None)
    if columns.target is not None:
        if source is file and columns.target not in file.names:
            meant = did_you_mean(columns.target, file.names)
            raise ValueError(
                f"there is no such column {columns.target!r}{meant}; the file has "
                f"{', '.join(map(repr, file.names))}; name another column with --target, or a second table "
                "that has it with --targets"
            )
        named = [name for name in (columns.target, columns.weights, groups) if name is not None]
    elif source is not file:
        named = [arguments.record, *(name for name in source.names if name != arguments.record)]
        columns = replace(columns, types=(source.names, ()), may_lack_target=True)
    else:
        named = []
    owners, notes = _Owners(None, {}), list[str]()
    if source is not file:
        owners, notes = _owners(arguments, kind, table, source, named, columns)
    if arguments.time is not None and arguments.same_time != "set":
        notes += _note_on_copies(table, arguments)
    made, places = _sequences(table, arguments, owners.records)
    if source is file:
        values = {name: _by_sequence(table, name, made, places, arguments) for name in named}
    else:
        values = {name: _array(made.align(owners.values[name])) for name in named}
    divided = {}
    for option in ("period", "group"):
        own = getattr(arguments, option, None)
        if own is not None and own not in (arguments.record, "session" * _is_cut(arguments)):
            divided[own] = _divided(arguments, option, own, table, source, made, places)
    rows = np.arange(len(made))
    if source is file and columns.target is not None and not columns.may_lack_target:
        noun = "session" if _is_cut(arguments) else "record"
        rows, left_out = rows_with_target(values[columns.target], columns.target, noun)
        made, notes = made[rows], [*left_out, *notes]
    beside = [name for name in named if columns.target is None and name != arguments.record]
    y, weight, group = (
        values[name][rows] if name in values else None for name in (columns.target, columns.weights, groups)
    )
    cells = _cells(
        arguments,
        made,
        {name: values[name] for name in beside},
        {name: column[rows] for name, column in divided.items()},
    )
    return Records(made, y, weight, cells, np.arange(len(made)), notes, group)


def _events(file: File, arguments: argparse.Namespace, columns: RecordColumns) -> Columns:
    """Read the rows of a long table, whose records and events are texts."""
    text = {*columns.types[0], arguments.record, arguments.event}
    numbers = {*columns.types[1], arguments.time}
    table = file.table(text, numbers, may_be_empty=columns.target is None)
    for name, role in ((arguments.record, "record"), (arguments.event, "event"), (arguments.time, "time")):
        if name is not None:
            check_column(table.names, name, role)
    for name in (arguments.record, arguments.event):
        _refuse_words_for_missing(file, table, name)
    return _with_texts(table, arguments.record, arguments.event)


def _refuse_words_for_missing(file: File, table: Columns, name: str) -> None:
    """Raise an error for a label, such as NA, that is read as missing."""
    labels = column_of(table, name, "record").tolist()
    if None not in labels:
        return
    written = file.columns[file.names.index(name)]
    for row, (label, cell) in enumerate(zip(labels, written, strict=True)):
        if label is None and isinstance(cell, str) and cell.strip():
            raise ValueError(
                f"the column {name!r} has {cell!r} in data row {row + 1}, a word that is read as missing; "
                "rename it if it is a name (not available), or drop such rows"
            )


def _cells(
    arguments: argparse.Namespace,
    made: EventSequences,
    beside: Mapping[str, NDArray[Any]],
    divided: Mapping[str, NDArray[Any]],
) -> Columns:
    """Return the columns beside predictions: records, sessions and their first times, a second table."""
    cells = {arguments.record: np.asarray(made.records, dtype=object)}
    if _is_cut(arguments):
        cells["session"] = np.asarray(made.sessions, dtype=object)
        cells.setdefault(arguments.time, _array(made.starts))
    taken = list(cells)
    for name, values in beside.items():
        cells[f"{name} of {arguments.targets}" if name in taken else name] = values
    cells |= divided
    return Columns(list(cells), list(cells.values()))


def _is_cut(arguments: argparse.Namespace) -> bool:
    """Return whether each session is a sequence of its own."""
    return arguments.session_gap is not None and arguments.gap_marker is None


def _sequences(
    table: Columns, arguments: argparse.Namespace, records: list[Any] | None
) -> tuple[EventSequences, NDArray[np.intp]]:
    gap = arguments.session_gap
    with in_file(np.arange(table.n_rows)):
        return sequences_and_places(
            table,
            arguments.record,
            arguments.event,
            arguments.time,
            gap if gap is None else _gap(gap, table[arguments.time]),
            arguments.gap_marker,
            arguments.same_time or "order",
            records,
        )


def _note_on_copies(table: Columns, arguments: argparse.Namespace) -> list[str]:
    """Say how many rows repeat the record, the event and the time of an earlier one."""
    cells = (table[name].tolist() for name in (arguments.record, arguments.event, arguments.time))
    first: dict[tuple[Any, ...], int] = {}
    rows = enumerate(zip(*cells, strict=True))
    copied = [(row, first[own]) for row, own in rows if first.setdefault(own, row) != row]
    if not copied:
        return []
    pair = f"data row {copied[0][0] + 1} and {copied[0][1] + 1}"
    found = (
        f"{pluralize(len(copied), 'row')} with the record, event and time of an earlier one, such as {pair}"
    )
    return [f"{found}: if an event was logged twice, remove its copies; a pattern counts both"]


def _with_texts(table: Columns, *names: str) -> Columns:
    """Write columns of labels as text, so that 7 in a Parquet file is the label 7 of a CSV file."""

    def text(value: Any) -> Any:
        if is_missing(value):
            return None
        return format_number(value) if isinstance(value, float) else str(value)

    columns = [
        _array([text(value) for value in column.tolist()]) if name in names else column
        for name, column in zip(table.names, table.values, strict=True)
    ]
    return Columns(table.names, columns)


def _array(values: list[Any]) -> NDArray[Any]:
    """Return values as a column of a table: numbers, or objects."""
    if all(isinstance(value, float) for value in values):
        return np.asarray(values)
    return object_array(values)


def _gap(text: str, times: NDArray[Any]) -> Any:
    """Read the pause: a number where times are numbers, else a duration."""
    if times.dtype.kind != "f":
        return read_duration(text, "--session-gap")
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--session-gap: got {text!r}; the times are numbers: give a number") from None


@dataclass(frozen=True)
class _Owners:
    """The records with a target, and their values by column."""

    records: list[Any] | None
    values: dict[str, dict[Any, Any]]


def _owners(
    arguments: argparse.Namespace,
    kind: str,
    events: Columns,
    source: File,
    names: Sequence[str],
    columns: RecordColumns,
) -> tuple[_Owners, list[str]]:
    """Return the values of each record in the columns of a second table."""
    record, path = arguments.record, arguments.targets
    text, numbers = columns.types
    table = source.table({*text, record}, numbers)
    _refuse_words_for_missing(source, table, record)
    table = _with_texts(table, record)
    values = _by_record(table, record, names, path)
    if pairs := written_otherwise(values[names[0]], events[record].tolist()):
        (own_label, label), count = pairs[0], pluralize(len(pairs), "record")
        raise ValueError(
            f"{path} has the {record} {own_label!r}, {arguments.data} {label!r}: {count} of the two files "
            f"would not be joined; write the column {record!r} in both files alike"
        )
    if columns.may_lack_target:
        for cells in values.values():
            cells.update(dict.fromkeys(label for label in events[record].tolist() if label not in cells))
    target, notes = values[names[0]], list[str]()
    kept = list(target)
    if not columns.may_lack_target:
        rows, notes = rows_with_target(_array(list(target.values())), names[0], "record")
        kept = [kept[row] for row in rows.tolist()]
    known, with_events = set(target), set(events[record].tolist())
    if strangers := len(with_events - known):
        notes.append(f"left out {pluralize(strangers, 'record')} of {arguments.data} not in {path}")
    if empty := sum(label not in with_events for label in kept):
        notes.append(
            f"{pluralize(empty, 'record')} of {path} without a row in {arguments.data}: empty "
            f"{'sets' if kind == 'itemsets' else 'sequences'}"
        )
    return _Owners(kept, values), notes


def _by_record(table: Columns, record: str, names: Sequence[str], path: Path) -> dict[str, dict[Any, Any]]:
    """Return the values of each record in some columns of a table with one row a record."""
    labels = column_of(table, record, "record").tolist()
    values: dict[str, dict[Any, Any]] = {}
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(f"the column {record!r} has no value in data row {row + 1}")
    if twice := repeated(labels):
        raise ValueError(f"{path} has the record {twice[0]!r} in two rows; give it one row")
    for name in names:
        values[name] = dict(zip(labels, column_of(table, name, "such").tolist(), strict=True))
    return values


def _by_sequence(
    table: Columns,
    name: str,
    made: EventSequences,
    places: NDArray[np.intp],
    arguments: argparse.Namespace,
) -> NDArray[Any]:
    """Return the value of each sequence in a column of the long table, which is equal in all of its rows."""
    values: dict[int, Any] = {}
    for row, (place, value) in enumerate(
        zip(places.tolist(), column_of(table, name, "such").tolist(), strict=True)
    ):
        known = values.setdefault(place, value)
        if place < 0 or known == value or (is_missing(known) and is_missing(value)):
            continue
        owner, noun = f"the record {made.records[place]!r}", "record"
        if _is_cut(arguments):
            owner, noun = f"session {made.sessions[place]} of {owner}", "session"
        raise ValueError(
            f"{owner} has {known!r} and {value!r} in the column {name!r} (data row {row + 1}); a {noun} has "
            "one, in all of its rows" + ", or in its row of a second table: --targets" * (noun == "record")
        )
    return _array([values.get(place) for place in range(len(made))])


def _divided(
    arguments: argparse.Namespace,
    option: str,
    name: str,
    events: Columns,
    source: File,
    made: EventSequences,
    places: NDArray[np.intp],
) -> NDArray[Any]:
    """Return the period or group of each sequence: of the table of targets, or of its own rows."""
    path = arguments.targets
    names = list(events.names)
    if path is not None:
        if name in source.names:
            table = _with_texts(source.table({arguments.record}, set()), arguments.record)
            found = _by_record(table, arguments.record, [name], path)[name]
            return _array([found.get(record) for record in made.records])
        names += [other for other in source.names if other not in names]
    if name not in names:
        listed = ", ".join(map(repr, names))
        meant = did_you_mean(name, names)
        raise ValueError(f"--{option}: there is no column {name!r}{meant}; there are {listed}")
    if name == arguments.time and _is_cut(arguments):
        return _array(made.starts)
    try:
        return _by_sequence(events, name, made, places, arguments)
    except ValueError as error:
        raise ValueError(f"--{option}: {error}") from None
