"""Certificates of best linear subsets against all subsets of small problems."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from oracle import compare, linear_subsets
from oracle.linear_subsets import Task
from thresher import L0Classifier, L0Regressor

LEAST_OPTIMA = 0.95
"""The fraction of problems whose optimum the local search alone must find."""


def fit(task: Task, **given: Any) -> Any:
    """The product's model of a problem."""
    cls = L0Regressor if task.loss == "squared" else L0Classifier
    penalties = {name: getattr(task, name) for name in ("lambda0", "lambda2", "max_nonzero", "loss")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return cls(**penalties, **given).fit(task.X, task.y, sample_weight=task.v)


@compare.seeds(size=200, last=1000)
def test_certificates(seeds: range) -> None:
    """No bound is above the optimum, and a branch and bound to the end finds it."""
    n_missed, n_without_ridge = 0, 0
    for seed, task in linear_subsets.tasks(seeds):
        optimum = task.optimum()
        error = 1e-6 * optimum + 1e-7
        for gap_tol in (None, 0.0):
            model = fit(task, gap_tol=gap_tol)
            certificate = model.certificate_
            where = f"seed {seed}: {certificate!r}, optimum {optimum}"
            assert certificate.dual <= optimum + error, where
            assert certificate.primal >= optimum - error, where
            if gap_tol is None:
                n_missed += certificate.has_bound and certificate.primal > optimum + error
                continue
            if not certificate.has_bound:
                assert task.lambda2 == 0.0, where
                continue
            n_without_ridge += task.lambda2 == 0.0
            assert certificate.primal <= optimum + error, where
            assert certificate.dual >= optimum - error, where
            again = model.verify(task.X, task.y, sample_weight=task.v)
            assert again.dual == pytest.approx(certificate.dual, rel=1e-6, abs=1e-6), f"seed {seed}"
    assert n_missed <= (1 - LEAST_OPTIMA) * len(seeds)
    assert n_without_ridge > 0.1 * len(seeds)


def test_more_coefficients_than_rows() -> None:
    """With a ridge every column may have a coefficient."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 20)), rng.normal(size=8)
    ridge = linear_subsets.best_fit(X, y, np.ones(8), "squared", 1.0)
    for given in ({"lambda0": None, "max_nonzero": 20}, {"lambda0": 1e-9}):
        model = L0Regressor(lambda2=1.0, **given).fit(X, y)
        assert model.certificate_.dual <= ridge * (1 + 1e-6)
        assert model.certificate_.primal == pytest.approx(ridge, rel=1e-5)
        assert np.all(model.coef_ != 0.0)


def test_nearly_separated_classes() -> None:
    """Of few independent columns the best subset is proven unless the classes are separated."""
    n_proven = 0
    for seed in range(1000, 1150):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(2, 7))
        X = rng.normal(size=(60, 8)) @ rng.normal(size=(8, d))
        v = rng.integers(1, 4, 60).astype(float)
        y = np.where(X[:, 0] + rng.normal(0, rng.choice([0.3, 1.0, 2.0]), 60) > 0, 1.0, -1.0)
        task = Task(X, y, v, "logistic", 2.0, 0.0, None)
        if linear_subsets.separates(X, y):
            continue
        n_proven += 1
        model = fit(task, gap_tol=0.0)
        assert model.certificate_.has_bound, f"seed {seed}"
        assert model.objective_ == pytest.approx(task.optimum(), rel=2e-6), f"seed {seed}"
    assert n_proven > 50


@compare.seeds(size=60, last=300)
def test_columns_that_depend_on_each_other(seeds: range) -> None:
    """Columns that are sums of others leave the best subset provable: that of independent columns."""
    n_proven = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = linear_subsets.dependent_columns(rng, int(rng.integers(12, 60)))
        n, d = X.shape
        scaled = X / np.maximum(X.std(axis=0), 1e-9)
        y = scaled @ (rng.normal(size=d) * (rng.random(d) < 0.5)) + rng.choice([0.3, 1.0, 3.0]) * rng.normal(
            size=n
        )
        loss = linear_subsets.LOSSES[seed % 3]
        if loss != "squared":
            y = np.where(y > np.median(y), 1.0, -1.0)
        v = [np.ones(n), rng.integers(1, 4, n).astype(float), rng.exponential(size=n)][rng.integers(3)]
        v /= v.max()
        limit = int(rng.integers(1, 5)) if rng.random() < 0.3 else None
        task = Task(X, y, v, loss, float(rng.choice([0.1, 0.5, 2.0])), 0.0, limit)
        if loss != "squared" and linear_subsets.separates(X, y):
            continue
        model, where = fit(task, gap_tol=0.0), f"seed {seed}"
        if not model.certificate_.has_bound:
            continue
        n_proven += 1
        assert model.objective_ == pytest.approx(task.optimum(), rel=3e-6, abs=1e-9), where
        assert model.certificate_.dual == pytest.approx(model.objective_, rel=3e-6, abs=1e-9), where
        assert model.verify(X, y, sample_weight=v).has_bound, where
    assert n_proven > 0.5 * len(seeds)
