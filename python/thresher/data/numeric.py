"""Conversion of cells to numbers of eight bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import NumericColumn, date_error, is_missing, kind_of_cell
from .numbers_in_text import ADVICE_ON_TEXT, LIMIT_ADVICE, is_limit, is_number


def to_float(value: Any) -> float:
    """Convert a number to a float64, infinite where it is too large.

    Parameters
    ----------
    value : number
        A whole number, a fraction or a decimal.

    Returns
    -------
    float
        The nearest one.

    Examples
    --------
    >>> to_float(3), to_float(-(10**400))
    (3.0, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_large_integer(value: Any) -> bool:
    """Return whether a value is an integer that does not fit in 64 bits with a sign.

    Parameters
    ----------
    value : object
        A cell or a label.

    Returns
    -------
    bool
        False for floats, which are exact at any size.

    Examples
    --------
    >>> is_large_integer(2**63), is_large_integer(2**63 - 1), is_large_integer(1e20)
    (True, False, False)
    """
    is_integer = isinstance(value, Integral) or (
        isinstance(value, Decimal) and value == value.to_integral_value()
    )
    return is_integer and not -(2**63) <= value < 2**63


def to_floats(values: Any) -> NDArray[np.float64]:
    """Convert numbers to float64, infinite where they are too large.

    Parameters
    ----------
    values : array-like
        The numbers; texts and other objects give the errors of NumPy.

    Returns
    -------
    ndarray
        A new array of the same shape.

    Examples
    --------
    >>> to_floats([1, 10**400]).tolist()
    [1.0, inf]
    """
    with suppress(OverflowError):
        return np.array(values, dtype=np.float64)
    cells = np.asarray(values, dtype=object)
    return np.array([to_float(cell) for cell in cells.flat], dtype=np.float64).reshape(cells.shape)


def to_numeric(
    batches: Iterable[NDArray[Any]],
    name: str,
    n_rows: int,
    *,
    is_finite: bool = False,
    advice: str = ADVICE_ON_TEXT,
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
    advice : str, optional
        What to do about text, for messages.

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
        found = _numbers(batch, name, start, advice)
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


def _numbers(values: NDArray[Any], name: str, start: int, advice: str) -> NumericColumn:
    if values.dtype.kind in "mM":
        raise date_error(name)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column '{name}'")
    if values.dtype.kind in "OUS":
        return _numbers_from_objects(values, name, start, advice)
    with np.errstate(over="ignore"):
        return np.require(values, dtype=np.float64, requirements="A")


def _numbers_from_objects(values: NDArray[Any], name: str, start: int, advice: str) -> NumericColumn:
    cells = values.tolist()
    if set(map(type, cells)) <= {float, int, bool, type(None)}:
        with suppress(OverflowError):  # the loop below finds the number that is too large
            return np.array([math.nan if value is None else value for value in cells], dtype=np.float64)
    numbers = np.empty(values.shape[0])
    for row, value in enumerate(cells):
        if is_missing(value):
            numbers[row] = math.nan
        elif isinstance(value, (date, timedelta)):
            raise date_error(name)
        elif isinstance(value, (str, bytes)):
            raise _text_error(cells, name, start, advice)
        elif kind_of_cell(value) in ("other", "complex"):
            raise TypeError(
                f"column '{name}' must be numeric but holds {value!r} in row {start + row}; "
                "an argument must be no string or other object but a number"
            )
        else:
            numbers[row] = to_float(value)
    return numbers


def _text_error(cells: list[Any], name: str, start: int, advice: str) -> TypeError:
    """Create the error for texts in a column of numbers; it names one that is not the text of a number."""
    texts = [(row, value) for row, value in enumerate(cells) if isinstance(value, (str, bytes))]
    row, value = next((each for each in texts if not is_number(each[1])), texts[0])
    remedy = LIMIT_ADVICE if is_limit(value) else advice
    return TypeError(f"column '{name}' must be numeric but holds {value!r} in row {start + row}; {remedy}")
