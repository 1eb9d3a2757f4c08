"""The number of threads of a fit."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from typing import Any

from joblib.parallel import get_active_backend

_MOST = 64  # threads on a machine of fewer cores: more gain nothing, and thousands may not start
_share: ContextVar[int | None] = ContextVar("share", default=None)


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


@contextmanager
def limited(n_threads: int) -> Iterator[None]:
    """Give fits with ``n_jobs=None`` a number of threads.

    Parameters
    ----------
    n_threads : int
        The share of one of several fits that run at the same time.

    Yields
    ------
    None
        While the share holds, in this thread.

    Examples
    --------
    >>> with limited(3):
    ...     resolve(None)
    3
    """
    token = _share.set(n_threads)
    try:
        yield
    finally:
        _share.reset(token)


def dask_threads() -> int | None:
    """Return the number of tasks that the Dask worker of this thread runs at the same time.

    Returns
    -------
    int or None
        None outside a task of Dask.

    Examples
    --------
    >>> dask_threads() is None
    True
    """
    distributed: Any = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return int(distributed.get_worker().state.nthreads)
    except ValueError:
        return None


def is_alone() -> bool:
    """Return whether no other fit of a batch can run in this process at the same time.

    Returns
    -------
    bool
        True in a process of one thread for tasks.

    Examples
    --------
    >>> is_alone()
    True
    """
    at_once = dask_threads()
    return threading.current_thread() is threading.main_thread() if at_once is None else at_once == 1


def _default() -> int:
    share = _share.get()
    if share is not None:
        return share
    cores = available_cores()
    configured = os.environ.get("OMP_NUM_THREADS", "")
    is_configured = configured.isdigit() and int(configured) > 0
    if is_configured:
        cores = min(cores, int(configured))
    at_once = dask_threads()
    if at_once is not None:
        return max(1, cores // at_once) if is_configured else 1
    backend = get_active_backend()[0]
    is_nested = (getattr(backend, "nesting_level", 0) or 0) > 0
    # The variable is about a process, which has several workers where they are threads.
    return 1 if is_nested and not (is_configured and is_alone()) else cores


def resolve(n_jobs: int | None) -> int:
    """Convert the parameter ``n_jobs`` to a number of threads.

    Parameters
    ----------
    n_jobs : int or None
        None: all cores this process may use, at most ``OMP_NUM_THREADS`` where that is
        set. Inside a worker of joblib or Dask the share of one task of that number, or
        one thread where it is not set. -1: all cores, -2: all but one, and so on.

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
