"""The workers of a batch: joblib's active backend, which is threads of this process where none was chosen."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from threading import Event
from typing import Any, Protocol

from joblib import Parallel, delayed
from joblib.externals.loky.backend.reduction import dumps
from joblib.parallel import get_active_backend

from .. import threads
from ._fit_task import Outcome, fit_task
from ._shared import Shared, sent
from ._tasks import Feed, Task

_AHEAD = 2  # tasks in waiting for each worker, as joblib's pre_dispatch


class Workers(Protocol):
    """Something that fits tasks."""

    def run(self, estimator: Any, feed: Feed) -> Generator[Outcome, None, None]:
        """Fit all tasks; returns a generator of an :class:`Outcome` for each, as they end."""


def active_workers(n_jobs: int | None, threads_of_a_fit: int | None) -> Workers:
    """Return the workers of joblib's active backend.

    Parameters
    ----------
    n_jobs : int or None
        All threads of this process, or the number of other processes; None: what joblib is configured to, or
        all cores.
    threads_of_a_fit : int or None
        The parameter `n_jobs` of the estimator.

    Returns
    -------
    Workers
        The workers.

    Raises
    ------
    TypeError, ValueError
        If `n_jobs` is not a number of threads.
    """
    threads.resolve(n_jobs)
    backend, _ = get_active_backend(prefer="threads")
    if n_jobs is None:
        n_jobs = get_active_backend()[1]  # without the preference, which replaces the number
    if type(backend).__name__ == "DaskDistributedBackend":
        if threads.dask_threads() is not None:  # a task of Dask that waits for others would take their place
            return JoblibWorkers(backend, 1, threads.resolve(n_jobs))
        from ._dask import DaskWorkers

        return DaskWorkers(backend)
    if getattr(backend, "uses_threads", False):
        total = threads.resolve(n_jobs)
        own = 1 if threads_of_a_fit is None else threads.resolve(threads_of_a_fit)
        return JoblibWorkers(backend, max(1, total // own), total)
    share = getattr(backend, "inner_max_num_threads", None)
    n_workers = backend.effective_n_jobs(-1 if n_jobs is None else n_jobs)
    return JoblibWorkers(backend, n_workers, n_workers * share if share else threads.resolve(None))


class JoblibWorkers:
    """Workers that joblib starts on this machine, or that a backend registered with joblib has.

    Parameters
    ----------
    backend : joblib backend
        The backend.
    n_workers : int
        The number of workers.
    n_threads : int
        The number of threads of all workers.
    """

    def __init__(self, backend: Any, n_workers: int, n_threads: int) -> None:
        self._backend = backend
        self._n_workers = n_workers
        self._n_threads = n_threads

    def run(self, estimator: Any, feed: Feed) -> Generator[Outcome, None, None]:
        """Fit all tasks.

        Parameters
        ----------
        estimator : estimator
            The parameters.
        feed : Feed
            The tasks.

        Returns
        -------
        generator of Outcome
            As they end.
        """
        first = list(islice(feed, self._n_workers))
        n_workers = len(first)
        tasks: Iterator[Task] = chain(first, feed)
        if n_workers <= 1:
            return (fit_task(estimator, task, os.getpid(), self._n_threads) for task in tasks)
        cancelled = None
        if getattr(self._backend, "uses_threads", False):
            cancelled = Event()
        else:
            tasks = _shared(tasks)
        share = max(1, self._n_threads // n_workers)
        calls = (delayed(fit_task)(estimator, task, os.getpid(), share, cancelled) for task in tasks)
        if not self._backend.supports_return_generator:
            return _rounds(Parallel(n_workers, prefer="threads"), calls, n_workers)
        parallel = Parallel(n_workers, prefer="threads", return_as="generator_unordered")
        return _outcomes(parallel, calls, feed, cancelled)


def _outcomes(
    parallel: Any, calls: Iterator[Any], feed: Feed, cancelled: Event | None
) -> Generator[Outcome, None, None]:
    """Yield results as they end; where that ends early, cancel the fits in threads."""
    try:
        yield from parallel(calls)
    except BrokenProcessPool as error:
        raise worker_ended(feed.running, error) from error
    finally:
        if cancelled is not None:
            cancelled.set()


def _rounds(parallel: Any, calls: Iterator[Any], n_workers: int) -> Generator[Outcome, None, None]:
    """Yield results of backends that return them all together."""
    while batch := list(islice(calls, _AHEAD * n_workers)):
        yield from parallel(batch)


def _shared(tasks: Iterator[Task]) -> Iterator[Task]:
    """Replace data that are no arrays, which joblib shares by itself, by what workers read once."""
    latest: Any = None
    shared: Any = None
    for task in tasks:
        if task.X is not latest:
            latest, shared = task.X, sent(task.X, "X", Shared)
        yield task._replace(X=None).not_sent(dumps) or task._replace(X=shared)


def worker_ended(labels: list[str], error: BaseException) -> RuntimeError:
    """Create the error for a worker that ended during a fit.

    Parameters
    ----------
    labels : list of str
        The tasks, one of which the worker had.
    error : BaseException
        What the backend says.

    Returns
    -------
    RuntimeError
        The error to raise.
    """
    named = labels[0] if len(labels) == 1 else f"one of {', '.join(labels)}"
    said = " ".join(str(error).split())[:200]
    return RuntimeError(
        f"{named}: a worker ended during the fit ({type(error).__name__}: {said}); it may need more memory. "
        "With checkpoint=folder a second call goes on from what was finished"
    )
