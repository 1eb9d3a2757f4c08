"""What tests of batches give to other processes, which import this module by its name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from thresher import ItemsetClassifier, RuleRegressor, fit_many, threads


def problem(rows=60, columns=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] > 0) + 0.5 * X[:, -1] + 0.1 * rng.normal(size=rows)


def targets_of_one_table(count, rows=60, columns=3):
    """Tasks with one table and several targets."""
    X, _ = problem(rows, columns)
    return [(X, problem(rows, columns, seed)[1] + X[:, seed % columns]) for seed in range(count)]


def resolved(_):
    """The threads of a fit on this worker."""
    return threads.resolve(None)


class CountedRecords(list):
    """Records that leave a line in a file whenever a process reads them."""

    def __init__(self, records, log):
        super().__init__(records)
        self.log = log

    def __reduce__(self):
        return _read, (list(self), self.log)


def _read(records, log):
    with Path(log).open("a") as file:
        file.write(f"{os.getpid()}\n")
    return CountedRecords(records, log)


def records(count, log):
    rng = np.random.default_rng(0)
    X = CountedRecords([[f"i{k}" for k in range(6) if rng.random() < 0.5] for _ in range(80)], log)
    return [(X, [f"i{k % 6}" in record for record in X]) for k in range(count)], ItemsetClassifier(alpha=0.1)


class Deadly:
    """An array whose reading kills the process, unless a file says that it was read before."""

    def __init__(self, X, once=None, seconds=0.0):
        self.X = X
        self.once = once
        self.seconds = seconds

    def __array__(self, dtype=None, copy=None):
        time.sleep(self.seconds)
        if self.once is None or not Path(self.once).exists():
            if self.once is not None:
                Path(self.once).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.asarray(self.X, dtype=dtype)


class Slow:
    """An array that takes a while to read."""

    def __init__(self, X, seconds):
        self.X = X
        self.seconds = seconds

    def __array__(self, dtype=None, copy=None):
        time.sleep(self.seconds)
        return np.asarray(self.X, dtype=dtype)


class Bound:
    """An array that only this process can read."""

    def __init__(self, X):
        self.X = X

    def __reduce__(self):
        raise TypeError("bound to a process")

    def __len__(self):
        return len(self.X)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.X, dtype=dtype)


def bound_tasks():
    """Tasks by name, three of which no other process can read: one for its target, two for their table."""
    X, y = problem(30, 2)
    bound = Bound(X)
    tasks = {
        "a": (X, y),
        "target": (X, Bound(y)),
        "table": (bound, y),
        "again": (bound, 2 * y),
        "b": (X, 2 * y),
    }
    return tasks, {"target": "y", "table": "X", "again": "X"}


class OwnRules(RuleRegressor):
    """A subclass of a user."""


def batch_in_a_task(count):
    """A batch inside a task of a batch."""
    return [model.predict(X).tolist() for model, (X, _) in inner_batch(count)]


def inner_batch(count):
    tasks = targets_of_one_table(count, rows=30)
    return zip(fit_many(RuleRegressor(alpha=0.5), tasks), tasks, strict=True)
