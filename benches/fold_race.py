"""The strength that the race of the folds chooses for rules, beside that of all strengths in all folds.

usage: python benches/fold_race.py [--cases 30] [--seed 0] [--record]

Each case draws rows (200 to 10,000), columns (5 to 60, numbers and categories), rules, noise, a loss and
weights. The comparison in full fits the path of each fold down to half of the best strength. Errors
are those of 4,000 other rows. Cases of more than `--cap` seconds are left out.
"""

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from common import table, write_record
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from thresher import RuleClassifier, RuleRegressor

N_TEST = 4000


def draw(seed):
    """A problem: rows to learn from and to test, an unfitted estimator, and what it is."""
    r = np.random.default_rng(1000 + seed)
    n, d = (int(np.exp(r.uniform(*np.log(ends)))) for ends in ((200, 10000), (5, 60)))
    total = n + N_TEST
    n_nominal, levels, correlation = (
        int(r.choice([0, 0, d // 4, d // 2])),
        r.choice([0, 5, 20, 100]),
        r.choice([0, 0.5, 0.9]),
    )
    numbers = np.sqrt(1 - correlation) * r.normal(size=(total, d - n_nominal)) + np.sqrt(
        correlation
    ) * r.normal(size=(total, 1))
    if levels:
        numbers = np.round(numbers * levels / 6)
    X = pd.DataFrame(numbers, columns=[f"n{j}" for j in range(d - n_nominal)])
    for j in range(n_nominal):
        X[f"c{j}"] = r.integers(0, r.integers(2, 25), total).astype(str)
    signal, f = float(r.choice([0, 0.3, 1, 3])), np.zeros(total)
    for _ in range(int(r.integers(1, 8))):
        holds = np.ones(total, bool)
        for column in r.choice(list(X), min(d, int(r.integers(1, 4))), replace=False):
            x = X[column]
            if column[0] == "c":
                holds &= x.isin(r.choice(x.unique(), max(1, x.nunique() // 3), replace=False)).to_numpy()
            else:
                holds &= (x > np.quantile(x, r.uniform(0.2, 0.7))).to_numpy()
        f += r.normal() * holds
    for column in [c for c in list(X)[:2] if c[0] == "n"]:
        f += 0.3 * r.normal() * X[column].to_numpy() / X[column].std()
    f = signal * (f - f.mean()) / (f.std() + 1e-12)
    loss = str(r.choice(["squared", "squared", "huber", "logistic", "logistic"]))
    weights = r.uniform(0.2, 2, total) if r.random() < 0.3 else np.ones(total)
    params = {}
    if r.random() < 0.5:
        params["max_features"] = 2
    if r.random() < 0.2:
        params["max_features"] = 1
    if r.random() < 0.3:
        params["linear"] = False
    if loss == "logistic":
        y = (r.random(total) < 1 / (1 + np.exp(-f))).astype(int)
        model = RuleClassifier(**params)
    else:
        y = f + r.normal(size=total)
        model = RuleRegressor(loss=loss, **params)
    model.set_params(n_jobs=1, handle_unknown="missing")
    said = ", ".join(f"{name} {value}" for name, value in params.items())
    return X, y, weights, model, f"{loss}, {n} x {d}, signal {signal:g}" + (f", {said}" if said else "")


def losses(model, X, y):
    """The loss of each row."""
    if hasattr(model, "classes_"):
        p = np.clip(model.predict_proba(X)[:, 1], 1e-12, 1 - 1e-12)
        return -np.log(np.where(y == 1, p, 1 - p))
    error = abs(y - model.predict(X))
    return (
        error**2 / 2
        if model.loss == "squared"
        else np.where(error < 1.35, error**2 / 2, 1.35 * error - 1.35**2 / 2)
    )


def error(model, X, y, weights):
    """The test error."""
    if hasattr(model, "classes_"):
        return log_loss(y, model.predict_proba(X), sample_weight=weights)
    return np.average((y - model.predict(X)) ** 2, weights=weights)


def in_full(model, X, y, weights, grid, stop):
    """The mean loss of five folds at each strength of the grid, down to half of the best."""
    kind = StratifiedKFold if hasattr(model, "classes_") else KFold
    folds = list(kind(5, shuffle=True, random_state=0).split(X, y))
    while True:
        alphas = grid[grid >= 0.5 * stop]

        def of_fold(train, test, alphas=alphas):
            path = type(model)(**model.get_params()).fit_path(
                X.iloc[train], y[train], alphas=alphas, sample_weight=weights[train]
            )
            each = [losses(path.path_.at(alpha), X.iloc[test], y[test]) for alpha in alphas]
            return [np.average(own, weights=weights[test]) for own in each]

        mean = np.average(
            [of_fold(*fold) for fold in folds], axis=0, weights=[weights[test].sum() for _, test in folds]
        )
        best = grid[np.argmin(mean)]
        if best >= stop * (1 - 1e-9) or len(alphas) == len(grid):
            return best, mean
        stop = best


def row(seed, cap):
    """One line of the table; None above the cap."""
    X, y, weights, model, what = draw(seed)
    n = len(y) - N_TEST
    began = time.process_time()
    model.set_params(time_limit=cap).fit(X[:n], y[:n], sample_weight=weights[:n])
    seconds = time.process_time() - began
    if not model.certificate_.complete:
        return None
    model.set_params(time_limit=None)
    path = model.path_
    grid = path.alphas[0] * model.alpha_min_ratio ** (np.arange(model.n_alphas) / (model.n_alphas - 1))
    began = time.process_time()
    best, mean = in_full(model, X[:n], y[:n], weights[:n], grid, model.alpha_)
    full_seconds = time.process_time() - began
    other = type(model)(**{**model.get_params(), "alpha": best}).fit(X[:n], y[:n], sample_weight=weights[:n])
    own = error(model, X[n:], y[n:], weights[n:])
    place = int(np.argmin(abs(grid - model.alpha_)))
    return [
        what, place, int(np.argmin(mean)), f"{mean[place] / mean.min() - 1:.1e}",
        f"{own / error(other, X[n:], y[n:], weights[n:]):.4f}", f"{seconds:.2f}", f"{full_seconds:.2f}",
    ]  # fmt: skip


def main():
    """Draw the cases and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cap", type=float, default=60)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [row(1000 * arguments.seed + k, arguments.cap) for k in range(arguments.cases)]
    heads = [
        "case",
        "strength",
        "in full",
        "excess loss of the folds",
        "test error / in full",
        "CPU s",
        "in full",
    ]
    text = table(heads, [line for line in rows if line])
    print(text)
    if arguments.record:
        write_record("fold-race", "The race of folds", text)


if __name__ == "__main__":
    main()
