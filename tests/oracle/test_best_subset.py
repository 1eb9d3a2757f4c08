"""Best subsets of rules and item-sets against all subsets of small problems."""

from __future__ import annotations

import numpy as np
import pytest

from oracle import best_subset, compare, losses, relax
from oracle.best_subset import MAX_SIZE, Outcome
from oracle.design import Floats
from thresher import RuleRegressor

LEAST_OPTIMA = 0.95
"""The fraction of problems whose optimum a local search must find."""


def assert_good(outcomes: dict[int, Outcome]) -> None:
    """No fit claims more than is true, and most are optimal and proven to have no better exchange."""
    wrong = [f"seed {seed}: {message}" for seed, one in outcomes.items() for message in one.messages]
    assert not wrong, "\n".join(wrong)
    missed = [seed for seed, one in outcomes.items() if not one.is_optimum]
    assert len(missed) <= (1 - LEAST_OPTIMA) * len(outcomes), f"no optimum: {missed}"
    unproven = [seed for seed, one in outcomes.items() if not one.is_swap_optimal]
    assert len(unproven) <= 0.01 * len(outcomes), f"not proven: {unproven}"


@compare.seeds(size=200)
def test_rules(seeds: range) -> None:
    assert_good({seed: best_subset.check(best_subset.rule_task(seed)) for seed in seeds})


def test_itemsets() -> None:
    tasks = {seed: best_subset.itemset_task(seed) for seed in range(300)}
    assert_good({seed: best_subset.check(task) for seed, task in tasks.items() if task is not None})


def test_rows_with_and_without_a_sign() -> None:
    """Rules with the same rows, or one with those that the other lacks, are one column, also where only one
    of them has a bound sign."""
    x = np.array([0.0, 0.0, 1.0, 1.0])
    bins = [[0.5], [0.5]]
    model = RuleRegressor(alpha=1e-9, max_rules=3, bins=bins, monotonic_cst=[1, 0], linear=False)
    best_subset.fit(model, 0.5, np.column_stack([x, x]), x, sample_weight=None)
    [point] = compare.document(model)["outputs"][0]["points"]
    w = np.array([coef for _, coef in point["terms"]])
    assert len(w) == 1
    f = model.predict(np.column_stack([x, x]))
    assert point["primal"] == pytest.approx(np.mean(0.5 * (f - x) ** 2) + 0.5 * np.sum(0.5 * w**2))


@pytest.mark.parametrize("seed", range(10))
def test_threads(seed: int) -> None:
    task = best_subset.rule_task(seed)
    one, other = (compare.timeless(task.fit(n_jobs=n_jobs)) for n_jobs in (1, 2))
    assert one == other


@pytest.mark.parametrize("loss", [*losses.LOSSES, ("huber", 0.01), ("huber", 0.3)], ids=str)
def test_fits(loss: losses.Loss) -> None:
    """Newton's method for many subsets at once finds what L-BFGS-B finds for each."""
    rng = np.random.default_rng(0)
    for size in range(MAX_SIZE + 1):
        n, ridge = int(rng.integers(5, 30)), float(10 ** rng.uniform(-2, 0))
        shape = (20, n, size)
        matrices = np.where(np.arange(size) == 0, rng.normal(size=shape), rng.random(shape) < 0.4)
        y = rng.normal(size=n)
        if not losses.is_regression(loss):
            y = np.where(y > np.median(y), 1.0, -1.0)
        v = rng.exponential(size=n)
        v /= v.mean()
        start = np.zeros(size + 1)
        wanted = [relax.refit(m, y, v, loss, ridge, np.zeros(size), start) for m in matrices]
        got = _fits(matrices, y, v, loss, ridge)
        assert got == pytest.approx(np.array(wanted), rel=1e-8)


def _fits(matrices: Floats, y: Floats, v: Floats, loss: losses.Loss, ridge: float) -> Floats:
    full = np.concatenate([matrices, np.ones((*matrices.shape[:2], 1))], axis=2)
    penalties = 2.0 * ridge * np.einsum("n,snp->sp", v / len(y), full**2)
    penalties[:, -1] = 0.0
    return best_subset.fit_all(full, y, v, loss, penalties, np.zeros_like(penalties))[0]
