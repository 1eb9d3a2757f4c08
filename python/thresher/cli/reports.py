"""The command that writes a report."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ..data.streams import input_name
from ..data.table_files import read_file
from ..formatting.text import did_you_mean
from ..reports import report
from .columns import column_of, labels_for, rows_for, split_target
from .fitted_models import estimator_of, joined_columns, kind_of, named_models
from .messages import in_file
from .options import UsageError, check_output, note, say_written, whole_number
from .outline import COMMANDS
from .record_options import KINDS as RECORD_KINDS
from .record_options import RECORDS_TITLE, add_record_options, check_record_options, refuse_other_records
from .records import records_of_model
from .targets import find_target
from .unknown import add_handle_unknown, set_handle_unknown
from .weights import kept_weights, weights_column


def add_report(commands: Any) -> None:
    """Declare the command and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("report", help=COMMANDS["report"])
    command.add_argument(
        "model", type=Path, help="a model saved by fit, or a card by scorecard; - is standard input"
    )
    command.add_argument("data", type=Path, nargs="?", help="rows on which it is shown; - is standard input")
    command.add_argument("--output", "-o", type=Path, required=True, help="the page; - is standard output")
    command.add_argument(
        "--target", "-t", help="the column it predicts (default: the one of the fit, which the model keeps)"
    )
    command.add_argument(
        "--weights",
        metavar="COLUMN",
        help="the column of row weights (default: that of the fit)",
    )
    command.add_argument(
        "--group",
        metavar="COLUMN",
        help="a column: metrics are also shown group by group; for a long table also one of --targets",
    )
    command.add_argument("--rows", type=whole_number, help="how many rows are explained (default: 100)")
    command.add_argument("--title", help="the title of the page")
    command.add_argument(
        "--compare",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="MODEL",
        help="models to show beside it",
    )
    add_handle_unknown(command)
    add_record_options(command.add_argument_group(RECORDS_TITLE).add_argument)
    command.set_defaults(run=_run, parser=command)


def _run(arguments: argparse.Namespace) -> int:
    """Write the report of one or several model files."""
    data = arguments.data
    check_output(arguments)
    models = named_models([arguments.model, *arguments.compare], data)
    for model in models.values():
        set_handle_unknown(model, arguments.handle_unknown)
    more = {"title": arguments.title} | ({"rows": arguments.rows} if arguments.rows is not None else {})
    if data is None:
        for name in ("target", "weights", "group", "rows"):
            if getattr(arguments, name) is not None:
                raise UsageError(f"--{name} needs rows: give a file of data after the model")
        report(arguments.output, models, **more)
    else:
        _with_rows(arguments, models, more)
    say_written(arguments.output)
    return 0


def _with_records(
    arguments: argparse.Namespace, kind: str, models: dict[str, Any], more: dict[str, Any]
) -> None:
    """Write the report of models that read records."""
    if any(kind_of(model) != kind for model in models.values()):
        raise ValueError("--compare: these models read rows of different kinds; compare them in Python")
    refuse_other_records(arguments, models)
    first = next(iter(models.values()))
    records = records_of_model(arguments, first, needed_for="metrics")
    y = None if records.y is None else labels_for(records.y, first._task)
    group = None if arguments.group is None else column_of(records.cells, arguments.group, "group")
    if records.weights is not None:
        more["sample_weight"] = records.weights
    with in_file(records.rows):
        report(arguments.output, models, records.X, y, group=group, **more)


def _with_rows(arguments: argparse.Namespace, models: dict[str, Any], more: dict[str, Any]) -> None:
    kind = kind_of(next(iter(models.values())))
    if kind in RECORD_KINDS:
        _with_records(arguments, kind, models, more)
        return
    check_record_options(arguments, kind)
    every = joined_columns(models.values())
    file, first = read_file(arguments.data), next(iter(models.values()))
    arguments.weights = weights_column(arguments.weights, kept_weights(first), file.names, file.path)
    others = [*every.names, arguments.group, arguments.weights]
    target = find_target(arguments, first, {file.path: file.names}, others, "metrics")
    table = every.table(file, first, target, arguments.weights)
    rows, y = np.arange(table.n_rows), None
    X = table
    if target is not None:
        others = [name for name in table.names if name != target]
        training = split_target(table, target, keep=others, used=every.used)
        rows, X = training.rows, training.X
        y = labels_for(training.y, estimator_of(first)._task)
        for text in training.notes:
            note(text)
    group = None
    if arguments.group is not None:
        if arguments.group not in table.names:
            meant = did_you_mean(arguments.group, table.names)
            raise ValueError(
                f"--group: there is no column {arguments.group!r}{meant} in {input_name(arguments.data)}"
            )
        group = arguments.group if arguments.group != target else table[arguments.group][rows]
    if arguments.weights is not None:
        more["sample_weight"] = column_of(table, arguments.weights, "weights")[rows]
    chosen = rows_for(every.names, X, every.used if every.named else None)
    with in_file(rows):
        if every.named:
            report(arguments.output, models, X, y, group=group, **more)
        else:  # models of a matrix: the columns x0, x1, ... of the file
            values = X[group] if isinstance(group, str) else group
            report(arguments.output, models, np.column_stack(chosen.values), y, group=values, **more)
