"""The names of tasks: keys of a mapping, or the first entries of pairs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain, islice
from numbers import Number
from typing import Any

import numpy as np

from ..model_io.checkpoint import label_of

_SCALARS = (str, Number, np.generic, dt.date)
_FORMS = "(X, y), (X, y, sample_weight) or (X, y, sample_weight, groups)"


def entries_of(tasks: Iterable[Any] | Mapping[Any, Any]) -> tuple[bool, Iterator[tuple[Hashable, Any]]]:
    """Return whether tasks have names, as the first one says, and the tasks with names or positions.

    Parameters
    ----------
    tasks : iterable or mapping
        What the user gave.

    Returns
    -------
    is_named : bool
        Whether they have names.
    entries : iterator of (hashable, tuple)
        Names or positions, and tasks; it raises an error for an entry that is neither as the first nor a
        task, and for a name that comes twice.
    """
    if isinstance(tasks, Mapping):
        return True, _checked(tasks.items())
    iterator = iter(tasks)
    first = list(islice(iterator, 1))
    entries = chain(first, iterator)
    if first and _is_pair(first[0]):
        return True, _pairs(entries)
    return False, _checked(_numbered(entries))


def _is_pair(entry: Any) -> bool:
    """Return whether this is a name and a task, rather than `X` and `y`."""
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        return False
    name, task = entry
    if not _is_task(task):
        return False
    if isinstance(name, _SCALARS):  # with a list of texts it is a file and the names of its targets
        return isinstance(task, tuple) or not all(isinstance(part, str) for part in task)
    is_tuple = isinstance(name, tuple) and all(isinstance(part, _SCALARS) for part in name)
    return is_tuple and not isinstance(task[0], _SCALARS)  # otherwise few records and few targets


def _is_named_frame(entry: Any) -> bool:
    """Return whether this is a name and a frame, as iterations over groups of a frame give them."""
    if not isinstance(entry, tuple) or len(entry) != 2 or not hasattr(entry[1], "columns"):
        return False
    parts = entry[0] if isinstance(entry[0], tuple) else (entry[0],)
    return all(isinstance(part, _SCALARS) for part in parts)


def _is_task(task: Any) -> bool:
    return isinstance(task, (tuple, list)) and len(task) in (2, 3, 4)


def _checked(entries: Iterable[tuple[Hashable, Any]]) -> Iterator[tuple[Hashable, Any]]:
    for name, task in entries:
        if not _is_task(task):
            raise TypeError(f"{label_of(name)} is not a tuple {_FORMS}")
        yield name, task


def _numbered(entries: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    for number, entry in enumerate(entries):
        if _is_named_frame(entry):
            raise TypeError(
                f"{label_of(entry[0])} is not a tuple {_FORMS}, but a frame with the target in it"
            )
        if _is_pair(entry):
            raise TypeError(
                f"task {number} is a name and a tuple, and task 0 has no name; give all of them names, or "
                "none"
            )
        yield number, entry


def _pairs(entries: Iterable[Any]) -> Iterator[tuple[Hashable, Any]]:
    seen: set[Hashable] = set()
    for number, entry in enumerate(entries):
        if not _is_pair(entry):
            raise TypeError(
                f"task {number} is not a name and a tuple {_FORMS}, as task 0 is; give all of them names, or "
                "none"
            )
        name, task = entry
        if name in seen:
            raise ValueError(f"{label_of(name)} comes twice; give each task a name of its own")
        seen.add(name)
        yield name, task
