"""Findings about several columns, about the rows and about the target."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.category_orders import ADVICE_ON_ORDERED_CLASSES, ORDERED_CLASSES
from ..data.id_numbers import ids_of
from ..formatting.composition import spelled_alike
from ..formatting.numbers import format_percent
from ..formatting.text import format_names
from ._column import RawColumn
from ._findings import Finding
from ._values import listed_spellings

ROWS, TARGET = "(rows)", "(target)"
_WEIGHT = re.compile(r"(sample[_ ]?)?(w|wt|weights?)", re.IGNORECASE)
# Columns with more values than this fraction of the rows divide any target.
MAX_LEVELS = 0.2
# A column with more values tells the rows apart: whole rows that are equal are no chance.
_NEARLY_ALL_DIFFER, _MANY_COPIES = 0.9, 0.01
# Columns that depend on each other give more equal rows than independent ones, seldom ten times as many.
_MORE_THAN_CHANCE = 10.0
_ADVICE_ON_COPIES = "if they are one case twice, remove them: a fold would test what another taught"
# A class of fewer rows can hardly be learned.
_RARE_CLASS = 10
# The largest value over the median of a target above 0 from which its logarithm may be easier to predict.
_SKEWED = 50.0
_SHOWN = 3


def copies(columns: Sequence[RawColumn]) -> Iterator[Finding]:
    """Look for columns that say the same.

    Parameters
    ----------
    columns : sequence of RawColumn
        The columns.

    Yields
    ------
    Finding
        For each column that is a copy of an earlier one, up to names of categories or units of numbers.
    """
    seen: dict[bytes, RawColumn] = {}
    for column in columns:
        if len(column.distinct) < 2:
            continue
        first = seen.setdefault(column.codes.tobytes(), column)
        if first is not column:
            how = "is a copy of" if _same_cells(first, column) else "orders the rows exactly as"
            found = f"{how} {first.name!r}"
            yield Finding(
                column.name, "copy", found, "leave one of them out: a rule about one is a rule about both"
            )


def _same_cells(one: RawColumn, other: RawColumn) -> bool:
    return one.is_numeric == other.is_numeric and one.distinct == other.distinct


def ids(columns: Sequence[RawColumn]) -> Iterator[Finding]:
    """Look for two or more columns of whole numbers that name things, such as users and items.

    Parameters
    ----------
    columns : sequence of RawColumn
        The columns.

    Yields
    ------
    Finding
        For each such column.
    """
    numeric = (column for column in columns if column.is_numeric)
    found = [column for column in numeric if ids_of(column.values, column.name) is not None]
    if len(found) < 2:
        return
    names = [column.name for column in found]
    advice = (
        "if they name things, a factorization machine learns their interactions: "
        f"categorical_features={names!r}"
    )
    for column in found:
        values = f"holds {len(column.distinct):,} whole numbers that repeat, as those of users and items do"
        yield Finding(column.name, "ids", values, advice)


def weights(columns: Sequence[RawColumn]) -> Iterator[Finding]:
    """Look for columns that are weights of rows by their names.

    Parameters
    ----------
    columns : sequence of RawColumn
        The columns.

    Yields
    ------
    Finding
        For each such column of numbers that are 0 or more.
    """
    for column in columns:
        if (
            _WEIGHT.fullmatch(column.name)
            and column.is_numeric
            and column.values.size
            and column.values.min() >= 0
        ):
            advice = (
                "if these are the weights of the rows, give them as sample_weight and leave the column out"
            )
            yield Finding(column.name, "rows", "looks like weights by its name", advice)


def repeated_rows(
    columns: Sequence[RawColumn], identifiers: Collection[str], y: RawColumn | None
) -> Iterator[Finding]:
    """Look for equal rows.

    Parameters
    ----------
    columns : sequence of RawColumn
        All columns.
    identifiers : collection of str
        The names of those that number or name the rows.
    y : RawColumn or None
        The target.

    Yields
    ------
    Finding
        If a row is a copy of an earlier one where a column tells nearly all rows apart; else if more than a
        hundredth of the rows are copies but for identifiers. Rows are equal by chance where columns are few.
    """
    target = [] if y is None else [y]
    if not columns or not columns[0].cells.size:
        return
    if _tell_apart(columns, _NEARLY_ALL_DIFFER) and (first := _copied([*columns, *target])) is not None:
        copied = np.flatnonzero(first != np.arange(first.size))
        pair = f"row {copied[0]} of row {first[copied[0]]}"
        found = f"{_number_of_copies(copied.size)} of others, such as {pair}"
        yield Finding(ROWS, "rows", found, _ADVICE_ON_COPIES)
        return
    # Tables of few categories repeat their rows by nature.
    others = [column for column in columns if column.name not in identifiers]
    if others and _tell_apart(others, MAX_LEVELS) and (first := _copied([*others, *target])) is not None:
        fraction = float((first != np.arange(first.size)).mean())
        if fraction > _MANY_COPIES:
            found = f"{format_percent(fraction)} of the rows are copies of other rows"
            if left_out := [column.name for column in columns if column.name in identifiers]:
                found += f" but for {format_names(left_out)}"
            yield Finding(ROWS, "rows", found, _ADVICE_ON_COPIES)


def _copied(columns: Sequence[RawColumn]) -> NDArray[np.int64] | None:
    """Return the first row equal to each, if more pairs are equal than independent columns give by chance."""
    first = _first_equal(columns)
    expected = math.prod(_fraction_of_equal_pairs(column.codes + 1) for column in columns)
    return first if _fraction_of_equal_pairs(first) > _MORE_THAN_CHANCE * expected else None


def _fraction_of_equal_pairs(codes: NDArray[np.int64]) -> float:
    counts = np.bincount(codes).astype(np.float64)
    return float(counts @ (counts - 1.0)) / max(1.0, codes.size * (codes.size - 1.0))


def _number_of_copies(count: int) -> str:
    return "1 row is an exact copy" if count == 1 else f"{count} rows are exact copies"


def _tell_apart(columns: Sequence[RawColumn], least_fraction: float) -> bool:
    return max(len(column.distinct) for column in columns) > least_fraction * columns[0].cells.size


def _first_equal(columns: Sequence[RawColumn]) -> NDArray[np.int64]:
    """Return the first row that is equal to each row; once all differ, no more columns are looked at."""
    codes = columns[0].codes
    for column in columns[1:]:
        different, codes = np.unique(codes, return_inverse=True)
        if different.size == codes.size:
            break
        codes = codes * (len(column.distinct) + 1) + column.codes + 1
    _, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[place], dtype=np.int64)


def of_target(y: RawColumn, is_classes: bool) -> Iterator[Finding]:
    """Look at a target.

    Parameters
    ----------
    y : RawColumn
        The target.
    is_classes : bool
        Whether its values are classes.

    Yields
    ------
    Finding
        What was found.
    """
    missing = int((~y.present).sum())
    if missing:
        yield Finding(TARGET, "refused", f"is missing in {missing} rows", "leave these rows out")
    if len(y.distinct) < 2:
        yield Finding(TARGET, "refused", "has one value", "there is nothing to predict")
        return
    if twins := spelled_alike(y.texts):
        found = f"spells classes in two ways: {listed_spellings(twins)}"
        yield Finding(TARGET, "target", found, "write them alike: they are different classes to a model")
    if y.is_ordered and len(y.distinct) > 2:
        yield Finding(TARGET, "target", ORDERED_CLASSES, ADVICE_ON_ORDERED_CLASSES)
    if is_classes:
        rare = [(y.distinct[k], int(count)) for k, count in enumerate(y.counts) if count < _RARE_CLASS]
        if len(rare) > len(y.distinct) / 2 and len(y.distinct) > _RARE_CLASS:
            found = f"has {len(y.distinct)} classes, {len(rare)} of them in fewer than {_RARE_CLASS} rows"
            yield Finding(TARGET, "target", found, "are these classes? Numbers are for a regressor")
        elif rare:
            listed = ", ".join(f"{_plain(value)!r} in {count} rows" for value, count in rare[:_SHOWN])
            advice = "merge it with another class, or collect more: scores of such a class are chance"
            yield Finding(TARGET, "target", f"has rare classes: {listed}", advice)
    elif y.is_numeric and y.values.min() > 0 and y.values.max() > _SKEWED * np.median(y.values):
        ratio = y.values.max() / np.median(y.values)
        found = f"has a largest value of {ratio:.0f} times its median"
        advice = (
            "few rows decide a square: consider its logarithm, or loss='huber'. Neither estimates the mean: "
            "sums of predictions are too low unless a factor restores them"
        )
        yield Finding(TARGET, "target", found, advice)


def _plain(value: Any) -> Any:
    """Return a scalar of NumPy as that of Python, which prints without its type."""
    return value.item() if isinstance(value, np.generic) else value
