"""Cells of new rows beside the reference: missing, special codes, beyond its range, new categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Column
from ..formatting.numbers import format_percent, format_value, format_weight
from ..formatting.quoting import quote_category, quote_unclear
from ..formatting.text import format_list
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText
from .stability import chance_index, shares_of, stability_index

Mask = NDArray[np.bool_]
_SHOWN = 3  # new categories in a line
_NAMED = 8  # columns in a note


class UsedColumn(NamedTuple):
    """A column of a table that a model uses: its place, its name and its special codes.

    Parameters
    ----------
    feature_index : int
        The column's position.
    feature_name : str
        Its name.
    special : tuple of float, default=()
        The special codes, also those that the model treats as missing.
    """

    feature_index: int
    feature_name: str
    special: tuple[float, ...] = ()


@dataclass(frozen=True)
class ColumnValues:
    """The cells of a column in some rows.

    Parameters
    ----------
    feature_name : str
        The column's name.
    numbers : ndarray of shape (n_rows,) or None
        The numbers, without special codes and missing values (NaN); None for categories.
    is_missing : ndarray of shape (n_rows,)
        Which cells are missing.
    is_special : ndarray of shape (n_rows,)
        Which cells are special codes.
    unseen : ndarray of shape (n_rows,)
        Of categories that training did not see the number, -1 for all others.
    levels : list
        The categories by their numbers.
    weights : ndarray of shape (n_rows,)
        Row weights.
    """

    feature_name: str
    numbers: NDArray[np.float64] | None
    is_missing: Mask
    is_special: Mask
    unseen: NDArray[np.intp]
    levels: Sequence[Any]
    weights: NDArray[np.float64]

    def count(self, rows: Mask) -> float:
        """Add up the weights of rows."""
        return float(self.weights[rows].sum())


def values_of(
    column: Column, own: UsedColumn, n_known: int, rows: NDArray[np.intp], weights: NDArray[np.float64]
) -> ColumnValues:
    """Divide the cells of a column.

    Parameters
    ----------
    column : ndarray or (codes, levels)
        The column, with categories that training did not see.
    own : UsedColumn
        Its name and special codes.
    n_known : int
        The number of categories of training, which come first.
    rows : ndarray of int
        The rows that count.
    weights : ndarray of float
        The weights of these rows.

    Returns
    -------
    ColumnValues
        The cells.
    """
    if isinstance(column, tuple):
        codes, levels = column[0][rows], column[1]
        unseen = np.where(codes >= n_known, codes, -1).astype(np.intp)
        has_no_codes = np.zeros(codes.size, dtype=np.bool_)
        return ColumnValues(own.feature_name, None, codes < 0, has_no_codes, unseen, levels, weights)
    column = column[rows]
    is_missing = np.isnan(column)
    is_special = np.isin(column, own.special)
    numbers = np.where(is_missing | is_special, np.nan, column)
    seen = np.full(column.size, -1, dtype=np.intp)
    return ColumnValues(own.feature_name, numbers, is_missing, is_special, seen, (), weights)


@dataclass(frozen=True, repr=False)
class ValueTable(PrintedTable):
    """Counts of new values by column, beside the reference.

    Parameters
    ----------
    lines : dict of str to list
        ``feature, missing_reference, missing_new, special_reference, special_new, low, high, below, above,
        unseen, unseen_levels``.
    totals : (float, float)
        The weights of all rows of the reference, and of all new ones.
    noun : {"categories", "events", "items"}, default="categories"
        What training may not have seen: categories of tables, events or items of records.
    shifted : tuple of (str, str), default=()
        Columns whose fraction of ``"missing"`` values or of ``"special"`` codes has shifted, and which.
    """

    lines: dict[str, list[Any]]
    totals: tuple[float, float]
    noun: str = "categories"
    shifted: tuple[tuple[str, str], ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """Return the counts as columns.

        Returns
        -------
        dict of str to list
            ``feature``; ``missing_reference, missing_new``: the rows without a value; ``special_reference,
            special_new``: those with a special code, also where the model treats it as missing; ``low,
            high``: the range of the numbers in the reference, NaN for categories; ``below, above``: the new
            rows beyond it; ``unseen``: the new rows of categories that training did not see, and
            ``unseen_levels``: these. Rows are counted by their weights.
            Sequences and item-sets have one line, ``(events)`` or ``(items)``: empty records are the missing
            ones, and the most frequent of ``unseen_levels`` come first.
        """
        return dict(self.lines)

    def outside(self) -> dict[str, float]:
        """Return the columns with numbers beyond the range or new categories, and the weight of these rows.

        Returns
        -------
        dict of str to float
            Columns without such rows are left out.
        """
        parts = (self.lines[name] for name in ("feature", "below", "above", "unseen"))
        found = {name: below + above + unseen for name, below, above, unseen in zip(*parts, strict=True)}
        return {name: count for name, count in found.items() if count}

    @property
    def note(self) -> str:
        """Sentences on columns with other values than in the reference; empty where there are none."""
        return f"{self._note_of_shifts()} {self._note_of_outside()}".strip()

    def _note_of_shifts(self) -> str:
        places = {name: place for place, name in enumerate(self.lines["feature"])}
        named = []
        for name, kind in self.shifted:
            sides = zip(("reference", "new"), self.totals, strict=True)
            fractions = [self.lines[f"{kind}_{side}"][places[name]] / total for side, total in sides]
            before, now = map(format_percent, fractions)
            noun = "missing" if kind == "missing" else "special codes"
            named.append(f"{quote_unclear(name, ',')} ({noun} {before} before, {now} now)")
        return f"Shifts of missing values or special codes: {format_list(named, _NAMED)}." if named else ""

    def _note_of_outside(self) -> str:
        outside = self.outside()
        if not outside:
            return ""
        if self.noun != "categories":
            count, labels = _count(self.lines["unseen"][0], self.totals[1]), self.lines["unseen_levels"][0]
            listed = format_list(labels, _SHOWN, lambda label: quote_category(str(label)))
            return f"New rows with {self.noun} that training did not see: {count}: {listed}."
        named = [f"{quote_unclear(name, ',')} ({format_weight(count)})" for name, count in outside.items()]
        listed = format_list(named, _NAMED)
        return f"New rows with numbers beyond the reference or with new categories: {listed}."

    def _layout(self) -> TableText:
        before, after = self.totals
        has_special = any(self.lines["special_reference"]) or any(self.lines["special_new"])
        lines = []
        for (
            feature, missing_before, missing, special_before, special, low, high, below, above, unseen, levels
        ) in zip(*self.lines.values(), strict=True):  # fmt: skip
            is_number = not math.isnan(low)
            listed = format_list(levels, _SHOWN, lambda level: quote_category(str(level)))
            span = f"{format_value(low)} to {format_value(high)}" if is_number else ""
            coded = [_count(special_before, before), _count(special, after)] if has_special else []
            beyond = [_count(value, after) if is_number else "" for value in (below, above)]
            found = f"{_count(unseen, after)}: {listed}" if levels else ""
            missed = (_count(missing_before, before), _count(missing, after))
            lines.append(Line((feature, *missed, *coded, span, *beyond, found)))
        missing = "missing" if self.noun == "categories" else "empty"
        codes = ("special codes before", "now") if has_special else ()
        heads = ("feature", f"{missing} before", "now", *codes, "range before", "below", "above")
        alignment = f"lrr{'r' * len(codes)}lrrl"
        return TableText((*heads, f"new {self.noun}"), alignment, (Section("", tuple(lines), 0),))


def value_table(
    reference: Sequence[ColumnValues],
    new: Sequence[ColumnValues],
    counts_rows: tuple[bool, bool] = (False, False),
    threshold: float = 0.1,
) -> ValueTable:
    """Compare the cells of new rows with those of the reference.

    Parameters
    ----------
    reference, new : sequence of ColumnValues
        The cells of the same columns.
    counts_rows : (bool, bool), default=(False, False)
        Whether the weights of either side are numbers of equal rows.
    threshold : float, default=0.1
        The stability index from which a fraction of cells has shifted.

    Returns
    -------
    ValueTable
        A line for each column.
    """
    names = ["feature", "missing_reference", "missing_new", "special_reference", "special_new", "low", "high"]
    names += ["below", "above", "unseen", "unseen_levels"]
    lines: dict[str, list[Any]] = {name: [] for name in names}
    shifted = []
    for before, after in zip(reference, new, strict=True):
        low = high = math.nan
        below = above = 0.0
        if before.numbers is not None and after.numbers is not None:
            known = before.numbers[~np.isnan(before.numbers)]
            if known.size:
                low, high = float(known.min()), float(known.max())
                below, above = after.count(after.numbers < low), after.count(after.numbers > high)
        fresh = np.unique(after.unseen[after.unseen >= 0])
        cells = (
            before.feature_name,
            before.count(before.is_missing),
            after.count(after.is_missing),
            before.count(before.is_special),
            after.count(after.is_special),
            low,
            high,
            below,
            above,
            after.count(after.unseen >= 0),
            [after.levels[k] for k in fresh.tolist()],
        )
        for name, cell in zip(names, cells, strict=True):
            lines[name].append(cell)
        for kind in ("missing", "special") if before.weights.size and after.weights.size else ():
            shares = [
                shares_of(getattr(side, f"is_{kind}").astype(np.intp), 2, side.weights, is_counts)
                for side, is_counts in zip((before, after), counts_rows, strict=True)
            ]
            if float(stability_index(*shares).sum()) >= max(threshold, chance_index(*shares)):
                shifted.append((before.feature_name, kind))
    totals = [float(each[0].weights.sum()) if each else 0.0 for each in (reference, new)]
    return ValueTable(lines, (totals[0], totals[1]), shifted=tuple(shifted))


def _count(weight: float, total: float) -> str:
    if not weight:
        return "0"
    return f"{format_weight(weight)} ({format_percent(weight / total)})"
