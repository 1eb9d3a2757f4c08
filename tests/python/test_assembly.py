"""Models are put together from their documents in little time: no search for garbage, shared conditions."""

import gc

import numpy as np
import pytest

from thresher import RuleRegressor
from thresher.garbage import uncollected

X = np.random.default_rng(0).normal(size=(200, 3))
Y = X[:, 0] * (X[:, 1] > 0) + 0.3 * X[:, 2]


@pytest.mark.thread_unsafe
def test_nothing_is_collected_while_a_model_is_put_together(monkeypatch):
    found = []
    attributes = RuleRegressor._fitted_attributes

    def watched(self, *args):
        found.append(gc.isenabled())
        return attributes(self, *args)

    monkeypatch.setattr(RuleRegressor, "_fitted_attributes", watched)
    RuleRegressor(alpha=0.05).fit(X, Y)
    assert found == [False]
    assert gc.isenabled()


@pytest.mark.thread_unsafe
def test_the_collection_is_as_before_whatever_happens():
    with pytest.raises(KeyError), uncollected():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_rules_share_their_intervals():
    rules = RuleRegressor(alpha=0.01, max_features=2).fit(X, Y).rules_
    conditions = [c for rule in rules for c in (*rule.conditions, *rule.closure)]
    assert len({id(c) for c in conditions}) == len(set(conditions)) < len(conditions) / 2
