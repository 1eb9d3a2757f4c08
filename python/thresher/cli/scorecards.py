"""The commands ``thresher scorecard``, ``bands`` and ``monitor``: score cards in points."""

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
from ..scorecard import ScaledCard
from ..scorecard.dates import LENGTHS, are_days, periods_of_dates
from .columns import column_of, labels_for, rows_for
from .messages import in_file
from .models import columns_of, load_any, target_name
from .options import check_output, number, whole_number
from .unknown import add_handle_unknown, set_handle_unknown
from .weights import kept_weights, use_kept_weights

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
    command = commands.add_parser("scorecard", help="scale a score card to points, and print it")
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


def add_monitor(commands: Any) -> None:
    """Declare the command ``monitor`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("monitor", help="compare new rows with those of training: PSI, CSI, AUC")
    add = command.add_argument
    add("card", type=Path, help="a card written by scorecard, or a model by fit; - is standard input")
    add("reference", type=Path, help="the file of reference rows")
    add("new", type=Path, help="the file of new rows")
    add("--target", "-t", help="the column of targets, for observed values and AUC; it may have gaps")
    add("--weights", help="the column of row weights (default: that of the fit)")
    add("--period", help="the column of the new rows that names the period, such as the month, or a date")
    add(
        "--by", choices=LENGTHS, help="the periods are the months, quarters or years of the dates of --period"
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
    command.set_defaults(run=_monitor, parser=command)


def add_bands(commands: Any) -> None:
    """Declare the command ``bands`` and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser(
        "bands", help="divide rows into bands of the score: counts, event rates, cumulative shares"
    )
    add = command.add_argument
    add("card", type=Path, help="a card written by scorecard; - is standard input")
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
        ``csv``, or one of ``FORMATS``.
    """
    if form != "csv":
        print(FORMATS[form](table))
        return
    columns = table.columns()
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


def _card(arguments: argparse.Namespace, card: Any = None, *others: type) -> Any:
    """Read a card in points, or a model of other classes."""
    card = load_any(arguments.card) if card is None else card
    if not isinstance(card, (ScaledCard, *others)):
        kind = type(card).__name__
        advice = "only those of --model additive for two classes are"
        if isinstance(card, L0AdditiveClassifier):
            advice = f"write one with thresher scorecard {arguments.card} --output CARD"
        elif others:
            advice += ", and models of --model additive for numbers are monitored too"
        elif isinstance(card, L0AdditiveRegressor):
            advice += "; thresher bins prints the bins of this one, and thresher monitor compares rows"
        raise ValueError(f"{arguments.card} holds a {kind}, no card in points; {advice}")
    set_handle_unknown(card, arguments.handle_unknown)
    return card


def _bands(arguments: argparse.Namespace) -> int:
    card = _card(arguments)
    known, file = columns_of(card), read_file(arguments.data)
    target = _target(arguments, card, [file], "event rates")
    use_kept_weights(arguments, card, file.names, arguments.data)
    table = known.table(file, card, target, arguments.weights, may_be_empty=True)
    y = _column(table, target, "target")
    with in_file(np.arange(table.n_rows)):
        found = card.bands(
            rows_for(known.names, table, known.used),
            None if y is None else labels_for(y, "classification"),
            _column(table, arguments.weights, "weights"),
            bands=arguments.between or arguments.bands,
        )
    show(found, arguments.format)
    return 0


def _monitor(arguments: argparse.Namespace, model: Any = None) -> int:
    if arguments.by is not None and arguments.period is None:
        raise ValueError("--by needs dates; name their column with --period")
    card = _card(arguments, model, L0AdditiveRegressor)
    known = columns_of(card)
    of_numbers = isinstance(card, L0AdditiveRegressor)
    task = "regression" if of_numbers else "classification"
    files = [read_file(path) for path in (arguments.reference, arguments.new)]
    target = _target(arguments, card, files, "observed values" if of_numbers else "AUC, Gini and KS")
    lacking = next((file for file in files if kept_weights(card) not in file.names), files[0])
    use_kept_weights(arguments, card, lacking.names, Path(lacking.path))
    reference, new = (
        known.table(file, card, target, arguments.weights, may_be_empty=file is files[1]) for file in files
    )
    X = [rows_for(known.names, table, known.used) for table in (reference, new)]
    y = [_column(table, target, "target") for table in (reference, new)]
    weights = [_column(table, arguments.weights, "weights") for table in (reference, new)]
    with in_file(np.arange(max(reference.n_rows, new.n_rows))):
        monitoring = card.monitor(
            *X,
            y_reference=None if y[0] is None else labels_for(y[0], task),
            y_new=None if y[1] is None else labels_for(y[1], task),
            sample_weight_reference=weights[0],
            sample_weight_new=weights[1],
            period=_periods(new, arguments),
            n_bins=arguments.bins,
            thresholds=tuple(arguments.thresholds),
        )
    if arguments.format != "csv":
        show(monitoring, arguments.format)
        print()
        show(monitoring.values, arguments.format)
        print()
    show(monitoring.periods, arguments.format)
    return 0


def _target(arguments: argparse.Namespace, card: Any, files: Sequence[File], needs_it: str) -> str | None:
    """Return the target that is given, or that the card keeps where all files have it; say so if not."""
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


def _periods(new: Columns, arguments: argparse.Namespace) -> NDArray[Any] | list[str | None] | None:
    """Return the period of each new row."""
    column = _column(new, arguments.period, "period")
    if column is None or arguments.by is not None:
        subject = f"--by: the column {arguments.period!r}"
        return None if column is None else periods_of_dates(column.tolist(), arguments.by, subject)
    if are_days(column):
        print(
            f"note: {arguments.period!r} holds dates, and each is a period; --by month (or quarter, year) "
            "makes periods of them",
            file=sys.stderr,
        )
    return column


def _column(table: Columns, name: str | None, role: str) -> NDArray[Any] | None:
    return None if name is None else column_of(table, name, role)
