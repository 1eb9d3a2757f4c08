"""One column of a table: numbers with NaN for missing, or codes with their levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from numbers import Number, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import did_you_mean, format_names
from .numbers_in_text import LIMIT_ADVICE, is_limit

Level = bool | int | float | str
"""A category's value as the user wrote it."""

NumericColumn = NDArray[np.float64]
CategoricalColumn = tuple[NDArray[np.int32], list[Level]]
Column = NumericColumn | CategoricalColumn
"""What the core takes: float64 values, or int32 codes (-1 missing) and their levels."""
Coded = tuple[list[Any], NDArray[Any]]
"""Distinct cells, and for each row the position of its cell among them, -1 where it is missing."""


def is_missing(value: object) -> bool:
    """Return whether a cell is missing.

    Parameters
    ----------
    value : object
        A cell of an object column.

    Returns
    -------
    bool
        True for None, NaN, NaT and pandas' NA.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if type(value) is str:
        return False
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value


def object_array(cells: Sequence[Any]) -> NDArray[Any]:
    """Return cells as an array of objects, whatever they are: NumPy would take apart lists.

    Parameters
    ----------
    cells : sequence
        The cells.

    Returns
    -------
    ndarray of shape (n_rows,)
        The same objects.

    Examples
    --------
    >>> object_array([[1, 2], None]).tolist()
    [[1, 2], None]
    """
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def truth_of(value: object) -> bool | None:
    """Convert a boolean, or its text, to bool.

    Parameters
    ----------
    value : object
        A cell, a level or a label.

    Returns
    -------
    bool or None
        None if it is neither a boolean nor the text "true" or "false" in any case.

    Examples
    --------
    >>> truth_of(True), truth_of("FALSE"), truth_of("yes")
    (True, False, None)
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return {"true": True, "false": False}.get(value.casefold()) if isinstance(value, str) else None


def same_truth(value: object, known: Iterable[Level]) -> Level | None:
    """Find the level that equals a boolean or its text.

    Parameters
    ----------
    value : object
        A cell or a label.
    known : iterable of levels
        The levels, none of which equals it.

    Returns
    -------
    bool, str or None
        The boolean for a text, the first text for a boolean; None if there is none.

    Examples
    --------
    >>> same_truth("true", [False, True]), same_truth(False, ["False", "True"])
    (True, 'False')
    """
    said = truth_of(value)
    if said is None:
        return None
    text = isinstance(value, str)
    return next((x for x in known if isinstance(x, str) != text and truth_of(x) is said), None)


def date_error(name: str) -> TypeError:
    """Create the error for a column of dates.

    Parameters
    ----------
    name : str
        The column's name.

    Returns
    -------
    TypeError
        The error to raise.
    """
    return TypeError(
        f"column '{name}' holds dates or durations; turn it into numbers (days since a date, hours, the "
        "month) or leave it out"
    )


def advice_on(value: object) -> str:
    """Say what to do about a column because of a cell that is no text, boolean or number.

    Parameters
    ----------
    value : object
        The cell.

    Returns
    -------
    str
        The advice, for pandas; of intervals, which are bands of numbers, how to keep their order.

    Examples
    --------
    >>> advice_on([1])
    'convert it to text, in pandas with .astype("string")'
    """
    to_text = 'convert it to text, in pandas with .astype("string")'
    if type(value).__name__ != "Interval":
        return to_text
    return (
        "for thresholds give the numbers that were cut, with the edges in bins=[[...]], or the codes, "
        "in pandas column.cat.codes.where(column.notna()); for bands without an order "
        f"{to_text}"
    )


def object_kind(batches: Iterable[NDArray[Any]], name: str) -> str:
    """Determine the kind of an object column.

    Parameters
    ----------
    batches : iterable of ndarray
        The cells, some rows after others.
    name : str
        The column's name, for messages.

    Returns
    -------
    {"numeric", "categorical"}
        Columns of text or of booleans are categorical; columns of numbers and columns
        without any value are numeric.

    Raises
    ------
    TypeError
        If the column mixes text and numbers or holds something else.
    """
    first: dict[str, tuple[int, object]] = {}
    start = 0
    for batch in batches:
        cells = batch.tolist()
        if not {_KINDS.get(kind) for kind in set(map(type, cells))} <= {*first, "missing"}:
            for row, value in enumerate(cells, start):
                if not is_missing(value):
                    first.setdefault(kind_of_cell(value), (row, value))
        start += len(cells)
    if "other" in first:
        row, value = first["other"]
        if isinstance(value, (date, timedelta)) or type(value).__name__ == "Period":
            raise date_error(name)
        raise TypeError(
            f"column '{name}' holds {value!r} ({type(value).__name__}) in row {row}; each column of the "
            "argument must be all strings, all booleans or all numbers: "
            f"{advice_on(value)}, or leave it out"
        )
    if "complex" in first:
        raise ValueError(f"Complex data not supported: column '{name}', row {first['complex'][0]}")
    if len(first) > 1 and "text" in first:
        found = " and ".join(f"{value!r} (row {row})" for row, value in first.values())
        numbers = "in pandas pd.to_numeric(column, errors='coerce') makes all other cells missing"
        remedy = LIMIT_ADVICE if is_limit(first["text"][1]) else numbers
        raise TypeError(
            f"column '{name}' mixes text and numbers: {found}; a column must be all strings or all "
            f"numbers: {remedy}; or name it in categorical_features to use its values as categories"
        )
    return "categorical" if set(first) in ({"text"}, {"truth"}) else "numeric"


_KINDS = {str: "text", bool: "truth", int: "number", float: "number", type(None): "missing"}


def kind_of_cell(value: object) -> str:
    """Return what a cell is.

    Parameters
    ----------
    value : object
        A cell that is not missing.

    Returns
    -------
    {"truth", "text", "number", "complex", "other"}
        The kind.

    Examples
    --------
    >>> kind_of_cell(True), kind_of_cell(1.5), kind_of_cell([1])
    ('truth', 'number', 'other')
    """
    if isinstance(value, (bool, np.bool_)):
        return "truth"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Real) or type(value).__name__ == "Decimal":
        return "number"
    return "complex" if isinstance(value, Number) else "other"


def categorical_mask(chosen: Any, names: Sequence[str]) -> list[bool | None]:
    """Find the categorical columns.

    Parameters
    ----------
    chosen : {"from_dtype"}, list of names or positions, mask or None
        The value of `categorical_features`.
    names : sequence of str
        The columns' names.

    Returns
    -------
    list of (bool or None)
        Whether each column is categorical; None where its dtype decides.

    Raises
    ------
    TypeError, ValueError
        If it is none of the above, or there is no such column.

    Examples
    --------
    >>> categorical_mask(["b"], ["a", "b"])
    [False, True]
    """
    n = len(names)
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            raise ValueError(
                f"categorical_features: got {chosen!r}; give 'from_dtype', None, "
                "a list of names or positions, or a mask"
            )
        return [None] * n
    if chosen is None:
        return [False] * n
    entries = np.asarray(chosen, dtype=object).ravel().tolist()
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != n:
            raise ValueError(f"categorical_features: the mask has {len(entries)} entries, X has {n} columns")
        return [bool(entry) for entry in entries]
    mask: list[bool | None] = [False] * n
    for entry in entries:
        mask[column_position(entry, names, "categorical_features")] = True
    return mask


def column_position(entry: Any, names: Sequence[str], parameter: str) -> int:
    """Find a column by name or position.

    Parameters
    ----------
    entry : str or int
        The name, or the position counted from 0.
    names : list of str
        The columns' names.
    parameter : str
        The name of the parameter, for messages.

    Returns
    -------
    int
        The position.

    Raises
    ------
    ValueError
        If there is no such column.
    TypeError
        If `entry` is neither text nor a whole number.

    Examples
    --------
    >>> column_position("age", ["sex", "age"], "monotonic_cst")
    1
    """
    if isinstance(entry, str):
        if entry not in names:
            meant = did_you_mean(entry, names)
            raise ValueError(
                f"{parameter}: there is no column {entry!r}{meant}; the columns are {format_names(names)}"
            )
        return list(names).index(entry)
    if isinstance(entry, (int, np.integer)) and not isinstance(entry, bool):
        if not -len(names) <= entry < len(names):
            message = f"{parameter}: there is no column {entry}; X has {len(names)} columns"
            if str(entry) in names:
                message += f"; the one named {entry} is '{entry}', since numbers count columns"
            raise ValueError(message)
        return int(entry) % len(names)
    raise TypeError(f"{parameter}: got {entry!r}; name a column by its name or its position")
