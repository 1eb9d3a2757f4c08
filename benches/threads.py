"""Wall seconds of fits by number of threads, and whether the models are the same bits.

usage: python benches/threads.py [THREADS ...]
"""

import sys
import time
import warnings

import numpy as np

import thresher

RNG = np.random.default_rng(0)


def table(rows, columns, classes=False):
    """Normal columns, and a response of steps, a product and noise."""
    X = RNG.normal(size=(rows, columns))
    signal = (X[:, 0] > 0) + X[:, 1] * (X[:, 2] > 0.5) + 0.5 * X[:, 3]
    y = signal + RNG.normal(size=rows)
    return X, (y > np.median(y)).astype(int) if classes else y


def items(rows, symbols, density):
    """A 0/1 matrix, and a response of pairs."""
    X = (RNG.random((rows, symbols)) < density).astype(np.uint8)
    return X, X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3] * 1.0 + RNG.normal(size=rows)


def sequences(rows, events, symbols):
    """Uniform events, and a response of one of them."""
    X = RNG.integers(0, symbols, (rows, events)).tolist()
    return X, np.array([0.3 * record.count(0) for record in X]) + RNG.normal(size=rows)


CASES = {
    "rules, 100,000 x 20, pairs, path": (
        lambda: table(100_000, 20),
        thresher.RuleRegressor(max_features=2, n_alphas=10, alpha_min_ratio=0.05),
        "fit_path",
    ),
    "rules, 5,000 x 20, pairs, cross-validation": (
        lambda: table(5_000, 20),
        thresher.RuleRegressor(max_features=2),
        "fit",
    ),
    "rules, 10,000 x 20, pairs, classes, path": (
        lambda: table(10_000, 20, True),
        thresher.RuleClassifier(max_features=2, n_alphas=10, alpha_min_ratio=0.05),
        "fit_path",
    ),
    "score card, 200,000 x 20, one penalty": (
        lambda: table(200_000, 20, True),
        thresher.L0AdditiveClassifier(lambda0=50.0),
        "fit",
    ),
    "score card, 2,000 x 20, cross-validation": (
        lambda: table(2_000, 20, True),
        thresher.L0AdditiveClassifier(),
        "fit",
    ),
    "best subsets, 5,000 x 100, cross-validation": (
        lambda: table(5_000, 100, True),
        thresher.L0Classifier(),
        "fit",
    ),
    "item-sets, 2,000 x 100 at .3, three items": (
        lambda: items(2_000, 100, 0.3),
        thresher.ItemsetRegressor(max_items=3, n_alphas=20),
        "fit_path",
    ),
    "sequences, 5,000 x 30 of 50, length 3": (
        lambda: sequences(5_000, 30, 50),
        thresher.SequenceRegressor(max_length=3, n_alphas=10),
        "fit_path",
    ),
    "hierarchies, 300 x 6, default": (
        lambda: table(300, 6),
        thresher.HierarchicalRuleRegressor(),
        "fit",
    ),
    "factorization machine, 50,000 x 50": (
        lambda: table(1_000, 50),
        thresher.FactorizationMachineRegressor(max_iter=20),
        "fit",
    ),
}


def main():
    """Print a row for each case."""
    counts = [int(count) for count in sys.argv[1:]] or [1, 2]
    warnings.simplefilter("ignore")
    print("| case | " + " | ".join(f"{count}" for count in counts) + " | same |", flush=True)
    for name, (make, estimator, method) in CASES.items():
        X, y = make()
        seconds, models = [], []
        for count in counts:
            model = estimator.set_params(n_jobs=count)
            begin = time.perf_counter()
            getattr(model, method)(X, y)
            seconds.append(time.perf_counter() - begin)
            models.append(model.predict(X).tobytes())
        ratios = [
            f"{one:.2f}" if one == seconds[0] else f"{one:.2f} ({seconds[0] / one:.1f}x)" for one in seconds
        ]
        print(f"| {name} | " + " | ".join(ratios) + f" | {len(set(models)) == 1} |", flush=True)


if __name__ == "__main__":
    main()
