"""Options of reasons of cards in points: how many, against which points, and their texts."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..scorecard.card import ScaledCard
from .options import UsageError, read_json_object, whole_number


def add_reason_options(option: Callable[..., Any], how_many: str) -> None:
    """Declare the options.

    Parameters
    ----------
    option : callable
        ``add_argument`` of the parser or of a group.
    how_many : str
        The help of ``--reasons``.
    """
    option("--reasons", type=whole_number, metavar="N", help=f"of a card in points: {how_many}")
    option(
        "--reference",
        choices=("best", "mean"),
        help="the points that costs are counted from: the best of a column, or the mean over the rows of "
        "training (default: best)",
    )
    option(
        "--codes",
        type=Path,
        metavar="CODES.json",
        help="the texts of --reasons: a JSON object of columns to a text, or to an object with the texts "
        '"any", "missing" and those of special codes',
    )


def check_reason_options(arguments: argparse.Namespace, model: Any, default: int = 0) -> None:
    """Raise an error for options of reasons that do not belong to the model, or to no reasons.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    model : estimator or ScaledCard
        The model.
    default : int, default=0
        The reasons without ``--reasons``.

    Raises
    ------
    ValueError
        If there is nothing to give reasons for.
    """
    names = ("reasons", "reference", "codes", "adverse")
    given = [f"--{name}" for name in names if getattr(arguments, name, None) is not None]
    if given and not isinstance(model, ScaledCard):
        raise ValueError(f"{given[0]} is for cards in points; write one with thresher scorecard --output")
    if arguments.reasons is not None and arguments.reasons < 0:
        raise UsageError(f"--reasons: got {arguments.reasons}; give a number of columns")
    n_reasons = default if arguments.reasons is None else arguments.reasons
    if not n_reasons and given and given[-1] != "--reasons":
        raise UsageError(f"{given[-1]} belongs to --reasons; give their number")


def codes_of(path: Path | None) -> dict[Any, str]:
    """Read the texts of reasons.

    Parameters
    ----------
    path : Path or None
        The file, if any.

    Returns
    -------
    dict
        The texts by column, by ``(column, None)`` for missing values and by ``(column, code)``.

    Raises
    ------
    ValueError
        If it is no JSON object, or has other keys.
    OSError
        If it cannot be read.
    """
    found: dict[Any, str] = {}
    if path is None:
        return found
    for column, given in read_json_object(path, "columns to their texts").items():
        for key, text in given.items() if isinstance(given, dict) else [("any", given)]:
            if key == "any":
                found[column] = text
                continue
            try:
                found[column, None if key == "missing" else float(key)] = text
            except ValueError:
                raise ValueError(
                    f"{path}: column {column!r} has the key {key!r}; give 'any', 'missing' or a special code"
                ) from None
    return found
