"""Options that say where the records of the pattern models are in a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.durations import read_duration
from ..model_io.envelope import RECORD_OPTIONS
from .options import UsageError

KINDS = ("itemsets", "sequences", "graphs")
"""The models whose rows are records and not rows of a table."""

RECORDS_TITLE = "records of patterns (--model itemsets, sequences, graphs): where they are in the file"
"""The heading of the options."""

_OPTIONS: dict[str, tuple[str, ...]] = {
    "record": ("itemsets", "sequences"),
    "event": ("itemsets", "sequences"),
    "time": ("sequences",),
    "session_gap": ("sequences",),
    "same_time": ("sequences",),
    "gap_marker": ("sequences",),
    "smiles": ("graphs",),
    "targets": ("itemsets", "sequences"),
}
"""The models that each option is for."""

_SHOWN = {"event": "--event (or --item)"}
_UNSAID = {"same_time": "order"}  # what a fit without the option does

_DECLARED: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("--record",),
        {
            "metavar": "COLUMN",
            "help": "a long table, with a row for each item or event: the column that names the record "
            "(customer, visitor) a row belongs to",
        },
    ),
    (
        ("--event", "--item"),
        {"metavar": "COLUMN", "help": "the column of the events or items of a long table"},
    ),
    (
        ("--time",),
        {
            "metavar": "COLUMN",
            "help": "the column of times, numbers or dates: events are sorted by it (default: the order "
            "of the rows)",
        },
    ),
    (
        ("--session-gap",),
        {
            "metavar": "GAP",
            "help": "a longer pause begins a new session, which is a sequence of its own: 30min, 2h, or a "
            "number where times are numbers",
        },
    ),
    (
        ("--same-time",),
        {
            "choices": ("order", "set"),
            "help": "events at the same time: one after another as in the file (the default), or one event "
            "of several items",
        },
    ),
    (
        ("--gap-marker",),
        {
            "metavar": "EVENT",
            "help": "all sessions of a record stay one sequence, with this event between two of them",
        },
    ),
    (
        ("--smiles",),
        {
            "metavar": "COLUMN",
            "help": "the column of SMILES; without it the file holds graphs as text, in the format of gSpan",
        },
    ),
    (
        ("--targets",),
        {
            "type": Path,
            "metavar": "FILE",
            "help": "a second table with one row a record, for the target (and weights) of a long table; "
            "without it they are columns of the long table itself, equal in all rows of a record, or of a "
            "session",
        },
    ),
)


def add_record_options(
    option: Callable[..., Any], kinds: Sequence[str] = KINDS, *, targets: bool = True
) -> None:
    """Declare the options that say where the records are in a file.

    Parameters
    ----------
    option : callable
        ``add_argument`` of the parser or of a group.
    kinds : sequence of str, default=KINDS
        The models whose options are declared.
    targets : bool, default=True
        Whether targets are read too.
    """
    for names, settings in _DECLARED:
        dest = names[0][2:].replace("-", "_")
        if set(_OPTIONS[dest]) & set(kinds) and (targets or dest != "targets"):
            option(*names, dest=dest, **{"default": None, **settings})


def add_on_invalid(command: argparse.ArgumentParser, instead: str) -> None:
    """Declare what is done with molecules that rdkit does not read.

    Parameters
    ----------
    command : ArgumentParser
        The command.
    instead : str
        What happens to them where they are no error.
    """
    command.add_argument(
        "--on-invalid",
        choices=("raise", "skip"),
        help=f"molecules that rdkit does not read: an error, {instead} (default: as in the fit)",
    )


def set_on_invalid(arguments: argparse.Namespace, model: Any) -> None:
    """Set what a model does with molecules that rdkit does not read, where the option is given.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    model : estimator
        The fitted estimator, which is changed.

    Raises
    ------
    ValueError
        If the model reads no molecules.
    """
    if arguments.on_invalid is None:
        return
    if "on_invalid" not in getattr(model, "_parameters", ()):
        raise ValueError("--on-invalid is for molecules; this model reads none")
    model.set_params(on_invalid=arguments.on_invalid)


def target_of(arguments: argparse.Namespace, kind: str) -> str | None:
    """Return the target: the given column, or the first value of graphs as text.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    kind : str
        The model.

    Returns
    -------
    str or None
        The column, or the place of the value; None if none is given.
    """
    is_text = kind == "graphs" and arguments.smiles is None
    return arguments.target or ("1" if is_text else None)


def keep_options(arguments: argparse.Namespace, model: Any) -> None:
    """Put the options that say where records and weights are into a fitted model, whose file holds them.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments of the fit.
    model : estimator
        The fitted estimator.
    """
    options = {name: getattr(arguments, name, None) for name in RECORD_OPTIONS}
    given = {name: str(value) for name, value in options.items() if value is not None}
    model._fitted = replace(model._fitted, record_options=given or None)


def use_kept_options(arguments: argparse.Namespace, model: Any) -> None:
    """Set the options of records that are not given to those of the fit, but the weights.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, which are changed.
    model : estimator
        The fitted estimator.
    """
    kept = _kept(model)
    arguments.kept = {name for name in kept if getattr(arguments, name) is None}
    for name in arguments.kept:
        setattr(arguments, name, kept[name])


def _kept(model: Any) -> dict[str, str]:
    """Return the options of records, but the weights, of a model's fit."""
    return {name: value for name, value in (model._fitted.record_options or {}).items() if name in _OPTIONS}


def refuse_other_records(arguments: argparse.Namespace, models: Mapping[str, Any]) -> None:
    """Raise an error for models whose fits read records in different ways, unless the options are given.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    models : mapping of str to estimator
        The models by name, which are to read the same records.

    Raises
    ------
    UsageError
        If an option that is not given differs; a model of a table or of Python has no options.
    """
    fits = {name: _kept(model) for name, model in models.items()}
    for option in _OPTIONS:
        if getattr(arguments, option, None) is not None:
            continue
        values = {name: own.get(option, _UNSAID.get(option)) for name, own in fits.items() if own}
        name, value = next(iter(values.items()), ("", None))
        if other := next((other for other in values if values[other] != value), None):
            flag = _flag(option)
            first, second = (f"{flag} {own}" if own else f"no {flag}" for own in (value, values[other]))
            raise UsageError(
                f"{name!r} was fitted with {first}, {other!r} with {second}: they read different data; give "
                f"models of the same options, or {flag} for all of them"
            )


def check_record_options(arguments: argparse.Namespace, kind: str) -> None:
    """Raise an error for options of records that do not fit the model.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    kind : str
        The model.

    Raises
    ------
    UsageError
        If an option is for other models, one that is needed is missing, or the pause is none.
    """
    given = {name: getattr(arguments, name, None) for name in _OPTIONS}
    for name, value in given.items():
        if value is not None and kind not in _OPTIONS[name]:
            flag = _SHOWN.get(name, _flag(name))
            raise UsageError(f"{flag} is for --model {', '.join(_OPTIONS[name])}; this is --model {kind}")
    if kind == "sequences" and (given["record"] is None or given["event"] is None):
        raise UsageError(
            "sequences come from a long table, with a row for each event; name its columns with --record and "
            "--event (and --time)"
        )
    if (given["record"] is None) != (given["event"] is None):
        raise UsageError("a long table needs both --record and --item")
    for name in ("session_gap", "same_time"):
        if given[name] is not None and given["time"] is None:
            raise UsageError(f"{_flag(name)} needs times; name their column with --time")
    if given["session_gap"] is not None:
        _check_gap(given["session_gap"])
    if given["gap_marker"] is not None and given["session_gap"] is None:
        raise UsageError("--gap-marker stands between sessions; say with --session-gap where one ends")
    if given["targets"] is not None and given["record"] is None:
        raise UsageError("--targets is for a long table; name its column of records with --record")


def _check_gap(text: str) -> None:
    """Raise an error unless a pause is a duration, or a number that is not negative."""
    try:
        is_valid = float(text) >= 0
    except ValueError:
        is_valid = True
        try:
            read_duration(text, "--session-gap")
        except ValueError as error:
            raise UsageError(str(error)) from None
    if not is_valid:
        raise UsageError(f"--session-gap: got {text!r}; give a number that is not negative, or 30min, 2h")


def _flag(option: str) -> str:
    return "--" + option.replace("_", "-")
