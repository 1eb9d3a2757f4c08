"""Periods as people write them: their order, and the weeks, months and quarters between others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_SHORT = {name[:3].lower(): k for k, name in enumerate(_MONTHS, 1)}
_NAME = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
_FORMS = (
    (12, re.compile(r"(?P<year>\d{4})-?(?P<part>0[1-9]|1[0-2])")),
    (12, re.compile(r"(?P<part>0?[1-9]|1[0-2])[/.-](?P<year>\d{4})")),
    (12, re.compile(rf"(?P<part>{_NAME})[ .-]{{1,2}}(?P<year>\d{{4}}|\d\d)", re.IGNORECASE)),
    (12, re.compile(rf"(?P<year>\d{{4}})[ -](?P<part>{_NAME})", re.IGNORECASE)),
    (4, re.compile(r"(?P<year>\d{4})[ -]?Q(?P<part>[1-4])")),
    (4, re.compile(r"Q(?P<part>[1-4])[ /-]?(?P<year>\d{4})")),
)
"""Parts of a year, by their number in a year."""
_WEEK = re.compile(r"(\d{4})(-?)W(\d\d)")
"""ISO weeks; :mod:`datetime` says which years have 53."""
_FIRST_OF_1900 = 69
"""The least year of two digits that is one of the 20th century, as in POSIX."""
_COUNTED = (
    re.compile(r"([^\d]*)(\d{1,4})([^\d]*)"),
    re.compile(r"([^\d]*)((?:19|20)\d\d)([^\d]*)(\d{1,3})([^\d]*)"),
)
"""Texts that are in the order of their numbers."""


@dataclass(frozen=True)
class Parts:
    """Weeks, months or quarters in one format.

    Parameters
    ----------
    size : int
        Their number in a year, of weeks 52.
    numbers : dict of (int or str) to int
        The number of each since the year 0, of weeks since the year 1.
    write : callable
        Formats a number as the others.
    """

    size: int
    numbers: dict[Any, int]
    write: Callable[[int], Any]


def parts_of_years(names: Sequence[Any]) -> Parts | None:
    """Read ISO weeks, months and quarters.

    Parameters
    ----------
    names : sequence
        Texts or whole numbers such as 2024-01, 202401, 08/2024, Aug 2024, 2024Q1, Q1 2024 or 2024-W09; years
        of two digits are 1969 to 2068.

    Returns
    -------
    Parts or None
        The weeks, months or quarters; None if they are others, or in several formats.

    Examples
    --------
    >>> parts_of_years(["08/2024", "01/2025"]).numbers
    {'08/2024': 24295, '01/2025': 24300}
    >>> weeks = parts_of_years(["2020-W53"])
    >>> weeks.write(weeks.numbers["2020-W53"] + 1)
    '2021-W01'
    >>> parts_of_years(["2024-01-31"]) is None
    True
    """
    if not names or not all(type(name) in (int, str) for name in names):
        return None
    for size, form in _FORMS:
        found = [form.fullmatch(str(name).strip()) for name in names]
        matches = [match for match in found if match is not None]
        if len(matches) < len(names):
            continue
        numbers = {name: _number(match, size) for name, match in zip(names, matches, strict=True)}
        return Parts(size, numbers, _writer(matches, size, type(names[0])))
    return _weeks(names)


def _weeks(names: Sequence[Any]) -> Parts | None:
    found = [match for name in names if (match := _WEEK.fullmatch(str(name).strip()))]
    if len(found) < len(names):
        return None
    try:
        mondays = [date.fromisocalendar(int(match[1]), int(match[3]), 1) for match in found]
    except ValueError:  # such as week 00, which other counts have
        return None

    def write(number: int) -> str:
        year, week, _ = date.fromordinal(7 * number + 1).isocalendar()
        return f"{year:04d}{found[0][2]}W{week:02d}"

    numbers = [monday.toordinal() // 7 for monday in mondays]
    return Parts(52, dict(zip(names, numbers, strict=True)), write)


def numbers_in_order(names: Sequence[str]) -> dict[str, tuple[int, ...]] | None:
    """Read the numbers by which texts that differ in numbers alone are in order.

    Parameters
    ----------
    names : sequence of str
        Texts with one number of up to four digits, or with a year and one number after it.

    Returns
    -------
    dict of str to tuple of int or None
        The numbers of each; None if the texts have other numbers, or differ in more than these.

    Examples
    --------
    >>> numbers_in_order(["week 10", "week 9"]), numbers_in_order(["2024-W01", "2023-W52"])
    ({'week 10': (10,), 'week 9': (9,)}, {'2024-W01': (2024, 1), '2023-W52': (2023, 52)})
    >>> numbers_in_order(["31/12/2023", "01/01/2024"]) is None
    True
    """
    for form in _COUNTED:
        matches = [form.fullmatch(name.strip()) for name in names]
        found = [match for match in matches if match is not None]
        texts = {tuple(text for text in match.groups() if not text.isdigit()) for match in found}
        if len(found) == len(names) and len(texts) == 1:
            return {
                name: tuple(int(text) for text in match.groups() if text.isdigit())
                for name, match in zip(names, found, strict=True)
            }
    return None


def _number(match: re.Match[str], size: int) -> int:
    part, year = match["part"], int(match["year"])
    if len(match["year"]) == 2:
        year += 2000 if year < _FIRST_OF_1900 else 1900
    return size * year + (int(part) if part.isdigit() else _SHORT[part[:3].lower()]) - 1


def _writer(matches: Sequence[re.Match[str]], size: int, kind: type) -> Callable[[int], Any]:
    """Format parts as the first one; numbers have a leading zero if all have two digits."""
    first = matches[0]
    digits = min(len(match["part"]) for match in matches)
    is_short = all(len(match["part"]) == 3 for match in matches)

    def write(number: int) -> Any:
        year, part = divmod(number, size)
        text = f"{part + 1:0{digits}d}"
        if not first["part"].isdigit():
            text = _MONTHS[part][:3] if is_short else _MONTHS[part]
        years = f"{year:04d}"[-len(first["year"]) :]
        (start, end, new), (start_2, end_2, new_2) = sorted(
            [(*first.span("part"), text), (*first.span("year"), years)]
        )
        whole = first.string
        return kind(whole[:start] + new + whole[end:start_2] + new_2 + whole[end_2:])

    return write
