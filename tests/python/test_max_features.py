"""`max_features="auto"`: the folds that choose the strength choose the number of conditions."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import thresher as th

SMALL = {"bins": 4, "n_alphas": 15, "cv": 3, "alpha_min_ratio": 0.05}


def fitted(model, X, y, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, **given)


def table(seed: int, n: int, d: int) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(n, d)).round(2)
    if seed % 3 == 0:
        X[np.random.default_rng(seed + 1).random(X.shape) < 0.1] = np.nan
    return X


def truth(X: np.ndarray, length: int) -> np.ndarray:
    X = np.nan_to_num(X)
    if length == 1:
        return (X[:, 0] > 0) * 2.0 + (X[:, 1] > 0.3) * 1.0
    return 4.0 * np.all(X[:, :length] > 0, axis=1)


OPTIONS = [
    {},
    {"linear": False},
    {"one_standard_error": True},
    {"relax": "cv"},
    {"group_sparsity": 0.5},
    {"max_terms": 4},
    {"max_rules": 3},
    {"max_rules": 3, "penalty": "l0", "ridge": 0.1},
    {"min_support": 5, "positive": True},
    {"loss": ("huber", 0.5)},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "default")
@pytest.mark.parametrize("seed", range(4))
def test_the_model_is_that_of_a_fit_with_the_chosen_number(options, seed):
    rng = np.random.default_rng(seed)
    X = table(seed, 90, 4)
    y = truth(X, 1 + seed % 3) + rng.normal(size=90) * 0.5
    weights = rng.integers(0, 3, 90).astype(float) if seed == 2 else None
    model = fitted(th.RuleRegressor(**SMALL, **options), X, y, sample_weight=weights)
    assert model.max_features == "auto"
    assert model.max_features_ in (1, 2, 3)
    same = fitted(
        th.RuleRegressor(**SMALL, **options, max_features=model.max_features_), X, y, sample_weight=weights
    )
    assert model.alpha_ == same.alpha_ or np.isnan(model.alpha_)
    assert [str(rule) for rule in model.rules_] == [str(rule) for rule in same.rules_]
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    assert model.certificate_.n_candidates == same.certificate_.n_candidates
    assert model.max_features_ == 3 or "max_rules" not in options
    assert all(rule.length <= model.max_features_ for rule in model.rules_)
    model.verify(X, y, sample_weight=weights)


@pytest.mark.parametrize("length", [2, 3])
def test_it_follows_the_truth(length):
    rng = np.random.default_rng(length)
    X = rng.normal(size=(1_000, 5))
    y = truth(X, length) + 0.3 * rng.normal(size=1_000)
    assert fitted(th.RuleRegressor(), X, y).max_features_ == length
    labels = np.where(truth(X, length) > 1, "high", "low")
    assert fitted(th.RuleClassifier(linear=False), X, labels).max_features_ <= length


def test_one_condition_is_enough_for_effects_that_add_up():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 12))
    y = sum((X[:, j] > 0.2 * j - 0.6) * (1.0 + j) for j in range(6)) + rng.normal(size=200)
    assert fitted(th.RuleRegressor(), X, y).max_features_ == 1


def test_an_empty_model_is_one_of_all_rules():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(100, 4)), rng.normal(size=100)
    model = fitted(th.RuleRegressor(**SMALL), X, y)
    assert not model.rules_
    assert not model.linear_coef_.any()
    assert model.max_features_ == 3


def test_several_outputs_share_it():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 4))
    y = np.column_stack([truth(X, 1), truth(X, 2)]) + 0.3 * rng.normal(size=(200, 2))
    model = fitted(th.RuleRegressor(**SMALL), X, y)
    assert model.max_features_ == 2
    classes = np.digitize(y[:, 1], [0.5, 3.0])
    assert fitted(th.RuleClassifier(**SMALL), X, classes).max_features_ in (1, 2, 3)


@pytest.mark.parametrize("alpha", [0.1, "bic", "ebic"])
def test_without_folds_it_is_three(alpha):
    X = table(1, 80, 4)
    model = fitted(th.RuleRegressor(alpha=alpha, n_alphas=5, bins=3), X, truth(X, 1))
    assert model.max_features_ == 3
    path = th.RuleRegressor(n_alphas=3, bins=3).fit_path(X, truth(X, 1))
    assert path.max_features_ == 3


def test_a_saved_model_knows_it(tmp_path):
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    y = truth(X.to_numpy(), 2) + 0.3 * rng.normal(size=150)
    model = fitted(th.RuleRegressor(**SMALL), X, y)
    assert model.max_features_ == 2
    path = tmp_path / "model.json"
    model.to_json(path)
    loaded = th.load_model(path)
    assert (loaded.max_features, loaded.max_features_) == ("auto", 2)
    loaded.verify(X, y)
    assert "max_features=2" in str(model.price("a > 0 and b > 0 and c > 0"))
    assert model.path_.at(model.path_.alphas[-1]).max_features == 2
    assert clone(model).max_features == "auto"
    # Nobody may widen or narrow the rules that the model was chosen from.
    saved = json.loads(path.read_text())
    saved["model"]["language"]["max_features"] = 1
    path.write_text(json.dumps(saved))
    with pytest.raises(th.FormatError, match="at most 1"):
        th.load_model(path)


def test_time_that_ends_a_comparison_gives_a_model():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2_000, 30))
    y = truth(X, 3) + rng.normal(size=2_000)
    for limit in (1.0, 2.0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = th.RuleRegressor(time_limit=limit).fit(X, y)
        assert model.max_features_ in (1, 2, 3)
        assert np.isfinite(model.certificate_.relative_gap)


def test_other_values_are_refused():
    for bad in ("cv", 0, 1.5):
        with pytest.raises(ValueError, match="max_features"):
            th.RuleRegressor(max_features=bad).fit(table(1, 20, 2), np.arange(20.0))
