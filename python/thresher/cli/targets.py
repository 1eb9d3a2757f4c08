"""The column that a fitted model predicts, in files of rows or of records."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..data.streams import input_name
from .fitted_models import target_name
from .options import note


def find_target(
    arguments: argparse.Namespace,
    model: Any,
    files: Mapping[str | Path, Sequence[str]],
    known: Collection[str | None] | None = None,
    needed_for: str | None = None,
) -> str | None:
    """Find the column that a model predicts: the one that is given, that of the fit, or the only other one.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, with ``target``.
    model : estimator or ScaledCard
        The model.
    files : mapping of path to sequence of str
        The names of the columns of each file, where these are known yet.
    known : collection of str or None, optional
        Columns that are no target, of a model that keeps no name: the only other one is taken. Without it
        none is.
    needed_for : str, optional
        What cannot be said without a target, which a note says; by default a target that is not found is an
        error.

    Returns
    -------
    str or None
        The column; None where it is not found.

    Raises
    ------
    ValueError
        If it is not found, and is needed.
    """
    if arguments.target:
        return str(arguments.target)
    names = dict.fromkeys(name for listed in files.values() for name in listed)
    others = [] if known is None else [name for name in names if name not in known]
    listed = ", ".join(map(repr, others)) or "none"
    kept = target_name(model)
    if kept is not None:
        if needed_for is not None:
            return kept if has_target(kept, files, needed_for) else None
        if all(kept in columns for columns in files.values()):
            return kept
        raise ValueError(
            f"the model predicts {kept!r}, which the file lacks; its other columns: {listed}; name the "
            "target with --target"
        )
    if len(others) == 1:
        note(f"takes {others[0]!r} for the target, the only column that the model does not know")
        return others[0]
    candidates = "" if known is None else f"; candidates: {listed}"
    if needed_for is None:
        raise ValueError(f"--target: name the column that the model predicts{candidates}")
    note(f"no {needed_for} without the column of the target; name it with --target{candidates}")
    return None


def has_target(target: str, files: Mapping[str | Path, Sequence[str]], needed_for: str) -> bool:
    """Return whether all files have the target of a fit, and say so if not.

    Parameters
    ----------
    target : str
        The column.
    files : mapping of path to sequence of str
        The names of the columns of each file.
    needed_for : str
        What cannot be said without it.

    Returns
    -------
    bool
        Whether all have it.
    """
    lacking = [input_name(path) for path, names in files.items() if target not in names]
    if lacking:
        note(
            f"no {needed_for}, since {' and '.join(lacking)} {'lacks' if len(lacking) == 1 else 'lack'} "
            f"{target!r}, which the model predicts; if the target has another name, name it with --target"
        )
    return not lacking
