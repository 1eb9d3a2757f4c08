"""One column as an examination sees it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing
from ..formatting.numbers import format_number


@dataclass(frozen=True)
class RawColumn:
    """A column with its cells unchanged.

    Parameters
    ----------
    name : str
        Its name.
    cells : ndarray of shape (n_rows,)
        Numbers, booleans, dates or objects.
    is_ordered : bool, default=False
        Whether the dtype says that its categories have an order.
    """

    name: str
    cells: NDArray[Any]
    is_ordered: bool = False

    @functools.cached_property
    def present(self) -> NDArray[np.bool_]:
        """Whether each cell has a value."""
        if self.cells.dtype.kind in "fmM":
            return np.asarray(self.cells == self.cells)
        if self.cells.dtype.kind == "O":
            return np.asarray([not is_missing(cell) for cell in self.cells.tolist()], dtype=bool)
        return np.ones(self.cells.size, dtype=bool)

    @property
    def is_numeric(self) -> bool:
        """Whether the cells are numbers, not booleans."""
        return self.cells.dtype.kind in "iuf"

    @functools.cached_property
    def present_cells(self) -> NDArray[Any]:
        """The cells that have a value; whole numbers as such, as float64 does not hold all of 64 bits."""
        return self.cells[self.present]

    @functools.cached_property
    def values(self) -> NDArray[Any]:
        """The cells that have a value, as float64 for numbers."""
        return self.present_cells.astype(np.float64) if self.is_numeric else self.present_cells

    @functools.cached_property
    def distinct(self) -> list[Any]:
        """The different values: numbers ascending, others in order of appearance."""
        if self.cells.dtype.kind == "O":
            return list(dict.fromkeys(_hashable(cell) for cell in self.present_cells.tolist()))
        return np.unique(self.present_cells).tolist()  # type: ignore[no-any-return]

    @functools.cached_property
    def codes(self) -> NDArray[np.int64]:
        """The rank (numbers) or number by appearance (others) of each value; -1 for a missing one."""
        codes = np.full(self.cells.size, -1, dtype=np.int64)
        if self.cells.dtype.kind == "O":
            place = {value: k for k, value in enumerate(self.distinct)}
            codes[self.present] = [place[_hashable(cell)] for cell in self.present_cells.tolist()]
        else:
            codes[self.present] = np.unique(self.present_cells, return_inverse=True)[1]
        return codes

    @functools.cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of each distinct value."""
        return np.bincount(self.codes[self.present], minlength=len(self.distinct))

    @functools.cached_property
    def texts(self) -> list[str]:
        """The different texts."""
        return [value for value in self.distinct if isinstance(value, str)]


def format_cell(value: Any) -> str:
    """Return a cell as a message shows it.

    Parameters
    ----------
    value : object
        The cell.

    Returns
    -------
    str
        A number with few digits, a text in quotes.

    Examples
    --------
    >>> format_cell(2.0), format_cell("a")
    ('2', "'a'")
    """
    value = value.item() if isinstance(value, np.generic) else value
    return format_number(value) if isinstance(value, float) else repr(value)


def _hashable(cell: Any) -> Any:
    try:
        hash(cell)
    except TypeError:
        return repr(cell)
    return cell
