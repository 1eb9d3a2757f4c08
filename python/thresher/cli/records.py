"""Records of the pattern models in users' files: items, events, molecules, graphs."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing, object_array
from ..data.durations import read_duration
from ..data.event_tables import sequences_from_table
from ..data.frames import Columns
from ..data.graph_records import read_gspan
from ..data.item_cells import CellCheck
from ..data.numbers_in_text import is_number
from ..data.streams import open_input
from ..data.table_files import File, read_file
from ..formatting.numbers import format_number
from ..formatting.text import pluralize
from .columns import column_of
from .options import in_file, reworded
from .record_options import check_record_options


@dataclass(frozen=True)
class Records:
    """The records of a file.

    Parameters
    ----------
    X : list
        The records, as the estimator takes them.
    y : ndarray of shape (n_records,) or None
        Their targets.
    weights : ndarray of shape (n_records,) or None
        Their weights.
    cells : Columns
        What is written beside predictions: the rows of the input, or the names of the records.
    rows : ndarray of shape (n_records,)
        Positions in the file, where each record is a row of it.
    notes : list of str, default=[]
        Messages about what was left out.
    groups : ndarray of shape (n_records,) or None, default=None
        Their groups, where the table has a row for each event.
    """

    X: Any
    y: Any
    weights: NDArray[Any] | None
    cells: Columns
    rows: NDArray[np.intp]
    notes: list[str] = field(default_factory=list)
    groups: NDArray[Any] | None = None


def read_records(
    arguments: argparse.Namespace,
    kind: str,
    target: str | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    items: tuple[list[str], set[str]] | None = None,
    types: tuple[Collection[str], Collection[str]] = ((), ()),
) -> Records:
    """Read the records of a file, and their targets if these are wanted.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, with ``data`` and the options of :func:`add_record_options`.
    kind : {"itemsets", "sequences", "graphs"}
        The model.
    target, weights : str, optional
        The columns of the targets and of the weights.
    drop : sequence of str, default=()
        Columns that are no items.
    items : (list of str, set of str), optional
        The items of a fitted model, and those whose columns must be there; other columns are no items then.
    types : (collection of str, collection of str), default=((), ())
        Columns to read as text, and as numbers.

    Returns
    -------
    Records
        The records.

    Raises
    ------
    ValueError
        If a column does not exist, or cells are not what the model takes.
    """
    check_record_options(arguments, kind)
    if kind == "graphs":
        if arguments.smiles is None:
            if weights is not None:
                raise ValueError("--weights is for tables; graphs as text have no column of weights")
            return _graphs(arguments.data, target)
        file, (text, numbers) = read_file(arguments.data), types
        table = file.table({*text, arguments.smiles}, numbers, may_be_empty=target is None)
        return _molecules(file, table, arguments, target, weights)
    file = read_file(arguments.data)
    # A model of a long table reads a table with a column for each item, too.
    is_wide = (
        kind == "itemsets"
        and "record" in getattr(arguments, "kept", ())
        and arguments.record not in file.names
    )
    if arguments.record is None or is_wide:
        table = file.table(*types, may_be_empty=target is None)
        return _wide(file, table, target, weights, drop, items)
    return _long(file, arguments, kind, target, weights, types)


# ------------------------------------------------------------------ one row a record


def _molecules(
    file: File, table: Columns, arguments: argparse.Namespace, target: str | None, weights: str | None
) -> Records:
    smiles = column_of(table, arguments.smiles, "SMILES").tolist()
    return _of_rows(file, table, smiles, target, weights)


def _wide(
    file: File,
    table: Columns,
    target: str | None,
    weights: str | None,
    drop: Sequence[str],
    items: tuple[list[str], set[str]] | None,
) -> Records:
    """Read a table with a column of 0 and 1 for each item."""
    for name in drop:
        column_of(table, name, "such")
    names = [name for name in table.names if name not in {target, weights, *drop}]
    if items is not None:
        known, needed = items
        lost = [name for name in known if name in needed and name not in names]
        if lost:
            raise ValueError(
                f"the file lacks the model's items {', '.join(map(repr, lost))}; a table with a row for each "
                "item needs --record and --item"
            )
        names = [name for name in known if name in names]
    elif not names:
        raise ValueError("there is no column of items left")
    cells, places = CellCheck(), np.arange(table.n_rows)
    with in_file(places):
        columns = [_indicator(table[name], name, cells) for name in names]
    note = cells.note()
    present = np.column_stack(columns) if columns else np.zeros((table.n_rows, 0), dtype=bool)
    X = [[names[k] for k in np.flatnonzero(row)] for row in present]
    read = _of_rows(file, table, X, target, weights)
    return replace(read, notes=[*read.notes, *([reworded(note, places)] if note else [])])


def _indicator(column: NDArray[Any], name: str, check: CellCheck) -> NDArray[np.bool_]:
    """Return which rows have an item, by the cells that the package takes."""
    hint = f"--drop {name} leaves it out; a table with a row for each item needs --record and --item"
    if column.dtype.kind == "O":
        cells = column.tolist()
        others = [row for row, cell in enumerate(cells) if not isinstance(cell, bool)]
        if others:
            row = next((row for row in others if not is_number(cells[row])), others[0])
            shown = "no value" if is_missing(cells[row]) else f"{cells[row]!r}"
            raise ValueError(
                f"column {name!r} has {shown} in row {row}; an item's column holds 0 and 1 ({hint})"
            )
        column = column.astype(bool)
    try:
        check.check(column, lambda row: (row, name))
    except ValueError as error:
        raise ValueError(f"{error} ({hint})") from None
    return np.asarray(column, dtype=bool)


def _of_rows(file: File, table: Columns, X: list[Any], target: str | None, weights: str | None) -> Records:
    rows, y, weight = np.arange(len(X)), None, None
    notes: list[str] = []
    if target is not None:
        y = column_of(table, target, "target")
        weight = None if weights is None else column_of(table, weights, "weights")
        rows, notes = _with_target(y, target)
        y, weight = y[rows], None if weight is None else weight[rows]
    return Records([X[row] for row in rows.tolist()], y, weight, file.cells().take(rows), rows, notes)


def _with_target(y: NDArray[Any], target: str, noun: str = "row") -> tuple[NDArray[np.intp], list[str]]:
    """Return the positions of the rows with a target, and a note on the others."""
    present = np.asarray([not is_missing(value) for value in y.tolist()], dtype=bool)
    if not present.any():
        raise ValueError(f"the column {target!r} has no value in any row; there is nothing to learn from")
    missing = int((~present).sum())
    note = f"left out {pluralize(missing, noun)} without a value of {target!r}"
    return np.flatnonzero(present), [note] if missing else []


def _graphs(path: Path, target: str | None) -> Records:
    """Read graphs in the format of gSpan; the target is a value after the id of a graph."""
    try:
        with open_input(path) as file:
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    if not text.lstrip().startswith("t"):
        raise ValueError(
            f"--smiles: name the column of SMILES of {path}; without it the file must hold graphs as text, "
            "in the format of gSpan, and it does not begin as they do ('t # 0')"
        )
    graphs, values = read_gspan(text if "\n" in text else text + "\n")
    rows, y = np.arange(len(graphs)), None
    notes: list[str] = []
    if target is not None:
        if not target.isdigit() or int(target) < 1:
            raise ValueError(
                f"--target: got {target!r}; of graphs in the format of gSpan it is the place of the value "
                "after the id of a graph: 1 is the first"
            )
        listed = [own[int(target) - 1] if len(own) >= int(target) else None for own in values]
        y = _numbers_or_texts(listed)
        rows, notes = _with_target(y, f"value {target}", "graph")
        y = y[rows]
    cells = Columns(["graph"], [np.asarray(rows, dtype=object)])
    return Records([graphs[row] for row in rows.tolist()], y, None, cells, rows, notes)


def _numbers_or_texts(values: list[str | None]) -> NDArray[Any]:
    try:
        return np.asarray([np.nan if value is None else float(value) for value in values])
    except ValueError:
        return np.asarray(values, dtype=object)


# ------------------------------------------------------------------ a row an event


def _long(
    file: File,
    arguments: argparse.Namespace,
    kind: str,
    target: str | None,
    weights: str | None,
    types: tuple[Collection[str], Collection[str]],
) -> Records:
    """Read a long table, and the targets from itself or from a second table."""
    text, numbers = types
    text, numbers = {*text, arguments.record, arguments.event}, {*numbers, arguments.time}
    table = file.table(text, numbers, may_be_empty=target is None)
    table = _with_texts(table, arguments.record, arguments.event)
    for name, role in ((arguments.record, "record"), (arguments.event, "event"), (arguments.time, "time")):
        if name is not None:
            column_of(table, name, role)
    groups = getattr(arguments, "groups", None)
    named = [name for name in (target, weights, groups) if name is not None]
    own, notes = _Owners(None, {}), list[str]()
    if named:
        own, notes = _owners(arguments, kind, table, named, types)
    gap = arguments.session_gap
    with in_file(np.arange(table.n_rows)):
        made = sequences_from_table(
            table,
            record=arguments.record,
            event=arguments.event,
            time=arguments.time,
            session_gap=gap if gap is None else _gap(gap, table[arguments.time]),
            same_time=arguments.same_time or "order",
            records=own.records,
        )
    names, values = [arguments.record], [np.asarray(made.records, dtype=object)]
    if gap is not None:
        names, values = [*names, "session"], [*values, np.asarray(made.sessions, dtype=object)]
    y = None if target is None else _array(made.align(own.values[target]))
    weight = None if weights is None else _array(made.align(own.values[weights]))
    group = None if groups is None else _array(made.align(own.values[groups]))
    rows = np.arange(len(made))
    return Records(list(made), y, weight, Columns(names, values), rows, notes, group)


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
    names: Sequence[str],
    types: tuple[Collection[str], Collection[str]],
) -> tuple[_Owners, list[str]]:
    """Return target and weight of each record."""
    record, source = arguments.record, arguments.targets
    table = events
    if source is not None:
        table = _with_texts(read_file(source).table({*types[0], record}, types[1]), record)
    labels = column_of(table, record, "record").tolist()
    columns = {name: column_of(table, name, "such").tolist() for name in names}
    values: dict[str, dict[Any, Any]] = {name: {} for name in names}
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(f"the column {record!r} has no value in data row {row + 1}")
        if source is not None and label in values[names[0]]:
            raise ValueError(f"{source} has the record {label!r} in two rows; give it one row")
        for name in names:
            value = columns[name][row]
            known = values[name].setdefault(label, value)
            if known != value and not (is_missing(known) and is_missing(value)):
                raise ValueError(
                    f"the record {label!r} has {known!r} and {value!r} in the column {name!r} (data row "
                    f"{row + 1}); a record has one, in all of its rows, or in its row of a second table: "
                    "--targets"
                )
    target = values[names[0]]
    rows, notes = _with_target(_array(list(target.values())), names[0], "record")
    kept = [list(target)[row] for row in rows.tolist()]
    if source is not None:
        known, with_events = set(target), set(events[record].tolist())
        if strangers := len(with_events - known):
            notes.append(f"left out {pluralize(strangers, 'record')} of {arguments.data} not in {source}")
        if empty := sum(label not in with_events for label in kept):
            notes.append(
                f"{pluralize(empty, 'record')} of {source} without a row in {arguments.data}: empty "
                f"{'sets' if kind == 'itemsets' else 'sequences'}"
            )
    return _Owners(kept, values), notes
