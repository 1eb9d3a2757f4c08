"""Findings about several columns, about the rows and about the target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_percent
from ._column import RawColumn
from ._findings import Finding

ROWS, TARGET = "(rows)", "(target)"
_WEIGHT = re.compile(r"(sample[_ ]?)?(w|wt|weights?)", re.IGNORECASE)
# A column that orders or divides the target this well is suspected of holding it.
_LEAK = 0.999
# Fewer rows say nothing about leaks.
_MIN_ROWS = 30
# Columns with more values than this fraction of the rows divide any target.
_MAX_LEVELS = 0.2
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


def repeated_rows(columns: Sequence[RawColumn], y: RawColumn | None) -> Iterator[Finding]:
    """Look for equal rows.

    Parameters
    ----------
    columns : sequence of RawColumn
        The columns.
    y : RawColumn or None
        The target.

    Yields
    ------
    Finding
        If more than a hundredth of the rows are copies of earlier ones.
    """
    if not columns or not columns[0].cells.size:
        return
    codes = np.column_stack([column.codes for column in columns])
    if y is not None:
        codes = np.column_stack([codes, y.codes])
    n_rows = len(codes)
    share = 1.0 - len(np.unique(codes, axis=0)) / n_rows
    distinct = max(len(column.distinct) for column in columns)
    # Tables of few categories repeat their rows by nature.
    if share > 0.01 and distinct > _MAX_LEVELS * n_rows:
        found = f"{format_percent(share)} of the rows are copies of other rows"
        advice = "if they are one case twice, remove them: a fold would test what another taught"
        yield Finding(ROWS, "rows", found, advice)


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
    if is_classes:
        rare = [(y.distinct[k], int(count)) for k, count in enumerate(y.counts) if count < _RARE_CLASS]
        if len(rare) > len(y.distinct) / 2 and len(y.distinct) > _RARE_CLASS:
            found = f"has {len(y.distinct)} classes, {len(rare)} of them in fewer than {_RARE_CLASS} rows"
            yield Finding(TARGET, "target", found, "are these classes? Numbers are for a regressor")
        elif rare:
            listed = ", ".join(f"{value!r} in {count} rows" for value, count in rare[:_SHOWN])
            advice = "merge it with another class, or collect more: scores of such a class are chance"
            yield Finding(TARGET, "target", f"has rare classes: {listed}", advice)
    elif y.is_numeric and y.values.min() > 0 and y.values.max() > _SKEWED * np.median(y.values):
        ratio = y.values.max() / np.median(y.values)
        found = f"has a largest value of {ratio:.0f} times its median"
        yield Finding(
            TARGET, "target", found, "consider its logarithm, or loss='huber': few rows decide a square"
        )


def leaks(columns: Sequence[RawColumn], y: RawColumn, is_classes: bool) -> Iterator[Finding]:
    """Look for columns that give the target away.

    Parameters
    ----------
    columns : sequence of RawColumn
        The columns.
    y : RawColumn
        The target.
    is_classes : bool
        Whether its values are classes.

    Yields
    ------
    Finding
        For each column that alone predicts the target nearly perfectly, by its values or by where it has
        none.
    """
    rows = y.present
    if rows.sum() < _MIN_ROWS or len(y.distinct) < 2:
        return
    target = y.codes[rows]
    advice = "does it hold what is to be predicted, or what is known only afterwards? Then leave it out"
    for column in columns:
        codes, held = column.codes[rows], column.present[rows]
        if len(column.distinct) < 2 and held.all():
            continue
        strength = _strength(codes, target, column, is_classes)
        if strength >= _LEAK:
            yield Finding(
                column.name, "leak", f"alone predicts the target ({format_percent(strength)})", advice
            )
        elif 0 < held.sum() < held.size and _majority(held.astype(np.int64), target, is_classes) >= _LEAK:
            found = "is missing exactly where the target has certain values"
            yield Finding(column.name, "leak", found, advice)


def _strength(codes: NDArray[Any], target: NDArray[Any], column: RawColumn, is_classes: bool) -> float:
    """Return how well a column alone predicts the target, 1 at most; 0 if that cannot be told."""
    found = [0.0]
    if len(column.distinct) <= _MAX_LEVELS * codes.size:
        found.append(_majority(codes, target, is_classes))
    # The order of numbers, and of texts only by chance.
    if column.is_numeric and (not is_classes or target.max() == 1):
        held = codes >= 0
        if held.all():
            found.append(_agreement(codes, target))
    return max(found)


def _agreement(codes: NDArray[Any], target: NDArray[Any]) -> float:
    """Return |2 AUC - 1| for two classes, and the absolute correlation of ranks else."""
    ranks = _mean_ranks(codes)
    if target.max() == 1:
        positive = target == 1
        n_pos, n_neg = int(positive.sum()), int((~positive).sum())
        auc = (ranks[positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)
        return abs(2.0 * float(auc) - 1.0)
    return abs(float(np.corrcoef(ranks, _mean_ranks(target))[0, 1]))


def _mean_ranks(codes: NDArray[Any]) -> NDArray[np.float64]:
    """Return ranks from 1; equal values share their mean rank."""
    shifted = codes - codes.min()
    counts = np.bincount(shifted)
    ends = np.cumsum(counts)
    ranks: NDArray[np.float64] = (ends - (counts - 1) / 2)[shifted]
    return ranks


def _majority(codes: NDArray[Any], target: NDArray[Any], is_classes: bool) -> float:
    """Return the part of the target that the values of a column explain beyond the best constant.

    Classes: of the errors of the most frequent class those that the most frequent class of each value
    avoids. Numbers: the share of the variance of ranks that lies between the means of the values.
    """
    groups = codes - codes.min()
    if is_classes:
        table = np.zeros((groups.max() + 1, target.max() + 1), dtype=np.int64)
        np.add.at(table, (groups, target), 1)
        errors = target.size - int(table.sum(axis=0).max())
        left = target.size - int(table.max(axis=1).sum())
        return 1.0 - left / errors if errors else 0.0
    ranks = _mean_ranks(target)
    counts = np.maximum(np.bincount(groups), 1)
    means = np.bincount(groups, weights=ranks) / counts
    total = float(((ranks - ranks.mean()) ** 2).sum())
    return 1.0 - float(((ranks - means[groups]) ** 2).sum()) / total if total else 0.0
