"""Arguments of monitorings: thresholds, periods, weights."""

from __future__ import annotations

import math
from typing import Any

from ..fit_warnings import warn
from ._periods import as_list
from .dates import LENGTHS, periods_of_dates


def checked_thresholds(thresholds: Any) -> tuple[float, float]:
    """Return the indices from which a shift is moderate and large.

    Parameters
    ----------
    thresholds : object
        What the caller gave.

    Returns
    -------
    (float, float)
        Both, ascending.

    Raises
    ------
    ValueError
        If it is something else.
    """
    try:
        low, high = map(float, thresholds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not 0 < low <= high < math.inf:
        raise ValueError(
            f"thresholds: got {thresholds!r}; give two numbers > 0, such as (0.1, 0.25), in ascending order"
        )
    return low, high


def periods_by(period: Any, by: str | None) -> Any:
    """Return periods, those of dates by their length.

    Parameters
    ----------
    period : array-like or None
        The period or date of each row.
    by : {"week", "month", "quarter", "year"} or None
        The length of a period, if there are dates.

    Returns
    -------
    array-like or None
        The period of each row.

    Raises
    ------
    ValueError
        If `by` is another word, or there are no dates.
    """
    if by is None:
        return period
    if by not in LENGTHS:
        raise ValueError(f"by: got {by!r}; give one of {', '.join(map(repr, LENGTHS))}, or None")
    if period is None:
        raise ValueError(f"by: got {by!r}, which needs dates; give those of the new rows as period")
    return periods_of_dates(as_list(period), by, f"by={by!r}: period")


def warn_of_one_side(given: tuple[Any, Any], weights: tuple[Any, Any]) -> None:
    """Warn of weights of one side alone, unless they only select rows.

    Parameters
    ----------
    given : (array-like or None, array-like or None)
        The weights of the reference and of the new rows as given.
    weights : (ndarray or None, ndarray or None)
        Those of the rows that count.

    Warns
    -----
    UserWarning
        If rows of one side count once each, and those of the other by weights that differ.
    """
    names = ("sample_weight_reference", "sample_weight_new")
    absent = [own is None for own in given]
    known = weights[0] if weights[1] is None else weights[1]
    if sum(absent) == 1 and known is not None and known.size and known.min() < known.max():
        there, lacking = names if absent[1] else names[::-1]
        warn(
            f"{there} is given and {lacking} is not: the rows of one side count by their weights, those of "
            "the other once each, and shares differ for this alone; give both, or none",
            UserWarning,
        )
