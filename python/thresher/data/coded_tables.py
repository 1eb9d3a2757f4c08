"""Tables that are read in batches, twice, into codes of at most two bytes.

The first reading finds the distinct values of each column, the second one turns each cell into a code, and
takes targets and weights: a source may have its rows in another order each time. The numbers themselves are
never held. Cells are converted as those of tables in memory (:mod:`.inputs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ._coded_columns import (
    CodedCategories,
    CodedColumn,
    CodedNumbers,
    ColumnPlan,
    ExcludedColumn,
    changed_cells,
)
from .budget import BYTES_OF_A_RESPONSE, COLUMN_BYTES, Budget
from .category_orders import warn_of_orders
from .columns import (
    is_missing,
    object_kind,
)
from .datasets import BATCH_ROWS, Dataset, naming_first_row, release_unused_memory
from .extra_columns import Extra
from .extract import RawColumn, extract
from .inputs import Table, refuse_surrogates_in, warn_of_limits
from .numbers_in_text import ADVICE_ON_NEW_TEXT

_BYTES_OF_A_CELL = {False: (4, 2), True: (18, 6)}
"""What the core reserves for a number and for a category, among all rows and in each fold."""
_BYTES_OF_A_LINEAR_CELL = 8
"""What it reserves for a cell of a linear term, among all rows and in each fold; a fit was measured to take
twice that."""
_BYTES_BESIDE = 100
"""What a fit was measured to take for each row and output beside what the core reserves
(benches/record/2026-11-27-from-disk.md): with 11 million rows of 28 columns 348 bytes a row in all."""
_COPIES_OF_A_BATCH = 3
"""Batches in memory at once: one that is used, one that is read ahead, one that is decoded."""


@dataclass(frozen=True)
class CodedTable:
    """A table in codes.

    Parameters
    ----------
    columns : list of CodedColumn or (codes, levels)
        The columns.
    names : list of str
        Their names.
    n_rows : int
        Number of rows.
    named : bool, default=True
        Whether the user named the columns.
    """

    columns: list[CodedColumn]
    names: list[str]
    n_rows: int
    named: bool = True

    @property
    def feature_names(self) -> NDArray[np.object_] | None:
        """The names given by the user, None if there are none."""
        return np.asarray(self.names, dtype=object) if self.named else None

    @property
    def in_ranges(self) -> list[str]:
        """The names of the columns of more numbers than codes, each of which stands for a range."""
        pairs = zip(self.names, self.columns, strict=True)
        return [name for name, column in pairs if not (isinstance(column, tuple) or column.is_exact())]


def read_coded(
    data: Dataset, plan: ColumnPlan, extra: Sequence[str], budget: Budget
) -> tuple[CodedTable, Extra]:
    """Read a table in batches.

    Parameters
    ----------
    data : Dataset
        The table.
    plan : ColumnPlan
        The columns to code.
    extra : sequence of str
        Columns of which the cells are wanted.
    budget : Budget
        What the fit may take.

    Returns
    -------
    table : CodedTable
        The columns.
    extra : Extra
        The cells of the others.

    Raises
    ------
    TypeError, ValueError
        As :func:`.inputs.read`; if the data change between the readings.
    MemoryError
        If the codes do not fit into the memory.
    TimeoutError
        If the time is over before all rows are read twice.
    """
    others = Extra(extra)
    columns = _columns_of(plan)
    if data.n_rows is not None:
        held, what, further = _need(columns, len(extra), data.n_rows, plan.linear, budget)
        budget.require(held + further, what)
    n_rows = _observe(data, plan, columns, budget)
    if not n_rows:
        shape = f"(shape=(0, {len(plan.names)}))"
        raise ValueError(f"Found array with 0 sample(s) {shape} while a minimum of 1 is required.")
    budget.hold(*_need(columns, len(extra), n_rows, plan.linear, budget))
    for column in budget.within_time(columns, "columns whose values had been put in order", 1):
        column.begin(n_rows)
    _encode(data, plan, columns, others, n_rows, budget)
    release_unused_memory()
    found = [
        column.finish() for column in budget.within_time(columns, "columns whose codes had been packed", 1)
    ]
    refuse_surrogates_in(plan.names, found)
    for name, is_categorical, column in zip(plan.names, plan.categorical, columns, strict=True):
        if isinstance(column, CodedCategories) and is_categorical is None and not column.has_order:
            warn_of_limits(column.finish(), name)
    return CodedTable(found, plan.names, n_rows, data.named), others


def coded(table: Table, plan: ColumnPlan) -> CodedTable:
    """Return a table in memory as readings in batches give it.

    Parameters
    ----------
    table : Table
        The table.
    plan : ColumnPlan
        The columns to code, which are those of the table.

    Returns
    -------
    CodedTable
        The table in codes.
    """
    columns: list[CodedColumn] = []
    for cells, cuts in zip(table.columns, plan.cuts, strict=True):
        if isinstance(cells, tuple):
            columns.append(cells)
            continue
        coder = _native.ColumnCoder(cuts, plan.n_uniform)
        coder.observe(cells)
        coder.begin(table.n_rows)
        coder.encode(cells)
        columns.append(coder.finish())
    return CodedTable(columns, table.names, table.n_rows, table.feature_names is not None)


def _look(data: Dataset, n_read: int, reading: str, budget: Budget) -> None:
    """Look at the clock; each of the two readings says how many rows it has read."""
    of_all = "" if data.n_rows is None else f" of {data.n_rows}"
    budget.progress = f"after {n_read}{of_all} rows had been read, in the {reading} of two readings of X"
    budget.check_time(budget.progress)


def _observe(
    data: Dataset, plan: ColumnPlan, columns: list[CodedNumbers | CodedCategories], budget: Budget
) -> int:
    """Read all rows once, and return their number."""
    n_rows, ordered = 0, dict[str, None]()

    def look(rows: int) -> None:
        _look(data, rows, "first", budget)

    for start, frame in data.read(plan.names, look):
        look(start)
        with naming_first_row(start):
            for place, raw in enumerate(_raw_columns(frame, plan.names, budget)):
                column = columns[place] = _of_kind(columns[place], raw, plan, place, budget)
                column.observe(raw, budget)
                if raw.is_ordered and plan.categorical[place] is None:
                    ordered[column.name] = None
        n_rows = start + len(frame)
        budget.require(sum(column.n_bytes for column in columns), f"the distinct values of {n_rows} rows")
    budget.progress = ""
    warn_of_orders(list(ordered))
    return n_rows


def _encode(
    data: Dataset,
    plan: ColumnPlan,
    columns: list[CodedNumbers | CodedCategories],
    others: Extra,
    n_rows: int,
    budget: Budget,
) -> None:
    """Read all rows again; raise an error unless there are as many, in their order where that counts."""
    n_again = 0

    def look(rows: int) -> None:
        _look(data, rows, "second", budget)

    for start, frame in data.read([*plan.names, *others.names], look):
        look(start)
        n_again = start + len(frame)
        if n_again > n_rows:
            break
        for column, raw in zip(columns, _raw_columns(frame, plan.names, budget), strict=True):
            column.encode(raw, budget, start)
        others.add(frame)
    budget.progress = ""
    if not n_again:
        raise ValueError(
            "X was read twice and had no rows the second time; a function must give all batches at each call"
        )
    if n_again != n_rows:
        raise changed_cells()
    if not all(column.order.is_kept for column in columns):
        raise ValueError(
            "X was read twice and had its rows in another order the second time, so that y, sample_weight or "
            "groups given as arrays would belong to other rows; name their columns, or read the rows in a "
            "fixed order (polars: maintain_order=True; SQL: ORDER BY)"
        )


def _columns_of(plan: ColumnPlan) -> list[CodedNumbers | CodedCategories]:
    found: list[CodedNumbers | CodedCategories] = []
    for place, (name, cuts) in enumerate(zip(plan.names, plan.cuts, strict=True)):
        if place in plan.excluded:
            found.append(ExcludedColumn(name, cuts, plan))
        elif plan.categorical[place]:
            found.append(CodedCategories(name, plan.levels[place], plan))
        else:
            found.append(CodedNumbers(name, cuts, plan))
    return found


def _raw_columns(frame: Any, names: list[str], budget: Budget) -> Iterator[RawColumn]:
    return extract(frame.select(*names).to_native(), budget).columns


def _of_kind(
    column: CodedNumbers | CodedCategories, raw: RawColumn, plan: ColumnPlan, place: int, budget: Budget
) -> CodedNumbers | CodedCategories:
    """Return the column, or a new one of another kind while only missing cells are known."""
    if plan.categorical[place] is not None or place in plan.excluded:
        return column
    name = plan.names[place]
    kind = object_kind(raw.batches(budget), name) if raw.kind == "object" else raw.kind
    is_categorical = kind == "categorical"
    if is_categorical == isinstance(column, CodedCategories):
        return column
    if not column.is_empty:
        if raw.kind == "object" and all(map(is_missing, raw.cells(slice(None)).tolist())):
            return column
        raise TypeError(
            f"column '{name}' holds categories in some batches and numbers in others; convert it, or name it "
            "in categorical_features to use its values as categories"
        )
    return CodedCategories(name, None, plan) if is_categorical else CodedNumbers(name, plan.cuts[place], plan)


def _need(
    columns: Sequence[CodedNumbers | CodedCategories], n_extra: int, n_rows: int, linear: bool, budget: Budget
) -> tuple[int, str, int]:
    """Return the bytes beside those that the core counts, what takes them, and those of the core."""
    are_categories = [isinstance(column, CodedCategories) for column in columns]
    n_linear = are_categories.count(False) if linear else 0
    of_linear = n_linear * budget.of_all(_BYTES_OF_A_LINEAR_CELL, _BYTES_OF_A_LINEAR_CELL)
    of_cells = sum(budget.of_all(*_BYTES_OF_A_CELL[is_categories]) for is_categories in are_categories)
    of_responses = budget.n_outputs * budget.of_all(*BYTES_OF_A_RESPONSE)
    of_batches = _COPIES_OF_A_BATCH * 8 * min(n_rows, BATCH_ROWS) * (len(columns) + n_extra)
    of_columns = sum(column.n_bytes + COLUMN_BYTES for column in columns)
    of_row = 8 * n_extra + _BYTES_BESIDE * budget.n_outputs + of_linear
    held = n_rows * of_row + of_columns + of_batches
    what = f"a fit of {n_rows} rows and {len(columns)} columns"
    return held, what, n_rows * (of_cells + of_linear + of_responses)


def plan_of(
    names: Sequence[str],
    categorical: Sequence[bool | None],
    bins: Mapping[str, Any],
    linear: bool = False,
) -> ColumnPlan:
    """Plan to read training rows.

    Parameters
    ----------
    names : sequence of str
        The columns.
    categorical : sequence of (bool or None)
        Whether each is categorical; None: its dtype decides.
    bins : mapping
        The binning, as the core takes it.
    linear : bool, default=False
        Whether the fit has linear terms.

    Returns
    -------
    ColumnPlan
        The plan.

    Examples
    --------
    >>> plan_of(["a", "b"], [False, True], {"kind": "given", "cuts": [[0.5], None]}).cuts
    [[0.5], []]
    """
    given = bins.get("cuts") or repeat(None, len(names))
    n_uniform = bins["n"] if bins["kind"] == "uniform" else None
    cuts = [list(own or ()) for own in given]
    return ColumnPlan(list(names), list(categorical), [None] * len(names), cuts, n_uniform, linear)


def plan_again(
    names: Sequence[str], features: Sequence[Mapping[str, Any]], bins: Mapping[str, Any]
) -> ColumnPlan:
    """Plan to read the training rows of a model again.

    Parameters
    ----------
    names : sequence of str
        The names of the columns in the data.
    features : sequence of mapping
        The model's features, with the cut points or the levels of each.
    bins : mapping
        The binning, as the core takes it.

    Returns
    -------
    ColumnPlan
        The plan of the fit; the codes also separate the model's cut points, in whatever order the rows come.
    """
    first = plan_of(names, [feature.get("levels") is not None for feature in features], bins)
    levels = [feature.get("levels") for feature in features]
    cuts = [[*given, *(own.get("cuts") or ())] for given, own in zip(first.cuts, features, strict=True)]
    return replace(first, levels=levels, cuts=cuts, advice=ADVICE_ON_NEW_TEXT)
