"""Columns of a text file become numbers, truth values or texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import object_array, truth_of
from .numbers_in_text import first_with_leading_zero

# What pandas reads as missing, and a question mark.
_EMPTY = {"", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "NULL", "null", "None", "?"}


def read_texts(texts: Sequence[str], as_text: bool = False, as_numbers: bool = False) -> NDArray[Any]:
    """Convert the cells of a column.

    Texts keep the spaces around them, as in a database, whose rows are compared with every space.

    Parameters
    ----------
    texts : sequence of str
        The cells as the file has them.
    as_text : bool, default=False
        Whether they are text even if all are numbers or truth values.
    as_numbers : bool, default=False
        Whether leading zeros mean nothing.

    Returns
    -------
    ndarray of shape (n_rows,)
        Numbers with NaN for missing; or booleans or texts, with None for missing.

    Examples
    --------
    >>> read_texts(["1", " 2"]).tolist(), read_texts(["01067", ""]).tolist(), read_texts(["a "]).tolist()
    ([1.0, 2.0], ['01067', None], ['a '])
    """
    cells = [text.strip() for text in texts]
    present = [None if cell in _EMPTY else cell for cell in cells]
    if not as_text:
        try:
            numbers = [math.nan if cell is None else _number(cell) for cell in present]
            if as_numbers or first_with_leading_zero(present) is None:
                return np.asarray(numbers, dtype=np.float64)
        except ValueError:
            truths = [truth_of(cell) for cell in present]
            if truths.count(None) == present.count(None):
                return object_array(truths)
    return object_array([None if cell is None else text for cell, text in zip(present, texts, strict=True)])


def words_for_missing(texts: Sequence[str]) -> dict[str, int]:
    """Count the words that are read as missing.

    Parameters
    ----------
    texts : sequence of str
        The cells as the file has them.

    Returns
    -------
    dict of str to int
        The words, the most frequent first, and how many cells hold them; empty cells are none.

    Examples
    --------
    >>> words_for_missing(["n/a", "red", "", "NA", "n/a"])
    {'n/a': 2, 'NA': 1}
    """
    counts = Counter[str]()
    for text, count in Counter(texts).items():
        counts[text.strip()] += count
    return {word: count for word, count in counts.most_common() if word in _EMPTY - {""}}


def _number(cell: str) -> float:
    if "_" in cell:  # Python reads 1_000 as a number; a file means text
        raise ValueError(cell)
    return float(cell)
