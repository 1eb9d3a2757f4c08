"""Tables 1 and 2 of the paper on hierarchical kernel learning for rule ensembles.

usage: python benches/paper/hkl.py [DATA ...] [--rho 2 1.5 1.1] [--splits 5] [--scoring error] [--jobs 1]
                                   [--bins uniform] [--tol 0.1] [--max-hull 300]
                                   [--peers PYTHON]

For each data set and rho: five random splits with 10 % of the rows to learn from (MONK-3 has its
own split), C by 3-fold cross-validation in 1e-3 ... 1e3; the mean of F1 over both classes (the
paper's F1 is that mean: its scores and error rates fit no other), the error, the number of
rules and their mean length. --peers runs RuleFit and boosted rules (the nearest to SLIPPER) of
imodels on the same splits, with the interpreter of the environment that has it.

References
----------
Jawanpuria, Nath, Ramakrishnan, "Efficient Rule Ensemble Learning using Hierarchical Kernels", ICML
2011.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import datasets
from common import run_json, table, write_record

SETS = {
    "tic-tac-toe": "tictactoe_gen",
    "balance": "balance",
    "haberman": "haberman",
    "car": "car",
    "blood": "blood",
    "cmc": "cmc2",
    "monk-3": "monks3",
    "vote": "vote",
    "breast-c": "breast",
    "mam. mass": "mammographic",
}
# F1, its standard deviation, rules, mean length; then error in percent and its deviation.
PAPER = {
    ("tic-tac-toe", 2.0): (0.889, 0.029, 129, 1.85, 10.49, 2.63),
    ("tic-tac-toe", 1.5): (0.904, 0.039, 111, 1.83, 8.65, 3.50),
    ("tic-tac-toe", 1.1): (0.935, 0.043, 79, 1.77, 5.89, 3.87),
    ("balance", 2.0): (0.893, 0.027, 65, 1.65, 10.66, 2.63),
    ("balance", 1.5): (0.899, 0.022, 64, 1.62, 10.12, 2.24),
    ("balance", 1.1): (0.899, 0.023, 28, 1.23, 10.12, 2.30),
    ("haberman", 2.0): (0.594, 0.056, 32, 1.27, 32.07, 5.94),
    ("haberman", 1.5): (0.594, 0.056, 18, 1.24, 32.15, 6.09),
    ("haberman", 1.1): (0.594, 0.056, 12, 1.20, 31.13, 6.81),
    ("car", 2.0): (0.943, 0.024, 87, 1.78, 4.26, 1.82),
    ("car", 1.5): (0.937, 0.033, 80, 1.77, 4.70, 2.50),
    ("car", 1.1): (0.935, 0.036, 50, 1.68, 4.88, 2.73),
    ("blood", 2.0): (0.594, 0.009, 242, 1.64, 23.77, 0.0),
    ("blood", 1.5): (0.593, 0.011, 58, 1.76, 23.77, 0.0),
    ("blood", 1.1): (0.593, 0.011, 7, 1.40, 23.77, 0.0),
    ("cmc", 2.0): (0.656, 0.014, 217, 1.96, 34.37, 1.44),
    ("cmc", 1.5): (0.652, 0.023, 74, 1.77, 34.72, 2.25),
    ("cmc", 1.1): (0.659, 0.008, 43, 1.70, 34.09, 0.77),
    ("monk-3", 2.0): (0.972, 0.0, 18, 1.0, 2.78, 0.0),
    ("monk-3", 1.5): (0.972, 0.0, 7, 1.0, 2.78, 0.0),
    ("monk-3", 1.1): (0.972, 0.0, 2, 1.0, 2.78, 0.0),
    ("vote", 2.0): (0.969, 0.003, 39, 1.25, 3.06, 0.26),
    ("vote", 1.5): (0.969, 0.003, 8, 1.16, 3.06, 0.26),
    ("vote", 1.1): (0.969, 0.003, 3, 1.0, 3.06, 0.26),
    ("breast-c", 2.0): (0.529, 0.048, 27, 1.15, 42.89, 15.72),
    ("breast-c", 1.5): (0.529, 0.048, 18, 1.16, 42.89, 15.72),
    ("breast-c", 1.1): (0.515, 0.049, 14, 1.0, 42.89, 15.72),
    ("mam. mass", 2.0): (0.815, 0.007, 17, 1.49, 18.18, 0.62),
    ("mam. mass", 1.5): (0.815, 0.007, 12, 1.53, 18.18, 0.62),
    ("mam. mass", 1.1): (0.815, 0.007, 5, 1.18, 18.18, 0.62),
}
PAPER_PEERS = {
    "RuleFit": (0.652, 0.835, 0.512, 0.913, 0.549, 0.632, 0.330, 0.940, 0.550, 0.834),
    "boosted": (0.747, 0.856, 0.565, 0.895, 0.559, 0.601, 0.910, 0.970, 0.550, 0.827),
}


def load(name):
    """(X, y) of a set; text columns are categories, and so are all of MONK-3."""
    module = datasets._paper_data()
    if name == "tic-tac-toe":
        return module._two(module.tictactoe_gen(), 9)
    return getattr(module, SETS[name])()


def splits_of(name, count):
    """(X_train, y_train, X_test, y_test), 10 % to learn from, both classes among them."""
    if name == "monk-3":
        module = datasets._paper_data()
        train, test = module.monks3("train"), module.monks3("test")
        yield train[0].astype(str), train[1], test[0].astype(str), test[1]
        return
    X, y = load(name)
    for seed in range(count):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: round(0.1 * len(y))], order[round(0.1 * len(y)) :]
        yield X.iloc[train], y[train], X.iloc[test], y[test]


def scores(y, predicted):
    """(F1 averaged over both classes, error in percent)."""
    from sklearn.metrics import f1_score

    return f1_score(y, predicted, average="macro"), 100 * float(np.mean(y != predicted))


def one(split, rho, options):
    """What one fit gives: F1, error, rules, mean length, hull, seconds."""
    import thresher

    X, y, X_test, y_test = split
    model = thresher.HierarchicalRuleClassifier(
        rho=rho, cv=3, scoring=options.scoring, class_weight=options.class_weight, tol=options.tol,
        max_hull=options.max_hull, bins=("uniform", 5) if options.bins == "uniform" else 5,
        n_jobs=options.jobs,
    )  # fmt: skip
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    lengths = [rule.length for rule in model.rules_] or [0]
    # A level that the 10 % do not hold is missing to the model.
    known = X_test.copy()
    for name in known.columns:
        if known[name].dtype == object or str(known[name].dtype) in ("str", "string"):
            known[name] = known[name].where(known[name].isin(set(X[name])), None)
    f1, error = scores(y_test, model.predict(known))
    return [
        f1,
        error,
        len(model.rules_),
        np.mean(lengths),
        len(model.hull_),
        seconds,
        1 / (model.alpha_ * len(X)),
    ]


def peer(job):
    """Runs one peer on one split, in its own interpreter; prints RESULT."""
    import pandas as pd
    from imodels import BoostedRulesClassifier, RuleFitClassifier

    splits = list(splits_of(job["data"], job["split"] + 1))
    X, y, X_test, y_test = splits[min(job["split"], len(splits) - 1)]
    both = pd.get_dummies(pd.concat([X, X_test]), dtype=float)
    train, test = both.iloc[: len(y)].to_numpy(), both.iloc[len(y) :].to_numpy()
    kind = {"RuleFit": RuleFitClassifier, "boosted": BoostedRulesClassifier}[job["model"]]
    model = kind(random_state=0)
    model.fit(train, (y > 0).astype(int))
    f1, error = scores(y_test, np.where(np.asarray(model.predict(test)) > 0, 1, -1))
    print("RESULT " + json.dumps([f1, error]))


def spread(values, digits=3):
    """Mean ± standard deviation."""
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1) if len(values) > 1 else 0.0:.{digits}f}"


def main(options):
    """Runs everything and writes the record."""
    if datasets._paper_data() is None:
        sys.exit("no data folder: set THRESHER_DATA")
    rows, total = [], time.process_time()
    for name in options.data or SETS:
        splits = list(splits_of(name, options.splits))
        for rho in options.rho:
            found = np.asarray([one(split, rho, options) for split in splits], dtype=float)
            f1, error, rules, length, hull, seconds, strength = found.T
            paper = PAPER[name, rho]
            near = abs(f1.mean() - paper[0]) <= max(paper[1], f1.std(ddof=1) if len(f1) > 1 else 0.0, 5e-4)
            rows.append(
                [
                    name, rho, spread(f1), f"{paper[0]:.3f} ± {paper[1]:.3f}", "yes" if near else "no",
                    spread(error, 2), f"{paper[4]:.2f} ± {paper[5]:.2f}", f"{rules.mean():.0f}", paper[2],
                    f"{length.mean():.2f}", paper[3], f"{100 * (1 - rules.sum() / max(hull.sum(), 1)):.0f} %",
                    " ".join(f"{c:g}" for c in strength), f"{seconds.mean():.2f}",
                ]
            )  # fmt: skip
            print(*rows[-1], sep="  ", flush=True)
    header = ["data", "rho", "F1", "paper", "within", "error %", "paper", "rules", "paper"]
    header += ["length", "paper", "hull not selected", "C", "CPU s"]
    body = table(header, rows) + f"\n\nCPU seconds in all: {time.process_time() - total:.0f}"
    if options.peers:
        body += "\n\n" + peers(options)
    print(write_record("hkl", "Hierarchical kernel learning, Tables 1 and 2", body))


def peers(options):
    """The peers' table."""
    rows = []
    for name in options.data or SETS:
        count = 1 if name == "monk-3" else options.splits
        for model, published in PAPER_PEERS.items():
            jobs = [{"data": name, "split": k, "model": model} for k in range(count)]
            results = [run_json(options.peers, Path(__file__), job) for job in jobs]
            good = [r for r in results if isinstance(r, list)]
            shown = [spread(v, d) for v, d in zip(zip(*good, strict=True), (3, 2), strict=True)]
            shown = shown if good else ["failed", ""]
            rows.append([name, model, *shown, published[list(SETS).index(name)]])
            print(*rows[-1], sep="  ", flush=True)
    return table(["data", "model", "F1", "error %", "paper's F1"], rows)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        peer(json.loads(sys.argv[1]))
        sys.exit()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", choices=[*SETS, []])
    parser.add_argument("--rho", type=float, nargs="+", default=[2.0, 1.5, 1.1])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--scoring", default="error", choices=["loss", "error"])
    parser.add_argument("--class-weight", default=None, choices=["balanced"])
    parser.add_argument("--bins", default="uniform", choices=("uniform", "quantiles"))
    parser.add_argument("--tol", type=float, default=0.1)
    parser.add_argument("--max-hull", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--peers", help="a Python that has imodels")
    main(parser.parse_args())
