"""The command that compares records with and without each pattern of a model."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import Columns
from ..data.streams import open_output
from ..data.table_files import OUTPUT_SUFFIXES, write_table
from ..formatting.text import with_article
from .columns import labels_for
from .fitted_models import kind_of, load_any
from .messages import in_file, reworded
from .options import check_output, say_written
from .outline import COMMANDS
from .record_options import (
    KINDS,
    RECORDS_TITLE,
    add_on_invalid,
    add_record_options,
    set_on_invalid,
)
from .records import records_of_model


def add_patterns(commands: Any) -> None:
    """Declare the command and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("patterns", help=COMMANDS["patterns"])
    command.add_argument("model", type=Path, help="a model file saved by fit; - is standard input")
    command.add_argument("data", type=Path, help="records, best those that the fit has not seen")
    command.add_argument(
        "--target",
        "-t",
        help="the column of their targets (default: that of the fit; of graphs as text: place 1)",
    )
    command.add_argument(
        "--weights", help="the column of their weights (default: that of the fit, where the file has it)"
    )
    command.add_argument(
        "--output",
        "-o",
        type=Path,
        help="a table (.csv, .parquet), or a page with drawings of molecules (.html); default: printed text",
    )
    add_record_options(command.add_argument_group(RECORDS_TITLE).add_argument)
    add_on_invalid(command, "or left out of the table")
    command.set_defaults(run=_run, parser=command)


def _run(arguments: argparse.Namespace) -> int:
    """Write the table of a model's patterns."""
    check_output(arguments, (*OUTPUT_SUFFIXES, ".html"))
    model = load_any(arguments.model, arguments.data)
    kind = kind_of(model)
    if kind not in KINDS:
        raise ValueError(f"{with_article(type(model).__name__)} has no patterns; summary prints its terms")
    set_on_invalid(arguments, model)
    records = records_of_model(arguments, model)
    with in_file(records.rows):
        table = model.pattern_table(records.X, labels_for(records.y, model._task), records.weights)
    table = replace(table, note=_in_rows_of_file(table.note, records.rows))
    path = arguments.output
    if path is None:
        print(table)
        return 0
    if path.suffix.lower() == ".html":
        with open_output(path) as file:
            file.write(table.to_html(f"Patterns of {arguments.model.name}").encode())
    else:
        columns = table.columns()
        write_table(
            path, Columns(list(columns), [np.asarray(cells, dtype=object) for cells in columns.values()])
        )
    say_written(path)
    return 0


def _in_rows_of_file(note: str, rows: NDArray[np.intp]) -> str:
    """Count the records that a table leaves out as rows of the file."""
    observed, separator, left_out = note.partition("\nLeft out ")
    return f"{observed}{separator}{reworded(left_out, rows)}"
