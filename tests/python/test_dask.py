"""`fit_many` on clusters of Dask: separate processes on this machine, some of which are killed."""

import os
import threading
import time

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from batch_data import (
    Deadly,
    Slow,
    batch_in_a_task,
    bound_tasks,
    problem,
    records,
    resolved,
    targets_of_one_table,
)
from thresher import L0Regressor, RuleClassifier, RuleRegressor, fit_many, stability_selection

from .test_batches import HARD, LINUX, RULES, TASKS, CountedThreads, assert_same, content

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.thread_unsafe,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of sockets of killed workers
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SECONDS = 120  # for each cluster of a test: one that waits for ever is a failure


def started(**options):
    """A cluster and its client."""
    return distributed.LocalCluster(
        **{"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50, **options}
    )


def connected(cluster):
    """A client that no other test meets."""
    return distributed.Client(cluster, set_as_default=False)


@pytest.fixture(scope="module")
def client():
    with started() as cluster, connected(cluster) as client:
        yield client


def in_time(function):
    """Return the result of a function, or fail if it takes too long."""
    found = []

    def run():
        try:
            found.append((function(), None))
        except BaseException as error:
            found.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SECONDS)
    if not found:
        pytest.fail(f"the batch did not end in {SECONDS} seconds")
    result, error = found[0]
    if error is not None:
        raise error
    return result


def batch(client, *args, **kwargs):
    """`fit_many` on the cluster of a client."""

    def run():
        with parallel_config("dask", client=client):
            return fit_many(*args, **kwargs)

    return in_time(run)


# ------------------------------------------------------------------ a cluster in good health


def test_the_same_as_here(client, tmp_path):
    assert_same(batch(client, RULES, iter(TASKS)), RULES, TASKS)
    many = targets_of_one_table(40, rows=40)
    assert_same(batch(client, RuleRegressor(alpha=0.5), many), RuleRegressor(alpha=0.5), many)
    frame = pd.DataFrame(TASKS[0][0], columns=["a", "b"]).assign(c=["x", "y"] * 25)
    tasks = [(frame, TASKS[0][1] * k) for k in (1, 2, 3)]
    assert_same(batch(client, RULES, tasks), RULES, tasks)
    labels = [(X, np.where(y > 0.5, "yes", "no")) for X, y in TASKS[:2]]
    assert_same(batch(client, RuleClassifier(alpha=0.05), labels), RuleClassifier(alpha=0.05), labels)
    found = dict(batch(client, RULES, TASKS, return_as="generator_unordered"))
    assert_same([found[k] for k in range(3)], RULES, TASKS)
    assert batch(client, RULES, []) == []
    for _ in range(2):
        assert_same(batch(client, RULES, TASKS, checkpoint=tmp_path), RULES, TASKS)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.filterwarnings("error:Sending large graph")
def test_large_data_do_not_go_through_the_scheduler(client):
    tasks = [problem(2000, 20, seed) for seed in range(60)]
    estimator = L0Regressor(lambda0=100.0)
    models = batch(client, estimator, tasks)
    assert_same(models[::20], estimator, tasks[::20])
    X, y = problem(10_000, 100)
    assert len(batch(client, estimator, [(X, y)])) == 1


def test_the_current_client_is_used(client):
    with client.as_current(), parallel_config("dask"):
        assert_same(fit_many(RULES, TASKS), RULES, TASKS)


def test_errors_and_warnings_name_the_task(client):
    X, y = TASKS[0]
    with pytest.raises(ValueError, match="task 1: Input y contains NaN"):
        batch(client, RULES, [TASKS[0], (X, np.full(50, np.nan)), TASKS[1]])
    with pytest.raises(TypeError, match="task 1 is not a tuple"):
        batch(client, RULES, [TASKS[0], X])
    X, y = problem(400, 12)
    model = RuleRegressor(alpha=1e-4, max_features=3, bins=20, time_limit=0.05)
    with parallel_config("dask", client=client), pytest.warns(ConvergenceWarning) as caught:
        fit_many(model, [(X, y), (X, -y)])
    said = sorted(str(entry.message) for entry in caught)
    assert [text[:19] for text in said] == ["task 0: time_limit:", "task 1: time_limit:"]


def test_a_failed_fit_leaves_the_others(client):
    X, y = TASKS[0]
    tasks = {"north": (X, y), "south": (X, np.full(50, np.nan)), "west": (X, -y)}
    with (
        parallel_config("dask", client=client),
        pytest.warns(FitFailedWarning, match=r"^task 'south': Input y"),
    ):
        models = fit_many(RULES, tasks, on_error="warn")
    assert_same([models["north"], models["west"]], RULES, [(X, y), (X, -y)])
    assert isinstance(models["south"], ValueError)
    with pytest.raises(ValueError, match=r"^task 'south': Input y contains NaN"):
        batch(client, RULES, tasks)


def test_data_of_many_targets_are_sent_once(client, tmp_path):
    log = tmp_path / "log"
    tasks, estimator = records(12, str(log))
    assert_same(batch(client, estimator, tasks), estimator, tasks)
    readers = [int(line) for line in log.read_text().split()]
    assert len(readers) == len(set(readers)) <= 2
    assert os.getpid() not in readers


@LINUX
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_worker_of_one_thread_fits_on_one_thread(client):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    tasks = [(X, X[:, 0] * X[:, k] + rng.normal(size=2000)) for k in range(1, 4)]
    batch(client, RuleRegressor(alpha=0.5), tasks)
    with CountedThreads(list(client.run(os.getpid).values())) as counted:
        batch(client, HARD, tasks)
    # A fit has one thread, and one that waits for it; Dask has up to three that come and go.
    assert counted.growth
    assert max(counted.growth) <= 5


def test_threads_of_a_fit(client, monkeypatch):
    assert client.gather(client.map(resolved, range(2), pure=False)) == [1, 1]

    def limited(number, limit):
        os.environ["OMP_NUM_THREADS"] = limit
        try:
            return resolved(number)
        finally:
            os.environ["OMP_NUM_THREADS"] = "1"

    cores = os.cpu_count()
    assert client.submit(limited, 0, "2", pure=False).result() == min(2, cores)


def test_a_cluster_in_this_process():
    with started(processes=False, n_workers=1, threads_per_worker=2) as cluster, connected(cluster) as client:
        assert client.gather(client.map(resolved, range(2), pure=False)) == [1, 1]
        assert_same(batch(client, RULES, TASKS * 2), RULES, TASKS * 2)


def test_loops_of_other_libraries_give_the_same(client):
    X, y = problem(90, 3)
    grid = {"alpha": [0.02, 0.1], "max_features": [1, 2]}
    expected = cross_val_score(RULES, X, y, cv=3)
    search = GridSearchCV(RULES, grid, cv=2).fit(X, y)
    stable = stability_selection(RULES, X, y, n_resamples=4, random_state=0)
    with parallel_config("dask", client=client):
        np.testing.assert_array_equal(cross_val_score(RULES, X, y, cv=3), expected)
        again = GridSearchCV(RULES, grid, cv=2).fit(X, y)
        found = stability_selection(RULES, X, y, n_resamples=4, random_state=0)
    np.testing.assert_array_equal(again.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])
    assert content(again.best_estimator_) == content(search.best_estimator_)
    assert found.terms_ == stable.terms_


def test_a_batch_inside_a_task(client):
    expected = batch_in_a_task(4)

    def run():
        with parallel_config("dask", client=client):
            return Parallel()(delayed(batch_in_a_task)(4) for _ in range(6))

    assert in_time(run) == [expected] * 6
    assert in_time(lambda: client.submit(batch_in_a_task, 4).result()) == expected


def test_an_error_of_the_worker_itself(client):
    class Broken:
        def __reduce__(self):
            return int, ("no number",)

    with pytest.raises(RuntimeError, match=r"(?s)deserialization.*on the worker that got task 0"):
        batch(client, RULES, [(Broken(), [0.0, 1.0])])


def test_data_that_cannot_be_pickled_are_the_error_of_their_task(client):
    tasks, refused = bound_tasks()
    with pytest.warns(FitFailedWarning, match="the other fits go on"):
        models = batch(client, RULES, tasks, on_error="warn")
    assert list(models) == list(tasks)
    for name, model in models.items():
        if name in refused:
            said = f"task {name!r}: {refused[name]} cannot be sent to another process (bound to a process)"
            assert str(model).startswith(said)
        else:
            assert content(model) == content(clone(RULES).fit(*tasks[name]))


# ------------------------------------------------------------------ workers that end, join or are slow


def test_a_killed_worker_is_named_or_replaced(tmp_path):
    X, y = problem(30, 2)
    killing = [(X, y), (X, 2 * y), (Deadly(X), y), (X, 3 * y), (X, 4 * y)]
    once = [(X, y), (X, 2 * y), (Deadly(X, once=str(tmp_path / "once")), y), (X, 3 * y), (X, 4 * y)]
    expected = [content(clone(RULES).fit(X, y)) for _, y in once]
    strict = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with strict, started() as cluster, connected(cluster) as client:
        with pytest.raises(RuntimeError, match=r"task.* 2.*: a worker ended during the fit \(Killed"):
            batch(client, RULES, killing, checkpoint=tmp_path / "done")
        # A second call without the cause goes on, on the same cluster.
        healthy = [(X, k * y) for k in (1, 2)]
        models = batch(client, RULES, healthy, checkpoint=tmp_path / "done")
        assert list(map(content, models)) == expected[:2]
    with started() as cluster, connected(cluster) as client:
        assert list(map(content, batch(client, RULES, once))) == expected
        assert (tmp_path / "once").exists()


@pytest.mark.slow
def test_workers_that_join_leave_and_are_slow(tmp_path):
    X, y = problem(30, 2)
    tasks = [(Slow(X, 2.0 if k == 0 else 0.2), (k + 1) * y) for k in range(24)]
    expected = [content(clone(RULES).fit(X, (k + 1) * y)) for k in range(24)]
    with started(n_workers=1) as cluster, connected(cluster) as client:
        with parallel_config("dask", client=client):
            results = fit_many(RULES, tasks, return_as="generator_unordered")
        found = dict([next(results)])
        cluster.scale(3)
        client.wait_for_workers(3, timeout=SECONDS)
        found |= dict([next(results), next(results)])
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, 9)
        found |= in_time(lambda: dict(results))
    assert [content(found[k]) for k in range(24)] == expected


@pytest.mark.slow
def test_all_workers_are_gone():
    X, y = problem(30, 2)
    with started(n_workers=1) as cluster, connected(cluster) as client:
        cluster.scale(0)
        end = time.monotonic() + SECONDS
        while client.ncores() and time.monotonic() < end:
            time.sleep(0.05)
        patience = parallel_config("dask", client=client, wait_for_workers_timeout=1)
        with patience, pytest.raises(TimeoutError, match="no worker"):
            fit_many(RULES, [(X, y)])


@pytest.mark.slow
def test_a_closed_cluster_ends_the_batch():
    X, y = problem(30, 2)
    tasks = [(Slow(X, 0.5), (k + 1) * y) for k in range(20)]
    cluster = started()
    client = connected(cluster)
    with parallel_config("dask", client=client):
        results = fit_many(RULES, tasks, return_as="generator")
    next(results)
    threading.Timer(0.2, lambda: (client.close(), cluster.close())).start()
    with pytest.raises(RuntimeError, match="the client of Dask was closed during the batch"):
        in_time(lambda: list(results))


def test_a_closed_client():
    cluster = started(n_workers=1, processes=False)
    with cluster, connected(cluster) as client, parallel_config("dask", client=client):
        client.close()
        with pytest.raises(RuntimeError, match="the client of Dask is closed; connect another one"):
            fit_many(RULES, TASKS)


def test_without_a_client():
    with pytest.raises(ValueError, match="create a Dask Client"), parallel_config("dask"):
        fit_many(RULES, TASKS)


def test_a_lost_result_is_not_awaited_once_other_tasks_are_given_up():
    from thresher.batches import _dask

    class KilledWorker(Exception):  # noqa: N818
        pass

    class Lost:
        status = "pending"

        def result(self, timeout):
            assert timeout == _dask._SECONDS_A_LOOK
            raise TimeoutError

    class GivenUp:
        status = "error"

        def result(self):
            raise KilledWorker("four workers died")

    chunks = _dask._Chunks(client=None, estimator=None, feed=iter(()))
    lost = Lost()
    chunks.labels = {lost: ["first"], GivenUp(): ["second", "third"]}
    with pytest.raises(
        RuntimeError, match=r"one of first, second, third: a worker ended .*four workers died"
    ):
        list(chunks.results(lost))
