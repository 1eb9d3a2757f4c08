"""Which values of a cell are which category: 1, 1.0 and true are one, and so are a boolean and its text."""

from __future__ import annotations

from ..data.columns import Level, truth_of
from .formula import Column


def exact_codes(column: Column) -> dict[Level, int]:
    """Return the position of each level.

    Parameters
    ----------
    column : Column
        A column of categories.

    Returns
    -------
    dict of level to int
        The positions; Python takes 1, 1.0 and True for the same key.
    """
    return {level: code for code, level in enumerate(column.levels)}


def codes_of_texts(column: Column) -> dict[str, int]:
    """Return the positions of boolean levels by their texts in small letters.

    Parameters
    ----------
    column : Column
        A column of categories.

    Returns
    -------
    dict of str to int
        They stand for texts in any case that are no level themselves.

    Examples
    --------
    >>> codes_of_texts(Column("a", "boolean", 0, (False, True)))
    {'false': 0, 'true': 1}
    """
    pairs = enumerate(column.levels)
    return {("true" if level else "false"): code for code, level in pairs if isinstance(level, bool)}


def codes_of_booleans(column: Column) -> dict[bool, int]:
    """Return the positions of the first texts "true" and "false", in any case.

    Parameters
    ----------
    column : Column
        A column of categories.

    Returns
    -------
    dict of bool to int
        They stand for booleans that equal no level themselves.

    Examples
    --------
    >>> codes_of_booleans(Column("a", "category", 0, ("False", "other")))
    {False: 0}
    """
    found: dict[bool, int] = {}
    exact = exact_codes(column)
    for code, level in enumerate(column.levels):
        truth = truth_of(level) if isinstance(level, str) else None
        if truth is not None and truth not in exact:
            found.setdefault(truth, code)
    return found
