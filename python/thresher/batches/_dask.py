"""The workers of a Dask cluster.

Tasks go to Dask's client directly: joblib's backend waits for ever for a task whose worker was killed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError
from typing import Any, NamedTuple

from dask.sizeof import sizeof
from distributed import as_completed
from distributed.protocol.pickle import dumps

from ._fit_task import Outcome, fit_task
from ._tasks import Feed, Task
from ._workers import worker_ended

_AHEAD = 2  # chunks for each thread of a worker, as joblib's pre_dispatch
_CHUNK_SECONDS = 0.2  # the least duration of a chunk, as in joblib's backend; a task takes Dask milliseconds
_SECONDS_A_LOOK = 2  # between looks whether Dask gave up other tasks while a lost result is computed again
_LARGE = (
    1_000_000  # the most bytes of data in a chunk, which go through the scheduler, as joblib's max_nbytes
)


class _Packed:
    """Data in which Dask looks for no futures."""

    def __init__(self, content: Any) -> None:
        self.content = content


class _Results(NamedTuple):
    """The outcomes of a chunk."""

    outcomes: list[Outcome]
    seconds: float


def _fit_chunk(estimator: _Packed, tasks: list[tuple[Any, _Packed]]) -> _Results:
    """Fit the tasks of a chunk on a worker."""
    started, outcomes = time.monotonic(), []
    for data, packed in tasks:
        task: Task = packed.content
        X = data.content if isinstance(data, _Packed) else data
        outcomes.append(fit_task(estimator.content, task._replace(X=X), caller=0))
    return _Results(outcomes, time.monotonic() - started)


def _neighbours(tasks: list[Task]) -> Iterator[list[Task]]:
    """Yield, for each task, those beside it."""
    for k in range(len(tasks)):
        yield [*tasks[max(0, k - 1) : k], *tasks[k + 1 : k + 2]]


class DaskWorkers:
    """The workers of a client of Dask.

    Parameters
    ----------
    backend : joblib backend
        The backend with the client.

    Raises
    ------
    RuntimeError
        If the client is closed.
    """

    def __init__(self, backend: Any) -> None:
        self._client = backend.client
        if self._client.status in ("closing", "closed"):
            raise RuntimeError(
                "the client of Dask is closed; connect another one, such as Client(address), and enter "
                "parallel_config('dask', client=...) with it"
            )
        backend.effective_n_jobs(-1)  # waits for the first worker

    def run(self, estimator: Any, feed: Feed) -> Generator[Outcome, None, None]:
        """Fit all tasks.

        Parameters
        ----------
        estimator : estimator
            The parameters.
        feed : Feed
            The tasks.

        Yields
        ------
        Outcome
            As chunks end.

        Raises
        ------
        RuntimeError
            If Dask gave a task up because workers ended, or if the client was closed.
        """
        chunks = _Chunks(self._client, estimator, feed)
        ended = as_completed([], loop=self._client.loop)
        try:
            while True:
                while len(chunks.labels) < _AHEAD * self._n_threads() and (future := chunks.submit()):
                    ended.add(future)
                if not chunks.labels:
                    return
                future = next(ended)
                yield from chunks.results(future)
        except Exception as error:
            if self._client.status == "running":
                raise
            raise RuntimeError(
                "the client of Dask was closed during the batch; connect another one. With checkpoint=folder "
                "a second call goes on from the tasks that were finished"
            ) from error
        finally:
            if self._client.status == "running":
                self._client.cancel(list(chunks.labels))

    def _n_threads(self) -> int:
        """Count the threads of all workers, some of which may have joined or left."""
        n_threads: int = sum(self._client.ncores().values())
        return max(1, n_threads)


class _Chunks:
    """The tasks that a client works on."""

    def __init__(self, client: Any, estimator: Any, feed: Feed) -> None:
        self._client = client
        self._estimator = _Packed(estimator)
        self._feed = feed
        self._waiting: deque[Task] = deque()  # the tasks of the next chunk, and one more
        self._size = 1
        self._latest: tuple[Any, Any] = (None, None)
        self.labels: dict[Any, list[str]] = {}

    def submit(self) -> Any:
        """Send the next tasks; return their future, or None if there are none left."""
        while len(self._waiting) <= self._size and (task := next(self._feed, None)) is not None:
            self._waiting.append(task)
        if not self._waiting:
            return None
        try:
            return self._send(list(self._waiting))
        except Exception:  # Dask does not say which of the tasks it cannot pickle
            refused = [task.not_sent(dumps) for task in self._waiting]
            if not any(refused):
                raise
            pairs = zip(refused, self._waiting, strict=True)
            self._waiting = deque(other or task for other, task in pairs)
            return self._send(list(self._waiting))

    def _send(self, tasks: list[Task]) -> Any:
        """Send as many of some tasks as make a chunk; return their future."""
        sent, n_bytes = [], 0
        for task, others in zip(tasks[: self._size], _neighbours(tasks), strict=False):
            data = self._data(task.X, is_shared=any(other.X is task.X for other in others))
            sent.append((data, _Packed(task._replace(X=None))))
            n_bytes += sizeof(task.X) if isinstance(data, _Packed) else 0
            if n_bytes >= _LARGE:
                break
        future = self._client.submit(_fit_chunk, self._estimator, sent, pure=False)
        self.labels[future] = [self._waiting.popleft().label for _ in sent]
        return future

    def _data(self, X: Any, *, is_shared: bool) -> Any:
        """Return what stands for `X` in a task: a future where it is large or goes to several tasks."""
        latest, future = self._latest
        if future is not None and X is latest:
            return future
        if not is_shared and sizeof(X) < _LARGE:
            return _Packed(X)
        [future] = self._client.scatter([X], hash=False)
        self._latest = (X, future)
        return future

    def results(self, future: Any) -> Iterator[Outcome]:
        """Yield the outcomes of a chunk that ended."""
        labels = self.labels.pop(future)
        try:
            found = self._result(future)
        except CancelledError as error:
            raise worker_ended(labels, error) from error
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                error.add_note(f"on the worker that got {', '.join(labels)}")
                raise
            given_up = [self.labels[other] for other in self._given_up()]
            raise worker_ended(sum(given_up, labels), error) from error
        self._size = max(1, int(_CHUNK_SECONDS * len(labels) / max(found.seconds, 1e-3)))
        yield from found.outcomes

    def _result(self, future: Any) -> _Results:
        """Wait for what a chunk found, which Dask computes again where the worker that held it was lost."""
        while True:
            try:
                found: _Results = future.result(timeout=_SECONDS_A_LOOK)
                return found
            except TimeoutError:
                if future.status == "error":  # it is the chunk's own
                    raise
                for other in self._given_up():
                    other.result()

    def _given_up(self) -> list[Any]:
        """Return the chunks that Dask gave up: everything that a worker had, also what had not begun."""
        return [other for other in self.labels if other.status == "error"]
