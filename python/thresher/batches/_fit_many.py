"""The function `fit_many`."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

from sklearn.base import clone

from ..estimators._base import Estimator
from ..model_io.checkpoint import Checkpoint
from ._fit_task import Outcome
from ._tasks import Feed
from ._workers import active_workers

_RETURNS = ("list", "generator", "generator_unordered")


def fit_many(
    estimator: Any,
    tasks: Iterable[Any],
    n_jobs: int | None = None,
    *,
    return_as: str = "list",
    checkpoint: str | Path | None = None,
) -> Any:
    """Fit one estimator to each of many data sets in parallel: in threads, processes or on a cluster.

    Parameters
    ----------
    estimator : estimator
        An estimator of this package with the parameters of all fits; it is not changed.
    tasks : iterable of (X, y) or (X, y, sample_weight)
        The data sets. They may differ in rows, columns and labels. A generator is read ahead by a few tasks
        for each worker; what it has given must not be changed.
    n_jobs : int or None, default=None
        Threads for all fits together; with joblib's backends of processes, the number of processes. None: the
        number of ``joblib.parallel_config``, or all cores. Dask uses all of its workers.
    return_as : {"list", "generator", "generator_unordered"}, default="list"
        "generator": an iterator over the models in the order of the tasks; "generator_unordered": an iterator
        over pairs ``(number, model)`` as fits end, with the position of the task.
    checkpoint : str or Path, optional
        A folder, created if needed, with a file for each task that is done. A call with the same tasks fits
        only those that are missing.

    Returns
    -------
    list of estimators, or iterator
        Fitted clones. Each equals the result of a separate ``fit``.

    Raises
    ------
    TypeError
        If `estimator` is not one of this package or a task is not a tuple.
    ValueError
        If the folder of `checkpoint` is of other data or parameters.
    RuntimeError
        If a worker ended during a fit; the message names the tasks.
    TypeError, ValueError, MemoryError, TimeoutError
        As in ``fit``; the message names the task. What was done is in the folder of `checkpoint`.
    OSError
        If a file of `checkpoint` cannot be written.

    Warns
    -----
    ConvergenceWarning
        As in ``fit``; where it comes from another process, the message names the task.
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
    >>> import numpy as np
    >>> from thresher import RuleRegressor, fit_many
    >>> X = np.arange(20.0)[:, None]
    >>> models = fit_many(RuleRegressor(alpha=0.01), [(X, X[:, 0]), (X, -X[:, 0])])
    >>> len(models)
    2
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"estimator: got {estimator!r}; give an estimator of this package")
    if return_as not in _RETURNS:
        raise ValueError(f"return_as: got {return_as!r}; give one of {', '.join(map(repr, _RETURNS))}")
    estimator = clone(estimator)
    estimator._validate()
    workers = active_workers(n_jobs, estimator.n_jobs)
    feed = Feed(tasks, None if checkpoint is None else Checkpoint(Path(checkpoint), estimator))
    results = _results(workers.run(estimator, feed), feed)
    if return_as == "generator_unordered":
        return results
    ordered = _in_order(results)
    return ordered if return_as == "generator" else list(ordered)


def _results(outcomes: Generator[Outcome, None, None], feed: Feed) -> Iterator[tuple[int, Any]]:
    """Yield the models that the checkpoint has, and those of the workers as they come."""
    try:
        for outcome in outcomes:
            for message, category in outcome.warnings:
                warnings.warn(f"task {outcome.number}: {message}", category, stacklevel=4)
            yield outcome.number, feed.done(outcome.number, outcome.model)
            yield from feed.found()
        yield from feed.found()
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's, about results that nobody takes
            outcomes.close()
    feed.check()


def _in_order(results: Iterator[tuple[int, Any]]) -> Iterator[Any]:
    waiting: dict[int, Any] = {}
    following = 0
    for number, model in results:
        waiting[number] = model
        while following in waiting:
            yield waiting.pop(following)
            following += 1
