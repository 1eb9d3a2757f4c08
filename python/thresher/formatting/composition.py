"""Texts that look the same and differ in Unicode composition: é is one code point, or e and an accent."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def composed(text: str) -> str:
    """Compose letters and their accents, as most programs write them (NFC).

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text, of as few code points as there may be.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def composed_alike(labels: Iterable[Any]) -> list[list[str]]:
    r"""Group texts that differ in Unicode composition alone.

    Parameters
    ----------
    labels : iterable
        Distinct labels; those that are no text are ignored.

    Returns
    -------
    list of list of str
        The groups of two texts and more.

    Examples
    --------
    >>> [told_apart(texts) for texts in composed_alike(["caf\u00e9", "cafe\u0301", "cafe", 7])]
    [["'caf\\xe9'", "'cafe\\u0301'"]]
    """
    return _alike(labels, composed)


def spelled_alike(labels: Iterable[Any]) -> list[list[str]]:
    """Group texts that differ in spaces, case or Unicode composition alone.

    Parameters
    ----------
    labels : iterable
        Distinct labels; those that are no text are ignored.

    Returns
    -------
    list of list of str
        The groups of two texts and more.

    Examples
    --------
    >>> spelled_alike(["yes", "no", "Yes ", "maybe", 7])
    [['yes', 'Yes ']]
    """
    return _alike(labels, lambda text: composed(" ".join(text.split()).casefold()))


def _alike(labels: Iterable[Any], key: Callable[[str], str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            groups.setdefault(key(label), []).append(label)
    return [texts for texts in groups.values() if len(texts) > 1]


def told_apart(texts: Sequence[str]) -> list[str]:
    """Quote texts, with escapes in place of letters where two of them would look the same.

    Parameters
    ----------
    texts : sequence of str
        Different texts.

    Returns
    -------
    list of str
        The texts in quotes.

    Examples
    --------
    >>> told_apart(["Red", "red"])
    ["'Red'", "'red'"]
    """
    return [*map(ascii if composed_alike(texts) else repr, texts)]
