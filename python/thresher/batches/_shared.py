"""Data that several tasks share, as they go to other processes of this machine."""

from __future__ import annotations

import pickle
import uuid
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
