"""The weights of a fit, which its model file names, in the commands that read rows again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..data.streams import input_name
from ..data.weights import first_text
from .fitted_models import estimator_of
from .options import note


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


def weights_column(
    given: str | None, kept: str | None, names: Collection[str], path: str | Path, *, required: bool = False
) -> str | None:
    """Return the column of weights that is given, or that of the fit where the file has it.

    Parameters
    ----------
    given, kept : str or None
        The column of ``--weights``, and that of the fit.
    names : collection of str
        The columns of the file.
    path : str or Path
        The file, for messages.
    required : bool, default=False
        Whether a file that lacks the column of the fit is an error; else it is said that nothing is weighted.

    Returns
    -------
    str or None
        The column; None without weights.

    Raises
    ------
    ValueError
        If the column is required and not there.
    """
    if given is not None or kept is None or kept in names:
        return given or kept
    lacking = f"{input_name(path)} lacks {kept!r}, the column of the weights of the fit"
    if required:
        raise ValueError(f"{lacking}; name it with --weights")
    note(f"nothing is weighted, since {lacking}; --weights names another")
    return None
