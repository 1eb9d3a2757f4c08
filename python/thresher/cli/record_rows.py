"""The records of a file as a fit takes them, and what is said of those that it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing
from ..data.frames import Columns
from ..formatting.text import pluralize


@dataclass(frozen=True)
class Records:
    """The records of a file.

    Parameters
    ----------
    X : list
        The records, as the estimator takes them.
    y : ndarray of shape (n_records,) or None
        Their targets.
    weights : ndarray of shape (n_records,) or None
        Their weights.
    cells : Columns
        The columns of the output beside predictions: the rows of the input, or the names of the records.
    rows : ndarray of shape (n_records,)
        Positions in the file, where each record is a row of it.
    notes : list of str, default=[]
        Messages about what was left out.
    groups : ndarray of shape (n_records,) or None, default=None
        Their groups, where the table has a row for each event.
    """

    X: Any
    y: Any
    weights: NDArray[Any] | None
    cells: Columns
    rows: NDArray[np.intp]
    notes: list[str] = field(default_factory=list)
    groups: NDArray[Any] | None = None


def rows_with_target(y: NDArray[Any], target: str, noun: str = "row") -> tuple[NDArray[np.intp], list[str]]:
    """Return the positions of the rows with a target, and a note on the others.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The column.
    target : str
        Its name.
    noun : str, default="row"
        What a row is.

    Returns
    -------
    (ndarray of shape (n_present,), list of str)
        The positions; no note or one.

    Raises
    ------
    ValueError
        If no row has a target.
    """
    present = np.asarray([not is_missing(value) for value in y.tolist()], dtype=bool)
    if not present.any():
        raise ValueError(f"the column {target!r} has no value in any row; there is nothing to learn from")
    missing = int((~present).sum())
    note = f"left out {pluralize(missing, noun)} without a value of {target!r}"
    return np.flatnonzero(present), [note] if missing else []


def weights_of_records(
    given: str | None, kept: str | None, names: Sequence[str], path: Any
) -> tuple[str | None, list[str]]:
    """Return the column of weights that is given, or that of the fit where the file has it.

    Parameters
    ----------
    given, kept : str or None
        The column of ``--weights``, and that of the fit.
    names : sequence of str
        The columns of the file.
    path : Path
        The file.

    Returns
    -------
    (str or None, list of str)
        The column, and a note if the file lacks that of the fit.
    """
    if given is not None or kept is None or kept in names:
        return given or kept, []
    return None, [f"nothing is weighted, since {path} lacks {kept!r}, the column of the weights of the fit"]
