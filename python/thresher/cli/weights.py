"""The weights of a fit, which its model file names, in the commands that read rows again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .fitted_models import estimator_of


def kept_weights(model: Any) -> str | None:
    """Return the column of the weights of a fit.

    Parameters
    ----------
    model : estimator or ScaledCard
        The model.

    Returns
    -------
    str or None
        Its name; None where the fit had none, or was none of the command line.
    """
    return (estimator_of(model)._fitted.record_options or {}).get("weights")


def use_kept_weights(
    arguments: argparse.Namespace,
    model: Any,
    names: Collection[str],
    path: Path,
    *,
    required: bool = False,
) -> None:
    """Set ``--weights`` to the column of the fit where it is not given and the file has the column.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, which are changed.
    model : estimator or ScaledCard
        The model.
    names : collection of str
        The columns of the file.
    path : Path
        The file, for messages.
    required : bool, default=False
        Whether a file that lacks the column is an error; else it is said that nothing is weighted.

    Raises
    ------
    ValueError
        If the column is required and not there.
    """
    kept = kept_weights(model)
    if arguments.weights is not None or kept is None:
        return
    if kept in names:
        arguments.weights = kept
        return
    found = f"{path} lacks {kept!r}, the column of the weights of the fit"
    if required:
        raise ValueError(f"{found}; name it with --weights")
    print(f"note: nothing is weighted, since {found}; --weights names another", file=sys.stderr)
