"""A column of categories: codes with their levels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import repeat
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import CategoricalColumn, Coded, Level, advice_on, date_error, is_missing, same_truth
from .numeric import is_large_integer, to_float


def to_categorical(coded: Coded, name: str, order: Sequence[Level] | None = None) -> CategoricalColumn:
    """Convert cells to a categorical column.

    Parameters
    ----------
    coded : (list, ndarray of shape (n_rows,))
        The distinct cells (text, booleans or numbers; None, NaN and NA are missing), and each row's
        position among them, -1 where it is missing.
    name : str
        The column's name, for messages.
    order : list of bool, int, float or str, optional
        Levels that come first, in this order; others follow, sorted. Equal values (1, 1.0 and
        True) are the same level, and so are a boolean and its text.

    Returns
    -------
    codes : ndarray of shape (n_rows,)
        Positions (int32) in `levels`, -1 where missing.
    levels : list of bool, int, float or str
        The distinct values.

    Raises
    ------
    TypeError
        If a cell is neither text nor a number nor a boolean.
    """
    distinct, positions = coded
    known: dict[Level, int] = {level: code for code, level in enumerate(order or ())}
    levels: list[Level] = list(order or ())
    fresh: list[Level] = []
    for value in distinct:
        if not is_missing(value):
            level = _as_level(value, name)
            if level in known:
                continue
            twin = same_truth(level, order or ())
            known[level] = -1 if twin is None else known[twin]
            if twin is None:
                fresh.append(level)
    booleans = [level for level in fresh if isinstance(level, bool)]
    twins: dict[Level, Level | None] = {
        level: same_truth(level, booleans) for level in fresh if isinstance(level, str)
    }
    for level in sorted((own for own in fresh if twins.get(own) is None), key=_level_order):
        known[level] = len(levels)
        levels.append(level)
    known.update({level: known[twin] for level, twin in twins.items() if twin is not None})
    lookup = [-1 if is_missing(value) else known[_as_level(value, name)] for value in distinct]
    if lookup == list(range(len(lookup))):
        return np.asarray(positions, dtype=np.int32), levels
    return np.asarray([*lookup, -1], dtype=np.int32)[positions], levels  # the last entry: missing


def distinct_cells(batches: Iterable[NDArray[Any]], name: str) -> Coded:
    """Find the distinct cells of a column.

    Parameters
    ----------
    batches : iterable of ndarray
        The cells, some rows after others.
    name : str
        The column's name, for messages.

    Returns
    -------
    distinct : list
        The distinct cells that are not missing, in the order of their first rows.
    positions : ndarray of shape (n_rows,)
        Each row's position (int32) in `distinct`, -1 where the cell is missing.

    Raises
    ------
    TypeError
        If a cell is not hashable.

    Examples
    --------
    >>> distinct_cells([np.array(["b", None, "a"], dtype=object), np.array(["a"], dtype=object)], "x0")
    (['b', 'a'], array([ 0, -1,  1,  1], dtype=int32))
    """
    place: dict[Any, int] = {}
    parts = [_positions(batch, place, name) for batch in batches]
    return list(place), np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


def _positions(batch: NDArray[Any], place: dict[Any, int], name: str) -> NDArray[np.int32]:
    """Return the numbers of the cells of some rows; add those not seen before to `place`."""
    if batch.dtype.kind in "mM":
        raise date_error(name)
    inverse = None
    cells = batch
    if batch.dtype.kind != "O":
        cells, inverse = np.unique(batch, return_inverse=True)
    values = cells.tolist()
    try:
        found = dict.fromkeys(values)
    except TypeError:  # the first cell that is not hashable is not a level either
        found = dict.fromkeys(_as_level(value, name) for value in values if not is_missing(value))
    for value in found:
        if value not in place and not is_missing(value):
            place[value] = len(place)
    codes = np.fromiter(map(place.get, values, repeat(-1)), dtype=np.int32, count=len(values))
    return codes if inverse is None else codes[inverse.reshape(-1)]


def _as_level(value: Any, name: str) -> Level:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Real) or type(value).__name__ == "Decimal":
        number = to_float(value)
        if math.isinf(number):
            raise ValueError(
                f"column '{name}' holds an infinite value; a category must be text or a finite number"
            )
        if is_large_integer(value):
            raise ValueError(
                f"column '{name}' holds the category {value}, an integer of more than 64 bits: convert the "
                "column to text"
            )
        return int(value) if number.is_integer() and abs(number) < 2**63 else number
    raise TypeError(
        f"column '{name}' holds {value!r} ({type(value).__name__}); "
        f"a category must be a string, a boolean or a number: {advice_on(value)}"
    )


def _level_order(level: Level) -> tuple[int, float, str]:
    if isinstance(level, str):
        return (1, 0.0, level)
    return (0, float(level), "")


def category_levels(categories: Iterable[Any], name: str) -> list[Level]:
    """Check the categories of a frame's dtype.

    Parameters
    ----------
    categories : iterable
        The categories in the dtype's order.
    name : str
        The column's name, for messages.

    Returns
    -------
    list of bool, int, float or str
        The levels.

    Raises
    ------
    TypeError
        If a category is neither text nor a number nor a boolean.
    """
    return [_as_level(value, name) for value in categories if not is_missing(value)]
