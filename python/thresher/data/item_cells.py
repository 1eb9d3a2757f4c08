"""What the cells of item-sets as a matrix may hold: 0 and 1; counts are read as present, with a warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fit_warnings import warn

_CELLS_AT_ONCE = 8192  # masks of as many bytes
Place = Callable[[int], tuple[int, Any]]
"""Gives the row and the column of a cell by its position among those that are checked."""


class CellCheck:
    """Refuses cells that are not finite or negative codes, and remembers the first one other than 0 and 1.

    Attributes
    ----------
    other : tuple of (float, int, object) or None
        Value, row and column of the first cell other than 0 and 1.
    """

    def __init__(self) -> None:
        self.other: tuple[float, int, Any] | None = None

    def check(self, cells: NDArray[Any], place: Place) -> None:
        """Check some cells.

        Parameters
        ----------
        cells : ndarray of shape (n_cells,) or (n_rows, n_columns)
            Numbers or booleans.
        place : callable
            Row and column of each, of a matrix row by row.

        Raises
        ------
        ValueError
            If a cell is missing, infinite or a negative whole number; the message names column and row.
        """
        if cells.dtype.kind == "b" or not cells.size:
            return
        is_suspect = not (cells.min() >= 0 and cells.max() < np.inf)
        width = cells.size // len(cells)
        few = max(1, _CELLS_AT_ONCE // width)
        for start in range(0, len(cells), few):
            if not is_suspect and self.other is not None:
                return
            part = cells[start : start + few].ravel()  # a copy where columns are stored one by one
            if is_suspect and not (allowed := _are_numbers(part)).all():
                first = int(np.argmin(allowed))
                _refuse(part[first], *place(start * width + first))
            is_other = (part != 0) & (part != 1)
            if self.other is None and is_other.any():
                first = int(is_other.argmax())
                self.other = (part[first].item(), *place(start * width + first))

    def note(self) -> str | None:
        """Return what to say of the first cell that was neither 0 nor 1.

        Returns
        -------
        str or None
            None if there was no such cell.
        """
        if self.other is None:
            return None
        value, row, column = self.other
        return (
            f"X holds {value:g} in column {str(column)!r}, row {row}: every number other than 0 means that "
            "the item is present. That is right for counts, which X > 0 gives without a warning; for codes "
            "(such as genotypes 0, 1, 2) give a column of 0 and 1 for each code"
        )

    def warn(self) -> None:
        """Warn if a cell was neither 0 nor 1."""
        if note := self.note():
            warn(note, UserWarning)


def _are_numbers(cells: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the cells that are neither missing nor infinite nor codes: negative whole numbers."""
    found: NDArray[np.bool_] = np.isfinite(cells) & ((cells >= 0) | (cells != np.floor(cells)))
    return found


def _refuse(value: Any, row: int, column: Any) -> None:
    """Raise the error for a cell that is not allowed."""
    where = f"(column '{column}', row {row}"
    if np.isnan(value):
        raise ValueError(f"Input X contains NaN. {where}; fill in 0 where the item is absent)")
    if np.isinf(value):
        raise ValueError(f"Input X contains infinity. {where}; an item's column holds 0 and 1)")
    raise ValueError(
        f"Negative values in data passed to X: {value:g} {where}; an item's column holds 0 and 1, or counts. "
        "A code for missing, such as -9, is no item: write 0, or leave the row out)"
    )
