"""Parameters with one value for each column, checked when the columns are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..data.coded_tables import CodedTable
from ..data.columns import column_position
from ..data.inputs import Table


def monotonic_of(value: Any, names: Sequence[str]) -> list[int] | None:
    """Check the monotonicity constraints of the columns.

    Parameters
    ----------
    value : array of -1, 0, 1, dict of name: direction, or None
        The directions.
    names : list of str
        The columns' names.

    Returns
    -------
    list of int or None
        One for each column; None if all are unconstrained.

    Raises
    ------
    ValueError
        If a direction is another number, or a column does not exist.
    """
    found = _directions(
        value, names, {sign: sign for sign in (1, -1, 0)}, "1 (rising), -1 (falling) or 0 (free)"
    )
    return found if found is not None and any(found) else None


_TRENDS = {
    1: "increasing",
    -1: "decreasing",
    0: "free",
    "auto": "monotone",
    "peak": "peak",
    "valley": "valley",
    "convex": "convex",
    "concave": "concave",
}


def trends_of(value: Any, names: Sequence[str]) -> list[str] | None:
    """Check the trends of the columns, which are directions or words.

    Parameters
    ----------
    value : array of -1, 0, 1, "auto", "peak", "valley", "convex" or "concave", dict of name: trend, or None
        The trends.
    names : list of str
        The columns' names.

    Returns
    -------
    list of str or None
        The core's word for each column; None if all are unconstrained.

    Raises
    ------
    ValueError
        If a trend is something else, or a column does not exist.

    Examples
    --------
    >>> trends_of({"a": "peak", "c": -1}, ["a", "b", "c"])
    ['peak', 'free', 'decreasing']
    """
    words = "'auto' (rising or falling), 'peak', 'valley', 'convex' or 'concave'"
    hint = f"1 (rising), -1 (falling), 0 (free), {words}"
    found = _directions(value, names, _TRENDS, hint)
    return found if found is not None and set(found) != {"free"} else None


def _directions(value: Any, names: Sequence[str], allowed: Mapping[Any, Any], hint: str) -> list[Any] | None:
    """Return what is allowed for each column, as a list or a dict of columns names it."""
    if value is None:
        return None
    directions = [allowed[0]] * len(names)
    if isinstance(value, Mapping):
        entries = [(column_position(key, names, "monotonic_cst"), given) for key, given in value.items()]
    elif isinstance(value, str) or np.ndim(value) == 0:
        raise ValueError(
            f"monotonic_cst: got {value!r}; give a dict of column: direction, or a list, one for each column"
        )
    else:
        given = np.asarray(value, dtype=object).ravel().tolist()
        if len(given) != len(names):
            raise ValueError(f"monotonic_cst: got {len(given)} directions, X has {len(names)} columns")
        entries = list(enumerate(given))
    for position, given in entries:
        if not isinstance(given, (str, Real)) or given not in allowed:
            raise ValueError(f"monotonic_cst: got {given!r} for column '{names[position]}'; give {hint}")
        directions[position] = allowed[given]
    return directions


def exclude_of(value: Any, names: Sequence[str]) -> list[int]:
    """Check the columns that a model may not use.

    Parameters
    ----------
    value : sequence of str or int, or None
        Names or positions.
    names : list of str
        The columns' names.

    Returns
    -------
    list of int
        Their positions, ascending.

    Raises
    ------
    TypeError, ValueError
        If it is no list of columns, or there is no such column.

    Examples
    --------
    >>> exclude_of(["b", 0], ["a", "b", "c"])
    [0, 1]
    """
    if value is None:
        return []
    if isinstance(value, str):
        raise TypeError(f"exclude: got {value!r}; give a list of columns, such as [{value!r}]")
    found = np.asarray(value, dtype=object).ravel().tolist()
    return sorted({column_position(entry, names, "exclude") for entry in found})


_CODES_HINT = "give a dict of column: codes, or a list of numbers for every numeric column"


def special_codes_of(value: Any, table: Table | CodedTable) -> list[list[float]]:
    """Check the special codes of the columns.

    Parameters
    ----------
    value : dict of column: code or list of codes, list of codes, or None
        The codes; a list holds for every numeric column.
    table : Table or CodedTable
        The training table.

    Returns
    -------
    list of list of float
        The codes of each column, ascending; an empty list if no column has any.

    Raises
    ------
    TypeError
        If a code is no number.
    ValueError
        If a code is NaN or infinite, a column does not exist, or one that is named is categorical.

    Examples
    --------
    >>> from thresher.data.inputs import read
    >>> special_codes_of({"x1": [-8, -9]}, read([[1.0, 2.0], [3.0, -9.0]]))
    [[], [-9.0, -8.0]]
    """
    if value is None:
        return []
    codes: list[set[float]] = [set() for _ in table.names]
    if isinstance(value, Mapping):
        for key, given in value.items():
            position = column_position(key, table.names, "special_codes")
            name = table.names[position]
            if isinstance(table.columns[position], tuple):
                raise ValueError(
                    f"special_codes: column {name!r} is categorical, where each value is a category of its "
                    "own; leave it out"
                )
            codes[position].update(_codes_of(given, f"column {name!r}"))
    else:
        found = _codes_of(value, "every numeric column")
        for own, column in zip(codes, table.columns, strict=True):
            own.update(found if not isinstance(column, tuple) else ())
    return [sorted(own) for own in codes] if any(codes) else []


def _codes_of(given: Any, where: str) -> list[float]:
    if isinstance(given, (str, bytes, Mapping)):
        raise TypeError(f"special_codes: got {given!r} for {where}; {_CODES_HINT}")
    found = []
    for code in np.asarray(given, dtype=object).ravel().tolist():
        if isinstance(code, (bool, np.bool_)) or not isinstance(code, Real):
            raise TypeError(f"special_codes: got {code!r} for {where}, which is no number; {_CODES_HINT}")
        if not math.isfinite(code):
            raise ValueError(
                f"special_codes: got {float(code)} for {where}; codes are finite numbers, and NaN is a "
                "missing value without being named"
            )
        found.append(float(code) + 0.0)
    return found


def refuse_codes_among_ranges(table: CodedTable, special: list[list[float]]) -> None:
    """Raise an error for special codes of a column of which ranges of numbers are known.

    Parameters
    ----------
    table : CodedTable
        The training table.
    special : list of list of float
        The special codes of each column.

    Raises
    ------
    ValueError
        If a column with codes has ranges.
    """
    for name, column, codes in zip(table.names, table.columns, special, strict=False):
        if codes and not isinstance(column, tuple) and not column.is_exact():
            raise ValueError(
                f"special_codes: column {name!r} has more than 65,000 distinct numbers, which are read from "
                "disk as ranges; round them, replace the codes by missing values, or give the table in memory"
            )


def bounds_of(bounds: Any, names: Sequence[str]) -> list[list[float | None]] | None:
    """Check the bounds of coefficients.

    Parameters
    ----------
    bounds : pair, sequence of pairs, dict of column: pair, or None
        Lower and upper bound, None or infinite for no bound.
    names : list of str
        The columns' names.

    Returns
    -------
    list of [lower, upper] or None
        One for each column.

    Raises
    ------
    TypeError, ValueError
        If a bound is not a number, 0 is not between the bounds, or a column does not exist.

    Examples
    --------
    >>> bounds_of((0, None), ["a", "b"])
    [[0.0, None], [0.0, None]]
    >>> bounds_of({"b": (-1, 1)}, ["a", "b"])
    [[None, None], [-1.0, 1.0]]
    """
    if bounds is None:
        return None
    if isinstance(bounds, Mapping):
        pairs: list[list[float | None]] = [[None, None] for _ in names]
        for column, pair in bounds.items():
            pairs[column_position(column, names, "bounds")] = _interval(pair, f"column {column!r}")
        return pairs
    if isinstance(bounds, (tuple, list)) and len(bounds) == 2 and not any(map(_is_pair, bounds)):
        return [_interval(bounds, "all columns") for _ in names]
    try:
        given = list(bounds)
    except TypeError:
        raise TypeError(_bounds_message(bounds, "all columns")) from None
    if len(given) != len(names):
        raise ValueError(f"bounds: got {len(given)} pairs, X has {len(names)} columns")
    return [_interval(pair, f"column {name!r}") for pair, name in zip(given, names, strict=True)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list, np.ndarray))


def _bounds_message(got: Any, where: str) -> str:
    return f"bounds: got {got!r} for {where}; give (lower, upper) with lower <= 0 <= upper, None for no bound"


def _interval(pair: Any, where: str) -> list[float | None]:
    if not _is_pair(pair) or len(pair) != 2:
        raise TypeError(_bounds_message(pair, where))
    ends: list[float | None] = []
    for end, free in zip(pair, (-math.inf, math.inf), strict=True):
        if end is not None and (isinstance(end, (bool, str)) or not isinstance(end, Real)):
            raise TypeError(_bounds_message(pair, where))
        number = free if end is None else float(end)
        if math.isnan(number) or number * math.copysign(1.0, free) < 0:
            raise ValueError(_bounds_message(pair, where))
        ends.append(None if number == free else number)
    return ends
