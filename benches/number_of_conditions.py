"""The number of conditions that the folds choose for rules, beside fits of one, two and three conditions.

usage: python benches/number_of_conditions.py [--cases 30] [--seed 0] [--record]

Each case draws rows (150 to 3,000), columns (4 to 40), their correlation, noise, a task, and a truth: steps
of single columns, smooth effects and products, or five boxes of two, three or four columns. Errors are those
of 6,000 other rows without noise: 0 is the truth, 1 the constant.
"""

import argparse
import time
import warnings

import numpy as np
from common import table, write_record
from sklearn.metrics import log_loss

from thresher import RuleClassifier, RuleRegressor

N_TEST = 6000
BOXES = {"boxes of two": 2, "boxes of three": 3, "boxes of four": 4}
TRUTHS = ["steps", "smooth", *BOXES]


def effects(kind, X, r):
    """The truth of each row, of at most ten columns."""
    d = X.shape[1]
    k = min(d, 10)
    if kind == "steps":
        return sum(r[j] * (X[:, j] > r[20 + j] / 2) for j in range(k))
    if kind == "smooth":
        return 1.5 * np.sin(X[:, 0] * X[:, 1]) + 0.5 * X[:, 2] ** 2 + X[:, 3] + 0.5 * X[:, 4 % d]
    length, f = BOXES[kind], np.zeros(len(X))
    for box in range(5):
        columns = (np.abs(r[40 + box * length :][:length]) * k).astype(int) % k
        lower = -0.5 + 0.25 * r[60 + (box * length + np.arange(length)) % 20]
        f += 2 * np.sign(r[box]) * np.all(X[:, columns] > lower, axis=1)
    return f


def draw(seed):
    """Rows to learn from and to test, the errors of a prediction as a function, and what the case is."""
    rng = np.random.default_rng(7000 + seed)
    kind = str(rng.choice(TRUTHS))
    n, d = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in ((150, 3000), (4, 40)))
    correlation, signal = float(rng.choice([0, 0.5])), float(np.exp(rng.uniform(*np.log((0.5, 8)))))
    is_class, r = bool(rng.random() < 0.5), rng.normal(size=100)
    X = np.sqrt(1 - correlation) * rng.normal(size=(n + N_TEST, d))
    X += np.sqrt(correlation) * rng.normal(size=(len(X), 1))
    f = effects(kind, X, r)
    f = np.sqrt(signal) * (f - f.mean()) / (f.std() + 1e-9)
    what = f"{kind}, {n} x {d}, signal {signal:.1f}, correlation {correlation}"
    if not is_class:
        y, truth = f + rng.normal(size=len(f)), f[n:]
        null = np.var(truth)
        return X, y, n, RuleRegressor(), lambda p: np.mean((p - truth) ** 2) / null, f"squared, {what}"
    p = 1 / (1 + np.exp(-1.2 * f))
    y = (rng.random(len(f)) < p).astype(int)
    best = log_loss(y[n:], p[n:])
    null = log_loss(y[n:], np.full(N_TEST, y[:n].mean())) - best
    return X, y, n, RuleClassifier(), lambda q: (log_loss(y[n:], q) - best) / null, f"logistic, {what}"


def row(seed, cap):
    """One line of the table; None above the cap, or where a class has few rows."""
    X, y, n, model, error, what = draw(seed)
    if hasattr(model, "predict_proba") and np.bincount(y[:n], minlength=2).min() < 15:
        return None
    cells = []
    for max_features in ("auto", 1, 2, 3):
        model.set_params(max_features=max_features, n_jobs=1, time_limit=cap)
        began = time.process_time()
        model.fit(X[:n], y[:n])
        seconds = time.process_time() - began
        if not model.certificate_.complete:
            return None
        if max_features == "auto":
            cells.append(model.max_features_)
        is_class = hasattr(model, "predict_proba")
        found = model.predict_proba(X[n:])[:, 1] if is_class else model.predict(X[n:])
        cells += [round(float(error(found)), 4), round(seconds, 2)]
    return [what, *cells]


def main():
    """Prints or records the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=float, default=90)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [row(given.seed + case, given.cap) for case in range(given.cases)]
    rows = [one for one in found if one is not None]
    errors, seconds = (np.array([one[start::2] for one in rows], dtype=float) for start in (2, 3))
    header = [
        "case",
        "chosen",
        *(f"{name}: {what}" for name in ("auto", 1, 2, 3) for what in ("error", "CPU s")),
    ]
    means = " ".join(f"{value:.4f}" for value in errors.mean(axis=0))
    sums = " ".join(f"{value:.1f}" for value in seconds.sum(axis=0))
    text = f"{table(header, rows)}\n\nMean errors of auto, 1, 2 and 3: {means}. CPU seconds together: {sums}."
    print(text)
    if given.record:
        write_record("number-of-conditions", "The number of conditions", text)


if __name__ == "__main__":
    main()
