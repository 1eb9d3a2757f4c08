"""Columns of text that hold numbers, or what looks like numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import with_article
from .dates import read_date

_LIKE_A_NUMBER = re.compile(r"[-+−]?[$€£]?[0-9][0-9.,'\u00a0\u202f ]*(?:[eE][-+]?[0-9]+)?\s*[%$€£]?")
_LIMIT = re.compile(r"\s*(?:[<>]=?|[≤≥⩽⩾])\s*[-+−]?[0-9][0-9.,' ]*(?:[eE][-+]?[0-9]+)?\s*")
_LEADING_ZERO = re.compile(r"0[0-9]+")
_DECIMAL_COMMA = re.compile(r"[-+−]?(?:[0-9]+|[0-9]{1,3}(?:[.' \u00a0\u202f][0-9]{3})+),[0-9]+")
_THOUSANDS = re.compile(r"[-+−]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T].*)?")
# How many texts are tried as dates, and the fraction that must be dates.
_TRIED, _DATES = 500, 0.95
_SHOWN = 40  # characters of a cell


class NumbersAsText(NamedTuple):
    """Why a column with numbers is text.

    Parameters
    ----------
    kind : {"zeros", "comma", "limit", "cell"}
        Leading zeros in whole numbers; a decimal comma; a limit instead of a value; another cell that is no
        number.
    found : str
        The same in words, with an example, whose row is counted from 0.
    """

    kind: str
    found: str


def numbers_as_text(values: NDArray[Any]) -> NumbersAsText | None:
    """Find out why a column with numbers is text.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The cells of a file's column.

    Returns
    -------
    NumbersAsText or None
        None for numbers, for dates, and for columns in which fewer than half of the texts look like numbers.

    Examples
    --------
    >>> numbers_as_text(np.array(["01067", "80331"], dtype=object)).found
    "leading zeros such as '01067'"
    >>> numbers_as_text(np.array(["4,5", "3"], dtype=object)).found
    "numbers with a decimal comma such as '4,5'"
    >>> numbers_as_text(np.array(["4.5", "3", "2 kg"], dtype=object)).found
    "'2 kg' in row 2"
    """
    if values.dtype.kind != "O":
        return None
    texts = [(row, cell.strip()) for row, cell in enumerate(values.tolist()) if isinstance(cell, str)]
    if 2 * sum(_LIKE_A_NUMBER.fullmatch(cell) is not None for _, cell in texts) <= len(texts):
        return None
    odd = [(row, cell) for row, cell in texts if not is_number(cell)]
    if not odd:
        zero = first_with_leading_zero(cell for _, cell in texts)
        return None if zero is None else NumbersAsText("zeros", f"leading zeros such as {zero[:_SHOWN]!r}")
    if are_dates(list(dict.fromkeys(cell for _, cell in texts))):
        return None
    row, cell = odd[0]
    if all(_DECIMAL_COMMA.fullmatch(own) for _, own in odd):
        sure = next((own for _, own in odd if not _THOUSANDS.fullmatch(own)), None)
        if sure is not None:
            return NumbersAsText("comma", f"numbers with a decimal comma such as {sure[:_SHOWN]!r}")
    return NumbersAsText("limit" if is_limit(cell) else "cell", f"{cell[:_SHOWN]!r} in row {row}")


LIMIT_ADVICE = (
    "replace a limit by its number, to which a further column of 0 and 1 may add that it was passed, or "
    "leave the cell empty"
)
"""What to do about a limit in a column of features."""
LIMIT_OF_TARGET = (
    "leave rows with a limit out, replace it by its number, or predict as two classes whether it is passed"
)
"""What to do about a limit in a target."""
ADVICE_ON_NUMBERS = {
    "zeros": "it stays text, as codes such as postal codes should",
    "comma": "write a decimal point, so that the column is read as numbers",
    "limit": LIMIT_ADVICE,
    "cell": "correct such cells or leave them empty, so that the column is read as numbers",
}
"""What to do about a column of numbers that is text, by its kind."""
ADVICE_ON_TEXT = "turn it into numbers or leave it out"
ADVICE_ON_NEW_TEXT = "the model was trained with numbers: turn it into a number or a missing value"
ADVICE_ON_UNLISTED_TEXT = (
    "it is text that categorical_features does not list: add it there, give 'from_dtype' for every column of "
    f"text, {ADVICE_ON_TEXT}"
)
"""What to do about text in a column of numbers: in training, in later rows, and in a column that the user's
choice makes one of numbers."""


def is_limit(cell: Any) -> bool:
    """Return whether a cell gives a limit of a value, such as one beyond the range of an instrument.

    Parameters
    ----------
    cell : object
        A cell.

    Returns
    -------
    bool
        True for texts of a comparison sign and a number.

    Examples
    --------
    >>> [is_limit(cell) for cell in (">6", "<= 0.1", "> 1,000", ">", "a > 6", 6)]
    [True, True, True, False, False, False]
    """
    return isinstance(cell, str) and _LIMIT.fullmatch(cell) is not None


def limit_among_numbers(texts: Sequence[Any]) -> int | None:
    """Find a limit among texts that are numbers otherwise, at least half of them.

    Parameters
    ----------
    texts : sequence
        Texts or other cells.

    Returns
    -------
    int or None
        The first position of a limit; None if there is none, or other texts are no numbers either.

    Examples
    --------
    >>> limit_among_numbers(["1.5", ">6", "2"]), limit_among_numbers(["<18", "18-65", ">65"])
    (1, None)
    """
    found = [place for place, text in enumerate(texts) if is_limit(text)]
    if not found or 2 * len(found) > len(texts):
        return None
    return found[0] if all(is_limit(text) or is_number(text) for text in texts) else None


def first_with_leading_zero(cells: Iterable[str | None]) -> str | None:
    """Find a whole number with leading zeros in a column of codes.

    Parameters
    ----------
    cells : iterable of str or None
        The cells without spaces around them; None is missing.

    Returns
    -------
    str or None
        The first cell of at least two digits that begins with 0; None if there is none, or a cell holds
        anything but digits: 007 beside -3 or 0.5 is the number 7.

    Examples
    --------
    >>> first_with_leading_zero(["80331", None, "01067"]), first_with_leading_zero(["0", "10"])
    ('01067', None)
    >>> first_with_leading_zero(["007", "0.5"]) is None
    True
    """
    found = None
    for cell in cells:
        if cell is None:
            continue
        if not (cell.isascii() and cell.isdigit()):
            return None
        if found is None and _LEADING_ZERO.fullmatch(cell):
            found = cell
    return found


def are_dates(distinct: Sequence[Any]) -> bool:
    """Return whether cells are dates, or texts that nearly all are.

    Parameters
    ----------
    distinct : sequence
        The different cells that have a value.

    Returns
    -------
    bool
        Whether at least 95 in 100 of those that are tried are dates.

    Examples
    --------
    >>> are_dates(["01.01.2024", "17.3.2024"]), are_dates(["1.5", "2.5"])
    (True, False)
    """
    tried = distinct[:_TRIED]
    return bool(tried) and sum(map(_is_date, tried)) >= _DATES * len(tried)


def _is_date(value: Any) -> bool:
    if isinstance(value, (date, np.datetime64)):
        return True
    if not isinstance(value, str) or len(value.strip()) < len("1.1.70"):
        return False
    value = value.strip()
    # Eight digits are a date as well.
    return _DATE.fullmatch(value) is not None or (read_date(value) is not None and not value.isdigit())


def is_number(cell: Any) -> bool:
    """Return whether a cell is a number, or the text of one.

    Parameters
    ----------
    cell : object
        A cell.

    Returns
    -------
    bool
        Whether ``float`` reads it.

    Examples
    --------
    >>> is_number("1.5"), is_number("1,5")
    (True, False)
    """
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def no_numbers(array: NDArray[Any], owner: str) -> ValueError:
    """Create the error for a target of a regression with other cells than numbers.

    Parameters
    ----------
    array : ndarray
        The target.
    owner : str
        The estimator's class name.

    Returns
    -------
    ValueError
        The error, which names a cell and says what to do.

    Examples
    --------
    >>> str(no_numbers(np.array(["a", "b"]), "RuleRegressor"))
    "y must hold numbers for a RuleRegressor, got 'a'; for labels use a RuleClassifier"
    """
    cells = array.ravel().tolist()
    others = [place for place, cell in enumerate(cells) if not is_number(cell)]
    place = others[0] if others else 0
    if 2 * len(others) > len(cells) or not others:
        return ValueError(
            f"y must hold numbers for {with_article(owner)}, got {cells[place]!r}; "
            f"for labels use {with_article(owner.replace('Regressor', 'Classifier'))}"
        )
    row, more = place * array.shape[0] // len(cells), len(others) - 1
    found = f"{cells[place]!r} in row {row}{f' and {more} more such cells' * (more > 0)}"
    remedy = LIMIT_OF_TARGET if is_limit(cells[place]) else "give numbers, or leave such rows out"
    return ValueError(
        f"y must hold numbers for {with_article(owner)}, and most are, but not {found}; {remedy}"
    )
