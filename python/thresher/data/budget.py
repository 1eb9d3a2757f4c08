"""Time and memory of a fit while its data are read."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from typing import Any, Self, TypeVar

import numpy as np

from ..address_space import memory_for_a_fit
from .core_parameters import with_options

_T = TypeVar("_T")
_Bytes = tuple[int, int]  # of all, and in each fold

GRACE = 0.1
"""Seconds by which reading may exceed `time_limit`: the longest time between two looks at the clock."""
COLUMN_BYTES = 300
"""Memory of a column beside its cells: an array's header (112 bytes), a name, the entries of four lists."""
BYTES_OF_A_RESPONSE = (150, 75)
"""What the core reserves for each row and output of rules and patterns, among all rows and in each fold."""
_RECORDS_A_LOOK = 256  # a record takes from a microsecond (a set) to some 100 microseconds (a molecule)
_running: ContextVar[Budget | None] = ContextVar("running", default=None)
_SIZED = (list, tuple, set, frozenset, dict, str, np.ndarray)


class Budget:
    """The time and the memory that a fit may take; the clock starts when it is created.

    Parameters
    ----------
    time_limit : float, optional
        Seconds for the whole fit; by default there is no limit.
    memory_limit : float, optional
        Bytes for the whole fit; by default there is no limit.
    source : str, default=""
        Where the memory limit is from if the caller did not give it, for messages.

    Attributes
    ----------
    source : str
        Where the memory limit is from if the caller did not give it.
    held : int
        Bytes that the data as read take until the fit ends.
    n_folds, n_outputs : int
        How many folds and outputs are expected, for estimates of the memory before they are known.
    progress : str
        How far a reading is as a whole, for messages of its parts; empty if only they know.

    Examples
    --------
    >>> budget = Budget(memory_limit=1000)
    >>> budget.hold(800, "100 rows")
    >>> budget.held
    800
    """

    def __init__(
        self, time_limit: float | None = None, memory_limit: float | None = None, source: str = ""
    ) -> None:
        self._started = time.monotonic()
        self._time_limit = None if time_limit == math.inf else time_limit
        self.memory_limit = memory_limit
        self.source = source
        self.held = 0
        self.n_folds, self.n_outputs = 0, 1
        self.progress = ""

    @classmethod
    def of_fit(cls, time_limit: float | None, memory_limit: float | None, n_threads: int) -> Self:
        """Start the clock of a fit, whose memory the address space of the process limits too.

        Parameters
        ----------
        time_limit, memory_limit : float or None
            Those of the estimator.
        n_threads : int
            The threads of the fit, whose stacks take a part of the address space.

        Returns
        -------
        Budget
            The budget.

        Examples
        --------
        >>> Budget.of_fit(None, 1000, 1).memory_limit <= 1000
        True
        """
        left = memory_for_a_fit(n_threads)
        if left is None or (memory_limit is not None and memory_limit <= left):
            return cls(time_limit, memory_limit)
        return cls(time_limit, left, " (the address space of the process allows no more: see ulimit -v)")

    def of_part(self, seconds: float) -> Self:
        """Start the clock of a part of the fit, with the same memory.

        Parameters
        ----------
        seconds : float
            The time of the part.

        Returns
        -------
        Budget
            Its budget.

        Examples
        --------
        >>> Budget(10).of_part(2).seconds_left <= 2
        True
        """
        part = copy(self)
        part._started, part._time_limit = time.monotonic(), seconds
        return part

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a pickle: clocks of other machines tell another time."""
        return {**self.__dict__, "_started": self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state from a pickle; the clock goes on."""
        self.__dict__.update(state, _started=time.monotonic() - state["_started"])

    @property
    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.monotonic() - self._started

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time is over, a nanosecond if it is; None without a limit."""
        return None if self._time_limit is None else max(self._time_limit - self.seconds, 1e-9)

    def is_over(self) -> bool:
        """Return whether the time is over.

        Returns
        -------
        bool
            False without a limit.
        """
        return self._time_limit is not None and self.seconds >= self._time_limit

    def check_time(self, progress: str, grace: float = GRACE) -> None:
        """Raise an error if the time has been over for a while.

        Parameters
        ----------
        progress : str
            What was read so far, for the message; that of the whole reading comes before it.
        grace : float, default=0.1
            How long it may have been over, in seconds.

        Raises
        ------
        TimeoutError
            If the time is over: there is no model to return before the data are read.
        """
        if self._time_limit is not None and self.seconds > self._time_limit + grace:
            raise TimeoutError(
                f"time_limit: {self._time_limit:g} seconds were over {self.progress or progress}; give more, "
                "or less data"
            )

    def within_time(
        self, parts: Iterable[_T], noun: str, parts_a_look: int = _RECORDS_A_LOOK
    ) -> Iterator[_T]:
        """Iterate over the parts of the data, and look at the clock from time to time.

        Parameters
        ----------
        parts : iterable
            Records or columns.
        noun : str
            Their name in the plural, for the message.
        parts_a_look : int, default=256
            The number of parts between two looks.

        Yields
        ------
        object
            The parts.

        Raises
        ------
        TimeoutError
            If the time is over.
        """
        self.check_time(f"after 0 {noun}")
        for number, part in enumerate(parts, start=1):
            yield part
            if number % parts_a_look == 0:
                self.check_time(f"after {number} {noun}")

    def require(self, n_bytes: int, what: str) -> None:
        """Raise an error unless some bytes fit into the memory that is left.

        Parameters
        ----------
        n_bytes : int
            The least that the fit takes beside what is held.
        what : str
            What takes them, for the message.

        Raises
        ------
        MemoryError
            If they do not fit.
        """
        if self.memory_limit is not None and self.held + n_bytes > self.memory_limit:
            raise MemoryError(
                f"memory_limit: {self.memory_limit:.0f} bytes do not hold {what}, which takes at least "
                f"{self.held + n_bytes:.0f}; give more, or less data{self.source}"
            )

    def hold(self, n_bytes: int, what: str, further: int = 0) -> None:
        """Count bytes that are taken until the fit ends.

        Parameters
        ----------
        n_bytes : int
            The bytes.
        what : str
            What takes them, for the message.
        further : int, default=0
            The least that the fit takes beside them.

        Raises
        ------
        MemoryError
            If they do not fit together.
        """
        self.require(n_bytes + further, what)
        self.held += n_bytes

    def of_all(self, whole: int, in_fold: int) -> int:
        """Return the bytes of all rows and of those of each fold.

        Parameters
        ----------
        whole, in_fold : int
            The bytes of a row, record or cell, and those in each fold.

        Returns
        -------
        int
            The sum over the expected folds.
        """
        return whole + self.n_folds * in_fold

    def require_records(self, records: Any, bytes_of_a_record: _Bytes, bytes_of_a_part: _Bytes) -> None:
        """Raise an error unless records fit into the memory that is left.

        Parameters
        ----------
        records : iterable
            The records; if they cannot be counted without being read, the limit is not looked at.
        bytes_of_a_record : (int, int)
            The least that the fit takes for each record, among all and in each fold.
        bytes_of_a_part : (int, int)
            The least that it takes for each part (an item, an event) of a record; parts are counted in
            records that are lists, tuples, sets, dicts, arrays and texts.

        Raises
        ------
        MemoryError
            If they do not fit.
        """
        if self.memory_limit is None or not isinstance(records, Collection):
            return
        sized = (record for record in self.within_time(records, "records") if isinstance(record, _SIZED))
        need = self.of_records(len(records), sum(map(len, sized)), bytes_of_a_record, bytes_of_a_part)
        self.require(need, f"a fit of {len(records)} records")

    def of_records(self, n_records: int, n_parts: int, of_a_record: _Bytes, of_a_part: _Bytes) -> int:
        """Return the least memory of a fit of records.

        Parameters
        ----------
        n_records, n_parts : int
            Their number, and that of their parts.
        of_a_record, of_a_part : (int, int)
            Bytes, as for :meth:`require_records`.

        Returns
        -------
        int
            The bytes, with those of responses.
        """
        of_responses = self.n_outputs * self.of_all(*BYTES_OF_A_RESPONSE)
        return n_records * (self.of_all(*of_a_record) + of_responses) + n_parts * self.of_all(*of_a_part)

    def rest(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Replace the limits among the parameters of the core by what is left of them.

        Parameters
        ----------
        parameters : dict
            The parameters.

        Returns
        -------
        dict
            The parameters with the limits that remain; a time that is over is a nanosecond.

        Raises
        ------
        TimeoutError
            If there is no time for what the core does before it has a model.
        """
        self.check_time("after the data had been read", GRACE / 2)
        limits: dict[str, Any] = {}
        if self._time_limit is not None:
            limits["time_limit"] = self.seconds_left
        if self.memory_limit is not None:
            limits["memory_limit"] = max(self.memory_limit - self.held, 0)
        return with_options(parameters, **limits) if limits else parameters


def running_budget() -> Budget:
    """Return what the reading of new rows may take in this thread.

    Returns
    -------
    Budget
        That of :func:`within`; elsewhere one without limits: those of a fit are not those of a prediction.

    Examples
    --------
    >>> running_budget().is_over()
    False
    """
    return _running.get() or Budget()


@contextmanager
def within(budget: Budget) -> Iterator[None]:
    """Limit what the reading of new rows may take in this thread.

    Parameters
    ----------
    budget : Budget
        The limits.

    Yields
    ------
    None
        While they hold.
    """
    token = _running.set(budget)
    try:
        yield
    finally:
        _running.reset(token)
