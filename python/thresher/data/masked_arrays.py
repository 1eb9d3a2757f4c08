"""Masked arrays of NumPy: what is masked is missing."""

from __future__ import annotations

from typing import Any

import numpy as np


def fill_masked(values: Any) -> Any:
    """Return the array below a mask with missing cells in place of the masked ones.

    Parameters
    ----------
    values : object
        Cells, targets, weights or groups; what is no masked array is returned unchanged.

    Returns
    -------
    ndarray or object
        Floats with NaN; other types become objects with None where a cell is masked.

    Examples
    --------
    >>> fill_masked(np.ma.masked_array([1.5, -999.0], mask=[False, True])).tolist()
    [1.5, nan]
    >>> fill_masked(np.ma.masked_array(["a", "?"], mask=[False, True])).tolist()
    ['a', None]
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    cells, mask = np.asarray(values.data), np.ma.getmaskarray(values)
    if cells.dtype.names or not mask.any():  # structured arrays are refused where they are read
        return cells
    cells = cells.copy() if cells.dtype.kind == "f" else cells.astype(object)
    cells[mask] = np.nan if cells.dtype.kind == "f" else None
    return cells
