"""How long the paths of the timing bars take, beside the bar, with the memory they needed.

usage: python benches/speed.py [NAME ..] [--repeat 3] [--jobs 2] [--strategy working_set] [--record]

Each run is a process of its own that is given the arrays, so that its peak memory is the fit's (and
the interpreter's). The clock starts with the estimator's construction and stops when the whole path
is there; every point of it has a relative gap below 1e-6 over all rules, which the table shows.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import datasets
from common import default_python, run_json, table, write_record


@dataclass(frozen=True)
class Bar:
    """One timed path: which rows, which parameters, how fast it has to be."""

    data: str
    share: float
    seconds: float
    paper: str
    params: dict = field(default_factory=dict)
    task: str = "regression"
    last_lambda: float | None = None
    gib: float | None = None


def _experiment3(data, share, seconds, paper, delta):
    params = {
        "bins": ["intervals", delta],
        "max_features": None,
        "n_alphas": 1000,
        "max_rules": 100,
        "penalty_growth": 0.0,
    }
    return Bar(data, share, seconds, paper, params, last_lambda=0.5)


def _path(data, share, seconds, ratio, **more):
    params = {"bins": 8, "max_features": 3, "n_alphas": 100, "alpha_min_ratio": ratio, "penalty_growth": 0.0}
    return Bar(data, share, seconds, "-", params, **more)


# A fifth of SERVO or YACHT has fewer than 100 rows and cannot have 100 rules: the path runs to its
# end. With all rows it stops at 100 rules.
BARS = {
    "servo": _experiment3("servo", 0.2, 0.1, "1.02", 0.0),
    "yacht": _experiment3("yacht", 0.2, 0.5, "7.01", 0.0),
    "servo-all": _experiment3("servo", 1.0, 0.1, "1.02", 0.0),
    "yacht-all": _experiment3("yacht", 1.0, 0.5, "7.01", 0.0),
    "airfoil": _experiment3("airfoil", 0.2, 5.0, "591", 0.005),
    "abalone": _path("abalone", 1.0, 15.0, 1e-3),
    "casp": _path("casp", 2 / 3, 60.0, 1e-2, gib=2.0),
    "magic": _path("magic", 2 / 3, 60.0, 1e-2, task="classification"),
}


def training_rows(bar, seed):
    """Standardised columns and (for regression) y of a random share of the rows; None without data."""
    data = datasets.paper(bar.data)
    if data is None:
        return None
    X, y = datasets.standardised(data[0]), data[1]
    if bar.task == "regression":
        y = datasets.standardised(y)
    rows = np.random.default_rng(seed).permutation(len(y))[: round(bar.share * len(y))]
    return X[rows], y[rows]


def fit_path(job):
    """The timed part, in the worker."""
    import thresher

    data, params = np.load(job["data"]), dict(job["params"])
    X, y = data["X"], data["y"]
    if isinstance(params["bins"], list):
        params["bins"] = tuple(params["bins"])
    make = thresher.RuleRegressor if job["task"] == "regression" else thresher.RuleClassifier
    start = time.perf_counter()
    model = make(**params)
    if job["last_lambda"] is None:
        model.fit_path(X, y)
    else:
        first = make(**{**params, "n_alphas": 2, "alpha_min_ratio": 0.99}).fit_path(X, y).path_.alphas[0]
        model.fit_path(X, y, alphas=np.geomspace(first, job["last_lambda"] / len(y), params["n_alphas"]))
    seconds = time.perf_counter() - start
    path = model.path_
    points = [path.at(alpha).certificate_ for alpha in path.alphas]
    return {
        "seconds": seconds,
        "alphas": len(path.alphas),
        "rules": int(path.n_rules[-1]),
        "candidates": str(points[-1].n_candidates),
        "nodes": sum(p.nodes for p in points),
        "searches": sum(p.searches for p in points),
        "gap": float(np.max(path.relative_gap)),
        "complete": all(p.complete for p in points),
        "rss_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def measure(name, options, folder):
    """All repeats of one bar; every repeat draws other rows."""
    bar, runs = BARS[name], []
    for k in range(options.repeat):
        data = training_rows(bar, k)
        if data is None:
            return []
        path = Path(folder) / f"{name}-{k}.npz"
        np.savez(path, X=data[0], y=data[1])
        params = {**bar.params, "n_jobs": options.jobs, "strategy": options.strategy}
        job = {"data": str(path), "task": bar.task, "params": params, "last_lambda": bar.last_lambda}
        run = run_json(options.python, Path(__file__).resolve(), job, options.jobs, options.timeout)
        print(f"  {name} #{k}: {run}", flush=True)
        runs.append(run)
    return runs


def row(name, runs):
    """The table's line: medians over the repeats."""
    bar = BARS[name]
    done = [r for r in runs if "seconds" in r]
    if not done:
        why = runs[0].get("error") or f"> {runs[0].get('timeout')} s"
        return [name, why[:80], bar.seconds, "NO", bar.paper, *["-"] * 7]
    seconds = float(np.median([r["seconds"] for r in done]))
    gib = max(r["rss_gib"] for r in done)
    kept = seconds <= bar.seconds and (bar.gib is None or gib <= bar.gib) and len(done) == len(runs)
    middle = {k: int(np.median([r[k] for r in done])) for k in ("alphas", "rules", "searches", "nodes")}
    gap = max(r["gap"] for r in done)
    memory = f"{gib:.2f}" + (f" (<= {bar.gib:g})" if bar.gib else "")
    verdict = "yes" if kept else f"NO ({seconds / bar.seconds:.2g}x)"
    return [
        name,
        f"{seconds:.3g}",
        bar.seconds,
        verdict,
        bar.paper,
        memory,
        *middle.values(),
        done[0]["candidates"],
        f"{gap:.1e}",
    ]


HEADER = [
    "data",
    "seconds",
    "bar",
    "kept",
    "paper s",
    "peak GiB",
    "alphas",
    "rules",
    "searches",
    "nodes",
    "candidates",
    "worst gap",
]


def main():
    """Runs the bars that were asked for and prints one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BARS)}; default: all")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="threads of one fit")
    parser.add_argument("--strategy", default="working_set")
    parser.add_argument("--timeout", type=float, default=900.0)
    parser.add_argument("--python", default=sys.executable or default_python(".venv"))
    parser.add_argument("--record", action="store_true", help="write benches/record/<date>-speed.md")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BARS]
    if unknown:
        parser.error(f"no bar named {unknown[0]}; there are {', '.join(BARS)}")
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name in options.names or BARS:
            runs = measure(name, options, folder)
            rows.append(row(name, runs) if runs else [name, "no data", *["-"] * 10])
    shown = table(HEADER, rows)
    print("\n" + shown)
    if options.record:
        note = f"Medians of {options.repeat} runs on different random rows, {options.jobs} threads, "
        note += f"strategy {options.strategy}."
        print("written:", write_record("speed", "Timing bars", f"{note}\n\n{shown}").name)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        print("RESULT " + json.dumps(fit_path(json.loads(sys.argv[1]))))
    else:
        main()
