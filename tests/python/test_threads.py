"""Large fits, whose inner loops are shared out, have the same bits for every number of threads."""

import numpy as np
import pytest

from thresher import (
    HierarchicalRuleRegressor,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    RuleClassifier,
    RuleRegressor,
    SequenceRegressor,
)

RNG = np.random.default_rng(7)


def table(rows, columns):
    X = RNG.normal(size=(rows, columns))
    return X, (X[:, 0] > 0) + X[:, 1] * (X[:, 2] > 0.5) + RNG.normal(size=rows)


def classes(rows, columns):
    X, y = table(rows, columns)
    return X, y > np.median(y)


def items(rows, symbols):
    X = (RNG.random((rows, symbols)) < 0.3).astype(np.uint8)
    return X, X[:, 0] * X[:, 1] * 1.0 + RNG.normal(size=rows)


def sequences(rows, events):
    X = RNG.integers(0, 8, (rows, events)).tolist()
    return X, np.array([0.3 * record.count(0) for record in X]) + RNG.normal(size=rows)


CASES = {
    # Several hundred active columns: blocks of triangular systems, rotations, correlations.
    "item-sets": (items(1_000, 60), ItemsetRegressor(max_items=3, n_alphas=6, alpha_min_ratio=0.02)),
    "sequences": (sequences(1_000, 20), SequenceRegressor(max_length=3, n_alphas=6, alpha_min_ratio=0.02)),
    # More rows than a partial sum has, and trees whose nodes are shared out.
    "rules": (table(30_000, 6), RuleRegressor(max_features=2, n_alphas=4, alpha_min_ratio=0.1)),
    "rules, classes": (classes(20_000, 5), RuleClassifier(max_features=2, n_alphas=4, alpha_min_ratio=0.1)),
    "score card": (classes(20_000, 6), L0AdditiveClassifier(lambda0=10.0, ridge=0.01)),
    "score card, exponential": (
        classes(12_000, 5),
        L0AdditiveClassifier(lambda0=10.0, ridge=0.01, loss="exponential"),
    ),
    "additive": (table(12_000, 6), L0AdditiveRegressor(lambda0=10.0, ridge=0.01)),
    # Working sets of hundreds of conjunctions.
    "hierarchies": (table(300, 6), HierarchicalRuleRegressor(alpha=0.0005)),
}


@pytest.mark.parametrize("name", CASES)
def test_threads_change_no_bit(name):
    (X, y), model = CASES[name]
    fit = "fit_path" if model.get_params().get("n_alphas", 100) < 10 else "fit"
    documents, predictions = [], []
    for n_jobs in (1, 2, 3, 8):
        getattr(model.set_params(n_jobs=n_jobs), fit)(X, y)
        predictions.append(model.predict(X).tobytes())
        documents.append([model.intercept_, model.certificate_.primal, model.certificate_.dual])
    assert len(set(predictions)) == 1
    assert all(document == documents[0] for document in documents)
