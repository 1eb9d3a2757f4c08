"""Columns that give the target away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_percent
from ._column import RawColumn, format_cell
from ._findings import Finding
from ._relations import MAX_LEVELS

# The part of the target that a column alone explains from which it is suspected of holding it. Classes: a
# fraction of the entropy. In 26 known data sets the best honest column explains .80 (petal width of iris),
# .77 (one vote on the party) and .72 (breast cancer); a flag that 97 % of the events and .2 % of the others
# have explains .87 or more. Numbers: a fraction of the variance of ranks, at most .55 in these data; .97 is a
# rank correlation of .985.
_LEAK_OF_CLASSES, _LEAK_OF_NUMBERS = 0.85, 0.97
# Fewer rows say nothing about leaks.
_MIN_ROWS = 30
# A smaller class says nothing about leaks either.
_MIN_CLASS = 5
# A column of more values is divided into as many intervals; by its single values it names groups of rows.
# Of more classes single ones are not tested.
_INTERVALS = 20
_ADVICE = "does it hold what is to be predicted, or what is known only afterwards? Then leave it out"
_ADVICE_ON_GROUPS = (
    "if it names persons or things of several rows, leave it out, and keep their rows together in "
    "cross-validation: cv=list(GroupKFold(5).split(X, y, groups))"
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
        For each column that alone explains nearly all of the target, by its values or by where it has none;
        of which one value tells one of several classes from the rest; or that names groups of rows with the
        same target.
    """
    rows = y.present
    if rows.sum() < _MIN_ROWS or len(y.distinct) < 2:
        return
    target = y.codes[rows]
    limit = _LEAK_OF_CLASSES if is_classes else _LEAK_OF_NUMBERS
    for column in columns:
        codes, held = column.codes[rows] + 1, column.present[rows]
        if np.unique(codes).size < 2:
            continue
        if not held.all() and explained(held.astype(np.int64), target, is_classes) >= limit:
            found = "is missing almost exactly where the target has certain values"
            yield Finding(column.name, "leak", found, _ADVICE)
            continue
        strength = strength_of(codes, target, column.is_numeric, is_classes)
        if strength >= limit:
            found = f"alone explains {format_percent(strength)} of the target"
            yield Finding(column.name, "leak", found, _ADVICE)
        elif is_classes and (exact := _exact_class(column, codes, y, target)):
            yield Finding(column.name, "leak", exact, _ADVICE)
        elif (
            len(column.distinct) <= MAX_LEVELS * codes.size and explained(codes, target, is_classes) >= limit
        ):
            found = f"has {len(column.distinct)} values, and the rows of each have the same target"
            yield Finding(column.name, "identifier", found, _ADVICE_ON_GROUPS)


def _exact_class(
    column: RawColumn, codes: NDArray[np.int64], y: RawColumn, target: NDArray[np.int64]
) -> str | None:
    """Say which of several classes one value, a missing one or the categories tell from all others.

    The order of numbers is not used: a threshold on an honest column separates one species of iris exactly.
    """
    classes, sizes = np.unique(target, return_counts=True)
    if not 2 < classes.size <= _INTERVALS:
        return None
    has_few_categories = not column.is_numeric and np.unique(codes).size <= _INTERVALS
    for k in classes[sizes >= _MIN_CLASS]:
        is_class = target == k
        flags, name = is_class.astype(np.int64), format_cell(y.distinct[k])
        for other in ("", "not "):
            value = int(np.bincount(codes[~is_class if other else is_class]).argmax())
            if explained((codes == value).astype(np.int64), flags, True) >= _LEAK_OF_CLASSES:
                cell = format_cell(column.distinct[value - 1]) if value else "missing"
                return f"is {cell} almost exactly where the target is {other}{name}"
        if has_few_categories and (strength := explained(codes, flags, True)) >= _LEAK_OF_CLASSES:
            return f"alone explains {format_percent(strength)} of whether the target is {name}"
    return None


def strength_of(
    codes: NDArray[np.int64], target: NDArray[np.int64], is_ordered: bool, is_classes: bool
) -> float:
    """Return the part of a target that a column alone explains by few values or by its order.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Ranks of numbers or positions of categories, from 1; 0 is missing.
    target : ndarray of shape (n_rows,)
        Classes, or ranks of numbers, from 0.
    is_ordered : bool
        Whether the codes are ranks.
    is_classes : bool
        Whether the target is classes.

    Returns
    -------
    float
        The part, 1 at most; 0 if that cannot be told.

    Examples
    --------
    >>> x = np.arange(1, 101)
    >>> strength_of(x, (x > 90).astype(np.int64), True, True) > 0.7
    True
    """
    if np.unique(codes).size <= _INTERVALS:
        return explained(codes, target, is_classes)
    return explained(_intervals(codes, target, is_classes), target, is_classes) if is_ordered else 0.0


def _intervals(codes: NDArray[np.int64], target: NDArray[np.int64], is_classes: bool) -> NDArray[np.int64]:
    """Divide ranks at quantiles, of classes at those of each class: rare ones are divided as finely."""
    known = codes > 0
    n_classes = int(target.max()) + 1 if is_classes else 1
    n_intervals = max(2, _INTERVALS // n_classes)
    cuts: set[float] = set()
    for k in range(n_classes):
        own = codes[known & (target == k)] if is_classes else codes[known]
        if own.size:
            steps = np.linspace(0.0, 1.0, n_intervals + 1)
            cuts.update(np.quantile(own, steps, method="inverted_cdf").tolist())
            cuts.update((np.quantile(own, [0.0, 1.0]) - 1).tolist())
    found = np.searchsorted(np.asarray(sorted(cuts)), codes, side="left") + 1
    return np.where(known, found, 0).astype(np.int64)


def explained(groups: NDArray[np.int64], target: NDArray[np.int64], is_classes: bool) -> float:
    """Return the part of a target that a division of the rows explains, less what chance explains.

    Parameters
    ----------
    groups : ndarray of shape (n_rows,)
        The group of each row.
    target : ndarray of shape (n_rows,)
        Classes, or ranks of numbers.
    is_classes : bool
        Whether the target is classes.

    Returns
    -------
    float
        Of classes the fraction of the entropy, with the correction of Miller and Madow; of numbers the
        adjusted fraction of the variance of ranks.

    References
    ----------
    Miller 1955, "Note on the bias of information estimates".

    Examples
    --------
    >>> explained(np.repeat([0, 1], 500), np.repeat([0, 1], 500), True) > 0.99
    True
    """
    groups = np.unique(groups, return_inverse=True)[1]
    if not is_classes:
        return _between(groups, mean_ranks(target))
    n_rows, n_groups = groups.size, int(groups.max()) + 1
    classes = np.unique(target, return_inverse=True)[1]
    table = np.zeros((n_groups, int(classes.max()) + 1))
    np.add.at(table, (groups, classes), 1)
    total = _entropy(table.sum(axis=0)[None, :])
    by_chance = (n_groups - 1) * (table.shape[1] - 1) / (2 * n_rows)
    return 1.0 - (_entropy(table) + by_chance) / total if total else 0.0


def _between(groups: NDArray[np.int64], values: NDArray[np.float64]) -> float:
    """Return the fraction of a variance that lies between groups, adjusted for their number."""
    n_rows, n_groups = groups.size, int(groups.max()) + 1
    means = np.bincount(groups, weights=values) / np.bincount(groups)
    total = float(((values - values.mean()) ** 2).sum())
    if not total or n_groups >= n_rows:
        return 0.0
    inside = float(((values - means[groups]) ** 2).sum())
    return 1.0 - inside / total * (n_rows - 1) / (n_rows - n_groups)


def fraction_of_decision(column: RawColumn, decision: NDArray[np.float64]) -> float:
    """Return the fraction of the variance of decision values that one column alone explains.

    Parameters
    ----------
    column : RawColumn
        The column.
    decision : ndarray of shape (n_rows,)
        What a model says of the rows.

    Returns
    -------
    float
        The fraction: between categories, or between up to 20 intervals of numbers.

    Examples
    --------
    >>> fraction_of_decision(RawColumn("x", np.arange(100.0) % 2), np.arange(100.0) % 2)
    1.0
    """
    codes = column.codes + 1
    if column.is_numeric and np.unique(codes).size > _INTERVALS:
        codes = _intervals(codes, codes, is_classes=False)
    return _between(np.unique(codes, return_inverse=True)[1], np.asarray(decision, dtype=np.float64))


def _entropy(table: NDArray[np.float64]) -> float:
    """Return the mean entropy of the rows of a table of counts, in nats."""
    fractions = table / table.sum(axis=1, keepdims=True)
    logs = np.log(np.where(table > 0, fractions, 1.0))
    return -float((table * logs).sum() / table.sum())


def mean_ranks(codes: NDArray[Any]) -> NDArray[np.float64]:
    """Return ranks from 1; equal values share their mean rank.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Whole numbers.

    Returns
    -------
    ndarray of shape (n_rows,)
        The ranks.

    Examples
    --------
    >>> mean_ranks(np.array([5, 7, 5])).tolist()
    [1.5, 3.0, 1.5]
    """
    shifted = codes - codes.min()
    counts = np.bincount(shifted)
    ends = np.cumsum(counts)
    ranks: NDArray[np.float64] = (ends - (counts - 1) / 2)[shifted]
    return ranks
