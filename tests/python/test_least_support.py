"""The least support of a rule or pattern: rows of weight 0 do not count, and empty models name it."""

import numpy as np
import pytest
from sklearn.base import clone

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
    assert " no pattern holds for min_support=59 of the records." in str(model.summary())
    assert "min_support" not in str(ItemsetRegressor(alpha=5.0).fit(SETS, Y).summary())


@pytest.mark.parametrize(
    ("params", "note"),
    [
        (
            {"max_patterns": 3},
            "has the least held-out error; a larger min_support, such as 0.05, leaves out patterns",
        ),
        ({"max_patterns": 3, "min_support": 5}, "has the least held-out error, or no pattern holds for"),
        ({}, "has the least held-out error."),
        ({"one_standard_error": True}, "has one within a standard error of the least held-out error."),
    ],
)
def test_an_empty_model_says_what_was_compared(params, note):
    noise = np.random.default_rng(7).normal(size=60)
    model = ItemsetRegressor(**params).fit(SETS, noise)
    assert not model.patterns_
    assert f"intercept: of the models compared the one without terms {note}" in str(model.summary())


@pytest.mark.parametrize(("model", "rows"), MODELS, ids=lambda each: type(each).__name__)
def test_a_fraction_is_one_of_the_rows_that_count(model, rows):
    few = clone(model).set_params(min_support=(N_COUNTED - 0.5) / 30).fit(rows, Y, WEIGHTS)
    terms = few.rules_ if isinstance(few, RuleRegressor) else few.patterns_
    assert N_COUNTED in {term.n_rows for term in terms}
    many = clone(model).set_params(min_support=(N_COUNTED + 0.5) / 30).fit(rows, Y, WEIGHTS)
    terms = many.rules_ if isinstance(many, RuleRegressor) else many.patterns_
    assert N_COUNTED not in {term.n_rows for term in terms}
    few.verify(rows, Y, WEIGHTS)


@pytest.mark.parametrize("weight", [0.01, 100.0])
def test_a_price_compares_the_number_of_rows_as_the_fit_does(weight):
    rows, target = [{"a"}] * 6 + [{"b"}] * 24 + [set()] * 30, np.repeat([1.0, 0.0], [6, 54])
    weights = np.where(target > 0, weight, 1.0)
    allowed = ItemsetRegressor(alpha=1e-4, min_support=0.1, max_items=1).fit(rows, target, weights)
    assert "a" in {pattern.text for pattern in allowed.patterns_}
    assert not allowed.price({"a"}).exclusion_reason
    excluded = ItemsetRegressor(alpha=1e-4, min_support=0.11, max_items=1).fit(rows, target, weights)
    assert "a" not in {pattern.text for pattern in excluded.patterns_}
    price = excluded.price({"a"})
    assert price.exclusion_reason == "it holds 6 times in training, and min_support=0.11 asks for 7 of 60"
