"""The commands ``thresher scorecard`` and ``bands``: score cards in points."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import L0AdditiveClassifier, L0AdditiveRegressor
from ..data.frames import Columns
from ..data.streams import STANDARD, open_output
from ..data.table_files import File, read_file, write_rows
from ..formatting.text import with_article
from ..results.printed import PrintedTable
from ..results.summary import Summary
from ..scorecard.card import ScaledCard
from .columns import column_of, labels_for, rows_for
from .fitted_models import columns_of, load_any, target_name
from .messages import in_file
from .options import check_output, number, whole_number
from .outline import COMMANDS
from .unknown import add_handle_unknown, set_handle_unknown
from .weights import use_kept_weights

_SCALE = ("pdo", "base_score", "base_odds", "high_score", "base")
BASES = ("average", "lowest", "spread")
"""Where the points of a card begin."""
FORMATS: dict[str, Callable[[PrintedTable], str]] = {
    "text": lambda table: table.text(),
    "html": lambda table: table._repr_html_(),
    "markdown": lambda table: table.to_markdown(),
    "latex": lambda table: table.to_latex(),
}
"""The formats of a table, beside ``csv``."""


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
        choices=BASES,
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


def show(table: PrintedTable, form: str) -> None:
    """Print a table.

    Parameters
    ----------
    table : PrintedTable
        The table.
    form : str
        ``csv``, or one of ``FORMATS``; each of them has the intercepts of a model.
    """
    if form != "csv":
        print(FORMATS[form](table))
        return
    columns = table.columns(with_intercepts=True) if isinstance(table, Summary) else table.columns()
    with open_output(STANDARD) as output:
        write_rows(output, columns, zip(*columns.values(), strict=True))


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
    to_standard = arguments.output is not None and str(arguments.output) == STANDARD
    if to_standard:
        with open_output(STANDARD) as output:
            output.write(card.to_json().encode())
        return 0
    if arguments.output is not None:
        card.to_json(arguments.output)
    show(card, arguments.format)
    if arguments.output is not None:
        print(f"written to {arguments.output}", file=sys.stderr)
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
    target = kept_target(arguments, card, [file], "event rates")
    use_kept_weights(arguments, card, file.names, arguments.data)
    table = known.table(file, card, target, arguments.weights, may_be_empty=True)
    y = column_or_none(table, target, "target")
    with in_file(np.arange(table.n_rows)):
        found = card.bands(
            rows_for(known.names, table, known.used),
            None if y is None else labels_for(y, "classification"),
            column_or_none(table, arguments.weights, "weights"),
            bands=arguments.between or arguments.bands,
        )
    show(found, arguments.format)
    return 0


def kept_target(arguments: argparse.Namespace, card: Any, files: Sequence[File], needs_it: str) -> str | None:
    """Return the target that is given, or that the card keeps where all files have it; say so if not.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    card : ScaledCard or estimator
        The card, or another model.
    files : sequence of File
        The files of rows.
    needs_it : str
        What cannot be said without the target.

    Returns
    -------
    str or None
        The column.
    """
    kept = target_name(card)
    if arguments.target or kept is None:
        if not arguments.target:
            print(f"note: no {needs_it} without the column of the target: --target", file=sys.stderr)
        return arguments.target  # type: ignore[no-any-return]
    lacks = [str(file.path) for file in files if kept not in file.names]
    if not lacks:
        return kept
    noun = "card" if isinstance(card, ScaledCard) else "model"
    print(
        f"note: no {needs_it}, since {' and '.join(lacks)} {'lacks' if len(lacks) == 1 else 'lack'} "
        f"{kept!r}, which the {noun} predicts; if the target has another name, name it with --target",
        file=sys.stderr,
    )
    return None


def column_or_none(table: Columns, name: str | None, role: str) -> NDArray[Any] | None:
    """Return a column of a table, if one is named.

    Parameters
    ----------
    table : Columns
        The table.
    name : str or None
        The column's name.
    role : str
        What it is, for the error.

    Returns
    -------
    ndarray or None
        The column.
    """
    return None if name is None else column_of(table, name, role)
