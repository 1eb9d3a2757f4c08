"""How many other terms with the same training rows a model lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..formatting.text import pluralize

MOST_RULES, MOST_PATTERNS = 5, 20
"""The core lists at most so many of a term."""


def more_equivalents_text(n_listed: int, most: int, rows: str) -> str:
    """Return the end of the line of a term whose list is full, else nothing.

    Parameters
    ----------
    n_listed, most : int
        The terms with the same rows that are listed, and the most that a list has.
    rows : str
        The noun for the rows.

    Returns
    -------
    str
        A part of a sentence.

    Examples
    --------
    >>> more_equivalents_text(20, 20, "records"), more_equivalents_text(3, 20, "records")
    ('; 20 or more others have the same records', '')
    """
    return f"; {most} or more others have the same {rows}" if n_listed >= most else ""


def equivalents_note(terms: Sequence[Any], most: int, noun: str, rows: str) -> str:
    """Return the sentence of a summary on terms whose lists are full.

    Parameters
    ----------
    terms : sequence of Rule or Pattern
        The terms of the model.
    most : int
        The most that a list has.
    noun, rows : str
        The nouns for a term and for the rows.

    Returns
    -------
    str
        The sentence on a line of its own; empty if no list is full.
    """
    full = sum(len(term.equivalents) >= most for term in terms)
    if not full:
        return ""
    return (
        f"\n`equivalents` lists {most} others with exactly the same training {rows} for "
        f"{pluralize(full, noun)}; there may be many more."
    )
