"""Factorization machines with a rank and ridges by cross-validation, beside ones with a given number.

usage: python benches/machine_choices.py [--given rank=30] [--cases 20] [--seed 0] [--record NAME]

Half of the cases are those of `machine_strengths.py`, products of pairs of columns; the other half are
ratings or clicks of users and items by a few tastes, some with columns of numbers beside. Errors are those of
as many rows held out. `--given l2_factors=0.0001` compares the choice of the ridge of the factors.
"""

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from common import table, write_record
from machine_strengths import draw as draw_pairs
from machine_strengths import error
from sklearn.exceptions import ConvergenceWarning

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor


def draw_ratings(seed):
    """Rows to learn from and as many held out, by users and items."""
    r = np.random.default_rng(1000 + seed)
    sizes = ([1000, 3000, 8000], [30, 100, 300], [20, 60, 150], [1, 2, 3, 5, 8])
    n, n_users, n_items, n_tastes = (int(r.choice(s)) for s in sizes)
    noise = float(r.choice([0.3, 1.0, 2.0]))
    some_are_active = r.random() >= 0.5
    users = (n_users * r.random(2 * n) ** (2 if some_are_active else 1)).astype(int)
    items = r.integers(0, n_items, 2 * n)
    tastes, traits = r.normal(size=(n_users, n_tastes)), r.normal(size=(n_items, n_tastes))
    signal = (tastes[users] * traits[items]).sum(axis=1) / n_tastes**0.5
    signal += r.choice([0.0, 0.7]) * (r.normal(size=n_users)[users] + r.normal(size=n_items)[items])
    numbers = r.normal(size=(2 * n, int(r.choice([0, 0, 3]))))
    signal += 0.5 * numbers[:, :1].sum(axis=1)
    frame = pd.DataFrame({"user": users, "item": items}).astype(str)
    frame[[f"x{k}" for k in range(numbers.shape[1])]] = numbers
    shape = f"{n} of {n_users} x {n_items}, {n_tastes} tastes, noise {noise}"
    if r.random() < 0.35:
        clicked = r.random(2 * n) < 1 / (1 + np.exp(-2 * signal / (0.3 + noise)))
        return FactorizationMachineClassifier, frame, clicked.astype(int), f"clicks, {shape}"
    return FactorizationMachineRegressor, frame, signal + noise * r.normal(size=2 * n), f"stars, {shape}"


def row(draw, seed, given):
    """One line of the table, and the ratio of the errors with both times."""
    estimator, X, y, what = draw(seed)
    n = len(y) // 2

    def fitted(**params):
        began = time.process_time()
        model = estimator(n_jobs=1, **params).fit(X[:n], y[:n])
        return model, error(model, X[n:], y[n:]), time.process_time() - began

    (chosen, own, seconds), (other, error_of_other, other_seconds) = fitted(), fitted(**given)
    ratio = own / error_of_other
    ranks = [str(chosen.rank_), f"{chosen.l2_factors_:.0e}", str(other.rank_)]
    cells = [what, *ranks, f"{ratio:.3f}", f"{seconds:.2f}", f"{other_seconds:.2f}"]
    return [*cells, chosen.n_interactions_, other.n_interactions_], (ratio, seconds, other_seconds)


def main():
    """Draw the cases and print them, the largest ratios first, with their means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--given", default="rank=30", metavar="PARAMETER=NUMBER")
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", metavar="NAME")
    arguments = parser.parse_args()
    name, _, value = arguments.given.partition("=")
    given = {name: int(value) if value.isdigit() else float(value)}
    warnings.simplefilter("ignore", ConvergenceWarning)
    text = ""
    heads = [
        "case",
        "rank",
        "ridge",
        "given: rank",
        "error / given",
        "CPU s",
        "given: CPU s",
        "pairs",
        "given: pairs",
    ]
    for title, draw in (("Pairs of columns", draw_pairs), ("Users and items", draw_ratings)):
        seeds = range(1000 * arguments.seed, 1000 * arguments.seed + arguments.cases)
        lines, sums = zip(*(row(draw, seed, given) for seed in seeds), strict=True)
        ratio, seconds, other_seconds = np.exp(np.log(sums).mean(axis=0))[0], *np.sum(sums, axis=0)[1:]
        means = f"Mean ratio of the errors {ratio:.3f}; CPU s {seconds:.0f}, given {other_seconds:.0f}"
        lines = sorted(lines, key=lambda line: -float(line[4]))
        text += f"## {title}\n\n{means}\n\n{table(heads, lines)}\n\n"
    print(text)
    if arguments.record:
        write_record(arguments.record, f"Factorization machines beside {arguments.given}", text.rstrip())


if __name__ == "__main__":
    main()
