"""Interrupts and budgets: a fit ends soon after it is told to, with the truth or with no change."""

import logging
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from .data import ITEMSETS
from .members import cases_that, every_case, every_estimator

pytestmark = pytest.mark.thread_unsafe

LATE = 2.0  # seconds between a signal and its exception: 0.1 where nothing else runs


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # an interrupt lost as below
@every_estimator
def test_an_interrupt_ends_a_fit_and_changes_nothing(case):
    model, X, y = case.slow_problem()
    kept = dict(vars(model))
    sent, ended = [], threading.Event()

    def interrupt():
        # Again where the first one was lost: Python ignores exceptions in callbacks of its garbage collector.
        wait = 0.4
        while not ended.wait(wait):
            sent.append(time.perf_counter())
            signal.raise_signal(signal.SIGINT)
            wait = 3 * LATE

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        late = time.perf_counter() - sent[-1]
    finally:
        ended.set()
        thread.join()
    assert late < LATE
    assert vars(model) == kept
    small, target = case.problem()
    assert case.model().fit(small, target).predict(small).shape == target.shape


def fit_within(model, X, y, limit):
    """Fit under the first limit within which a busy machine reads the data; the seconds over it."""
    started = time.perf_counter()
    try:
        model.set_params(time_limit=limit).fit(X, y)
    except TimeoutError:
        return fit_within(model, X, y, 2 * limit)
    return time.perf_counter() - started - limit


@every_estimator
def test_time_limit_gives_the_best_so_far_with_its_gap(case):
    model, X, y = case.slow_problem()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        late = fit_within(model, X, y, 0.3)
    assert any("time_limit" in str(w.message) for w in caught if w.category is ConvergenceWarning)
    assert late < 2 * LATE
    rows = case.source.take(X, np.arange(5))
    assert model.predict(rows).shape == (5,)
    if hasattr(model, "certificate_"):
        certificate = model.certificate_
        assert not certificate.complete
        assert certificate.dual <= certificate.primal
        assert certificate.relative_gap > 0


@every_case
def test_limits_that_suffice_change_nothing(case):
    model, X, y = case.fitted()
    limited = case.model(time_limit=600.0, memory_limit=2**32).fit(X, y)
    for one, two in zip(case.answers(model, X), case.answers(limited, X), strict=True):
        np.testing.assert_array_equal(one, two)


@every_estimator
def test_an_infinite_time_is_no_limit(case):
    model, X, y = case.fitted()
    free = case.model(time_limit=float("inf")).fit(X, y)
    for one, two in zip(case.answers(model, X), case.answers(free, X), strict=True):
        np.testing.assert_array_equal(one, two)
    assert type(free).from_json(free.to_json()).time_limit == float("inf")


@every_estimator
def test_memory_limit_too_small_for_the_data(case):
    model, X, y = case.fitted()
    kept = dict(vars(model))
    with pytest.raises(MemoryError, match=r"memory_limit|100 bytes do not hold"):
        model.set_params(memory_limit=100).fit(X, y)
    model.set_params(memory_limit=None)
    assert vars(model).keys() == kept.keys()
    assert all(vars(model)[name] is value for name, value in kept.items())


LEAST = {"max_iter": 1, "max_hull": 2}


@cases_that(lambda case: any(case.takes(name) for name in LEAST) and not case.name.endswith(("cv", "bic")))
def test_the_warning_names_the_limit_that_ended_the_fit(case):
    [name] = [name for name in LEAST if case.takes(name)]
    X, y = case.problem(150, 10) if case.source is ITEMSETS else case.problem()
    given = {**case.params, **case.slow, name: LEAST[name], "tol": 1e-12}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = case.estimator(**given).fit(X, y)
    messages = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    if hasattr(model, "certificate_") and model.certificate_.complete:
        assert not messages  # the limit was enough
        return
    assert messages[0].startswith(name)
    if hasattr(model, "certificate_"):
        assert not model.certificate_.complete
        assert model.certificate_.relative_gap > 1e-12
        assert "stopped" in str(model.certificate_)


@pytest.mark.slow
@every_estimator
def test_other_threads_go_on_during_a_fit(case):
    model, X, y = case.slow_problem()
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit_within(model, X, y, 0.4)
    seconds = time.perf_counter() - started
    done.set()
    thread.join()
    assert seconds > 0.3  # long enough to have been in the core for most of it
    assert len(ticks) > 10 * seconds


@every_estimator
def test_fits_in_several_threads_at_once(case):
    model, X, y = case.fitted()
    wanted = model.predict(X).tolist()
    found = []

    def work():
        found.append(case.model(n_jobs=1).fit(X, y).predict(X).tolist() == wanted)
        found.append(model.predict(X).tolist() == wanted)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [True] * 8


@every_estimator
def test_verbose_speaks_through_the_log(case, caplog):
    X, y = case.problem()
    with caplog.at_level(logging.INFO, logger="thresher"):
        case.model(verbose=1).fit(X, y)
    assert len(caplog.records) < 100
    assert all(record.name.startswith("thresher") for record in caplog.records)
