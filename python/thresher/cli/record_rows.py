"""The records of a file as a fit takes them, and what is said of those that it leaves out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import Columns
from .targets import has_target
from .weights import weights_column


@dataclass(frozen=True)
class Records:
    """The records of a file.

    Parameters
    ----------
    X : list or EventSequences
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


@dataclass(frozen=True)
class RecordColumns:
    """The columns of a file of records that are no records, and how its cells are read.

    Parameters
    ----------
    target : str, optional
        The column of the targets, if these are wanted.
    weights, kept_weights : str, optional
        The column of the weights, and that of the fit, which is used where another is not given.
    drop : sequence of str, default=()
        Columns that are no items.
    items : (list of str, set of str), optional
        The items of a fitted model, and those whose columns must be there; other columns are no items then.
    types : (collection of str, collection of str), default=((), ())
        Columns to read as text, and as numbers.
    needed_for : str, optional
        What cannot be said of a file without the target, which is then read without one; by default the
        target must be there.
    may_lack_target : bool, default=False
        Whether records without a target are kept; else they are left out, with a note.
    weights_required : bool, default=False
        Whether the weights of the fit must be there.
    """

    target: str | None = None
    weights: str | None = None
    kept_weights: str | None = None
    drop: Sequence[str] = ()
    items: tuple[list[str], set[str]] | None = None
    types: tuple[Collection[str], Collection[str]] = ((), ())
    needed_for: str | None = None
    may_lack_target: bool = False
    weights_required: bool = False

    def found_in(self, names: Sequence[str], path: str | Path) -> RecordColumns:
        """Return the columns without those of the fit that a file lacks; notes name these.

        Parameters
        ----------
        names : sequence of str
            The columns of the file.
        path : str or Path
            The file.

        Returns
        -------
        RecordColumns
            The columns; weights belong to targets, where these are wanted.

        Raises
        ------
        ValueError
            If the weights are required and not there.
        """
        target = self.target
        if target is not None and self.needed_for and not has_target(target, {path: names}, self.needed_for):
            target = None
        weights = None
        if target is not None or self.target is None:
            required = self.weights_required
            weights = weights_column(self.weights, self.kept_weights, names, path, required=required)
        return replace(self, target=target, weights=weights, kept_weights=None)
