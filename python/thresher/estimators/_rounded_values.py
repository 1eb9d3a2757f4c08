"""Given cut points of columns whose values were rounded to 32 or 16 bits.

A column of 32 bits has 0.30000001192092896 for 0.3, which is above a cut point 0.3. The row
belongs to the bin below: the cut point is moved above the rounded value, by so little that no other value of
32 bits changes its bin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native

_ROUNDED = (np.float32, np.float16)
_LEAST_DIGITS = 3  # that rounding adds: 42.625 beside a cut point 42.62 may be a number as it was given
_BLOCK = 2**20  # rows of a column in codes that are looked at together: 8 MiB


def with_moved(cuts: Iterable[float]) -> list[float]:
    """Add to cut points those to which they may be moved.

    Parameters
    ----------
    cuts : iterable of float
        Cut points.

    Returns
    -------
    list of float
        All of them, ascending.

    Examples
    --------
    >>> with_moved([0.3, 0.5])
    [0.3, 0.30000002, 0.3001, 0.5]
    """
    return sorted({*cuts, *(moved for _, _, moved in _moves(list(cuts)))})


def above_rounded(cuts: Sequence[float], column: Any) -> list[float]:
    """Move cut points above the rounded values of a column that print as the same number.

    Parameters
    ----------
    cuts : sequence of float
        Ascending cut points.
    column : ndarray of shape (n_rows,) or thresher._native.CodedColumn
        The numbers.

    Returns
    -------
    list of float
        Ascending cut points, most of them those given.

    Examples
    --------
    >>> column = np.array([0.2, 0.3, 0.4])
    >>> above_rounded([0.3], column), above_rounded([0.3], column.astype(np.float32).astype(float))
    ([0.3], [0.30000002])
    """
    moved = moved_above(cuts, column)
    return sorted({moved.get(cut, cut) for cut in cuts})


def moved_above(cuts: Sequence[float], column: Any) -> dict[float, float]:
    """Return what :func:`above_rounded` moves.

    Parameters
    ----------
    cuts : sequence of float
        Cut points.
    column : ndarray of shape (n_rows,) or thresher._native.CodedColumn
        The numbers.

    Returns
    -------
    dict of float to float
        The cut points that are moved, and where to.
    """
    moves = _moves(cuts)
    if not moves:
        return {}
    held = _held(np.array([value for _, value, _ in moves]), column)
    return {cut: above for cut, value, above in moves if value in held}


def _moves(cuts: Sequence[float]) -> list[tuple[float, float, float]]:
    """Return the cut points below a rounded value of the same text, this value, and a short number above."""
    given = np.asarray(cuts, dtype=np.float64)
    found = []
    for kind in _ROUNDED:
        with np.errstate(over="ignore"):
            rounded = given.astype(kind)
        is_above = (rounded.astype(np.float64) > given) & np.isfinite(rounded)
        pairs = zip(given[is_above].tolist(), rounded[is_above], strict=True)
        found += [
            (cut, float(value), _short_number_above(value))
            for cut, value in pairs
            if float(str(value)) == cut and len(repr(float(value))) >= len(repr(cut)) + _LEAST_DIGITS
        ]
    return found


def _short_number_above(value: Any) -> float:
    """Return the number of fewest digits that is rounded to a value and is not below it."""
    low = float(value)
    half = (float(np.nextafter(value, value.dtype.type(np.inf))) - low) / 2  # from there on it is rounded up
    candidates = (float(f"{low + half / 2:.{digits}g}") for digits in range(1, 18))
    return next(number for number in candidates if low <= number < low + half)


def _held(values: NDArray[np.float64], column: Any) -> set[float]:
    """Return which of the values a column holds."""
    return {value for cells in _cells(column) for value in values[np.isin(values, cells)].tolist()}


def _cells(column: Any) -> Iterator[NDArray[np.float64]]:
    if not isinstance(column, _native.CodedColumn):
        yield column
        return
    for start in range(0, len(column), _BLOCK):
        yield column.take(np.arange(start, min(start + _BLOCK, len(column))))
