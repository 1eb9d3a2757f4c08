"""Data for the benchmarks: the papers' files where they are at hand, and generated problems.

The files are looked for in the folder named by THRESHER_DATA (default: ``../shared/data`` beside
the repository), which must hold ``paper_data.py``. A set that is not there is skipped with a
message; nothing is downloaded.
"""

import importlib.util
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Split:
    """One train/test split; y is -1/+1 for classification."""

    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def data_folder():
    """The folder of the papers' files; it need not exist."""
    return Path(os.environ.get("THRESHER_DATA", ROOT.parent / "shared" / "data"))


@cache
def _paper_data():
    source = data_folder() / "paper_data.py"
    if not source.exists():
        return None
    spec = importlib.util.spec_from_file_location("paper_data", source)
    module = importlib.util.module_from_spec(spec)
    write_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = write_bytecode
    return module


def have_files():
    """Whether the papers' data folder was found."""
    return _paper_data() is not None


def paper(name):
    """(X, y) of one of the paper's sets as float64 arrays, y as it comes; None if not at hand."""
    module = _paper_data()
    if module is None:
        print(f"{name}: skipped, no data folder (set THRESHER_DATA)", file=sys.stderr)
        return None
    X, y = getattr(module, name)()
    return np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)


def compas():
    """COMPAS as it comes: 6,907 rows of 7 small-integer columns (134 thresholds), y -1/+1; or None."""
    return _csv("compas_gosdt6907.csv", lambda frame: (frame.iloc[:, :-1], frame.iloc[:, -1] == 1))


def fico():
    """The 10,459 x 23 table of the FICO challenge under its own file name, y +1 for Bad; or None."""
    return _csv("heloc_dataset_v1.csv", lambda frame: (frame.iloc[:, 1:], frame.iloc[:, 0] == "Bad"))


def _csv(file, parts):
    module = _paper_data()
    if module is None or not Path(module.P(file)).exists():
        print(f"{file}: skipped, not in the data folder (set THRESHER_DATA)", file=sys.stderr)
        return None
    import pandas as pd

    X, positive = parts(pd.read_csv(module.P(file)))
    return np.ascontiguousarray(X, dtype=np.float64), np.where(positive, 1.0, -1.0)


def thresholds(X, of=None):
    """The columns 1[x_j <= t] for every value t of column j of ``of`` (X) but its largest; Fortran order."""
    of = X if of is None else of
    blocks = [X[:, [j]] <= np.unique(of[:, j])[:-1] for j in range(X.shape[1])]
    return np.asfortranarray(np.hstack(blocks), dtype=np.float64)


def standardised(v):
    """Mean 0, variance 1, as the paper scales X and y; a constant column becomes 0."""
    sd = v.std(axis=0)
    return (v - v.mean(axis=0)) / np.where(sd > 0, sd, 1.0)


# ---- generated problems ----


def friedman1(n, seed, n_features=10):
    """Friedman's first problem with noise of variance 1 (the smooth one)."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, n_features))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, f + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n)


def _true_rules(n_features=20, n_rules=10, seed=7):
    rng = np.random.default_rng(seed)
    for _ in range(n_rules):
        features = rng.choice(n_features, size=rng.integers(1, 4), replace=False)
        signs = rng.choice([-1, 1], size=len(features))
        cuts = rng.uniform(0.25, 0.75, size=len(features))
        yield features, signs, cuts, rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)


def _rule_score(X):
    score = np.zeros(len(X))
    for features, signs, cuts, weight in _true_rules():
        score += weight * np.all(signs * (X[:, features] - cuts) > 0, axis=1)
    return score


def threshold_class(n, seed):
    """20 features, 10 true rules: which side of its median their sum is on; 3 % labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 20))
    middle = np.median(_rule_score(np.random.default_rng(99).uniform(size=(20_000, 20))))
    y = np.where(_rule_score(X) > middle, 1.0, -1.0)
    return X, np.where(rng.uniform(size=n) < 0.03, -y, y)


def threshold_reg(n, seed):
    """20 features, the sum of 10 true rules plus noise of a quarter of its spread."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 20))
    score = _rule_score(X)
    return X, score + rng.normal(size=n) * 0.25 * 0.9


def mixed8(n, seed):
    """8 features, smooth terms and sharp regions together, as in a table of house prices."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.lognormal(size=(n, 3)), rng.normal(size=(n, 3)), rng.uniform(size=(n, 2))])
    f = np.log1p(X[:, 0]) + 0.5 * np.tanh(X[:, 3]) + 0.7 * np.sin(3 * X[:, 6])
    f += 1.2 * ((X[:, 6] > 0.62) & (X[:, 7] < 0.31)) - 0.8 * ((X[:, 1] > 1.4) & (X[:, 4] > 0.3))
    f += 0.6 * ((X[:, 5] > -0.4) & (X[:, 5] <= 0.8) & (X[:, 0] > 0.9))
    return X, f + 0.4 * rng.normal(size=n)


# Distinct values of each column of a table of FICO's shape: 1,917 thresholds in all.
_FICO_LEVELS = (
    69,
    350,
    112,
    84,
    80,
    36,
    24,
    59,
    101,
    10,
    9,
    85,
    20,
    25,
    101,
    22,
    22,
    121,
    190,
    350,
    16,
    15,
    39,
)


def fico_shape(n=10_459, seed=0):
    """A table of FICO's shape: 23 correlated columns of skewed small integers, y -1/+1 by steps and slopes.

    Every value of a column takes at least a sixth of an even share of the rows, so that 10,459 rows
    meet all 1,940 of them.
    """
    rng = np.random.default_rng(seed)
    d = len(_FICO_LEVELS)
    factors = rng.normal(size=(n, 4)) @ rng.normal(size=(4, d))
    latent = 0.6 * factors + rng.normal(size=(n, d))
    X, score = np.empty((n, d)), np.zeros(n)
    for j, levels in enumerate(_FICO_LEVELS):
        mass = np.sort(0.2 + rng.exponential(size=levels))[::-1]
        edges = np.quantile(latent[:, j], np.cumsum(mass)[:-1] / mass.sum())
        X[:, j] = np.searchsorted(edges, latent[:, j])
        rank = latent[:, j].argsort().argsort() / n
        slope, step = 0.3 * rng.normal(), 0.3 * rng.normal()
        score += slope * np.tanh(4 * (rank - rng.uniform(0.3, 0.7))) + step * (rank > rng.uniform(0.2, 0.8))
    score -= np.median(score)
    return X, np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-score)), 1.0, -1.0)


def _correlated(n, p, k, rho, rng):
    """Normal columns with correlation rho^|i - j|, and the k coefficients 1 at i mod (p / k) = 0."""
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return X, (np.arange(p) % (p // k) == 0).astype(float)


def correlated_class(seed, n=960, p=1000, k=25, rho=0.9):
    """[FastSparse]'s classes: (X, y, true w), P(y = 1) = 1 / (1 + exp(-x'w)); 800 rows to train."""
    rng = np.random.default_rng(seed)
    X, w = _correlated(n, p, k, rho, rng)
    return X, np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-X @ w)), 1.0, -1.0), w


def correlated_reg(seed, n=2000, p=2000, k=100, rho=0.9, snr=5.0):
    """[FastSparse]'s regression: (X, y, true w), noise of variance w'Sw / snr, S the covariance."""
    rng = np.random.default_rng(seed)
    X, w = _correlated(n, p, k, rho, rng)
    at = np.flatnonzero(w)
    variance = np.sum(rho ** np.abs(at[:, None] - at[None, :]))
    return X, X @ w + rng.normal(size=n) * np.sqrt(variance / snr), w


# ---- the splits of the accuracy suite ----


def folds(X, y, n_splits, stratified=False):
    """Train/test splits, each row once in a test part."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    if stratified:
        order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=int)
    fold[order] = np.arange(len(y)) % n_splits
    for k in range(n_splits):
        yield Split(X[fold != k], y[fold != k], X[fold == k], y[fold == k])


def _draws(make, n_train, n_splits, n_test=4000):
    for k in range(n_splits):
        X, y = make(n_train + n_test, 100 + k)
        yield Split(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


ACCURACY = {
    "concrete": "regression",
    "abalone": "regression",
    "whitewine": "regression",
    "friedman1": "regression",
    "threshold_reg": "regression",
    "threshold_class": "classification",
    "breast_cancer": "classification",
}


def accuracy_splits(name, n_splits=5):
    """The five splits of one set: folds for real data (y standardised), fresh draws for generated."""
    if name in ("concrete", "abalone", "whitewine"):
        data = paper(name)
        if data is None:
            return []
        X, y = data
        return list(folds(X, standardised(y), n_splits))
    if name == "breast_cancer":
        from sklearn.datasets import load_breast_cancer

        X, y = load_breast_cancer(return_X_y=True)
        return list(folds(X, np.where(y == 1, 1.0, -1.0), n_splits, stratified=True))
    if name == "friedman1":
        return list(_draws(friedman1, 1000, n_splits))
    make = {"threshold_reg": threshold_reg, "threshold_class": threshold_class}[name]
    return list(_draws(make, 1400, n_splits))


def large_splits(name, n_splits=3):
    """14,000 rows x 8 columns to train on: generated, or the first 8 columns of CASP."""
    if name == "mixed8":
        return [
            Split(X[:14000], y[:14000], X[14000:], y[14000:])
            for X, y in (mixed8(20_000, 100 + k) for k in range(n_splits))
        ]
    data = paper("casp")
    if data is None:
        return []
    X, y = data[0][:, :8], standardised(data[1])
    splits = []
    for k in range(n_splits):
        rows = np.random.default_rng(k).permutation(len(y))[:20_000]
        a, b = rows[:14_000], rows[14_000:]
        splits.append(Split(X[a], y[a], X[b], y[b]))
    return splits
