"""Times of events: dates of any data frame, numbers, dates as text."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from .columns import is_missing, object_array
from .dates import read_date
from .durations import read_duration
from .numbers_in_text import is_number

_NUMBERS = (int, float, np.integer, np.floating)
_FINER = re.compile(r"[.,]\d{6}(\d{1,3})")


def column_values(column: Any, *, in_utc: bool = True) -> NDArray[Any]:
    """Return the cells of a column.

    Parameters
    ----------
    column : Series of pandas, polars or pyarrow, array or list
        The column.
    in_utc : bool, default=True
        Whether dates of a column with a time zone are in UTC, so that their order is that of time, or in
        local time, as the column shows them.

    Returns
    -------
    ndarray of shape (n_rows,)
        Dates without a time zone, whole numbers, or objects.
    """
    series: Any = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iufM":
            return column
        return object_array(list(column))
    if isinstance(series.dtype, nw.Datetime):
        if series.dtype.time_zone is not None:
            series = series.dt.convert_time_zone("UTC") if in_utc else series
            series = series.dt.replace_time_zone(None)
        return np.asarray(series.to_numpy(), dtype=f"datetime64[{series.dtype.time_unit}]")
    if series.dtype == nw.Date:
        return np.asarray(series.to_list(), dtype="datetime64[D]")
    if series.dtype.is_integer() and not series.null_count():
        return np.asarray(series.to_numpy())
    return object_array(series.to_list())


def times_of(column: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert a column to times that can be sorted.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        As from :func:`column_values`.
    name : str
        Its name, for messages.

    Returns
    -------
    ndarray of shape (n_rows,)
        Dates (in microseconds, or nanoseconds where some are finer) or numbers.

    Raises
    ------
    ValueError
        If one is missing or infinite, or a text is no date; the message names the row.
    TypeError
        If a cell is neither a date nor a number.

    Examples
    --------
    >>> times_of(column_values(["2026-03-01", "2026-03-01T09:30:00"]), "at").astype(str).tolist()
    ['2026-03-01T00:00:00.000000', '2026-03-01T09:30:00.000000']
    """
    invalid = np.zeros(column.size, dtype=bool)
    times = column
    if column.dtype.kind == "O":
        invalid = np.asarray([is_missing(value) for value in column.tolist()], dtype=bool)
        times = column if invalid.any() else _converted(column.tolist(), name)
    if times.dtype.kind == "M":
        invalid = np.isnat(times)
    elif times.dtype.kind == "f":
        invalid = ~np.isfinite(times)
    if invalid.any():
        row = int(invalid.argmax())
        if times.dtype.kind == "f" and np.isinf(times[row]):
            raise ValueError(f"the column {name!r} has an infinite time in row {row}; leave out such rows")
        raise ValueError(f"the column {name!r} has no time in row {row}; fill it in, or drop such rows")
    return times


def _converted(values: list[Any], name: str) -> NDArray[Any]:
    """Convert objects: numbers, dates, or dates as text."""
    kinds = set(map(type, values))
    if kinds and all(issubclass(kind, _NUMBERS) and not issubclass(kind, bool) for kind in kinds):
        return np.asarray(values)
    if kinds == {np.datetime64}:
        return np.asarray(values)
    dates = [_date(value, name, row) for row, value in enumerate(values)]
    aware = {date.tzinfo is not None for date in dates}
    if len(aware) > 1:
        raise ValueError(
            f"the column {name!r} holds times with and without a time zone; give all of them one"
        )
    if aware == {True}:
        dates = [date.astimezone(dt.UTC).replace(tzinfo=None) for date in dates]
    times, rest = np.asarray(dates, dtype="datetime64[us]"), [_nanoseconds(value) for value in values]
    return _with_nanoseconds(times, rest, name) if any(rest) else times


def _date(value: Any, name: str, row: int) -> dt.datetime:
    found = value
    if isinstance(value, np.datetime64):
        found = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        found = read_date(value)
        if found is None and is_number(value):
            raise ValueError(
                f"the column {name!r} holds the number {value!r} as text in row {row}; convert the "
                "column to numbers (pandas.to_numeric), or to dates (pandas.to_datetime(..., unit='s'))"
            )
        if found is None:
            raise ValueError(
                f"the column {name!r} holds {value!r} in row {row}, which is no date such as 2026-12-31 or "
                "31.12.2026; convert the column, for example with pandas.to_datetime"
            )
    if isinstance(found, dt.datetime):
        return found
    if isinstance(found, dt.date):
        return dt.datetime.combine(found, dt.time())
    raise TypeError(
        f"the column {name!r} holds {value!r} in row {row}; times are all numbers, or all dates "
        "or text such as 2026-12-31T09:30"
    )


def _nanoseconds(value: Any) -> int:
    """Return the part of a time below a microsecond, in whole nanoseconds."""
    if isinstance(value, str):
        digits = _FINER.search(value)
        return int(digits[1].ljust(3, "0")) if digits else 0
    if isinstance(value, np.datetime64):
        return int((value - value.astype("datetime64[us]")) / np.timedelta64(1, "ns"))
    return int(getattr(value, "nanosecond", 0))


def _with_nanoseconds(times: NDArray[Any], rest: list[int], name: str) -> NDArray[Any]:
    """Add nanoseconds to times in microseconds."""
    exact: NDArray[Any] = times.astype("datetime64[ns]")
    if (exact.astype("datetime64[us]") != times).any():
        raise ValueError(
            f"the column {name!r} holds times finer than a microsecond, and others before 1678 or after "
            "2261, which do not go together; drop one of the two"
        )
    exact += np.asarray(rest, dtype="timedelta64[ns]")
    return exact


def session_gap_of(gap: Any, times: NDArray[Any], name: str) -> Any:
    """Return the longest pause within a session, in the unit of the times.

    Parameters
    ----------
    gap : timedelta, str or number
        The pause: a duration for dates, a number for numbers.
    times : ndarray of shape (n_rows,)
        As from :func:`times_of`.
    name : str
        The name of their column, for messages.

    Returns
    -------
    timedelta64 or number
        The pause.

    Raises
    ------
    TypeError
        If it does not fit the times.
    ValueError
        If it is negative or missing.
    """
    is_date = times.dtype.kind == "M"
    hint = "a timedelta, or a text such as '30min'" if is_date else "a number in the unit of the times"
    read = read_duration(gap, "session_gap") if isinstance(gap, str) else gap
    if isinstance(read, bool) or isinstance(read, (dt.timedelta, np.timedelta64)) != is_date:
        kind = "dates" if is_date else "numbers"
        raise TypeError(f"session_gap: got {gap!r}, and the column {name!r} holds {kind}; give {hint}")
    if is_date:
        read = read.to_timedelta64() if hasattr(read, "to_timedelta64") else np.timedelta64(read)
        is_valid = not np.isnat(read) and read >= np.timedelta64(0)
    else:
        is_valid = isinstance(read, (int, float, np.number)) and not math.isnan(float(read)) and read >= 0
    if not is_valid:
        raise ValueError(f"session_gap: got {gap!r}; give {hint}, not negative")
    return read
