"""The data of the comparison at a fixed number of rules: small tables, with a few larger ones cut.

A set is loaded as float columns (one column for each value of a nominal one), so that every model
gets the same table. Regression targets are standardised, classes are -1/+1. Sets of at most
MAX_ROWS rows are split into five folds; of larger ones each split draws TRAIN_ROWS rows to train
on and at most TEST_ROWS others; generated sets are drawn anew for each split.
"""

from functools import partial

import datasets
import numpy as np

TRAIN_ROWS = 1000
TEST_ROWS = 3000
MAX_ROWS = 1250  # four fifths of these rows are about TRAIN_ROWS
FOLDS = 5


# ---- loaders: (X, y) ----


def _sklearn(name, positive=None):
    """A set that scikit-learn ships; ``positive`` is the class against the rest."""
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    return X, y if positive is None else np.where(y == positive, 1.0, -1.0)


def _dummies(name):
    """A paper's set with every nominal column as one column a value."""
    import pandas as pd

    module = datasets._paper_data()
    if module is None:
        return None
    X, y = getattr(module, name)()
    return pd.get_dummies(X, dtype=float).to_numpy(), np.asarray(y, dtype=float)


def _box_rules(n, seed, noise=0.5):
    """Four boxes of one to three of eight columns, and noise of ``noise`` times their spread."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 8))
    f = 1.5 * (X[:, 0] > 0.6) - 1.0 * ((X[:, 1] < 0.5) & (X[:, 2] > 0.3))
    f += 2.0 * ((X[:, 3] > 0.7) & (X[:, 4] < 0.6)) - 1.5 * (
        (X[:, 5] > 0.4) & (X[:, 6] > 0.4) & (X[:, 0] < 0.5)
    )
    return X, f + noise * f.std() * rng.normal(size=n)


def _box_classes(n, seed):
    """Labels drawn with log-odds twice the centred sum of the four boxes."""
    X, f = _box_rules(n, seed, noise=0.0)
    odds = 2.0 * (f + 0.1)
    return X, np.where(np.random.default_rng(seed + 1).uniform(size=n) < 1 / (1 + np.exp(-odds)), 1.0, -1.0)


def _weak_signal(n, seed):
    """Ten columns of noise, one of which explains 4 % of the variance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    return X, 0.2 * X[:, 0] + rng.normal(size=n)


def _weak_classes(n, seed):
    """The sign of the weak signal."""
    X, y = _weak_signal(n, seed)
    return X, np.where(y > 0, 1.0, -1.0)


REAL = {
    "diabetes": ("regression", partial(_sklearn, "diabetes")),
    "concrete": ("regression", partial(datasets.paper, "concrete")),
    "airfoil": ("regression", partial(datasets.paper, "airfoil")),
    "abalone": ("regression", partial(datasets.paper, "abalone")),
    "yacht": ("regression", partial(datasets.paper, "yacht")),
    "servo": ("regression", partial(_dummies, "servo")),
    "casp": ("regression", partial(datasets.paper, "casp")),
    "whitewine": ("regression", partial(datasets.paper, "whitewine")),
    "breast_cancer": ("classification", partial(_sklearn, "breast_cancer", 1)),
    "wine_1": ("classification", partial(_sklearn, "wine", 1)),
    "digits_3": ("classification", partial(_sklearn, "digits", 3)),
    "magic": ("classification", partial(datasets.paper, "magic")),
    "compas": ("classification", datasets.compas),
    "transfusion": ("classification", partial(_dummies, "blood")),
    "haberman": ("classification", partial(_dummies, "haberman")),
    "mammographic": ("classification", partial(_dummies, "mammographic")),
    "cmc": ("classification", partial(_dummies, "contraceptive")),
    "car": ("classification", partial(_dummies, "car")),
    "tictactoe": ("classification", partial(_dummies, "tictactoe")),
    "balance": ("classification", partial(_dummies, "balance")),
}
# name: (task, generator of (X, y) from rows and seed, rows to train on)
GENERATED = {
    "friedman1_200": ("regression", datasets.friedman1, 200),
    "friedman1_1000": ("regression", datasets.friedman1, 1000),
    "boxes_300": ("regression", _box_rules, 300),
    "noise_150": ("regression", _weak_signal, 150),
    "box_classes_400": ("classification", _box_classes, 400),
    "threshold_class": ("classification", datasets.threshold_class, 1000),
    "noise_classes_150": ("classification", _weak_classes, 150),
}
TASKS = {name: entry[0] for name, entry in {**REAL, **GENERATED}.items()}


def _draws(X, y, n_splits):
    """Random disjoint rows to train on and to test on, for sets too large for folds."""
    for k in range(n_splits):
        rows = np.random.default_rng(k).permutation(len(y))[: TRAIN_ROWS + TEST_ROWS]
        a, b = rows[:TRAIN_ROWS], rows[TRAIN_ROWS:]
        yield datasets.Split(X[a], y[a], X[b], y[b])


def _shuffled(split):
    """The training rows in a random order: files come sorted, and some libraries' folds do not shuffle."""
    order = np.random.default_rng(0).permutation(len(split.y_train))
    return datasets.Split(split.X_train[order], split.y_train[order], split.X_test, split.y_test)


def splits(name, n_splits):
    """The first ``n_splits`` splits of one set, or none where its file is not at hand."""
    if name in GENERATED:
        _, make, n_train = GENERATED[name]
        made = (make(n_train + TEST_ROWS, 100 + k) for k in range(n_splits))
        return [datasets.Split(X[:n_train], y[:n_train], X[n_train:], y[n_train:]) for X, y in made]
    task, load = REAL[name]
    data = load()
    if data is None:
        return []
    X, y = np.ascontiguousarray(data[0], dtype=float), np.asarray(data[1], dtype=float)
    if task == "regression":
        y = datasets.standardised(y)
    if len(y) > MAX_ROWS:
        return list(_draws(X, y, n_splits))
    found = list(datasets.folds(X, y, FOLDS, stratified=task == "classification"))[:n_splits]
    return [_shuffled(split) for split in found]
