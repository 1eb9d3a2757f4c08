"""Dates and times as text."""

from __future__ import annotations

import re
from datetime import datetime

_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T]+(\d{1,2})(:.+))?")


def read_date(text: str) -> datetime | None:
    """Read a date, with or without a time.

    Parameters
    ----------
    text : str
        A text in ISO 8601, or with the day first and dots: 31.12.2026, 31.12.2026 9:30.

    Returns
    -------
    datetime or None
        The date; None if it is none. Digits beyond microseconds are left out.

    Examples
    --------
    >>> print(read_date("31.12.2026 9:30"), read_date("2026-12-31T09:30"), read_date("12/31/2026"))
    2026-12-31 09:30:00 2026-12-31 09:30:00 None
    """
    text = text.strip()
    if found := _DAY_FIRST.fullmatch(text):
        day, month, year, hour, rest = found.groups()
        time = f"T{hour:0>2}{rest}" if hour else ""
        text = f"{year}-{month:0>2}-{day:0>2}{time}"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
