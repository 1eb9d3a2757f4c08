"""Factorization machines: what they promise, and how they refuse."""

import contextlib
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor
from thresher.estimators.factorization._messages import messages
from thresher.results import machine_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 12))
SIGNAL = 2 * X[:, 1] * X[:, 4] - X[:, 7] * X[:, 2] + X[:, 0]
NUMBERS = 5 + SIGNAL + 0.3 * RNG.normal(size=300)
CLASSES = np.where(SIGNAL + RNG.normal(size=300) > 0, "yes", "no")
THREE = np.digitize(SIGNAL, [-1, 1])
PAIRS = {(1, 4), (2, 7)}


def regressor(**params):
    return FactorizationMachineRegressor(**{"alpha": 0.05, "rank": 8, "max_iter": 300, **params})


def classifier(**params):
    return FactorizationMachineClassifier(**{"alpha": 0.01, "rank": 8, "max_iter": 300, **params})


@pytest.mark.parametrize("penalty", ["ti", "cs", "l1", "l21", "omega_ti", "omega_cs"])
def test_the_interactions_are_found(penalty):
    model = regressor(penalty=penalty, alpha=0.01).fit(X, NUMBERS)
    assert {i.column_indices for i in model.interactions_[:2]} == PAIRS
    assert model.score(X, NUMBERS) > 0.9
    assert abs(model.intercept_ - 5) < 0.2
    assert np.argmax(np.abs(model.coef_)) == 0


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
def test_classes_and_probabilities(loss):
    model = classifier(loss=loss, alpha=0.003).fit(X, CLASSES)
    assert {i.column_indices for i in model.interactions_[:2]} == PAIRS
    assert model.score(X, CLASSES) > 0.8
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    decision = model.decision_function(X)
    assert (np.diff(chances[np.argsort(decision), 1]) >= 0).all()
    if loss == "logistic":
        np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-decision)))
    three = classifier(loss=loss, alpha=0.003).fit(X, THREE)
    assert three.coef_.shape == (3, 12)
    assert three.factors_[0].shape == (3, 12, 8)
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1)
    assert three.score(X, THREE) > 0.7
    assert {i.output for i in three.interactions_} <= {0, 1, 2}


def test_factors_give_the_predictions():
    model = regressor(signs="random", random_state=1).fit(X, NUMBERS)
    P, signs = model.factors_[0], model.signs_
    assert set(signs) == {1.0, -1.0}
    W = (P * signs) @ P.T
    quadratic = 0.5 * (np.einsum("ni,ij,nj->n", X, W, X) - X**2 @ np.diag(W))
    expected = model.intercept_ + X @ model.coef_ + quadratic
    np.testing.assert_allclose(model.predict(X), expected)
    upper = model.interactions_.to_matrix()
    np.testing.assert_allclose(upper.todense(), np.triu(W, 1), atol=1e-12)
    frame = model.interactions_.to_frame()
    assert list(frame.columns) == ["interaction", "order", "coef", "standardized_coef", "n_components"]
    assert len(frame) == model.n_interactions_ == len(model.interactions_)


FORMS = [
    *({"order": order, "penalty": penalty} for order in (2, 3, 4) for penalty in ("ti", "cs", "l1", "l21")),
    *({"order": order, "penalty": penalty} for order in (2, 3) for penalty in ("omega_ti", "omega_cs")),
    *({"order": "all", "penalty": penalty} for penalty in ("omega_ti", "omega_cs", "l1", "l21")),
    *({"order": order, "fit_lower": "augment"} for order in (2, 3, 4)),
    {"order": "all", "penalty": "l1", "solver": "psgd"},
]


@pytest.mark.parametrize("fit_linear", [True, False])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(map(str, form.values())))
def test_printed_lines_add_up_to_the_prediction(form, fit_linear):
    rows = np.column_stack([X[:, :2], RNG.integers(0, 3, 300)])  # two numbers and a column of categories
    y = 5 + X[:, 0] * X[:, 1] + rows[:, 2]
    given = {"alpha": 1e-4, "max_iter": 20, "rank": 3, "signs": "random", "categorical_features": [2]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = regressor(**given, fit_linear=fit_linear, **form).fit(rows, y)
    values = {"x0": rows[:, 0], "x1": rows[:, 1], **{f"x2={k}": 1.0 * (rows[:, 2] == k) for k in range(3)}}
    [(_, total)] = model.summary().intercepts
    frame = model.summary().to_frame()
    for term, coef in zip(frame["term"], frame["coef"], strict=True):
        total = total + coef * np.prod([values[name] for name in term.split(" x ")], axis=0)
    np.testing.assert_allclose(total, model.predict(rows), rtol=1e-9, atol=1e-9)
    parts = [part.text for each in model.explain(rows[:5]) for part in each.contributions]
    assert "all other terms of the factors" not in parts
    assert "are not listed" not in str(model.summary())


def test_products_of_four_columns_are_said_to_be_missing_from_the_list():
    model = regressor(order="all", penalty="l1", alpha=1e-4, max_iter=5).fit(X[:, :4], NUMBERS)
    assert "Products of more than 3 columns are not listed." in str(model.summary())
    assert "all other terms of the factors" in str(model.explain(X[:1, :4])[0])


def test_categories_are_among_the_tags():
    assert regressor().__sklearn_tags__().input_tags.categorical
    assert classifier().__sklearn_tags__().input_tags.categorical


def test_triples_are_found():
    y = X[:, 0] * X[:, 1] * X[:, 2] + 0.1 * np.random.default_rng(1).normal(size=300)
    model = regressor(order=3, penalty="omega_ti", alpha=0.02).fit(X, y)
    assert model.interactions_[0].column_indices == (0, 1, 2)
    assert len(model.factors_) == 2
    subsets = regressor(order="all", penalty="omega_ti", init_scale=0.1, alpha=0.01).fit(X, y)
    assert subsets.interactions_[0].column_indices == (0, 1, 2)


def test_about_so_many_interactions():
    rng = np.random.default_rng(1)
    model = regressor(n_interactions=20, fit_linear=False).fit(X, X @ rng.normal(size=(12, 12)) @ np.ones(12))
    assert model.n_interactions_ == 20
    y = NUMBERS + (X @ np.diag(rng.normal(size=12)) * X[:, ::-1]).sum(axis=1)
    model = regressor(n_interactions=30).fit(X, y)
    assert 30 <= model.n_interactions_ <= 31
    again = regressor(alpha=model.alpha_).fit(X, y)
    np.testing.assert_array_equal(again.factors_[0], model.factors_[0])
    # A feature that interacts with one other does so with all that do.
    with pytest.warns(ConvergenceWarning, match="none of the strengths tried leaves 8 interactions"):
        regressor(n_interactions=8, penalty="cs", rank=1).fit(X, y)


@pytest.mark.parametrize(("wanted", "near", "far"), [(10, (10,), (9, 11)), (100, (99, 103), (98, 104))])
def test_another_number_of_interactions_is_a_warning(wanted, near, far):
    payload = {"alpha": {"count": wanted}, "refit": None, "penalty": "ti"}
    for found in (*near, *far):
        point = {
            "complete": True,
            "converged": True,
            "n_interactions": found,
            "coef": [[0, 1.0]],
            "factors": [],
        }
        said = list(messages(payload, [point], [], 2))
        assert len(said) == (found in far)
        assert not said or f"leaves {wanted} interactions; the nearest leaves {found}" in said[0]


def test_the_ridge_of_the_linear_term_is_the_one_of_least_held_out_loss():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(320, 80))
    y = wide[:, 0] - wide[:, 1] + wide[:, 2] * wide[:, 3] + rng.normal(size=320)
    model = FactorizationMachineRegressor(random_state=0).fit(wide[:120], y[:120])
    assert model.l2_linear_ >= 0.1
    usual = FactorizationMachineRegressor(random_state=0, l2_linear=0.001).fit(wide[:120], y[:120])
    assert usual.l2_linear_ == 0.001
    assert model.score(wide[120:], y[120:]) > usual.score(wide[120:], y[120:]) + 0.2
    chosen = {name: getattr(model, f"{name}_") for name in ("alpha", "l2_linear", "l2_factors", "rank")}
    again = FactorizationMachineRegressor(random_state=0, **chosen).fit(wide[:120], y[:120])
    np.testing.assert_array_equal(again.coef_, model.coef_)
    # Users need hardly any, and a number for alpha is not compared.
    users = np.eye(40)[rng.integers(40, size=2000)]
    seen = users @ rng.normal(size=40) + 0.3 * rng.normal(size=2000)
    assert FactorizationMachineRegressor(random_state=0).fit(users, seen).l2_linear_ <= 0.001
    assert FactorizationMachineRegressor(alpha=0.01, random_state=0).fit(users, seen).l2_linear_ == 0.001


def test_a_path_that_its_time_ends_has_no_model_worse_than_that_of_a_larger_alpha():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 30))
    y = 3 * rows[:, 0] * rows[:, 1] + rng.normal(size=20_000)
    for limit in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0):  # the first that is enough to read the rows
        estimator = regressor(solver="fista", time_limit=limit)
        with contextlib.suppress(TimeoutError), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = estimator.fit_path(rows, y, alphas=[0.3, 0.03, 0.003, 0.0003])
            break
    assert [each.category for each in caught] == [ConvergenceWarning]
    assert str(caught[0].message).startswith("time_limit")
    objective = model.path_.objective
    assert (np.diff(objective) <= 1e-9 * objective[:-1]).all()


def test_path():
    model = regressor().fit_path(X, NUMBERS, alphas=[0.3, 0.03, 0.003])
    path = model.path_
    assert path.alphas.tolist() == [0.3, 0.03, 0.003]
    assert path.loss[0] > path.loss[1] > path.loss[2]
    assert path.n_interactions[0] <= path.n_interactions[2]
    single = regressor(alpha=0.03).fit(X, NUMBERS)
    at = path.at(0.03)
    assert at.alpha == 0.03
    np.testing.assert_array_equal(at.factors_[0], single.factors_[0])
    assert len(regressor(max_iter=2).fit_path(X, NUMBERS).path_) == 17
    with pytest.raises(ValueError, match="alpha: got nan"):
        path.at(float("nan"))


def test_refit_takes_the_shrinkage_back():
    plain = regressor(alpha=0.04).fit(X, NUMBERS)
    free = regressor(alpha=0.04, refit=True).fit(X, NUMBERS)
    assert not (free.factors_[0] != 0)[plain.factors_[0] == 0].any()
    pairs = [{interaction.column_indices for interaction in model.interactions_} for model in (free, plain)]
    assert pairs[0] == pairs[1]
    assert free.score(X, NUMBERS) > plain.score(X, NUMBERS) + 0.01
    true = free.interactions_[0]
    assert true.column_indices == (1, 4)
    assert true.coef == pytest.approx(2, abs=0.1)
    with pytest.warns(
        ConvergenceWarning, match=r"refit: the training loss is .* after the refit .* refit=0.001"
    ):
        ridge = regressor(alpha=0.04, refit=1.0).fit(X, NUMBERS)
    assert abs(ridge.interactions_[0].coef) < abs(true.coef)


def test_the_same_seed_gives_the_same_bits():
    for kind, y in ((regressor, NUMBERS), (classifier, THREE)):
        for solver, penalty in (("auto", "ti"), ("auto", "cs"), ("psgd", "ti"), ("fista", "l1")):
            fits = [kind(solver=solver, penalty=penalty, max_iter=10, n_jobs=n).fit(X, y) for n in (1, 2, 3)]
            for other in fits[1:]:
                np.testing.assert_array_equal(other.factors_[0], fits[0].factors_[0])
    other = regressor(random_state=1).fit(X, NUMBERS)
    assert (other.factors_[0] != regressor().fit(X, NUMBERS).factors_[0]).any()


def test_sparse_matrices_and_frames_are_the_same_rows():
    masked = np.where(np.abs(X) > 0.5, X, 0.0)
    dense = classifier().fit(masked, CLASSES)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        other = classifier().fit(form(masked), CLASSES)
        np.testing.assert_array_equal(other.factors_[0], dense.factors_[0])
        np.testing.assert_array_equal(other.decision_function(masked), dense.decision_function(form(masked)))
    names = [f"c{j}" for j in range(12)]
    named = classifier().fit(pd.DataFrame(masked, columns=names), CLASSES)
    np.testing.assert_array_equal(named.factors_[0], dense.factors_[0])
    assert set(named.interactions_[0].feature_names) <= set(names)
    other = classifier().fit(pl.DataFrame(masked, schema=names), CLASSES)
    np.testing.assert_array_equal(other.factors_[0], dense.factors_[0])


def test_categories_are_columns():
    rows, rng = 400, np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "user": rng.choice(["ann", "bob", "eve", None], rows),
            "item": pd.Categorical(rng.choice(["tea", "pie"], rows)),
            "age": rng.normal(size=rows),
        }
    )
    ann_pie = (frame["user"] == "ann") & (frame["item"] == "pie")
    y = 3.0 * ann_pie + 0.1 * rng.normal(size=rows)
    model = regressor(alpha=0.01, l2_linear=1e-3).fit(frame, y)
    assert model.column_names_ == ["user=ann", "user=bob", "user=eve", "item=pie", "item=tea", "age"]
    assert model.n_features_in_ == 3
    assert model.coef_.shape == (6,)
    onehot = np.column_stack(
        [frame["user"] == u for u in ("ann", "bob", "eve")] + [frame["item"] == i for i in ("pie", "tea")]
    )
    by_hand = regressor(alpha=0.01, l2_linear=1e-3).fit(np.column_stack([onehot, frame["age"]]) * 1.0, y)
    np.testing.assert_array_equal(by_hand.factors_[0], model.factors_[0])
    assert model.score(frame, y) > 0.9
    stranger = pd.DataFrame({"user": ["zoe", None], "item": ["tea", "tea"], "age": [0.5, 0.5]})
    first, second = model.predict(stranger)
    assert first == second
    assert np.isfinite(first)


def test_early_stopping_keeps_the_best():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(120, 30))
    y = noise[:, 0] * noise[:, 1] + rng.normal(size=120)
    overfit = {"penalty": None, "l2_factors": 0.0, "rank": 10, "max_iter": 200, "init_scale": 0.01}
    stopped = FactorizationMachineRegressor(**overfit, early_stopping=True).fit(noise, y)
    assert stopped.n_iter_ < 200
    test = rng.normal(size=(500, 30))
    truth = test[:, 0] * test[:, 1]
    assert stopped.score(test, truth) > FactorizationMachineRegressor(**overfit).fit(noise, y).score(
        test, truth
    )
    classes = np.where(y > 0, 1, 0)
    assert classifier(early_stopping=True).fit(noise, classes).n_iter_ <= 300


def test_going_on():
    short = regressor(max_iter=3, tol=0.0).fit(X, NUMBERS)
    objective = short.objective_
    short.set_params(warm_start=True).fit(X, NUMBERS)
    assert short.objective_ < objective
    with pytest.raises(ValueError, match="warm_start: X lacks the column 'x5'"):
        short.fit(X[:, :5], NUMBERS)
    online = classifier(solver="adagrad", penalty=None, l2_factors=1e-3)
    order = np.argsort(CLASSES)
    online.partial_fit(X[order[:20]], CLASSES[order[:20]], classes=["yes", "no"])
    rng = np.random.default_rng(1)
    for _ in range(60):
        for part in np.array_split(rng.permutation(300), 3):
            online.partial_fit(X[part], CLASSES[part])
    assert online.score(X, CLASSES) > 0.8
    assert not hasattr(regressor(), "partial_fit")
    with pytest.raises(AttributeError, match=r"^partial_fit needs a solver .*; give solver='psgd', or 'adag"):
        regressor(penalty=None).partial_fit(X, NUMBERS)
    without = classifier(solver="adagrad", penalty=None, class_weight={"no": 0.0})
    with pytest.raises(
        ValueError, match="class_weight: every row of the batch is of a class with the factor 0"
    ):
        without.partial_fit(X[CLASSES == "no"], CLASSES[CLASSES == "no"], classes=["yes", "no"])


@pytest.mark.parametrize("solver", ["fista", "psgd"])
def test_other_solvers_come_to_the_interactions(solver):
    model = regressor(solver=solver, max_iter=400, tol=1e-6, init_scale=0.1).fit(X, NUMBERS)
    assert {i.column_indices for i in model.interactions_[:2]} == PAIRS
    assert model.score(X, NUMBERS) > 0.9


@pytest.mark.parametrize("solver", ["adagrad", "psgd"])
def test_learning_in_parts_goes_on(solver):
    # With all rows in one batch a pass is a step: two calls are two steps of one fit.
    X, y = np.random.default_rng(2).normal(size=(2, 60, 4))
    y = y[:, 0] + X[:, 1] * X[:, 2]
    given = {"solver": solver, "penalty": None, "batch_size": 60, "learning_rate": 0.3, "tol": 0.0}
    whole = regressor(**given, max_iter=3)
    with pytest.warns(ConvergenceWarning):
        whole.fit(X, y)
    parts = regressor(**given)
    for _ in range(3):
        parts.partial_fit(X, y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9)
    np.testing.assert_allclose(parts.factors_[0], whole.factors_[0], rtol=1e-9, atol=1e-12)


SMALL = np.random.default_rng(0).normal(size=(60, 5))
PRODUCT = SMALL[:, 0] * SMALL[:, 1]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"order": 1}, ValueError, "order: got 1"),
        ({"order": 7}, ValueError, "order: got 7"),
        ({"order": "some"}, ValueError, "order: got 'some'"),
        ({"order": 2.5}, TypeError, "order: got 2.5"),
        ({"rank": 0}, ValueError, "rank: got 0"),
        ({"rank": 10**9}, ValueError, "take a smaller rank"),
        ({"penalty": "l2"}, ValueError, "penalty: got 'l2'"),
        ({"penalty": "ti", "order": "all"}, ValueError, "penalty: .* take 'omega_ti'"),
        ({"penalty": "cs", "solver": "pcd"}, ValueError, "solver: 'pcd' has no step for penalty='cs'"),
        (
            {"solver": "adagrad"},
            ValueError,
            "solver: 'adagrad' has no step for penalty='ti'; give penalty=None, or solver='psgd'",
        ),
        ({"solver": "sgd"}, ValueError, "solver: got 'sgd'"),
        ({"loss": "logistic"}, ValueError, "loss: got 'logistic'"),
        ({"loss": ("huber", 0)}, ValueError, "loss .'huber', delta.: got 0"),
        ({"l2_linear": -1}, ValueError, "l2_linear: got -1"),
        ({"l2_factors": float("nan")}, ValueError, "l2_factors: got nan"),
        ({"alpha": "bic"}, ValueError, "alpha: got 'bic'"),
        ({"n_interactions": 0}, ValueError, "n_interactions: got 0"),
        ({"n_interactions": 5, "penalty": None}, ValueError, "n_interactions: without a penalty"),
        ({"refit": -1.0}, ValueError, "refit: got -1"),
        ({"signs": "mixed"}, ValueError, "signs: got 'mixed'"),
        ({"fit_lower": True}, TypeError, "fit_lower"),
        ({"fit_linear": 1}, TypeError, "fit_linear"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"init_scale": 0}, ValueError, "init_scale"),
        ({"batch_size": 0}, ValueError, "batch_size"),
        ({"learning_rate": 0}, ValueError, "learning_rate"),
        ({"validation_fraction": 1.5}, ValueError, "validation_fraction"),
        ({"time_limit": -1}, ValueError, "time_limit"),
        ({"verbose": -1}, ValueError, "verbose"),
        ({"random_state": "x"}, ValueError, "random_state: got 'x'"),
    ],
)
def test_bad_parameters_leave_the_estimator_alone(params, error, message):
    model = FactorizationMachineRegressor(rank=3).fit(SMALL, PRODUCT)
    before = dict(model.__dict__)
    with pytest.raises(error, match=message):
        model.set_params(**params).fit(SMALL, PRODUCT)
    for name in ("coef_", "path_", "_fitted"):
        assert model.__dict__[name] is before[name]


@pytest.mark.parametrize(
    ("rows", "target", "message"),
    [
        (np.where(SMALL > 2, np.nan, SMALL), PRODUCT, r"is missing \(NaN\) in row"),
        (np.where(SMALL > 2, np.inf, SMALL), PRODUCT, "infinite"),
        (sparse.csr_matrix(np.where(SMALL > 2, np.nan, SMALL)), PRODUCT, "NaN"),
        (SMALL, PRODUCT[:-1], "inconsistent numbers of samples"),
        (SMALL, np.where(PRODUCT > 1, np.nan, PRODUCT), "y contains NaN"),
        (SMALL * 1e300, PRODUCT, "scale the columns"),
        (SMALL * 1e-300, PRODUCT, "scale the columns"),
        (SMALL[:0], PRODUCT[:0], "0 sample"),
    ],
    ids=[
        "NaN",
        "infinite",
        "NaN in a sparse matrix",
        "y too short",
        "NaN in y",
        "columns too large",
        "columns too small",
        "no rows",
    ],
)
def test_bad_data(rows, target, message):
    with pytest.raises(ValueError, match=message):
        FactorizationMachineRegressor(rank=2).fit(rows, target)


def test_columns_of_another_kind():
    frame = pd.DataFrame({"a": ["x", "y"] * 30, "b": SMALL[:, 0]})
    model = FactorizationMachineRegressor(rank=2).fit(frame, PRODUCT)
    with pytest.raises(TypeError, match="column 'a' holds categories"):
        model.predict(sparse.csr_matrix(SMALL[:, :2]))
    with pytest.raises(ValueError, match="expecting 5 features"):
        FactorizationMachineRegressor(rank=2).fit(SMALL, PRODUCT).predict(sparse.csr_matrix(SMALL[:, :3]))
    with pytest.raises(ValueError, match="categorical_features: a sparse matrix holds numbers"):
        FactorizationMachineRegressor(categorical_features=[0]).fit(sparse.csr_matrix(SMALL), PRODUCT)


def test_too_many_interactions_are_not_listed():
    model = FactorizationMachineRegressor(penalty=None, rank=3).fit(SMALL, PRODUCT)
    assert model.n_interactions_ == 10
    with pytest.raises(ValueError, match="more than 9 interactions"):
        model.get_interactions(limit=9)


@pytest.mark.parametrize("solver", ["pcd", "pbcd", "fista", "psgd", "adagrad"])
def test_columns_too_large_are_refused_in_words(solver):
    regressor = FactorizationMachineRegressor(solver=solver, penalty=None, max_iter=5)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="the fit left the range of numbers"):
        regressor.fit(SMALL * 1e150, PRODUCT)
    assert not hasattr(regressor, "n_features_in_")


def test_progress_tells_of_epochs(caplog):
    with caplog.at_level("INFO", logger="thresher"):
        FactorizationMachineRegressor(verbose=1, rank=2, max_iter=5, tol=0.0).fit(SMALL, PRODUCT)
    assert any("epochs 5/5: objective" in record.getMessage() for record in caplog.records)


def test_whole_numbers_that_repeat_as_ids_do_warn(recwarn):
    user, item, y = np.tile(np.arange(60), 4), np.repeat(np.arange(1, 81), 3), RNG.normal(size=240)
    fit = regressor(alpha=0.5, max_iter=2, tol=0.9).fit
    with pytest.warns(UserWarning, match="whole numbers that repeat") as found:
        fit(pd.DataFrame({"user": user, "item": item}), y)
    [message] = [str(each.message) for each in found if "whole numbers" in str(each.message)]
    assert message.startswith(
        "columns 'user', 'item': whole numbers that repeat, as those of users or items do ('user' has 60 "
        "different ones from 0 to 59). A number has one slope. If they name things, give "
        "categorical_features=['user', 'item'], so that each has"
    )
    with pytest.warns(UserWarning, match=r"columns 0, 1: .* give categorical_features=\[0, 1\]"):
        fit(np.column_stack([user, item]), y)
    with pytest.warns(UserWarning, match=r"column 'user': .* give categorical_features=\['user', 'age'\]"):
        fit(pd.DataFrame({"user": user, "age": np.where(item > 40, "old", "young")}), y)
    with pytest.warns(UserWarning, match="column 'CustomerID'.* from 9001 to 9020"):
        fit(pd.DataFrame({"CustomerID": 9001 + user % 20}), y)
    with pytest.warns(UserWarning, match="column 1: .* add 1 to categorical_features"):
        regressor(alpha=0.5, max_iter=2, categorical_features=[0]).fit(np.column_stack([user, item]), y)
    recwarn.clear()
    quantities = {"age": 18 + user, "visits": RNG.poisson(8, 240), "row": np.arange(240), "half": user / 2}
    fit(pd.DataFrame({**quantities, "gap": RNG.geometric(0.05, 240), "user_age": 20 + user % 20}), y)
    regressor(alpha=0.5, max_iter=2, categorical_features=None).fit(np.column_stack([user, item]), y)
    assert not [each for each in recwarn if "whole numbers" in str(each.message)]


def test_a_summary_begins_with_interactions_and_counts_most_categories():
    rng = np.random.default_rng(0)
    n = 2000
    user, item = rng.integers(0, 60, n), rng.integers(0, 11, n)
    X = pd.DataFrame(
        {"user": [f"u{k}" for k in user], "item": [f"i{k}" for k in item], "age": rng.normal(size=n)}
    )
    y = rng.normal(size=60)[user] + rng.normal(size=11)[item] + X["age"] * np.where(user < 30, 2.0, 0.0)
    model = FactorizationMachineRegressor(alpha=0.0001, max_iter=20).fit(X, y)
    summary = model.summary()
    kinds = [row.kind for row in summary.rows]
    n_interactions = model.n_interactions_
    assert n_interactions > 20
    assert kinds == ["interaction"] * n_interactions + ["linear"] * 72
    assert len(summary.to_frame()) == n_interactions + 72
    lines = [line.split(maxsplit=1)[-1] for line in str(summary).splitlines()]
    assert lines[3] == model.interactions_[0].text
    user_lines = [line for line in lines if line.startswith("user=") and " x " not in line]
    users = sorted((row for row in summary.rows if row.category_of == "user"), key=lambda row: -abs(row.coef))
    assert user_lines == [row.term for row in users[:10]]
    assert lines[lines.index(user_lines[-1]) + 1] == "and 50 more of user"
    assert (
        sum(line.startswith("item=") and " x " not in line for line in lines) == 11
    )  # as one line is no less
    assert lines[-2] == "age"
    pairs = sum(row.category_of == "user x age" for row in summary.rows)
    assert f"and {pairs - 10} more of user x age" in lines
    for form in (summary.to_markdown(), summary.to_latex(), summary._repr_html_()):
        assert "and 50 more of user" in form
    assert summary.text(max_rows=3).splitlines()[-2] == f"  ... and {n_interactions + 72 - 3} more"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_summary_counts_the_interactions_that_it_does_not_list(n_classes, monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 9, 600).astype(str) for name in ("user", "item", "day")})
    model = FactorizationMachineClassifier(penalty=None, rank=2, max_iter=5)
    model.fit(X, rng.integers(0, n_classes, 600))
    counts = np.atleast_1d(model.n_interactions_)
    assert counts.tolist() == [3 * 81] * len(counts)
    assert "the table lists" not in str(model.summary())
    for limit in (40, 200):
        monkeypatch.setattr(machine_rows, "MAX_LISTED", limit)
        cut = model.summary()
        assert sum(row.kind == "interaction" for row in cut.rows) == limit * len(counts)
        lines = [line.split(maxsplit=1)[1] for line in str(cut).splitlines() if line.startswith("  ")]
        assert lines.count("and 71 more of user x item") == len(counts)
        assert sum(line.startswith("user=") and " x item=" in line for line in lines) == 10 * len(counts)
        of_each = " of each output" * (n_classes > 2)
        note = f"Of {counts.sum()} interactions the table lists the {limit} largest{of_each}."
        assert note in str(cut)


@pytest.mark.parametrize("solver", ["pcd", "pbcd", "fista", "psgd"])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_the_mean_of_the_probabilities_is_the_rate_of_a_rare_class(solver, loss):
    """No penalty holds the intercept, whatever the class weighs."""
    rng = np.random.default_rng(0)
    rows, weights = rng.normal(size=(20_000, 3)), rng.integers(0, 3, 20_000) * 1.0
    rare = np.arange(20_000) < 20
    for own in (None, weights, np.where(rare, 1.0, 1e4)):
        penalty = "ti" if solver == "pcd" else "l1"
        model = classifier(solver=solver, penalty=penalty, loss=loss, max_iter=20, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            answer = model.fit(rows, rare, sample_weight=own).decision_function(rows)
        mean = answer if loss == "squared" else 1 / (1 + np.exp(-answer))
        wanted = 2.0 * rare - 1 if loss == "squared" else rare
        assert np.average(mean, weights=own) == pytest.approx(np.average(wanted, weights=own), rel=1e-6)


@pytest.mark.parametrize("rare", [20, 3])
def test_rare_events_are_no_worse_than_a_constant(rare):
    rows, rate = np.random.default_rng(0).normal(size=(100_000, 3)), rare / 100_000
    classes = np.digitize(np.arange(100_000), [rare, 3 * rare])
    for y in (classes == 0, classes):
        model = FactorizationMachineClassifier(alpha=0.01, random_state=0).fit(rows, y)
        share = model.predict_proba(rows).mean(axis=0)[0 if y is classes else 1]
        assert share == pytest.approx(rate, rel=1e-3)


@pytest.mark.parametrize("solver", ["pcd", "pbcd", "fista", "psgd", "adagrad"])
@pytest.mark.parametrize("size", [1.0, 1e26, 1e160])
def test_rows_of_weight_zero_are_absent_whatever_they_hold(solver, size):
    """The target of one set every factor to 0; others were in batches, or their products were no numbers."""
    penalty = {"pbcd": "cs", "adagrad": None}.get(solver, "ti")
    more = RNG.normal(size=(40, 12))
    both = np.vstack([X, size * more])
    target = np.r_[NUMBERS, min(size, 1e50) * more[:, 0]]
    model, alone = (regressor(solver=solver, penalty=penalty, max_iter=30, random_state=0) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(both, target, sample_weight=np.repeat([1.0, 0.0], [300, 40]))
        alone.fit(X, NUMBERS)
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
