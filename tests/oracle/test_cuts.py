"""The product's cuts, as its model documents show them, against Algorithms 3 and 4."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from oracle import compare, cuts
from thresher import RuleRegressor


def learned(X: Any, weights: Any = None, **parameters: Any) -> list[list[float]]:
    """The cuts of each column; alpha so large that nothing else is done."""
    y = np.arange(len(X), dtype=float)
    model = RuleRegressor(alpha=1e6, **parameters).fit(X, y, sample_weight=weights)
    return [feature["cuts"] for feature in compare.document(model)["features"]]


def table(seed: int) -> Any:
    """Columns with ties, gaps, NaN and very different scales."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    columns = [
        rng.normal(size=n),
        np.round(rng.normal(size=n), 1),
        rng.integers(0, 3, size=n).astype(float),
        np.exp(8 * rng.normal(size=n)),
        np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n)),
        np.full(n, 0.1),
    ]
    columns[1][rng.random(n) < 0.2] = math.nan
    return np.column_stack(columns), rng.integers(0, 4, size=n) + (np.arange(n) < 2)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("weighted", [False, True])
def test_quantiles(seed: int, weighted: bool) -> None:
    X, counts = table(seed)
    weights = counts.astype(float) if weighted else None
    for bins in (2, 3, 5, 8, 20):
        wanted = [cuts.quantiles(x, bins, weights) for x in X.T]
        assert learned(X, weights, bins=bins) == wanted


@pytest.mark.parametrize("seed", range(40))
def test_intervals_and_midpoints(seed: int) -> None:
    X, counts = table(seed)
    for weights in (None, counts.astype(float)):
        for delta in (0.0, 0.005, 0.03, 0.5):
            wanted = [cuts.intervals(x, delta, weights) for x in X.T]
            assert learned(X, weights, bins=("intervals", delta)) == wanted
        assert learned(X, weights, bins=None) == [cuts.midpoints(x, weights) for x in X.T]


@pytest.mark.parametrize("seed", range(40))
def test_bins_of_equal_width(seed: int) -> None:
    X, _ = table(seed)
    for bins in (2, 3, 7, 30):
        assert learned(X, bins=("uniform", bins)) == [cuts.uniform(x, bins) for x in X.T]


@pytest.mark.parametrize("bins", ["supervised", "auto"])
def test_learned_cuts_separate_neighbouring_values(bins: str) -> None:
    for seed in range(20):
        X, _ = table(seed)
        for x, found in zip(X.T, learned(X, bins=bins), strict=True):
            assert found == sorted(set(found))
            assert set(found) <= set(cuts.midpoints(x))


def test_neighbouring_floats_are_still_separated() -> None:
    low = 1.0
    x = np.array([low, math.nextafter(low, 2.0), 3.0, 4.0])
    (found,) = learned(x[:, None], bins=None)
    assert [int(np.sum(x <= cut)) for cut in found] == [1, 2, 3]


@pytest.mark.parametrize("seed", range(20))
def test_odd_columns(seed: int) -> None:
    """Numbers of every size, neighbouring doubles, beyond 2^53, near powers of ten, subnormal."""
    rng = np.random.default_rng(seed)
    n = 40
    doubles = rng.integers(0, 0x7FE0000000000000, size=n).view(np.float64) * rng.choice([-1, 1], n)
    tens = np.nextafter(10.0 ** rng.integers(-300, 300, size=n), rng.choice([-np.inf, np.inf], n))
    X = np.column_stack(
        [
            doubles,
            tens * rng.choice([-1, 1], n),
            1.0 + np.cumsum(rng.integers(0, 3, size=n)) * np.finfo(float).eps,
            2.0**53 + 2 * rng.integers(0, 40, size=n),
            rng.integers(-20, 20, size=n) * 5e-324,
            rng.integers(-2000, 2000, size=n) / 1000,
        ]
    )
    found = learned(X, bins=None, linear=False)
    assert found == [cuts.midpoints(x) for x in X.T]
    assert sum(map(len, found)) > 100
