"""Limits on the number of terms, and relaxed coefficients."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from thresher import CertificateError, ItemsetClassifier, Relaxation, RuleClassifier, RuleRegressor

X, Y = load_diabetes(return_X_y=True)
SETTINGS = {"penalty": "l1", "bins": 5, "max_features": 2}


@pytest.mark.parametrize("k", [1, 3, 5, 8, 13, 20])
def test_a_limit_on_the_rules_is_reached(k):
    path = RuleRegressor(max_rules=k, linear=False, n_alphas=8, **SETTINGS).fit_path(X, Y).path_
    assert path.n_rules[-1] == k
    assert all(np.diff(path.alphas) < 0)
    assert max(path.relative_gap) <= 1e-6


@pytest.mark.parametrize("limit", ["max_rules", "max_linear", "max_terms"])
def test_what_each_limit_counts(limit):
    model = RuleRegressor(**{limit: 4}, n_alphas=10, alpha_min_ratio=1e-3, **SETTINGS).fit_path(X, Y)
    counts = {"max_rules": len(model.rules_), "max_linear": np.count_nonzero(model.linear_coef_)}
    counts["max_terms"] = sum(counts.values())
    assert counts[limit] == 4


def test_no_linear_terms():
    model = RuleRegressor(max_linear=0, n_alphas=5, **SETTINGS).fit_path(X, Y)
    assert not model.linear_coef_.any()


def test_the_limit_holds_at_a_given_alpha_and_by_cross_validation():
    assert (
        len(RuleRegressor(alpha=1e-3, max_rules=4, n_alphas=5, linear=False, **SETTINGS).fit(X, Y).rules_)
        == 4
    )
    model = RuleRegressor(max_rules=6, n_alphas=10, linear=False, cv=3, **SETTINGS).fit(X, Y)
    assert 0 < len(model.rules_) <= 6


@pytest.mark.parametrize("max_rules", [None, 6])
def test_cross_validation_never_chooses_worse_than_the_l1_solution(max_rules):
    settings = {"max_rules": max_rules, "n_alphas": 20, "linear": False, "cv": 3, **SETTINGS}
    plain = RuleRegressor(**settings).fit(X, Y)
    relaxed = RuleRegressor(relax="cv", **settings).fit(X, Y)
    assert min(relaxed.path_.cv_mean) <= min(plain.path_.cv_mean)
    assert plain.relaxation_ is None
    assert isinstance(relaxed.relaxation_, Relaxation)


def test_relaxed_at_a_given_alpha():
    settings = {"alpha": 3.0, "linear": False, "cv": 3, **SETTINGS}
    plain, model = RuleRegressor(**settings).fit(X, Y), RuleRegressor(relax="cv", **settings).fit(X, Y)
    assert model.alpha_ == plain.alpha_ == 3.0
    assert {r.text for r in model.rules_} <= {r.text for r in plain.rules_}
    assert len(model.path_.cv_mean) == 1
    assert "L1 solution" in str(model.certificate_)
    assert "L1 solution" not in str(plain.certificate_)


def test_the_blend_lies_between():
    settings = {"alpha": 3.0, "linear": True, **SETTINGS}
    l1, half, full = (RuleRegressor(relax=relax, **settings).fit(X, Y) for relax in (None, 0.5, 1.0))
    np.testing.assert_allclose(half.predict(X), 0.5 * (l1.predict(X) + full.predict(X)), rtol=1e-9)
    losses = [np.mean((Y - model.predict(X)) ** 2) for model in (l1, half, full)]
    assert losses[0] > losses[1] > losses[2]


def test_constraints_hold_in_the_refit():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 3))
    y = rows[:, 0] - 2.0 * (rows[:, 1] > 0) + rng.normal(size=120)
    model = RuleRegressor(relax=1.0, alpha=0.02, monotonic_cst=[1, -1, 0], bins=6).fit(rows, y)
    for column, direction in ((0, 1), (1, -1)):
        moved = np.repeat(rows[:20], 30, axis=0)
        moved[:, column] = np.tile(np.linspace(-3, 3, 30), 20)
        steps = np.diff(model.predict(moved).reshape(20, 30), axis=1)
        assert (direction * steps >= -1e-9).all()


def test_a_coefficient_of_0_is_that_of_a_refit_only_where_signs_are_constrained():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 3))
    y = rows[:, 0] * (rows[:, 1] > 0) + 0.5 * (rows[:, 2] > 0) + 0.3 * rng.normal(size=40)
    settings = {"alpha": 0.02, "relax": 1.0, "linear": False, "max_features": 1}
    model = RuleRegressor(**settings, positive=True).fit(rows, y)
    model.verify(rows, y)
    edited = json.loads(model.to_json())
    [point] = edited["model"]["outputs"][0]["points"]
    assert len(point["terms"]) < len(point["relaxation"]["terms"])
    edited["params"]["positive"] = False
    with pytest.raises(CertificateError, match="the coefficients are not those of a refit"):
        RuleRegressor.from_json(json.dumps(edited)).verify(rows, y)


def test_several_outputs_are_relaxed_one_by_one():
    targets = np.column_stack([Y, -Y, X[:, 2]])
    model = RuleRegressor(relax="cv", n_alphas=8, cv=3, linear=False, **SETTINGS).fit(X, targets)
    assert len(model.relaxation_) == 3
    assert model.certificate_.seconds >= max(part.seconds for part in model.certificate_.outputs)


def test_patterns():
    rng = np.random.default_rng(1)
    records = [{f"i{k}" for k in range(8) if rng.random() < 0.4} for _ in range(150)]
    labels = [{"i1", "i2"} <= record or rng.random() < 0.1 for record in records]
    model = ItemsetClassifier(relax="cv", max_patterns=5, cv=3, n_alphas=20).fit(records, labels)
    assert 0 < len(model.patterns_) <= 5
    model.verify(records, labels)


@pytest.mark.parametrize("choice", ["bic", "path"])
def test_nothing_to_choose_the_blend_by(choice):
    labels = np.median(Y) < Y
    model = RuleClassifier(relax="cv", alpha="bic" if choice == "bic" else "cv")
    with pytest.raises(ValueError, match="relax: 'cv' cannot choose"):
        model.fit(X, labels) if choice == "bic" else model.fit_path(X, labels)
    RuleClassifier(relax=0.5, alpha="bic", n_alphas=5, **SETTINGS).fit(X, labels)
