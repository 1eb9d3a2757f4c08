"""Groups of rows that belong together, such as those of one patient."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .alignment import to_array
from .columns import is_missing


def group_labels(groups: Any) -> NDArray[Any]:
    """Return the groups as they are given, as an array for splitters.

    Parameters
    ----------
    groups : array-like of shape (n_rows,)
        The groups.

    Returns
    -------
    ndarray of shape (n_rows,)
        The groups, in the type that NumPy gives them.

    Examples
    --------
    >>> group_labels([30, 10, 30])
    array([30, 10, 30])
    """
    return np.asarray(to_array(groups))


def group_codes(groups: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the number of each row's group.

    Parameters
    ----------
    groups : array-like of shape (n_rows,)
        The groups: numbers, texts or other labels.
    n_rows : int
        The number of rows.

    Returns
    -------
    ndarray of shape (n_rows,)
        Numbers from 0, in the order of the first rows of the groups.

    Raises
    ------
    ValueError
        If there is not one group for each row.

    Examples
    --------
    >>> group_codes(["b", "a", "b"], 3).tolist()
    [0, 1, 0]
    """
    labels = np.asarray(to_array(groups), dtype=object)
    if labels.shape != (n_rows,):
        raise ValueError(f"groups: got the shape {labels.shape}; give one group for each of {n_rows} rows")
    place: dict[Any, int] = {}
    codes = np.empty(n_rows, dtype=np.intp)
    for row, label in enumerate(labels.tolist()):
        if is_missing(label):
            raise ValueError(f"groups: there is no group in row {row}; give it one, or leave the row out")
        codes[row] = place.setdefault(label, len(place))
    return codes
