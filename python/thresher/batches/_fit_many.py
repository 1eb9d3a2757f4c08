"""The function `fit_many`."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning

from ..estimators._base import Estimator
from ..model_io.checkpoint import Checkpoint
from ._fit_task import Outcome
from ._tasks import Feed
from ._workers import active_workers

_RETURNS = ("list", "generator", "generator_unordered")
_ON_ERROR = ("raise", "warn")


def fit_many(
    estimator: Any,
    tasks: Iterable[Any] | Mapping[Any, Any],
    n_jobs: int | None = None,
    *,
    return_as: str = "list",
    checkpoint: str | Path | None = None,
    on_error: str = "raise",
) -> Any:
    """Fit one estimator to each of many data sets in parallel: in threads, processes or on a cluster.

    Parameters
    ----------
    estimator : estimator
        An estimator of this package with the parameters of all fits; it is not changed.
    tasks : iterable of (X, y), (X, y, sample_weight) or (X, y, sample_weight, groups), or such with names
        The data sets, as ``fit`` takes them; weights are None where there are groups alone. They may differ
        in rows, columns and labels. A generator is read ahead by a few tasks for each worker; what it has
        given must not be changed. Names are the keys of a mapping, or the first entries of pairs
        ``("north", (X, y))``. Messages call a task by its name, others by their position, counted from 0.
    n_jobs : int or None, default=None
        Threads for all fits together; with joblib's backends of processes, the number of processes. None: the
        number of ``joblib.parallel_config``, or all cores. Dask uses all of its workers.
    return_as : {"list", "generator", "generator_unordered"}, default="list"
        "list": a list of the models; with names a dict. "generator": an iterator over the
        models in the order of the tasks; with names over pairs ``(name, model)``. "generator_unordered": an
        iterator over pairs ``(number, model)`` as fits end, with the position of the task, or
        ``(name, model)``.
    checkpoint : str or Path, optional
        A folder, created if needed, with a file for each task that is done. A call with the same tasks fits
        only those that are missing or failed.
    on_error : {"raise", "warn"}, default="raise"
        What becomes of a fit that fails. "raise": its error ends the batch. "warn": the other fits go on, and
        the error, which is reported by a warning, is in the place of the model.

    Returns
    -------
    list or dict of estimators, or iterator
        Fitted clones. Each equals the result of a separate ``fit``.

    Raises
    ------
    TypeError
        If `estimator` is not one of this package or a task is not a tuple, or some have names and others
        not; in a list or a dict this is seen before any fit.
    ValueError
        If the folder of `checkpoint` is of other data or parameters, or a name comes twice.
    RuntimeError
        If a worker ended during a fit; the message names the tasks. It ends the batch in any case. If the
        client of Dask is closed.
    TypeError, ValueError, MemoryError, TimeoutError, FileNotFoundError
        As in ``fit``, with ``on_error="raise"``; the message names the task. What was done is in the folder
        of `checkpoint`.
    OSError
        If a file of `checkpoint` cannot be written.

    Warns
    -----
    ConvergenceWarning
        As in ``fit``; the message names the task.
    FitFailedWarning
        If a fit failed, with ``on_error="warn"``.
    UserWarning
        If a file of `checkpoint` is damaged; its task is fitted again.

    Notes
    -----
    Fits run in threads of this process unless a backend of joblib is active, such as
    ``joblib.parallel_config("loky")`` for processes or ``"dask"`` for a cluster. `n_jobs` of the estimator is
    the number of threads of a fit; None is the share of a worker, the cores divided by the number of workers.
    ``time_limit`` and ``memory_limit`` are those of each fit, from its start on the worker.

    An `X` that follows itself in several tasks is sent to a worker once. Models from other processes and from
    a checkpoint are as models from a pickle: they have the path, but no training data for ``price`` and
    ``near_ties``.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from thresher import RuleRegressor, fit_many
    >>> X = np.arange(20.0)[:, None]
    >>> models = fit_many(RuleRegressor(alpha=0.01), [(X, X[:, 0]), (X, -X[:, 0])])
    >>> len(models)
    2

    Stores by name, one of which has no sales:

    >>> stores = {"north": (X, X[:, 0]), "south": (X, np.full(20, np.nan))}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     models = fit_many(RuleRegressor(alpha=0.01), stores, on_error="warn")
    >>> models["south"]
    ValueError("task 'south': Input y contains NaN. (first in row 0; drop such rows)")
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"estimator: got {estimator!r}; give an estimator of this package")
    if return_as not in _RETURNS:
        raise ValueError(f"return_as: got {return_as!r}; give one of {', '.join(map(repr, _RETURNS))}")
    if on_error not in _ON_ERROR:
        raise ValueError(f"on_error: got {on_error!r}; give one of {', '.join(map(repr, _ON_ERROR))}")
    estimator = clone(estimator)
    estimator._validate()
    workers = active_workers(n_jobs, estimator.n_jobs)
    feed = Feed(tasks, None if checkpoint is None else Checkpoint(checkpoint, estimator))
    results = _results(workers.run(estimator, feed), feed, is_kept=on_error == "warn")
    if return_as == "generator_unordered":
        return ((name, model) for _, name, model in results)
    ordered = _in_order(results)
    if return_as == "generator":
        return ordered if feed.is_named else (model for _, model in ordered)
    found = list(ordered)
    return dict(found) if feed.is_named else [model for _, model in found]


def _results(
    outcomes: Generator[Outcome, None, None], feed: Feed, *, is_kept: bool
) -> Iterator[tuple[int, Hashable, Any]]:
    """Yield the models that the checkpoint has, and those of the workers as they come; or kept errors."""
    try:
        for outcome in outcomes:
            for message, category in outcome.warnings:
                warnings.warn(f"{feed.label(outcome.number)}: {message}", category, stacklevel=4)
            yield outcome.number, *_model_or_error(outcome, feed, is_kept=is_kept)
            yield from feed.found()
        yield from feed.found()
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's, about results that nobody takes
            outcomes.close()
    feed.check()


def _model_or_error(outcome: Outcome, feed: Feed, *, is_kept: bool) -> tuple[Hashable, Any]:
    """Return the name and the model of a task that ended, or its error."""
    if outcome.error is None:
        return feed.done(outcome.number, outcome.model)
    label = feed.label(outcome.number)
    if not is_kept:
        outcome.error.add_note(
            f'{label} ended the batch: on_error="warn" keeps the other models, checkpoint=folder those that '
            "are done"
        )
        raise outcome.error
    said = str(outcome.error) or type(outcome.error).__name__
    said = said if said.startswith(label) else f"{label}: {type(outcome.error).__name__}: {said}"
    warnings.warn(f"{said}; the other fits go on", FitFailedWarning, stacklevel=5)
    return feed.failed(outcome.number), outcome.error


def _in_order(results: Iterator[tuple[int, Hashable, Any]]) -> Iterator[tuple[Hashable, Any]]:
    waiting: dict[int, tuple[Hashable, Any]] = {}
    following = 0
    for number, name, model in results:
        waiting[number] = (name, model)
        while following in waiting:
            yield waiting.pop(following)
            following += 1
