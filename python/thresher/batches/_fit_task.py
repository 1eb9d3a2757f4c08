"""The fit of one task, as it runs on a worker."""

from __future__ import annotations

import os
import traceback
import warnings
from contextlib import ExitStack
from threading import Event
from typing import Any, NamedTuple

from sklearn.base import clone

from .. import threads
from ..fit_warnings import Caught, gathered
from ..progress import cancelled_by
from ._shared import NotSent, Shared
from ._tasks import Task

_OF_FIT = (TypeError, ValueError, MemoryError, TimeoutError, FileNotFoundError)


class Outcome(NamedTuple):
    """The result of a task.

    Attributes
    ----------
    number : int
        The task.
    model : estimator or None
        The fitted model.
    error : Exception or None
        Why there is none.
    warnings : list of (str, type)
        Messages and categories of the warnings of the fit.
    """

    number: int
    model: Any
    error: Exception | None
    warnings: Caught


def fit_task(
    estimator: Any, task: Task, caller: int, n_threads: int | None = None, cancelled: Event | None = None
) -> Outcome:
    """Fit a task.

    Parameters
    ----------
    estimator : estimator
        The parameters.
    task : Task
        The data.
    caller : int
        The process that gets the result.
    n_threads : int, optional
        The share of a fit, where `n_jobs` of the estimator leaves it open.
    cancelled : Event, optional
        Ends the fit.

    Returns
    -------
    Outcome
        The fitted model, or the error, which names the task.
    """
    model, error = clone(estimator), None
    options = {"sample_weight": task.sample_weight, "groups": task.groups}
    options = {name: value for name, value in options.items() if value is not None}
    is_elsewhere = os.getpid() != caller
    with ExitStack() as stack:
        if n_threads is not None:
            stack.enter_context(threads.limited(n_threads))
        if cancelled is not None:
            stack.enter_context(cancelled_by(cancelled))
        own = stack.enter_context(gathered())
        is_recorded = is_elsewhere and threads.is_alone()
        others = stack.enter_context(warnings.catch_warnings(record=True)) if is_recorded else None
        try:
            model.fit(task.X.value() if isinstance(task.X, (NotSent, Shared)) else task.X, task.y, **options)
        except Exception as found:
            error = _naming_task(found, task.label, is_elsewhere=is_elsewhere)
    caught = [*own, *((str(entry.message), entry.category) for entry in others or ())]
    return Outcome(task.number, None if error else model, error, caught)


def _naming_task(error: Exception, label: str, *, is_elsewhere: bool) -> Exception:
    """Return the error with the task in its message, and with the traceback, which another process loses."""
    if is_elsewhere:
        error.add_note("".join(traceback.format_exception(error)))
    if not isinstance(error, _OF_FIT):
        error.add_note(f"in the fit of {label}")
        return error
    try:
        named: Exception = type(error)(f"{label}: {error}")
    except TypeError:  # a subclass that takes other arguments
        named = ValueError(f"{label}: {error}")
    named.__cause__ = error
    for note in getattr(error, "__notes__", ()):
        named.add_note(note)
    return named
