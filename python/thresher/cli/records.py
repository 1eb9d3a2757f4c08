"""Records of the pattern models in users' files: items, events, molecules, graphs."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing
from ..data.frames import Columns
from ..data.graph_records import read_gspan
from ..data.item_cells import CellCheck
from ..data.numbers_in_text import is_number
from ..data.stored_cells import stored_file
from ..data.streams import input_name, open_input
from ..data.table_files import File, read_file
from .columns import column_of, column_or_none, rows_with_target
from .fitted_models import items_of, kind_of, types_of_target
from .long_tables import records_of_long_table
from .messages import in_file, reworded
from .options import UsageError, note, writes_parquet
from .record_options import check_record_options, target_of, use_kept_options
from .record_rows import RecordColumns, Records
from .targets import find_target
from .weights import kept_weights

_GRAPH, _END = re.compile(r"\s*t\s+#|\s*t\s"), re.compile(r"t\s+#?\s*-1")
"""The line that begins a graph, and the one that ends a file, in the format of gSpan."""


def read_records(arguments: argparse.Namespace, kind: str, columns: RecordColumns) -> Records:
    """Read the records of a file, and their targets if these are wanted.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, with ``data`` and the options of :func:`add_record_options`.
    kind : {"itemsets", "sequences", "graphs"}
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
        If a column does not exist, or cells are not what the model takes.
    """
    check_record_options(arguments, kind)
    if kind == "graphs" and arguments.smiles is None:
        if columns.weights is not None:
            raise UsageError("--weights is for tables; graphs as text have no column of weights")
        return _graphs(arguments.data, columns)
    file = read_file(arguments.data)
    if kind == "graphs":
        columns = replace(columns, types=({*columns.types[0], arguments.smiles}, columns.types[1]))
        return _molecules(file, arguments, columns.found_in(file.names, file.path))
    if arguments.record is None or _is_wide(file, arguments, kind):
        return _wide(file, arguments, columns.found_in(file.names, file.path))
    return records_of_long_table(file, arguments, kind, columns)


def records_of_model(
    arguments: argparse.Namespace,
    model: Any,
    *,
    every: bool = False,
    needed_for: str | None = None,
    may_lack_target: bool = False,
    weights_required: bool = False,
) -> Records:
    """Read the records of a fitted model with their targets and weights, and print what is left out.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments; options of records that are not given, and the weights, become those of the fit.
    model : estimator
        The model.
    every : bool, default=False
        Whether the file must have all items of training, or those alone that patterns use.
    needed_for : str, optional
        What cannot be said without the target; by default a target that is not found is an error.
    may_lack_target, weights_required : bool, default=False
        As in :class:`RecordColumns`.

    Returns
    -------
    Records
        The records.

    Raises
    ------
    ValueError
        As :func:`read_records`; if the target is not known, and must be there.
    """
    kind, kept = kind_of(model), kept_weights(model)
    use_kept_options(arguments, model)
    target = target_of(arguments, kind) or find_target(arguments, model, {}, needed_for=needed_for)
    columns = RecordColumns(
        target,
        arguments.weights,
        kept,
        items=items_of(model, every=every),
        types=types_of_target(model, target, arguments.weights or kept),
        needed_for=needed_for if arguments.target is None else None,  # a given one must be there
        may_lack_target=may_lack_target,
        weights_required=weights_required,
    )
    records = read_records(arguments, kind, columns)
    for text in records.notes:
        note(text)
    if records.weights is not None:
        arguments.weights = arguments.weights or kept
    return records


# ------------------------------------------------------------------ one row a record


def _typed_cells(
    file: File, arguments: argparse.Namespace, types: tuple[Collection[str], Collection[str]]
) -> File:
    """Return the file with the cells of the output, which have types in Parquet."""
    return stored_file(file, *types) if writes_parquet(arguments) else file


def _is_wide(file: File, arguments: argparse.Namespace, kind: str) -> bool:
    """Return whether a model of a long table of items reads a table with a column for each item."""
    kept = getattr(arguments, "kept", ())
    if kind != "itemsets" or "record" not in kept or arguments.record in file.names:
        return False
    if arguments.targets is not None:
        raise ValueError(
            f"--targets is for a long table, with a row for each item; {input_name(arguments.data)} lacks "
            f"{arguments.record!r}, the column of records of the fit"
        )
    return True


def _molecules(file: File, arguments: argparse.Namespace, columns: RecordColumns) -> Records:
    """Read a table with a column of SMILES."""
    table = file.table(*columns.types, may_be_empty=columns.target is None)
    smiles = column_of(table, arguments.smiles, "SMILES").tolist()
    return _of_rows(_typed_cells(file, arguments, columns.types), table, smiles, columns)


def _wide(file: File, arguments: argparse.Namespace, columns: RecordColumns) -> Records:
    """Read a table with a column of 0 and 1 for each item."""
    table = file.table(*columns.types, may_be_empty=columns.target is None)
    for name in columns.drop:
        column_of(table, name, "such")
    names = [name for name in table.names if name not in {columns.target, columns.weights, *columns.drop}]
    if columns.items is not None:
        known, needed = columns.items
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
        is_needed = columns.items is not None
        indicators = [_indicator(table[name], name, cells, is_needed=is_needed) for name in names]
    left_out = cells.note()
    present = np.column_stack(indicators) if names else np.zeros((table.n_rows, 0), dtype=bool)
    X = [[names[k] for k in np.flatnonzero(row)] for row in present]
    read = _of_rows(_typed_cells(file, arguments, columns.types), table, X, columns)
    return replace(read, notes=[*read.notes, *([reworded(left_out, places)] if left_out else [])])


def _indicator(column: NDArray[Any], name: str, check: CellCheck, *, is_needed: bool) -> NDArray[np.bool_]:
    """Return which rows have an item, by the cells that the package takes; an error says how to drop it."""
    hint = "a table with a row for each item needs --record and --item"
    if not is_needed:
        hint = f"--drop {shlex.quote(name)} leaves it out; {hint}"
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


def _of_rows(file: File, table: Columns, X: list[Any], columns: RecordColumns) -> Records:
    rows, y, notes = np.arange(len(X)), None, list[str]()
    weight = column_or_none(table, columns.weights, "weights")
    if columns.target is not None:
        y = column_of(table, columns.target, "target")
        if not columns.may_lack_target:
            rows, notes = rows_with_target(y, columns.target)
        y = y[rows]
    weight = None if weight is None else weight[rows]
    return Records([X[row] for row in rows.tolist()], y, weight, file.cells().take(rows), rows, notes)


def _graphs(path: Path, columns: RecordColumns) -> Records:
    """Read graphs in the format of gSpan; the target is a value after the id of a graph."""
    target = columns.target
    try:
        with open_input(path) as file:
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder, not a file") from None
    is_empty = not text.strip() or _END.fullmatch(text.strip()) is not None
    if is_empty and target is not None:
        raise ValueError(f"{input_name(path)} holds no graph")
    if not is_empty and not _GRAPH.match(text):
        raise ValueError(
            f"--smiles: name the column of SMILES of {input_name(path)}; without it the file must hold "
            "graphs as text, in the format of gSpan, and it does not begin as they do ('t # 0')"
        )
    graphs, values = ([], []) if is_empty else read_gspan(text if "\n" in text else text + "\n")
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
        if not columns.may_lack_target:
            rows, notes = rows_with_target(y, f"value {target}", "graph")
        y = y[rows]
    cells = Columns(["graph"], [np.asarray(rows, dtype=object)])
    return Records([graphs[row] for row in rows.tolist()], y, None, cells, rows, notes)


def _numbers_or_texts(values: list[str | None]) -> NDArray[Any]:
    try:
        return np.asarray([np.nan if value is None else float(value) for value in values])
    except ValueError:
        return np.asarray(values, dtype=object)
