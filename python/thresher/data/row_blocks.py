"""Predictions in blocks of rows: a signal is handled between two of them, and one at a time is copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows of a block: enough that the calls cost nothing, and a block takes less than a tenth of a second.
N_ROWS = 65_536


def in_row_blocks(columns: Sequence[Any], compute: Callable[[list[Any]], NDArray[Any]]) -> NDArray[Any]:
    """Compute something of each row, block by block.

    Parameters
    ----------
    columns : sequence
        The columns of a table for the core: float64 arrays, and pairs (codes, levels).
    compute : callable
        Called with the columns of some rows; gives an array whose first axis is these rows.

    Returns
    -------
    ndarray of shape (n_rows, ...)
        The same as one call with all rows.
    """
    columns = list(columns)
    n_rows = len(_cells(columns[0])) if columns else 0
    if n_rows <= N_ROWS:
        return compute(columns)
    out: NDArray[Any] | None = None
    for start in range(0, n_rows, N_ROWS):
        end = min(start + N_ROWS, n_rows)
        try:
            block = compute([_rows(column, start, end) for column in columns])
        except ValueError:
            # Its message names a row of the block; this one names the same row of the table.
            return compute(columns)
        if out is None:
            out = np.empty((n_rows, *block.shape[1:]), dtype=block.dtype)
        out[start:end] = block
    assert out is not None
    return out


def _cells(column: Any) -> Any:
    return column[0] if isinstance(column, tuple) else column


def _rows(column: Any, start: int, end: int) -> Any:
    if isinstance(column, tuple):
        codes, levels = column
        return codes[start:end], levels
    return column[start:end]
