"""Cross-validation of patterns against the naive loop: one path a fold, nothing shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from oracle import compare, graphs, losses
from thresher import (
    GraphClassifier,
    GraphRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    SequenceClassifier,
    SequenceRegressor,
)

KINDS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "itemset": (ItemsetRegressor, ItemsetClassifier, {"max_items": 2}),
    "sequence": (SequenceRegressor, SequenceClassifier, {"max_length": 2, "max_gap": 1}),
    "graph": (GraphRegressor, GraphClassifier, {"max_edges": 3}),
}


def records(kind: str, rng: np.random.Generator, n: int) -> list[Any]:
    """Random records; some are empty, some are equal."""
    if kind == "graph":
        made = [graphs.random_graph(rng, ["a", "b", "c"], ["x", "y"]) for _ in range(n)]
    else:
        drawn = [rng.choice(list("abcde"), rng.integers(0, 6)).tolist() for _ in range(n)]
        made = [sorted(set(one)) for one in drawn] if kind == "itemset" else drawn
    made[1] = made[0]
    return made


def problem(kind: str, seed: int, loss: str) -> tuple[Any, list[Any], Any, Any, list[Any]]:
    """An unfitted model, records, target, weights and three folds that need not be a partition."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(24, 50))
    X = records(kind, rng, n)
    size = np.array([len(r[1]) if kind == "graph" else len(r) for r in X], dtype=float)
    has = np.array([any("a" in str(part) for part in r) for r in X], dtype=float)
    f = has - 0.3 * size + rng.normal(scale=0.3, size=n)
    y = f if losses.is_regression(loss) else (f > np.median(f)).astype(int)
    weights = rng.integers(0, 4, n).astype(float) if seed % 3 == 0 else None
    tests = [np.flatnonzero(rng.random(n) < 0.3) for _ in range(3)]
    folds = [(np.setdiff1d(np.arange(n), test), test) for test in tests]
    regressor, classifier, parameters = KINDS[kind]
    common = {"cv": folds, "tol": 1e-9, "n_alphas": 6, "alpha_min_ratio": 0.05, **parameters}
    common["min_support"] = 1 + seed % 3
    model = regressor(loss=loss, **common) if losses.is_regression(loss) else classifier(loss=loss, **common)
    return model, X, y, weights, folds


def usable(y: Any, weights: Any, folds: list[Any], loss: str) -> bool:
    """Whether both sides of each fold have records that count, of two classes."""
    w = np.ones(len(y)) if weights is None else weights
    sides = [side[w[side] > 0] for fold in folds for side in fold]
    return all(side.size and (losses.is_regression(loss) or np.ptp(y[side]) > 0) for side in sides)


def naive(model: Any, X: Any, y: Any, weights: Any, folds: Any, alphas: Any, loss: str) -> Any:
    """The mean held-out loss at each alpha, from a path of its own for each fold."""
    w = np.ones(len(y)) if weights is None else weights
    table, share = [], []
    for train, test in folds:
        own = clone(model).fit_path(
            [X[r] for r in train],
            y[train],
            alphas=alphas,
            sample_weight=None if weights is None else w[train],
        )
        row = []
        for alpha in alphas:
            point, held = own.path_.at(alpha), [X[r] for r in test]
            if losses.is_regression(loss):
                value = losses.value(loss, y[test], point.predict(held))
            else:
                sign = np.where(y[test] == 1, 1.0, -1.0)
                value = losses.value(loss, sign, point.decision_function(held))
            row.append(np.average(value, weights=w[test]))
        table.append(row)
        share.append(w[test].sum())
    return np.average(table, axis=0, weights=share)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", losses.LOSSES)
def test_the_scores_are_those_of_separate_paths(kind: str, loss: str) -> None:
    """Where patterns share their training records, folds may show another of them: a few differ."""
    apart: list[float] = []
    for seed in range(12):
        model, X, y, weights, folds = problem(kind, seed, loss)
        if not usable(y, weights, folds, loss):
            continue
        cv = compare.document(model.fit(X, y, sample_weight=weights))["outputs"][0]["cv"]
        wanted = naive(model, X, y, weights, folds, cv["strengths"], loss)
        np.testing.assert_allclose(cv["mean"], wanted, rtol=0.25, err_msg=f"{kind} {loss} {seed}")
        apart.extend(np.abs(np.array(cv["mean"]) / wanted - 1.0))
    assert len(apart) >= 12
    assert np.median(apart) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_no_bit(kind: str) -> None:
    for seed in range(4):
        model, X, y, weights, _ = problem(kind, seed, "squared")
        one, two = (
            compare.timeless(clone(model).set_params(n_jobs=jobs).fit(X, y, sample_weight=weights))
            for jobs in (1, 2)
        )
        assert one == two
