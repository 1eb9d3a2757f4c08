"""A warning about columns of categories that hardly repeat, such as names and dates as text."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..data.coded_tables import CodedTable
from ..data.inputs import Table
from ..fit_warnings import warn

_MIN_ROWS = 20  # fewer rows may differ everywhere by chance


def warn_of_identifiers(table: Table | CodedTable, exclude: Collection[int], remedy: str) -> set[int]:
    """Warn if a column has as many categories as half of its rows or more.

    Parameters
    ----------
    table : Table or CodedTable
        The training rows.
    exclude : collection of int
        Columns that are not used.
    remedy : str
        How to leave a column out, with its name as ``{name!r}``.

    Returns
    -------
    set of int
        The columns it warned of.
    """
    found = set()
    for place, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if place in exclude or not isinstance(column, tuple):
            continue
        known = column[0][column[0] >= 0]
        n_categories = np.unique(known).size
        if known.size >= _MIN_ROWS and 2 * n_categories >= known.size:
            found.add(place)
            warn(
                f"column {name!r} has {n_categories} categories in {known.size} rows and hardly fits others. "
                f"{remedy.format(name=name)}, turn dates into numbers, "
                "or look at the table with thresher.examine",
                UserWarning,
            )
    return found
