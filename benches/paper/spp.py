"""Safe Pattern Pruning's figures 2 to 5: time, nodes and memory against the largest pattern.

usage: python benches/paper/spp.py [--data NAME ..] [--strategies NAME ..] [--quick] [--limit 120]

  --data        splice, a9a (item-sets; squared hinge), splice-lasso, cpdb (graphs; squared hinge),
                bergstrom (graphs; squared loss)
  --strategies  working_set (the default), screening (the paper's algorithm), column_generation
                (its baseline "boosting")
  --limit       CPU seconds that a fit may take; a slower one is shown as such
  --quick       the two smallest sizes of each set, the default strategy alone

100 strengths from the one that empties the model to a hundredth of it, relative gap 1e-6, one
thread, each fit in a process of its own. Objectives are in the paper's scale (a sum of losses). The
sets come from the folder THRESHER_DATA (see datasets.py).

References
----------
Nakagawa et al., "Safe Pattern Pruning: An Efficient Approach for Predictive Pattern Mining" (KDD 2016).
"""

import argparse
import json
import resource
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import datasets
from common import run_json, table, write_record
from pattern_sets import estimator, load

SIZES = {
    "splice": (2, 3, 4, 5),
    "splice-lasso": (2, 3),
    "a9a": (3, 4, 5),
    "cpdb": (3, 5, 7, 10),
    "bergstrom": (3, 5, 7, 10),
}
STRATEGIES = ("working_set", "screening", "column_generation")


def work(job):
    """Fits one path and tells what it took."""
    X, y = load(job["data"])
    model = estimator(job["data"], job["size"], strategy=job["strategy"])
    began = time.process_time()
    model.fit_path(X, y)
    seconds = time.process_time() - began
    points = [model.path_.at(alpha).certificate_ for alpha in model.path_.alphas]
    return {
        "seconds": seconds,
        "objective": float(model.path_.objective[-1]) * len(y),
        "gap": float(model.path_.relative_gap.max()),
        "patterns": int(model.path_.n_patterns[-1]),
        "nodes": sum(p.nodes for p in points),
        "searches": sum(p.searches for p in points),
        "candidates": points[-1].n_candidates,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def row(name, size, strategy, limit):
    """One line of the table."""
    job = {"data": name, "size": size, "strategy": strategy}
    done = run_json(sys.executable, __file__, job, timeout=limit)
    print(name, size, strategy, done, flush=True)
    if "seconds" not in done:
        what = f"> {limit:.0f} s" if "timeout" in done else done["error"]
        return [name, size, strategy, what, "", "", "", "", "", ""]
    return [
        name,
        size,
        strategy,
        f"{done['seconds']:.2f}",
        f"{done['candidates']:.1e}",
        f"{done['nodes']:.2e}",
        done["searches"],
        done["patterns"],
        f"{done['objective']:.6f}",
        f"{done['mb']:.0f}",
    ]


def main():
    """Runs the fits asked for and writes the record."""
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        print("RESULT", json.dumps(work(json.loads(sys.argv[1]))))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--strategies", nargs="*", default=list(STRATEGIES), choices=STRATEGIES)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if not datasets.have_files():
        sys.exit("no data folder: set THRESHER_DATA")
    strategies = STRATEGIES[:1] if options.quick else options.strategies
    rows = [
        row(name, size, strategy, options.limit)
        for name in options.data
        for size in SIZES[name][: 2 if options.quick else None]
        for strategy in strategies
    ]
    header = ["data", "at most", "strategy", "CPU s", "candidates", "nodes", "searches", "patterns"]
    body = table([*header, "last objective", "peak MB"], rows)
    print(body)
    print("written:", write_record("spp", "Safe Pattern Pruning: growth with the largest pattern", body))


if __name__ == "__main__":
    main()
