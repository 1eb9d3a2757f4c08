"""Periods of a monitoring: dates by week, month, quarter or year."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from ..data.columns import is_missing
from ..data.dates import read_date
from ..data.numbers_in_text import are_dates
from ._calendar import parts_of_years

LENGTHS = ("week", "month", "quarter", "year")
"""The lengths of periods."""
_DAYS = {"week": 7, "month": 31, "quarter": 92, "year": 366}
_MONTHS = 12
_FIRST, _FIRST_DAY, _LAST = 1800_01, 1800_01_01, 2200_12_31
"""The range of numbers that are months or dates."""


def periods_of_dates(dates: list[Any], by: str, subject: str) -> list[str | None]:
    """Name the period of each date.

    Parameters
    ----------
    dates : list
        Dates, as :func:`day_of` reads them; missing ones have no period.
    by : {"week", "month", "quarter", "year"}
        The length of a period.
    subject : str
        What has the dates, for messages.

    Returns
    -------
    list of str or None
        Texts that sort as the periods do; None for missing dates.

    Raises
    ------
    ValueError
        If a cell is no date, or a month where the periods are weeks; the message names the row.

    Examples
    --------
    >>> days = ["2026-02-28", "01.11.2026"]
    >>> periods_of_dates(days, "month", "period"), periods_of_dates(days, "quarter", "period")
    (['2026-02', '2026-11'], ['2026Q1', '2026Q4'])
    >>> periods_of_dates(["2024-12-30", "2025-01-05"], "week", "period")
    ['2025-W01', '2025-W01']
    """
    days = [None if is_missing(value) else _date(value, by, subject, row) for row, value in enumerate(dates)]
    names = {
        "week": lambda day: "{:04d}-W{:02d}".format(*day.isocalendar()),
        "month": lambda day: f"{day.year:04d}-{day.month:02d}",
        "quarter": lambda day: f"{day.year:04d}Q{(day.month + 2) // 3}",
        "year": lambda day: f"{day.year:04d}",
    }
    return [None if day is None else names[by](day) for day in days]


def day_of(value: Any) -> date | None:
    """Read a date.

    Parameters
    ----------
    value : object
        A date, a text such as 2026-12-31, 31.12.2026 or 20261231, also before a space and other text, the
        number 20261231, or a month or a period of pandas, which are their first days: 2026-12, 202612,
        12/2026, Dec 2026.

    Returns
    -------
    date or None
        The date; None if it is none.

    Examples
    --------
    >>> str(day_of("31.12.2026")), str(day_of("12/2026")), day_of("soon")
    ('2026-12-31 00:00:00', '2026-12-01', None)
    """
    if isinstance(value, date) and not is_missing(value):
        return value
    if type(value).__name__ == "Period":
        first: date = value.start_time.date()
        return first
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or is_missing(value):
        return None
    if isinstance(value, (int, float)) and not (float(value).is_integer() and _FIRST <= value <= _LAST):
        return None
    text = _text(value)
    if (number := _month(text)) is not None:
        year, month = divmod(number, _MONTHS)
        return date(year, month + 1, 1) if year else None
    return read_date(text) or read_date(text.partition(" ")[0])


def _text(value: Any) -> str:
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def _month(text: str) -> int | None:
    """Return the number of a month since the year 0; None if the text is none."""
    parts = parts_of_years([text])
    return parts.numbers[text] if parts is not None and parts.size == _MONTHS else None


def _date(value: Any, by: str, subject: str, row: int) -> date:
    found = day_of(value)
    if type(value).__name__ == "Period":
        n_days = (value.end_time - value.start_time).days
    else:
        n_days = 1 if isinstance(value, date) or _month(_text(value)) is None else _DAYS["month"]
    if n_days > _DAYS[by]:
        raise ValueError(f"{subject} has the period {value} in row {row}, which is longer than a {by}")
    if found is None:
        raise ValueError(
            f"{subject} has {value!r} in row {row}; give dates such as 2026-12-31, 31.12.2026 or 20261231"
        )
    return found


def are_days(cells: Sequence[Any]) -> bool:
    """Return whether periods are dates, so that each day would be one.

    Parameters
    ----------
    cells : sequence
        The periods; some may be missing.

    Returns
    -------
    bool
        Whether nearly all are dates.

    Examples
    --------
    >>> are_days([20261231, 20270101]), are_days([202612, 202701]), are_days(["2026-12-31", None])
    (True, False, True)
    """
    known = list(dict.fromkeys(cell for cell in cells if not is_missing(cell)))
    if known and all(isinstance(cell, (int, float)) for cell in known):
        return all(cell >= _FIRST_DAY and day_of(cell) is not None for cell in known)
    return are_dates(known)
