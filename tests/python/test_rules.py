"""The rule estimators: attributes, methods, their agreement, and many fits in one pool."""

import logging
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

from thresher import Rule, RuleClassifier, RuleRegressor
from thresher.results.summary import Summary, SummaryRow

from .data import BOX, FRAME, Y

LABELS = np.where(BOX | (FRAME["bmi"] > 30), "ill", "well")
PARAMETERS = {
    "alpha", "n_alphas", "alpha_min_ratio", "cv", "one_standard_error", "relax", "penalty", "ridge",
    "max_rules", "max_linear", "max_terms", "loss", "penalty_growth",
    "group_sparsity", "linear_penalty",
    "max_features", "min_support", "bins", "linear", "closed", "categorical_features", "handle_unknown",
    "monotonic_cst", "positive", "special_codes",
    "strategy", "tol", "max_iter", "time_limit", "memory_limit", "n_jobs", "verbose",
}  # fmt: skip


@pytest.fixture(scope="module")
def three():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    return RuleClassifier(alpha=0.02, max_features=2).fit(X, names), X, names


def test_parameters_are_those_of_the_design():
    assert set(RuleRegressor().get_params()) == PARAMETERS
    assert set(RuleClassifier().get_params()) == PARAMETERS | {"class_weight", "pos_label"}


def test_attributes(model):
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list(FRAME.columns)
    assert model.linear_coef_.shape == (4,)
    assert isinstance(model.intercept_, float)
    assert model.alpha_ == 0.02
    assert model.n_iter_ >= 1
    assert not hasattr(model, "classes_")
    certificate = model.certificate_
    assert isinstance(certificate.n_candidates, int)
    assert certificate.complete
    assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, abs=1e-15)
    assert 0 <= certificate.relative_gap <= model.tol
    assert str(certificate).startswith("optimal among ")


def test_the_box_is_found_and_reads_well(model):
    best = max((rule for rule in model.rules_ if rule.length == 2), key=lambda rule: rule.importance)
    first, second = best.conditions
    assert first.feature_name == "age in years"
    assert 48 <= first.lower <= 53
    assert second.text == "color = red"
    assert best.text == f"age in years > {first.lower:g} and color = red"
    assert best.n_rows == int(((FRAME["age in years"] > first.lower) & (FRAME["color"] == "red")).sum())
    assert best.support == pytest.approx(best.n_rows / 300)


def test_prediction_is_the_sum_of_its_parts(model):
    fired = model.transform(FRAME)
    assert fired.dtype == np.float64
    assert set(np.unique(fired)) <= {0.0, 1.0}
    X = FRAME.drop(columns="color").astype(float)
    X = X.fillna(X.mean())
    coefs = np.array([rule.coef for rule in model.rules_])
    linear = X["age in years"] * model.linear_coef_[0] + X["bmi"] * model.linear_coef_[1]
    np.testing.assert_allclose(model.predict(FRAME), model.intercept_ + linear + fired @ coefs, rtol=1e-10)
    np.testing.assert_array_equal(fired.sum(axis=0), [rule.n_rows for rule in model.rules_])


def test_transform_names(model):
    assert list(model.get_feature_names_out()) == [rule.text for rule in model.rules_]


def test_explain(model):
    row = FRAME.iloc[np.flatnonzero(model.transform(FRAME).any(axis=1))[:1]]
    [explanation] = model.explain(row)
    total = model.intercept_ + sum(part.value for part in explanation.contributions)
    assert total == pytest.approx(model.predict(row)[0], rel=1e-14)
    holds = model.transform(row)[0]
    assert set(explanation.terms) == {rule for rule, hit in zip(model.rules_, holds, strict=True) if hit}
    assert "(intercept)" in str(explanation)
    assert explanation.terms[0].text in explanation._repr_html_().replace("&gt;", ">").replace("&lt;", "<")
    many = model.explain(FRAME.iloc[:3])
    assert [e.prediction for e in many] == model.predict(FRAME.iloc[:3]).tolist()


def test_explain_takes_one_row_as_a_list():
    X, y = load_diabetes(return_X_y=True)
    model = RuleRegressor(alpha=10.0, max_features=1).fit(X, y)
    assert model.explain(X[0])[0].prediction == model.predict(X[:1])[0]


def test_get_rules(model):
    frame = model.get_rules()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["rule", "type", "coef", "support", "n_rows", "importance"]
    assert set(frame["type"]) == {"rule", "linear"}
    assert (np.diff(frame["importance"]) <= 0).all()
    line = frame[frame["type"] == "linear"].set_index("rule").loc["age in years"]
    assert line["coef"] == model.linear_coef_[0]
    assert line["importance"] == pytest.approx(abs(line["coef"]) * FRAME["age in years"].std(ddof=0))


def test_rule_forms(model):
    for rule in model.rules_:
        assert isinstance(rule, Rule)
        assert rule.tightest().length >= rule.length
        for other in rule.equivalents:
            assert other.n_rows == rule.n_rows
            assert other.text != rule.text
        assert str(rule) == rule.text
        assert f"{rule.n_rows:,} rows" in rule.describe()


def test_verify(model):
    fresh = model.verify(FRAME, Y)
    assert fresh.complete
    assert fresh.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


def test_path():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = RuleRegressor(max_features=1, n_alphas=20).fit_path(X, y)
    path = model.path_
    for name in ("alphas", "objective", "relative_gap", "n_rules", "n_iter", "complete"):
        assert getattr(path, name).shape == (20,)
    assert (np.diff(path.alphas) < 0).all()
    assert (np.diff(path.objective) < 0).all()
    assert path.relative_gap.max() <= 1e-6
    assert path.n_rules[0] == 0
    assert path.cv_mean is None
    chosen = path.at(path.alphas[7])
    assert chosen.alpha_ == path.alphas[7] == chosen.alpha
    assert len(chosen.rules_) == path.n_rules[7]
    alone = RuleRegressor(max_features=1, alpha=float(path.alphas[7])).fit(X, y)
    np.testing.assert_allclose(alone.predict(X), chosen.predict(X), rtol=1e-3)
    assert chosen.price("bmi > 0").alpha == chosen.alpha_
    assert path.at(path.alphas[0]).rules_ == []
    with pytest.raises(ValueError, match="the path goes from"):
        path.at(1e9)
    assert repr(path).startswith("RulePath(20 strengths from")


@pytest.mark.parametrize("seed", range(12))
def test_strengths_far_apart(seed):
    """From no rule to classes told apart in one stride: solved by way of strengths between."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(72, 4)).round(1), rng.integers(0, 2, 72)
    model = RuleClassifier(loss="squared_hinge", n_alphas=2, alpha_min_ratio=1e-4, tol=1e-9)
    path = model.fit_path(X, y).path_
    assert path.complete.all()
    assert path.alphas.shape == (2,)
    assert path.alphas[1] == pytest.approx(1e-4 * path.alphas[0])


@pytest.mark.parametrize("alpha", ["bic", "ebic"])
def test_information_criteria_do_not_choose_as_many_terms_as_rows(alpha):
    """The residuals of such a model vanish, and so does the variance that is estimated from them."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    rows = np.random.default_rng(0).permutation(len(y))
    train, rest = rows[:309], rows[309:]
    model = RuleRegressor(alpha=alpha, max_features=2).fit(X.iloc[train], y[train])
    assert len(model.rules_) + np.count_nonzero(model.linear_coef_) < 15
    assert model.score(X.iloc[rest], y[rest]) > 0.35


@pytest.mark.parametrize("seed", range(3))
def test_noise_has_no_terms_by_bic(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 6)), rng.normal(size=60)
    model = RuleRegressor(alpha="bic", max_features=2).fit(X, y)
    assert len(model.rules_) + np.count_nonzero(model.linear_coef_) <= 2


def test_the_path_of_a_criterion_ends_after_its_rise():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = RuleRegressor(alpha="bic", max_features=2, bins=4).fit(X, y)
    alphas, values, n = model.path_.alphas, model.path_.criterion, len(y)
    assert alphas[-1] < 0.4 * model.alpha_
    assert values[-1] == values[np.argmin(values) :].max()
    whole = RuleRegressor(max_features=2, bins=4).fit_path(X, y).path_
    np.testing.assert_allclose(whole.alphas[: len(alphas)], alphas)
    assert len(whole.alphas) == 100

    def criterion(alpha):
        at = whole.at(alpha)
        k = len(at.rules_) + np.count_nonzero(at.linear_coef_)
        return n * np.log(np.mean((y - at.predict(X)) ** 2)) + n / (n - k - 3) * (k + 1) * np.log(n)

    found = [criterion(alpha) for alpha in whole.alphas]
    assert whole.alphas[np.argmin(found)] == pytest.approx(model.alpha_)
    np.testing.assert_allclose(np.diff(found[: len(values)]), np.diff(values), atol=1e-6)


@pytest.mark.parametrize("how", ["cv", "bic", "ebic"])
def test_choice_of_the_strength(how):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = RuleRegressor(alpha=how, max_features=1, n_alphas=15).fit(X, y)
    scores = model.path_.cv_mean if how == "cv" else model.path_.criterion
    grid = model.path_.cv_alphas if how == "cv" else model.path_.alphas
    assert grid[np.argmin(scores[: grid.size])] == pytest.approx(model.alpha_, rel=1e-9)
    if how == "cv":
        simpler = RuleRegressor(max_features=1, n_alphas=15, one_standard_error=True).fit(X, y)
        assert simpler.alpha_ > model.alpha_
        assert model.path_.cv_se.shape == grid.shape


def test_max_rules():
    model = RuleRegressor(alpha="bic", linear=False, max_rules=3).fit(FRAME, Y)
    assert 1 <= len(model.rules_) <= 3
    assert (model.path_.n_rules <= 3).all()


def test_max_rules_bounds_what_cross_validation_looks_at():
    model = RuleRegressor(penalty="l1", max_rules=3, max_features=2, linear=False).fit(FRAME, Y)
    whole = RuleRegressor(max_features=2, linear=False).fit_path(FRAME, Y).path_
    allowed = int(np.argmax(whole.n_rules > 3))
    assert len(model.path_.cv_alphas) <= allowed
    assert all(np.isclose(whole.alphas[:allowed], alpha).any() for alpha in model.path_.cv_alphas)
    assert 1 <= len(model.rules_) <= 3


def test_constraints_hold():
    rising = RuleRegressor(alpha=0.005, monotonic_cst={"age in years": 1}, max_features=2).fit(FRAME, -Y)
    grid = pd.concat([FRAME.iloc[:20].assign(**{"age in years": a}) for a in np.linspace(18, 90, 30)])
    assert (np.diff(rising.predict(grid).reshape(30, 20), axis=0) >= -1e-12).all()
    positive = RuleRegressor(alpha=0.005, positive=True).fit(FRAME, -Y)
    assert all(rule.coef > 0 for rule in positive.rules_)
    assert (positive.linear_coef_ >= 0).all()
    supported = RuleRegressor(alpha=0.005, min_support=40).fit(FRAME, Y)
    assert all(rule.n_rows >= 40 for rule in supported.rules_)
    short = RuleRegressor(alpha=0.005, max_features=1).fit(FRAME, Y)
    assert {rule.length for rule in short.rules_} == {1}


def test_penalty_growth_prefers_short_rules():
    free = RuleRegressor(alpha=0.01, linear=False).fit(FRAME, Y)
    dear = RuleRegressor(alpha=0.01, linear=False, penalty_growth=3.0).fit(FRAME, Y)
    assert np.mean([r.length for r in dear.rules_]) < np.mean([r.length for r in free.rules_])
    assert dear.verify(FRAME, Y).complete


@pytest.mark.parametrize(
    "bins",
    ["auto", "supervised", 4, ("intervals", 0.05), [[40.0, 60.0], [25.0], None, None], None],
    ids=["auto", "supervised", "quantiles", "intervals", "given", "midpoints"],
)
def test_bins(bins):
    model = RuleRegressor(alpha=0.05, bins=bins, max_features=2).fit(FRAME, Y)
    assert model.certificate_.complete
    if isinstance(bins, list):
        ends = {c.lower for r in model.rules_ for c in r.conditions if c.feature_index == 0} - {-np.inf}
        assert ends <= {40.0, 60.0}


@pytest.mark.parametrize("strategy", ["screening", "column_generation"])
def test_strategies_agree(model, strategy):
    other = RuleRegressor(alpha=0.02, max_features=2, strategy=strategy).fit(FRAME, Y)
    assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=2e-6)


def test_several_targets(model):
    both = RuleRegressor(alpha=0.02, max_features=2).fit(FRAME, pd.DataFrame({"cost": Y, "gain": -Y}))
    assert both.predict(FRAME).shape == (300, 2)
    np.testing.assert_allclose(both.predict(FRAME)[:, 0], -both.predict(FRAME)[:, 1], atol=1e-4)
    assert {rule.output for rule in both.rules_} == {"cost", "gain"}
    assert both.intercept_.shape == (2,)
    assert both.linear_coef_.shape == (2, 4)
    assert both.alpha_.tolist() == [0.02, 0.02]
    assert len(both.path_.alphas) == 2
    assert len(both.certificate_.outputs) == 2
    assert next(iter(both.get_rules().columns)) == "output"
    assert both.price("color = red", output="gain").correlation < 0
    with pytest.raises(ValueError, match="name one of 'cost', 'gain'"):
        both.price("color = red")


def test_two_classes():
    model = RuleClassifier(alpha=0.01, max_features=2).fit(FRAME, LABELS)
    assert model.classes_.tolist() == ["ill", "well"]
    decision = model.decision_function(FRAME)
    proba = model.predict_proba(FRAME)
    np.testing.assert_allclose(proba[:, 1], 1 / (1 + np.exp(-decision)))
    np.testing.assert_array_equal(model.predict(FRAME), model.classes_[(decision > 0).astype(int)])
    np.testing.assert_allclose(np.exp(model.predict_log_proba(FRAME)), proba)
    assert model.score(FRAME, LABELS) > 0.9
    assert "log-odds of class 'well'" in str(model.summary())


def test_three_classes(three):
    model, X, y = three
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.93
    assert model.get_rules()["output"].isin(model.classes_).all()
    assert len(model.explain(X.iloc[:1])[0].decision) == 3
    assert model.verify(X, y).complete


def test_squared_hinge_has_no_probabilities():
    model = RuleClassifier(alpha=0.02, loss="squared_hinge", max_features=2).fit(FRAME, LABELS)
    assert not hasattr(model, "predict_proba")
    assert model.score(FRAME, LABELS) > 0.9
    assert "score of class 'well'" in str(model.summary())


def test_html(model):
    text = model._repr_html_()
    assert "age in years" in text
    assert "optimal among" in text
    nasty = RuleRegressor(alpha=0.01).fit(pd.DataFrame({"<b>&": np.arange(30.0)}), np.arange(30) > 9)
    assert "&lt;b&gt;&amp;" in nasty.summary()._repr_html_()
    assert "<b>&" not in nasty.summary()._repr_html_()


def test_table_breaks_long_rules_between_conditions():
    long = " and ".join(f"a rather long column name {k} > {k}" for k in range(4))
    text = str(Summary((SummaryRow(long, "rule", 1.0, 0.5, 10, 0.5),), ((None, 0.0),)))
    assert max(map(len, text.splitlines())) < 110
    assert all(line.strip().startswith(("and", "+", "effect")) for line in text.splitlines())


def test_verbose_speaks_through_the_log(caplog):
    with caplog.at_level(logging.INFO, logger="thresher"):
        RuleRegressor(max_features=1, n_alphas=30, verbose=1, cv=3).fit(FRAME, Y)
    stages = [record.getMessage().split()[0] for record in caplog.records]
    assert {"cross-validation", "path"} <= set(stages)
    assert len(stages) < 60


def test_a_long_step_says_how_far_it_is(caplog, monkeypatch):
    monkeypatch.setattr("thresher.progress._SILENCE", 0.0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 12)), rng.normal(size=600)
    with caplog.at_level(logging.INFO, logger="thresher"):
        RuleRegressor(max_features=3, bins=20, alpha=0.01, n_jobs=1, verbose=1, time_limit=3).fit(X, y)
    said = [record.getMessage() for record in caplog.records]
    assert any(re.search(r"after \d+ s: searched \d+ of \d+ subtrees", text) for text in said)


def test_cv_takes_splits_and_splitters():
    from sklearn.model_selection import ShuffleSplit

    half = np.arange(300) < 150
    params = {"max_features": 1, "n_alphas": 10}
    by_rows = RuleRegressor(
        cv=[(np.flatnonzero(a), np.flatnonzero(~a)) for a in (half, ~half)], **params
    ).fit(FRAME, Y)
    by_mask = RuleRegressor(cv=iter([(half, ~half), (~half, half)]), **params).fit(FRAME, Y)
    assert by_rows.alpha_ == by_mask.alpha_
    RuleRegressor(cv=ShuffleSplit(2, random_state=0), **params).fit(FRAME, Y)


def test_few_rows_have_fewer_folds():
    model = RuleRegressor(max_features=1).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    assert model.predict([[2.0]]).shape == (1,)
    labels = ["a", "a", "b", "b", "b"]
    with pytest.warns(UserWarning, match=r"'a' \(2 rows\) has fewer rows than there are folds \(3\)"):
        classes = RuleClassifier(max_features=1).fit(np.arange(5.0)[:, None], labels)
    assert set(classes.predict(np.arange(5.0)[:, None])) <= set(labels)


@pytest.mark.parametrize("kind", [object, str, int, bool])
def test_explanations_name_labels_of_any_type(kind):
    X = pd.DataFrame({"x": np.arange(40.0)})
    y = (X["x"] > 20).map({True: "yes", False: "no"}) if kind in (object, str) else (X["x"] > 20).astype(kind)
    model = RuleClassifier(alpha=0.05, max_features=1).fit(X, pd.Series(y, dtype=kind))
    [explanation] = model.explain(X.iloc[[0]])
    assert explanation.prediction == model.predict(X.iloc[[0]])[0]


def test_max_rules_holds_at_a_given_alpha():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    assert len(RuleRegressor(alpha=1e-3, max_rules=4, max_features=2).fit(X, y).rules_) <= 4


@pytest.mark.parametrize("change", [lambda x: x + 4e12, lambda x: x * 1e160, lambda x: x * 1e-200])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 201.0)])
def test_columns_without_linear_terms_are_named(change, weights):
    X = np.random.default_rng(0).normal(size=(200, 2))
    y, far = X.sum(axis=1), np.column_stack([X[:, 0], change(X[:, 1])])
    with pytest.warns(UserWarning, match="^linear: there is no linear term of 'x1', whose values vary"):
        model = RuleRegressor(alpha=0.05, max_features=1).fit(far, y, weights)
    assert model.linear_coef_[0] != 0
    assert model.linear_coef_[1] == 0
    RuleRegressor(alpha=0.05, max_features=1, linear=False).fit(far, y, weights)
    for same in (X[:, 1] + 1e8, X[:, 1] * 1e145, np.full(200, 1e200)):
        RuleRegressor(alpha=0.05, max_features=1).fit(np.column_stack([X[:, 0], same]), y, weights)


@pytest.mark.parametrize("alpha", [0.05, "cv", "bic"])
@pytest.mark.parametrize("scale", [1e-9, 1e6, 1e12])
def test_units_of_the_target_do_not_matter(alpha, scale):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + (X[:, 1] > 0) + 0.1 * rng.normal(size=150)
    first = RuleRegressor(alpha=alpha, max_features=1).fit(X, y)
    scaled = RuleRegressor(alpha=alpha if isinstance(alpha, str) else alpha * scale, max_features=1)
    scaled.fit(X, scale * y + 100 * scale)
    assert scaled.certificate_.complete
    np.testing.assert_allclose(scaled.predict(X) / scale - 100, first.predict(X), atol=1e-4)


def test_a_full_list_of_equal_rules_says_so():
    x = np.random.default_rng(0).integers(0, 2, 200)
    model = RuleClassifier(alpha=0.02, max_features=2, linear=False).fit(np.tile(x[:, None], 8), x)
    rule = model.rules_[0]
    assert len(rule.equivalents) == 5
    assert "5 or more others have the same rows" in rule.describe()
    assert "`equivalents` lists 5 others" in str(model.summary())


def test_transform_warns_of_a_model_that_has_linear_terms_alone():
    X = np.arange(60.0)[:, None]
    model = RuleRegressor(alpha=1.0).fit(X, X[:, 0])
    assert not model.rules_
    with pytest.warns(UserWarning, match="fit it with linear=False"):
        assert model.transform(X).shape == (60, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(linear=False).fit(X, X[:, 0]).transform(X)
