"""The additive models: what they find, what they say, what they refuse."""

import itertools
import json
import pickle
import re
import time
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, cross_val_score

from thresher import CertificateError, L0AdditiveClassifier, L0AdditiveRegressor
from thresher.estimators._compared_fits import ComparedFit, ComparedFits
from thresher.estimators.additive._gap import hint_for_gap

pd = pytest.importorskip("pandas")


def table(n=300, seed=0):
    """Numbers with gaps, a category, a constant and a duplicate column."""
    r = np.random.default_rng(seed)
    age, bmi = r.integers(20, 80, n).astype(float), r.normal(25, 4, n).round(1)
    color = r.choice(["red", "green", "blue", "grey"], n)
    f = 1.5 * (age > 45) - 1.0 * (age > 65) + 1.2 * np.isin(color, ["red", "blue"]) - 1.2 + 0.8 * (bmi > 28)
    bmi[r.random(n) < 0.15] = np.nan
    X = pd.DataFrame({"age": age, "bmi": bmi, "color": color, "one": 1.0, "again": age})
    y = np.where(r.random(n) < 1 / (1 + np.exp(-f)), "yes", "no")
    return X, y, f


def objective(model, X, y, loss, lambda0, lambda2=0.0):
    """The objective of a fitted model from its predictions and step functions alone."""
    s = np.where(y == model.classes_[1], 1.0, -1.0) if hasattr(model, "classes_") else None
    if s is None:
        total = 0.5 * ((y - model.predict(X)) ** 2).sum()
    else:
        f = model.decision_function(X)
        total = (np.logaddexp(0, -s * f) if loss == "logistic" else np.exp(-s * f)).sum()
    jumps = [np.diff([step.value for step in shape.steps]) for shape in model.shape_functions_]
    squares = sum((jump**2).sum() for jump in jumps)
    return total + lambda0 * sum(jump.size for jump in jumps) + lambda2 * squares


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_each_point_has_its_exact_objective(loss):
    X, y, _ = table()
    path = L0AdditiveClassifier(loss=loss, lambda2=0.01, ridge=0).fit_path(X, y, lambda0=[8, 4, 2]).path_
    for lambda0, found, steps in zip(path.lambda0, path.objective, path.n_nonzero, strict=True):
        model = path.at(lambda0)
        assert model.n_nonzero_ == steps == sum(shape.n_jumps for shape in model.shape_functions_)
        assert found == pytest.approx(objective(model, X, y, loss, lambda0, 0.01), rel=1e-9)
    assert np.all(np.diff(path.n_nonzero) >= 0)


def test_steps_are_found_where_they_are():
    X, _, f = table(2000)
    model = L0AdditiveRegressor(lambda0=0.05, ridge=0).fit(X[["age", "color"]], f - 0.8 * (X["bmi"] > 28))
    shapes = {shape.feature_name: shape for shape in model.shape_functions_}
    assert [step.text for step in shapes["age"].steps] == ["age <= 45", "45 < age <= 65", "age > 65"]
    assert {frozenset(s.categories) for s in shapes["color"].steps} == {
        frozenset({"red", "blue"}),
        frozenset({"green", "grey"}),
    }
    shares = [sum(step.support for step in shape.steps) for shape in shapes.values()]
    assert shares == pytest.approx([1.0, 1.0])
    means = [sum(step.support * step.value for step in shape.steps) for shape in shapes.values()]
    assert means == pytest.approx([0.0, 0.0], abs=1e-12)


def every_function(codes, n_bins):
    """Each grouping of ordered bins as a matrix of dummies."""
    for jumps in itertools.product([False, True], repeat=n_bins - 1):
        cuts = [k for k, jump in enumerate(jumps) if jump]
        yield np.column_stack([codes > k for k in cuts]) if cuts else np.zeros((codes.size, 0))


@pytest.mark.parametrize("seed", range(12))
def test_tiny_problems_are_close_to_the_optimum_over_all_supports(seed):
    r = np.random.default_rng(seed)
    X = r.integers(0, 4, (40, 2)).astype(float)
    y = (X[:, 0] > 1) * 1.0 - (X[:, 1] > 2) * 1.5 + r.normal(0, 0.5, 40)
    lambda0, best = 0.6, np.inf
    for a, b in itertools.product(*(list(every_function(X[:, j], 4)) for j in range(2))):
        D = np.column_stack([np.ones(40), a, b])
        residual = y - D @ np.linalg.lstsq(D, y, rcond=None)[0]
        best = min(best, 0.5 * residual @ residual + lambda0 * (D.shape[1] - 1))
    model = L0AdditiveRegressor(lambda0=lambda0, ridge=0).fit(X, y)
    assert model.path_.objective[0] >= best - 1e-9
    assert model.path_.objective[0] <= best * (1 + 1e-6)


def test_missing_values_share_a_step_or_have_their_own():
    r = np.random.default_rng(0)
    x = np.repeat([1.0, 2.0, np.nan], 60)
    for value, steps in ((0.0, 2), (5.0, 3)):
        y = np.select([x == 1, x == 2], [0.0, 2.0], value) + r.normal(0, 0.1, 180)
        [shape] = L0AdditiveRegressor(lambda0=1.0, ridge=0).fit(x[:, None], y).shape_functions_
        assert len(shape.steps) == steps
        assert shape.step_of(float("nan")).missing
        shares = shape.step_of(float("nan")).value == pytest.approx(shape.step_of(1.0).value)
        assert shares == (steps == 2)
    assert shape.steps[-1].text == "x0 missing"


def test_missing_values_that_training_did_not_see_count_as_the_mean():
    X, y, _ = table()
    model = L0AdditiveClassifier(lambda0=2.0, monotonic_cst={"age": 1}).fit(X[["age", "color"]], y)
    row = pd.DataFrame({"age": [np.nan], "color": ["red"]})
    color = next(shape for shape in model.shape_functions_ if shape.feature_name == "color")
    assert model.decision_function(row)[0] == pytest.approx(model.intercept_ + color.step_of("red").value)
    with pytest.raises(ValueError, match=r"'color' holds .pink."):
        model.predict(pd.DataFrame({"age": [30.0], "color": ["pink"]}))


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("lambda2", [0.1, 1.0, 3.0])
def test_steps_that_pay_are_found_under_a_strong_penalty_on_jumps(loss, lambda2):
    x = np.arange(60.0)[:, None] % 20
    inside = (x[:, 0] > 4) & (x[:, 0] <= 12)
    model = L0AdditiveClassifier(loss=loss, lambda0=2.0, lambda2=lambda2, ridge=0).fit(x, inside)
    assert model.n_nonzero_ == 2
    s = np.where(inside, 1.0, -1.0)
    best = np.inf
    for low, high in itertools.product(np.linspace(-3, 1, 81), np.linspace(-1, 3, 81)):
        f = np.where(inside, high, low)
        total = (np.logaddexp(0, -s * f) if loss == "logistic" else np.exp(-s * f)).sum()
        best = min(best, total + 4.0 + 2 * lambda2 * (high - low) ** 2)
    assert model.objective_ <= best * (1 + 1e-6)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("direction", [1, -1])
def test_monotone_columns_move_one_way(loss, direction):
    X, y, _ = table(400)
    monotonic_cst = {"age": direction, "bmi": direction}
    path = (
        L0AdditiveClassifier(loss=loss, monotonic_cst=monotonic_cst, lambda2=1e-3)
        .fit_path(X, y, lambda0=[6, 2, 0.5])
        .path_
    )
    for lambda0 in path.lambda0:
        for shape in path.at(lambda0).shape_functions_:
            if shape.feature_name in monotonic_cst:
                values = [step.value for step in shape.steps if not np.isnan(step.lower)]
                assert np.all(np.diff(values) * direction >= 0)


def test_limits_hold_along_the_path():
    X, y, _ = table(400)
    model = L0AdditiveClassifier(max_steps=4, max_columns=2, min_bin_weight=60).fit_path(X, y)
    assert model.path_.n_nonzero.max() <= 4
    for lambda0 in model.path_.lambda0:
        shapes = model.path_.at(lambda0).shape_functions_
        assert len(shapes) <= 2
        assert all(step.support * 400 >= 60 - 1e-9 for shape in shapes for step in shape.steps)
    assert L0AdditiveClassifier(lambda0=0.1, max_steps=3).fit(X, y).n_nonzero_ <= 3


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separable_classes_stay_finite(loss):
    x = np.arange(40.0)[:, None]
    model = L0AdditiveClassifier(loss=loss, lambda0=0.5, ridge=0).fit(x, x[:, 0] > 19)
    assert model.n_nonzero_ == 1
    assert np.isfinite(model.decision_function(x)).all()
    assert np.abs([step.value for step in model.shape_functions_[0].steps]).max() <= 20.0
    assert model.predict_proba(x)[[0, -1], 1] == pytest.approx([0, 1], abs=1e-3)


def test_columns_that_say_nothing():
    y = np.tile([0.0, 1.0], 30)
    X = pd.DataFrame({"one": 1.0, "lost": np.full(60, np.nan), "word": ["a"] * 60})
    model = L0AdditiveRegressor(lambda0=0.1, ridge=0).fit(X, y)
    assert model.shape_functions_ == []
    assert model.predict(X) == pytest.approx(0.5)


def test_exponential_probabilities_use_twice_the_decision():
    X, y, _ = table()
    model = L0AdditiveClassifier(loss="exponential", lambda0=5.0).fit(X, y)
    expected = 1 / (1 + np.exp(-2 * model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected)


def test_several_classes_and_targets():
    X, _, f = table()
    labels = np.digitize(f, [-0.5, 0.9])
    model = L0AdditiveClassifier(lambda0=2.0).fit(X, labels)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert model.score(X, labels) > 0.8
    assert len(model.path_.objective) == 3
    both = L0AdditiveRegressor(lambda0=0.5, ridge=0).fit(X, np.column_stack([f, -f]))
    np.testing.assert_allclose(both.predict(X)[:, 0], -both.predict(X)[:, 1], atol=1e-6)


def test_score_card_explanation_and_points():
    X, y, _ = table(600)
    model = L0AdditiveClassifier(lambda0=3.0).fit(X, y)
    card = model.score_card()
    frame = card.to_frame()
    assert list(frame.columns) == ["feature", "condition", "value", "support"]
    assert len(frame) == len(card) + 1
    assert all(step.text in str(card) for shape in model.shape_functions_ for step in shape.steps)
    for row, reasons in enumerate(model.explain(X.head(20))):
        total = reasons.intercept + sum(part.value for part in reasons.contributions)
        assert total == pytest.approx(model.decision_function(X)[row])
        for part in reasons.contributions:
            step = next(
                s for shape in model.shape_functions_ for s in shape.steps if f"({s.text})" in part.text
            )
            assert step.value == pytest.approx(part.value)
    points = model.point_card(X, y, max_points=5)
    steps = [step.value for shape in points.cards[0].shapes for step in shape.steps]
    assert all(value == round(value) and 0 <= value <= 5 for value in steps)
    assert max(steps) >= 1
    s = np.where(y == "yes", 1.0, -1.0)
    total = np.zeros(len(y))
    for shape in points.cards[0].shapes:
        total += [shape.step_of(value).value for value in X[shape.feature_name].tolist()]
    f = points.cards[0].intercept + points.scale * total
    assert points.score(X).dtype.kind == "i"
    assert points.score(X).tolist() == total.tolist()
    assert points.score(X[:1]).tolist() == total[:1].tolist()
    assert points.loss == pytest.approx(np.logaddexp(0, -s * f).sum())
    assert points.exact_loss == pytest.approx(np.logaddexp(0, -s * model.decision_function(X)).sum())
    assert points.loss < points.exact_loss * 1.05
    with pytest.raises(ValueError, match="max_points"):
        model.point_card(X, y, max_points=0)


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared"])
@pytest.mark.parametrize(("max_points", "weighted"), [(1, False), (2, True), (5, False)])
def test_no_other_scale_of_the_points_has_a_smaller_loss(loss, max_points, weighted):
    X, y, target = table(600)
    if loss == "squared":
        y = 5.0 + 3.0 * target + np.random.default_rng(1).normal(size=600)
        model = L0AdditiveRegressor(lambda0=0.5, ridge=2.0).fit(X, y)
    else:
        y = (target + np.random.default_rng(1).logistic(size=600) > 0).astype(int)
        model = L0AdditiveClassifier(lambda0=1.0, loss=loss).fit(X, y)
    weights = np.random.default_rng(2).uniform(0.5, 2, 600) if weighted else np.ones(600)
    card = model.point_card(X, y, weights if weighted else None, max_points=max_points)
    points, s = card.score(X), np.where(y == 1, 1.0, -1.0)

    def summed(line):
        f = line[0] + line[1] * points
        rows = {
            "logistic": np.logaddexp(0, -s * f),
            "exponential": np.exp(-s * f),
            "squared": (y - f) ** 2 / 2,
        }
        return weights @ rows[loss]

    assert card.loss == pytest.approx(summed([card.cards[0].intercept, card.scale]))
    assert card.loss == pytest.approx(minimize(summed, [0.0, 0.1]).fun, rel=1e-6)


def test_points_that_separate_the_classes_have_a_moderate_scale():
    X = pd.DataFrame({"x": np.arange(40.0)})
    model = L0AdditiveClassifier(lambda0=0.5).fit(X, X["x"] > 19)
    card = model.point_card(X, X["x"] > 19, max_points=3)
    span = max(s.value for s in model.shape_functions_[0].steps) - min(
        s.value for s in model.shape_functions_[0].steps
    )
    assert 0 < card.scale * card.score(X).max() <= 1.5 * span
    assert card.loss > 0


def test_effects_that_are_rounding_are_printed_as_zero():
    X = np.c_[np.tile([0.0, 1.0, 2.0], 100), np.repeat([0.0, 1.0, 2.0], 100)]
    model = L0AdditiveRegressor(lambda0=1e-3).fit(X, (X - 1) @ [0.3, 0.7])
    shape = model.shape_functions_[0]
    assert 0 < abs(shape.steps[1].value) < 1e-9
    for printed in (shape, model.score_card(), model.summary(), model.explain(X[4:5])[0]):
        assert "e-" not in str(printed).partition("Proved")[0]
        assert "+0.000" in str(printed)


def test_shapes_are_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    X, y, _ = table(600)
    model = L0AdditiveClassifier(lambda0=2.0).fit(X, y)
    display = model.plot_shapes()
    titles = [ax.get_title() for ax in display.axes_ if ax.get_visible()]
    assert titles == [shape.feature_name for shape in model.shape_functions_]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"lambda0": None}, ValueError, "lambda0"),
        ({"lambda0": 0}, ValueError, "lambda0"),
        ({"lambda0": "bic"}, ValueError, "lambda0"),
        ({"lambda2": -1}, ValueError, "lambda2"),
        ({"loss": "hinge"}, ValueError, "loss"),
        ({"bins": 1}, ValueError, "bins"),
        ({"bins": "all"}, ValueError, "bins"),
        ({"bins": [[3.0, 1.0], None, None, None, None]}, ValueError, "bins"),
        ({"monotonic_cst": {"color": 1}}, ValueError, "categorical and has no order"),
        ({"monotonic_cst": [2, 0, 0, 0, 0]}, ValueError, "monotonic_cst"),
        ({"ridge": float("nan")}, ValueError, "ridge"),
        ({"min_bin_weight": -1}, ValueError, "min_bin_weight"),
        ({"max_steps": 1.5}, TypeError, "max_steps"),
        ({"cv": 1}, ValueError, "cv"),
        ({"verbose": "x"}, TypeError, "verbose"),
    ],
)
def test_bad_parameters_are_named_and_change_nothing(params, error, message):
    X, y, _ = table(60)
    model = L0AdditiveClassifier(lambda0=3.0).fit(X, y)
    before = model.decision_function(X)
    model.set_params(**{"lambda0": "cv", **params})
    with pytest.raises(error, match=message):
        model.fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_given_cuts_are_the_only_ones():
    X, y, _ = table()
    cuts = [[40.0, 60.0], [27.5], None, [], []]
    model = L0AdditiveClassifier(lambda0=0.5, bins=cuts).fit(X, y)
    for shape in model.shape_functions_:
        if shape.steps[0].categories is None:
            ends = {step.upper for step in shape.steps if np.isfinite(step.upper)}
            assert ends <= set(cuts[shape.feature_index])
    few = L0AdditiveClassifier(lambda0=0.01, bins=3).fit(X, y)
    assert max(shape.n_jumps for shape in few.shape_functions_ if shape.feature_name == "age") <= 2


def test_cross_validation_and_one_standard_error():
    X, y, _ = table(600)
    plain = L0AdditiveClassifier(lambda2=[0.0, 1.0]).fit(X, y)
    assert plain.path_.cv_mean.shape == plain.path_.lambda0.shape
    assert (
        plain.path_.cv_mean[np.isclose(plain.path_.lambda2, plain.lambda2_)].min()
        <= plain.path_.cv_mean.min() + 1e-9
    )
    sparse = L0AdditiveClassifier(one_standard_error=True).fit(X, y)
    assert sparse.n_nonzero_ <= L0AdditiveClassifier().fit(X, y).n_nonzero_
    assert 2 <= sparse.n_nonzero_ <= 12


def slow_table():
    r = np.random.default_rng(0)
    X = r.normal(size=(20_000, 30))
    return X, (r.random(20_000) < 0.5).astype(int)


@pytest.mark.filterwarnings("ignore")
def test_thousands_of_steps_do_not_keep_the_caller_waiting():
    X, y = slow_table()
    start = time.monotonic()
    L0AdditiveClassifier(lambda0=0.01, time_limit=3.0).fit(X, y)
    assert time.monotonic() - start < 30


def test_points_of_values_that_training_did_not_see():
    x = np.array(["a", "b", "c"] * 40, dtype=object)
    y = np.array([0.0, 1.0, 4.0] * 40)
    model = L0AdditiveRegressor(lambda0=0.1, ridge=0).fit(pd.DataFrame({"x": x}), y)
    card = model.point_card(pd.DataFrame({"x": x}), y, max_points=12)
    points = card.score(pd.DataFrame({"x": ["a", "b", "c", None]}))
    decisions = card.cards[0].intercept + card.scale * points
    assert decisions[:3] == pytest.approx([0.0, 1.0, 4.0], abs=0.2)
    assert decisions[3] == pytest.approx(y.mean(), abs=0.2)
    with pytest.raises(ValueError, match="feature names should match"):
        card.score(pd.DataFrame({"z": ["a"]}))


def test_the_certificate_says_how_much_better_a_card_can_be():
    X, y, _ = table(500)
    model = L0AdditiveClassifier(lambda0=3.0, ridge=0.05).fit(X, y)
    certificate = model.certificate_
    assert certificate.has_bound
    assert certificate.complete
    assert certificate.primal == model.objective_
    assert 0 <= certificate.relative_gap < 0.05
    assert certificate.term_gap == pytest.approx(certificate.gap / 3.0)
    empty = L0AdditiveClassifier(lambda0=1e3, ridge=0.05).fit(X, y)
    assert certificate.null_objective == pytest.approx(empty.objective_)
    assert certificate.improvement_gap == pytest.approx(
        certificate.gap / (empty.objective_ - model.objective_)
    )
    assert empty.certificate_.relative_gap == pytest.approx(0, abs=1e-9)
    assert str(empty.certificate_).startswith("optimal")
    assert "no model has an objective below" in str(model.summary())
    assert "relative_gap" in repr(certificate)
    assert "null" not in certificate._repr_html_()


def test_a_bound_that_had_no_time_is_computed_by_verify():
    X, _, f = table(200)
    document = json.loads(L0AdditiveRegressor(lambda0=1.0).fit(X, f).to_json())
    [point] = document["model"]["outputs"][0]["points"]
    bound, point["bound"], point["complete"] = point["bound"], None, False
    stopped = L0AdditiveRegressor.from_json(json.dumps(document))
    assert "no lower bound: the search ended at a limit before it; verify computes" in str(stopped.summary())
    assert 0 <= stopped.verify(X, f).dual <= bound["dual"]


def test_without_a_penalty_on_values_there_is_no_bound():
    X, _, f = table(200)
    X, numbers = X.drop(columns="color"), ["age", "one", "again"]
    model = L0AdditiveRegressor(lambda0=1.0, ridge=0).fit(X, f)
    assert not model.certificate_.has_bound
    assert (model.certificate_.dual, model.certificate_.gap) == (-np.inf, np.inf)
    assert "no lower bound: it needs ridge > 0" in str(model.summary())
    assert model.verify(X, f).primal == pytest.approx(model.objective_)
    # A penalty on jumps gives one where all columns are ordered and have no missing values.
    assert not L0AdditiveRegressor(lambda0=1.0, lambda2=1.0, ridge=0).fit(X, f).certificate_.has_bound
    assert L0AdditiveRegressor(lambda0=1.0, lambda2=1.0, ridge=0).fit(X[numbers], f).certificate_.has_bound


def ordered(n=400, seed=0):
    """Numbers without missing values, and classes."""
    r = np.random.default_rng(seed)
    X = r.integers(0, 12, (n, 3)).astype(float)
    f = 1.5 * (X[:, 0] > 5) - 1.0 * (X[:, 1] > 8) + 0.7 * (X[:, 2] > 2) - 0.6
    return X, np.where(r.random(n) < 1 / (1 + np.exp(-f)), "yes", "no")


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_a_branch_and_bound_proves_a_card_optimal(loss):
    X, y = ordered()
    root = L0AdditiveClassifier(lambda0=3.0, loss=loss, ridge=0.03).fit(X, y)
    assert root.certificate_.n_nodes == 1
    assert not root.certificate_.is_optimal
    model = L0AdditiveClassifier(lambda0=3.0, loss=loss, ridge=0.03, gap_tol=0).fit(X, y)
    certificate = model.certificate_
    assert certificate.is_optimal
    assert certificate.n_nodes > 1
    assert root.certificate_.dual < certificate.dual <= model.objective_ <= root.objective_
    assert "Proved optimal: objective" in str(model.summary())
    fresh = type(model).from_json(model.to_json()).verify(X, y)
    assert fresh.n_nodes == certificate.n_nodes
    assert fresh.dual == pytest.approx(certificate.dual, rel=1e-7)
    # A larger tolerance needs fewer nodes, and any number of threads gives the same tree.
    quick = L0AdditiveClassifier(lambda0=3.0, loss=loss, ridge=0.03, gap_tol=0.005, n_jobs=1).fit(X, y)
    assert quick.certificate_.relative_gap <= 0.005
    assert quick.certificate_.n_nodes <= certificate.n_nodes
    again = L0AdditiveClassifier(lambda0=3.0, loss=loss, ridge=0.03, gap_tol=0.005, n_jobs=2).fit(X, y)
    assert again.certificate_.dual == quick.certificate_.dual
    assert again.certificate_.n_nodes == quick.certificate_.n_nodes


def test_a_gap_that_time_does_not_suffice_for_gives_a_warning():
    r = np.random.default_rng(0)
    X = r.normal(size=(1000, 8))
    y = X[:, 0] + r.normal(size=1000) > 0
    for time_limit in (1.0, 10.0, 100.0):  # a busy machine needs more for the first nodes
        model = L0AdditiveClassifier(lambda0=2.0, gap_tol=0.001, time_limit=time_limit)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        if model.certificate_.n_nodes > 1:
            break
    found = [own for own in caught if issubclass(own.category, ConvergenceWarning)]
    assert re.search(r"gap_tol: the relative gap is .* nodes, above 0\.001", str(found[0].message))
    assert found[0].filename == __file__
    assert model.verify(X, y).dual == pytest.approx(model.certificate_.dual, rel=1e-7)


def test_a_gap_that_stays_open_names_what_no_search_closes():
    r = np.random.default_rng(0)
    X = pd.DataFrame(r.normal(size=(200, 3)), columns=["a", "b", "d"]).assign(c=r.choice(list("pqrst"), 200))
    y = (X["a"] > 0) + (X["b"] > 0.2) + X["c"].isin(["p", "q"]) + r.normal(size=200)
    X.loc[::7, "b"] = np.nan
    X.loc[::9, "d"] = -9
    more = "fewer bins make it smaller. No search closes the part of the gap that comes from"
    categories, missing = (
        "the categories of 1 column",
        r"the missing values of 1 column \(they can be filled in\)",
    )
    others = {"special_codes": {"d": [-9]}, "monotonic_cst": {"a": 1}, "lambda2": 0.1}
    named = f"{categories}, {missing}, the special codes of 1 column, monotonic_cst and lambda2"
    for said, changed in ((f"{categories} and {missing}$", {}), (f"{named}$", others)):
        model = L0AdditiveRegressor(lambda0=3.0, ridge=0.1, bins=10, gap_tol=0, **changed)
        with pytest.warns(ConvergenceWarning, match=f"{more} {said}"):
            model.fit(X, y)
    assert "missing" not in hint_for_gap(model, [1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_tree_that_the_time_cuts_short_keeps_the_bounds_of_its_nodes():
    r = np.random.default_rng(0)
    X = r.normal(size=(400, 6))
    y = X[:, 0] + r.normal(size=400) > 0
    for time_limit in np.linspace(0.03, 0.6, 6):
        model = L0AdditiveClassifier(lambda0=2.0, gap_tol=0.001, time_limit=time_limit).fit(X, y)
        found = model.certificate_
        if not found.has_bound:  # a busy machine had no time for one
            continue
        assert found.dual > 0 or found.n_nodes == 1
        assert model.verify(X, y).dual == pytest.approx(found.dual, rel=1e-7)
    assert found.has_bound


SMALL = [
    # The intercept of the best card is far from that of the empty one.
    ([[2.0], [3.0]], [-1, 1], [1, 0.5], 0.7659839566803598, 0.01, "logistic", 0.9536659569),
    ([[2.0], [1.0], [3.0]], [-1, 1, 1], [0.001, 1, 2], 0.04434436399741047, 0.1, "exponential", 0.1085360099),
    (
        [[2.0, 3.0], [0.0, 2.0], [3.0, 2.0], [2.0, 0.0]],
        [1, -1, -1, 1],
        [100, 0.001, 2, 0.001],
        0.6183994675699368,
        0.01,
        "logistic",
        2.3381150340,
    ),
    (
        [[0.0, 2.0], [1.0, 1.0], [2.0, 1.0], [2.0, 3.0]],
        [1, -1, -1, -1],
        [0.5, 2, 2, 100],
        0.542158296982294,
        0.01,
        "exponential",
        2.3288509596,
    ),
]


@pytest.mark.parametrize(("X", "y", "weights", "lambda0", "ridge", "loss", "optimum"), SMALL)
def test_cards_of_few_rows_are_proved_optimal(X, y, weights, lambda0, ridge, loss, optimum):
    model = L0AdditiveClassifier(lambda0=lambda0, ridge=ridge, loss=loss, bins=None, gap_tol=0)
    model.fit(X, y, sample_weight=weights)
    assert model.objective_ == pytest.approx(optimum, rel=1e-6)
    assert model.certificate_.is_optimal


def test_odd_rows_have_trees():
    X, y = ordered(60)
    two = L0AdditiveRegressor(lambda0=1.0, ridge=0.1, gap_tol=0).fit(X[:2], [3.0, 5.0])
    assert two.certificate_.is_optimal
    constant = L0AdditiveClassifier(lambda0=1.0, gap_tol=0).fit(np.ones((60, 2)), y)
    assert constant.certificate_.is_optimal
    assert constant.certificate_.n_nodes == 1
    weights = np.arange(60) % 3.0
    some = L0AdditiveClassifier(lambda0=1.0, gap_tol=0.01).fit(X, y, sample_weight=weights)
    assert some.certificate_.relative_gap <= 0.01
    assert some.verify(X, y, sample_weight=weights).dual == pytest.approx(some.certificate_.dual, rel=1e-7)
    with pytest.raises(ValueError, match="gap_tol: got 0 without a ridge: a lower bound needs one"):
        L0AdditiveRegressor(lambda0=1.0, ridge=0, gap_tol=0).fit(X, X[:, 0])


def test_several_classes_have_a_tree_each():
    X, y = ordered()
    y = np.where(X[:, 0] > 9, "maybe", y)
    model = L0AdditiveClassifier(lambda0=4.0, ridge=0.03, gap_tol=0.005, time_limit=60).fit(X, y)
    parts = model.certificate_.outputs
    assert len(parts) == 3
    assert all(part.relative_gap <= 0.005 for part in parts)
    assert model.certificate_.n_nodes == sum(part.n_nodes for part in parts)


def test_certificates_of_several_outputs_add_up():
    X, _, f = table(300)
    y = np.column_stack([f, -2 * f + (X["age"] > 30)])
    model = L0AdditiveRegressor(lambda0=1.0, ridge=0.1).fit(X, y)
    certificate, parts = model.certificate_, model.certificate_.outputs
    assert len(parts) == 2
    assert certificate.dual == pytest.approx(sum(part.dual for part in parts))
    assert certificate.relative_gap == max(part.relative_gap for part in parts)
    assert certificate.term_gap == pytest.approx(certificate.gap)
    assert model.verify(X, y).dual == pytest.approx(certificate.dual, rel=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_every_point_of_a_path_has_a_bound(loss):
    X, y, _ = table()
    path = L0AdditiveClassifier(loss=loss, ridge=0.05).fit_path(X, y, lambda0=[8, 4, 2]).path_
    models = [path.at(lambda0) for lambda0 in path.lambda0]
    for model in models:
        assert 0 <= model.certificate_.relative_gap < 0.2
        assert model.verify(X, y).dual == pytest.approx(model.certificate_.dual, rel=1e-7)
    # A smaller lambda0 has a smaller optimum.
    assert models[-1].certificate_.dual <= models[0].objective_


@pytest.mark.parametrize("loss", ["squared", "logistic", "exponential"])
@pytest.mark.parametrize("least", [0.0, 20.0])
def test_bounds_of_columns_with_many_bins_are_verified(loss, least):
    r = np.random.default_rng(3)
    X = r.normal(size=(500, 3))
    X[r.random(500) < 0.2, 1] = np.nan
    f = np.sin(2 * X[:, 0]) + np.nan_to_num(X[:, 1] > 0.5) + X[:, 2]
    given = {"lambda0": 1.0, "ridge": 1.0, "min_bin_weight": least, "monotonic_cst": [0, 0, 1], "bins": None}
    y = f + r.normal(size=500)
    if loss == "squared":
        model = L0AdditiveRegressor(**given).fit(X, y)
    else:
        model = L0AdditiveClassifier(loss=loss, **given).fit(X, y > 0)
    fresh = model.verify(X, y if loss == "squared" else y > 0)
    assert fresh.dual == pytest.approx(model.certificate_.dual, rel=1e-9)
    assert 0 < model.certificate_.relative_gap < 0.5


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("max_steps", 1),
        ("max_columns", 1),
        ("min_bin_weight", 60.0),
        ("monotonic_cst", [1, -1, 0]),
        ("weights", 0),
    ],
)
def test_a_model_beyond_the_limits_of_its_file_is_refused(name, limit):
    r = np.random.default_rng(3)
    X = r.normal(size=(200, 3))
    X[r.random(200) < 0.1, 1] = np.nan
    y = X[:, 0] + 2.0 * np.nan_to_num(X[:, 1] > 0.5) + 0.3 * r.normal(size=200)
    model = L0AdditiveRegressor(lambda0=2.0, ridge=0.01).fit(X, y)
    document = json.loads(model.to_json())
    point = document["model"]["outputs"][0]["points"][0]
    if name == "weights":
        point["shapes"][0]["weights"][0] += 5.0
    else:
        document["params"][name] = limit
    with pytest.raises(CertificateError, match=rf"{name} (is|.Decreasing)|claims a piece of weight"):
        L0AdditiveRegressor.from_json(json.dumps(document)).verify(X, y)


def test_a_lambda0_beyond_the_limit_of_steps_is_said():
    x = np.repeat([0.0, 1.0, 2.0], 3)[:, None]
    y = np.array([0, 0.1, -0.1, 1, 1.1, 0.9, 3, 3.1, 2.9])
    with pytest.warns(ConvergenceWarning, match=r"max_steps: at lambda0=0.05 .* of lambda0=0\.\d+$"):
        model = L0AdditiveRegressor(lambda0=0.05, ridge=0.01, bins=None, max_steps=1).fit(x, y)
    assert model.lambda0_ > 0.05


def test_the_cross_validation_chooses_the_ridge():
    X, y, _ = table()
    given = {"lambda0": [8.0, 4.0, 2.0], "bins": 20, "cv": 3}
    ridges = [0.001, 0.01, 0.1, 1.0]
    singles = [L0AdditiveClassifier(ridge=ridge, **given).fit(X, y) for ridge in ridges]
    scores = [np.nanmin(single.path_.cv_mean) for single in singles]
    best = singles[int(np.argmin(scores))]
    for ridge in (None, ridges):
        model = L0AdditiveClassifier(ridge=ridge, **given).fit(X, y)
        assert (model.ridge_, model.lambda0_) == (best.ridge_, best.lambda0_)
        np.testing.assert_array_equal(model.decision_function(X), best.decision_function(X))
        assert model.verify(X, y).dual == pytest.approx(model.certificate_.dual, rel=1e-9)
    assert sorted(set(model.path_.ridge)) == ridges
    assert {model.path_.at(4.0).ridge_} == {model.ridge_}
    document = json.loads(model.to_json())
    document["model"]["outputs"][0]["points"][0]["ridge"] = 0.5
    with pytest.raises(CertificateError, match="objective"):
        L0AdditiveClassifier.from_json(json.dumps(document)).verify(X, y)
    with pytest.raises(ValueError, match="ridge"):
        L0AdditiveClassifier(ridge=[0.1, -1.0]).fit(X, y)


def loans(seed=0, n=600):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "smoker": rng.choice(["yes", "no"], n),
            "bmi": rng.normal(26, 4, n).round(1),
        }
    )
    high = ((X["age"] > 50) & (X["smoker"] == "yes")) | (X["bmi"] > 32) | (rng.random(n) < 0.1)
    return X, np.where(high, "yes", "no")


@pytest.mark.filterwarnings("ignore:max_steps")
@pytest.mark.parametrize("max_steps", [1, 2, 3])
def test_a_few_steps_at_a_small_lambda0(max_steps):
    X, y = loans()
    model = L0AdditiveClassifier(lambda0=1, ridge=0.01, max_steps=max_steps).fit(X, y)
    assert model.n_nonzero_ == max_steps
    model.verify(X, y)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_a_cross_validation_that_ends_at_max_steps_is_complete():
    X, y = loans()
    assert L0AdditiveClassifier(max_steps=3).fit(X, y).certificate_.complete


def test_an_edited_card_that_was_proved_verifies():
    X, y = loans(n=300)
    model = L0AdditiveClassifier(lambda0=5, ridge=0.05, bins=10, gap_tol=0).fit(X, y)
    for shape in model.shape_functions_:
        edited = model.edit_bins(X, y, {shape.feature_name: None}).model
        assert edited.verify(X, y).dual <= model.certificate_.primal


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"loss": "logistic"}, "no step function of a column lowers the second-order expansion of the loss"),
        ({"loss": "exponential"}, "with all other columns fixed, no step function of a column lowers it"),
        ({"loss": "exponential", "lambda2": 0.1}, "the search found no better step function of a column"),
    ],
)
def test_a_summary_says_in_what_sense_a_card_is_a_local_optimum(params, words):
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X.sum(axis=1) + np.sin(9 * X[:, 0]) > 0
    assert words in str(L0AdditiveClassifier(lambda0=1.0, **params).fit(X, y).summary())


def test_a_column_of_categories_that_hardly_repeat_is_named():
    n = 60
    r = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "kind": r.choice(["x", "y"], n),
            "day": [f"the day {k + 1}" for k in range(n)],
        }
    )
    X["pair"] = [f"{k // 2}" for k in range(n)]
    X.loc[:30, "kind"] = None
    y = np.where(r.random(n) < 0.5, "bad", "good")
    for name in ("day", "pair"):
        with pytest.warns(
            UserWarning, match=f"column '{name}' has .* categories in 60 rows.* exclude"
        ) as found:
            L0AdditiveClassifier(lambda0=3.0).fit(X[["kind", name]], y)
        [warning] = [own for own in found if "categories" in str(own.message)]
        assert warning.filename == __file__
        L0AdditiveClassifier(lambda0=3.0, exclude=[name]).fit(X[["kind", name]], y)
    with pytest.warns(UserWarning, match="column 'day' is in the model .* than chance would"):
        L0AdditiveClassifier(lambda0=1.0).fit(X[["day"]][:19], y[:19])


@pytest.mark.parametrize("params", [{"max_steps": 0}, {"max_columns": 0}], ids=str)
def test_an_empty_card_says_which_limit_made_it_so(params):
    X = np.arange(40.0)[:, None]
    for lambda0 in (0.5, "cv"):
        card = L0AdditiveRegressor(lambda0=lambda0, **params).fit(X, X[:, 0] > 19)
        (name,) = params
        assert card.n_nonzero_ == 0
        assert str(card.summary()).startswith(
            f"The model has no terms, only the intercept: {name}=0 allows none."
        )


def test_cut_points_of_wide_tables_are_parsed_when_they_are_used():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 30)), columns=[f'odd "cuts":[{k},1' for k in range(30)])
    y = (X.iloc[:, 2] > 0) * 1.0
    model = L0AdditiveRegressor(lambda0=2.0, max_steps=3).fit(X, y)
    features = model._fitted.document["features"]
    assert all("_numbers" not in vars(feature["cuts"]) for feature in features[3:])
    text = model.to_json()
    assert text == L0AdditiveRegressor.from_json(text).to_json()
    plain = json.loads(model._fitted.model.to_json())["features"]
    assert [list(feature["cuts"]) for feature in features] == [feature["cuts"] for feature in plain]
    assert json.loads(text)["model"]["features"] == plain
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    edited = model.edit_bins(X, y, {X.columns[2]: [0.1]})
    assert edited.model.certificate_.primal >= model.certificate_.primal


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_the_card_without_steps_is_compared_on_every_fold(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(1000, 3)), rng.pareto(2.2, 1000)  # a few rows far above the others
    cv = KFold(5, shuffle=True, random_state=0)
    model = L0AdditiveRegressor(cv=cv).fit(X, y)
    constant = cross_val_score(DummyRegressor(), X, y, cv=cv, scoring="neg_mean_squared_error")
    assert model.path_.cv_mean[0] == pytest.approx(-0.5 * constant.mean(), rel=1e-9)
    assert model.path_.cv_mean[0] == model.path_.cv_mean.min()
    assert model.n_nonzero_ == 0


def noise(seed, n=200):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), rng.permutation(np.arange(n) % 2)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_cards_of_noise_are_empty(loss):
    for seed in range(4):
        X, y = noise(seed)
        model = L0AdditiveClassifier(loss=loss, one_standard_error=True).fit(X, y)
        assert model.n_nonzero_ == 0
        starts = np.flatnonzero(np.diff(model.path_.ridge, prepend=0.0))
        assert (model.path_.n_nonzero[starts] == 0).all()
        # No better card is found at the lambda0 of the empty one.
        chosen = {"lambda0": model.lambda0_, "ridge": model.ridge_, "bins": model.bins_}
        alone = L0AdditiveClassifier(loss=loss, **chosen).fit(X, y)
        assert alone.n_nonzero_ == 0
        assert model.verify(X, y).dual == pytest.approx(model.certificate_.dual, rel=1e-9)


@pytest.mark.parametrize("weight", [0.37, 0.5, 2.0, 4.0])
def test_a_common_factor_of_the_weights_moves_no_cut_point(weight):
    r = np.random.default_rng(5)
    X = np.column_stack([r.normal(size=(240, 2)), r.exponential(size=240)])
    y = (X[:, 2] > 1) + 0.4 * r.normal(size=240)
    folds = [
        (np.flatnonzero(np.arange(240) % 3 != k), np.flatnonzero(np.arange(240) % 3 == k)) for k in range(3)
    ]
    plain = L0AdditiveRegressor(bins=12, cv=folds).fit(X, y)
    weights = np.full(240, weight)
    other = L0AdditiveRegressor(bins=12, cv=folds).fit(X, y, sample_weight=weights)
    assert other.lambda0_ / weight == pytest.approx(plain.lambda0_)
    np.testing.assert_allclose(other.path_.cv_mean, plain.path_.cv_mean)
    np.testing.assert_allclose(other.predict(X), plain.predict(X))
    assert other.verify(X, y, sample_weight=weights).primal == pytest.approx(weight * plain.objective_)


def test_the_folds_choose_the_number_of_bins():
    r = np.random.default_rng(1)
    X = r.normal(size=(200, 3))
    rough, smooth = np.sign(X[:, 0] - 0.321), np.sin(2 * X[:, 0]) + X[:, 1]
    noise, chosen = r.normal(size=len(X)), {}
    for name, y in (("rough", rough + 0.1 * noise), ("smooth", smooth + noise)):
        model = L0AdditiveRegressor().fit(X, y)
        chosen[name] = model.bins_
        few = L0AdditiveRegressor(bins=20).fit(X, y).path_.cv_mean.min()
        assert model.path_.cv_mean.min() <= few
        strength = {"lambda0": model.lambda0_, "ridge": model.ridge_}
        again = L0AdditiveRegressor(bins=model.bins_, **strength).fit(X, y)
        assert again.objective_ == pytest.approx(model.objective_, rel=1e-9)
        assert model.verify(X, y)
    assert chosen["smooth"] < chosen["rough"]


def test_a_number_of_penalty_takes_the_most_bins():
    X = np.random.default_rng(0).normal(size=(1500, 1))
    model = L0AdditiveRegressor(lambda0=1.0).fit(X, X[:, 0])
    assert model.bins_ == 1000


def test_a_proof_without_time_leaves_the_card_of_the_folds(monkeypatch):
    attempt = ComparedFits.attempt

    def late(fits, changes, name, part):
        is_proof = changes.get("gap_tol", 1) is not None
        return ComparedFit(None, None, np.inf, False) if is_proof else attempt(fits, changes, name, part)

    monkeypatch.setattr(ComparedFits, "attempt", late)
    r = np.random.default_rng(0)
    X = r.normal(size=(100, 1))
    y = np.sin(2 * X[:, 0]) + 0.5 * r.normal(size=100)
    with pytest.warns(ConvergenceWarning, match="gap_tol"):
        model = L0AdditiveRegressor(gap_tol=0.0).fit(X, y)
    assert model.n_nonzero_ > 0
    assert model.verify(X, y)


def test_numbers_of_bins_that_the_time_leaves_out_are_said(monkeypatch):
    attempt = ComparedFits.attempt

    def late(fits, changes, name, part):
        return attempt(fits, changes, name, part) if not name else ComparedFit(None, None, np.inf, False)

    monkeypatch.setattr(ComparedFits, "attempt", late)
    X = np.random.default_rng(0).normal(size=(100, 1))
    with pytest.warns(ConvergenceWarning, match="time_limit: .* before 100 bins .*; the card has 20"):
        model = L0AdditiveRegressor().fit(X, X[:, 0] > 0)
    assert model.bins_ == 20
