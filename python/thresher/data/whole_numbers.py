"""Whole numbers that a number of eight bytes does not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fit_warnings import warn
from ..validation import LARGEST_WHOLE
from .numeric import is_large_integer

_MOST_DIGITS = 308  # of the largest one


def warn_of_rounding(name: str, numbers: NDArray[np.float64], cells: Callable[[], Any]) -> bool:
    """Warn of a column of whole numbers that are rounded.

    Parameters
    ----------
    name : str
        The column.
    numbers : ndarray of shape (n_rows,)
        Its numbers.
    cells : callable
        Returns the array or list of what they were; whole numbers and texts of them are looked at.

    Returns
    -------
    bool
        Whether it has such numbers.

    Warns
    -----
    UserWarning
        If it has.

    Examples
    --------
    >>> warn_of_rounding("id", np.array([1.0, 2.0**53]), lambda: ["1", "9007199254740992"])
    False
    """
    found = rounded_numbers(numbers, cells)
    if found is not None:
        what, advice = found
        warn(f"column {name!r} {what}. {advice[0].upper()}{advice[1:]}", UserWarning)
    return found is not None


def rounded_numbers(numbers: NDArray[np.float64], cells: Callable[[], Any]) -> tuple[str, str] | None:
    """Say of whole numbers which of them are rounded.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows,)
        The numbers.
    cells : callable
        Returns the array or list of what they were.

    Returns
    -------
    (str, str) or None
        What a column of them holds, and what to do; None if no number is rounded.
    """
    beyond = np.flatnonzero(np.abs(numbers) >= LARGEST_WHOLE).tolist()
    found = cells() if beyond else ()
    pairs = ((_whole(found[row]), float(numbers[row])) for row in beyond)
    lost = next(((whole, int(number)) for whole, number in pairs if whole not in (None, number)), None)
    if lost is None:
        return None
    is_level = not any(is_large_integer(_whole(found[row])) for row in beyond)
    named = "name it in categorical_features" if is_level else "convert it to text"
    holds = f"holds whole numbers beyond 2^53, which are rounded: {lost[0]} becomes {lost[1]}, so that "
    return (
        f"{holds}neighbours are one number",
        f"if they name things, leave it out, or {named}; else subtract a constant",
    )


def _whole(cell: Any) -> int | None:
    """Return a whole number, or the text of one; None for anything else."""
    if isinstance(cell, str):
        text = cell.strip()
        return int(text) if text.lstrip("+-").isdecimal() and len(text) <= _MOST_DIGITS else None
    return int(cell) if isinstance(cell, (int, np.integer)) else None
