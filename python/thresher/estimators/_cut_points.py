"""The parameter `bins`: candidate cut points of numeric columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ..data.coded_tables import CodedTable
from ..data.columns import column_position
from ..data.inputs import Table
from ..validation import Parameter, check, integer, number, words
from ._rounded_values import above_rounded, with_moved

_MOST_BINS = 65_000  # the core's codes have 16 bits
_HINT = (
    f"a number of quantile bins from 2 to {_MOST_BINS}, ('uniform', n), ('intervals', delta), a dict of "
    "column: cut points, one array of cut points for each column (None for a categorical one), or None for "
    "all between two values"
)


def bins_parameter(note: str, *chosen: str, others: str = "12 quantile bins") -> Parameter:
    """Declare the parameter `bins`.

    Parameters
    ----------
    note : str
        What its default means.
    *chosen : str
        Words for cut points that depend on the target.
    others : str, default="12 quantile bins"
        What the columns have that a dict or a list leaves out.

    Returns
    -------
    Parameter
        The declaration.
    """
    quoted = [f"{word!r}, " for word in chosen]
    shown = "".join(f'"{word}", ' for word in chosen)
    return Parameter(
        ((words(*chosen),) if chosen else ()) + (integer(2, _MOST_BINS), tuple, list, np.ndarray, dict, None),
        f"""Candidate cut points of the numeric columns. {note} A number: that many quantile bins;
        ("uniform", n): n bins of equal width; ("intervals", delta): in gaps wider than delta times the
        range; a dict: the cut points of the columns that it names; a list: those of each column (None for a
        categorical one); None: in every gap. Other columns of a dict or a list have {others}. In a gap
        between two values the cut point is the number of fewest digits.""",
        f'{shown}int, ("uniform", n), ("intervals", delta), dict of column: array, list of arrays or None',
        "".join(quoted) + _HINT,
    )


def bins_of(value: Any, inputs: Table | CodedTable) -> dict[str, Any]:
    """Return the binning of the columns of training rows as the core expects it.

    Parameters
    ----------
    value : str, int, tuple, dict of column: array, list of arrays or None
        The value of `bins`.
    inputs : Table or CodedTable
        The rows.

    Returns
    -------
    dict
        The kind of cut points, and their number or positions.

    Raises
    ------
    TypeError, ValueError
        If it does not match the columns.
    """
    binning = binning_of(value, inputs.names)
    if "cuts" in binning:
        pairs = zip(binning["cuts"], inputs.columns, strict=True)
        binning["cuts"] = [
            own if own is None or isinstance(column, tuple) else above_rounded(own, column)
            for own, column in pairs
        ]
    return binning


def bins_to_separate(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the binning of columns that were not read, with all cut points that given ones may become.

    Parameters
    ----------
    value : str, int, tuple, dict of column: array, list of arrays or None
        The value of `bins`.
    names : list of str
        The columns' names.

    Returns
    -------
    dict
        The kind of cut points, and their number or positions.
    """
    binning = binning_of(value, names)
    if "cuts" in binning:
        binning["cuts"] = [own and with_moved(own) for own in binning["cuts"]]
    return binning


def binning_of(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return a binning of numeric columns, with the cut points as they are given.

    Parameters
    ----------
    value : str, int, tuple, dict of column: array, list of arrays or None
        The value of `bins`.
    names : list of str
        The columns' names.

    Returns
    -------
    dict
        The kind of cut points, and their number or positions.

    Raises
    ------
    TypeError, ValueError
        If it does not match the columns.
    """
    if value is None:
        return {"kind": "midpoints"}
    if isinstance(value, str):
        return {"kind": value}
    if isinstance(value, Integral):
        return {"kind": "quantiles", "n": int(value)}
    if isinstance(value, Mapping):
        return {"kind": "given", "cuts": _cuts_by_column(value, names)}
    if not len(value) or not isinstance(value[0], str):
        return {"kind": "given", "cuts": given_cuts(value, names)}
    if len(value) != 2 or value[0] not in ("uniform", "intervals"):
        check("bins", value, hint=_HINT)
    kind, size = value
    if kind == "uniform":
        check("bins ('uniform', n)", size, integer(2, _MOST_BINS))
        return {"kind": kind, "n": int(size)}
    check("bins ('intervals', delta)", size, number(0, closed="left"))
    return {"kind": kind, "delta": float(size)}


def given_cuts(value: Any, names: Sequence[str]) -> list[list[float] | None]:
    """Check the cut points of each column.

    Parameters
    ----------
    value : sequence of (array-like or None)
        The cut points; None for a categorical column.
    names : list of str
        The columns' names.

    Returns
    -------
    list of (list of float or None)
        One for each column.

    Raises
    ------
    TypeError, ValueError
        If they are not finite increasing numbers, or not one list for each column.
    """
    if len(value) != len(names):
        raise ValueError(
            f"bins: got cuts for {len(value)} columns, X has {len(names)}; use None for a categorical one"
        )
    return [_cuts_of(f"bins: the cuts of column '{n}'", c) for n, c in zip(names, value, strict=True)]


def _cuts_by_column(value: Mapping[Any, Any], names: Sequence[str]) -> list[list[float] | None]:
    """Check the cut points of the columns that a dict names; the others have None."""
    if not value:
        raise ValueError(f"bins: got an empty dict; give {_HINT}")
    found: dict[int, list[float] | None] = {}
    for key, given in value.items():
        place = column_position(key, names, "bins")
        if place in found:
            raise ValueError(f"bins: column {names[place]!r} is given twice")
        if isinstance(given, (str, Integral)):
            raise TypeError(
                f"bins: got {given!r} for column {names[place]!r}; a dict has cut points, such as [18, 40]. "
                "A number of bins is for all columns"
            )
        found[place] = _cuts_of(f"bins: the cuts of column '{names[place]}'", given)
    return [found.get(place) for place in range(len(names))]


def _cuts_of(subject: str, given: Any) -> list[float] | None:
    if given is None:
        return None
    if isinstance(given, (list, tuple)) and any(cut is None for cut in given):
        raise TypeError(f"{subject} hold None: {given!r}; the two ends need no cut point, leave None out")
    try:
        cuts = np.asarray(given, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise TypeError(f"{subject} are no numbers: {given!r}") from None
    if not np.isfinite(cuts).all():
        raise ValueError(f"{subject} must be finite; got {cuts.tolist()}")
    falling = np.flatnonzero(np.diff(cuts) <= 0)
    if falling.size:
        at = int(falling[0])
        raise ValueError(f"{subject} must be sorted and differ; got {cuts[at]:g} before {cuts[at + 1]:g}")
    return [float(cut) for cut in cuts]
