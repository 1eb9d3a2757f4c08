"""Experiment 6 of Safe RuleFit: sets of columns and accuracy with and without groups (Table 7).

usage: python benches/paper/gsrf.py [--quick] [--data NAME ..] [--splits 10] [--jobs 1]

The path is walked to about 100 rules with tau = 0.8, rules alone and in groups. One record goes to
benches/record/. The sets come from the folder THRESHER_DATA (see datasets.py).

References
----------
Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by Meta Safe Screening".
"""

import argparse
import resource
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
import numpy as np
from accuracy import REGRESSION, load
from common import table, write_record
from sklearn.metrics import roc_auc_score

# Distinct sets of columns and test MSE or AUC: SRF, then GSRF, from Table 7.
TABLE7 = {
    "concrete": ((75.0, 0.158), (31.9, 0.167)),
    "abalone": ((64.6, 0.455), (18.3, 0.464)),
    "whitewine": ((93.2, 0.652), (35.1, 0.676)),
    "casp": ((71.8, 0.643), (13.5, 0.699)),
    "contraceptive": ((99.5, 0.735), (67.2, 0.739)),
    "redwine": ((95.1, 0.821), (37.1, 0.820)),
    "pageblocks": ((77.6, 0.984), (20.1, 0.981)),
    "magic": ((78.8, 0.900), (25.7, 0.892)),
}
QUICK = ("concrete", "redwine")
TAU = 0.8


def walk(name, X, y, test, options, **params):
    """(sets of columns, held-out MSE or AUC, rules, CPU seconds, worst gap) at the path's end."""
    from thresher import RuleClassifier, RuleRegressor

    make = RuleRegressor if name in REGRESSION else RuleClassifier
    model = make(
        bins=3, max_features=options.max_features, penalty_growth=0.0, n_alphas=options.alphas,
        alpha_min_ratio=1e-3, max_rules=100, n_jobs=options.jobs, **params,
    )  # fmt: skip
    start = resource.getrusage(resource.RUSAGE_SELF)
    model.fit_path(X[~test], y[~test])
    end = resource.getrusage(resource.RUSAGE_SELF)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    gaps = max(model.path_.relative_gap)
    if name in REGRESSION:
        score = float(np.mean((model.predict(X[test]) - y[test]) ** 2))
    else:
        score = float(roc_auc_score(y[test] > 0, model.decision_function(X[test])))
    return len(model.groups_), score, len(model.rules_), seconds, float(gaps)


def experiment6(options):
    """A third held out at random, M = 3, the last model of the path with at most 100 rules."""
    rows = []
    for name in options.data or (QUICK if options.quick else TABLE7):
        data = load(name)
        if data is None:
            continue
        plain, grouped = [], []
        for k in range(options.splits):
            test = np.zeros(len(data[1]), dtype=bool)
            test[np.random.default_rng(k).permutation(len(test))[: len(test) // 3]] = True
            plain.append(walk(name, *data, test, options))
            grouped.append(walk(name, *data, test, options, group_sparsity=TAU, linear_penalty=TAU))
            print(f"  {name} #{k}: {plain[-1]} {grouped[-1]}", flush=True)
        rows.append(_row(name, np.array(plain), np.array(grouped)))
    header = ["data", "measure"]
    for kind in ("alone", "grouped"):
        header += [f"sets {kind}", "paper", f"error {kind}", "paper", "rules"]
    header += ["CPU s alone", "grouped", "ratio", "worst gap"]
    note = (
        f"Means over {options.splits} random splits (a third held out), M = 3, "
        f"{options.max_features or 'any number of'} conditions a rule at most, tau = linear_penalty = {TAU}, "
        f"{options.alphas} strengths down to 0.001 of the largest, the last model with at most 100 rules; "
        "paths of different length, each to its own end. 'ratio' is grouped over alone. The paper takes each "
        "rule's columns from its tightest box; we show its shortest form."
    )
    return f"{note}\n\n{table(header, rows)}"


def _row(name, plain, grouped):
    row = [name, "MSE" if name in REGRESSION else "AUC"]
    for runs, (sets, score) in zip((plain, grouped), TABLE7[name], strict=True):
        mean = runs.mean(axis=0)
        row += [f"{mean[0]:.1f}", sets, f"{mean[1]:.4f}", score, f"{mean[2]:.0f}"]
    alone, together = plain[:, 3].mean(), grouped[:, 3].mean()
    worst = max(plain[:, 4].max(), grouped[:, 4].max())
    return [*row, f"{alone:.2f}", f"{together:.2f}", f"{together / alone:.1f}", f"{worst:.0e}"]


def main():
    """Runs the experiment and writes its record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", nargs="*", default=None)
    parser.add_argument("--splits", type=int, default=None, help="random splits (10; 2 with --quick)")
    parser.add_argument("--alphas", type=int, default=100, help="strengths on a path (the paper: 1000)")
    parser.add_argument("--max-features", type=int, default=None, help="conditions a rule may have")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-record", action="store_true")
    options = parser.parse_args()
    options.splits = options.splits or (2 if options.quick else 10)
    body = experiment6(options)
    print(f"\n{body}\n", flush=True)
    if not options.no_record:
        suffix = "-quick" if options.quick else ""
        title = "Safe RuleFit, experiment 6: groups of rules (Table 7)"
        print("written:", write_record(f"gsrf{suffix}", title, body).name)


if __name__ == "__main__":
    main()
