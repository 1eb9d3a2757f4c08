"""Data of tasks, as they go to other processes: those that tasks share, and those that cannot go."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib.externals.loky.backend.reduction import dumps

_latest: dict[str, Any] = {}  # of this worker: one object by its key


class Shared:
    """The pickle of an object as an array, which joblib maps into the memory of all workers if it is large.

    Parameters
    ----------
    value : object
        Records or a frame.
    """

    def __init__(self, value: Any) -> None:
        self._key = uuid.uuid4().hex
        self._content = np.frombuffer(dumps(value), dtype=np.uint8)

    def value(self) -> Any:
        """Return the object, which a worker reads once while tasks go on with it.

        Returns
        -------
        object
            The copy of this worker.
        """
        if self._key not in _latest:
            _latest.clear()
            _latest[self._key] = pickle.loads(self._content.data)
        return _latest[self._key]


class NotSent:
    """In the place of data that no pickle can hold; to use it is the error of the task.

    Parameters
    ----------
    name : str
        What the data are, such as "X".
    error : Exception
        What pickle says.
    """

    def __init__(self, name: str, error: Exception) -> None:
        self._message = (
            f"{name} cannot be sent to another process ({' '.join(str(error).split())[:200]}); give data "
            "that can be pickled, or fit in threads"
        )

    def value(self) -> Any:
        """Raise the error.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError(self._message)


def sent(value: Any, name: str, dump: Callable[[Any], Any]) -> Any:
    """Convert data of a task for another process.

    Parameters
    ----------
    value : object
        The data.
    name : str
        What they are, such as "X".
    dump : callable
        Converts what is no array of numbers, which joblib shares by itself.

    Returns
    -------
    object
        What `dump` returns, an array as it is, or a :class:`NotSent`.
    """
    if value is None or (isinstance(value, np.ndarray) and not value.dtype.hasobject):
        return value
    try:
        return dump(value)
    except Exception as error:  # pickle raises what the object's own methods raise
        return NotSent(name, error)
