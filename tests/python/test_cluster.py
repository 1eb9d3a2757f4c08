"""Fits whose searches the workers of a Dask cluster share: the same bits, whatever happens to the workers."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._testing import ignore_warnings

from batch_data import problem
from thresher import ItemsetClassifier, RuleRegressor, _native, cluster
from thresher.estimators._training import GivenRows

from .test_batches import LINUX, content
from .test_dask import SECONDS, client, connected, dask, distributed, in_time, started
from .test_resumed import CASES, WITH_PATHS, weights_of

__all__ = ["client"]  # a fixture

pytestmark = [
    pytest.mark.thread_unsafe,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of sockets of killed workers
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
MODEL = RuleRegressor(alpha=0.01, max_features=3, bins=8, n_jobs=1)
DATA = problem(200, 6)


@pytest.fixture(autouse=True)
def all_searches_are_shared(monkeypatch):
    monkeypatch.setattr(cluster.DaskSearches, "patience", 0.0)


class Watched:
    """What goes to the workers, and something that is done while a search is under way."""

    def __init__(self, monkeypatch, action=lambda: None, at=2):
        self.sizes, self.n_spaces, self.n_searches = [], 0, 0
        sent, answered = cluster.DaskSearches._sent, cluster.DaskSearches._have_answered
        waited = cluster.DaskSearches._answers
        self._is_due = False

        def send(searches, data, job):
            is_space = isinstance(data, _native.SearchSpace)
            self.n_spaces += is_space
            if not is_space:
                self.sizes.append(len(pickle.dumps(data)))
            return sent(searches, data, job)

        def have_answered(searches, job, waiting):
            self.n_searches += 1
            self._is_due = self.n_searches == at
            return answered(searches, job, waiting)

        def answers(searches, *waiting):
            if self._is_due:
                self._is_due = False
                action()
            return waited(searches, *waiting)

        monkeypatch.setattr(cluster.DaskSearches, "_sent", send)
        monkeypatch.setattr(cluster.DaskSearches, "_have_answered", have_answered)
        monkeypatch.setattr(cluster.DaskSearches, "_answers", answers)


# ------------------------------------------------------------------ a cluster in good health


@ignore_warnings()
@pytest.mark.parametrize(
    ("case", "method"),
    [
        *((case, "fit") for case in CASES),
        *(pytest.param(case, "fit_path", marks=pytest.mark.slow) for case in CASES if case in WITH_PATHS),
    ],
)
def test_the_same_bits_as_here(client, case, method, monkeypatch):
    estimator, data = CASES[case]
    run = lambda **options: getattr(clone(estimator), method)(  # noqa: E731
        data[0], data[1], **weights_of(data), **options
    )
    watched = Watched(monkeypatch)
    model = in_time(lambda: run(client=client))
    assert watched.n_searches
    assert content(model) == content(run())
    n_rows = len(data[1])
    assert max(watched.sizes) <= (16 if case == "best subsets" else 8) * n_rows + 300
    # Of all rows, and of each fold; where the folds choose the number of conditions, for each number.
    assert watched.n_spaces <= (9 if case == "rules of any length" else 3)


def test_small_searches_stay_here(client, monkeypatch):
    monkeypatch.setattr(cluster.DaskSearches, "patience", 60.0)
    watched = Watched(monkeypatch)
    assert content(clone(MODEL).fit(*DATA, client=client)) == content(clone(MODEL).fit(*DATA))
    assert not watched.n_searches


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 1e-3])
def test_a_try_here_that_takes_too_long_goes_on_there(client, monkeypatch, seconds):
    monkeypatch.setattr(cluster.DaskSearches, "patience", seconds)
    watched = Watched(monkeypatch)
    assert content(clone(MODEL).fit(*DATA, client=client)) == content(clone(MODEL).fit(*DATA))
    assert watched.n_searches or seconds > 1e-9


def test_the_certificate_and_the_questions(client):
    model = in_time(lambda: clone(MODEL).fit(*DATA, client=client))
    here = clone(MODEL).fit(*DATA)
    assert model.certificate_.complete
    assert model.certificate_.nodes == here.certificate_.nodes
    assert model.near_ties() == here.near_ties()
    assert [c.gap for c in np.atleast_1d(model.verify(*DATA))] == [
        c.gap for c in np.atleast_1d(here.verify(*DATA))
    ]


def test_a_cluster_in_this_process():
    with started(processes=False, n_workers=1, threads_per_worker=2) as own, connected(own) as client:
        model = in_time(lambda: clone(MODEL).fit(*DATA, client=client))
    assert content(model) == content(clone(MODEL).fit(*DATA))


def test_with_a_checkpoint(client, tmp_path):
    model = in_time(lambda: clone(MODEL).fit(*DATA, client=client, checkpoint=tmp_path))
    assert content(clone(MODEL).fit(*DATA, checkpoint=tmp_path)) == content(model)


def fitted_in_a_task():
    with distributed.worker_client(separate_thread=False) as inner:
        return content(clone(MODEL).fit(*DATA, client=inner))


def test_within_a_task_it_stays_there(client):
    found = in_time(lambda: client.submit(fitted_in_a_task, pure=False).result())
    assert found == content(clone(MODEL).fit(*DATA))


def test_odd_data(client):
    for X, y in [
        (np.zeros((2, 1)), [1.0, 2.0]),
        (np.full((4, 2), np.nan), [0.0, 1, 2, 3]),
        (np.ones((5, 2)), np.ones(5)),
    ]:
        model = in_time(lambda X=X, y=y: RuleRegressor(alpha=0.1).fit(X, y, client=client))
        assert content(model) == content(RuleRegressor(alpha=0.1).fit(X, y))


def test_what_is_no_client(client):
    for given in ("tcp://localhost:8786", 4):
        with pytest.raises(TypeError, match=r"client: got .*; give a dask.distributed.Client"):
            clone(MODEL).fit(*DATA, client=given)
    other = connected(client.cluster)
    other.close()
    with pytest.raises(ValueError, match="client: it is closed"):
        clone(MODEL).fit(*DATA, client=other)


def test_errors_of_the_data_come_first(client):
    model = clone(MODEL)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(DATA[0], np.full(200, np.nan), client=client)
    assert not hasattr(model, "rules_")


# ------------------------------------------------------------------ limits and interrupts

HARD = RuleRegressor(alpha=1e-4, max_features=None, linear=False, bins=30, n_jobs=1)
LARGE = problem(600, 12)


def test_a_time_limit_ends_a_search(client):
    model = clone(HARD).set_params(time_limit=2.0)
    began = time.monotonic()
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        in_time(lambda: model.fit(*LARGE, client=client))
    assert time.monotonic() - began < 12  # on a machine with much other work
    assert not model.certificate_.complete
    assert model.certificate_.dual <= model.certificate_.primal


@LINUX
def test_ctrl_c_ends_a_search(client):
    model = clone(HARD)
    timer = threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*LARGE, client=client)
    assert time.monotonic() - began < 12
    assert not hasattr(model, "rules_")
    # The cluster is of use afterwards.
    assert content(in_time(lambda: clone(MODEL).fit(*DATA, client=client))) == content(
        clone(MODEL).fit(*DATA)
    )


# ------------------------------------------------------------------ workers that end, join or are slow


def first_pid(client):
    return min(client.run(os.getpid).values())


def test_a_killed_worker_is_replaced(client, monkeypatch):
    expected = content(clone(MODEL).fit(*DATA))
    Watched(monkeypatch, lambda: os.kill(first_pid(client), 9))
    assert content(in_time(lambda: clone(MODEL).fit(*DATA, client=client))) == expected
    client.wait_for_workers(2, timeout=SECONDS)  # of other tests


def test_the_only_worker_is_killed_and_others_join(monkeypatch):
    expected = content(clone(MODEL).fit(*DATA))
    with started(n_workers=1) as own, connected(own) as client:
        watched = Watched(monkeypatch, lambda: os.kill(first_pid(client), 9))
        assert content(in_time(lambda: clone(MODEL).fit(*DATA, client=client))) == expected
        assert watched.n_spaces == 2

        def join():
            own.scale(3)
            client.wait_for_workers(3, timeout=SECONDS)

        monkeypatch.undo()
        monkeypatch.setattr(cluster.DaskSearches, "patience", 0.0)
        Watched(monkeypatch, join)
        assert content(in_time(lambda: clone(MODEL).fit(*DATA, client=client))) == expected
        keys = client.run(lambda dask_worker: len(dask_worker.state.log))
        assert len(keys) == 3
        assert min(keys.values()) > 0


def test_a_killed_worker_is_named_where_none_may_fail(monkeypatch, tmp_path):
    strict = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with strict, started(n_workers=1) as own, connected(own) as client:
        Watched(monkeypatch, lambda: os.kill(first_pid(client), 9), at=3)
        model = clone(MODEL)
        with pytest.raises(RuntimeError, match=r"client: a worker ended during a search \((Killed|Lost)"):
            in_time(lambda: model.fit(*DATA, client=client, checkpoint=tmp_path))
        assert not hasattr(model, "rules_")
        # A second call goes on from the searches that were finished, on the same cluster.
        watched = Watched(monkeypatch)
        model = in_time(lambda: clone(MODEL).fit(*DATA, client=client, checkpoint=tmp_path))
        assert content(model) == content(clone(MODEL).fit(*DATA))
        assert watched.n_searches == model.certificate_.searches - 2


@LINUX
@pytest.mark.slow
def test_a_worker_that_is_slow(client, monkeypatch):
    expected = content(clone(MODEL).fit(*DATA))
    pid = first_pid(client)

    def pause():
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(2.0, lambda: os.kill(pid, signal.SIGCONT)).start()

    Watched(monkeypatch, pause)
    assert content(in_time(lambda: clone(MODEL).fit(*DATA, client=client))) == expected


@LINUX
@pytest.mark.slow
def test_a_time_limit_ends_a_fit_whose_workers_hang(client):
    pids = list(client.run(os.getpid).values())
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.warns(ConvergenceWarning, match="time_limit"):
            in_time(lambda: clone(MODEL).set_params(time_limit=1.0).fit(*DATA, client=client))
        assert time.monotonic() - began < 10
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_all_workers_are_gone(monkeypatch):
    with started(n_workers=1) as own, connected(own) as client:
        own.scale(0)
        end = time.monotonic() + SECONDS
        while client.ncores() and time.monotonic() < end:
            time.sleep(0.05)
        patient = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
        with patient, pytest.raises(TimeoutError, match="client: the cluster has no worker"):
            in_time(lambda: clone(MODEL).fit(*DATA, client=client))


@pytest.mark.slow
def test_a_closed_client_ends_the_fit(client, monkeypatch):
    other = connected(client.cluster)
    Watched(monkeypatch, other.close)
    with pytest.raises(RuntimeError, match=r"client: it is clos.*, and the fit cannot go on"):
        in_time(lambda: clone(MODEL).fit(*DATA, client=other))


def test_what_is_sent_survives_a_pickle():
    taken = []

    class Here:
        """Answers parts in this process."""

        patience = 0.0

        def n_threads(self):
            return 2

        def search(self, job):
            space, query = pickle.loads(pickle.dumps((job.space(), job.query())))
            assert space.__sizeof__() > query.__sizeof__() > 0
            for part, (first, last) in enumerate(job.parts):
                taken.append((job.scope, part))
                job.take(part, space.search(query, first, last, job.seconds))
            assert job.goes_on()

    records = [[0, 1], [1], [0, 2], [2, 1], [0]] * 4
    labels = [1, 0, 1, 0, 1] * 4
    model = ItemsetClassifier(alpha=0.05)
    expected = content(clone(model).fit(records, labels))
    assert content(model._fit(GivenRows(records, labels), searches=Here())) == expected
    assert taken
    with pytest.raises(ValueError, match="damaged"):
        _native.SearchSpace(b"other bytes")
    with pytest.raises(ValueError, match="damaged"):
        _native.SearchQuery(b"")
