"""What a silent fit says if it takes long."""

import logging

import numpy as np
import pytest

from contract.members import CASES
from thresher import (
    FactorizationMachineRegressor,
    L0AdditiveClassifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    progress,
)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_told", set())


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "thresher"]


@pytest.mark.thread_unsafe
@pytest.mark.parametrize("case", [case for case in CASES if "time_limit" not in case.params], ids=str)
def test_a_long_fit_says_once_how_to_end_it(case, caplog, impatient):
    model, X, y = case.fitted()
    caplog.clear()
    progress._told.clear()
    model.fit(X, y)
    message = said(caplog)[0]
    assert message.startswith(f"{type(model).__name__}.fit goes on after 0 s (")
    assert "time_limit=60" in message
    assert ("with its gap" in message) == hasattr(model, "certificate_")
    assert message.endswith(f"; it takes less time with {' or '.join(model._faster())}.")
    caplog.clear()
    model.fit(X, y)
    assert not said(caplog)


@pytest.mark.parametrize(
    ("estimator", "advised", "given"),
    [
        (RuleClassifier, "max_features=2", {"max_features": 2}),
        (RuleClassifier, "max_features=2", {"max_features": 1}),
        (RuleClassifier, "max_features=1 (for many columns or classes)", {"max_features": 1}),
        (L0AdditiveClassifier, "bins=20", {"bins": 20}),
        (L0AdditiveClassifier, "gap_tol=None (without a proof)", {"gap_tol": None}),
        (L0Regressor, "gap_tol=None (without a proof)", {"gap_tol": None}),
        (L0Regressor, "a number for lambda0", {"lambda0": 2.0}),
        (FactorizationMachineRegressor, "a number for alpha", {"alpha": 0.1}),
        (FactorizationMachineRegressor, "a number for alpha", {"penalty": None}),
        (FactorizationMachineRegressor, "a smaller rank", {"rank": 1}),
    ],
)
def test_the_advice_names_nothing_that_is_set(estimator, advised, given):
    assert advised in estimator(**({"gap_tol": 0.0} if "gap_tol" in given else {}))._faster()
    assert advised not in estimator(**given)._faster()


def test_a_long_fit_of_pairs_of_columns_is_advised_to_use_single_ones():
    assert RuleClassifier(max_features=2)._faster()[0].startswith("max_features=1 (")


@pytest.mark.thread_unsafe
@pytest.mark.parametrize("params", [{"time_limit": 100}, {"verbose": 1}], ids=str)
def test_a_fit_with_a_limit_or_with_messages_needs_no_hint(params, caplog, impatient):
    X = np.random.default_rng(0).normal(size=(60, 3))
    with caplog.at_level(logging.WARNING, logger="thresher"):
        RuleRegressor(**params).fit(X, X[:, 0])
    assert not said(caplog)


def test_short_fits_are_silent(caplog):
    X = np.random.default_rng(0).normal(size=(60, 3))
    RuleRegressor().fit(X, X[:, 0])
    assert not said(caplog)
