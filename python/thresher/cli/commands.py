"""The command line: ``thresher fit``, ``predict``, ``summary``, ``verify``, ``export`` and others."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import _native
from ..data.extra_columns import extra_cells
from ..data.frames import Columns
from ..data.streams import is_standard_output
from ..data.table_files import read_table
from ..data.target_names import NamedTarget
from ..formatting.text import format_list, pluralize, with_article
from ..model_io.envelope import library_version
from ..scorecard import ScaledCard
from .card_tables import add_bins, add_importances
from .columns import Training, column_of, guess_task, labels_for, refuse_many_classes, split_target
from .demo import DATA, run_demo
from .doctor import add_doctor, note_on_model, notes_on
from .export import add_export
from .from_disk import KINDS as KINDS_FROM_DISK
from .from_disk import add_from_disk, first_rows, open_dataset, rows_of_fit, training_of
from .models import (
    KINDS,
    add_options,
    estimator,
    estimator_of,
    items_of,
    kind_of,
    load_any,
    target_name,
    types_of_target,
)
from .options import check_output, in_file, whole_number, without_options
from .patterns import add_patterns
from .predictions import add_predict
from .record_options import KINDS as RECORD_KINDS
from .record_options import (
    RECORDS_TITLE,
    add_record_options,
    check_record_options,
    keep_record_options,
    target_of,
    use_kept_options,
)
from .records import Records, read_records
from .reports import add_report
from .scorecards import add_bands, add_monitor, add_scorecard, show

_MOST_NAMED = 10  # rows that a note lists
_REFUSED = (ValueError, TypeError, OSError, MemoryError, ImportError, _native.CertificateError)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command-line interface.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        The exit status: 0 success, 1 an error with a message on standard error, 2 wrong
        usage, 130 interrupted.
    """
    arguments = _parsed(argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.simplefilter("always", ConvergenceWarning)
            status: int = arguments.run(arguments)
            sys.stdout.flush()
            return status
    except KeyboardInterrupt:
        print("thresher: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0
    except _REFUSED as error:
        if isinstance(error, OSError) and not sys.stdout.closed:
            _drop_output()
        print(f"thresher: error: {' '.join(str(error).splitlines())}", file=sys.stderr)
        return 1


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; an unknown one ends the program with the names that are close to it."""
    arguments, unknown = _parser().parse_known_args(argv)
    if unknown:
        command: argparse.ArgumentParser = arguments.parser
        name = unknown[0].partition("=")[0]
        known = sorted(set(re.findall(r"--[a-z0-9-]+", command.format_help())))
        close = " or ".join(difflib.get_close_matches(name, known))
        hint = f"did you mean {close}? " if close else ""
        command.exit(
            2, f"{command.prog}: error: unknown argument {name}; {hint}{command.prog} --help lists all\n"
        )
    return arguments


def _drop_output() -> None:
    """Send what standard output still holds nowhere: it failed once, and would again at the exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"thresher: warning: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thresher",
        description="Fit sparse models to read: rules that are provably the best of their kind, score "
        "cards, patterns in sets, sequences and molecules.",
    )
    parser.add_argument("--version", action="version", version=f"thresher {library_version()}")
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_demo(commands)
    _add_fit(commands)
    add_predict(commands)
    _add_summary(commands)
    add_patterns(commands)
    add_report(commands)
    _add_verify(commands)
    add_export(commands, load_any)
    add_bins(commands)
    add_importances(commands)
    add_scorecard(commands)
    add_bands(commands)
    add_monitor(commands)
    add_doctor(commands)
    return parser


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="fit a real data set and print the results")
    demo.add_argument("--data", choices=DATA, default=DATA[0], help="the data set (default: %(default)s)")
    demo.add_argument(
        "--out", type=Path, default=Path("thresher-demo"), help="folder for plots (%(default)s)"
    )
    demo.add_argument("--n-jobs", type=whole_number, default=None, help="threads (default: all cores)")
    demo.set_defaults(run=lambda a: run_demo(a.data, a.out, a.n_jobs), parser=demo)


def _add_fit(commands: Any) -> None:
    fit = commands.add_parser(
        "fit",
        add_help=False,
        help="fit a model to a CSV or Parquet file",
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
    fit.add_argument("--drop", nargs="+", default=[], metavar="COLUMN", help="columns to drop")
    fit.add_argument(
        "--keep",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="text columns to use even if nearly all their texts are distinct",
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


def _add_summary(commands: Any) -> None:
    summary = commands.add_parser("summary", help="print a model: its terms and its certificate")
    summary.add_argument(
        "model", type=Path, help="a model written by fit, or a card by scorecard; - is standard input"
    )
    formats = ("text", "csv", "html", "markdown", "latex")
    summary.add_argument("--format", choices=formats, default="text")
    summary.set_defaults(run=_summary, parser=summary)


def _add_verify(commands: Any) -> None:
    verify = commands.add_parser("verify", help="verify a model's certificate on its training data")
    verify.add_argument(
        "model", type=Path, help="a model written by fit, or a card by scorecard; - is standard input"
    )
    verify.add_argument("data", type=Path, help="the file it was fitted on; - is standard input")
    verify.add_argument(
        "--target",
        "-t",
        help="the column it predicts (default: the one of the fit, which the model keeps)",
    )
    verify.add_argument("--weights", help="the column of sample weights it was fitted with")
    verify.add_argument("--verbose", "-v", action="count", default=0, help="print progress")
    add_from_disk(verify)
    add_record_options(verify.add_argument_group(RECORDS_TITLE).add_argument)
    verify.set_defaults(run=_verify, parser=verify)


def _fit(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    arguments.model = arguments.model or "rules"
    if arguments.points is not None and arguments.from_disk:
        raise ValueError(
            "--points reads all rows at once; leave out --from-disk, or print points by scorecard"
        )
    training = _training(arguments)
    task = guess_task(training.y) if arguments.task == "auto" else arguments.task
    if task == "classification":
        refuse_many_classes(training.y, arguments.target)
    notes = [*training.notes]
    if isinstance(training.X, Columns):
        notes += notes_on(training.X, training.y, getattr(arguments, "special_codes", None) or ())
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    shown = sys.stderr if is_standard_output(arguments.output) else sys.stdout
    if arguments.task == "auto":
        other = "regression" if task == "classification" else "classification"
        print(f"note: fitting a {task} (--task {other} for the other kind)", file=sys.stderr)
    columns = Columns([], [])
    if isinstance(training.X, Columns):
        columns = training.X
    elif arguments.from_disk:
        columns = first_rows(training.X)
    model = estimator(arguments, task, columns)
    labels = labels_for(training.y, task)
    with in_file(training.rows), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "left out .* records, which rdkit|column .* holds numbers as text")
        y = NamedTarget(labels, arguments.target) if arguments.target else labels
        model.fit(training.X, y, sample_weight=training.weights, groups=training.groups)
    _note_invalid(model, training)
    if isinstance(training.X, Columns) and (dominant := note_on_model(model, training.X)):
        print(f"note: {dominant}", file=sys.stderr)
    if arguments.output is not None:
        if arguments.model in RECORD_KINDS:
            keep_record_options(arguments, model)
        model.to_json(arguments.output)  # before anything is printed: a pipe may end, as in `| head -1`
    if arguments.points is not None:
        card = model.point_card(training.X, labels, training.weights, max_points=arguments.points)
        print(card, file=shown)
    else:
        print(model.summary(), file=shown)
    if arguments.output is not None:
        print(f"written to {arguments.output}", file=shown)
    return 0


def _note_invalid(model: Any, training: Training | Records) -> None:
    """Name the rows of the file that a fit left out because rdkit does not read them."""
    rows = getattr(model, "invalid_rows_", np.zeros(0, dtype=np.int64))
    if rows.size:
        places = format_list((training.rows[rows] + 1).tolist(), _MOST_NAMED)
        rows_named = "row" if rows.size == 1 else "rows"
        print(
            f"note: left out {pluralize(rows.size, 'row')} that rdkit does not read: data {rows_named} "
            f"{places}",
            file=sys.stderr,
        )


def _training(arguments: argparse.Namespace) -> Training | Records:
    """Read the rows or records of a fit."""
    kind = arguments.model
    target = target_of(arguments, kind)
    if target is None:
        raise ValueError("--target: name the column to predict")
    numbers = {target} if arguments.task == "regression" else set()
    if arguments.weights is not None:
        numbers.add(arguments.weights)
    groups, drop = arguments.groups, [*arguments.drop]
    if groups is not None and groups not in (target, getattr(arguments, "record", None)):
        drop.append(groups)
    if kind not in RECORD_KINDS:
        check_record_options(arguments, kind)
        if arguments.from_disk:
            data = open_dataset(arguments, kind)
            found = training_of(data, target, arguments.weights, drop)
            cells = None if groups is None else extra_cells(data, [groups]).column(groups)
            return replace(found, groups=cells)
        table = read_table(arguments.data, numbers=numbers)
        found = split_target(table, target, arguments.weights, drop, arguments.keep)
        return replace(found, groups=None if groups is None else table[groups][found.rows])
    if arguments.from_disk:
        open_dataset(arguments, kind)
    if arguments.keep:
        raise ValueError(f"--keep is for tables; --model {kind} reads records")
    records = read_records(arguments, kind, target, arguments.weights, drop, types=((), numbers))
    if groups is None or records.groups is not None:
        return records
    return replace(records, groups=column_of(records.cells, groups, "groups"))


def _summary(arguments: argparse.Namespace) -> int:
    model = load_any(arguments.model)
    show(model if isinstance(model, ScaledCard) else model.summary(), arguments.format)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    model = load_any(arguments.model, arguments.data)
    if not hasattr(model, "verify"):
        raise ValueError(
            f"{with_article(type(model).__name__)} has no certificate; all models but these machines have one"
        )
    kind = kind_of(model)
    if kind in RECORD_KINDS:
        use_kept_options(arguments, model)
        target = target_of(arguments, kind) or target_name(model)
        if target is None:
            raise ValueError("--target: name the column that the model predicts")
        records = read_records(
            arguments,
            kind,
            target,
            arguments.weights,
            items=items_of(model, every=True),
            types=types_of_target(model, target, arguments.weights),
        )
        X: Any = records.X
        y, weights, rows = records.y, records.weights, records.rows
    else:
        check_record_options(arguments, kind)
        training = rows_of_fit(arguments, model, kind)
        X, y, weights, rows = training.X, training.y, training.weights, training.rows
    try:
        with in_file(rows):
            labels = labels_for(y, estimator_of(model)._task)
            estimator_of(model).set_params(verbose=arguments.verbose)
            certificate = model.verify(X, labels, sample_weight=weights)
    except _native.CertificateError as error:
        raise _native.CertificateError(without_options(str(error), arguments, kind)) from error
    print(f"verified: {certificate}")
    if isinstance(model, ScaledCard):
        print(f"the points are those of the model, up to {model.max_error:.2f} points of rounding")
    return 0
