"""How far one rule search would go on many machines, from the sizes of the subtrees of real fits.

usage: python benches/many_machines.py [--record]

No fit runs on several machines here. A search is split where its tree begins: a subtree for each column, of
the rules whose first condition is on it, or one for each pair of columns. Their sizes are measured with what
a fit tells. With the residual of a fitted model as the target, and its alpha, the best model is empty, and
proving that takes the search that certified the fit. The nodes of that proof with columns j, j + 1, .. minus
those with j + 1, .. are the subtree of column j; the same beside a first column gives those of its pairs.

The makespan is that of handing out subtrees, the largest first, to workers that are free. Each search begins
with sending the residuals to every worker: 8 bytes for a row.
"""

import argparse
import heapq
import time
import warnings

import numpy as np
from common import table, write_record
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from thresher import RuleRegressor

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_COLUMNS = 10  # a fit for each pair takes long
# Data, conditions of a rule, alpha as a fraction of the largest that has a rule.
CASES = [
    ("breast cancer", load_breast_cancer, 3, 0.1),
    ("digits, 0 to 4", load_digits, 2, 0.1),
    ("diabetes", load_diabetes, 3, 0.1),
    ("diabetes", load_diabetes, 4, 0.1),
]


def data_of(load):
    """Columns that vary, and a target of mean 0 and deviation 1."""
    X, y = load(return_X_y=True)
    y = np.asarray(y >= 5 if load is load_digits else y, dtype=float)
    X = np.asarray(X)
    return X[:, np.ptp(X, axis=0) > 0], (y - y.mean()) / y.std()


def search(X, residual, alpha, depth):
    """The nodes and seconds of proving that no rule has a larger correlation with the residual than alpha."""
    model = RuleRegressor(alpha=alpha, max_features=depth, linear=False, bins=10, n_jobs=1)
    began = time.process_time()
    model.fit(X, residual)
    assert not model.rules_
    certificate = model.certificate_
    return certificate.nodes / certificate.searches, (time.process_time() - began) / certificate.searches


def subtrees(X, residual, alpha, depth):
    """The nodes of the subtree of each column."""
    suffixes = [search(X[:, j:], residual, alpha, depth)[0] for j in range(X.shape[1])]
    return -np.diff([*suffixes, 0.0])


def pairs(X, residual, alpha, depth):
    """The nodes of the subtree of each pair of columns, and of the rules of one condition on each column."""
    count = X.shape[1]
    without = [search(X[:, k:], residual, alpha, depth)[0] for k in range(count)] + [0.0]
    sizes = []
    for j in range(count):
        beside = [
            search(X[:, [j, *range(k, count)]], residual, alpha, depth)[0] for k in range(j + 1, count + 1)
        ]
        own = np.array(beside) - without[j + 1 :]
        sizes += [*-np.diff(own), own[-1]]
    return np.array(sizes)


def makespan(sizes, workers):
    """The time until the last worker is done, in nodes."""
    free = [0.0] * workers
    for size in sorted(sizes, reverse=True):
        heapq.heappush(free, heapq.heappop(free) + size)
    return max(free)


def measured(load, depth, fraction):
    """The sizes of the subtrees of a real fit, and what it took."""
    X, y = data_of(load)
    options = {"max_features": depth, "linear": False, "bins": 10, "n_jobs": 1}
    largest = RuleRegressor(alpha="bic", n_alphas=2, **options).fit(X, y).path_.alphas[0]
    model = RuleRegressor(alpha=fraction * largest, **options).fit(X, y)
    residual = y - model.predict(X)
    alpha = fraction * largest * (1 + 1e-4)  # rounding of the fit must not leave a rule
    nodes, seconds = search(X, residual, alpha, depth)
    splits = [subtrees(X, residual, alpha, depth)]
    if X.shape[1] <= MOST_COLUMNS:
        splits.append(pairs(X, residual, alpha, depth))
    return X, model, splits, nodes, seconds


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    facts, speedups = [], []
    for name, load, depth, fraction in CASES:
        X, model, splits, nodes, seconds = measured(load, depth, fraction)
        case, (n, d) = f"{name}, {depth} conditions", X.shape
        largest = [f"{sizes.max() / sizes.sum():.1%}" for sizes in splits]
        largest += ["-"] * (2 - len(largest))
        certificate = model.certificate_
        counts = (f"{n:,} x {d}", len(model.rules_), certificate.searches, f"{nodes:,.0f}")
        facts.append((case, *counts, f"{1000 * seconds:.0f}", *largest, f"{8 * n / 1000:.1f}"))
        for noun, sizes in zip(("columns", "pairs"), splits, strict=False):
            gains = (f"{sizes.sum() / makespan(sizes, w):.1f}" for w in WORKERS)
            speedups.append((case, noun, *gains))
        print(facts[-1], *[speedups[-1]], sep="\n", flush=True)
    head = ("fit", "table", "rules", "searches", "nodes", "CPU ms", "largest column", "largest pair", "kB")
    body = (
        f"{table(head, facts)}\n\nNodes and CPU: the mean of the searches of the proof for the residual that "
        "certified the fit. kB: the residuals for one worker and one search. Speed-up of this search by "
        "workers, if messages took no time:\n\n"
    )
    body += table(("fit", "split by", *map(str, WORKERS)), speedups)
    print(body)
    if args.record:
        print(write_record("many-machines", "One search on many machines, simulated", body))


if __name__ == "__main__":
    main()
