"""Cross-validation against the naive loop: one fit per fold and alpha, nothing shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from oracle import compare, losses
from thresher import RuleClassifier, RuleRegressor


def data(seed: int, loss: str) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 3)), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    f = np.nan_to_num(X[:, 0]) + 2.0 * (X[:, 1] > 0.3) * (X[:, 2] > -0.5)
    y = f + 0.5 * rng.normal(size=60)
    weights = rng.integers(1, 4, size=60).astype(float) if seed % 2 else None
    return X, (y if losses.is_regression(loss) else (y > np.median(y)).astype(int)), weights


def estimator(loss: str, folds: Any, bins: Any, **changes: Any) -> Any:
    common: dict[str, Any] = {"cv": folds, "bins": bins, "max_features": 2, "tol": 1e-9}
    common |= {"n_alphas": 6, "alpha_min_ratio": 0.02, **changes}
    if losses.is_regression(loss):
        return RuleRegressor(loss=loss, **common)
    return RuleClassifier(loss=loss, **common)


def held_out_losses(
    model: Any, loss: str, X: Any, y: Any, weights: Any, folds: Any, alphas: Any
) -> tuple[Any, Any]:
    """The weighted mean loss of the rows held out (fold x alpha), and each fold's weight.

    Each fold is a path of its own over the same strengths: where several models are
    optimal they may differ on rows held out, and a path, like the product's, starts each
    point from the one before.
    """
    table, share = [], []
    for train, test in folds.split(X, y):
        s = None if weights is None else weights[train]
        path = clone(model).fit_path(X[train], y[train], alphas=alphas, sample_weight=s).path_
        t = np.ones(len(test)) if weights is None else weights[test]
        row = []
        for alpha in alphas:
            single = path.at(alpha)
            if losses.is_regression(loss):
                value = losses.value(loss, y[test], single.predict(X[test]))
            else:
                sign = np.where(y[test] == 1, 1.0, -1.0)
                value = losses.value(loss, sign, single.decision_function(X[test]))
            row.append(np.average(value, weights=t))
        table.append(row)
        share.append(t.sum())
    return np.array(table), np.array(share) / np.sum(share)


def cross_validated(seed: int, loss: str, bins: Any, **parameters: Any) -> tuple[Any, Any, Any, Any]:
    """The model, its own scores, and the naive ones: fold x alpha and the folds' shares."""
    X, y, weights = data(seed, loss)
    kind = KFold if losses.is_regression(loss) else StratifiedKFold
    folds = kind(3, shuffle=True, random_state=seed)
    model = estimator(loss, folds, bins, **parameters).fit(X, y, sample_weight=weights)
    cv = compare.document(model)["outputs"][0]["cv"]
    alphas = np.array(cv["strengths"])
    wanted = np.geomspace(alphas[0], 0.02 * alphas[0], 6)[: len(alphas)]
    np.testing.assert_allclose(alphas, wanted, rtol=1e-9)
    assert model.alpha_ == pytest.approx(alphas[int(np.argmin(cv["mean"]))], rel=1e-12)
    return model, cv, *held_out_losses(model, loss, X, y, weights, folds, alphas)


@pytest.mark.parametrize("bins", [4, None, "auto", "supervised"])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("seed", range(2))
def test_the_alpha_picked_is_the_naive_one(seed: int, loss: str, bins: Any) -> None:
    """Steps upwards in single features: the optimum is unique, on the rows held out too."""
    upwards = {"positive": True, "monotonic_cst": [1, 1, 1], "max_features": 1}
    _, cv, table, share = cross_validated(seed, loss, bins, **upwards)
    np.testing.assert_allclose(cv["mean"], share @ table, rtol=1e-4)
    spread = np.sqrt(share @ (table - share @ table) ** 2 / (len(table) - 1))
    np.testing.assert_allclose(cv["se"], spread, rtol=1e-3)
    assert np.argmin(cv["mean"]) == np.argmin(share @ table)


@pytest.mark.parametrize("bins", [4, None, "auto", "supervised"])
@pytest.mark.parametrize("loss", losses.LOSSES)
def test_scores_where_several_models_are_optimal(loss: str, bins: Any) -> None:
    """Rounding in alpha then picks one of them; they differ a little on the rows held out."""
    _, cv, table, share = cross_validated(0, loss, bins)
    np.testing.assert_allclose(cv["mean"], share @ table, rtol=0.1)
    np.testing.assert_allclose(cv["mean"][:3], (share @ table)[:3], rtol=1e-2)


@pytest.mark.parametrize("seed", range(4))
def test_single_fits_score_the_same(seed: int) -> None:
    """Steps upwards in one feature: the optimum is unique, so a path is not needed."""
    rng = np.random.default_rng(seed)
    X = rng.permutation(40).astype(float)[:, None]
    y = np.sqrt(X[:, 0]) + 0.3 * rng.normal(size=40)
    folds = KFold(4, shuffle=True, random_state=seed)
    model = estimator("squared", folds, 6, monotonic_cst=[1], positive=True, linear=False).fit(X, y)
    cv = compare.document(model)["outputs"][0]["cv"]
    table = [
        [
            np.mean(losses.value("squared", y[test], single.fit(X[train], y[train]).predict(X[test])))
            for single in (clone(model).set_params(alpha=float(alpha)) for alpha in cv["strengths"])
        ]
        for train, test in folds.split(X)
    ]
    np.testing.assert_allclose(cv["mean"], np.mean(table, axis=0), rtol=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_one_standard_error(seed: int) -> None:
    X, y, weights = data(seed, "squared")
    folds = KFold(4, shuffle=True, random_state=seed)
    model = estimator("squared", folds, 4, one_standard_error=True)
    model.fit(X, y, sample_weight=weights)
    cv = compare.document(model)["outputs"][0]["cv"]
    mean, se = np.array(cv["mean"]), np.array(cv["se"])
    best = int(np.argmin(mean))
    wanted = int(np.flatnonzero(mean <= mean[best] + se[best])[0])
    assert model.alpha_ == pytest.approx(cv["strengths"][wanted], rel=1e-12)


def test_the_final_model_is_the_one_of_the_alpha_picked() -> None:
    X, y, weights = data(0, "squared")
    model = estimator("squared", KFold(3), 4).fit(X, y, sample_weight=weights)
    single = clone(model).set_params(alpha=float(model.alpha_))
    single.fit(X, y, sample_weight=weights)
    assert single.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-8)
    np.testing.assert_allclose(single.predict(X), model.predict(X), atol=1e-3)
