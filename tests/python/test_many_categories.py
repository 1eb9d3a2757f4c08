"""Warnings about columns of many categories: those that fit by chance, and those that hardly repeat."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone

from thresher import (
    FactorizationMachineRegressor,
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    RuleClassifier,
    RuleRegressor,
)
from thresher.estimators.additive._chance import chance_of, relation_of

pd = pytest.importorskip("pandas")


def table(seed, effect, n=800, n_levels=60):
    """Two columns of numbers, and categories with an effect of half of them."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame({"a": r.normal(size=n), "b": r.normal(size=n)})
    codes = r.integers(0, n_levels, n)
    X["shop"] = [f"s{code}" for code in codes]
    z = X["a"].to_numpy() + np.where(r.random(n_levels) < 0.5, -effect, effect)[codes]
    return X, z, r


def said(model, X, y, sample_weight=None):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight)
    assert "shop" in [shape.feature_name for shape in model.shape_functions_]
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("params", [{}, {"loss": "exponential"}, {"class_weight": "balanced"}])
def test_categories_that_fit_by_chance_are_named(params):
    counts = {}
    for effect in (0.0, 1.0):
        counts[effect] = 0
        for seed in range(5):
            X, z, r = table(seed, effect)
            y = r.random(len(z)) < expit(z - 1)
            found = said(L0AdditiveClassifier(lambda0=2.0, bins=20, max_swaps=0, **params), X, y)
            assert all("'shop' is in the model with its 60 categories" in each for each in found)
            assert all("exclude=['shop']" in each and "'other'" in each for each in found)
            counts[effect] += len(found)
    assert counts[0.0] >= 3
    assert counts[1.0] == 0


def test_numbers_have_the_same_test():
    for effect, is_said in ((0.0, True), (1.0, False)):
        X, z, r = table(3, effect)
        found = said(L0AdditiveRegressor(lambda0=3.0, bins=20), X, z + r.normal(size=len(z)))
        assert bool(found) == is_said


def test_tables_in_batches_have_the_same_test():
    X, z, r = table(1, 0.0)
    y = r.random(len(z)) < expit(z)
    in_memory = said(L0AdditiveClassifier(lambda0=2.0), X, y)
    X["y"] = y
    assert in_memory == said(L0AdditiveClassifier(lambda0=2.0), [X[:300], X[300:]], "y") != []


def test_few_categories_are_not_tested():
    X, z, r = table(0, 0.0, n_levels=9)
    assert not said(L0AdditiveClassifier(lambda0=0.1, ridge=0.01), X, r.random(len(z)) < expit(z))


@pytest.mark.parametrize("loss", ["squared", "logistic", "exponential"])
def test_the_chance_is_uniform_without_a_relation(loss):
    r = np.random.default_rng(0)
    found = []
    for _ in range(400):
        codes = r.choice(40, 500, p=r.dirichlet(np.full(40, 1.0))).astype(np.int32) - 1
        rest = r.normal(size=500)
        if loss == "squared":
            y = rest + 5.0 + r.normal(size=500)
        else:
            y = np.where(r.random(500) < expit(rest - 2.5), 1.0, -1.0)
        rest = rest / 2 if loss == "exponential" else rest
        found.append(chance_of(codes, y, rest, np.ones(500), loss))
    for level in (0.05, 0.2, 0.5, 0.8):
        assert np.mean(np.asarray(found) < level) == pytest.approx(level, abs=0.08)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_weights_count_as_rows(loss):
    r = np.random.default_rng(2)
    codes, weights = r.integers(0, 15, 200).astype(np.int32), r.integers(0, 4, 200)
    y = r.normal(size=200) if loss == "squared" else np.where(r.random(200) < 0.3, 1.0, -1.0)
    rest = r.normal(size=200) / 3
    rows = np.repeat(np.arange(200), weights)
    one = chance_of(codes, y, rest, weights.astype(float), loss)
    assert one == pytest.approx(chance_of(codes[rows], y[rows], rest[rows], np.ones(rows.size), loss))


def test_log_odds_without_curvature_have_a_relation():
    found = relation_of(np.arange(40) % 4, np.ones(40), np.full(40, 800.0), np.ones(40), "logistic")
    assert np.isfinite(found).all()


def test_the_scale_of_weights_does_not_matter():
    X, z, r = table(5, 0.0)
    y, weights = r.random(len(z)) < expit(z), r.random(len(z)) + 0.5
    small = said(L0AdditiveClassifier(lambda0=2.0), X, y, weights)
    large = said(L0AdditiveClassifier(lambda0=2e4), X, y, 1e4 * weights)
    assert small == large != []


@pytest.mark.parametrize("model", [RuleClassifier(alpha=0.05), HierarchicalRuleClassifier(alpha=0.1)])
def test_rules_name_categories_that_hardly_repeat(model):
    r = np.random.default_rng(0)
    X = pd.DataFrame({"a": r.normal(size=60), "id": [f"k{k // 2}" for k in range(60)]})
    with pytest.warns(UserWarning, match="column 'id' has 30 categories in 60 rows .* Leave it out of X"):
        model.fit(X, X["a"] > 0)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%d %H:%M"])
@pytest.mark.parametrize(
    "model",
    [
        RuleRegressor(alpha=0.1),
        L0AdditiveRegressor(lambda0=5.0),
        HierarchicalRuleRegressor(alpha=0.1),
        FactorizationMachineRegressor(alpha=0.1),
    ],
)
def test_dates_as_text_are_named(model, form):
    r = np.random.default_rng(0)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(r.integers(0, 9, 120), unit="D")
    X = pd.DataFrame({"a": r.normal(size=120), "day": days.strftime(form)})
    y = X["a"] + (days.day == 3)
    with pytest.warns(
        UserWarning, match="column 'day' holds dates as text, such as '.*2024.*days since a date"
    ):
        model.fit(X, y)
    chosen = clone(model).set_params(categorical_features=["day"])
    months = X.assign(day=days.strftime("%Y-%m"))
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        chosen.fit(X, y)
        clone(model).fit(months, y)
    assert not [str(each.message) for each in shown if "dates" in str(each.message)]


def test_dates_that_a_card_leaves_out_are_not_named():
    r = np.random.default_rng(0)
    X = pd.DataFrame({"a": r.normal(size=60), "day": ["2024-01-01", "2024-01-02"] * 30})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        L0AdditiveRegressor(lambda0=5.0, exclude=["day"]).fit(X, X["a"])


@pytest.mark.parametrize("rare", ["a", "z"])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_categories_of_rows_of_weight_0_change_nothing(rare, loss):
    X, z, r = table(3, 1.0)
    y = z + r.normal(size=len(z)) if loss == "squared" else r.random(len(z)) < expit(2 * z)
    model = (L0AdditiveRegressor if loss == "squared" else L0AdditiveClassifier)(lambda0=2.0)
    weights = np.ones(len(z))
    weights[[0, 400]] = 0.0
    X.loc[[0, 400], "shop"] = [rare, None]
    counted = weights > 0
    warnings_of_all = said(model, X, y, weights)
    found = model.drop_column_importance(X, y, weights).columns_
    card = str(model.score_card())
    assert said(model, X[counted], y[counted]) == warnings_of_all
    assert model.drop_column_importance(X[counted], y[counted]).columns_ == found
    assert str(model.score_card()) == card
    edit = {"a": [-0.5, 0.5], "shop": [["s0", "s1"], ...]}
    with_all = model.edit_bins(X, y, edit, weights)
    assert str(with_all.model.score_card()) == str(
        model.edit_bins(X[counted], y[counted], edit).model.score_card()
    )
