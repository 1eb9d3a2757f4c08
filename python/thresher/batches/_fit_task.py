"""The fit of one task, as it runs on a worker."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack
from threading import Event
from typing import Any, NamedTuple

from sklearn.base import clone

from .. import threads
from ..progress import cancelled_by
from ._shared import Shared
from ._tasks import Task

_OF_FIT = (TypeError, ValueError, MemoryError, TimeoutError)


class Outcome(NamedTuple):
    """The result of a task.

    Attributes
    ----------
    number : int
        The task.
    model : estimator
        The fitted model.
    warnings : list of (str, type)
        Messages and categories of the warnings in another process.
    """

    number: int
    model: Any
    warnings: list[tuple[str, type[Warning]]]


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
        The fitted model.

    Raises
    ------
    TypeError, ValueError, MemoryError, TimeoutError
        As in ``fit``, with the number of the task.
    """
    model = clone(estimator)
    weights = () if task.sample_weight is None else (task.sample_weight,)
    with ExitStack() as stack:
        if n_threads is not None:
            stack.enter_context(threads.limited(n_threads))
        if cancelled is not None:
            stack.enter_context(cancelled_by(cancelled))
        is_recorded = os.getpid() != caller and threads.is_alone()
        caught = stack.enter_context(warnings.catch_warnings(record=True)) if is_recorded else None
        try:
            model.fit(task.X.value() if isinstance(task.X, Shared) else task.X, task.y, *weights)
        except _OF_FIT as error:
            raise _with_number(error, task.number) from error
        except Exception as error:
            error.add_note(f"in the fit of task {task.number}")
            raise
    return Outcome(task.number, model, [(str(entry.message), entry.category) for entry in caught or ()])


def _with_number(error: Exception, number: int) -> Exception:
    try:
        return type(error)(f"task {number}: {error}")
    except TypeError:  # a subclass that takes other arguments
        return ValueError(f"task {number}: {error}")
