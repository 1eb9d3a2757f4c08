"""The commands ``thresher scorecard`` and ``bands``: score cards in points."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np

from .. import L0AdditiveClassifier, L0AdditiveRegressor
from ..data.streams import STANDARD, is_standard_output, open_output
from ..data.table_files import read_file
from ..formatting.text import with_article
from ..scorecard._scale import Base
from ..scorecard.card import ScaledCard
from .columns import column_or_none, labels_for, rows_for
from .fitted_models import columns_of, load_any
from .messages import in_file
from .options import check_output, number, say_written, whole_number
from .outline import COMMANDS
from .printing import FORMATS, show
from .targets import find_target
from .unknown import add_handle_unknown, set_handle_unknown
from .weights import kept_weights, weights_column

_SCALE = ("pdo", "base_score", "base_odds", "high_score", "base")


def add_scorecard(commands: Any) -> None:
    """Declare the command ``scorecard`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("scorecard", help=COMMANDS["scorecard"])
    add = command.add_argument
    add("model", type=Path, help="a model of --model additive of two classes; a card is printed as it is")
    add("--pdo", type=number, help="points that double the odds (default: 20)")
    add("--base-score", type=number, help="the score at the base odds (default: 600)")
    add("--base-odds", type=number, help="the odds at the base score (default: 50)")
    add("--high-score", choices=("low_risk", "high_risk"), help="what a high score means (default: low_risk)")
    add(
        "--base",
        choices=get_args(Base),
        help="where points begin: at the mean, at the lowest bin, or without base points (default: average)",
    )
    add("--exact", action="store_true", help="keep fractions of points")
    add("--output", "-o", type=Path, help="where to write the card; - is standard output")
    add("--format", choices=("csv", *FORMATS), default="text")
    command.set_defaults(run=_scorecard, parser=command)


def add_bands(commands: Any) -> None:
    """Declare the command ``bands`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("bands", help=COMMANDS["bands"])
    add = command.add_argument
    add("card", type=Path, help="a card saved by scorecard; - is standard input")
    add("data", type=Path, help="the file of rows")
    add("--target", "-t", help="the column of classes (default: the one of the fit, which the card keeps)")
    add("--weights", help="the column of row weights (default: that of the fit)")
    more = command.add_mutually_exclusive_group()
    more.add_argument("--bands", type=whole_number, default=10, help="the most bands (default: 10)")
    more.add_argument(
        "--between",
        type=number,
        nargs="+",
        action="extend",
        metavar="SCORE",
        help="the scores between the bands",
    )
    add_handle_unknown(command)
    add("--format", choices=("csv", *FORMATS), default="text")
    command.set_defaults(run=_bands, parser=command)


def _scorecard(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    model = load_any(arguments.model)
    given = {name: getattr(arguments, name) for name in _SCALE if getattr(arguments, name) is not None}
    if isinstance(model, ScaledCard):
        if given or arguments.exact:
            raise ValueError(
                f"{arguments.model} is a card in points already, which is only printed; scale the model that "
                "it comes from"
            )
        card = model
    elif hasattr(model, "scaled_card"):
        with in_file(np.arange(0)):
            card = model.scaled_card(**given, whole=not arguments.exact)
    else:
        raise ValueError(
            f"{with_article(type(model).__name__)} has no points; fit with --model additive, for two classes"
        )
    if is_standard_output(arguments.output):
        with open_output(STANDARD) as output:
            output.write(card.to_json().encode())
        return 0
    if arguments.output is not None:
        card.to_json(arguments.output)
    show(card, arguments.format)
    say_written(arguments.output, sys.stderr)
    return 0


def refuse_others(model: Any, path: Path) -> None:
    """Raise an error for a model that is no card in points.

    Parameters
    ----------
    model : estimator or ScaledCard
        The model.
    path : Path
        Its file.

    Raises
    ------
    ValueError
        If it is another model.
    """
    if isinstance(model, ScaledCard):
        return
    kind = type(model).__name__
    advice = "only those of --model additive for two classes are"
    if isinstance(model, L0AdditiveClassifier):
        advice = f"write one with thresher scorecard {path} --output CARD"
    elif isinstance(model, L0AdditiveRegressor):
        advice += "; thresher bins prints the bins of this one, and thresher monitor compares rows"
    raise ValueError(f"{path} holds {with_article(kind)}, no card in points; {advice}")


def _bands(arguments: argparse.Namespace) -> int:
    card = load_any(arguments.card)
    refuse_others(card, arguments.card)
    set_handle_unknown(card, arguments.handle_unknown)
    known, file = columns_of(card), read_file(arguments.data)
    target = find_target(arguments, card, {file.path: file.names}, needed_for="event rates")
    weights = weights_column(arguments.weights, kept_weights(card), file.names, file.path)
    table = known.table(file, card, target, weights, may_be_empty=True)
    y = column_or_none(table, target, "target")
    with in_file(np.arange(table.n_rows)):
        found = card.bands(
            rows_for(known.names, table, known.used),
            None if y is None else labels_for(y, "classification"),
            column_or_none(table, weights, "weights"),
            bands=arguments.between or arguments.bands,
        )
    show(found, arguments.format)
    return 0
