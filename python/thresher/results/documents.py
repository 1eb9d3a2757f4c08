"""The document of a model, of which long lists of numbers are parsed when they are used.

A table of 10,000 columns has millions of cut points, in its bins and in the proof of its lower bound, and a
model uses a few columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

_LONG_LIST = re.compile(r'"(cuts|values|weights)":\[([^\[\]]{1000,})\]')
"""A list of about fifty numbers or more: a shorter one is parsed faster than it is set apart. Quotation marks
within a text are escaped, so that the pattern matches an entry alone."""


class LongList(Sequence[float]):
    """Numbers of a document, parsed at the first use.

    Parameters
    ----------
    text : str
        The numbers of a JSON list.

    Examples
    --------
    >>> numbers = LongList("0.5,1.5")
    >>> len(numbers), numbers[0], list(numbers)
    (2, 0.5, [0.5, 1.5])
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _numbers(self) -> list[float]:
        numbers: list[float] = json.loads(f"[{self._text}]")
        return numbers

    @overload
    def __getitem__(self, place: int) -> float: ...

    @overload
    def __getitem__(self, place: slice) -> list[float]: ...

    def __getitem__(self, place: int | slice) -> float | list[float]:
        """Return one number, or several."""
        return self._numbers[place]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)


def read_document(text: str) -> dict[str, Any]:
    """Parse the document of a model.

    Parameters
    ----------
    text : str
        The JSON of the core.

    Returns
    -------
    dict
        The document; ``cuts``, ``values`` and ``weights`` in it may be :class:`LongList`.

    Examples
    --------
    >>> read_document('{"features":[{"name":"x","cuts":[1.5]}],"outputs":[]}')["features"][0]["cuts"]
    [1.5]
    """
    lists: list[LongList] = []

    def set_apart(found: re.Match[str]) -> str:
        lists.append(LongList(found[2]))
        return f'"{found[1]}":"{len(lists) - 1}"'

    document: dict[str, Any] = json.loads(_LONG_LIST.sub(set_apart, text))
    if lists:
        _restore(document, lists)
    return document


def _restore(part: Any, lists: Sequence[LongList]) -> None:
    """Put lists back to where a text stands for each of them."""
    for inner in part.values() if isinstance(part, dict) else part:
        if isinstance(inner, dict) or (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
            _restore(inner, lists)
    for name in ("cuts", "values", "weights") if isinstance(part, dict) else ():
        if isinstance(part.get(name), str):
            part[name] = lists[int(part[name])]


def to_plain(value: Any) -> list[float]:
    """Convert what JSON does not know in a document.

    Parameters
    ----------
    value : object
        A value of the document.

    Returns
    -------
    list of float
        The numbers as a list.

    Raises
    ------
    TypeError
        If it is something else.
    """
    if isinstance(value, LongList):
        return list(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
