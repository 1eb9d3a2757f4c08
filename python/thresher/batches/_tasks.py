"""The tasks of a batch, one by one, without those that a checkpoint has."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..model_io.checkpoint import Checkpoint, Fingerprint


class Task(NamedTuple):
    """A data set to fit.

    Attributes
    ----------
    number : int
        Its position.
    X, y, sample_weight : object
        What ``fit`` gets; weights may be None.
    """

    number: int
    X: Any
    y: Any
    sample_weight: Any


class Feed:
    """An iterator over the tasks to fit, which a thread of joblib may read.

    It ends at the first task that cannot be read; :meth:`check` raises the error once the fits that run have
    ended.

    Parameters
    ----------
    tasks : iterable
        What the user gave.
    checkpoint : Checkpoint or None
        Where finished tasks are.
    """

    def __init__(self, tasks: Iterable[Any], checkpoint: Checkpoint | None) -> None:
        self._tasks = enumerate(tasks)
        self._checkpoint = checkpoint
        self._running: dict[int, Fingerprint | None] = {}
        self._found: deque[tuple[int, Any]] = deque()
        self._error: BaseException | None = None

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        """Return the next task that is to be fitted."""
        while self._error is None:
            try:
                number, given = next(self._tasks)
                task = _task_of(number, given)
                found = self._look_up(task)
            except StopIteration:
                break
            except BaseException as error:  # joblib's thread would die of it
                self._error = error
                break
            if found is None:
                return task
            self._found.append((number, found))
        raise StopIteration

    def _look_up(self, task: Task) -> Any:
        """Return the model that the checkpoint has of a task; otherwise count the task as running."""
        fingerprint = found = None
        if self._checkpoint is not None:
            fingerprint = self._checkpoint.fingerprint((task.X, task.y, task.sample_weight))
            found = self._checkpoint.load(task.number, fingerprint)
        if found is None:
            self._running[task.number] = fingerprint
        return found

    @property
    def running(self) -> list[int]:
        """The tasks that were given out and are not done."""
        return sorted(self._running)

    def done(self, number: int, model: Any) -> Any:
        """Write the model of a task to the checkpoint.

        Parameters
        ----------
        number : int
            The task.
        model : estimator
            Its fitted model.

        Returns
        -------
        estimator
            The same model, or as the file has it.
        """
        fingerprint = self._running.pop(number)
        if self._checkpoint is None or fingerprint is None:
            return model
        return self._checkpoint.save(number, fingerprint, model)

    def found(self) -> Iterator[tuple[int, Any]]:
        """Yield the models from the checkpoint that were met so far.

        Yields
        ------
        number : int
            The task.
        model : estimator
            Its model.
        """
        while self._found:
            yield self._found.popleft()

    def check(self) -> None:
        """Raise the error of the task that could not be read, if there is one."""
        if self._error is not None:
            raise self._error


def _task_of(number: int, task: Any) -> Task:
    if not isinstance(task, (tuple, list)) or len(task) not in (2, 3):
        raise TypeError(f"task {number} is not a tuple (X, y) or (X, y, sample_weight)")
    return Task(number, task[0], task[1], task[2] if len(task) == 3 else None)
