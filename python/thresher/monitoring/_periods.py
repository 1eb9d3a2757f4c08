"""The periods of new rows, in their order, also those without rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.category_orders import has_order
from ..data.columns import is_missing
from ..fit_warnings import warn
from ._calendar import numbers_in_order, parts_of_years
from .dates import day_of

Groups = list[tuple[Any, NDArray[np.intp]]]


def periods_of(period: Any, counts: NDArray[np.bool_]) -> Groups:
    """Return the periods in their order, and the positions of their rows among those that count.

    Ordered categories have the order of their dtype, and all of them are periods. Months (``2024-01``,
    ``202401``, ``08/2024``, ``Aug 2024``; years of two digits are 1969 to 2068), quarters (``2024Q1``, ``Q1
    2024``), ISO weeks (``2024-W09``) and dates are in the order of time, texts with one number (``week 9``)
    or a year before another (``2024/9``) in that of their numbers, other texts in that of their first rows;
    entries that are no texts are sorted. Between weeks, months, quarters, periods of pandas and months or
    years of NumPy, those without rows are filled in, unless there were more periods than rows. Two texts of
    one such period are one period. Rows without a period are in none.

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
        If there is not one for each row, all are missing, or they cannot be put in order.

    Warns
    -----
    UserWarning
        If some are missing, or texts have no order but that of their rows.

    Examples
    --------
    >>> found = periods_of(["2024-03", "2024-01", "2024-01"], np.ones(3, dtype=bool))
    >>> [(name, rows.tolist()) for name, rows in found]
    [('2024-01', [1, 2]), ('2024-02', []), ('2024-03', [0])]
    """
    values = as_list(period)
    if len(values) != len(counts):
        raise ValueError(f"period has {len(values)} entries, X_new has {len(counts)} rows")
    known = _known(values)
    _check_missing(values)
    names = _ordered_categories(period)
    if names is None:
        if all(type(value) is float and day_of(value) is not None for value in known):  # beside gaps
            values = [int(value) if not is_missing(value) else None for value in values]
        values = _in_one_form(values)
        names = _without_gaps(_in_order(list(dict.fromkeys(_known(values)))), _unit_of(period), len(values))
    place = {name: k for k, name in enumerate(names)}
    codes = np.asarray([-1 if is_missing(value) else place[value] for value in values], dtype=np.intp)[counts]
    ends = np.cumsum(np.bincount(codes + 1, minlength=len(names) + 1))
    rows = np.split(np.argsort(codes, kind="stable"), ends[:-1])
    return list(zip(names, rows[1:], strict=True))


def _check_missing(values: list[Any]) -> None:
    """Warn of rows without a period; raise an error if there is no other."""
    absent = [row for row, value in enumerate(values) if is_missing(value)]
    if not absent:
        return
    if len(absent) == len(values):
        raise ValueError("period is missing in every row; leave it out, or give the period of each row")
    warn(
        f"period is missing in {len(absent):,} of {len(values):,} new rows, the first of which is row "
        f"{absent[0]}; they are in no period, and count in the total, the bins and the values alone",
        UserWarning,
    )


def _known(values: list[Any]) -> list[Any]:
    return [value for value in values if not is_missing(value)]


def _in_one_form(values: list[Any]) -> list[Any]:
    """Return one text for each week, month and quarter, where some have two."""
    names = list(dict.fromkeys(_known(values)))
    parts = parts_of_years(names)
    if parts is None or len(set(parts.numbers.values())) == len(names):
        return values
    return [value if is_missing(value) else parts.write(parts.numbers[value]) for value in values]


def _in_order(listed: list[Any]) -> list[Any]:
    """Sort periods and dates by time, other texts by their numbers where these have an order."""
    if (parts := parts_of_years(listed)) is not None:
        return sorted(listed, key=lambda name: (parts.numbers[name], str(name)))
    if all(isinstance(name, str) for name in listed):
        days = [day_of(name) for name in listed]
        if None not in days:
            order = sorted(zip(map(str, days), listed, strict=True))
            return [name for _, name in order]
        if (numbers := numbers_in_order(listed)) is not None:
            return sorted(listed, key=numbers.__getitem__)
        if len(listed) > 1:
            warn(
                f"period: {listed[0]!r} and {listed[1]!r} have no known order, and are in that of "
                "their first rows; give dates or months such as 2024-01-31 or 2024-01, or ordered categories",
                UserWarning,
            )
        return listed
    try:
        return sorted(listed)
    except TypeError as error:
        raise ValueError(f"period: its entries cannot be put in order ({error}); use one type") from None


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
    >>> as_list([np.datetime64("2024-01-31")])
    [datetime.datetime(2024, 1, 31, 0, 0)]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        values = values.astype("datetime64[us]")  # finer ones become whole numbers in a list
    convert = getattr(values, "to_list", getattr(values, "tolist", None))
    if convert is None or isinstance(values, np.ndarray):
        cells = np.asarray(values, dtype=None if convert else object).reshape(-1).tolist()
    else:
        cells = convert()
    return [
        cell.astype("datetime64[us]").item() if isinstance(cell, np.datetime64) else cell for cell in cells
    ]


def _ordered_categories(period: Any) -> list[Any] | None:
    """Return the categories of a dtype that has an order: of pandas, or an Enum of polars."""
    dtype = getattr(period, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not has_order(period):
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
    parts = parts_of_years(names)
    if parts is None:
        return names
    first, last = parts.numbers[names[0]], parts.numbers[names[-1]]
    if last - first >= most:
        return names
    filled = [parts.write(number) for number in range(first, last + 1)]
    return filled if set(names) <= set(filled) else names
