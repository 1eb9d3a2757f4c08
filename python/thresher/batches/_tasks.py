"""The tasks of a batch, one by one, without those that a checkpoint has."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from ..model_io.checkpoint import Checkpoint, Fingerprint, is_whole_fit, label_of
from ._names import entries_of
from ._shared import NotSent, sent


class Task(NamedTuple):
    """A data set to fit.

    Attributes
    ----------
    number : int
        Its position.
    label : str
        What messages call it.
    X, y, sample_weight, groups : object
        What ``fit`` gets; weights and groups may be None.
    """

    number: int
    label: str
    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None

    def not_sent(self, dump: Callable[[Any], Any]) -> Task | None:
        """Return what stands for the task if some of its data cannot go to another process.

        Parameters
        ----------
        dump : callable
            Converts data to a pickle.

        Returns
        -------
        Task or None
            A task whose fit is the error; None if all can go.
        """
        for name in ("X", "y", "sample_weight", "groups"):
            found = sent(getattr(self, name), name, dump)
            if isinstance(found, NotSent):
                return Task(self.number, self.label, found, None)
        return None


class _Running(NamedTuple):
    """A task that was given out."""

    name: Hashable
    fingerprint: Fingerprint | None


class Feed:
    """An iterator over the tasks to fit, which a thread of joblib may read.

    It ends at the first task that cannot be read; :meth:`check` raises the error once the fits that run have
    ended.

    Parameters
    ----------
    tasks : iterable or mapping
        What the user gave. A list or a dict is checked here, before any fit.
    checkpoint : Checkpoint or None
        Where finished tasks are.

    Attributes
    ----------
    is_named : bool
        Whether the tasks have names.
    """

    def __init__(self, tasks: Iterable[Any], checkpoint: Checkpoint | None) -> None:
        self.is_named, entries = entries_of(tasks)
        self._tasks = enumerate(list(entries) if isinstance(tasks, (list, tuple, dict)) else entries)
        self._checkpoint = checkpoint
        self._running: dict[int, _Running] = {}
        self._found: deque[tuple[int, Hashable, Any]] = deque()
        self._error: BaseException | None = None

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        """Return the next task that is to be fitted."""
        while self._error is None:
            try:
                number, (name, given) = next(self._tasks)
                task = Task(number, label_of(name), *given)
                found = self._look_up(name, task)
            except StopIteration:
                break
            except BaseException as error:  # joblib's thread would die of it
                self._error = error
                break
            if found is None:
                return task
            self._found.append((number, name, found))
        raise StopIteration

    def _look_up(self, name: Hashable, task: Task) -> Any:
        """Return the model that the checkpoint has of a task; otherwise count the task as running."""
        fingerprint = found = None
        if self._checkpoint is not None:
            groups = () if task.groups is None else (task.groups,)
            try:
                fingerprint = self._checkpoint.fingerprint((task.X, task.y, task.sample_weight, *groups))
            except TypeError as error:
                raise TypeError(f"{task.label}: {error}") from None
            found = self._checkpoint.load(name, fingerprint)
        if found is None:
            self._running[task.number] = _Running(name, fingerprint)
        return found

    @property
    def running(self) -> list[str]:
        """What messages call the tasks that were given out and are not done."""
        return [label_of(task.name) for _, task in sorted(self._running.items())]

    def label(self, number: int) -> str:
        """Return what messages call a task that runs.

        Parameters
        ----------
        number : int
            The task.

        Returns
        -------
        str
            Its name.
        """
        return label_of(self._running[number].name)

    def failed(self, number: int) -> Hashable:
        """Count a task as done that has no model.

        Parameters
        ----------
        number : int
            The task.

        Returns
        -------
        hashable
            Its name, or its position.
        """
        return self._running.pop(number).name

    def done(self, number: int, model: Any) -> tuple[Hashable, Any]:
        """Write the model of a task to the checkpoint.

        Parameters
        ----------
        number : int
            The task.
        model : estimator
            Its fitted model.

        Returns
        -------
        name : hashable
            Its name, or its position.
        model : estimator
            The same model, or as the file has it.
        """
        name, fingerprint = self._running.pop(number)
        if self._checkpoint is None or fingerprint is None or not is_whole_fit(model):
            return name, model
        return name, self._checkpoint.save(name, fingerprint, model)

    def found(self) -> Iterator[tuple[int, Hashable, Any]]:
        """Yield the models from the checkpoint that were met so far.

        Yields
        ------
        number : int
            The task.
        name : hashable
            Its name, or its position.
        model : estimator
            Its model.
        """
        while self._found:
            yield self._found.popleft()

    def check(self) -> None:
        """Raise the error of the task that could not be read, if there is one."""
        if self._error is not None:
            raise self._error
