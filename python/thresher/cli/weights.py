"""The weights of a fit, which its model file names, in the commands that read rows again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..data.streams import input_name
from ..data.weights import first_text
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


def refuse_texts(weights: NDArray[Any], name: str) -> None:
    """Raise an error for a column of weights that holds text.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        The column.
    name : str
        Its name.

    Raises
    ------
    ValueError
        If a cell is no number.
    """
    if weights.dtype.kind == "O" and (text := first_text(weights)):
        raise ValueError(
            f"--weights: column {name!r} holds {text[1]!r} in data row {text[0] + 1}; weights are numbers"
        )


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
    found = f"{input_name(path)} lacks {kept!r}, the column of the weights of the fit"
    if required:
        raise ValueError(f"{found}; name it with --weights")
    print(f"note: nothing is weighted, since {found}; --weights names another", file=sys.stderr)
