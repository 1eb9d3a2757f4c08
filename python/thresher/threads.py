"""The number of threads of a fit."""

from __future__ import annotations

import os
from numbers import Integral

from joblib.parallel import get_active_backend

_MOST = 64  # threads on a machine of fewer cores: more gain nothing, and thousands may not start


def available_cores() -> int:
    """Count the cores this process may use.

    Returns
    -------
    int
        The size of the process's affinity mask where the system has one, else the
        number of cores.

    Examples
    --------
    >>> available_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number (True and False are not).

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    bool
        True for Python's and NumPy's integers.

    Examples
    --------
    >>> is_whole(3), is_whole(True)
    (True, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def _default() -> int:
    cores = available_cores()
    configured = os.environ.get("OMP_NUM_THREADS", "")
    if configured.isdigit() and int(configured) > 0:
        cores = min(cores, int(configured))
    backend = get_active_backend()[0]
    nested = getattr(backend, "nesting_level", 0) or 0
    return 1 if nested > 0 and not configured else cores


def resolve(n_jobs: int | None) -> int:
    """Convert the parameter ``n_jobs`` to a number of threads.

    Parameters
    ----------
    n_jobs : int or None
        None: all cores this process may use, at most ``OMP_NUM_THREADS`` where that
        is set, and one thread inside a joblib worker without such a limit. -1: all
        cores, -2: all but one, and so on.

    Returns
    -------
    int
        At least 1, at most 64 or the number of cores.

    Raises
    ------
    TypeError
        If `n_jobs` is not a whole number.
    ValueError
        If `n_jobs` is 0.

    Examples
    --------
    >>> resolve(3)
    3
    >>> resolve(10**9) == max(64, available_cores())
    True
    """
    if n_jobs is None:
        return _default()
    if not is_whole(n_jobs):
        raise TypeError(f"n_jobs: got {n_jobs!r}; give a whole number, or None for all cores")
    if n_jobs == 0:
        raise ValueError("n_jobs: got 0; give 1 or more threads, -1 for all cores, or None")
    if n_jobs < 0:
        return max(1, available_cores() + 1 + int(n_jobs))
    return min(int(n_jobs), max(_MOST, available_cores()))
