"""Edits of the bins of additive models, beside general minimisers and plain loops."""

import ast
import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import isotonic_regression, minimize

import thresher as t
from thresher.estimators.additive._trend_breaks import groups_of_trend

pd = pytest.importorskip("pandas")

LOSSES = ("squared", "logistic", "exponential")


def draw(seed, n=300):
    """Rows with special codes, missing values, categories and weights."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": r.integers(0, 30, n).astype(float),
            "b": r.normal(size=n).round(1),
            "c": r.choice(["x", "y", "z"], n),
            "d": r.integers(0, 5, n).astype(float),
        }
    )
    X.loc[r.random(n) < 0.1, "a"] = -9
    X.loc[r.random(n) < 0.1, "b"] = np.nan
    X["c"] = X["c"].astype(object).mask(r.random(n) < 0.1, None)
    signal = (
        1.0 * (X["a"] > 12) - (X["b"] > 0.3) + 0.7 * (X["c"] == "x") + 0.4 * (X["a"] == -9) + r.normal(size=n)
    )
    return X, signal.to_numpy(), r.choice([0.0, 0.5, 1.0, 2.0], n)


def fit(loss, seed, **params):
    X, signal, w = draw(seed)
    y = signal if loss == "squared" else np.where(signal > np.median(signal), "yes", "no")
    kind = t.L0AdditiveRegressor if loss == "squared" else t.L0AdditiveClassifier
    given = {"lambda0": 2.0, "special_codes": {"a": [-9]}, "loss": loss, **params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(**given).fit(X, y, sample_weight=w), X, y, w


def bins_of(model, name):
    """The bins of a column of the model, as edits give them."""
    shape = next(shape for shape in model.shape_functions_ if shape.feature_name == name)
    known = [step for step in shape.steps if not step.codes or np.isfinite([step.lower, step.upper]).any()]
    if shape.steps[0].categories is not None:
        return [list(step.categories) for step in known if step.categories]
    return [step.upper for step in known if np.isfinite(step.upper)]


def objective_by_minimiser(model, X, y, w, pieces):
    """The least loss and ridge penalty of given pieces, a code for each row, by a general minimiser."""
    z = y if model.loss == "squared" else np.where(y == "yes", 1.0, -1.0)
    sizes = [codes.max() + 1 for codes in pieces]
    ends = np.cumsum([1, *sizes])

    def value(theta):
        f, penalty = np.full(len(z), theta[0]), 0.0
        for codes, start, end in zip(pieces, ends, ends[1:], strict=False):
            own = theta[start:end][codes]
            f = f + own
            shape = 2 * np.cosh(own) - 2 if model.loss == "exponential" else own**2
            penalty += model.ridge_ * (w @ shape)
        rows = {
            "squared": 0.5 * (z - f) ** 2,
            "logistic": np.logaddexp(0, -z * f),
            "exponential": np.exp(-z * f),
        }[model.loss]
        return w @ rows + penalty

    return minimize(value, np.zeros(ends[-1]), method="BFGS", options={"gtol": 1e-7}).fun


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("loss", LOSSES)
def test_bins_of_the_model_cost_nothing(loss, seed):
    model, X, y, w = fit(loss, seed)
    bins = {shape.feature_name: bins_of(model, shape.feature_name) for shape in model.shape_functions_}
    assert bins
    edited = model.edit_bins(X, y, bins, w)
    assert edited.price <= 1e-6 * model.objective_
    again = edited.model.verify(X, y, w)
    assert again.primal == pytest.approx(edited.model.objective_, rel=1e-9)
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-6)
    assert [own.steps[0].text for own in edited.model.shape_functions_] == [
        own.steps[0].text for own in model.shape_functions_
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", LOSSES)
def test_the_values_are_the_best_ones(loss, seed):
    model, X, y, w = fit(loss, seed)
    edited = model.edit_bins(X, y, {"a": [4, 9, 20], "c": [["x", "z"], ["y"]], "d": [1.5]}, w).model
    pieces = []
    for shape in sorted(edited.shape_functions_, key=lambda shape: shape.feature_index):
        rows = [shape.step_of(None if value != value else value) for value in X[shape.feature_name].tolist()]
        pieces.append(np.array([shape.steps.index(step) for step in rows]))
    n_steps = sum(len(shape.steps) - 1 for shape in edited.shape_functions_)
    assert n_steps == edited.n_nonzero_
    wanted = objective_by_minimiser(edited, X, y, w, pieces) + 2.0 * n_steps
    assert edited.objective_ == pytest.approx(wanted, rel=1e-7)
    assert edited.verify(X, y, w).primal == pytest.approx(edited.objective_, rel=1e-9)


def test_missing_values_have_the_best_place():
    model, X, y, w = fit("logistic", 1)
    edited = model.edit_bins(X, y, {"b": [-0.5, 0.55]}, w)
    tried = []
    base = {shape.feature_name: shape for shape in edited.model.shape_functions_}
    others = [
        np.array([shape.steps.index(shape.step_of(None if v != v else v)) for v in X[name].tolist()])
        for name, shape in base.items()
        if name != "b"
    ]
    steps = edited.model.n_nonzero_ - (len(base["b"].steps) - 1)
    for place in range(4):
        codes = np.digitize(X["b"], [-0.5, 0.55], right=True)
        codes[X["b"].isna()] = place
        found = objective_by_minimiser(model, X, y, w, [*others, codes])
        tried.append(found + 2.0 * (steps + 2 + (place == 3)))
    assert edited.model.objective_ == pytest.approx(min(tried), rel=1e-7)


def draw_separable(seed, n=200):
    """Classes that columns determine but for few rows; with missing values and weights for odd seeds."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame({"a": r.integers(18, 90, n).astype(float), "b": r.normal(26, 4, n).round(1)})
    X["c"] = r.choice([0.0, 1.0, 2.0], n)
    y = (X["a"] > 50) & (X["c"] == 1) | (X["b"] > 31)
    y = np.where(y.to_numpy() != (r.random(n) < (seed % 3) * 0.01), "yes", "no")
    if seed % 2:
        X.loc[r.random(n) < 0.1, "b"] = np.nan
    return X, y, r.choice([0.5, 1.0, 2.0], n) if seed % 2 else None


@pytest.mark.parametrize("ridge", [1e-3, 1e-2])
@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("seed", range(6))
def test_no_values_are_better_than_those_of_a_fit(seed, loss, ridge):
    """A light bin of one class is far from the mean of its column."""
    X, y, w = draw_separable(seed)
    model = t.L0AdditiveClassifier(lambda0=1.4, ridge=ridge, loss=loss, max_steps=6)
    model.fit(X, y, sample_weight=w)
    for shape in model.shape_functions_:
        edited = model.edit_bins(X, y, {shape.feature_name: bins_of(model, shape.feature_name)}, w)
        assert edited.price >= 0


def test_missing_values_have_the_best_place_within_the_most_steps():
    """A step of their own would be one too many, for both columns; a place among the numbers is not."""
    r = np.random.default_rng(2)
    X = pd.DataFrame({"a": r.integers(0, 20, 400).astype(float), "b": r.integers(0, 9, 400).astype(float)})
    X.loc[r.random(400) < 0.1, "a"] = np.nan
    X.loc[r.random(400) < 0.1, "b"] = np.nan
    y = 1.0 * (X["a"] > 9) + 0.6 * (X["b"] > 4) - 2.0 * X["a"].isna() + 0.1 * r.normal(size=400)
    model = t.L0AdditiveRegressor(lambda0=2.0, max_steps=3).fit(X, y)
    assert {shape.feature_name: len(shape.steps) for shape in model.shape_functions_} == {"a": 3, "b": 2}
    edited = model.edit_bins(X, y, {"a": [9.5], "b": [4.5]})
    assert edited.model.n_nonzero_ == 3
    assert edited.model.certificate_.primal <= model.certificate_.primal * (1 + 1e-9)
    with pytest.raises(ValueError, match="the model has 4 steps, and max_steps is 3"):
        model.edit_bins(X, y, {"a": [4.5, 9.5], "b": [3.5, 4.5]})


def test_each_edit_has_its_price_and_a_proved_optimum_has_none_below_0():
    X, y, _ = draw(3, 200)
    X = X[["d"]].assign(e=(X["a"] // 6).clip(lower=0))
    model = t.L0AdditiveRegressor(lambda0=2.0, gap_tol=0.0).fit(X, y)
    assert model.certificate_.is_optimal
    for cuts in itertools.combinations([0.5, 1.5, 2.5, 3.5], 2):
        edited = model.edit_bins(X, y, {"d": list(cuts), "e": [1.5, 3.5]})
        assert all(line.price >= -1e-9 for line in edited.prices)
        assert [line.feature for line in edited.prices] == ["d", "e", "(all edits)"]
        alone = model.edit_bins(X, y, {"d": list(cuts)})
        assert alone.price == edited.prices[0].price
        columns = edited.columns()
        assert columns["price_in_steps"] == pytest.approx([price / 2.0 for price in columns["price"]])
        certificate = edited.model.certificate_
        assert certificate.dual == pytest.approx(model.objective_)
        assert certificate.gap == pytest.approx(edited.price)


def test_columns_are_left_out_and_taken_in():
    model, X, y, w = fit("logistic", 2)
    used = [shape.feature_name for shape in model.shape_functions_]
    without = model.edit_bins(X, y, {used[0]: None}, w)
    assert used[0] not in [shape.feature_name for shape in without.model.shape_functions_]
    [dropped] = [c for c in model.drop_column_importance(X, y, w).columns_ if c.feature_name == used[0]]
    assert without.model.objective_ >= dropped.objective - 1e-6  # other bins may be better
    empty = fit("logistic", 2, lambda0=200.0)[0]
    assert empty.n_nonzero_ == 0
    taken = empty.edit_bins(X, y, {"a": [12.5], 2: [["x"], ["y", "z"]]}, w)
    assert [shape.feature_name for shape in taken.model.shape_functions_] == ["a", "c"]
    assert taken.model.verify(X, y, w).primal == pytest.approx(taken.model.objective_)


def test_an_edited_model_is_a_model(tmp_path):
    model, X, y, w = fit("logistic", 0, handle_unknown="missing")
    before = model.to_json()
    edited = model.edit_bins(X, y, {"a": [9, 20.2]}, w).model
    assert model.to_json() == before
    texts = [s.text for shape in edited.shape_functions_ for s in shape.steps if shape.feature_name == "a"]
    assert texts[0].startswith("a <= 9")
    edited.to_json(tmp_path / "edited.json")
    again = t.load_model(tmp_path / "edited.json")
    assert (again.predict_proba(X) == edited.predict_proba(X)).all()
    card = edited.scaled_card()
    assert "a > 20" in str(card)
    assert "bins were edited" in str(edited.summary())
    twice = edited.edit_bins(X, y, {"d": [1.5]}, w).model
    assert texts == [s.text for own in twice.shape_functions_ for s in own.steps if own.feature_name == "a"]


def test_a_card_keeps_its_scale():
    model, X, y, w = fit("logistic", 0)
    card = model.scaled_card(pdo=50, high_score="high_risk", whole=False)
    edited = card.edit_bins(X[["d", "c", "b", "a"]].assign(more=0), y, {"a": [9]}, w)
    assert edited.card.scaling == card.scaling
    assert not edited.card.whole
    np.testing.assert_allclose(edited.card.predict_proba(X), edited.model.predict_proba(X))
    assert edited.price == model.edit_bins(X, y, {"a": [9]}, w).price
    assert t.ScaledCard.from_json(edited.card.to_json()).score(X).tolist() == edited.card.score(X).tolist()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("base", ["average", "lowest", "spread"])
def test_points_begin_where_those_of_the_card_do(base, whole):
    model, X, y, w = fit("logistic", 0)
    name = next(shape.feature_name for shape in model.shape_functions_ if shape.feature_name != "a")
    card = model.scaled_card(base=base, whole=whole)
    same = {name: bins_of(model, name)}
    edited = card.edit_bins(X, y, same, w).card
    np.testing.assert_allclose(edited.base_points, card.base_points, atol=1e-3)
    for found, own in zip(edited.points, card.points, strict=True):
        np.testing.assert_allclose(found, own, atol=1e-3)
    other = card.edit_bins(X, y, same, w, base="lowest").card
    assert {min(column) for column in other.points} == {0}


@pytest.mark.parametrize(
    ("trend", "values", "groups"),
    [
        ("valley", [0.9, -0.3, -1.6, -0.7, -0.8, 2.1], [1, 1, 1, 2, 1]),
        ("valley", [1, 0, 2], [1, 1, 1]),
        ("peak", [-1, 3, 1, 2, 0], [1, 1, 2, 1]),
        ("peak", [2, 1, 1, 0], [1, 1, 1, 1]),
        ("decreasing", [3, 4, 1, 2], [2, 2]),
        ("increasing", [4, 3, 2, 5], [3, 1]),
        ("increasing", [3, 2, 1], [3]),
        ("monotone", [1, 2, 5, 4], [1, 1, 2]),
        ("monotone", [2, 1], [1, 1]),
        ("free", [1, 3, 2, 5], [1, 1, 1, 1]),
    ],
)
def test_bins_are_merged_until_they_follow_a_trend(trend, values, groups):
    assert groups_of_trend(np.array(values, dtype=float), np.ones(len(values)), trend) == groups


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(20))
def test_merged_bins_are_those_of_isotonic_regression(seed, sign):
    rng = np.random.default_rng(seed)
    values, weights = rng.normal(size=12), rng.uniform(0.5, 2, 12)
    groups = groups_of_trend(sign * values, weights, "increasing" if sign > 0 else "decreasing")
    fitted = isotonic_regression(values, weights=weights).x
    assert len(groups) == np.unique(fitted).size


@pytest.mark.parametrize("trend", [1, "auto", "peak", "valley"])
@pytest.mark.parametrize("seed", range(3))
def test_the_bins_that_are_named_instead_keep_every_trend_at_once(seed, trend):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 20, (800, 2)).astype(float), columns=["a", "b"])
    y = 0.03 * X["a"] + 0.01 * X["b"] + rng.normal(size=800)
    model = t.L0AdditiveRegressor(lambda0=0.5, monotonic_cst={"a": trend, "b": trend}).fit(X, y)
    given = {"a": list(range(19)), "b": list(range(19))}
    with pytest.raises(ValueError, match=r"all trends hold with the bins {'a': \[") as caught:
        model.edit_bins(X, y, given)
    named = ast.literal_eval(str(caught.value).rpartition("the bins ")[2])
    assert set(named["a"]) < set(given["a"])
    assert model.edit_bins(X, y, {**given, **named}).model.verify(X, y)


def test_a_column_against_its_trend_gets_no_bins():
    x = np.repeat(np.arange(5.0), 20)
    y = x + np.tile([0.1, -0.1], 50)
    X = pd.DataFrame({"a": x, "b": np.tile(np.arange(5.0), 20)})
    model = t.L0AdditiveRegressor(lambda0=0.5, monotonic_cst={"a": -1}).fit(X, y)
    with pytest.raises(ValueError, match=r"Merge bins 1 to 5, .* all trends hold with none of 'a'"):
        model.edit_bins(X, y, {"a": [0, 1, 2, 3]})


def test_missing_values_of_little_weight_share_a_bin():
    X, signal, _ = draw(0)
    X, y = X[["b", "d"]], np.where(signal > 0, "yes", "no")
    light = X["b"].isna().sum()
    model = t.L0AdditiveClassifier(lambda0=0.1, min_bin_weight=light + 1).fit(X, y)
    edited = model.edit_bins(X, y, {"b": [0.0]})
    [shape] = [own for own in edited.model.shape_functions_ if own.feature_name == "b"]
    assert len(shape.steps) == 2
    assert edited.model.verify(X, y)


def test_trends_and_limits_hold():
    X, signal, _ = draw(0)
    X, y = X[["a", "b"]], np.where(signal > 0, "yes", "no")
    model = t.L0AdditiveClassifier(lambda0=2.0, special_codes={"a": [-9]}, monotonic_cst={"a": 1}).fit(X, y)
    edited = model.edit_bins(X, y, {"a": [12]}).model
    assert edited.verify(X, y)
    with pytest.raises(ValueError, match=r"must rise\. Merge bins \d to \d"):
        model.edit_bins(X, y, {"a": list(range(2, 27, 3))})
    for name, limit in (("max_steps", 3), ("max_columns", 1)):
        few = t.L0AdditiveClassifier(lambda0=2.0, **{name: limit}).fit(X, y)
        with pytest.raises(ValueError, match=name):
            few.edit_bins(X, y, {"a": [5, 12, 20], "b": [0.0]})
    heavy = t.L0AdditiveClassifier(lambda0=2.0, min_bin_weight=50).fit(X, y)
    n_light = int((X["a"] <= 0).sum())
    said = (
        f"bin 1 of column 'a' has the weight {n_light}, and min_bin_weight is 50; merge it with a neighbour"
    )
    with pytest.raises(ValueError, match=said):
        heavy.edit_bins(X, y, {"a": [0, 12]})


def test_missing_values_are_kept_apart_by_a_trend_however_light():
    X, signal, _ = draw(0)
    X, y = X[["a", "b"]], np.where(signal > 0, "yes", "no")
    light = int(X["b"].isna().sum())
    model = t.L0AdditiveClassifier(lambda0=1.0, monotonic_cst={"b": -1}, min_bin_weight=light + 1).fit(X, y)
    edited = model.edit_bins(X, y, {"b": [0.3]}).model
    [shape] = [own for own in edited.shape_functions_ if own.feature_name == "b"]
    assert [step.missing for step in shape.steps] == [False, False, True]
    assert edited.verify(X, y)


def test_bins_that_the_folds_chose_get_further_cut_points():
    r = np.random.default_rng(1)
    X = r.normal(size=(300, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + r.normal(size=300)
    for given in ({}, {"bins": 20, "ridge": 0.0}):
        model = t.L0AdditiveRegressor(**given).fit(X, y)
        assert model.bins_ < 300
        edited = model.edit_bins(X, y, {"x0": [float(np.quantile(X[:, 0], 0.513))]}).model
        assert set(edited.bins_) == {0, 1}
        assert edited.verify(X, y).has_bound == (not given)
        assert t.load_model(edited.to_json()).verify(X, y).has_bound == (not given)


def test_missing_values_count_in_the_bin_that_they_share():
    X, signal, _ = draw(0)
    X, y = X[["b", "d"]], np.where(signal > 0, "yes", "no")
    missing = int(X["b"].isna().sum())
    low = float(np.sort(X["b"].dropna().unique())[3])
    alone = int((X["b"] <= low).sum())
    assert alone < missing
    model = t.L0AdditiveClassifier(lambda0=0.1, min_bin_weight=missing + 1, bins=None).fit(X, y)
    cut = (low + float(X["b"][X["b"] > low].min())) / 2
    edited = model.edit_bins(X, y, {"b": [cut]}).model
    [shape] = [own for own in edited.shape_functions_ if own.feature_name == "b"]
    assert shape.step_of(None) is shape.steps[0]  # the only place in which each bin has enough weight


def test_none_leaves_a_column_out():
    model, X, y, w = fit("logistic", 0)
    used = {shape.feature_name for shape in model.shape_functions_}
    assert "a" in used
    edited = model.edit_bins(X, y, {"a": None}, w)
    assert {shape.feature_name for shape in edited.model.shape_functions_} == used - {"a"}
    assert edited.prices[0].steps_after == 0
    assert edited.price > 0
    edited.model.verify(X, y, w)
    nothing = model.edit_bins(X, y, dict.fromkeys(used), w)
    assert nothing.model.shape_functions_ == []
    assert nothing.model.n_nonzero_ == 0
    nothing.model.verify(X, y, w)


@pytest.mark.parametrize(
    ("bins", "error", "words"),
    [
        ({}, TypeError, "give a dict with the bins of columns"),
        ([1], TypeError, "give a dict with the bins of columns"),
        ({"e": [1]}, ValueError, "bins: there is no column 'e'"),
        ({"a": [5], 0: [6]}, ValueError, "column 'a' is given twice"),
        (
            {"a": [100]},
            ValueError,
            "all training rows of column 'a', which goes from 0 to 29, are on one side of 100",
        ),
        ({"a": [5.1, 5.2]}, ValueError, "no training row of column 'a' is between"),
        ({"a": [9, 5]}, ValueError, "sorted and differ"),
        ({"a": "5"}, TypeError, "got '5' for column 'a'; give a list of cut points"),
        ({"a": 5}, TypeError, "got 5 for column 'a'; give a list of cut points"),
        ({"a": [None, 5]}, TypeError, "the cuts of column 'a' hold None"),
        ({"c": 5}, TypeError, "give a list with a list for each bin, such as"),
        ({"d": []}, ValueError, "column 'd' has one bin"),
        ({"c": ["x", "y"]}, TypeError, "give a list with a list for each bin"),
        ({"c": [["x"], ["y"]]}, ValueError, "no bin has 'z'"),
        ({"c": [["x"], ["y", "z", "u"]]}, ValueError, "training did not see 'u'"),
        ({"c": [["x"], ["y", "z", "x"]]}, ValueError, "category 'x' is given twice"),
        ({"c": [["x"], ["x", "y"]]}, ValueError, "category 'x' is given twice"),
        ({"c": [["x", "y", "z"], []]}, ValueError, "bin 2 of column 'c' has no categories"),
        ({"c": [[], ["x", "y", "z"]]}, ValueError, "bin 1 of column 'c' has no categories"),
        ({"d": None}, ValueError, "got None for column 'd', which leaves a column out; .* drop the entry"),
    ],
)
def test_bad_edits_are_named(bins, error, words):
    model, X, y, w = fit("logistic", 0, exclude=None)
    assert "d" not in [shape.feature_name for shape in model.shape_functions_]
    with pytest.raises(error, match=words):
        model.edit_bins(X, y, bins, w)


def test_bad_data_and_models_are_named():
    model, X, y, _ = fit("logistic", 0)
    with pytest.raises(ValueError, match="give the training rows with their weights"):
        model.edit_bins(X, y, {"a": [5]})
    three = t.L0AdditiveClassifier(lambda0=2.0).fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="models of one output"):
        three.edit_bins(X, np.arange(len(X)) % 3, {"a": [5]})
    jumps = t.L0AdditiveClassifier(lambda0=2.0, lambda2=0.1).fit(X[["d"]], y)
    with pytest.raises(ValueError, match="lambda2=0"):
        jumps.edit_bins(X[["d"]], y, {"d": [1.5]})
    free = t.L0AdditiveClassifier(lambda0=2.0, ridge=0.0).fit(X[["d"]], y)
    with pytest.raises(ValueError, match="ridge > 0"):
        free.edit_bins(X[["d"]], y, {"d": [1.5]})
    out = t.L0AdditiveClassifier(lambda0=2.0, exclude=["d"]).fit(X, y)
    with pytest.raises(ValueError, match="exclude names column 'd'"):
        out.edit_bins(X, y, {"d": [1.5]})


@pytest.mark.parametrize("loss", LOSSES)
def test_targets_that_a_refit_would_explain_as_well_are_refused(loss):
    model, X, y, w = fit(loss, 0)
    others = [-y, y + 100] if loss == "squared" else [np.where(y == "yes", "no", "yes")]
    for other in others:
        with pytest.raises(ValueError, match=r"loss of the model .* give the training rows"):
            model.edit_bins(X, other, {"a": [5]}, w)
        if loss == "logistic":
            with pytest.raises(
                ValueError, match=r"loss of the model on these rows .* give the training rows"
            ):
                model.scaled_card().edit_bins(X, other, {"a": [5]}, w)


@pytest.mark.parametrize("seed", [2, 4, 5, 11])
def test_a_tree_of_bounds_is_kept_where_rounding_lowers_the_objective(seed):
    r = np.random.default_rng(seed)
    X = pd.DataFrame({"a": r.integers(0, 12, 200).astype(float), "b": r.integers(0, 8, 200).astype(float)})
    y = np.where((X.a > 5) * 1.0 + (X.b > 3) + r.normal(size=200) > 1, "bad", "good")
    model = t.L0AdditiveClassifier(lambda0=4.0, ridge=0.05, gap_tol=0.0).fit(X, y)
    edited = model.edit_bins(
        X, y, {s.feature_name: bins_of(model, s.feature_name) for s in model.shape_functions_}
    )
    assert edited.price == 0
    assert edited.model.certificate_.n_nodes == model.certificate_.n_nodes > 1
    assert edited.model.certificate_.dual == pytest.approx(model.certificate_.dual, rel=1e-12)
    moved = model.edit_bins(X, y, {"a": [3.37, 5.25], "b": [3.125]}).model
    assert moved.verify(X, y).n_nodes == model.certificate_.n_nodes
    assert moved.certificate_.dual == model.certificate_.dual


@pytest.mark.parametrize("least", [0.0, 20.0])
def test_missing_values_may_share_the_only_piece_of_numbers_in_a_column_with_a_trend(least):
    r = np.random.default_rng(0)
    x = r.normal(size=400)
    x[:60], x[60:70] = -9999.0, np.nan
    y = np.where((x == -9999.0) ^ (r.random(400) < 0.1), "bad", "good")
    X = pd.DataFrame({"x": x})
    params = {"lambda0": 4.0, "special_codes": {"x": [-9999]}, "monotonic_cst": {"x": 1}}
    model = t.L0AdditiveClassifier(**params, min_bin_weight=least).fit(X, y)
    assert bins_of(model, "x") == []
    assert model.n_nonzero_ == 1
    assert model.edit_bins(X, y, {"x": []}).price == 0
    X = X.where(X != -9999.0).round(0)
    known = t.L0AdditiveClassifier(lambda0=8.0).fit(X, y)
    assert bins_of(known, "x") == []
    assert known.edit_bins(X, y, {"x": []}).price == 0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_cut_points_that_the_fit_did_not_have(loss, seed):
    """The edited model is that of a fit that had the cut points, edited alike; it is verified."""
    first, X, y, w = fit(loss, seed)
    X = X.replace({"a": {-9: 5}}).fillna(
        {"b": 0.0, "c": "x"}
    )  # the place of missing values is no part of this

    def fitted(bins):
        return type(first)(lambda0=2.0, loss=loss, bins=bins).fit(X, y, sample_weight=w)

    model = fitted(5)
    new = {"a": [3.5, 7.25, 21.5], "b": [-0.55, 0.45]}
    edited = model.edit_bins(X, y, new, w)
    shapes = {shape.feature_name: shape for shape in edited.model.shape_functions_}
    for name, cuts in new.items():
        found = [step.upper for step in shapes[name].steps if np.isfinite(step.upper)]
        kept = X[name][w > 0]
        assert [(kept <= cut).sum() for cut in found] == [(kept <= cut).sum() for cut in cuts]
    candidates = dict(edited.model.bins)
    positions = {name: X.columns.get_loc(name) for name in new}
    assert all(len(candidates[positions[name]]) > 4 for name in new)
    other = fitted(candidates)
    alike = {name: bins_of(model, name) for name in shapes if name not in new}
    unused = {shape.feature_name for shape in other.shape_functions_} - set(shapes)
    again = other.edit_bins(X, y, {**new, **alike, **dict.fromkeys(unused)}, w)
    assert edited.model.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-9)
    assert again.prices[-1].objective == pytest.approx(edited.prices[-1].objective, rel=1e-8)
    np.testing.assert_allclose(again.model._decision(X), edited.model._decision(X), atol=1e-5)
    assert edited.model.verify(X, y, w).dual == pytest.approx(edited.model.certificate_.dual, rel=1e-9)
    restored = type(model).from_json(edited.model.to_json())
    assert (restored._decision(X) == edited.model._decision(X)).all()


@pytest.mark.parametrize(
    "params", [{"max_steps": 3}, {"max_columns": 2}, {"gap_tol": 0.01}, {"class_weight": "balanced"}]
)
def test_the_bound_with_other_cut_points_is_as_good_as_that_of_a_fit(params):
    _, X, y, w = fit("logistic", 1)
    X, params = X[["a", "b", "c"]], {"bins": 6, "ridge": 0.01, **params}
    model = t.L0AdditiveClassifier(lambda0=2.0, **params).fit(X, y, sample_weight=w)
    name = next(shape.feature_name for shape in model.shape_functions_ if shape.steps[0].categories is None)
    edited = model.edit_bins(X, y, {name: [0.45]}, w).model
    assert edited.bins != model.bins
    assert edited.verify(X, y, w).dual == pytest.approx(edited.certificate_.dual, rel=1e-9)
    strength = {"lambda0": model.lambda0_, "max_steps": None, "bins": edited.bins}
    other = t.L0AdditiveClassifier(**{**params, **strength}).fit(X, y, sample_weight=w)
    assert edited.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-9)
    assert edited.certificate_.n_nodes == other.certificate_.n_nodes


@pytest.mark.parametrize("bins", [1000, {"x": [0.1]}], ids=["candidate", "no candidate"])
def test_cut_points_of_columns_of_32_bits(bins):
    """0.3 in 32 bits is above 0.3, and belongs to the bin below it."""
    r = np.random.default_rng(0)
    x = r.integers(0, 10, 400) / 10
    y = (x > 0.3) ^ (r.random(400) < 0.1)
    edits = []
    for kind in ("float32", "float64"):
        X = pd.DataFrame({"x": x.astype(kind)})
        edits.append(t.L0AdditiveClassifier(lambda0=2.0, bins=bins).fit(X, y).edit_bins(X, y, {"x": [0.3]}))
        assert edits[-1].model.verify(X, y).dual == pytest.approx(edits[-1].model.certificate_.dual)
    rounded, plain = edits
    assert rounded.prices[0].price == pytest.approx(plain.prices[0].price, abs=1e-9)
    assert rounded.prices[0].price <= 0
    for kind in ("float32", "float64"):
        X = pd.DataFrame({"x": x.astype(kind)})
        wanted = plain.model.predict_proba(pd.DataFrame({"x": x}))
        np.testing.assert_allclose(rounded.model.predict_proba(X), wanted)


@pytest.mark.parametrize("others", [..., "..."])
def test_one_bin_of_all_other_categories(others):
    model, X, y, w = fit("logistic", 0)
    found = model.edit_bins(X, y, {"c": [["y"], others]}, w)
    assert found.prices == model.edit_bins(X, y, {"c": [["y"], ["x", "z"]]}, w).prices
    turned = model.edit_bins(X, y, {"c": [others, ("y",)]}, w)
    assert turned.price == pytest.approx(found.price)
    with pytest.raises(ValueError, match=r"is given twice; it is one bin of all others"):
        model.edit_bins(X, y, {"c": [["y"], others, others]}, w)
    with pytest.raises(ValueError, match=r"no category is left for \.\.\."):
        model.edit_bins(X, y, {"c": [["y", "x"], ["z"], others]}, w)
    with pytest.raises(
        ValueError, match=r"no bin has 'z'; \.\.\. in place of a list is the bin of all others"
    ):
        model.edit_bins(X, y, {"c": [["y"], ["x"]]}, w)


@pytest.mark.parametrize("yes", ["True", "true"])
def test_truth_values_may_be_texts(yes):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"employed": rng.random(120) < 0.5, "age": rng.integers(20, 70, 120)})
    y = 2.0 * X["employed"] + (X["age"] > 40) + 0.1 * rng.normal(size=120)
    model = t.L0AdditiveRegressor(lambda0=0.5).fit(X, y)
    edited = model.edit_bins(X, y, {"employed": [[yes], ...]})
    same = model.edit_bins(X, y, {"employed": [[True], [False]]})
    assert str(edited.model.score_card()) == str(same.model.score_card())


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ({}, r"got \{\}; give a dict with the bins of columns, such as \{'age': \[25, 40\]\}"),
        ({"c": [["x", None], ...]}, "missing values are no category; they get the best place by themselves"),
        ({"c": [["x", "missing"], ...]}, "missing values are no category"),
        ({"c": ["x", ...]}, r"got \['x', \.\.\.\] for column 'c', which has categories; give a list with"),
        ({"c": [[["x"]], ...]}, r"got \[\[\['x'\]\], \.\.\.\] for column 'c'"),
        ({"c": [[], ...]}, "bin 1 of column 'c' has no categories; remove it"),
        ({"c": [["q"], ...]}, "training did not see 'q'; known are 'x', 'y', 'z'"),
        ({"a": [-9, 12]}, "-9 is a special code, which is apart from the numbers; remove it"),
        ({"a": [40]}, "column 'a', which goes from 0 to 29, are on one side of 40; remove it"),
        ({"e": []}, "column 'e' has one bin, which separates no rows; drop this entry"),
        ({"e": None}, "got None for column 'e', which leaves a column out; the model does not use this one"),
        (
            {"e": [0.1, 0.2, 0.3]},
            "with these edits the model has [0-9]+ steps, and max_steps is [0-9]+; leave",
        ),
        ({"e": [0.5]}, "with these edits the model has [0-9] columns, and max_columns is [0-9]; leave"),
    ],
)
def test_messages_say_what_to_do(bins, message):
    X, signal, w = draw(0)
    X["e"] = np.random.default_rng(1).random(len(X)).round(2)
    y = np.where(signal > 0, "yes", "no")
    model = t.L0AdditiveClassifier(lambda0=2.0, special_codes={"a": [-9]}, exclude=["e"]).fit(X, y, w)
    n = len(model.shape_functions_)
    limits = {"max_columns": n} if bins.get("e") == [0.5] else {"max_steps": model.n_nonzero_}
    model.set_params(exclude=None, **limits)
    with pytest.raises((TypeError, ValueError), match=message):
        model.edit_bins(X, y, bins, w)


@pytest.mark.parametrize("weighted", [False, True])
def test_declared_categories_that_no_row_has_are_no_part_of_an_edit(weighted):
    model, X, y, w = fit("squared", 1)
    w = w if weighted else np.ones(len(y))
    bins = {"c": [["x", "y"], "..."]}
    plain = model.fit(X, y, sample_weight=w).edit_bins(X, y, bins, sample_weight=w)
    declared = X.astype({"c": pd.CategoricalDtype(["x", "unused", "y", "z", "other"])})
    edited = model.fit(declared, y, sample_weight=w).edit_bins(declared, y, bins, sample_weight=w)
    assert str(edited) == str(plain)
    assert edited.model.predict(declared) == pytest.approx(plain.model.predict(X))


@pytest.mark.parametrize("n_codes", [1, 2])
@pytest.mark.parametrize("n_missing", [0, 5])
@pytest.mark.parametrize("least", [0.0, 9.0])
def test_special_codes_in_the_place_of_missing_values_need_no_weight(n_codes, n_missing, least):
    r = np.random.default_rng(0)
    b = r.integers(0, 5, 200).astype(float)
    b[r.random(200) < 0.15] = -99
    b[:15], b[15:30] = 77, 88 if n_codes == 2 else 77
    y = 1.5 * (b > 2) + 0.8 * (b == -99) + r.normal(0, 0.6, 200)
    b[30 : 30 + n_missing] = np.nan
    X, codes = pd.DataFrame({"b": b}), {"b": [-99, 77, 88]}
    model = t.L0AdditiveRegressor(lambda0=0.3, special_codes=codes, min_bin_weight=least).fit(X, y)
    for cuts in ([1.0], [0.5], [1.0, 3.0]):
        edited = model.edit_bins(X, y, {"b": cuts}).model
        assert edited.verify(X, y).primal == pytest.approx(edited.objective_, rel=1e-9)
        again = edited.edit_bins(X, y, {"b": [2.0]}).model
        again.verify(X, y)


@pytest.mark.parametrize("bins", ["auto", 20, None])
def test_cut_points_are_those_that_were_asked_for(bins):
    r = np.random.default_rng(2)
    X = pd.DataFrame({"amount": np.exp(r.normal(9, 1.5, 200)).round(2), "b": r.integers(0, 8, 200)})
    chance = 1 / (1 + np.exp(0.7 - 1.4 * (X["amount"] > 20_000) - (X["b"] > 3)))
    y = np.where(r.random(200) < chance, "default", "paid")
    model = t.L0AdditiveClassifier(pos_label="default", lambda0=3.0, bins=bins).fit(X, y)
    edited = model.edit_bins(X, y, {"amount": [5000, 20_000], "b": [3.25]}).model
    assert bins_of(edited, "amount") == [5000, 20_000]
    assert bins_of(edited, "b") == [3.25]
    again = edited.verify(X, y)
    assert again.primal == pytest.approx(edited.objective_, rel=1e-9)
    assert {5000, 20_000} < set(edited.bins[0])
    if bins is None:  # a candidate divides the rows in each possible way
        assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-12)
        assert len(edited.bins[0]) == X["amount"].nunique() - 1
    twice = edited.edit_bins(X, y, {"amount": [5000.001, 20_000]}).model
    assert bins_of(twice, "amount") == [5000.001, 20_000]
    assert t.load_model(twice.to_json()).verify(X, y).dual == pytest.approx(again.dual, rel=1e-9)


def test_rows_of_weight_0_of_32_bits_do_not_move_candidates():
    """Between 15.2 and 15.4 the candidate is 15.3, which a row of weight 0 has in 32 bits."""
    x = np.tile(np.array([15.2, 15.4, 20.0, 30.0]), 50)
    y = (x > 15.3) + 0.5 * (x > 25.0)
    X = pd.DataFrame({"x": np.append(x, 15.3).astype("float32"), "z": np.arange(201) % 7})
    y, w = np.append(y, 0.0), np.append(np.ones(200), 0.0)
    model = t.L0AdditiveRegressor(lambda0=0.1, bins=None).fit(X, y, sample_weight=w)
    assert 15.3 in bins_of(model, "x")
    for edit in ({"x": [15.3, 22.0]}, {"z": [2.5]}, {"z": [2.25], "x": [15.3]}):
        edited = model.edit_bins(X, y, edit, w).model
        assert edited.verify(X, y, w).dual <= edited.objective_


def test_a_column_without_candidates_gets_cut_points():
    model, X, y, w = fit("squared", 0, bins={"b": []})
    edited = model.edit_bins(X, y, {"b": [0.25]}, w).model
    assert bins_of(edited, "b") == [0.25]
    assert edited.verify(X, y, w).primal == pytest.approx(edited.objective_, rel=1e-9)


def test_numbers_of_64_bits_that_16_bits_can_hold_move_no_cut_points():
    r = np.random.default_rng(0)
    x = r.integers(0, 800, 400) / 8  # 42.625 as 16 bits prints as 42.62
    x[:5] = 42.625
    X, y = pd.DataFrame({"x": x}), 2.0 * (x > 42.62) + r.normal(0, 0.3, 400)
    model = t.L0AdditiveRegressor(lambda0=1.0).fit(X, y)
    for bins in ([42.62], [20.06, 42.62]):
        edited = model.edit_bins(X, y, {"x": bins}).model
        assert [step.upper for step in edited.shape_functions_[0].steps[:-1]] == bins
        assert edited.verify(X, y)
    rounded = (X.x.round(1) + 0.3).astype(np.float16).to_frame()
    edited = model.fit(rounded, y).edit_bins(rounded, y, {"x": [50.3]}).model
    assert edited.verify(rounded, y)
