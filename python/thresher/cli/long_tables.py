"""Records of long tables, which have a row for each item or event."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing, object_array
from ..data.durations import read_duration
from ..data.event_tables import sequences_from_table
from ..data.frames import Columns
from ..data.table_files import File, read_file
from ..formatting.numbers import format_number
from ..formatting.text import pluralize
from .columns import column_of
from .messages import in_file
from .record_rows import Records, rows_with_target, weights_of_records


def records_of_long_table(
    file: File,
    arguments: argparse.Namespace,
    kind: str,
    target: str | None,
    weights: tuple[str | None, str | None],
    types: tuple[Collection[str], Collection[str]],
    *,
    may_lack_target: bool = False,
) -> Records:
    """Read a long table, and the targets from itself or from a second table.

    Parameters
    ----------
    file : File
        The table.
    arguments : Namespace
        The parsed arguments.
    kind : {"itemsets", "sequences"}
        The model.
    target : str or None
        The column of the targets.
    weights : (str or None, str or None)
        The column of the weights that is given, and that of the fit.
    types : (collection of str, collection of str)
        Columns to read as text, and as numbers.
    may_lack_target : bool, default=False
        Whether records without a target are kept.

    Returns
    -------
    Records
        The records.

    Raises
    ------
    ValueError
        If a column does not exist, or a record has two targets.
    """
    text, numbers = types
    text, numbers = {*text, arguments.record, arguments.event}, {*numbers, arguments.time}
    table = file.table(text, numbers, may_be_empty=target is None)
    table = _with_texts(table, arguments.record, arguments.event)
    for name, role in ((arguments.record, "record"), (arguments.event, "event"), (arguments.time, "time")):
        if name is not None:
            column_of(table, name, role)
    groups = getattr(arguments, "groups", None)
    own, notes, of_weights = _Owners(None, {}), list[str](), None
    if target is not None:
        if arguments.targets is None and target not in file.names:
            raise ValueError(
                f"there is no such column {target!r}; the file has {', '.join(map(repr, file.names))}; name "
                "another column with --target, or a second table that has it with --targets"
            )
        source = file if arguments.targets is None else read_file(arguments.targets)
        of_weights, lacking = weights_of_records(*weights, source.names, source.path)
        named = [name for name in (target, of_weights, groups) if name is not None]
        own, notes = _owners(arguments, kind, table, source, named, types, may_lack_target)
        notes += lacking
    if arguments.time is not None and arguments.same_time != "set":
        notes += _note_on_copies(table, arguments)
    gap = arguments.session_gap
    with in_file(np.arange(table.n_rows)):
        made = sequences_from_table(
            table,
            record=arguments.record,
            event=arguments.event,
            time=arguments.time,
            session_gap=gap if gap is None else _gap(gap, table[arguments.time]),
            same_time=arguments.same_time or "order",
            gap_marker=arguments.gap_marker,
            records=own.records,
        )
    names, values = [arguments.record], [np.asarray(made.records, dtype=object)]
    if gap is not None and arguments.gap_marker is None:
        names, values = [*names, "session"], [*values, np.asarray(made.sessions, dtype=object)]
    period = getattr(arguments, "period", None)
    if period is not None and period not in names:
        names, values = [*names, period], [*values, _array(made.align(_periods(arguments, table)))]
    y = None if target is None else _array(made.align(own.values[target]))
    weight = None if of_weights is None else _array(made.align(own.values[of_weights]))
    group = None if groups is None else _array(made.align(own.values[groups]))
    rows = np.arange(len(made))
    return Records(list(made), y, weight, Columns(names, values), rows, notes, group)


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
    types: tuple[Collection[str], Collection[str]],
    may_lack_target: bool,
) -> tuple[_Owners, list[str]]:
    """Return target and weight of each record."""
    record, table, path = arguments.record, events, arguments.targets
    if path is not None:
        table = _with_texts(source.table({*types[0], record}, types[1]), record)
    values = _by_record(table, record, names, path)
    if may_lack_target:
        for own in values.values():
            own.update(dict.fromkeys(label for label in events[record].tolist() if label not in own))
    target, notes = values[names[0]], list[str]()
    kept = list(target)
    if not may_lack_target:
        rows, notes = rows_with_target(_array(list(target.values())), names[0], "record")
        kept = [kept[row] for row in rows.tolist()]
    if path is not None:
        known, with_events = set(target), set(events[record].tolist())
        if strangers := len(with_events - known):
            notes.append(f"left out {pluralize(strangers, 'record')} of {arguments.data} not in {path}")
        if empty := sum(label not in with_events for label in kept):
            notes.append(
                f"{pluralize(empty, 'record')} of {path} without a row in {arguments.data}: empty "
                f"{'sets' if kind == 'itemsets' else 'sequences'}"
            )
    return _Owners(kept, values), notes


def _by_record(
    table: Columns, record: str, names: Sequence[str], path: Path | None
) -> dict[str, dict[Any, Any]]:
    """Return the values of each record in some columns; `path` names a table with one row a record."""
    labels = column_of(table, record, "record").tolist()
    columns = {name: column_of(table, name, "such").tolist() for name in names}
    values: dict[str, dict[Any, Any]] = {name: {} for name in names}
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(f"the column {record!r} has no value in data row {row + 1}")
        if path is not None and label in values[names[0]]:
            raise ValueError(f"{path} has the record {label!r} in two rows; give it one row")
        for name in names:
            value = columns[name][row]
            known = values[name].setdefault(label, value)
            if known != value and not (is_missing(known) and is_missing(value)):
                raise ValueError(
                    f"the record {label!r} has {known!r} and {value!r} in the column {name!r} (data row "
                    f"{row + 1}); a record has one, in all of its rows, or in its row of a second table: "
                    "--targets"
                )
    return values


def _periods(arguments: argparse.Namespace, events: Columns) -> dict[Any, Any]:
    """Return the period of each record: of the table of targets, or of the rows of the record."""
    record, period, path = arguments.record, arguments.period, arguments.targets
    found = dict.fromkeys(events[record].tolist())
    names = list(events.names)
    if path is not None:
        source = read_file(path)
        if period in source.names:
            table = _with_texts(source.table({record}, set()), record)
            return {**found, **_by_record(table, record, [period], path)[period]}
        names += [name for name in source.names if name not in names]
    if period not in names:
        listed = ", ".join(map(repr, names))
        raise ValueError(f"--period: there is no column {period!r}; there are {listed}")
    try:
        return _by_record(events, record, [period], None)[period]
    except ValueError as error:
        raise ValueError(f"--period: {error}") from None
