"""Records of the pattern models in users' files: items, events, molecules, graphs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Sequence
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
from .columns import column_of
from .long_tables import records_of_long_table
from .messages import in_file, reworded
from .options import writes_parquet
from .record_options import check_record_options
from .record_rows import Records, rows_with_target, weights_of_records

_GRAPH, _END = re.compile(r"\s*t\s+#|\s*t\s"), re.compile(r"t\s+#?\s*-1")
"""The line that begins a graph, and the one that ends a file, in the format of gSpan."""


def read_records(
    arguments: argparse.Namespace,
    kind: str,
    target: str | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    items: tuple[list[str], set[str]] | None = None,
    types: tuple[Collection[str], Collection[str]] = ((), ()),
    kept_weights: str | None = None,
    *,
    may_lack_target: bool = False,
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
    kept_weights : str, optional
        The column of the weights of the fit, which are used where others are not given and it is there.
    may_lack_target : bool, default=False
        Whether records without a target are kept; else they are left out, with a note.

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
            return _graphs(arguments.data, target, may_lack_target)
        file, types = read_file(arguments.data), ({*types[0], arguments.smiles}, types[1])
        table = file.table(*types, may_be_empty=target is None)
        smiles = column_of(table, arguments.smiles, "SMILES").tolist()
        return _of_rows(
            _as_written(file, arguments, types),
            table,
            smiles,
            target,
            (weights, kept_weights),
            may_lack_target,
        )
    file = read_file(arguments.data)
    # A model of a long table reads a table with a column for each item, too.
    is_wide = (
        kind == "itemsets"
        and "record" in getattr(arguments, "kept", ())
        and arguments.record not in file.names
    )
    if is_wide and arguments.targets is not None:
        raise ValueError(
            f"--targets is for a long table, with a row for each item; {input_name(arguments.data)} lacks "
            f"{arguments.record!r}, the column of records of the fit"
        )
    if arguments.record is None or is_wide:
        table = file.table(*types, may_be_empty=target is None)
        return _wide(
            _as_written(file, arguments, types),
            table,
            target,
            (weights, kept_weights),
            drop,
            items,
            may_lack_target,
        )
    return records_of_long_table(
        file, arguments, kind, target, (weights, kept_weights), types, may_lack_target=may_lack_target
    )


# ------------------------------------------------------------------ one row a record


def _as_written(
    file: File, arguments: argparse.Namespace, types: tuple[Collection[str], Collection[str]]
) -> File:
    """Return the file with the cells of the output, which have types in Parquet."""
    return stored_file(file, *types) if writes_parquet(arguments) else file


def _wide(
    file: File,
    table: Columns,
    target: str | None,
    weights: tuple[str | None, str | None],
    drop: Sequence[str],
    items: tuple[list[str], set[str]] | None,
    may_lack_target: bool,
) -> Records:
    """Read a table with a column of 0 and 1 for each item."""
    for name in drop:
        column_of(table, name, "such")
    names = [name for name in table.names if name not in {target, *weights, *drop}]
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
    read = _of_rows(file, table, X, target, weights, may_lack_target)
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


def _of_rows(
    file: File,
    table: Columns,
    X: list[Any],
    target: str | None,
    weights: tuple[str | None, str | None],
    may_lack_target: bool,
) -> Records:
    rows, y, weight = np.arange(len(X)), None, None
    notes: list[str] = []
    if target is not None:
        y = column_of(table, target, "target")
        name, lacking = weights_of_records(*weights, table.names, file.path)
        weight = None if name is None else column_of(table, name, "weights")
        if not may_lack_target:
            rows, notes = rows_with_target(y, target)
        notes += lacking
        y, weight = y[rows], None if weight is None else weight[rows]
    return Records([X[row] for row in rows.tolist()], y, weight, file.cells().take(rows), rows, notes)


def _graphs(path: Path, target: str | None, may_lack_target: bool) -> Records:
    """Read graphs in the format of gSpan; the target is a value after the id of a graph."""
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
        if not may_lack_target:
            rows, notes = rows_with_target(y, f"value {target}", "graph")
        y = y[rows]
    cells = Columns(["graph"], [np.asarray(rows, dtype=object)])
    return Records([graphs[row] for row in rows.tolist()], y, None, cells, rows, notes)


def _numbers_or_texts(values: list[str | None]) -> NDArray[Any]:
    try:
        return np.asarray([np.nan if value is None else float(value) for value in values])
    except ValueError:
        return np.asarray(values, dtype=object)
