"""Questions around the optimum: what a rule lacks, and which almost entered."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest

from thresher import GraphClassifier, ItemsetRegressor, L0Regressor, Rule, RuleClassifier, RuleRegressor
from thresher.results.rule import Condition

from .data import FRAME


def test_price_of_rules_in_and_out(model):
    for rule in model.rules_:
        price = model.price(rule)
        assert price.in_model
        assert price.n_rows == rule.n_rows
        assert price.ratio == pytest.approx(1, abs=1e-2)
        assert "is in the model" in str(price)
    cut = model._fitted.view.features[1]["cuts"][3]
    out = model.price({"bmi": (None, cut), "color": ("!=", "blue")})
    assert not out.in_model
    assert out.ratio <= 1 + 1e-6
    assert out.entry_alpha == pytest.approx(out.ratio * 0.02)
    assert "is not in the model" in str(out)


@pytest.mark.parametrize("classes", [False, True])
def test_a_price_has_the_relaxed_coefficient_of_the_model(classes):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = 2.0 * (X[:, 0] > 0) + (X[:, 1] > 0) + 0.3 * X[:, 2]
    kind, y = (RuleClassifier, y > 1.5) if classes else (RuleRegressor, y)
    model = kind(alpha=0.05, max_features=1, linear=False, relax=0.7).fit(X, y)
    for rule in model.rules_:
        price = model.price(rule.text)
        assert price.in_model
        assert price.term.coef == rule.coef


def test_price_of_what_another_stands_for():
    records = [{"a", "b"}, {"c"}] * 10 + [{"a", "b", "c"}, set()] * 5
    fitted = ItemsetRegressor(alpha=0.02).fit(records, [1.0, 0.0] * 10 + [1.2, 0.1] * 5)
    own, other = fitted.price('"a"'), fitted.price("b")
    assert (own.in_model, own.is_listed) == (True, True)
    assert "'a' is in the model" in str(own)
    assert (other.in_model, other.is_listed) == (True, False)
    assert other.listed_as == ("a",)
    assert "'b' holds for the same 15 training rows as 'a' of the model with coefficient" in str(other)


@pytest.mark.parametrize("relax", [None, 0.5])
def test_prices_name_the_rule_that_stands_for_another(relax):
    r = np.random.default_rng(0)
    X = pd.DataFrame({"a": r.integers(0, 4, 400), "b": r.normal(size=400)}).assign(
        copy=lambda own: own["a"] * 10
    )
    y = 2.0 * (X["a"] > 1) + (X["b"] > 0) + 0.1 * r.normal(size=400)
    fitted = RuleRegressor(alpha=0.05, max_features=1, linear=False, relax=relax).fit(X, y)
    listed = [rule.text for rule in fitted.rules_]
    found = [fitted.price(text) for text in ("a > 1", "copy > 15", "a <= 1", "copy <= 15")]
    others = [price for price in found if price.in_model and not price.is_listed]
    assert others
    for price in others:
        [text] = price.listed_as
        assert text in listed
        assert fitted.price(text).n_rows == price.n_rows


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age in years > 30", "age in years > 30"),
        ("30 < age in years <= 40", "30 < age in years <= 40"),
        ("age in years > 30 and age in years <= 40", "30 < age in years <= 40"),
        ("color = red and bmi <= 25.5", "bmi <= 25.5 and color = red"),
        ("color == 'red'", "color = red"),
        ("color != blue and smoker = True", "color != blue and smoker = True"),
        ("bmi is missing", "bmi is missing"),
        ("bmi is not missing and age in years > 5", "age in years > 5 and bmi is not missing"),
        ({"smoker": True, "bmi": (None, 30)}, "bmi <= 30 and smoker = True"),
        ({0: (30, None), "bmi": "missing"}, "age in years > 30 and bmi is missing"),
        (Rule((Condition(1, "bmi", upper=30.0),)), "bmi <= 30"),
    ],
)
def test_rules_as_people_write_them(model, text, shown):
    price = model.price(text)
    assert price.term.text == shown


def test_strict_and_closed_bounds(model):
    at_least = model.price("age in years >= 50").n_rows
    assert at_least == int((FRAME["age in years"] >= 50).sum())
    assert model.price("age in years < 50").n_rows == 300 - at_least


def test_every_shown_rule_reads_back(model):
    for rule in model.rules_:
        assert model.price(rule.text).n_rows == rule.n_rows


def test_near_ties(model):
    ties = model.near_ties(within=0.5, limit=5)
    assert 0 < len(ties) <= 5
    assert all(0.5 <= tie.ratio <= 1 + 1e-6 for tie in ties)
    assert [tie.ratio for tie in ties] == sorted((tie.ratio for tie in ties), reverse=True)
    assert "% of the threshold" in str(ties[0])


def test_what_a_parameter_leaves_out_says_so():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    y = 1.0 * (X[:, 0] > 0) * (X[:, 1] > 0)
    model = RuleRegressor(alpha=0.01, max_features=1, min_support=30).fit(X, y)
    assert "it has 2 conditions, and max_features=1" in str(model.price("x0 > 0 and x1 > 0"))
    assert "and min_support=30" in str(model.price("x0 > 1.8"))
    assert not model.price("x2 > -0.03").exclusion_reason
    baskets = [{"a", "b"}, {"a"}, {"b"}, {"a", "b", "c"}] * 5
    sets = ItemsetRegressor(alpha=0.01, max_items=1).fit(baskets, [1.0, 0, 0, 1] * 5)
    assert "it has 2 items, and max_items=1" in str(sets.price({"a", "b"}))


@pytest.mark.parametrize(
    ("constraint", "rule", "reason"),
    [
        ({"monotonic_cst": {"b": 1}}, "b > 0", "monotonic_cst allows it none below 0"),
        ({"monotonic_cst": {"b": 1}}, "b <= 0", "monotonic_cst allows it none above 0"),
        ({"monotonic_cst": {"b": 1}}, "0 < b <= 1", "monotonic_cst allows it none below 0"),
        ({"positive": True}, "b > 0 and a <= 0", "positive=True allows it none below 0"),
    ],
)
def test_a_sign_that_a_constraint_forbids_is_named(constraint, rule, reason):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 2)), columns=["a", "b"])
    y = 1.0 * (X["a"] > 0) - (X["b"] > 0)
    bins = {"a": [0], "b": [0, 1]}
    model = RuleRegressor(alpha=0.05, max_features=2, linear=False, bins=bins, **constraint).fit(X, y)
    price = model.price(rule)
    assert price.exclusion_reason.startswith(reason)
    assert "can have no coefficient: " + reason in str(price)
    assert "%" not in str(price)
    assert price.entry_alpha == 0
    assert not any(model.price(own).exclusion_reason for own in model.rules_)


def test_a_rule_without_a_correlation_enters_at_no_strength():
    X = pd.DataFrame({"a": [0.0, 0, 1, 1] * 20, "b": [0.0, 1] * 40})
    model = RuleRegressor(alpha=0.01, linear=False).fit(X, X["a"])
    assert str(model.price("b > 0.5")).endswith("its correlation with the residual is 0 (40 rows)")


@pytest.mark.parametrize("bins", [4, {"a": [-0.5, 0.03, 0.6], "b": [0.5, 1.5]}])
def test_a_bound_that_is_no_cut_point_is_named(bins):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=120).round(2), "b": rng.integers(0, 4, 120), "c": 1.0})
    y = 1.0 * (X["a"] > 0) + 0.3 * rng.normal(size=120)
    model = RuleRegressor(alpha=0.02, max_features=2, bins=bins, linear=False).fit(X, y)
    cuts = model._fitted.view.features[0]["cuts"]
    below, above = max(cut for cut in cuts if cut < 0.3), min(cut for cut in cuts if cut > 0.3)
    reason = f"0.3 is no cut point of column 'a' (nearest: {below:g}, {above:g}); give it in bins"
    for rule in ("a > 0.3", "a <= 0.3 and b > 0.5", {"a": (0.3, 0.32)}):
        assert model.price(rule).exclusion_reason == reason
    assert f"can have no coefficient: {reason}" in str(model.price("a > 0.3"))
    assert "(nearest: none)" in model.price("c > 0").exclusion_reason
    for rule in (f"a > {below}", f"{below} < a <= {above}", "b > 0.7", "b >= 1", "b <= 0"):
        assert not model.price(rule).exclusion_reason


def test_near_ties_leave_out_complements_and_are_short():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"member": rng.random(200) < 0.4, "s": rng.normal(size=200)})
    y = 2.0 * frame["member"] + np.sin(3 * frame["s"]) + rng.normal(0, 0.2, 200)
    model = RuleRegressor(alpha=0.05, max_features=2, linear=False).fit(frame, y)
    single = [rule for rule in model.rules_ if rule.length == 1]
    assert single
    held = model.transform(frame).astype(bool)
    taken = {held[:, k].tobytes() for k, rule in enumerate(model.rules_) if rule.length == 1}
    ties = model.near_ties(within=0.5, limit=500)
    for tie in ties:
        rows = np.ones(len(frame), dtype=bool)
        for c in tie.term.conditions:
            x, number = frame[c.feature_name].to_numpy(), c.category is None
            rows &= (x > c.lower) & (x <= c.upper) if number else (x == c.category) != c.negated
            assert len(c.text) < 30
        assert rows.sum() == tie.term.n_rows
        assert (~rows).tobytes() not in taken or tie.term.length > 1
        taken |= {rows.tobytes()} if tie.term.length == 1 else set()
        price = model.price(tie.term.text)
        assert price.n_rows == tie.term.n_rows, f"the text of {tie} means other rows"
        assert not price.exclusion_reason
    assert len(model.near_ties(within=0.5, limit=3)) == 3


def test_near_ties_end_with_their_time():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 12))
    y = X[:, 0] + rng.normal(size=2000)
    model = RuleRegressor(alpha=0.5, max_features=3, linear=False, n_jobs=1).fit(X, y)
    before = model.near_ties(0.1)
    began = time.process_time()
    with pytest.raises(TimeoutError, match="before all near ties were found; give more"):
        model.near_ties(0.95, time_limit=0.05)
    assert time.process_time() - began < 0.25
    assert model.near_ties(0.1) == before == model.near_ties(0.1, time_limit=3600)
    with pytest.raises(ValueError, match="time_limit"):
        model.near_ties(time_limit=-1)


def test_conditions_that_exclude_each_other():
    """Against the obvious twin: rows with every kind of value."""
    conditions = [
        Condition(0, "x", **kind)
        for kind in (
            {"lower": 1.0},
            {"upper": 1.0},
            {"upper": 2.0},
            {"lower": 1.0, "upper": 2.0},
            {"missing": True},
            {"missing": False},
        )
    ]
    levels = [Condition(0, "x", category=c, negated=n) for c in "ab" for n in (False, True)]

    def holds(c, x):
        if c.missing is not None:
            return (x is None) == c.missing
        if c.category is not None:
            return (x == c.category) != c.negated
        return x is not None and c.lower < x <= c.upper

    for pool, rows in (
        (conditions, [None, 0.0, 1.5, 3.0]),
        ([*levels, *conditions[4:]], [None, "a", "b", "c"]),
    ):
        for first, second in itertools.product(pool, repeat=2):
            both = any(holds(first, x) and holds(second, x) for x in rows)
            assert first.excludes(second) == (not both)
    assert not conditions[0].excludes(Condition(1, "y", upper=1.0))


def test_explanations_write_values_in_few_digits():
    x = np.array([[-0.01764612515980379], [30.0], [1234567.0]] * 20)
    y = np.arange(60.0)
    for model in (RuleRegressor(alpha=0.001), L0Regressor(lambda0=0.0)):
        texts = [part.text for e in model.fit(x, y).explain(x[:3]) for part in e.contributions]
        assert any("-0.0176461" in text for text in texts)
        assert not any("-0.01764612" in text for text in texts)


@pytest.mark.parametrize(("labels", "known"), [("st", "the class 't'"), ("stu", "one of 's', 't', 'u'")])
def test_an_unknown_output_is_refused(labels, known):
    graphs = [(["a", letter], [(0, 1)], ["x"]) for letter in labels] * 6
    model = GraphClassifier(alpha=0.01).fit(graphs, list(labels) * 6)
    pattern = model.patterns_[0]
    for ask in (
        lambda output: model.price(pattern, output=output),
        lambda output: model.near_ties(output=output),
        lambda output: model.plot_matches(graphs[0], output=output),
    ):
        ask("t")
        with pytest.raises(ValueError, match=f"output: got 'no'; .*{known}"):
            ask("no")


def test_an_output_of_a_single_target_is_refused():
    model = ItemsetRegressor(alpha=0.1).fit([["a"], ["b"]] * 9, [1.0, 0.0] * 9)
    assert model.price(["a"]).in_model
    with pytest.raises(ValueError, match="output: got 1; the model has one output: leave output out"):
        model.near_ties(output=1)


@pytest.mark.parametrize(
    "text", ["x0 < 25", "x0 >= 25", "10 <= x0 < 25", "x0 < 0.1", "x0 >= 0", "x0 <= 24.5"]
)
def test_a_price_says_the_comparison_that_was_asked_for(text):
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(-5, 50, 300), rng.random(300)].astype(float)
    model = RuleRegressor(alpha=0.05).fit(X, (X[:, 0] > 25) * 2.0 + rng.normal(size=300) * 0.1)
    found = model.price(text)
    assert found.term.text == text
    assert model.price(found.term.text).term == found.term


def test_an_empty_category_is_read_before_another_condition():
    X = pd.DataFrame({"c": ["", "a", "b"] * 20, "x": np.arange(60.0)})
    model = RuleRegressor(alpha=0.01, linear=False).fit(X, (X["c"] == "") * (X["x"] > 30) * 1.0)
    texts = [rule.text for rule in model.rules_]
    assert "c = '' and x > 30" in texts
    assert [model.price(text).term.text for text in texts] == texts
