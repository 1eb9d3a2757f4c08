"""How well `memory_limit` holds: the memory that a fit says it needs beside the memory that it takes.

usage: python benches/memory.py [FAMILY ..] [--seed 0] [--draws 4] [--seconds 20] [--record]

Each case is a process of its own (Linux only). It makes the data, fits a small sample so that libraries are
loaded, asks a fit with a limit of one byte how much it needs, and then fits with that and 1 MiB as the limit,
until it is not refused: by the shape of the data, or once they are read. What the fit takes is the growth of
the peak of resident memory. It may be over the limit by 20 % and 16 MiB, also where it is refused.
"""

import argparse
import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import default_python, run_json, table, write_record

MIB = 2**20
ALLOWED = (1.2, 16 * MIB)


def _resident(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise OSError("no /proc/self/status")


def _log_uniform(rng, low, high):
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def _numbers(rng, least, most, columns):
    n, d = _log_uniform(rng, least, most), _log_uniform(rng, *columns)
    X = rng.normal(size=(n, d))
    if rng.random() < 0.5:
        X = np.round(X, 1)
    return X, X[:, 0] + (X[:, -1] > 0.5) + rng.normal(size=n), {}


def _rules(rng):
    return _numbers(rng, 10_000, 200_000, (5, 60))


def _cards(rng):
    return _numbers(rng, 10_000, 200_000, (5, 60))


def _subsets(rng):
    return _numbers(rng, 1_000, 20_000, (20, 500))


def _sparse_subsets(rng):
    from scipy import sparse

    n, d = _log_uniform(rng, 500, 5_000), _log_uniform(rng, 5_000, 100_000)
    X = sparse.random(n, d, density=_log_uniform(rng, 2, 40) / n, format="csc", rng=rng)
    return X, np.asarray(X.sum(axis=1)).ravel() + rng.normal(size=n), {}


def _hierarchies(rng):
    return _numbers(rng, 200, 8_000, (3, 12))


def _machines(rng):
    from scipy import sparse

    n, d = _log_uniform(rng, 1_000, 50_000), _log_uniform(rng, 50, 5_000)
    X = sparse.random(n, d, density=min(0.5, _log_uniform(rng, 3, 100) / d), format="csr", rng=rng)
    solver = rng.choice(["auto", "pcd", "fista", "psgd"])
    params = {
        "rank": int(rng.integers(2, 60)),
        "order": int(rng.integers(2, 4)),
        "solver": str(solver),
    }
    return X, np.asarray(X.sum(axis=1)).ravel() + rng.normal(size=n), params


def _itemsets(rng):
    n, m = _log_uniform(rng, 1_000, 100_000), _log_uniform(rng, 20, 500)
    rows = [np.unique(rng.integers(0, m, size=rng.integers(1, 20))).tolist() for _ in range(n)]
    return rows, rng.normal(size=n), {"max_items": 2}


def _sequences(rng):
    n, m, length = _log_uniform(rng, 500, 20_000), _log_uniform(rng, 10, 500), _log_uniform(rng, 4, 60)
    rows = [rng.integers(0, m, size=length).tolist() for _ in range(n)]
    return rows, rng.normal(size=n), {"max_length": 2}


def _graphs(rng):
    n, size = _log_uniform(rng, 200, 5_000), _log_uniform(rng, 5, 40)
    rows = []
    for _ in range(n):
        edges = [(v, int(rng.integers(0, v))) for v in range(1, size)]
        labels = rng.choice(list("CNOS"), size=size).tolist()
        rows.append((labels, edges, rng.choice(list("-="), size=size - 1).tolist()))
    return rows, rng.normal(size=n), {"max_edges": 3}


FAMILIES = {
    "rules": ("RuleRegressor", _rules),
    "score cards": ("L0AdditiveRegressor", _cards),
    "subsets": ("L0Regressor", _subsets),
    "sparse subsets": ("L0Regressor", _sparse_subsets),
    "hierarchies": ("HierarchicalRuleRegressor", _hierarchies),
    "machines": ("FactorizationMachineRegressor", _machines),
    "item-sets": ("ItemsetRegressor", _itemsets),
    "sequences": ("SequenceRegressor", _sequences),
    "graphs": ("GraphRegressor", _graphs),
}


def measure(job):
    """What one fit needs, by its own words, and takes, in the worker."""
    import thresher

    warnings.simplefilter("ignore")
    name, draw = FAMILIES[job["family"]]
    X, y, params = draw(np.random.default_rng([job["seed"], job["draw"]]))
    make = getattr(thresher, name)
    few = 50
    make(**{**params, "time_limit": 1.0}, n_jobs=1).fit(X[:few], y[:few])
    said, over = 1, 0.0
    while True:
        Path("/proc/self/clear_refs").write_text("5")
        before = _resident("VmRSS")
        try:
            make(**params, memory_limit=said, time_limit=job["seconds"], n_jobs=1).fit(X, y)
            break
        except MemoryError as error:
            found = re.search(r"(?:about|at least) (\d+)(?:.* as read take (\d+))?", str(error))
            if found is None:
                raise
            over = max(over, _resident("VmHWM") - before - ALLOWED[0] * said - ALLOWED[1])
            said = int(found[1]) + int(found[2] or 0) + MIB
    took = _resident("VmHWM") - before
    over = max(over, took - ALLOWED[0] * said - ALLOWED[1])
    return {
        "rows": len(y),
        "columns": X.shape[1] if hasattr(X, "shape") else 0,
        "params": params,
        "said": said,
        "took": took,
        "is_over": over > 0,
    }


def main():
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--python", default=default_python(".venv"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    lines = []
    for family in options.families:
        for draw in range(options.draws):
            job = {"family": family, "seed": options.seed, "draw": draw, "seconds": options.seconds}
            run = run_json(options.python, Path(__file__).resolve(), job, 1, 600)
            if "said" not in run:
                print(family, draw, run)
                continue
            said, took = run["said"], run["took"]
            options_text = " ".join(f"{k}={v}" for k, v in run["params"].items())
            sizes = [f"{said / MIB:.0f}", f"{took / MIB:.0f}", f"{took / said:.2f}"]
            lines.append([family, run["rows"], run["columns"], options_text, *sizes, "over" * run["is_over"]])
            print(lines[-1], flush=True)
    head = ["family", "rows", "columns", "parameters", "said, MiB", "took, MiB", "ratio", "over the limit"]
    text = table(head, lines)
    print(text)
    if options.record:
        write_record("memory", "Memory of a fit beside what it says that it needs", text)


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        print("RESULT", json.dumps(measure(json.loads(sys.argv[1]))))
    else:
        main()
