"""Durations as text: ``30min``, ``1.5 h``."""

from __future__ import annotations

import datetime as dt
import re

_UNITS = {
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "min": 60.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "day": 86400.0,
    "days": 86400.0,
    "w": 604800.0,
}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")


def read_duration(text: str, name: str) -> dt.timedelta:
    """Parse a duration.

    Parameters
    ----------
    text : str
        A number and a unit: ms, s, min, h, d or w.
    name : str
        The name of the value, for messages.

    Returns
    -------
    datetime.timedelta
        The duration.

    Raises
    ------
    ValueError
        If it is no duration.

    Examples
    --------
    >>> read_duration("30min", "session_gap").total_seconds()
    1800.0
    """
    found = _DURATION.fullmatch(text)
    if found is not None and found[2][0] == "M" and found[2].lower() in ("m", "ms"):
        raise ValueError(
            f"{name}: got {text!r}, which may mean months; write minutes as {found[1]}min, milliseconds as "
            f"{found[1]}ms, months as a number of days ({name} of 30d)"
        )
    if found is None or found[2].lower() not in _UNITS:
        raise ValueError(f"{name}: got {text!r}; give a number and a unit: 45s, 30min, 2h, 1d")
    return dt.timedelta(seconds=float(found[1]) * _UNITS[found[2].lower()])
