"""The periods of new rows, in their order, also those without rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing

Groups = list[tuple[Any, NDArray[np.intp]]]

_PARTS = {12: re.compile(r"(\d{4})(-?)(0[1-9]|1[0-2])"), 4: re.compile(r"(\d{4})(-?Q)([1-4])")}
"""Months and quarters, by their number in a year."""


def periods_of(period: Any, counts: NDArray[np.bool_]) -> Groups:
    """Return the periods in their order, and the positions of their rows among those that count.

    Ordered categories have the order of their dtype, and all of them are periods. Other entries are sorted.
    Between months (``2024-01``, ``202401``), quarters (``2024Q1``, ``2024-Q1``), periods of pandas and months
    or years of NumPy, those without rows are filled in, unless there were more periods than rows.

    Parameters
    ----------
    period : array-like of shape (n_rows,)
        The period of each row.
    counts : ndarray of shape (n_rows,)
        Which rows count.

    Returns
    -------
    list of (object, ndarray of int)
        The periods and their rows.

    Raises
    ------
    ValueError
        If there is not one for each row, one is missing, or they cannot be put in order.

    Examples
    --------
    >>> found = periods_of(["2024-03", "2024-01", "2024-01"], np.ones(3, dtype=bool))
    >>> [(name, rows.tolist()) for name, rows in found]
    [('2024-01', [1, 2]), ('2024-02', []), ('2024-03', [0])]
    """
    values = as_list(period)
    if len(values) != len(counts):
        raise ValueError(f"period has {len(values)} entries, X_new has {len(counts)} rows")
    if absent := [row for row, value in enumerate(values) if is_missing(value)]:
        raise ValueError(f"period is missing in row {absent[0]}; drop such rows, or give them a period")
    names = _ordered_categories(period)
    if names is None:
        try:
            names = _without_gaps(sorted(set(values)), _unit_of(period), len(values))
        except TypeError as error:
            raise ValueError(f"period: its entries cannot be put in order ({error}); use one type") from None
    place = {name: k for k, name in enumerate(names)}
    codes = np.asarray([place[value] for value in values], dtype=np.intp)[counts]
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]
    return list(zip(names, np.split(np.argsort(codes, kind="stable"), ends), strict=True))


def as_list(values: Any) -> list[Any]:
    """Return the entries of an array-like of one dimension, with their types.

    Parameters
    ----------
    values : array-like
        The entries.

    Returns
    -------
    list
        The entries.

    Examples
    --------
    >>> as_list(np.array(["2024-01"], dtype="datetime64[M]"))
    [datetime.datetime(2024, 1, 1, 0, 0)]
    """
    for name in ("to_list", "tolist"):
        if hasattr(values, name) and not isinstance(values, np.ndarray):
            return list(getattr(values, name)())
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        values = values.astype("datetime64[us]")  # finer ones become whole numbers in a list
    if not isinstance(values, np.ndarray):
        values = np.asarray(values, dtype=object)
    return list(values.reshape(-1).tolist())


def _ordered_categories(period: Any) -> list[Any] | None:
    """Return the categories of a dtype that has an order: of pandas, or an Enum of polars."""
    dtype = getattr(period, "dtype", None)
    categories = getattr(dtype, "categories", None)
    is_ordered = getattr(dtype, "ordered", type(dtype).__name__ == "Enum")
    if categories is None or not is_ordered:
        return None
    found = as_list(categories)
    return found if len(set(found)) == len(found) else None


def _unit_of(period: Any) -> str | None:
    """Return the unit of dates of NumPy that are months or years."""
    dtype = getattr(period, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind != "M":
        return None
    unit = np.datetime_data(dtype)[0]
    return unit if unit in ("M", "Y") else None


def _without_gaps(names: list[Any], unit: str | None, most: int) -> list[Any]:
    """Fill in the periods between others, where their kind says which, unless there are more than `most`."""
    if len(names) < 2:
        return names
    if unit is not None:
        ends: NDArray[Any] = np.asarray([names[0], names[-1]], dtype=f"datetime64[{unit}]")
        filled = as_list(np.arange(ends[0], ends[1] + 1))
        return filled if len(filled) <= most else names
    if all(type(name).__name__ == "Period" for name in names) and len({n.freq for n in names}) == 1:
        start, freq = names[0], names[0].freq
        found = range((names[-1] - start).n // freq.n + 1)
        return [start + k * freq for k in found] if len(found) <= most else names
    return _parts_of_years(names, most)


def _parts_of_years(names: list[Any], most: int) -> list[Any]:
    """Fill in months in forms such as 2024-01 or 202401, as text or as numbers, and quarters as 2024Q1."""
    if not all(type(name) in (int, str) for name in names):
        return names
    for size, pattern in _PARTS.items():
        found = [match for name in names if (match := pattern.fullmatch(str(name))) is not None]
        if len(found) < len(names) or len({match[2] for match in found}) > 1:
            continue
        first, last = (size * int(match[1]) + int(match[3]) - 1 for match in (found[0], found[-1]))
        if last - first < most:
            sign, digits, kind = found[0][2], len(found[0][3]), type(names[0])
            return [
                kind(f"{part // size:04d}{sign}{part % size + 1:0{digits}d}")
                for part in range(first, last + 1)
            ]
    return names
