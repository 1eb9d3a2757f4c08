"""The yardstick of a case: CPU seconds of what ours is held against.

A server for run.py; a job is {"case": {...}, "ours": its result, "kept": its file, "limit": seconds}. The
goal is what ours should not take longer than:

- rules: an ensemble as users make it, the nodes of 100 boosted trees of 8 leaves (LightGBM) and
  scikit-learn's L1 path over them. Same use, same growth with rows, columns and strengths; no proof.
- item-sets, sequences: a program without pruning that is told the solution. At each strength the scores of
  all patterns by matrix products (written_out.py), and scikit-learn's L1 path over the patterns of the last
  model. A search with bounds that takes longer is not worth having.
- graphs: the same with gspan-mining as the enumeration, a thirtieth of its time: it is in plain Python, and
  nothing compiled can be installed.
- hierarchies: ten fits by scikit-learn at each strength of the problem whose weights are fixed, over the
  final hull. Hierarchical kernel learning alternates between the weights and this problem.
- score cards, best subsets: fastsparsegams (the engine of L0Learn), the same path with the same loss.
- machines: ten sparse products of the table with the factors for each epoch and factor. Coordinate descent
  reads and updates each entry of the table a few times for each component.

A cross-validated fit has the goal of five paths: one, and five of four fifths of the rows.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

BREADTH = Path(__file__).resolve().parent
sys.path[:0] = [str(BREADTH), str(BREADTH.parents[1] / "tests")]
from data import make
from enumeration import patterns
from fixed_weights import hierarchies
from l0_path import best_subset_path
from l1_path import outputs
from products import machines
from rule_ensemble import rules
from worker import serve

YARDSTICKS = {
    "rules": rules,
    "itemsets": patterns,
    "sequences": patterns,
    "graphs": patterns,
    "hierarchies": hierarchies,
    "score cards": best_subset_path,
    "best subsets": best_subset_path,
    "machines": machines,
}


def work(job):
    """Run the yardstick, and return its goal."""
    warnings.simplefilter("ignore")
    case, ours = job["case"], job["ours"]
    X, y, weights, _ = make(case)
    kept = dict(np.load(job["kept"])) if Path(job["kept"]).exists() else {}
    signs = np.where(y == 0, -1.0, 1.0) if case["classes"] else y
    result = YARDSTICKS[case["family"]](case, ours, X, signs, weights, kept, job["limit"])
    goal = result["goal"]
    if case["family"] != "machines":  # its epochs are those of all outputs
        goal *= outputs(case) * (5 if case["mode"] in ("cv", "default") else 1)
    return result | {"goal": goal}


if __name__ == "__main__":
    serve(work)
