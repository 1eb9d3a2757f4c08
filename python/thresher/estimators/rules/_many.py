"""Fits of many data sets in one pool of threads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from ... import _native, threads
from ...data.alignment import warn_if_reordered
from ...data.budget import Budget, naming_held_memory
from .._training import TrainingData
from ._model import RuleModel, pack

_Fit = tuple[RuleModel, TrainingData]


def fit_many(estimator: Any, tasks: Iterable[Any], n_jobs: int | None = None) -> list[Any]:
    """Fit one estimator to each of many data sets in parallel.

    Parameters
    ----------
    estimator : RuleRegressor or RuleClassifier
        The parameters; it is not changed.
    tasks : iterable of (X, y) or (X, y, sample_weight)
        The data sets. They may differ in rows, columns and labels.
    n_jobs : int or None, default=None
        Number of threads for all fits together; None: all cores.

    Returns
    -------
    list of estimators
        Fitted clones in the order of the tasks. Each equals the result of a separate ``fit``.

    Raises
    ------
    TypeError
        If `estimator` is not a rule model or a task is not a tuple.
    ValueError, MemoryError, TimeoutError
        As in ``fit``; the message names the task. No task is fitted in this case.

    Notes
    -----
    Tasks with the same parameters and labels share one pool. ``time_limit`` applies to
    all of them together.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor, fit_many
    >>> X = np.arange(20.0)[:, None]
    >>> models = fit_many(RuleRegressor(alpha=0.01), [(X, X[:, 0]), (X, -X[:, 0])])
    >>> len(models)
    2
    """
    if not isinstance(estimator, RuleModel):
        raise TypeError(f"estimator: got {estimator!r}; give a RuleRegressor or a RuleClassifier")
    workers = threads.resolve(n_jobs if n_jobs is not None else estimator.n_jobs)
    budget = Budget(estimator.time_limit, estimator.memory_limit)
    fits = []
    for number, task in enumerate(tasks):
        X, y, weight = _parts(task, number)
        model = clone(estimator)
        try:
            model._validate()
            fits.append((model, model._read(X, y, weight, budget)))
            warn_if_reordered(X, y, f"task {number}: y")
            warn_if_reordered(X, weight, f"task {number}: sample_weight")
        except (TypeError, ValueError, MemoryError, TimeoutError) as error:
            raise type(error)(f"task {number}: {error}") from error
    for group in _groups_of(fits):
        _fit_group(group, workers)
    return [model for model, _ in fits]


def _parts(task: Any, number: int) -> tuple[Any, Any, Any]:
    if not isinstance(task, (tuple, list)) or len(task) not in (2, 3):
        raise TypeError(f"task {number} is not a tuple (X, y) or (X, y, sample_weight)")
    return task[0], task[1], task[2] if len(task) == 3 else None


def _groups_of(fits: list[_Fit]) -> list[list[_Fit]]:
    """Group the fits with equal parameters and labels."""
    groups: dict[tuple[str, str], list[_Fit]] = {}
    for model, data in fits:
        groups.setdefault((data.payload, repr(data.classes)), []).append((model, data))
    return list(groups.values())


def _fit_group(fits: list[_Fit], workers: int) -> None:
    first = fits[0][1]
    with naming_held_memory(first.budget):
        payload = first.budget.rest(first.payload)
        results = _native.fit([pack(data) for _, data in fits], payload, workers, first.classes, None)
    seconds = first.budget.seconds
    for (model, data), (compiled, training) in zip(fits, results, strict=True):
        result = model._result_of(data, compiled, training)
        model._set_attributes(result, result.selected())
        model._warn(data, seconds)
