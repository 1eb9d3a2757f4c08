"""The command ``thresher fit``."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.category_orders import ADVICE_ON_ORDERED_CLASSES, ORDERED_CLASSES
from ..data.extra_columns import extra_cells
from ..data.frames import Columns
from ..data.streams import is_standard_output
from ..data.table_files import File, read_file
from ..data.target_names import NamedTarget
from ..data.whole_numbers import warn_of_rounding
from ..formatting.text import format_list, pluralize
from .columns import Training, column_of, labels_for, split_target
from .from_disk import KINDS as KINDS_FROM_DISK
from .from_disk import add_from_disk, first_rows, notes_on_dates, open_dataset, training_of
from .messages import in_file, reworded
from .models import KINDS, add_options, check_options, estimator
from .notes import note_on_model, notes_on, notes_on_words
from .options import UsageError, check_output, note, say_written
from .outline import COMMANDS
from .record_options import KINDS as RECORD_KINDS
from .record_options import (
    RECORDS_TITLE,
    add_record_options,
    check_record_options,
    keep_options,
    target_of,
)
from .record_rows import RecordColumns, Records
from .records import read_records
from .task import guess_task, refuse_many_classes

_MOST_NAMED = 10  # rows that a note lists


def add_fit(commands: Any) -> None:
    """Declare the command and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    fit = commands.add_parser(
        "fit",
        add_help=False,
        help=COMMANDS["fit"],
        usage="%(prog)s DATA --target COLUMN [--output MODEL] [options]; all options: %(prog)s --help",
    )
    _declare_fit(fit, KINDS)
    fit.set_defaults(run=_fit, parser=fit)


class _HelpOfModel(argparse.Action):
    """Prints the help: after ``--model NAME`` with the options of this model alone."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, *_: Any) -> None:
        if namespace.model is not None:
            usage = f"%(prog)s DATA --target COLUMN --model {namespace.model} [--output MODEL] [options]"
            shown = argparse.ArgumentParser(prog=parser.prog, usage=usage, add_help=False)
            _declare_fit(shown, (namespace.model,))
            parser = shown
        parser.print_help()
        parser.exit()


def _declare_fit(fit: argparse.ArgumentParser, kinds: Sequence[str]) -> None:
    """Declare the options of ``fit``, with those of some models."""
    fit.add_argument("data", type=Path, help="the file: .csv, .tsv, .csv.gz, .parquet; - is standard input")
    fit.add_argument(
        "--help",
        "-h",
        action=_HelpOfModel,
        nargs=0,
        help="print this; after --model NAME for this model alone",
    )
    fit.add_argument(
        "--target", "-t", help="the column to predict (of graphs as text: the place of the value, default: 1)"
    )
    fit.add_argument("--output", "-o", type=Path, help="where to write the model; - is standard output")
    if {*kinds} & {*KINDS_FROM_DISK}:
        add_from_disk(fit)
    fit.add_argument("--task", choices=("auto", "classification", "regression"), default="auto")
    fit.add_argument("--weights", help="a column of sample weights")
    fit.add_argument(
        "--groups",
        metavar="COLUMN",
        help="a column of groups, such as patients: their rows are in one fold of the cross-validation",
    )
    fit.add_argument(
        "--drop", nargs="+", action="extend", default=[], metavar="COLUMN", help="columns to drop"
    )
    fit.add_argument(
        "--keep",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="text columns to use even if they are dates, or nearly all their texts are distinct",
    )
    fit.add_argument(
        "--model",
        choices=KINDS,
        help="rules (the default), a score card of step functions, few coefficients, rules with all their "
        "subsets, interactions of columns; patterns: sets of items, sequences of events, parts of molecules "
        "and other graphs",
    )
    if records := [kind for kind in kinds if kind in RECORD_KINDS]:
        add_record_options(fit.add_argument_group(RECORDS_TITLE).add_argument, records)
    add_options(fit, kinds)


def _fit(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    arguments.model = arguments.model or "rules"
    if arguments.points is not None and arguments.from_disk:
        raise UsageError(
            "--points reads all rows at once; leave out --from-disk, or print points by scorecard"
        )
    check_options(arguments)
    training = _training(arguments)
    task = arguments.task
    if task == "auto":
        with in_file(training.rows, of_fit=True):
            task = guess_task(training.y, target_of(arguments, arguments.model))
    if task == "classification":
        refuse_many_classes(training.y, arguments.target)
    columns = Columns([], [])
    if isinstance(training.X, Columns):
        columns = training.X
    elif arguments.from_disk:
        columns = first_rows(training.X)
    _note_data(arguments, training, columns)
    if arguments.task == "auto":
        other = "regression" if task == "classification" else "classification"
        note(f"fitting a {task} (--task {other} for the other kind)")
    labels = labels_for(training.y, task)
    model = _fitted(arguments, estimator(arguments, task, columns), training, labels)
    if arguments.output is not None:
        keep_options(arguments, model)
        model.to_json(arguments.output)  # before anything is printed: a pipe may end, as in `| head -1`
    shown = sys.stderr if is_standard_output(arguments.output) else sys.stdout
    if arguments.points is None:
        print(model.summary(), file=shown)
    else:
        with in_file(training.rows, of_fit=True):
            card = model.point_card(training.X, labels, training.weights, max_points=arguments.points)
        print(card, file=shown)
        if task == "classification":
            print(card.point_table(), file=shown)
    say_written(arguments.output, shown)
    return 0


def _fitted(
    arguments: argparse.Namespace, model: Any, training: Training | Records, labels: NDArray[Any]
) -> Any:
    """Fit a model; say which rows it left out, and of which column it is made."""
    X, weights = training.X, training.weights
    with in_file(training.rows, of_fit=True), warnings.catch_warnings():
        known = (
            "left out .* records, which rdkit|column .* (holds (numbers|dates) as text|.* hardly fits others)"
        )
        warnings.filterwarnings("ignore", known)  # notes say it
        y = NamedTarget(labels, arguments.target) if arguments.target else labels
        model.fit(X, y, sample_weight=weights, groups=training.groups)
    _note_invalid(model, training)
    if isinstance(X, Columns) and (dominant := note_on_model(model, X, labels, weights)):
        note(dominant)
    return model


def _warn_of_rounding(name: str, table: Columns, file: File) -> None:
    warn_of_rounding(name, table[name], lambda: file.select([name]).cells()[name])


def _excluded(arguments: argparse.Namespace) -> list[str]:
    """Return the columns that the model may not use, and whose cells are not looked at."""
    return list(getattr(arguments, "exclude", None) or ())


def _note_data(arguments: argparse.Namespace, training: Training | Records, columns: Columns) -> None:
    """Print what was left out, and what would mislead the fit."""
    notes = [*training.notes]
    if columns.names:
        codes = getattr(arguments, "special_codes", None) or ()
        y = training.y[: columns.n_rows]
        keep = [*arguments.keep, *_excluded(arguments)]
        notes += notes_on(columns, y, codes, keep, training.y.shape[0], arguments.model)
    for text in notes:
        note(text)


def _note_invalid(model: Any, training: Training | Records) -> None:
    """Name the rows of the file that a fit left out because rdkit does not read them."""
    rows = getattr(model, "invalid_rows_", np.zeros(0, dtype=np.int64))
    if rows.size:
        places = format_list((training.rows[rows] + 1).tolist(), _MOST_NAMED)
        rows_named = "row" if rows.size == 1 else "rows"
        note(f"left out {pluralize(rows.size, 'row')} that rdkit does not read: data {rows_named} {places}")


def _training(arguments: argparse.Namespace) -> Training | Records:
    """Read the rows or records of a fit."""
    target = target_of(arguments, arguments.model)
    if target is None:
        raise UsageError("--target: name the column to predict")
    drop = [*arguments.drop]
    if target in drop:
        raise UsageError(
            f"--drop: {target!r} is the target, which is no column to predict from; leave it out here"
        )
    if arguments.groups not in (None, target, getattr(arguments, "record", None)):
        drop.append(arguments.groups)
    if arguments.model in RECORD_KINDS:
        return _records(arguments, target, drop)
    check_record_options(arguments, arguments.model)
    training = (_dataset if arguments.from_disk else _table)(arguments, target, drop)
    if set(training.X.names) <= set(_excluded(arguments)):
        raise ValueError(
            f"--exclude names every column beside the target {arguments.target!r}; leave at least one to "
            "predict it from"
        )
    return training


def _numbers(arguments: argparse.Namespace, target: str) -> set[str]:
    """Return the columns that are numbers even with leading zeros."""
    is_regression = arguments.task == "regression"
    return {name for name in (target if is_regression else None, arguments.weights) if name is not None}


def _table(arguments: argparse.Namespace, target: str, drop: list[str]) -> Training:
    """Read a table; warn of whole numbers that have no number of eight bytes."""
    file = read_file(arguments.data)
    table = file.table(numbers=_numbers(arguments, target))
    excluded = _excluded(arguments)
    keep = [*arguments.keep, *(name for name in excluded if name in table.names)]
    used = set(table.names) - set(excluded)
    found = split_target(table, target, arguments.weights, drop, keep, used)
    with in_file(found.rows, of_fit=True):
        for name in found.X.names:
            if name in used and table[name].dtype.kind == "f":
                _warn_of_rounding(name, table, file)
    if target in table.ordered and len(set(found.y.tolist())) > 2:
        text = f"{target!r} {ORDERED_CLASSES}; {ADVICE_ON_ORDERED_CLASSES}"
        found.notes.append(reworded(text, found.rows))
    found.notes.extend(notes_on_words(file, table, used & set(found.X.names)))
    groups = arguments.groups
    return replace(found, groups=None if groups is None else table[groups][found.rows])


def _dataset(arguments: argparse.Namespace, target: str, drop: list[str]) -> Training:
    """Open a table that is read in batches."""
    data = open_dataset(arguments, arguments.model)
    dates = notes_on_dates(data, {target, arguments.weights, *drop, *arguments.keep, *_excluded(arguments)})
    found = training_of(data, target, arguments.weights, [*drop, *dates], notes=list(dates.values()))
    groups = arguments.groups
    return replace(found, groups=None if groups is None else extra_cells(data, [groups]).column(groups))


def _records(arguments: argparse.Namespace, target: str, drop: list[str]) -> Records:
    """Read the records of a model of patterns."""
    if arguments.from_disk:
        open_dataset(arguments, arguments.model)  # which refuses this model
    if arguments.keep:
        raise UsageError(f"--keep is for tables; --model {arguments.model} reads records")
    types = ((), _numbers(arguments, target))
    columns = RecordColumns(target, arguments.weights, drop=drop, types=types)
    records = read_records(arguments, arguments.model, columns)
    if arguments.groups is None or records.groups is not None:
        return records
    return replace(records, groups=column_of(records.cells, arguments.groups, "groups"))
