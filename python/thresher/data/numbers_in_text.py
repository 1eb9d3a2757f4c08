"""Columns of text that hold numbers."""

from __future__ import annotations

import re
from typing import Any

from numpy.typing import NDArray

_LIKE_A_NUMBER = re.compile(r"[-+−]?[$€£]?[0-9][0-9.,'\u00a0\u202f ]*(?:[eE][-+]?[0-9]+)?\s*[%$€£]?")


def odd_number(values: NDArray[Any]) -> str:
    """Find the cell that makes a column of numbers text.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The cells of a file's column.

    Returns
    -------
    str
        The first text that is no number as Python writes it, with its row; empty if fewer than half
        of the texts look like numbers.
    """
    if values.dtype.kind != "O":
        return ""
    texts = [(row, cell) for row, cell in enumerate(values.tolist(), start=1) if isinstance(cell, str)]
    alike = sum(_LIKE_A_NUMBER.fullmatch(cell) is not None for _, cell in texts)
    odd = next(((row, cell) for row, cell in texts if not _is_number(cell)), None)
    return f"{odd[1][:40]!r} in data row {odd[0]}" if odd is not None and 2 * alike > len(texts) else ""


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
