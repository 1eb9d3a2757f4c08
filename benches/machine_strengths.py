"""The strength of factorization machines that cross-validation chooses, beside a fixed one.

usage: python benches/machine_strengths.py [--cases 40] [--seed 0] [--record]

Each case draws rows, columns (normal, 0/1 or gamma), interactions, noise and a loss; errors are those of as
many rows held out. The ratio is the error over the least of nine strengths, which nobody knows beforehand.
"""

import argparse
import time
import warnings

import numpy as np
from common import table, write_record
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor

FIXED = {FactorizationMachineRegressor: 0.01, FactorizationMachineClassifier: 0.003}
STRENGTHS = (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3)
COLUMNS = {
    "normal": lambda r, shape: r.normal(size=shape),
    "0/1": lambda r, shape: (r.random(shape) < r.choice([0.05, 0.1, 0.3])).astype(float),
    "gamma": lambda r, shape: r.gamma(1, 1, shape),
}


def draw(seed):
    """A problem: rows to learn from, as many held out, and what it is."""
    r = np.random.default_rng(seed)
    n, d, k = (int(r.choice(sizes)) for sizes in ([200, 500, 2000, 5000], [5, 10, 30], [1, 3, 8]))
    noise, kind = float(r.choice([0.1, 0.5, 1.0, 2.0])), str(r.choice(list(COLUMNS)))
    X = COLUMNS[kind](r, (2 * n, d))
    signal = r.choice([0.0, 0.5]) * (X @ r.normal(size=d))
    for _ in range(k):
        i, j = r.choice(d, 2, replace=False)
        signal += r.choice([-1, 1]) * X[:, i] * X[:, j]
    signal = (signal - signal.mean()) / (signal.std() or 1.0)
    if r.random() < 0.4:
        y = (r.random(2 * n) < 1 / (1 + np.exp(-2 * signal / (1 + noise)))).astype(int)
        return FactorizationMachineClassifier, X, y, f"classes, {n} x {d} {kind}, {k} pairs, noise {noise}"
    y = signal + noise * r.normal(size=2 * n)
    return FactorizationMachineRegressor, X, y, f"numbers, {n} x {d} {kind}, {k} pairs, noise {noise}"


def error(model, X, y):
    """The held-out error."""
    if hasattr(model, "predict_proba"):
        return log_loss(y, model.predict_proba(X)[:, 1])
    return float(np.mean((y - model.predict(X)) ** 2))


def row(seed):
    """One line of the table."""
    estimator, X, y, what = draw(seed)
    n = len(y) // 2

    def fitted(**params):
        began = time.process_time()
        model = estimator(rank=10, n_jobs=1, **params).fit(X[:n], y[:n])
        return model, error(model, X[n:], y[n:]), time.process_time() - began

    chosen, own, seconds = fitted()
    fixed, other, fixed_seconds = fitted(alpha=FIXED[estimator])
    least = min(fitted(alpha=alpha)[1] for alpha in STRENGTHS)
    return [
        what, f"{chosen.alpha_:.1e}", chosen.n_interactions_, f"{own / least:.3f}", fixed.n_interactions_,
        f"{other / least:.3f}", f"{seconds:.2f}", f"{fixed_seconds:.2f}",
    ]  # fmt: skip


def main():
    """Draw the cases and print them, the largest ratios first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = [row(1000 * arguments.seed + k) for k in range(arguments.cases)]
    rows.sort(key=lambda line: -float(line[3]))
    heads = [
        "case",
        "alpha",
        "pairs",
        "error / least",
        "fixed: pairs",
        "error / least",
        "CPU s",
        "fixed: CPU s",
    ]
    text = table(heads, rows)
    print(text)
    if arguments.record:
        write_record("machine-strengths", "Strengths of factorization machines", text)


if __name__ == "__main__":
    main()
