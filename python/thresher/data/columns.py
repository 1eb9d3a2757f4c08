"""One column of a table: numbers with NaN for missing, or codes with their levels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import repeat
from numbers import Number, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Level = bool | int | float | str
"""A category's value as the user wrote it."""

NumericColumn = NDArray[np.float64]
CategoricalColumn = tuple[NDArray[np.int32], list[Level]]
Column = NumericColumn | CategoricalColumn
"""What the core takes: float64 values, or int32 codes (-1 missing) and their levels."""
Coded = tuple[list[Any], NDArray[Any]]
"""Distinct cells, and for each row the position of its cell among them, -1 where it is missing."""


def is_missing(value: object) -> bool:
    """Return whether a cell is missing.

    Parameters
    ----------
    value : object
        A cell of an object column.

    Returns
    -------
    bool
        True for None, NaN, NaT and pandas' NA.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if type(value) is str:
        return False
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value


def truth_of(value: object) -> bool | None:
    """Convert a boolean, or its text, to bool.

    Parameters
    ----------
    value : object
        A cell, a level or a label.

    Returns
    -------
    bool or None
        None if it is neither a boolean nor the text "true" or "false" in any case.

    Examples
    --------
    >>> truth_of(True), truth_of("FALSE"), truth_of("yes")
    (True, False, None)
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else None


def same_truth(value: object, known: Iterable[Level]) -> Level | None:
    """Find the level that equals a boolean or its text.

    Parameters
    ----------
    value : object
        A cell or a label.
    known : iterable of levels
        The levels, none of which equals it.

    Returns
    -------
    bool, str or None
        The boolean for a text, the first text for a boolean; None if there is none.

    Examples
    --------
    >>> same_truth("true", [False, True]), same_truth(False, ["False", "True"])
    (True, 'False')
    """
    said = truth_of(value)
    if said is None:
        return None
    text = isinstance(value, str)
    return next((x for x in known if isinstance(x, str) != text and truth_of(x) is said), None)


def date_error(name: str) -> TypeError:
    """Create the error for a column of dates.

    Parameters
    ----------
    name : str
        The column's name.

    Returns
    -------
    TypeError
        The error to raise.
    """
    return TypeError(
        f"column '{name}' holds dates or durations; turn it into numbers (days, hours) or leave it out"
    )


def object_kind(batches: Iterable[NDArray[Any]], name: str) -> str:
    """Determine the kind of an object column.

    Parameters
    ----------
    batches : iterable of ndarray
        The cells, some rows after others.
    name : str
        The column's name, for messages.

    Returns
    -------
    {"numeric", "categorical"}
        Columns of text or of booleans are categorical; columns of numbers and columns
        without any value are numeric.

    Raises
    ------
    TypeError
        If the column mixes text and numbers or holds something else.
    """
    first: dict[str, tuple[int, object]] = {}
    start = 0
    for batch in batches:
        cells = batch.tolist()
        if not {_KINDS.get(kind) for kind in set(map(type, cells))} <= {*first, "missing"}:
            for row, value in enumerate(cells, start):
                if not is_missing(value):
                    first.setdefault(_kind_of(value), (row, value))
        start += len(cells)
    if "other" in first:
        row, value = first["other"]
        if isinstance(value, (date, timedelta)):
            raise date_error(name)
        raise TypeError(
            f"column '{name}' holds {value!r} ({type(value).__name__}) in row {row}; "
            "an argument must be all strings, all booleans or all numbers: convert the column to text, "
            'in pandas with .astype("string"), or leave it out'
        )
    if "complex" in first:
        raise ValueError(f"Complex data not supported: column '{name}', row {first['complex'][0]}")
    if len(first) > 1 and "text" in first:
        found = " and ".join(f"{value!r} (row {row})" for row, value in first.values())
        raise TypeError(
            f"column '{name}' mixes text and numbers: {found}; an argument must be all strings or all "
            "numbers: convert the column, or name it in categorical_features to use its values "
            "as categories"
        )
    return "categorical" if set(first) in ({"text"}, {"truth"}) else "numeric"


_KINDS = {str: "text", bool: "truth", int: "number", float: "number", type(None): "missing"}


def _kind_of(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "truth"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Real) or type(value).__name__ == "Decimal":
        return "number"
    return "complex" if isinstance(value, Number) else "other"


def to_numeric(
    batches: Iterable[NDArray[Any]], name: str, n_rows: int, *, is_finite: bool = False
) -> NumericColumn:
    """Convert cells to a numeric column.

    Parameters
    ----------
    batches : iterable of ndarray
        Numbers, booleans or objects of these types, some rows after others; None and NA are missing.
    name : str
        The column's name, for messages.
    n_rows : int
        Number of rows.
    is_finite : bool, default=False
        Whether the cells are known to hold no infinity.

    Returns
    -------
    ndarray of shape (n_rows,)
        As float64, NaN where missing; a batch of all rows in float64 is not copied.

    Raises
    ------
    TypeError
        If a cell is not a number.
    ValueError
        If a value is infinite or complex.
    """
    numbers: NumericColumn | None = None
    start = 0
    for batch in batches:
        found = _numbers(batch, name, start)
        if not is_finite:
            _refuse_infinities(found, name, start)
        if found.shape[0] == n_rows:
            return found
        if numbers is None:
            numbers = np.empty(n_rows)
        numbers[start : start + found.shape[0]] = found
        start += found.shape[0]
    return np.empty(0) if numbers is None else numbers


def _refuse_infinities(numbers: NumericColumn, name: str, start: int) -> None:
    infinite = np.isinf(numbers)
    if infinite.any():
        row = start + int(infinite.argmax())
        raise ValueError(
            f"column '{name}' holds an infinite value in row {row} (infinity or too large for a float64); "
            "replace it by a number, or by NaN for missing"
        )


def _numbers(values: NDArray[Any], name: str, start: int) -> NumericColumn:
    if values.dtype.kind in "mM":
        raise date_error(name)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column '{name}'")
    if values.dtype.kind in "OUS":
        return _numbers_from_objects(values, name, start)
    with np.errstate(over="ignore"):
        return np.require(values, dtype=np.float64, requirements="A")


def _numbers_from_objects(values: NDArray[Any], name: str, start: int) -> NumericColumn:
    cells = values.tolist()
    if set(map(type, cells)) <= {float, int, bool, type(None)}:
        return np.array([math.nan if value is None else value for value in cells], dtype=np.float64)
    numbers = np.empty(values.shape[0])
    for row, value in enumerate(cells):
        if is_missing(value):
            numbers[row] = math.nan
        elif isinstance(value, (date, timedelta)):
            raise date_error(name)
        elif isinstance(value, (str, bytes)):
            raise TypeError(
                f"column '{name}' must be numeric but holds {value!r} in row {start + row}; "
                "turn it into numbers or leave it out"
            )
        elif _kind_of(value) in ("other", "complex"):
            raise TypeError(
                f"column '{name}' must be numeric but holds {value!r} in row {start + row}; "
                "an argument must be no string or other object but a number"
            )
        else:
            numbers[row] = float(value)
    return numbers


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
    for level in sorted(fresh, key=_level_order):
        known[level] = len(levels)
        levels.append(level)
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
        number = float(value)
        if math.isinf(number):
            raise ValueError(
                f"column '{name}' holds an infinite value; a category must be text or a finite number"
            )
        return int(value) if number.is_integer() and abs(number) < 2**63 else number
    raise TypeError(
        f"column '{name}' holds {value!r} ({type(value).__name__}); "
        "argument must be a string, a boolean or a number: convert the column to text, in pandas with "
        '.astype("string")'
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
