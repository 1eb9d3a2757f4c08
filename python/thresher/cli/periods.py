"""Periods of a monitoring: dates of a file by month, quarter or year."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from numpy.typing import NDArray

from ..data.columns import is_missing, object_array
from ..data.numbers_in_text import are_dates

LENGTHS = ("month", "quarter", "year")
"""What the option ``--by`` takes."""
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T].*)?")


def periods_of(column: NDArray[Any], name: str, by: str) -> NDArray[Any]:
    """Name the period of each date.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        Dates, or texts in ISO 8601 or as 31.12.2026.
    name : str
        The column's name, for messages.
    by : {"month", "quarter", "year"}
        The length of a period.

    Returns
    -------
    ndarray of shape (n_rows,)
        Texts that sort as the periods do.

    Raises
    ------
    ValueError
        If a cell is no date; the message names the row.

    Examples
    --------
    >>> import numpy as np
    >>> column = np.array(["2026-02-28", "01.11.2026"], dtype=object)
    >>> periods_of(column, "day", "month").tolist(), periods_of(column, "day", "quarter").tolist()
    (['2026-02', '2026-11'], ['2026Q1', '2026Q4'])
    """
    days = [_date(value, name, row) for row, value in enumerate(column.tolist())]
    names = {
        "month": lambda day: f"{day.year:04d}-{day.month:02d}",
        "quarter": lambda day: f"{day.year:04d}Q{(day.month + 2) // 3}",
        "year": lambda day: f"{day.year:04d}",
    }
    return object_array([names[by](day) for day in days])


def _date(value: Any, name: str, row: int) -> date:
    if isinstance(value, date):
        return value
    text = value.strip() if isinstance(value, str) else ""
    try:
        if found := _DAY_FIRST.fullmatch(text):
            return date(int(found[3]), int(found[2]), int(found[1]))
        return datetime.fromisoformat(text)
    except ValueError:
        shown = "no value" if is_missing(value) else repr(value)
        raise ValueError(
            f"--by: the column {name!r} has {shown} in row {row}; dates are written 2026-12-31 or 31.12.2026"
        ) from None


def are_days(column: NDArray[Any]) -> bool:
    """Return whether the cells of a column are dates, so that each day would be a period.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        The cells.

    Returns
    -------
    bool
        Whether nearly all are dates.
    """
    return column.dtype.kind == "O" and are_dates(
        list(dict.fromkeys(cell for cell in column.tolist() if not is_missing(cell)))
    )
