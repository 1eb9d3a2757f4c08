"""Columns of whole numbers that name things (users, items) rather than measure them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fit_warnings import warn
from ..formatting.numbers import format_number
from ..formatting.text import format_names
from .columns import Column
from .inputs import Table

_REPEATS = 2
"""Of numbers that are to be categories each has so many rows on average."""
_LEAST_NAMED, _LEAST = 10, 50
"""The fewest different numbers of a column with a name such as ``user_id``, and of any other."""
_MOST_FREQUENT = 0.05
"""The largest fraction of the rows that one number has; counts have more zeros or ones than that."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMES = {
    *("id", "ids", "uid", "key", "code", "nr", "sku", "zip", "user", "customer", "client", "member"),
    *("item", "product", "article", "movie", "film", "song", "artist", "book", "patient", "store", "shop"),
    *("visit", "visitor", "session"),
}


def warn_of_ids(table: Table, categorical: Any) -> None:
    """Warn of numeric columns that look like the numbers of users or items.

    Parameters
    ----------
    table : Table
        The training rows.
    categorical : object
        The columns that the user calls categorical; None or an empty list says that these are all.

    Warns
    -----
    UserWarning
        Once, if there are such columns.
    """
    if categorical is None or not np.size(categorical):
        return
    labels = table.names if table.feature_names is not None else range(len(table.names))
    columns = list(zip(labels, table.names, table.columns, strict=True))
    found = {
        label: numbers for label, name, column in columns if (numbers := ids_of(column, name)) is not None
    }
    if not found:
        return
    first, numbers = next(iter(found.items()))
    several = "s" if len(found) > 1 else ""
    advice = (
        f"give categorical_features={[k for k, _, own in columns if k in found or isinstance(own, tuple)]!r}"
        if isinstance(categorical, str)
        else f"add {format_names(list(found))} to categorical_features"
    )
    warn(
        f"column{several} {format_names(list(found))}: whole numbers that repeat, as those of users or items "
        f"do ({first!r} has {numbers.size:,} different ones from {format_number(numbers[0])} to "
        f"{format_number(numbers[-1])}). A number has one slope. If they name things, {advice}, so that each "
        "has a coefficient and factors of its own; if they are quantities, categorical_features=None says so",
        UserWarning,
    )


def ids_of(column: Column | None, name: str) -> NDArray[np.float64] | None:
    """Find a column that looks like the numbers of users or items.

    Parameters
    ----------
    column : column or None
        The column.
    name : str
        Its name.

    Returns
    -------
    ndarray or None
        The distinct numbers; None for any other column.
    """
    if not isinstance(column, np.ndarray):
        return None
    known = column[np.isfinite(column)]
    if known.size < _REPEATS * _LEAST_NAMED or known.min() < 0 or known.max() < _LEAST_NAMED - 1:
        return None
    if (known != np.floor(known)).any():
        return None
    numbers, counts = np.unique(known, return_counts=True)
    is_named = names_things(name) and numbers.size >= _LEAST_NAMED
    counted = numbers.size >= _LEAST and numbers[0] <= 1 and numbers[-1] <= 2 * numbers.size
    rare = counts.max() <= _MOST_FREQUENT * known.size
    repeats = known.size >= _REPEATS * numbers.size
    return numbers if repeats and (is_named or (counted and rare)) else None


def names_things(column: str) -> bool:
    """Return whether the name of a column says that its cells are names of users, items and the like.

    Parameters
    ----------
    column : str
        The name.

    Returns
    -------
    bool
        Whether its last word is one of a list.

    Examples
    --------
    >>> names_things("user_id"), names_things("age")
    (True, False)
    """
    words = _WORD.findall(column)
    return bool(words) and words[-1].lower() in _NAMES
