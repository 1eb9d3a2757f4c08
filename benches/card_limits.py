"""How near score cards within limits of columns and steps come to the best ones.

usage: python benches/card_limits.py [--cases 40] [--seed 0] [--record]

Columns: cards of 1 to 3 of 6 or 8 correlated columns, whose objective is compared with that of the best card
of any such set of columns, each fitted by excluding the others. Steps: cards of 1 to 3 steps on columns of
few values, whose squared error is compared with the least over all sets of steps. Copies: cards without a
limit of two columns of which one is a rough copy of the other, compared with those of either column alone.
"""

import argparse
import itertools
import time
import warnings

import numpy as np
from common import table, write_record

from thresher import L0AdditiveClassifier, L0AdditiveRegressor


def correlated(r, n, d):
    """Columns with a common cause, and their sum through steps that saturate."""
    share = r.choice([0.0, 0.5, 0.8])
    X = np.sqrt(1 - share) * r.normal(size=(n, d)) + np.sqrt(share) * r.normal(size=(n, 1))
    return X, np.tanh(2 * X) @ r.normal(size=d)


def of_columns(seed):
    """The excess of a card of few columns, its CPU seconds, and what it is."""
    r = np.random.default_rng(seed)
    n, d, n_columns = int(r.choice([200, 500, 1000])), int(r.choice([6, 8])), int(r.choice([1, 2, 3]))
    X, z = correlated(r, n, d)
    lambda0, is_classes = float(r.choice([0.5, 2.0, 5.0])), r.random() < 0.5
    if is_classes:
        y = z + 0.5 * r.logistic(size=n) > 0
        card = L0AdditiveClassifier(lambda0=lambda0, loss=str(r.choice(["logistic", "exponential"])))
    else:
        y = z + 0.7 * r.normal(size=n)
        card = L0AdditiveRegressor(lambda0=lambda0)
    began = time.process_time()
    objective = card.set_params(max_columns=n_columns).fit(X, y).objective_
    seconds, best = time.process_time() - began, np.inf
    for others in itertools.combinations(range(d), d - n_columns):
        best = min(best, card.set_params(exclude=list(others), max_columns=None).fit(X, y).objective_)
    return objective / best - 1, seconds, f"{n} x {d}, {n_columns} columns, {card.loss}, lambda0 {lambda0:g}"


def of_steps(seed):
    """The same of a card of few steps."""
    r = np.random.default_rng(seed)
    n, d, n_steps = 300, 6, int(r.choice([1, 2, 3]))
    X, z = correlated(r, n, d)
    y = z + 0.7 * r.normal(size=n)
    X = np.floor((X - X.min(axis=0)) / (np.ptp(X, axis=0) + 1e-9) * 5)
    began = time.process_time()
    card = L0AdditiveRegressor(max_steps=n_steps, lambda0=1e-6, ridge=0.0, bins=None).fit(X, y)
    seconds = time.process_time() - began
    error = np.sum((y - card.predict(X)) ** 2)
    steps = np.array([X[:, j] <= cut for j in range(d) for cut in np.unique(X[:, j])[:-1]], dtype=float).T
    steps -= steps.mean(axis=0)
    target = y - y.mean()
    gram, products, best = steps.T @ steps, steps.T @ target, np.inf
    for chosen in map(list, itertools.combinations(range(steps.shape[1]), n_steps)):
        coefficients = np.linalg.lstsq(gram[np.ix_(chosen, chosen)], products[chosen], rcond=None)[0]
        best = min(best, target @ target - coefficients @ products[chosen])
    return error / best - 1, seconds, f"{n} x {d}, {n_steps} steps"


def of_copies(seed):
    """The same of a card without a limit."""
    r = np.random.default_rng(seed)
    z, lambda0 = r.normal(size=500), float(r.choice([2, 10, 40]))
    bands = np.digitize(z, np.sort(r.normal(size=4)))
    X = np.column_stack([(z + 0.2 * r.normal(size=500)).round(1), bands, r.normal(size=500).round(1)])
    y = r.random(500) < 1 / (1 + np.exp(-r.choice([1, 2, 4]) * (bands - 2 + 0.5 * (X[:, 2] > 0))))
    began = time.process_time()
    card = L0AdditiveClassifier(lambda0=lambda0).fit(X, y)
    seconds = time.process_time() - began
    sets = [[0], [1], [2], [0, 1], [0, 2], [1, 2]]
    best = min(L0AdditiveClassifier(lambda0=lambda0, exclude=own).fit(X, y).objective_ for own in sets)
    return card.objective_ / min(best, card.objective_) - 1, seconds, f"copies, lambda0 {lambda0:g}"


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, worst = [], []
    for name, measure in (("columns", of_columns), ("steps", of_steps), ("none, copies", of_copies)):
        found = [measure(args.seed + k) for k in range(args.cases)]
        excess = np.array([one for one, *_ in found])
        seconds = sum(one for _, one, _ in found)
        share = f"{np.mean(excess < 1e-4):.0%}"
        rows.append(
            (name, args.cases, share, f"{excess.mean():.2%}", f"{excess.max():.1%}", f"{seconds:.1f}")
        )
        worst += [(what, f"{one:.2%}") for one, _, what in sorted(found, reverse=True)[:5]]
    body = table(("limit of", "cards", "the best", "mean excess", "most", "CPU s of the cards"), rows)
    body += f"\n\nThe best: within 0.01 %. The five worst of each:\n\n{table(('card', 'excess'), worst)}"
    print(body)
    if args.record:
        print(write_record("card-limits", "Score cards within limits, beside the best ones", body))


if __name__ == "__main__":
    main()
