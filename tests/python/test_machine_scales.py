"""Factorization machines on columns and targets of any size: the same model, no worse than the constant."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import log_loss

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(400, 5))
SIGNAL = 2 * Z[:, 0] * Z[:, 1] + Z[:, 2] + 0.3 * RNG.normal(size=400)
CLASSES = (SIGNAL + RNG.normal(size=400) > 0).astype(int)
SIZES = np.array([1e-3, 1e6, 30.0, 1e3, 1.0])
OFFSETS = np.array([0.0, 50.0, -3.0, 2.0, 0.0])
RAW = (Z + OFFSETS) * SIZES


def constant_loss(y):
    return log_loss(y, np.full(len(y), y.mean()))


@pytest.mark.parametrize("solver", ["pcd", "fista", "adagrad", "psgd"])
def test_stored_zeros_are_zeros(solver):
    rng = np.random.default_rng(0)
    full = sparse.coo_array(np.where(rng.random((300, 6)) < 0.2, rng.random((300, 6)), 0.0))
    y = full.sum(axis=1) + 0.1 * rng.normal(size=300)
    empty = np.argwhere(full.toarray() == 0.0)[::5].T
    rows, columns = (np.append(a, b) for a, b in zip(full.coords, empty, strict=True))
    stored = sparse.csr_array(
        (np.append(full.data, np.zeros(empty.shape[1])), (rows, columns)), shape=full.shape
    )
    assert stored.nnz > full.nnz
    params = {"alpha": 0.01, "rank": 1, "l2_linear": 0.1, "solver": solver, "max_iter": 30}
    params |= {"penalty": None if solver == "adagrad" else "ti", "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [
            FactorizationMachineRegressor(**params).fit(X, y) for X in (full.tocsr(), stored, full.toarray())
        ]
    for model in models[1:]:
        assert model.objective_ == pytest.approx(models[0].objective_, rel=1e-12)
        assert model.coef_ == pytest.approx(models[0].coef_, rel=1e-9)


@pytest.mark.parametrize(
    "params", [{}, {"penalty": "cs"}, {"solver": "fista", "penalty": "l1"}, {"refit": True}]
)
def test_a_model_of_pairs_does_not_depend_on_units(params):
    first = FactorizationMachineClassifier(rank=6, **params).fit(Z, CLASSES)
    again = FactorizationMachineClassifier(rank=6, **params).fit(RAW, CLASSES)
    np.testing.assert_allclose(again.decision_function(RAW), first.decision_function(Z), atol=1e-5)
    assert again.objective_ == pytest.approx(first.objective_, rel=1e-6)
    weight = {i.column_indices: i.coef for i in first.interactions_}
    for interaction in again.interactions_:
        a, b = interaction.column_indices
        assert interaction.coef * SIZES[a] * SIZES[b] == pytest.approx(weight[a, b], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_a_regression_is_in_the_units_of_its_target(size):
    for loss in ("squared", ("huber", 1.0)):
        first = FactorizationMachineRegressor(rank=6, loss=loss).fit(Z, SIGNAL)
        scaled = loss if loss == "squared" else ("huber", size)
        again = FactorizationMachineRegressor(rank=6, loss=scaled).fit(RAW, size * SIGNAL)
        np.testing.assert_allclose(again.predict(RAW), size * first.predict(Z), atol=1e-4 * size)
        assert again.objective_ == pytest.approx(size**2 * first.objective_, rel=1e-5)
        assert again.n_interactions_ == first.n_interactions_


@pytest.mark.parametrize(
    "params", [{"order": 3}, {"order": "all", "penalty": "omega_ti"}, {"fit_linear": False}]
)
@pytest.mark.parametrize("size", [1e-3, 1e3, 1e6])
def test_scales_do_not_matter_where_columns_are_not_centred(params, size):
    first = FactorizationMachineClassifier(rank=4, **params).fit(Z, CLASSES)
    again = FactorizationMachineClassifier(rank=4, **params).fit(Z * size, CLASSES)
    np.testing.assert_allclose(again.decision_function(Z * size), first.decision_function(Z), atol=1e-4)


def test_no_fit_is_worse_than_the_constant():
    for params in (
        {},
        {"order": 3},
        {"standardize": False},
        {"standardize": False, "max_iter": 3},
        {"max_iter": 1},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = FactorizationMachineClassifier(rank=4, **params).fit(RAW, CLASSES)
        assert log_loss(CLASSES, model.predict_proba(RAW)) <= constant_loss(CLASSES) + 1e-5, params
        assert model.objective_ <= constant_loss(CLASSES) + 1e-5, params


def test_age_income_and_counts():
    n = 400
    age, income, visits = RNG.normal(50, 15, n), RNG.normal(80_000, 20_000, n), RNG.poisson(2, n)
    frame = pd.DataFrame({"age": age, "income": income, "visits": visits})
    chance = 1 / (1 + np.exp(-((age - 50) / 15 * (income - 80_000) / 20_000 + 0.5 * visits - 1)))
    y = (RNG.random(n) < chance).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FactorizationMachineClassifier().fit(frame, y)
    by_hand = FactorizationMachineClassifier().fit((frame - frame.mean()) / frame.std(ddof=0), y)
    assert model.objective_ == pytest.approx(by_hand.objective_, rel=1e-5)
    assert log_loss(y, model.predict_proba(frame)) < constant_loss(y) - 0.05
    assert ("age", "income") in {i.feature_names for i in model.interactions_}
    explained = model.explain(frame[:5])
    np.testing.assert_allclose(
        model.decision_function(frame)[:5], [dict(e.decisions)[None] for e in explained]
    )


def test_sparse_indicators_are_not_touched():
    X = sparse.random(300, 40, 0.1, "csr", rng=np.random.default_rng(0))
    X.data[:] = 1.0
    y = X[:, 0].toarray().ravel() * 2 + RNG.normal(size=300) > 0.5
    fits = [FactorizationMachineClassifier(rank=4, standardize=s).fit(X, y) for s in (True, False)]
    np.testing.assert_array_equal(fits[0].factors_[0], fits[1].factors_[0])
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)


def test_default_calls_converge():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    models = []
    for table in (X, (X - X.mean()) / X.std()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            models.append(FactorizationMachineClassifier(n_interactions=20, random_state=1).fit(table, y))
        assert "converged after" in str(models[-1].summary())
    assert models[1].alpha_ == pytest.approx(models[0].alpha_, rel=1e-6)
    settings = {"alpha": models[0].alpha_, "max_iter": 3_000, "tol": 1e-5, "random_state": 1}
    longer = FactorizationMachineClassifier(**settings).fit(X, y)
    for model in models:
        assert model.objective_ == pytest.approx(longer.objective_, rel=1e-3)


def test_default_calls_select():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    model = FactorizationMachineRegressor().fit(X, y)
    assert 0 < model.n_interactions_ < 40
    found = FactorizationMachineRegressor().fit(RAW, SIGNAL)
    largest = max(found.interactions_, key=lambda i: abs(i.coef) * np.prod(SIZES[list(i.column_indices)]))
    assert largest.column_indices == (0, 1)
    assert found.score(RAW, SIGNAL) > 0.9


def test_going_on_keeps_the_model():
    model = FactorizationMachineRegressor(alpha=0.01, rank=4, tol=1e-9, max_iter=3000).fit(RAW, 1e3 * SIGNAL)
    before = model.predict(RAW)
    model.set_params(warm_start=True, max_iter=1, tol=1.0).fit(RAW, 1e3 * SIGNAL)
    np.testing.assert_allclose(model.predict(RAW), before, atol=0.1)


@pytest.mark.parametrize("solver", ["adagrad", "psgd"])
def test_batches_share_their_units(solver):
    params = {"solver": solver, "penalty": None, "batch_size": 400, "learning_rate": 0.3, "tol": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = FactorizationMachineRegressor(rank=4, max_iter=3, **params).fit(RAW, SIGNAL)
    parts = FactorizationMachineRegressor(rank=4, **params)
    for _ in range(3):
        parts.partial_fit(RAW, SIGNAL)
    # At its end a fit moves the intercept to its optimum, which a batch does not know.
    shift = np.mean(whole.predict(RAW) - parts.predict(RAW))
    np.testing.assert_allclose(parts.predict(RAW) + shift, whole.predict(RAW), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "params", [{}, {"order": 3, "fit_linear": False}, {"fit_lower": "augment", "order": 3, "alpha": 1e-3}]
)
def test_units_do_not_decide_the_order_of_interactions(params):
    target = SIGNAL + 1.5 * Z[:, 3] * Z[:, 4]
    options = {"rank": 6, "alpha": 0.02, **params}
    made = [FactorizationMachineRegressor(**options).fit(Z * sizes, target) for sizes in (1, SIZES)]
    first, again = (model.interactions_ for model in made)
    assert len(first) > 1
    assert [i.column_indices for i in again[:3]] == [i.column_indices for i in first[:3]]
    np.testing.assert_allclose(again.standardized_coef[:3], first.standardized_coef[:3], rtol=1e-3)
    for listed in (first, again):
        assert (np.diff(np.abs(listed.standardized_coef)) <= 0).all()
        assert listed.to_frame()["standardized_coef"].tolist() == listed.standardized_coef.tolist()
    scales = made[1]._fitted.document["language"]["scales"]
    for one in again:
        assert one.standardized_coef == pytest.approx(
            one.coef * np.prod([scales[j] for j in one.column_indices])
        )


def test_columns_as_they_are_have_no_scales():
    made = FactorizationMachineRegressor(alpha=0.02, standardize=False).fit(Z, SIGNAL)
    assert "scales" not in made._fitted.document["language"]
    assert made.interactions_.standardized_coef.tolist() == made.interactions_.coef.tolist()


def test_a_model_continues_with_the_scales_that_it_has():
    made = FactorizationMachineRegressor(alpha=0.02, warm_start=True).fit(RAW, SIGNAL)
    scales = made._fitted.document["language"]["scales"]
    np.testing.assert_allclose(scales, RAW.std(axis=0), rtol=1e-9)
    made.set_params(alpha=0.01).fit(RAW * np.array([1.0, 1, 1, 1, 3]), SIGNAL)
    assert made.n_interactions_ >= 1
