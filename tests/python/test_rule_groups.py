"""Grouped rules: what a user sees."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from oracle import compare
from thresher import RuleClassifier, RuleGroup, RuleRegressor
from thresher._native import CertificateError

RNG = np.random.default_rng(5)
X = RNG.uniform(size=(200, 5))
Y = np.sin(6 * X[:, 0]) + 2 * ((X[:, 1] > 0.3) & (X[:, 2] > 0.6)) + RNG.normal(0, 0.1, 200)
CLASSES = np.array(["low", "middle", "high"])[np.digitize(Y, [0.0, 1.0])]
SETTINGS = {"bins": 5, "max_features": 2, "group_sparsity": 0.5}


@pytest.fixture(scope="module")
def model():
    return RuleRegressor(alpha=0.01, linear_penalty=0.7, **SETTINGS).fit(X, Y)


def test_fewer_groups_for_as_many_rules():
    alone = RuleRegressor(max_rules=40, bins=5, max_features=2).fit_path(X, Y)
    grouped = RuleRegressor(max_rules=40, **SETTINGS).fit_path(X, Y)
    assert min(len(alone.rules_), len(grouped.rules_)) > 20
    assert len(grouped.groups_) < len(alone.groups_)


def test_groups_hold_the_rules(model):
    groups = model.groups_
    assert all(isinstance(group, RuleGroup) for group in groups)
    assert sum(group.n_rules for group in groups) == len(model.rules_)
    assert [group.norm for group in groups] == sorted((group.norm for group in groups), reverse=True)
    for group in groups:
        assert group.norm == pytest.approx(np.linalg.norm([rule.coef for rule in group.rules]))
        for rule in group.rules:
            assert tuple(sorted(c.feature_index for c in rule.conditions)) == group.feature_indices
            for other in rule.equivalents:
                assert {c.feature_index for c in other.conditions} == set(group.feature_indices)
    assert str(groups[0]).startswith(groups[0].text)
    assert len({group.feature_indices for group in groups}) == len(groups)


def test_the_table_names_the_groups(model):
    table = model.get_rules()
    assert list(table.columns)[-1] == "group"
    rules = table[table["type"] == "rule"]
    counts = rules["group"].value_counts()
    assert counts.to_dict() == {group.text: group.n_rules for group in model.groups_}
    for text, name in zip(rules["rule"], rules["group"], strict=True):
        assert name in {group.text for group in model.groups_ if text in {r.text for r in group.rules}}
    assert table[table["type"] == "linear"]["group"].isna().all()
    assert "group" not in RuleRegressor(alpha=0.1, bins=5, max_features=2).fit(X, Y).get_rules().columns
    several = RuleClassifier(alpha=0.02, **SETTINGS).fit(X, CLASSES).get_rules()
    assert next(iter(several.columns)) == "output"
    assert list(several.columns)[-1] == "group"


def test_several_outputs_have_groups_of_their_own():
    fitted = RuleClassifier(alpha=0.02, **SETTINGS).fit(X, CLASSES)
    outputs = [group.output for group in fitted.groups_]
    assert set(outputs) == {"low", "middle", "high"}
    assert outputs == sorted(outputs, key=outputs.index)
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)
    assert fitted.verify(X, CLASSES).complete


@pytest.mark.parametrize("alpha", [0.01, "cv", "bic"])
def test_threads_change_no_bit(alpha):
    model = RuleRegressor(alpha=alpha, n_alphas=15, **SETTINGS)
    one, two = (compare.timeless(model.set_params(n_jobs=n).fit(X, Y)) for n in (1, 2))
    assert one == two


def test_verify_refuses_other_parameters(model):
    other = pickle.loads(pickle.dumps(model)).set_params(group_sparsity=0.9)
    with pytest.raises(CertificateError):
        other.verify(X, Y)


@pytest.mark.parametrize("strategy", ["screening", "column_generation"])
def test_every_strategy_finds_the_optimum(model, strategy):
    other = RuleRegressor(alpha=0.01, linear_penalty=0.7, strategy=strategy, **SETTINGS).fit(X, Y)
    assert other.certificate_.complete
    assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=2e-6)


def test_signs_are_kept():
    positive = RuleRegressor(alpha=0.01, positive=True, **SETTINGS).fit(X, Y)
    assert positive.rules_
    assert all(rule.coef > 0 for rule in positive.rules_)
    rising = RuleRegressor(alpha=0.01, monotonic_cst=[0, 1, 1, 0, 0], **SETTINGS).fit(X, Y)
    assert rising.certificate_.complete
    assert rising.verify(X, Y).complete
    low = X.copy()
    low[:, 1] = 0.0
    assert np.all(rising.predict(low) <= rising.predict(X) + 1e-12)


def test_a_time_limit_leaves_a_true_gap():
    with pytest.warns(Warning, match="time"):
        early = RuleRegressor(alpha=1e-5, bins=12, max_features=3, group_sparsity=0.5, time_limit=0.05).fit(
            X, Y
        )
    claim = early.certificate_
    assert not claim.complete
    assert claim.gap > 0
    assert claim.dual <= claim.primal


def test_prices_follow_the_group(model):
    group = next(group for group in model.groups_ if group.n_rules > 1)
    price = model.price(group.rules[0])
    assert price.in_model
    assert price.ratio == pytest.approx(1.0, abs=1e-3)
    assert price.threshold < 0.01 * (1 + 0.5 * (len(group.feature_indices) - 1))
    ties = model.near_ties(within=0.2)
    assert ties
    assert all(0.8 < tie.ratio < 1.01 for tie in ties)


def test_the_plot_shows_the_heaviest_groups(model):
    pytest.importorskip("matplotlib")
    display = model.plot_groups(max_groups=3)
    assert display.texts == [group.text for group in model.groups_[:3]]
    assert len(display.ax_.patches) == len(display.texts)


def test_strengths_on_the_way_to_the_given_one_are_not_proven():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (120, 6)).astype(float)
    y = X[:, 0] * X[:, 1] / 20 + rng.normal(scale=2, size=120)
    settings = {"max_features": 2, "group_sparsity": 0.5, "min_support": 5}
    proof = RuleRegressor(alpha=0.02, **settings).fit(X, y).certificate_
    assert proof.complete
    assert proof.searches <= 18  # 13 strengths, each proven: 23
    path = RuleRegressor(**settings).fit_path(X, y, alphas=np.geomspace(0.4, 0.02, 30)).path_
    assert proof.primal == pytest.approx(path.at(0.02).certificate_.primal, rel=2e-6)


def test_a_round_takes_in_as_many_rules_as_there_are():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 14, (200, 8)).astype(float)
    y = X[:, 0] * X[:, 1] / 20 + rng.normal(scale=4, size=200)
    settings = {"max_features": 2, "group_sparsity": 0.5, "min_support": 5, "linear": False}
    model = RuleRegressor(alpha=0.02, **settings).fit(X, y)
    assert len(model.rules_) > 1000
    assert model.certificate_.complete
    assert model.n_iter_ <= 10  # 13 with 64 rules in each
