"""Numbers that look like marks of a missing value."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

Mark = tuple[float, int, str]
"""A number, its count and where it stands."""

# A mark of a missing value is repeated at least so often, in rows and as a fraction of them.
_MIN_REPEATS, _MIN_FRACTION = 3, 0.002
_CODE = re.compile(r"-?(9+[6-9]|8{2,}|7{2,})|-[1-9]")
# A mark is farther from the other numbers than this times the widest gap in their nearer half.
_GAPS = 2.0
# A mark of any digits stands beside at least so many other numbers, is farther from them than this times the
# width of most of them, and repeated so many times as often as they are; or it is very far. What most rows
# have is no mark, such as 0 of amounts.
_MIN_OTHERS, _WIDTHS, _TIMES, _MANY_WIDTHS, _MAX_FRACTION = 10, 2.0, 2.0, 10.0, 0.5
_MOST = 3  # marks of any digits at either end
_FAR = "far from all other values"


def name_as_code(text: str) -> str:
    """Say how a mark is named to a model.

    Parameters
    ----------
    text : str
        The number.

    Returns
    -------
    str
        The words, of which the command line makes its option.
    """
    return f"name it, special_codes={{column: [{text}]}}, in rules or an additive model"


def marks_of(values: NDArray[np.float64], counts: NDArray[np.int64], n_rows: int) -> list[Mark]:
    """Return numbers at an end of the range that look like marks of a missing value.

    Such a number is repeated. It looks like a code and stands apart, or it has any digits, is farther from
    all others and repeated more often than these are.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        The different numbers of a column, ascending.
    counts : ndarray of shape (n_values,)
        Their numbers of rows.
    n_rows : int
        The number of rows.

    Returns
    -------
    list of (float, int, str)
        The number, its count and where it stands.
    """
    least = max(_MIN_REPEATS, _MIN_FRACTION * n_rows)
    low, high, is_only_negative = _codes(values, counts, least)
    rest = slice(low, values.size - high)
    more_low, more_high = _isolated(values[rest], counts[rest], least)
    low, high = low + more_low, high + more_high
    ends = [*range(low), *range(values.size - high, values.size)]
    found = [(float(values[k]), int(counts[k]), _FAR) for k in ends]
    if is_only_negative and not more_low:
        found.insert(low, (float(values[low]), int(counts[low]), "the only number below 0"))
    return found


def _codes(values: NDArray[np.float64], counts: NDArray[np.int64], least: float) -> tuple[int, int, bool]:
    """Count the codes at both ends, and say whether the next number is one by its sign.

    A code is nines (the last digit may be 6 to 9), eights or sevens, or -1 to -9. It stands apart, alone or
    with other codes: twice as far from the numbers between the codes of both ends as the widest gap in the
    nearer half of these. Or it is one of -1 to -9, the only number below 0, and not the thin end of a
    distribution.
    """
    is_code = [count >= least and _is_code(value) for value, count in zip(values, counts, strict=True)]
    low, high = (next((k for k, own in enumerate(each) if not own), 0) for each in (is_code, is_code[::-1]))
    inner = values[low : values.size - high]
    if inner.size < 2:
        return 0, 0, False
    below, above = _widest_gaps(inner)
    n_low = next((k for k in range(low, 0, -1) if values[k] - values[k - 1] > below), 0)
    n_high = next((k for k in range(high, 0, -1) if values[-k] - values[-k - 1] > above), 0)
    rest = slice(n_low, values.size - n_high)
    return n_low, n_high, low > n_low and _is_only_negative(values[rest], counts[rest])


def _isolated(values: NDArray[np.float64], counts: NDArray[np.int64], least: float) -> tuple[int, int]:
    """Count the repeated numbers at both ends that are far from all others, whatever their digits."""
    found = []
    for own, rows in ((values, counts), (-values[::-1], counts[::-1])):
        most = min(_MOST, own.size - _MIN_OTHERS)
        found.append(next((k for k in range(most, 0, -1) if _stand_apart(own, rows, k, least)), 0))
    return found[0], found[1]


def _stand_apart(values: NDArray[np.float64], counts: NDArray[np.int64], n: int, least: float) -> bool:
    """Whether the first numbers are repeated and far from all others."""
    others, rows = values[n:], counts[:n].min()
    gap, width = others[0] - values[n - 1], float(np.diff(np.quantile(others, [0.05, 0.95]))[0])
    is_repeated = rows >= _TIMES * np.median(counts[n:]) or gap > _MANY_WIDTHS * width
    is_minor = counts[:n].sum() <= _MAX_FRACTION * counts.sum()
    is_far = gap > max(_WIDTHS * width, _widest_gaps(others)[0])
    return bool(rows >= least and is_repeated and is_minor and is_far)


def _widest_gaps(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return how far from the numbers a mark is at least, below and above."""
    gaps = np.diff(values)
    half = (gaps.size + 1) // 2
    return _GAPS * float(gaps[:half].max()), _GAPS * float(gaps[-half:].max())


def _is_code(value: float) -> bool:
    return value == round(value) and abs(value) < 1e12 and _CODE.fullmatch(str(int(value))) is not None


def _is_only_negative(values: NDArray[np.float64], counts: NDArray[np.int64]) -> bool:
    """Whether the first number is one of -1 to -9, below numbers of 0 and more whose thin end it is not."""
    if not -9 <= values[0] < 0 <= values[1] or values[-1] <= 1:
        return False
    is_thin = counts[0] < counts[1] < np.median(counts[1:]) / 2
    return not is_thin or bool(values[1] - values[0] > np.diff(values[1:]).max())
