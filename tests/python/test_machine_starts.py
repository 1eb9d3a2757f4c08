"""Factorization machines of interactions that small random factors and a linear term alone do not show."""

import numpy as np
import pytest

from thresher import FactorizationMachineRegressor

PAIRS = {(20, 21), (2, 30), (25, 26)}


def three_pairs(seed):
    """Rows of 40 columns, of which three pairs interact; the noise has variance 1."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(1200, 40))
    signal = 1.5 * rows[:, 20] * rows[:, 21] - rows[:, 2] * rows[:, 30] + 0.7 * rows[:, 25] * rows[:, 26]
    return rows, signal + 0.8 * rows[:, 15] + rng.normal(size=1200)


@pytest.mark.parametrize("solver", ["pcd", "fista", "adagrad", "psgd"])
def test_a_column_without_rows_has_no_effect(solver):
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 30, 2000), rng.integers(0, 20, 2000)
    X = np.zeros((2000, 60))
    X[np.arange(2000), users] = X[np.arange(2000), 40 + items] = 1.0
    tastes = rng.normal(size=(60, 2))
    y = 3.0 + (tastes[users] * tastes[40 + items]).sum(axis=1)
    model = FactorizationMachineRegressor(
        rank=2, solver=solver, penalty=None, max_iter=20, random_state=1
    ).fit(X, y)
    cold = np.zeros((20, 60))
    cold[:, 35] = cold[np.arange(20), 40 + np.arange(20)] = 1.0
    assert model.predict(cold) == pytest.approx(model.intercept_ + model.coef_[40:], rel=1e-12)


@pytest.mark.parametrize("alpha", [0.03, 0.06])
def test_small_random_factors_do_not_lose_interactions(alpha):
    rows, y = three_pairs(0)
    fits = [
        FactorizationMachineRegressor(alpha=alpha, random_state=s).fit(rows[:600], y[:600]) for s in range(5)
    ]
    for model in fits:
        assert {i.column_indices for i in model.interactions_} == PAIRS
        assert model.objective_ == pytest.approx(fits[0].objective_, rel=1e-3)
    assert 4 <= fits[0].n_iter_ < 20
    short = FactorizationMachineRegressor(alpha=alpha, max_iter=2).fit(rows[:600], y[:600])
    assert short.n_iter_ == 2


def test_the_fit_of_all_rows_is_as_good_as_those_of_the_folds():
    for seed in (0, 1, 2):
        rows, y = three_pairs(seed)
        model = FactorizationMachineRegressor(refit=True).fit(rows[:600], y[:600])
        assert model._fitted.point(0, 0)["loss"] < model.path_.cv_mean.min()
        assert np.mean((model.predict(rows[600:]) - y[600:]) ** 2) < 1.2
        few = FactorizationMachineRegressor(n_interactions=3).fit(rows[:600], y[:600])
        assert {i.column_indices for i in few.interactions_} == PAIRS


def test_the_ridge_is_compared_again_with_the_interactions():
    rows, y = three_pairs(0)
    model = FactorizationMachineRegressor(n_jobs=1).fit(rows[:600], y[:600])
    assert model.l2_linear_ <= 0.1  # 1 without interactions, which are noise to the linear term
    assert np.mean((model.predict(rows[600:]) - y[600:]) ** 2) < 1.25
    chosen = {name: getattr(model, f"{name}_") for name in ("alpha", "l2_linear", "l2_factors", "rank")}
    again = FactorizationMachineRegressor(n_jobs=1, **chosen).fit(rows[:600], y[:600])
    np.testing.assert_array_equal(again.coef_, model.coef_)
