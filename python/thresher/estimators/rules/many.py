"""Many fits in one pool of threads."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from ... import _native, threads
from .base import RuleModelBase
from .prepare import Job, finish, prepare


def fit_many(estimator: Any, tasks: Iterable[Any], n_jobs: int | None = None) -> list[Any]:
    """Fit one estimator to many data sets, all cores busy.

    Parameters
    ----------
    estimator : RuleRegressor or RuleClassifier
        The parameters; it is not changed.
    tasks : iterable of (X, y) or (X, y, sample_weight)
        The data sets. They may differ in rows, columns and labels.
    n_jobs : int or None, default=None
        Threads for all of them together; None: all cores.

    Returns
    -------
    list of estimators
        Fitted clones in the order of the tasks, each the same as by its own ``fit``.

    Raises
    ------
    TypeError
        If `estimator` is no rule model or a task is no pair.
    ValueError, MemoryError
        As in ``fit``; the message says which task. Then nothing is fitted.

    Notes
    -----
    Tasks with the same parameters and labels share one pool. ``time_limit`` counts
    for all of them together.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor, fit_many
    >>> X = np.arange(20.0)[:, None]
    >>> models = fit_many(RuleRegressor(alpha=0.01), [(X, X[:, 0]), (X, -X[:, 0])])
    >>> len(models)
    2
    """
    if not isinstance(estimator, RuleModelBase):
        raise TypeError(f"estimator: got {estimator!r}; give a RuleRegressor or a RuleClassifier")
    workers = threads.resolve(n_jobs if n_jobs is not None else estimator.n_jobs)
    models = []
    jobs = []
    for number, task in enumerate(tasks):
        X, y, weight = _parts(task, number)
        model = clone(estimator)
        try:
            jobs.append(prepare(model, X, y, weight))
        except (TypeError, ValueError, MemoryError) as error:
            raise type(error)(f"task {number}: {error}") from error
        models.append(model)
    for numbers in _alike(jobs):
        _fit_group([models[number] for number in numbers], [jobs[number] for number in numbers], workers)
    return models


def _parts(task: Any, number: int) -> tuple[Any, Any, Any]:
    if not isinstance(task, (tuple, list)) or len(task) not in (2, 3):
        raise TypeError(f"task {number} is no (X, y) or (X, y, sample_weight)")
    return task[0], task[1], task[2] if len(task) == 3 else None


def _classes(job: Job) -> list[Any] | None:
    return None if job.target.classes is None else job.target.classes.tolist()


def _alike(jobs: list[Job]) -> list[list[int]]:
    """Group the jobs that share parameters and labels."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, job in enumerate(jobs):
        groups.setdefault((job.params, repr(_classes(job))), []).append(number)
    return list(groups.values())


def _fit_group(models: list[Any], jobs: list[Job], workers: int) -> None:
    started = time.monotonic()
    results = _native.fit([job.problem for job in jobs], jobs[0].params, workers, _classes(jobs[0]), None)
    seconds = time.monotonic() - started
    for model, job, (fitted, training) in zip(models, jobs, results, strict=True):
        done = finish(job, fitted, training)
        model._install(done, done.document.selected())
        model._warn(seconds)
