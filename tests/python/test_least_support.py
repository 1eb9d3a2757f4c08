"""The least support of a rule or pattern: rows of weight 0 do not count, and empty models name it."""

import numpy as np
import pytest

from thresher import ItemsetRegressor, RuleRegressor, SequenceRegressor

RNG = np.random.default_rng(0)
ITEMS = RNG.random((60, 3)) < 0.5
SETS = [{"abc"[k] for k in np.flatnonzero(row)} for row in ITEMS]
Y = ITEMS[:, 0] + RNG.normal(0, 0.1, 60)
WEIGHTS = (np.arange(60) < 30) * 1.0
N_COUNTED = int(ITEMS[:30, 0].sum())

MODELS = [
    (ItemsetRegressor(alpha=0.01, max_items=1), SETS),
    (SequenceRegressor(alpha=0.01, max_length=1), [sorted(own) for own in SETS]),
    (RuleRegressor(alpha=0.01, max_features=1, linear=False), ITEMS[:, :1] * 1.0),
]


@pytest.mark.parametrize(("model", "rows"), MODELS, ids=lambda each: type(each).__name__)
def test_rows_of_weight_0_do_not_count(model, rows):
    model.set_params(min_support=N_COUNTED).fit(rows, Y, WEIGHTS)
    terms = model.rules_ if isinstance(model, RuleRegressor) else model.patterns_
    assert N_COUNTED in {term.n_rows for term in terms}
    assert int(ITEMS[:, 0].sum()) > N_COUNTED + 1
    model.set_params(min_support=N_COUNTED + 1).fit(rows, Y, WEIGHTS)
    terms = model.rules_ if isinstance(model, RuleRegressor) else model.patterns_
    assert N_COUNTED not in {term.n_rows for term in terms}
    model.set_params(min_support=1)


@pytest.mark.parametrize("alpha", [0.01, "cv", "bic"])
def test_an_empty_model_names_its_least_support(alpha):
    model = ItemsetRegressor(alpha=alpha, min_support=59).fit(SETS, Y)
    assert not model.patterns_
    assert ", or no pattern holds for min_support=59 of the records." in str(model.summary())
    assert "min_support" not in str(ItemsetRegressor(alpha=5.0).fit(SETS, Y).summary())
