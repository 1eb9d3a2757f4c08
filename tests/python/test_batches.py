"""`fit_many` and scikit-learn's loops over fits, in threads and processes of joblib."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone
from sklearn.ensemble import BaggingRegressor
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.utils._param_validation import InvalidParameterError

import thresher.batches._workers as workers
from batch_data import Deadly, OwnRules, Slow, bound_tasks, problem, records, resolved
from thresher import (
    FactorizationMachineRegressor,
    ItemsetClassifier,
    RuleClassifier,
    RuleRegressor,
    fit_many,
    stability_selection,
    threads,
)

RULES = RuleRegressor(alpha=0.02, max_features=2)
TASKS = [problem(50, 2), problem(80, 3), (*problem(60, 2), np.random.default_rng(0).uniform(0.5, 2, 60))]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture
def six_cores(monkeypatch):
    """A process that may use six cores, without a limit."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "available_cores", lambda: 6)


def content(model):
    """All that a model holds, without the time that it took."""
    document = dict(model._fitted.document)
    return repr(_untimed(document))


def _untimed(value):
    if isinstance(value, dict):
        return {name: _untimed(entry) for name, entry in value.items() if name != "seconds"}
    is_text = isinstance(value, str)
    return [_untimed(entry) for entry in value] if isinstance(value, Sequence) and not is_text else value


def assert_same(models, estimator, tasks):
    for model, (X, *others) in zip(models, tasks, strict=True):
        alone = clone(estimator).fit(X, *others)
        assert content(model) == content(alone)
        assert model.get_params() == estimator.get_params()
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))


# ------------------------------------------------------------------ threads of this process


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 8])
def test_same_as_one_by_one(n_jobs):
    estimator = clone(RULES)
    assert_same(fit_many(estimator, iter(TASKS), n_jobs=n_jobs), RULES, TASKS)
    assert not hasattr(estimator, "rules_")


def test_cross_validated_and_classes_that_differ():
    tasks = []
    for labels in (["a", "b"], ["c", "d"], ["a", "b", "c"]):
        X, y = problem(60, 2)
        edges = np.quantile(y, np.linspace(0, 1, len(labels) + 1)[1:-1])
        tasks.append((X, np.asarray(labels)[np.searchsorted(edges, y)]))
    models = fit_many(RuleClassifier(n_alphas=10, max_features=1, cv=3), tasks)
    assert [list(model.classes_) for model in models] == [["a", "b"], ["c", "d"], ["a", "b", "c"]]
    for model, (X, y) in zip(models, tasks, strict=True):
        assert model.score(X, y) > 0.6


@pytest.mark.parametrize("config", [{}, {"backend": "loky"}], ids=str)
def test_each_task_has_its_groups(config, tmp_path):
    X, y, groups = *problem(90, 2), np.arange(90) // 9
    model = RuleRegressor(cv=GroupKFold(3), max_features=1, n_alphas=8)
    tasks = [(X, y, None, groups), (X, y, np.ones(90), groups % 5), (X, y, None, groups[::-1])]
    with parallel_config(**config) if config else contextlib.nullcontext():
        models = fit_many(model, tasks, n_jobs=2)
    for found, (X, y, _, groups) in zip(models, tasks, strict=True):
        assert content(found) == content(clone(model).fit(X, y, groups=groups))
    with pytest.raises(ValueError, match=r"task 1: groups: got the shape \(3,\)"):
        fit_many(model, [tasks[0], (X, y, None, [1, 2, 3])])
    fit_many(model, tasks[:1], checkpoint=tmp_path)
    with pytest.raises(ValueError, match="other"):
        fit_many(model, [(X, y, None, groups % 4)], checkpoint=tmp_path)


def test_nothing_to_do():
    assert fit_many(RuleRegressor(), []) == []
    assert list(fit_many(RuleRegressor(), iter(()), return_as="generator_unordered")) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_say_which_task(n_jobs):
    X, y = problem(30, 2)
    rules = RuleRegressor(alpha=0.1)
    with pytest.raises(ValueError, match="task 1: Input y contains NaN"):
        fit_many(rules, [(X, y), (X, np.where(y > 0, np.nan, y))], n_jobs=n_jobs)
    with pytest.raises(TypeError, match="task 0 is no"):
        fit_many(rules, [X], n_jobs=n_jobs)
    with pytest.raises(TypeError, match="task 3 is no"):
        fit_many(rules, [(X, y), (X, y), (X, y), (X,)], n_jobs=n_jobs)
    with pytest.raises(MemoryError, match="task 0: memory_limit"):
        fit_many(RuleRegressor(memory_limit=10), [(X, y)], n_jobs=n_jobs)


def test_arguments_are_checked_before_any_task():
    def tasks():
        raise AssertionError("a task was read")
        yield

    with pytest.raises(TypeError, match="estimator: got 3"):
        fit_many(3, tasks())
    with pytest.raises(ValueError, match="return_as: got 'tuple'; give one of 'list', 'generator'"):
        fit_many(RULES, tasks(), return_as="tuple")
    with pytest.raises(ValueError, match="n_jobs: got 0"):
        fit_many(RULES, tasks(), n_jobs=0)
    with pytest.raises(ValueError, match="on_error: got 'skip'; give one of 'raise', 'warn'"):
        fit_many(RULES, tasks(), on_error="skip")
    with pytest.raises(InvalidParameterError, match="alpha"):
        fit_many(RuleRegressor(alpha=-1.0), tasks())


BACKENDS = [{"backend": "threading"}, {"backend": "loky"}, {"backend": "multiprocessing"}]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("config", BACKENDS, ids=lambda config: config["backend"])
def test_a_failed_fit_leaves_the_others(config, n_jobs):
    X, y = problem(50, 2)
    bad = (X, np.full(50, np.nan))
    tasks = {"north": (X, y), "south": bad, ("west", 2): (X, -y)}
    said = r"^task 'south': Input y contains NaN.*; the other fits go on$"
    with parallel_config(n_jobs=n_jobs, **config):
        with pytest.warns(FitFailedWarning, match=said) as caught:
            models = fit_many(RULES, tasks, on_error="warn")
        with pytest.warns(FitFailedWarning, match=r"^task 1: Input y"):
            listed = fit_many(RULES, list(tasks.values()), on_error="warn")
        with pytest.raises(ValueError, match=r"^task 'south': Input y contains NaN") as raised:
            fit_many(RULES, tasks)
    assert [entry.filename for entry in caught] == [__file__]
    assert list(models) == list(tasks)
    assert_same([models["north"], models["west", 2]], RULES, [(X, y), (X, -y)])
    assert_same([listed[0], listed[2]], RULES, [(X, y), (X, -y)])
    assert str(models["south"]).startswith("task 'south': Input y contains NaN")
    assert str(listed[1]).startswith("task 1: Input y contains NaN")
    assert "on_error" in raised.value.__notes__[-1]


class Broken:
    """An object whose reading fails by an error that no fit raises."""

    def __array__(self, dtype=None, copy=None):
        raise OSError("the disk is gone")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_other_errors_of_a_fit_are_kept_too(n_jobs):
    X, y = problem(30, 2)
    tasks = {"a": (Broken(), y), "b": (X, y)}
    with pytest.warns(FitFailedWarning, match=r"^task 'a': OSError: the disk is gone"):
        models = fit_many(RULES, tasks, n_jobs, on_error="warn")
    assert isinstance(models["a"], OSError)
    assert models["b"].rules_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_names_of_tasks_in_iterators():
    X, y = problem(30, 2)
    tasks = {"b": (X, y), "a": (X, 2 * y), "c": (X, y[:-1])}
    pairs = list(fit_many(RULES, tasks, return_as="generator", on_error="warn"))
    assert [name for name, _ in pairs] == ["b", "a", "c"]
    found = dict(fit_many(RULES, tasks, return_as="generator_unordered", on_error="warn"))
    assert set(found) == set(tasks)
    assert_same([found["b"], found["a"]], RULES, [tasks["b"], tasks["a"]])
    assert isinstance(found["c"], ValueError)
    assert fit_many(RULES, {}) == {}


def test_pairs_have_names(tmp_path):
    X, y = problem(30, 2)
    tasks = {"b": (X, y), ("a", 1): [X, 2 * y], 7: (X, -y, np.ones(30)), "c": (X, y + 1)}
    expected = {name: clone(RULES).fit(*task) for name, task in tasks.items()}
    for pairs in (iter(tasks.items()), list(tasks.items()), zip(tasks, tasks.values(), strict=True)):
        found = fit_many(RULES, pairs, n_jobs=2, checkpoint=tmp_path)
        assert list(found) == list(tasks)
        assert [content(found[name]) for name in tasks] == [content(expected[name]) for name in tasks]
    ordered = fit_many(RULES, iter(tasks.items()), return_as="generator")
    assert [name for name, _ in ordered] == list(tasks)
    unordered = fit_many(RULES, iter(tasks.items()), return_as="generator_unordered")
    assert set(dict(unordered)) == set(tasks)
    with pytest.raises(ValueError, match=r"^task 'b' comes twice; give each task a name"):
        fit_many(RULES, [("b", (X, y)), ("b", (X, y))])
    with pytest.raises(TypeError, match=r"^task 1 is not a name and a tuple .* as task 0 is"):
        fit_many(RULES, [("b", (X, y)), (X, y)])
    with pytest.raises(TypeError, match=r"^task 1 is a name and a tuple, and task 0 has no name"):
        fit_many(RULES, [(X, y), ("b", (X, y))])
    assert fit_many(RULES, iter([])) == []


def test_a_file_and_its_targets_are_no_pair(tmp_path):
    X, y = problem(30, 2)
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y, "z": -y})
    path = str(tmp_path / "table.parquet")
    frame.write_parquet(path)
    [one, two] = fit_many(RULES, [(path, "y"), (path, ["y", "z"])])
    assert list(one.feature_names_in_) == ["a", "b", "z"]
    assert list(two.feature_names_in_) == ["a", "b"]
    assert list(fit_many(RULES, [("named", (path, "y"))])) == ["named"]


def test_tasks_of_lists_and_dicts_are_checked_before_any_fit():
    X, y = problem(30, 2)
    reading = Broken()
    with pytest.raises(TypeError, match=r"^task 'b' is not a tuple"):
        fit_many(RULES, {"a": (reading, y), "b": X}, on_error="warn")
    with pytest.raises(TypeError, match=r"^task 1 is not a tuple"):
        fit_many(RULES, [(reading, y), (X,)], n_jobs=1)


@pytest.mark.parametrize("config", [*BACKENDS, {}], ids=str)
def test_warnings_name_the_task(config):
    X, y = problem(40, 6)
    model = FactorizationMachineRegressor(alpha=1e-4, max_iter=1)
    with parallel_config(n_jobs=2, **config), pytest.warns(ConvergenceWarning) as caught:
        fit_many(model, {"north": (X, y), "south": (X, -y)})
    said = sorted(str(entry.message) for entry in caught)
    assert [text.split(": ")[:2] for text in said] == [
        ["task 'north'", "max_iter"],
        ["task 'south'", "max_iter"],
    ]


def test_warnings_of_reading_name_the_task_too():
    X, y = np.array([[0, 2], [1, 0], [1, 1], [0, 0]] * 5), [0, 1, 1, 0] * 5
    with pytest.warns(UserWarning, match=r"^task 'counts': X holds 2 in column"):
        fit_many(ItemsetClassifier(alpha=0.1), {"counts": (X, y)})


def test_an_error_of_the_iterable_is_raised():
    def tasks():
        yield from TASKS
        yield from TASKS
        raise OSError("the file is gone")

    results = fit_many(RULES, tasks(), n_jobs=2, return_as="generator")
    found = []
    with pytest.raises(OSError, match="the file is gone"):
        found.extend(results)
    assert_same(found, RULES, TASKS * 2)


def test_iterators_read_a_few_tasks_ahead():
    given = []

    def tasks():
        for number in range(60):
            given.append(number)
            yield problem(30, 2, number)

    results = fit_many(RuleRegressor(alpha=0.5, max_features=1), tasks(), n_jobs=1, return_as="generator")
    assert next(results).predict(TASKS[0][0]).shape == (50,)
    assert len(given) < 5
    results.close()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_as_they_end(n_jobs):
    X, y = problem(30, 2)
    tasks = [(Slow(X, 0.5), y), (X, 2 * y), (X, 3 * y), (X, 4 * y)]
    found = dict(fit_many(RULES, tasks, n_jobs=n_jobs, return_as="generator_unordered"))
    assert sorted(found) == [0, 1, 2, 3]
    assert list(found) == ([0, 1, 2, 3] if n_jobs == 1 else [1, 2, 3, 0])
    assert_same([found[k] for k in range(4)], RULES, [(X, y), *tasks[1:]])
    ordered = list(fit_many(RULES, tasks, n_jobs=n_jobs, return_as="generator"))
    assert list(map(content, ordered)) == [content(found[k]) for k in range(4)]


@pytest.mark.filterwarnings("error")
def test_an_iterator_may_be_left():
    results = fit_many(RULES, TASKS * 5, n_jobs=2, return_as="generator")
    next(results)
    results.close()


def test_the_time_of_a_fit_begins_on_the_worker():
    X, y = problem(30, 2)
    began = time.monotonic()
    models = fit_many(RuleRegressor(alpha=0.02, time_limit=0.5), [(Slow(X, 0.3), y)] * 4, n_jobs=1)
    assert time.monotonic() - began > 1.2
    assert all(model.certificate_.complete for model in models)
    with pytest.raises(TimeoutError, match="task 1: time_limit"):
        fit_many(RuleRegressor(alpha=0.02, time_limit=0.1), [(X, y), (Slow(X, 0.4), y)], n_jobs=1)


LONG = """
    import threading, time
    import numpy as np
    from thresher import RuleRegressor, fit_many
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 40))
    y = X[:, 0] * X[:, 1] * X[:, 2] + rng.normal(size=3000)
    model = RuleRegressor(alpha=1e-4, max_features=None, bins=20)
    try:
        print("ready", flush=True)
        fit_many(model, [(X, y)] * 8, n_jobs=2)
    except KeyboardInterrupt:
        end = time.monotonic() + 5
        busy = 1.0
        while busy > 0.1 and time.monotonic() < end:
            cpu = time.process_time()
            time.sleep(0.5)
            busy = time.process_time() - cpu
        print("interrupted", busy <= 0.1)
"""


@UNIX
@pytest.mark.thread_unsafe
def test_an_interrupt_ends_the_fits():
    code = textwrap.dedent(LONG)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(2.0)
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=60)
        finally:
            child.kill()
    assert out == "interrupted True\n"


# ------------------------------------------------------------------ numbers of threads


@pytest.mark.parametrize(
    ("n_jobs", "own", "n_workers", "n_threads"),
    [(None, None, 6, 6), (2, None, 2, 2), (6, 3, 2, 6), (2, 4, 1, 2)],
)
def test_threads_of_this_process(six_cores, n_jobs, own, n_workers, n_threads):
    found = workers.active_workers(n_jobs, own)
    assert (found._n_workers, found._n_threads) == (n_workers, n_threads)


@pytest.mark.parametrize(
    ("config", "n_jobs", "n_workers", "n_threads"),
    [
        ({"backend": "loky", "n_jobs": 2}, None, 2, 6),
        ({"backend": "loky", "n_jobs": 2}, 3, 3, 6),
        ({"backend": "loky", "n_jobs": 2, "inner_max_num_threads": 2}, None, 2, 4),
        ({"backend": "multiprocessing", "n_jobs": 4}, None, 4, 6),
        ({"backend": "threading", "n_jobs": 4}, None, 4, 4),
        ({"n_jobs": 4}, None, 4, 4),
    ],
)
def test_workers_of_a_backend(six_cores, config, n_jobs, n_workers, n_threads):
    with parallel_config(**config):
        found = workers.active_workers(n_jobs, None)
    assert (found._n_workers, found._n_threads) == (n_workers, n_threads)


def test_few_tasks_share_all_threads(monkeypatch):
    seen = []

    def fit_task(estimator, task, caller, n_threads, *others):
        seen.append(n_threads)
        return workers_fit_task(estimator, task, caller, n_threads, *others)

    workers_fit_task = workers.fit_task
    monkeypatch.setattr(workers, "fit_task", fit_task)
    fit_many(RULES, TASKS[:2], n_jobs=8)
    fit_many(RULES, TASKS[:1], n_jobs=8)
    fit_many(RULES, TASKS * 4, n_jobs=8)
    assert seen == [4, 4, 8, *[1] * 12]


def test_a_share_holds_for_estimators_that_leave_it_open(six_cores):
    with threads.limited(3):
        assert threads.resolve(None) == 3
        assert threads.resolve(5) == 5
        assert threads.resolve(-1) == 6
    assert threads.resolve(None) == 6


@pytest.mark.parametrize("limit", [None, "4"])
def test_threads_of_a_fit_in_threads_of_joblib(monkeypatch, limit):
    monkeypatch.setattr(threads, "available_cores", lambda: 6)
    if limit is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert Parallel(2, backend="threading")(delayed(resolved)(k) for k in range(4)) == [1] * 4
    assert Parallel(1, backend="threading")(delayed(resolved)(k) for k in range(2)) == [int(limit or 6)] * 2


def children():
    """The processes that this one started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that ended
            found += (task / "children").read_text().split()
    return found


def native_threads(processes):
    """The number of threads of each process."""
    found = {}
    for process in processes:
        with contextlib.suppress(OSError):
            found[process] = sum(1 for _ in Path(f"/proc/{process}/task").iterdir())
    return found


class CountedThreads:
    """The least and the largest number of threads of processes while a block runs."""

    def __init__(self, processes):
        self.processes = processes

    def __enter__(self):
        self.seen = defaultdict(list)
        self.done = threading.Event()
        self.sampler = threading.Thread(target=self._sample)
        self.sampler.start()
        return self

    def _sample(self):
        while not self.done.is_set():
            for child, count in native_threads(self.processes).items():
                self.seen[child].append(count)
            time.sleep(0.01)

    def __exit__(self, *exception):
        self.done.set()
        self.sampler.join()

    @property
    def growth(self):
        """How many threads a process has most of the time beyond its least: those of a last fit end later."""
        seen = (np.array(counts) - min(counts) for counts in self.seen.values())
        return [int(np.bincount(growth[growth > 0]).argmax()) for growth in seen if growth.any()]


HARD = RuleRegressor(alpha=1e-3, max_features=3, bins=20, time_limit=0.7)


@LINUX
@pytest.mark.thread_unsafe
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("share", [1, 3])
def test_processes_have_their_share_of_the_threads(monkeypatch, share):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    tasks = [(X, X[:, 0] * X[:, k] + rng.normal(size=2000)) for k in range(1, 5)]
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "available_cores", lambda: 2 * share)
    with parallel_config("loky", n_jobs=2):
        fit_many(RuleRegressor(alpha=0.5), tasks[:2])  # threads that stay, such as those of the allocator
        with CountedThreads(children()) as counted:
            fit_many(HARD, tasks)
    # A fit has its share, and a thread that waits for them.
    assert len(counted.growth) == 2
    assert set(counted.growth) == {share + 1}


# ------------------------------------------------------------------ processes


def test_processes_give_the_same():
    with parallel_config("loky", n_jobs=2):
        assert_same(fit_many(RULES, iter(TASKS)), RULES, TASKS)
        own = fit_many(OwnRules(alpha=0.02), TASKS)
        assert [type(model) for model in own] == [OwnRules] * 3
        found = dict(fit_many(RULES, TASKS, return_as="generator_unordered"))
        assert_same([found[k] for k in range(3)], RULES, TASKS)
        frame = pd.DataFrame(TASKS[0][0], columns=["a", "b"]).assign(c=["x", "y"] * 25)
        tasks = [(frame, TASKS[0][1] * k) for k in (1, 2, 3)]
        assert_same(fit_many(RULES, tasks), RULES, tasks)
        with pytest.raises(ValueError, match="task 1: Input y contains NaN"):
            fit_many(RULES, [TASKS[0], (TASKS[0][0], np.full(50, np.nan))])
        results = fit_many(RULES, TASKS, return_as="generator")
        share = int(os.environ.get("OMP_NUM_THREADS") or max(1, threads.available_cores() // 2))
        assert Parallel()(delayed(resolved)(k) for k in range(4)) == [share] * 4
    assert_same(results, RULES, TASKS)  # outside the block


def test_backends_without_iterators():
    with parallel_config("multiprocessing", n_jobs=2):
        assert_same(fit_many(RULES, iter(TASKS * 2)), RULES, TASKS * 2)
        assert_same(fit_many(RULES, TASKS[:1]), RULES, TASKS[:1])
        assert_same(fit_many(RULES, TASKS, n_jobs=1, return_as="generator"), RULES, TASKS)


def test_records_of_many_targets_are_sent_once(tmp_path):
    log = tmp_path / "log"
    tasks, estimator = records(12, str(log))
    with parallel_config("loky", n_jobs=2):
        models = fit_many(estimator, tasks)
    readers = log.read_text().split()
    assert len(readers) == len(set(readers)) <= 2
    assert_same(models, estimator, tasks)


@UNIX
def test_a_killed_process_is_named():
    X, y = problem(30, 2)
    tasks = [(X, y), (X, y), (Deadly(X), y), (X, y)]
    with parallel_config("loky", n_jobs=2):
        with pytest.raises(RuntimeError, match=r"task.* 2.*: a worker ended during the fit \(Terminated"):
            fit_many(RULES, tasks)
        assert_same(fit_many(RULES, TASKS), RULES, TASKS)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_data_that_cannot_be_pickled_are_the_error_of_their_task(backend):
    tasks, refused = bound_tasks()
    with parallel_config(backend, n_jobs=2):
        with pytest.warns(FitFailedWarning, match="the other fits go on"):
            models = fit_many(RULES, tasks, on_error="warn")
        with pytest.raises(TypeError, match="task 'target': y cannot be sent to another process"):
            fit_many(RULES, {name: tasks[name] for name in ("a", "target", "b")})
    assert list(models) == list(tasks)
    for name, model in models.items():
        if name in refused:
            said = f"task {name!r}: {refused[name]} cannot be sent to another process (bound to a process)"
            assert str(model).startswith(said)
        else:
            assert content(model) == content(clone(RULES).fit(*tasks[name]))


# ------------------------------------------------------------------ scikit-learn's loops


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_loops_of_other_libraries_give_the_same(backend):
    X, y = problem(90, 3)
    grid = {"alpha": [0.02, 0.1], "max_features": [1, 2]}
    expected = cross_val_score(RULES, X, y, cv=3)
    search = GridSearchCV(RULES, grid, cv=2).fit(X, y)
    bags = BaggingRegressor(RULES, n_estimators=4, random_state=0).fit(X, y)
    stable = stability_selection(RULES, X, y, n_resamples=4, random_state=0)
    with parallel_config(backend, n_jobs=2):
        np.testing.assert_array_equal(cross_val_score(RULES, X, y, cv=3), expected)
        again = GridSearchCV(RULES, grid, cv=2).fit(X, y)
        bagged = BaggingRegressor(RULES, n_estimators=4, random_state=0, n_jobs=2).fit(X, y)
        found = stability_selection(RULES, X, y, n_resamples=4, random_state=0)
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])
    assert content(again.best_estimator_) == content(search.best_estimator_)
    assert list(map(content, bagged.estimators_)) == list(map(content, bags.estimators_))
    assert found.terms_ == stable.terms_
    np.testing.assert_array_equal(found.n_terms, stable.n_terms)


def test_fitted_models_and_limits_in_cloudpickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    X, y = problem()
    model = RuleRegressor(alpha=0.02, time_limit=30, memory_limit=10**9).fit(X, y)
    for again in (pickle.loads(pickle.dumps(model)), cloudpickle.loads(cloudpickle.dumps(model))):
        assert content(again) == content(model)
        assert (again.time_limit, again.memory_limit) == (30, 10**9)
        assert clone(again).get_params() == model.get_params()

    class Local(RuleRegressor):
        pass

    local = Local(alpha=0.02).fit(X, y)
    again = cloudpickle.loads(cloudpickle.dumps(local))
    np.testing.assert_array_equal(again.predict(X), local.predict(X))


def test_groups_of_a_frame_are_no_tasks():
    frame = pd.DataFrame({"a": np.arange(40.0), "store": ["u", "v"] * 20})
    for by, label in (("store", "'u'"), (["store"], r"\('u',\)")):
        with pytest.raises(TypeError, match=rf"^task {label} is not a tuple \(X, y\)"):
            fit_many(RULES, frame.groupby(by))
        with pytest.raises(TypeError, match="is not a tuple"):
            fit_many(RULES, dict(list(frame.groupby(by))))


def test_the_error_of_a_missing_file_names_the_task():
    X, y = problem(30, 2)
    with pytest.raises(FileNotFoundError, match=r"^task 'second': there is no file"):
        fit_many(RULES, {"first": (X, y), "second": ("missing.parquet", "y")})
