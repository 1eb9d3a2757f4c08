"""Factorization machines: bad input, hostile files, budgets, interrupts."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from thresher import FactorizationMachineRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = X[:, 0] * X[:, 1]


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
        ({"solver": "adagrad"}, ValueError, "solver: 'adagrad' has no step for penalty='ti'"),
        ({"solver": "sgd"}, ValueError, "solver: got 'sgd'"),
        ({"loss": "logistic"}, ValueError, "loss: got 'logistic'"),
        ({"loss": "huber", "delta": 0}, ValueError, "delta: got 0"),
        ({"l2_linear": -1}, ValueError, "l2_linear: got -1"),
        ({"l2_factors": float("nan")}, ValueError, "l2_factors: got nan"),
        ({"alpha": "cv"}, TypeError, "alpha: got 'cv'"),
        ({"n_interactions": 0}, ValueError, "n_interactions: got 0"),
        ({"n_interactions": 5, "penalty": None}, ValueError, "n_interactions: without a penalty"),
        ({"refit": -1.0}, ValueError, "refit: got -1"),
        ({"signs": "mixed"}, ValueError, "signs: got 'mixed'"),
        ({"fit_lower": True}, TypeError, "fit_lower"),
        ({"fit_linear": 1}, TypeError, "fit_linear"),
        ({"max_epochs": 0}, ValueError, "max_epochs"),
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
    model = FactorizationMachineRegressor(rank=3).fit(X, Y)
    before = dict(model.__dict__)
    with pytest.raises(error, match=message):
        model.set_params(**params).fit(X, Y)
    for name in ("coef_", "path_", "_fitted"):
        assert model.__dict__[name] is before[name]


@pytest.mark.parametrize(
    ("rows", "target", "message"),
    [
        (np.where(X > 2, np.nan, X), Y, r"is missing \(NaN\) in row"),
        (np.where(X > 2, np.inf, X), Y, "infinite"),
        (sparse.csr_matrix(np.where(X > 2, np.nan, X)), Y, "NaN"),
        (X, Y[:-1], "inconsistent numbers of samples"),
        (X, np.where(Y > 1, np.nan, Y), "y contains NaN"),
        (X * 1e300, Y, "scale the columns"),
        (X[:0], Y[:0], "0 sample"),
    ],
)
def test_bad_data(rows, target, message):
    with pytest.raises(ValueError, match=message):
        FactorizationMachineRegressor(rank=2).fit(rows, target)


def test_columns_of_another_kind():
    frame = pd.DataFrame({"a": ["x", "y"] * 30, "b": X[:, 0]})
    model = FactorizationMachineRegressor(rank=2).fit(frame, Y)
    with pytest.raises(TypeError, match="column 'a' holds categories"):
        model.predict(sparse.csr_matrix(X[:, :2]))
    with pytest.raises(ValueError, match="expecting 5 features"):
        FactorizationMachineRegressor(rank=2).fit(X, Y).predict(sparse.csr_matrix(X[:, :3]))
    with pytest.raises(ValueError, match="categorical_features: a sparse matrix holds numbers"):
        FactorizationMachineRegressor(categorical_features=[0]).fit(sparse.csr_matrix(X), Y)


def test_too_many_interactions_are_not_listed():
    model = FactorizationMachineRegressor(penalty=None, rank=3).fit(X, Y)
    assert model.n_interactions_ == 10
    with pytest.raises(ValueError, match="more than 9 interactions"):
        model.get_interactions(limit=9)


@pytest.mark.parametrize("solver", ["pcd", "pbcd", "fista", "katyusha", "adagrad"])
def test_columns_too_large_are_refused_in_words(solver):
    regressor = FactorizationMachineRegressor(solver=solver, penalty=None, max_epochs=5)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="the fit left the range of numbers"):
        regressor.fit(X * 1e150, Y)
    assert not hasattr(regressor, "n_features_in_")


def test_progress_tells_of_epochs(caplog):
    with caplog.at_level("INFO", logger="thresher"):
        FactorizationMachineRegressor(verbose=1, rank=2, max_epochs=5, tol=0.0).fit(X, Y)
    assert any("epochs 5/5: objective" in record.getMessage() for record in caplog.records)
