"""The command ``thresher monitor`` for every model: cards in points, rules, patterns, machines."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import L0AdditiveClassifier, L0AdditiveRegressor
from ..data.frames import Columns
from ..data.table_files import read_file
from ..formatting.text import did_you_mean
from ..monitoring.dates import LENGTHS, are_days, periods_of_dates
from ..scorecard.card import ScaledCard
from .columns import column_or_none, labels_for
from .fitted_models import columns_of, estimator_of, kind_of, load_any
from .messages import in_file
from .options import UsageError, note, number, whole_number
from .outline import COMMANDS
from .predictions import rows_of
from .printing import FORMATS, show
from .record_options import KINDS as RECORD_KINDS
from .record_options import (
    RECORDS_TITLE,
    add_on_invalid,
    add_record_options,
    check_record_options,
    set_on_invalid,
)
from .records import records_of_model
from .targets import find_target
from .unknown import add_handle_unknown, set_handle_unknown
from .weights import kept_weights, weights_column

_NEEDS_TARGETS = "observed values"
_OF_BINS = (ScaledCard, L0AdditiveClassifier, L0AdditiveRegressor)  # they compare an empty batch, too


def add_monitor(commands: Any) -> None:
    """Declare the command ``monitor`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("monitor", help=COMMANDS["monitor"])
    add = command.add_argument
    add("card", type=Path, help="a card saved by scorecard, or a model by fit; - is standard input")
    add("reference", type=Path, help="the file of reference rows")
    add("new", type=Path, help="the file of new rows")
    add("--target", "-t", help="the column of targets, for observed values and AUC; it may have gaps")
    add("--weights", help="the column of row weights (default: that of the fit)")
    add("--period", help="the column of the new rows that names the period, such as the month, or a date")
    add(
        "--by",
        choices=LENGTHS,
        help="the periods are the weeks, months, quarters or years of the dates of --period",
    )
    add("--bins", type=whole_number, default=10, help="the most bins of the score (default: 10)")
    add(
        "--thresholds",
        type=number,
        nargs=2,
        default=(0.1, 0.25),
        metavar=("MODERATE", "LARGE"),
        help="the stability indices from which a shift is moderate and large (default: 0.1 0.25)",
    )
    add_handle_unknown(command)
    add("--format", choices=("csv", *FORMATS), default="text", help="csv: a line for each period")
    add(
        "--class",
        dest="label",
        metavar="NAME",
        help="the class or target to monitor, of a model with several",
    )
    records = command.add_argument_group(RECORDS_TITLE)
    add_record_options(records.add_argument, targets=False)
    records.add_argument(
        "--targets",
        dest="files_of_targets",
        type=Path,
        nargs="+",
        default=(),
        metavar="FILE",
        help="tables with one row a record, for the targets (and weights) of long tables: that of the "
        "reference, and that of the new rows, where these are known yet",
    )
    add_on_invalid(command, "or left out")
    command.set_defaults(run=_run, parser=command)


class _Rows(NamedTuple):
    """The rows or records of a file, as ``monitor`` takes them."""

    X: Any
    y: Any
    weights: Any
    period: Any
    n_rows: int


def _run(arguments: argparse.Namespace) -> int:
    """Print the monitoring of a model."""
    if len(arguments.files_of_targets) > 2:
        raise UsageError("--targets: give the table of the reference, and that of the new rows")
    if arguments.by is not None and arguments.period is None:
        raise UsageError("--by needs dates; name their column with --period")
    model = load_any(arguments.card)
    set_on_invalid(arguments, model)
    if kind_of(model) in RECORD_KINDS:
        if arguments.handle_unknown is not None:
            set_handle_unknown(model, arguments.handle_unknown)
        reference, new = (
            _of_records(_with_targets(arguments, side), model, path)
            for side, path in enumerate((arguments.reference, arguments.new))
        )
    else:
        set_handle_unknown(model, arguments.handle_unknown)
        check_record_options(_with_targets(arguments, 0), kind_of(model))
        reference, new = _of_tables(arguments, model)
    options = _output(model, arguments.label)
    with in_file(np.arange(max(reference.n_rows, new.n_rows))):
        found = model.monitor(
            reference.X,
            new.X,
            y_reference=reference.y,
            y_new=new.y,
            sample_weight_reference=reference.weights,
            sample_weight_new=new.weights,
            period=new.period,
            n_bins=arguments.bins,
            thresholds=tuple(arguments.thresholds),
            **options,
        )
    if arguments.format != "csv":
        show(found, arguments.format)
        print()
        if found.values.columns()["feature"]:
            show(found.values, arguments.format)
            print()
    show(found.periods, arguments.format)
    return 0


def _of_tables(arguments: argparse.Namespace, model: Any) -> tuple[_Rows, _Rows]:
    """Read the files of a model of tables."""
    known = columns_of(model)
    files = [read_file(path) for path in (arguments.reference, arguments.new)]
    needs_it = "AUC, Gini and KS" if isinstance(model, ScaledCard) else _NEEDS_TARGETS
    target = find_target(arguments, model, {file.path: file.names for file in files}, needed_for=needs_it)
    kept = kept_weights(model)
    lacking = next((file for file in files if kept not in file.names), files[0])
    weights = weights_column(arguments.weights, kept, lacking.names, lacking.path)
    found = []
    for file, is_new in zip(files, (False, True), strict=True):
        may_be_empty = is_new and isinstance(model, _OF_BINS)
        table = known.table(file, model, target, weights, may_be_empty=may_be_empty)
        y = column_or_none(table, target, "target")
        with in_file(np.arange(table.n_rows)):
            period = _periods(table, arguments) if is_new else None
        found.append(
            _Rows(
                rows_of(known, file, may_be_empty=may_be_empty),
                None if y is None else labels_for(y, estimator_of(model)._task),
                column_or_none(table, weights, "weights"),
                period,
                table.n_rows,
            )
        )
    return found[0], found[1]


def _with_targets(arguments: argparse.Namespace, side: int) -> argparse.Namespace:
    """Return the arguments of the reference (0), or of the new rows (1), which alone have periods."""
    files = arguments.files_of_targets
    targets = files[side] if side < len(files) else None
    return argparse.Namespace(
        **{**vars(arguments), "targets": targets, "period": arguments.period if side else None}
    )


def _of_records(arguments: argparse.Namespace, model: Any, path: Path) -> _Rows:
    """Read a file of records."""
    arguments.data = path
    records = records_of_model(arguments, model, needed_for=_NEEDS_TARGETS, may_lack_target=True)
    y = None if records.y is None else labels_for(records.y, model._task)
    return _Rows(records.X, y, records.weights, _period(arguments, records.cells), len(records.X))


def _periods(new: Columns, arguments: argparse.Namespace) -> NDArray[Any] | list[str | None] | None:
    """Return the period of each new row."""
    column = column_or_none(new, arguments.period, "period")
    if column is None or arguments.by is not None:
        subject = f"--by: the column {arguments.period!r}"
        return None if column is None else periods_of_dates(column.tolist(), arguments.by, subject)
    if are_days(column.tolist()):
        note(
            f"{arguments.period!r} holds dates, and each is a period; --by month (or week, quarter, year) "
            "makes periods of them"
        )
    return column


def _period(arguments: argparse.Namespace, cells: Columns) -> Any:
    if arguments.period is not None and arguments.period not in cells.names:
        meant = did_you_mean(arguments.period, cells.names)
        raise ValueError(
            f"--period: there is no column {arguments.period!r}{meant} with one value for each record; there "
            f"are {', '.join(map(repr, cells.names))}"
        )
    return _periods(cells, arguments)


def _output(model: Any, name: str | None) -> dict[str, Any]:
    """Return the class or target to monitor, which a model with several needs."""
    is_single = isinstance(model, (ScaledCard, L0AdditiveRegressor))
    names = [None] if is_single else model._fitted.output_names()
    if name is None and len(names) == 1:
        return {}
    found = [label for label in names if label is not None and str(label) == name]
    if not found:
        got = "" if name is None else f" got {name!r};"
        listed = (
            ", ".join(repr(str(label)) for label in names)
            if len(names) > 1
            else "it has one output: leave the option out"
        )
        raise ValueError(f"--class:{got} name one of the outputs of the model: {listed}")
    return {"output": found[0]}
