"""Cross-validation against the naive loop: one fit per fold and alpha, nothing shared."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from oracle import losses
from thresher import RuleClassifier, RuleRegressor


def data(seed: int, loss: str) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 3)), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    f = np.nan_to_num(X[:, 0]) + 2.0 * (X[:, 1] > 0.3) * (X[:, 2] <= 0.5)
    y = f + 0.5 * rng.normal(size=60)
    weights = rng.integers(1, 4, size=60).astype(float) if seed % 2 else None
    return X, (y if loss == "squared" else (y > np.median(y)).astype(int)), weights


def estimator(loss: str, folds: Any, bins: Any, **changes: Any) -> Any:
    common: dict[str, Any] = {"cv": folds, "bins": bins, "max_features": 2, "tol": 1e-9}
    common |= {"n_alphas": 6, "alpha_min_ratio": 0.02, **changes}
    if loss == "squared":
        return RuleRegressor(**common)
    return RuleClassifier(loss=loss, **common)


def held_out_losses(model: Any, loss: str, X: Any, y: Any, weights: Any, folds: Any, alphas: Any) -> Any:
    """One row per fold, one column per alpha: the weighted mean loss of the rows held out."""
    table = []
    for train, test in folds.split(X, y):
        row = []
        for alpha in alphas:
            single = clone(model).set_params(alpha=float(alpha))
            s = None if weights is None else weights[train]
            single.fit(X[train], y[train], sample_weight=s)
            if loss == "squared":
                value = losses.value(loss, y[test], single.predict(X[test]))
            else:
                sign = np.where(y[test] == 1, 1.0, -1.0)
                value = losses.value(loss, sign, single.decision_function(X[test]))
            row.append(np.average(value, weights=None if weights is None else weights[test]))
        table.append(row)
    return np.array(table)


@pytest.mark.parametrize("bins", [4, None, "auto", "supervised"])
@pytest.mark.parametrize("loss", ["squared", "logistic", "squared_hinge"])
@pytest.mark.parametrize("seed", range(2))
def test_the_alpha_picked_is_the_naive_one(seed: int, loss: str, bins: Any) -> None:
    X, y, weights = data(seed, loss)
    kind = KFold if loss == "squared" else StratifiedKFold
    folds = kind(3, shuffle=True, random_state=seed)
    model = estimator(loss, folds, bins).fit(X, y, sample_weight=weights)
    cv = json.loads(model.to_json())["outputs"][0]["cv"]
    alphas = np.array(cv["alphas"])
    np.testing.assert_allclose(alphas, np.geomspace(alphas[0], 0.02 * alphas[0], 6), rtol=1e-9)
    table = held_out_losses(model, loss, X, y, weights, folds, alphas)
    # Two models within the tolerance of the optimum may differ a little on other rows.
    np.testing.assert_allclose(cv["mean"], table.mean(axis=0), rtol=2e-3)
    picked = int(np.argmin(np.abs(alphas - model.alpha_)))
    assert table.mean(axis=0)[picked] <= table.mean(axis=0).min() * (1 + 2e-3)
    assert picked == int(np.argmin(cv["mean"]))


@pytest.mark.parametrize("seed", range(4))
def test_one_standard_error(seed: int) -> None:
    X, y, weights = data(seed, "squared")
    folds = KFold(4, shuffle=True, random_state=seed)
    model = estimator("squared", folds, 4, one_standard_error=True)
    model.fit(X, y, sample_weight=weights)
    cv = json.loads(model.to_json())["outputs"][0]["cv"]
    mean, se = np.array(cv["mean"]), np.array(cv["se"])
    best = int(np.argmin(mean))
    wanted = int(np.flatnonzero(mean <= mean[best] + se[best])[0])
    assert model.alpha_ == pytest.approx(cv["alphas"][wanted], rel=1e-12)
    table = held_out_losses(model, "squared", X, y, weights, folds, cv["alphas"])
    np.testing.assert_allclose(se, table.std(axis=0, ddof=1) / 2.0, rtol=2e-2)


def test_the_final_model_is_the_one_of_the_alpha_picked() -> None:
    X, y, weights = data(0, "squared")
    model = estimator("squared", KFold(3), 4).fit(X, y, sample_weight=weights)
    single = clone(model).set_params(alpha=float(model.alpha_))
    single.fit(X, y, sample_weight=weights)
    assert single.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-8)
    np.testing.assert_allclose(single.predict(X), model.predict(X), atol=1e-3)
