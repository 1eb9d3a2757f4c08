"""Months and quarters as people write them: their order in time, and those between others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Parts:
    """Months or quarters in one format.

    Parameters
    ----------
    size : int
        Their number in a year.
    numbers : dict of (int or str) to int
        The number of each since the year 0.
    write : callable
        Formats a number as the others.
    """

    size: int
    numbers: dict[Any, int]
    write: Callable[[int], Any]


def parts_of_years(names: Sequence[Any]) -> Parts | None:
    """Read months and quarters.

    Parameters
    ----------
    names : sequence
        Texts or whole numbers such as 2024-01, 202401, 08/2024, Aug 2024, 2024Q1 or Q1 2024.

    Returns
    -------
    Parts or None
        The months or quarters; None if they are others, or in several formats.

    Examples
    --------
    >>> parts_of_years(["08/2024", "01/2025"]).numbers
    {'08/2024': 24295, '01/2025': 24300}
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
    return None


def _number(match: re.Match[str], size: int) -> int:
    part, year = match["part"], int(match["year"])
    year += 2000 if len(match["year"]) == 2 else 0
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
