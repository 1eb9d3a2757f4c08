"""The searches of one fit on the workers of a Dask cluster.

The core cuts a search into parts and puts the answers together; here they go to Dask and come back. The space
of the candidates, in codes of a byte or two, is sent to each worker once, and for each search its residuals.
Dask runs the parts of a worker that ended on another one. Data that were on that worker alone are sent again.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from . import threads
from ._native import SearchJob, SearchQuery, SearchSpace

_Method = TypeVar("_Method", bound=Callable[..., Any])

_POLL = 0.05  # seconds after which the limits of the fit are looked at, as in the core


def searches_on(client: Any) -> DaskSearches | None:
    """Return what hands searches out to the workers of a client.

    Parameters
    ----------
    client : dask.distributed.Client or None
        The client.

    Returns
    -------
    DaskSearches or None
        None where there is no client, and within a task of Dask: a task that waits for others would take
        their place.

    Raises
    ------
    TypeError
        If `client` is something else.
    ValueError
        If it is asynchronous or closed.

    Examples
    --------
    >>> searches_on(None) is None
    True
    """
    if client is None:
        return None
    distributed: Any = sys.modules.get("distributed")
    if distributed is None or not isinstance(client, distributed.Client):
        raise TypeError(f"client: got {client!r}; give a dask.distributed.Client, or None")
    if threads.dask_threads() is not None:
        return None
    if client.asynchronous:
        raise ValueError("client: it is asynchronous, but a fit waits for answers; give Client(address)")
    if client.status != "running":
        raise ValueError(f"client: it is {client.status}; give one that is connected")
    return DaskSearches(client)


def without_client(method: _Method) -> _Method:
    """Let a method that has no parameter `client` say which have one.

    Parameters
    ----------
    method : callable
        A fit.

    Returns
    -------
    callable
        The method; given `client`, it raises a TypeError.
    """

    @functools.wraps(method)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "client" in kwargs:
            raise TypeError(
                f"client: {type(self).__name__} has no searches that workers could share; RuleRegressor, "
                "ItemsetRegressor, SequenceRegressor, GraphRegressor and their classifiers have. Many fits "
                "share a cluster with fit_many"
            )
        return method(self, *args, **kwargs)

    return cast("_Method", checked)


def search_part(
    first: int, last: int, space: SearchSpace, query: SearchQuery, seconds: float | None
) -> bytes:
    """Search some subtrees of a space; a task of Dask.

    Parameters
    ----------
    first, last : int
        The subtrees from `first` to ``last - 1``.
    space : SearchSpace
        The space.
    query : SearchQuery
        What is searched for.
    seconds : float or None
        The time limit.

    Returns
    -------
    bytes
        The answer, for :meth:`DaskSearches.search`.
    """
    return space.search(query, first, last, seconds)


class _LostError(Exception):
    """Data or tasks were on a worker that ended."""


class _UselessError(Exception):
    """The fit was over before a worker had its data."""


class DaskSearches:
    """Hands the searches of a fit out to the workers of a client.

    Parameters
    ----------
    client : dask.distributed.Client
        The client.

    Attributes
    ----------
    patience : float
        Seconds for which the core tries a search in this process first; what it finished counts. Dask takes
        0.02 to 0.05 to hand one out and to collect the answers. With 0.05 a fit of 1 CPU second took 1.3
        times as long on two processes as on two threads, with 0.15 it takes 1.04 times.
    """

    patience = 0.15

    def __init__(self, client: Any) -> None:
        self._client = client
        self._spaces: dict[int, Any] = {}
        self._lock = Lock()  # outputs and folds are searched at the same time

    def n_threads(self) -> int:
        """Count the threads of all workers, some of which may have joined or left.

        Returns
        -------
        int
            Their number at present.
        """
        with self._open():
            return sum(self._client.ncores().values())

    @contextmanager
    def _open(self) -> Iterator[None]:
        """Name the cause of whatever a client that was closed raises."""
        try:
            yield
        except Exception as error:
            if self._client.status == "running":
                raise
            raise RuntimeError(f"client: it is {self._client.status}, and the fit cannot go on") from error

    def search(self, job: SearchJob) -> None:
        """Have the parts of a search answered.

        Parameters
        ----------
        job : SearchJob
            The search, which takes the answers. Those that are missing after its time is over, or after the
            fit was interrupted, are of no use.

        Raises
        ------
        RuntimeError
            If workers ended more often than Dask allows, or if the client was closed.
        TimeoutError
            If there are no workers.
        """
        with self._open(), suppress(_UselessError):
            self._search(job)

    def _search(self, job: SearchJob) -> None:
        """Have all parts answered, also where workers end."""
        from dask import config

        waiting = dict(enumerate(job.parts))
        for _ in range(1 + int(config.get("distributed.scheduler.allowed-failures"))):
            try:
                return self._have_answered(job, waiting)
            except _LostError as error:
                lost = error
        raise _worker_ended(lost) from lost

    def _have_answered(self, job: SearchJob, waiting: dict[int, tuple[int, int]]) -> None:
        """Send what the workers lack, and take the answers until there are all or they are of no use."""
        if not self._have_workers(job):
            return
        space, query = self._space(job), self._sent(job.query(), job)
        ended: SimpleQueue[Any] = SimpleQueue()
        first, last = zip(*waiting.values(), strict=True)
        own = {"space": space, "query": query, "seconds": job.seconds}
        parts = dict(zip(self._client.map(search_part, first, last, pure=False, **own), waiting, strict=True))
        for future in parts:
            future.add_done_callback(ended.put)
        try:
            while waiting and job.goes_on():
                for future, answer in self._answers(ended, len(waiting)):
                    job.take(parts[future], answer)
                    del waiting[parts[future]]
        finally:
            if self._client.status == "running" and (begun := [f for f in parts if not f.done()]):
                self._client.cancel(begun)

    def _have_workers(self, job: SearchJob) -> bool:
        """Wait for a worker; return whether there is one, unless the search is of no use before."""
        from dask import config
        from dask.utils import parse_timedelta

        end = time.monotonic() + parse_timedelta(config.get("distributed.comm.timeouts.connect"))
        while not self._client.ncores():
            if not job.goes_on():
                return False
            if time.monotonic() > end:
                raise TimeoutError("client: the cluster has no worker; start some")
            time.sleep(_POLL)
        return True

    def _space(self, job: SearchJob) -> Any:
        """Return the future of the space of a search, which is sent if no worker has it."""
        with self._lock:
            future = self._spaces.get(job.scope)
            if future is None or future.status != "finished":
                future = self._spaces[job.scope] = self._sent(job.space(), job)
            return future

    def _sent(self, data: Any, job: SearchJob) -> Any:
        """Send data to one worker, from which the others take them.

        Where a worker ends meanwhile, Dask may wait for ever to send them to all; it waits for one that hangs
        as well, beyond the time of the fit.
        """
        sending: Future[Any] = Future()

        def send() -> None:
            try:
                sending.set_result(self._client.scatter([data], hash=False)[0])
            except BaseException as error:
                sending.set_exception(error)

        Thread(target=send, daemon=True).start()
        while not wait([sending], _POLL).done:
            if not job.goes_on():
                raise _UselessError
        try:
            return sending.result()
        except (OSError, TimeoutError, KeyError) as error:  # a worker ended that was to have them
            raise _LostError(str(error)) from error

    def _answers(self, ended: SimpleQueue[Any], count: int) -> list[tuple[Any, bytes]]:
        """Wait a moment for tasks that end, at most `count`; fetch their answers together."""
        end = time.monotonic() + _POLL
        futures: list[Any] = []
        with suppress(Empty):
            while len(futures) < count:
                futures.append(ended.get(timeout=max(0.0, end - time.monotonic())))
        if not futures:
            if self._client.status != "running":
                raise CancelledError
            return []
        for future in futures:
            if self._client.status != "running":
                raise CancelledError
            if future.status == "error":
                error = future.exception()
                raise _worker_ended(error) if type(error).__name__ == "KilledWorker" else error
            if future.status != "finished":
                raise _LostError(f"{future.key} is {future.status}")
        try:
            return list(zip(futures, self._client.gather(futures), strict=True))
        except CancelledError as error:
            raise _LostError(str(error)) from error


def _worker_ended(error: BaseException) -> RuntimeError:
    said = " ".join(str(error).split())[:200]
    return RuntimeError(
        f"client: a worker ended during a search ({type(error).__name__.lstrip('_')}: {said}); it may need "
        "more memory. With checkpoint=folder a second call goes on from the searches that were finished"
    )
