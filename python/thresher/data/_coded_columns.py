"""Columns of tables that are read in batches, twice: what is known of them, and their codes."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .budget import Budget
from .categories import distinct_cells, to_categorical
from .columns import CategoricalColumn, Level
from .extract import RawColumn
from .numbers_in_text import ADVICE_ON_UNLISTED_TEXT
from .numeric import to_numeric
from .whole_numbers import warn_of_rounding

_MOST_LEVELS = 65_000  # the core's codes have 16 bits

CodedColumn = _native.CodedColumn | CategoricalColumn


@dataclass(frozen=True)
class ColumnPlan:
    """What is known of the columns before they are read.

    Parameters
    ----------
    names : list of str
        Their names.
    categorical : list of (bool or None)
        Whether a column is categorical; None: its dtype decides.
    levels : list of (list of levels or None)
        Levels that come first in categorical columns.
    cuts : list of list of float
        Cut points that the codes of numeric columns have to separate.
    n_uniform : int, optional
        Parts of equal width whose bounds they have to separate.
    linear : bool, default=False
        Whether the fit has linear terms, which take memory.
    in_order : bool, default=False
        Whether the rows must be in the same order each time, since something else is in that order.
    advice : str, optional
        What to do about text in a column of numbers.
    excluded : collection of int, default=()
        The positions of columns whose cells are not read.
    """

    names: list[str]
    categorical: list[bool | None]
    levels: list[list[Level] | None]
    cuts: list[list[float]]
    n_uniform: int | None = None
    linear: bool = False
    in_order: bool = False
    advice: str = ADVICE_ON_UNLISTED_TEXT
    excluded: Collection[int] = ()


class _RowOrder:
    """Checksums of the cells of two readings, in their order."""

    def __init__(self, plan: ColumnPlan) -> None:
        self._counts, self._sums = plan.in_order, [0, 0]

    def add(self, reading: int, cells: NDArray[Any]) -> None:
        if self._counts:
            self._sums[reading] = zlib.crc32(cells.tobytes(), self._sums[reading])

    @property
    def is_kept(self) -> bool:
        return self._sums[0] == self._sums[1]


class CodedNumbers:
    """A numeric column."""

    def __init__(self, name: str, cuts: list[float], plan: ColumnPlan) -> None:
        self.name, self.advice = name, plan.advice
        self._coder = _native.ColumnCoder(cuts, plan.n_uniform)
        self._is_empty, self._is_rounded = True, False
        self.order = _RowOrder(plan)

    def observe(self, raw: RawColumn, budget: Budget) -> None:
        numbers = self._cells(raw, budget)
        if not self._is_rounded:
            self._is_rounded = warn_of_rounding(self.name, numbers, lambda: raw.cells(slice(None)))
        self._is_empty &= bool(np.isnan(numbers).all())
        self.order.add(0, numbers)
        self._coder.observe(numbers)

    @property
    def is_empty(self) -> bool:
        return self._is_empty

    @property
    def n_bytes(self) -> int:
        return self._coder.n_bytes()

    def begin(self, n_rows: int) -> None:
        self._coder.begin(n_rows)

    def encode(self, raw: RawColumn, budget: Budget, start: int) -> None:  # noqa: ARG002
        numbers = self._cells(raw, budget)
        self.order.add(1, numbers)
        self._coder.encode(numbers)

    def finish(self) -> CodedColumn:
        return self._coder.finish()

    def _cells(self, raw: RawColumn, budget: Budget) -> NDArray[np.float64]:
        cells = [raw.cells(slice(None))] if raw.kind == "numeric" else raw.batches(budget)
        return to_numeric(cells, self.name, raw.n_rows, advice=self.advice)


class ExcludedColumn(CodedNumbers):
    """A column whose cells are not read, and which has no values."""

    def _cells(self, raw: RawColumn, budget: Budget) -> NDArray[np.float64]:  # noqa: ARG002
        return np.full(raw.n_rows, np.nan)


class CodedCategories:
    """A categorical column."""

    def __init__(self, name: str, known: list[Level] | None, plan: ColumnPlan) -> None:
        self.name = name
        self.order = _RowOrder(plan)
        self._known = known
        self._order: dict[Level, None] = dict.fromkeys(known or ())
        self._cells: dict[Any, int] = {}
        self._levels: list[Level] = []
        self._codes: NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self._code_of_cell: NDArray[np.int32] = self._codes
        self.is_empty = True

    def observe(self, raw: RawColumn, budget: Budget) -> None:
        if self._known is None:
            self._order.update(dict.fromkeys(raw.order or ()))
        distinct, positions = distinct_cells(raw.batches(budget), self.name)
        places = [*(self._cells.setdefault(cell, len(self._cells)) for cell in distinct), -1]
        self.order.add(0, np.asarray(places)[positions])
        self.is_empty = not self._cells
        if len(self._cells) > _MOST_LEVELS:
            raise ValueError(
                f"column '{self.name}' has more than {_MOST_LEVELS:,} categories; leave it out, or join rare "
                "ones"
            )

    @property
    def n_bytes(self) -> int:
        return 100 * len(self._cells)  # an entry of a dict, and a short text

    def begin(self, n_rows: int) -> None:
        one_of_each = np.arange(len(self._cells), dtype=np.int32)
        codes, self._levels = to_categorical((list(self._cells), one_of_each), self.name, list(self._order))
        self._code_of_cell = np.asarray([*codes, -1], dtype=np.int32)  # the last entry: missing
        self._codes = np.empty(n_rows, dtype=np.int32)

    def encode(self, raw: RawColumn, budget: Budget, start: int) -> None:
        distinct, positions = distinct_cells(raw.batches(budget), self.name)
        try:
            places = [*map(self._cells.__getitem__, distinct), -1]
        except KeyError:
            raise changed_cells() from None
        self.order.add(1, np.asarray(places)[positions])
        codes = self._code_of_cell[np.asarray(places)]
        self._codes[start : start + raw.n_rows] = codes[positions]

    def finish(self) -> CategoricalColumn:
        return self._codes, self._levels

    @property
    def has_order(self) -> bool:
        """Whether the categories are those of a model, or of a categorical dtype."""
        return bool(self._order)


def changed_cells() -> ValueError:
    """Create the error for rows that are others the second time."""
    return ValueError("X was read twice and has other cells the second time; it must not change during a fit")
