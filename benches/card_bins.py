"""The number of bins that the folds choose for score cards, beside cards of 20, 100 and 1,000 bins.

usage: python benches/card_bins.py [--cases 30] [--seed 0] [--record]

Each case draws rows (150 to 6,000), columns (3 to 30), their correlation, noise, a task, and a truth: steps
at random places, smooth effects, or both, of two to eight columns. Errors are those of 6,000 other rows
without noise: 0 is the truth, 1 the constant.
"""

import argparse
import time
import warnings

import numpy as np
from common import table, write_record
from sklearn.metrics import log_loss

from thresher import L0AdditiveClassifier, L0AdditiveRegressor

N_TEST = 6000
CHOICES = ("auto", 20, 100, 1000)


def effect(rng, x, is_step):
    """The effect of one column."""
    if is_step:
        return sum(rng.normal() * (x > rng.normal()) for _ in range(rng.integers(1, 4)))
    return rng.normal() * [np.sin(2 * x), x, x**2 / 2][rng.integers(3)]


def draw(seed):
    """Rows, the number to learn from, the estimator, the error of a prediction as a function, the case."""
    rng = np.random.default_rng(9000 + seed)
    kind = str(rng.choice(["steps", "smooth", "both"]))
    n, d = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in ((150, 6000), (3, 30)))
    correlation, signal = float(rng.choice([0, 0.5])), float(np.exp(rng.uniform(*np.log((0.3, 30)))))
    is_class, n_used = bool(rng.random() < 0.5), min(d, int(rng.integers(2, 9)))
    X = np.sqrt(1 - correlation) * rng.normal(size=(n + N_TEST, d))
    X += np.sqrt(correlation) * rng.normal(size=(len(X), 1))
    f = sum(effect(rng, X[:, j], kind == "steps" or (kind == "both" and j % 2)) for j in range(n_used))
    f = np.sqrt(signal) * (f - f.mean()) / f.std()
    what = f"{kind}, {n} x {d}, {n_used} with an effect, signal {signal:.1f}, correlation {correlation}"
    if not is_class:
        y, truth = f + rng.normal(size=len(f)), f[n:]
        null = np.var(truth)
        return X, y, n, L0AdditiveRegressor(), lambda p: np.mean((p - truth) ** 2) / null, f"squared, {what}"
    p = 1 / (1 + np.exp(-f))
    y = (rng.random(len(f)) < p).astype(int)
    best = log_loss(y[n:], p[n:])
    null = log_loss(y[n:], np.full(N_TEST, y[:n].mean())) - best
    return X, y, n, L0AdditiveClassifier(), lambda q: (log_loss(y[n:], q) - best) / null, f"logistic, {what}"


def row(seed):
    """One line of the table; None where a class has few rows."""
    X, y, n, model, error, what = draw(seed)
    is_class = hasattr(model, "predict_proba")
    if is_class and np.bincount(y[:n], minlength=2).min() < 15:
        return None
    cells = [what]
    for bins in CHOICES:
        began = time.process_time()
        model.set_params(bins=bins, n_jobs=1).fit(X[:n], y[:n])
        seconds = time.process_time() - began
        if bins == "auto":
            cells.append(model.bins_)
        found = model.predict_proba(X[n:])[:, 1] if is_class else model.predict(X[n:])
        cells += [round(float(error(found)), 4), round(seconds, 2)]
    return cells


def main():
    """Prints or records the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [row(given.seed + case) for case in range(given.cases)]
    rows = [one for one in found if one is not None]
    errors, seconds = (np.array([one[start::2] for one in rows], dtype=float) for start in (2, 3))
    header = ["case", "bins", *(f"{name}: {what}" for name in CHOICES for what in ("error", "CPU s"))]
    means = " ".join(f"{value:.4f}" for value in errors.mean(axis=0))
    sums = " ".join(f"{value:.1f}" for value in seconds.sum(axis=0))
    names = ", ".join(map(str, CHOICES))
    text = f"{table(header, rows)}\n\nMean errors of {names}: {means}. CPU seconds together: {sums}."
    print(text)
    if given.record:
        write_record("card-bins", "The number of bins of score cards", text)


if __name__ == "__main__":
    main()
