"""Periods of a monitoring: dates by month, quarter or year."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from numpy.typing import NDArray

from ..data.columns import is_missing
from ..data.numbers_in_text import are_dates

LENGTHS = ("month", "quarter", "year")
"""The lengths of periods."""
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T].*)?")


def periods_of_dates(dates: list[Any], by: str, subject: str) -> list[str]:
    """Name the period of each date.

    Parameters
    ----------
    dates : list
        Dates, or texts in ISO 8601 or as 31.12.2026.
    by : {"month", "quarter", "year"}
        The length of a period.
    subject : str
        What has the dates, for messages.

    Returns
    -------
    list of str
        Texts that sort as the periods do.

    Raises
    ------
    ValueError
        If a cell is no date; the message names the row.

    Examples
    --------
    >>> days = ["2026-02-28", "01.11.2026"]
    >>> periods_of_dates(days, "month", "period"), periods_of_dates(days, "quarter", "period")
    (['2026-02', '2026-11'], ['2026Q1', '2026Q4'])
    """
    days = [_date(value, subject, row) for row, value in enumerate(dates)]
    names = {
        "month": lambda day: f"{day.year:04d}-{day.month:02d}",
        "quarter": lambda day: f"{day.year:04d}Q{(day.month + 2) // 3}",
        "year": lambda day: f"{day.year:04d}",
    }
    return [names[by](day) for day in days]


def _date(value: Any, subject: str, row: int) -> date:
    if isinstance(value, date) and not is_missing(value):
        return value
    text = value.strip() if isinstance(value, str) else ""
    try:
        if found := _DAY_FIRST.fullmatch(text):
            return date(int(found[3]), int(found[2]), int(found[1]))
        return datetime.fromisoformat(text)
    except ValueError:
        shown = "no value" if is_missing(value) else repr(value)
        raise ValueError(
            f"{subject} has {shown} in row {row}; dates are written 2026-12-31 or 31.12.2026"
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
