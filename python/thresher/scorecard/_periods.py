"""The periods of new rows, in their order, also those without rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing

Groups = list[tuple[Any, NDArray[np.intp]]]

_MONTH = re.compile(r"(\d{4})(-?)(0[1-9]|1[0-2])")


def periods_of(period: Any, counts: NDArray[np.bool_]) -> Groups:
    """Return the periods in their order, and the positions of their rows among those that count.

    Ordered categories have the order of their dtype, and all of them are periods. Other entries are sorted.
    Between months (``2024-01``, ``202401``, periods of pandas, ``datetime64[M]``) and other periods of pandas
    and NumPy of a fixed length, those without rows are filled in, unless they were the larger part.

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
    kept = [value for value, is_kept in zip(values, counts.tolist(), strict=True) if is_kept]
    names = _ordered_categories(period)
    if names is None:
        try:
            names = _without_gaps(sorted(set(kept)), _unit_of(period))
        except TypeError as error:
            raise ValueError(f"period: its entries cannot be put in order ({error}); use one type") from None
    place = {name: k for k, name in enumerate(names)}
    codes = np.asarray([place[value] for value in kept], dtype=np.intp)
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


def _without_gaps(names: list[Any], unit: str | None) -> list[Any]:
    """Fill in the periods between others, where their kind says which those are."""
    filled = names
    if len(names) > 1:
        if unit is not None:
            ends: NDArray[Any] = np.asarray([names[0], names[-1]], dtype=f"datetime64[{unit}]")
            filled = as_list(np.arange(ends[0], ends[1] + 1))
        elif all(type(name).__name__ == "Period" for name in names) and len({n.freq for n in names}) == 1:
            filled = [names[0] + k for k in range((names[-1] - names[0]).n + 1)]
        else:
            filled = _months(names)
    return filled if len(filled) <= 2 * len(names) else names


def _months(names: list[Any]) -> list[Any]:
    """Fill in the months between others that are written as 2024-01 or 202401, as text or as numbers."""
    if not all(type(name) in (int, str) for name in names):
        return names
    matches = [_MONTH.fullmatch(str(name)) for name in names]
    found = [match for match in matches if match is not None]
    signs = {match[2] for match in found}
    if len(found) < len(names) or len(signs) > 1:
        return names
    first, last = (12 * int(match[1]) + int(match[3]) - 1 for match in (found[0], found[-1]))
    sign, kind = signs.pop(), type(names[0])
    return [kind(f"{month // 12:04d}{sign}{month % 12 + 1:02d}") for month in range(first, last + 1)]
