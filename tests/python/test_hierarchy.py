"""Hierarchical rule ensembles: the whole lattice by a general solver, and everything around the fit."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from oracle import compare
from oracle import hierarchy as oracle
from thresher import (
    CertificateError,
    FormatError,
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
)

LOSSES = ("hinge", "squared_hinge", "logistic", "squared")
RHOS = (1.1, 1.5, 2.0)


def random_problem(seed):
    """A few columns of small numbers and categories, with gaps; some constant, some with one value."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(4, 30)), []
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5:
            column = rng.integers(0, int(rng.integers(1, 5)), rows).astype(float)
            missing = np.nan
        else:
            column = rng.choice(list("abc")[: int(rng.integers(1, 4))], rows).astype(object)
            missing = None
        if rng.random() < 0.3:
            column[1:][rng.random(rows - 1) < 0.3] = missing
        columns.append(column)
    frame = pd.DataFrame({f"c{j}": column for j, column in enumerate(columns)})
    signal = pd.factorize(frame["c0"])[0] == 0
    y = rng.normal(size=rows) + signal
    return frame, columns, y, rng.choice([1.0, 2.0, 0.5], rows), rng


def model_of(loss, **params):
    if loss == "squared":
        return HierarchicalRuleRegressor(**params)
    return HierarchicalRuleClassifier(loss=loss, **params)


def check_against_the_oracle(seed, largest=500):
    """Compare a random fit with a general solver, if the lattice has at most `largest` conjunctions."""
    rho, loss = RHOS[seed % 3], LOSSES[seed // 3 % 4]
    X, columns, y, weight, rng = random_problem(seed)
    if loss != "squared":
        y = np.where(y > 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
    strength, base = 10 ** rng.uniform(-1.5, 1.5), float(rng.choice([1.5, 2.0, 3.0]))
    model = model_of(
        loss,
        rho=rho,
        alpha=1 / (strength * weight.sum()),
        depth_base=base,
        bins=("uniform", int(rng.integers(2, 4))),
        tol=1e-7,
    )
    model.fit(X, y, weight)
    conjunctions = oracle.lattice(model._fitted.document["features"], columns)
    assert model.certificate_.n_candidates == len(conjunctions)
    if len(conjunctions) > largest:
        return
    best, vouched = oracle.solve(conjunctions, y, strength * weight, loss, rho, base)
    own = oracle.objective(model._fitted.document, columns, conjunctions, y, strength * weight)
    own, best = own / (strength * weight.sum()), best / (strength * weight.sum())
    size = max(abs(best), 1e-9)
    assert model.certificate_.primal == pytest.approx(own, abs=1e-9 * size)
    assert own <= best + 1e-6 * size
    assert model.certificate_.dual <= best + 1e-7 * size
    if vouched:  # its own accuracy bounds how far below it we may be
        assert model.certificate_.primal >= best - 1e-4 * size
    assert model.certificate_.complete
    proved = model.verify(X, y, weight)
    assert proved.primal == pytest.approx(own, abs=1e-9 * size)
    assert proved.dual <= best + 1e-7 * size
    assert proved.complete
    assert proved.relative_gap <= model.certificate_.relative_gap + 1e-7


def each(first, last):
    """The problems of these numbers for every rho and loss."""
    start = [3 * LOSSES.index(loss) + RHOS.index(rho) for loss in LOSSES for rho in RHOS]
    return pytest.mark.parametrize("seeds", [range(s + 12 * first, s + 12 * last, 12) for s in start])


@each(0, 4)
def test_the_objective_is_that_of_the_whole_lattice(seeds):
    for seed in seeds:
        check_against_the_oracle(seed)


@pytest.mark.slow
@each(4, max(compare.PROBLEMS // 20, 5))
def test_the_objective_is_that_of_the_whole_lattice_many_times(seeds):
    for seed in seeds:
        check_against_the_oracle(seed, largest=100)


def grid(n_values=5):
    X = np.array([[a, b] for a in range(n_values) for b in range(n_values)] * 3, dtype=float)
    return X, (X[:, 0] > 0.4 * n_values) & (X[:, 1] > 0.3 * n_values)


def test_certificate_is_of_the_coefficients_shown():
    X, y = grid()
    for loss in LOSSES:
        model = model_of(loss, alpha=1 / (3.0 * len(X)), rho=1.5, tol=1e-4).fit(X, np.where(y, 1.0, -1.0))
        features = model._fitted.document["features"]
        conjunctions = oracle.lattice(features, list(X.T))
        fired = model.transform(X)
        decision = fired @ [rule.coef for rule in model.rules_] + model.intercept_
        # Conjunctions are matched by their columns and depth: equal columns of one depth share a penalty.
        coefs, left = [], dict(zip(map(id, model.rules_), model.rules_, strict=True))
        for members, column in conjunctions.items():
            found = [
                r
                for r, f in zip(model.rules_, fired.T, strict=True)
                if id(r) in left and r.length == len(members) and tuple(f) == tuple(column)
            ]
            coefs.append(left.pop(id(found[0])).coef if found else 0.0)
        assert not left
        omega = oracle.penalty(conjunctions, coefs, 1.5, 2.0)
        target = np.where(y, 1.0, -1.0)
        primal = np.mean(oracle.loss_values(loss, target, decision)) + model.alpha_ / 2 * omega**2
        assert model.certificate_.primal == pytest.approx(primal, rel=1e-6)
        assert model.certificate_.relative_gap <= 1e-4


def test_mirror_descent_finds_the_same():
    X, y = grid(3)
    for loss in LOSSES:
        target = np.where(y, 1.0, -1.0)
        fast = model_of(loss, alpha=1 / len(X), rho=1.5, tol=1e-5).fit(X, target)
        slow = model_of(loss, alpha=1 / len(X), rho=1.5, tol=1e-2, solver="mirror_descent").fit(X, target)
        assert slow.certificate_.complete
        assert slow.certificate_.primal == pytest.approx(fast.certificate_.primal, rel=1.1e-2)


def test_missing_values_and_categories_are_propositions():
    X = pd.DataFrame({"a": [1.0, np.nan] * 20, "c": ["red", "green", "blue", None] * 10})
    model = HierarchicalRuleClassifier(alpha=1 / (10.0 * len(X))).fit(X, X["a"].isna())
    assert any("a is missing" in rule.text or "a is not missing" in rule.text for rule in model.rules_)
    assert (model.predict(X) == X["a"].isna()).all()
    model = HierarchicalRuleClassifier(alpha=1 / (10.0 * len(X))).fit(X, X["c"] == "red")
    assert (model.predict(X) == (X["c"] == "red")).all()
    with pytest.raises(ValueError, match="column 'c' holds 'pink' in row 0"):
        model.predict(pd.DataFrame({"a": [1.0], "c": ["pink"]}))


def test_folds_with_one_class_to_learn_from_are_compared():
    X, y = np.arange(10.0)[:, None], ["b"] + ["a"] * 9
    with pytest.warns(UserWarning, match="no fold has rows of the class 'b'") as caught:
        model = HierarchicalRuleClassifier().fit(X, y)
    assert not any("time" in str(each.message) for each in caught)
    assert len(model.path_.cv_mean) > 1
    assert np.isfinite(model.path_.cv_mean).all()


def test_several_classes_and_targets():
    X, y = load_iris(return_X_y=True)
    model = HierarchicalRuleClassifier(alpha=1 / len(X), loss="logistic", tol=1e-3).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert len(model.certificate_.outputs) == 3
    both = HierarchicalRuleRegressor(alpha=1 / len(X), tol=1e-3).fit(X[:, :2], X[:, 2:])
    assert both.predict(X[:, :2]).shape == (150, 2)


def test_probabilities_need_the_logistic_loss():
    X, y = grid(3)
    assert not hasattr(HierarchicalRuleClassifier(alpha=1 / len(X)).fit(X, y), "predict_proba")


def test_path_and_choice():
    X, y = grid()
    path = HierarchicalRuleClassifier(tol=1e-4).fit_path(X, y, alphas=[0.01, 1.0, 0.1]).path_
    assert path.alphas.tolist() == [1.0, 0.1, 0.01]
    assert len(path) == 3
    assert (path.relative_gap <= 1e-4).all()
    assert path.at(0.1).alpha_ == 0.1
    with pytest.raises(ValueError, match="the path goes from"):
        path.at(50.0)
    with pytest.raises(ValueError, match="the path goes from"):
        path.at(0.001)
    chosen = HierarchicalRuleClassifier(alpha=[1.0, 0.01], scoring="error").fit(X, y)
    assert chosen.path_.cv_alphas[np.argmin(chosen.path_.cv_mean)] == chosen.alpha_


def test_verify_finds_other_data_and_edits():
    X, y = grid(4)
    model = HierarchicalRuleClassifier(alpha=1 / (5.0 * len(X))).fit(X, y)
    assert model.verify(X, y).relative_gap <= 1e-5
    with pytest.raises(CertificateError):
        model.verify(X, ~y)
    document = json.loads(model.to_json())
    document["model"]["outputs"][0]["points"][0]["terms"][0][1] *= 3
    with pytest.raises(CertificateError):
        HierarchicalRuleClassifier.from_json(json.dumps(document)).verify(X, y)


@pytest.mark.parametrize(
    "edit",
    [
        lambda term, point: term.update(n_rows=term["n_rows"] + 1),
        lambda term, point: term.update(support=0.99 * term["support"]),
        lambda term, point: point.update(gap=0.5 * point["gap"]),
        lambda term, point: point.update(relative_gap=0.5 * point["relative_gap"]),
        lambda term, point: point.update(dual=point["primal"]),
        lambda term, point: point.update(tol=0.5 * point["relative_gap"]),
        lambda term, point: point.update(intercept=point["intercept"] + 0.1),
        lambda term, point: point["terms"].pop(),
    ],
    ids=["rows", "support", "gap", "relative gap", "dual", "tolerance", "intercept", "rule"],
)
def test_verify_finds_each_edit(edit):
    X, y = grid(4)
    weight = np.where(X[:, 0] > 1, 2.0, 0.5)
    model = HierarchicalRuleClassifier(alpha=0.02, loss="logistic", tol=1e-4).fit(X, y, weight)
    assert model.verify(X, y, weight).complete
    document = json.loads(model.to_json())
    [output] = document["model"]["outputs"]
    edit(output["terms"][0], output["points"][0])
    with pytest.raises((CertificateError, FormatError), match=r"fitted on other data or edited|is above tol"):
        HierarchicalRuleClassifier.from_json(json.dumps(document)).verify(X, y, weight)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("changes", [{"max_hull": 3}, {"tol": 0.01}])
def test_verify_of_a_loose_model_finds_other_data(changes):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    y = 2.0 * ((X[:, 0] > 0.5) & (X[:, 1] > 0.4)) + rng.normal(size=200) * 0.1
    model = HierarchicalRuleRegressor(**({"alpha": 0.01, "tol": 1e-3, "bins": ("uniform", 3)} | changes)).fit(
        X, y
    )
    assert model.verify(X, y).relative_gap <= model.certificate_.relative_gap * (1 + 1e-3)
    for other in (-y, rng.normal(size=200), y + 0.5 * (np.arange(200) == 5)):
        with pytest.raises(CertificateError, match="claims an objective"):
            model.verify(X, other)
    document = json.loads(model.to_json())
    document["model"]["outputs"][0]["points"][0]["terms"][0][1] *= 1.05
    with pytest.raises(CertificateError, match="claims an objective"):
        HierarchicalRuleRegressor.from_json(json.dumps(document)).verify(X, y)


BAD = [
    ({"rho": 1.0}, ValueError, "rho"),
    ({"rho": 2.5}, ValueError, "rho"),
    ({"rho": "2"}, TypeError, "rho"),
    ({"alpha": 0.0}, ValueError, "alpha"),
    ({"alpha": []}, ValueError, "alpha"),
    ({"alpha": "best"}, ValueError, "alpha"),
    ({"alpha": True}, TypeError, "alpha"),
    ({"alpha": -1.0}, ValueError, "alpha"),
    ({"loss": "exponential"}, ValueError, "loss"),
    ({"depth_base": 1.0}, ValueError, "depth_base"),
    ({"bins": ("uniform", 1)}, ValueError, "bins"),
    ({"bins": "even"}, ValueError, "bins"),
    ({"bins": [[1.0]]}, ValueError, "bins"),
    ({"bins": [[2.0, 1.0], None]}, ValueError, "bins"),
    ({"solver": "simplex"}, ValueError, "solver"),
    ({"tol": 0.0}, ValueError, "tol"),
    ({"max_hull": 0}, ValueError, "max_hull"),
    ({"time_limit": -1.0}, ValueError, "time_limit"),
    ({"scoring": "auc"}, ValueError, "scoring"),
    ({"verbose": -1}, ValueError, "verbose"),
]


@pytest.mark.parametrize(("params", "error", "name"), BAD)
def test_parameters_are_refused_and_the_estimator_stays(params, error, name):
    X, y = grid(3)
    model = HierarchicalRuleClassifier(alpha=1 / len(X)).fit(X, y)
    before = model.decision_function(X)
    values = {"alpha": "cv", **params}
    model.set_params(**values)
    with pytest.raises(error, match=f"^{name}"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_limits_end_a_fit_with_its_true_gap():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.random(60) > 0.5
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        small = HierarchicalRuleClassifier(alpha=1 / (100.0 * len(X)), max_hull=40).fit(X, y)
    assert len(small.hull_) < 40
    assert not small.certificate_.complete
    assert small.certificate_.dual <= small.certificate_.primal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        late = HierarchicalRuleClassifier(alpha=1 / (100.0 * len(X)), time_limit=1e-4).fit(X, y)
    assert late.predict(X).shape == (60,)
    with pytest.raises(MemoryError, match="memory_limit"):
        HierarchicalRuleClassifier(alpha=1 / len(X), memory_limit=1000).fit(X, y)


def test_progress_tells_of_folds():
    X, y = grid(4)
    lines = []
    import logging

    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger = logging.getLogger("thresher")
    logger.addHandler(handler)
    try:
        HierarchicalRuleClassifier(cv=3, verbose=2).fit(X, y)
    finally:
        logger.removeHandler(handler)
    assert any("cross-validation" in line for line in lines)


def test_cuts_are_where_they_were_asked_for():
    X = np.linspace(0.0, 10.0, 101)[:, None]
    y = X[:, 0] > 3.0

    def cuts(**params):
        return (
            HierarchicalRuleClassifier(alpha=1 / len(X), tol=1e-3, **params)
            .fit(X, y)
            ._fitted.document["features"][0]["cuts"]
        )

    assert cuts(bins=("uniform", 5)) == pytest.approx([2.0, 4.0, 6.0, 8.0])
    assert cuts() == cuts(bins=("uniform", 5))
    assert cuts(bins=2) == [4.95]
    assert cuts(bins=[[3.0]]) == [3.0]


@pytest.mark.parametrize("y", [np.zeros(6), np.arange(6.0)], ids=["constant", "rising"])
def test_degenerate_tables(y):
    for X in (np.zeros((6, 2)), np.arange(6.0)[:, None], np.full((6, 1), np.nan)):
        model = HierarchicalRuleRegressor(alpha=1 / len(X)).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
        assert model.certificate_.complete


def test_the_table_has_every_rule():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = HierarchicalRuleClassifier(alpha=1 / len(X), tol=1e-2).fit(X, y == 1)
    assert len(model.get_rules()) == len(model.rules_)
    assert "relative gap" in str(model.summary())


def test_the_plot_of_the_path_has_every_rule():
    X, y = grid()
    model = HierarchicalRuleClassifier(tol=1e-3, cv=3).fit(X, y)
    display = model.plot_path()
    assert display.axis.values == model.path_.alphas.tolist()
    effects = dict(zip(display.names, display.effects[-1], strict=True))
    for rule in model.rules_:
        assert abs(effects[rule.text]) == pytest.approx(rule.importance)
        assert effects[rule.text] * rule.coef >= 0
    assert display.axes_[1].get_ylabel() == "held-out loss"
    with pytest.raises(ValueError, match="output"):
        HierarchicalRuleClassifier(alpha=0.1).fit(X, X[:, 0] // 2).plot_path(output="nothing")


def test_the_plot_shows_the_hull():
    X, y = grid()
    model = HierarchicalRuleClassifier(alpha=1 / (5.0 * len(X)), tol=1e-3).fit(X, y)
    display = model.plot_hull(max_rules=5)
    texts = [t.get_text() for t in display.ax_.texts]
    assert max(model.rules_, key=lambda r: r.importance).text in texts
    with pytest.raises(ValueError, match="output"):
        model.plot_hull(output="nothing")


@pytest.mark.parametrize("seed", range(4))
def test_a_time_limit_leaves_a_model_with_its_gap(seed):
    """A solve that is cut short may leave a coefficient on the conjunction without propositions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 8))
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(size=200) > 0, "yes", "no")
    model = HierarchicalRuleClassifier(alpha=1e-6, rho=2.0, time_limit=0.1)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert model.certificate_.primal >= model.certificate_.dual
    assert set(model.predict(X)) <= {"yes", "no"}


def patients(rows=400):
    """Five columns with gaps and categories, whose classes take a second or more at small strengths."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 15, rows).round(),
            "bmi": rng.normal(27, 5, rows).round(1),
            "city": rng.choice(["Bern", "Basel", "Genf", None], rows),
            "smoker": rng.choice(["yes", "no"], rows),
            "visits": rng.poisson(2, rows),
        }
    )
    X.loc[rng.random(rows) < 0.1, "bmi"] = np.nan
    score = 1.5 * ((X["age"] > 50) & (X["smoker"] == "yes")) + 1.2 * (X["city"] == "Bern") - 1
    return X, np.where(rng.random(rows) < 1 / (1 + np.exp(-2 * score)), "sick", "well")


def test_a_time_limit_leaves_time_for_the_model_of_the_best_strength_compared():
    X, y = patients()
    model = HierarchicalRuleClassifier(time_limit=1.0, n_jobs=1)
    said = "time_limit: .* of up to 8 values of alpha .*, or (give )?a number for alpha"
    with pytest.warns(ConvergenceWarning, match=said):
        model.fit(X, y)
    path = model.path_
    scores = path.cv_mean
    best = int(np.argmin(scores))
    assert 3 <= len(scores) < 8
    assert path.alphas[-1] == path.cv_alphas[best]
    # The one before it if it is as good and the time suffices for its proof alone.
    chosen = list(path.cv_alphas).index(model.alpha_)
    assert chosen == best or (chosen == best - 1 and scores[chosen] <= scores[best] + path.cv_se[best])
    assert model.rules_
    assert not model.certificate_.complete


def test_the_objective_of_a_late_model_is_that_of_its_rules():
    X, y = patients(150)
    for limit in (0.02, 0.05, 0.1, 0.2):
        model = HierarchicalRuleClassifier(alpha=[1e-2, 1e-3, 1e-5, 1e-6], time_limit=limit, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
            proven = model.verify(X, y)
        assert proven.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


@pytest.mark.parametrize("alpha", [1e-300, 1e-17, 1e17, 1e308])
def test_strengths_beyond_double_precision_are_refused(alpha):
    with pytest.raises(ValueError, match=r"alpha: got .*give a number from 2\.2e-16 to 4\.5e15"):
        HierarchicalRuleRegressor(alpha=alpha).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.filterwarnings("ignore:bins. one bin of equal width")
@pytest.mark.parametrize("rho", [1.1, 1.5, 2.0])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_diabetes], ids=lambda f: f.__name__)
def test_every_order_of_the_norm_is_proven(load, rho):
    X, y = load(return_X_y=True)
    estimator = HierarchicalRuleRegressor if load is load_diabetes else HierarchicalRuleClassifier
    y = y if load is load_diabetes else y == 1
    model = estimator(rho=rho, alpha=1 / len(y)).fit(X, y)
    assert model.certificate_.complete
    assert len(model.hull_) < 200
    assert model.verify(X, y).complete


def test_the_choice_ends_where_the_score_has_risen():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), rng.random(150) > 0.5
    model = HierarchicalRuleClassifier().fit(X, y)
    assert len(model.path_.cv_mean) < 8
    assert model.path_.cv_mean[-1] > 1.01 * model.path_.cv_mean.min()
    assert model.certificate_.complete


def test_folds_find_an_interaction_without_effects_of_its_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = (X[:, 0] > np.median(X[:, 0])) != (X[:, 1] > np.median(X[:, 1]))
    model = HierarchicalRuleClassifier(bins=2).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.path_.cv_mean.min() < 0.3


def test_an_outlier_costs_quantile_bins_no_condition():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[3, 0] = 1e9
    y = X[:, 0] > 0.2
    by_rank = HierarchicalRuleClassifier(alpha=1 / 200, tol=1e-3, bins=6).fit(X, y)
    assert by_rank.score(X, y) > 0.9
    with pytest.warns(UserWarning, match="one bin of equal width has more than 90% of the rows of 'x0'"):
        even = HierarchicalRuleClassifier(alpha=1 / 200, tol=1e-3, bins=("uniform", 5)).fit(X, y)
    assert even.score(X, y) < 0.7


@pytest.mark.slow
def test_a_proven_strength_is_taken_before_one_as_good_that_is_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    both = (X[:, 1] > 0) & (X[:, 2] > -0.5)
    y = 1.0 * (X[:, 0] > 0.3) + 1.5 * both + 0.5 * rng.normal(size=500)
    with pytest.warns(ConvergenceWarning, match="whose optimum was") as found:
        model = HierarchicalRuleRegressor(bins=("uniform", 5)).fit(X, y)
    path = model.path_
    assert model.certificate_.complete
    assert model.alpha_ == path.alphas[-2]
    assert path.relative_gap[-1] > model.tol >= path.relative_gap[-2]
    assert path.cv_mean[-1] < path.cv_mean[-2] <= path.cv_mean[-1] + path.cv_se[-1]
    assert f"path_.at({path.alphas[-1]:.3g})" in str(found[0].message)
    assert path.at(path.alphas[-1]).alpha_ == path.alphas[-1]
    assert model.verify(X, y).complete


def test_a_strength_whose_proof_is_out_of_reach_is_not_compared():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5))
    y = 1.5 * ((X[:, 0] > 0) ^ (X[:, 1] > 0)) + 0.5 * rng.normal(size=200)
    model = HierarchicalRuleRegressor(bins=("uniform", 5)).fit(X, y)
    means = model.path_.cv_mean
    assert model.certificate_.complete
    assert len(means) == 7
    assert np.argmin(means) == 6
    assert model.alpha_ == model.path_.alphas[-1]
    with pytest.warns(ConvergenceWarning, match="max_hull"):
        beyond = HierarchicalRuleRegressor(alpha=model.alpha_ / 10, bins=("uniform", 5)).fit(X, y)
    assert beyond.certificate_.relative_gap > 0.1


def test_strengths_that_fill_the_working_set_are_not_compared():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(120) < 0.1)
    free = HierarchicalRuleClassifier().fit(X, y)
    small = HierarchicalRuleClassifier(max_hull=40).fit(X, y)
    n = len(small.path_.cv_mean)
    assert n < len(free.path_.cv_mean)
    np.testing.assert_allclose(small.path_.cv_mean, free.path_.cv_mean[:n], rtol=1e-9)
    assert small.certificate_.complete


def crowded(X, **params):
    """The warnings of bins that hold nearly all rows."""
    y = np.random.default_rng(0).normal(size=len(X))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        HierarchicalRuleRegressor(alpha=0.1, tol=1e-2, **params).fit(X, y)
    return [str(each.message) for each in found if str(each.message).startswith("bins: one bin")]


def test_a_bin_of_equal_width_that_holds_nearly_all_rows_is_named():
    rng = np.random.default_rng(1)
    income = rng.lognormal(sigma=1.2, size=600)
    income[::7] = np.nan
    X = pd.DataFrame({"income": income, "age": rng.uniform(18, 90, 600)})
    [message] = crowded(X)
    assert "more than 90% of the rows of 'income'" in message
    assert "bins=6" in message
    assert crowded(X, bins=6) == []
    assert crowded(X, bins={"income": [1.0, 2.0]}) == []
    for quiet in (
        {"flag": rng.random(600) < 0.03},
        {"rare": rng.poisson(0.05, 600)},
        {"plan": rng.choice(["a", "b"], 600, p=[0.95, 0.05])},
        {"number": rng.normal(size=600)},
    ):
        assert crowded(pd.DataFrame(quiet)) == []


def test_verify_counts_the_conjunction_without_propositions():
    X, y = grid(4)
    model = HierarchicalRuleClassifier(alpha=0.02).fit(X, y)
    size = len(model.hull_) + 1
    assert model.set_params(max_hull=size).verify(X, y).complete
    with pytest.raises(CertificateError, match=f"its hull has {size} rules, max_hull is {size - 1}"):
        model.set_params(max_hull=size - 1).verify(X, y)
