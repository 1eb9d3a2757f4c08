"""The commands ``thresher bins`` and ``importances``: what rows say about a model of step functions."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from ..data.streams import is_standard_output
from ..formatting.text import with_article
from ..scorecard._scale import Base
from ..scorecard.card import ScaledCard
from .columns import Training, labels_for
from .fitted_models import estimator_of, kind_of, load_any
from .from_disk import rows_of_fit
from .messages import in_file
from .options import UsageError, check_output, number, read_json_object, say_written
from .outline import COMMANDS
from .printing import FORMATS, show
from .record_options import keep_options


def add_bins(commands: Any) -> None:
    """Declare the command ``bins`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("bins", help=COMMANDS["bins"])
    add = command.add_argument
    _add_rows(command)
    add(
        "--edit",
        type=Path,
        metavar="BINS.json",
        help="print what other bins would cost: a JSON object of columns to their bins, a list of cut points "
        "or of lists of categories, or null for a column without steps; the data are those of the fit",
    )
    add("--output", "-o", type=Path, help="where to write the model, or card, with the bins of --edit")
    add(
        "--base",
        choices=get_args(Base),
        help="of a card in points with the bins of --edit: where points begin (default: as in the card)",
    )
    command.set_defaults(run=_bins, parser=command, from_disk=False)


def add_importances(commands: Any) -> None:
    """Declare the command ``importances`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("importances", help=COMMANDS["importances"])
    _add_rows(command)
    command.add_argument("--gap-tol", type=number, help="where each fit ends (default: as the model)")
    command.add_argument("--time-limit", type=number, help="seconds for each fit (default: as the model)")
    command.set_defaults(run=_importances, parser=command, from_disk=False)


def _add_rows(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("model", type=Path, help="a model of --model additive, or a card in points; - is standard input")
    add("data", type=Path, help="the rows, best those of the fit; - is standard input")
    add("--target", "-t", help="the column it predicts (default: the one of the fit, which the model keeps)")
    add("--weights", help="the column of row weights (default: that of the fit)")
    add("--format", choices=("csv", *FORMATS), default="text")


def _read(arguments: argparse.Namespace, *, weights_required: bool = False) -> tuple[Any, Training, Any]:
    """Return the model, the rows and their labels."""
    model = load_any(arguments.model, arguments.data)
    if not hasattr(model, "binning_table"):
        raise ValueError(f"{with_article(type(model).__name__)} has no bins; fit with --model additive")
    training = rows_of_fit(arguments, model, kind_of(model), weights_required=weights_required)
    return model, training, labels_for(training.y, estimator_of(model)._task)


def _bins(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    if arguments.output is not None and arguments.edit is None:
        raise UsageError("--output writes a model with other bins; give them with --edit")
    bins = None if arguments.edit is None else read_json_object(arguments.edit, "columns to their bins")
    model, training, y = _read(arguments, weights_required=bins is not None)
    if arguments.base is not None and (bins is None or not isinstance(model, ScaledCard)):
        raise UsageError("--base is for --edit of a card in points")
    with in_file(training.rows):
        if bins is None:
            show(model.binning_table(training.X, y, training.weights), arguments.format)
            return 0
        options: Any = {"base": arguments.base} if isinstance(model, ScaledCard) else {}
        with _naming_edits():
            edited = model.edit_bins(training.X, y, bins, training.weights, **options)
    if arguments.output is not None:
        saved = edited.card if isinstance(model, ScaledCard) else edited.model
        keep_options(arguments, estimator_of(saved))
        saved.to_json(arguments.output)
    if not is_standard_output(arguments.output):
        show(edited, arguments.format)
    say_written(arguments.output, sys.stderr)
    return 0


@contextmanager
def _naming_edits() -> Iterator[None]:
    """Say of edits where they are given, and None as JSON has it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not (message := str(error)).startswith("bins: "):
            raise
        message = re.sub(r"\bNone\b", "null", message.removeprefix("bins: "))
        raise type(error)(f"--edit: {message}") from error


def _importances(arguments: argparse.Namespace) -> int:
    model, training, y = _read(arguments, weights_required=True)
    limits = {"gap_tol": arguments.gap_tol, "time_limit": arguments.time_limit}
    with in_file(training.rows):
        owner = estimator_of(model)
        show(owner.drop_column_importance(training.X, y, training.weights, **limits), arguments.format)
    return 0
