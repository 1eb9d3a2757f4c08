"""One drawn case in a process of its own: CPU seconds of its path, and the objectives.

usage: python benches/breadth/fit.py '{"family": "items", ...}' (see draw.py)
"""

import json
import sys
import time

import numpy as np

import thresher


def records(case, rng):
    """Records of the case, and a 0/1 matrix of which symbols they hold."""
    n, m = case["rows"], case["symbols"]
    if case["family"] == "items":
        held = rng.random((n, m)) < case["density"] * (1 - case["skew"] * np.arange(m) / m)
        return held.astype(np.uint8), held
    events = rng.integers(0, m, (n, case["events"]))
    held = np.zeros((n, m), bool)
    held[np.arange(n)[:, None], events] = True
    return events.tolist(), held


def response(case, held, rng):
    """A sum of ten conjunctions of one to three symbols and as much noise; classes by its quantile."""
    signal = np.zeros(len(held))
    for _ in range(10):
        symbols = rng.integers(0, held.shape[1], rng.integers(1, 4))
        signal += rng.normal() * held[:, symbols].all(1)
    y = (signal - signal.mean()) / (signal.std() + 1e-12) + rng.normal(size=len(held))
    return y > np.quantile(y, case["quantile"]) if case["loss"] in ("logistic", "squared_hinge") else y


def estimator(case):
    """The estimator of the case, on one thread."""
    loss = (case["loss"], 1.0) if case["loss"] == "huber" else case["loss"]
    run = {key: case[key] for key in ("n_alphas", "alpha_min_ratio", "min_support", "penalty_growth")}
    run |= {"loss": loss, "n_jobs": 1, "time_limit": case["seconds"]}
    kind = "Classifier" if case["loss"] in ("logistic", "squared_hinge") else "Regressor"
    if case["family"] == "items":
        return getattr(thresher, f"Itemset{kind}")(
            max_items=case["length"], negations=case["negations"], **run
        )
    return getattr(thresher, f"Sequence{kind}")(max_length=case["length"], max_gap=case["gap"], **run)


def main():
    """Print the result as JSON."""
    case = json.loads(sys.argv[1])
    rng = np.random.default_rng(case["seed"])
    X, held = records(case, rng)
    y = response(case, held, rng)
    weights = rng.integers(1, 4, len(y)).astype(float) if case["weighted"] else None
    model = estimator(case)
    begin = time.process_time()
    model.fit_path(X, y, sample_weight=weights)
    seconds = time.process_time() - begin
    path = model.path_
    gap = float(max(path.relative_gap))
    print(json.dumps({"seconds": seconds, "objective": list(path.objective), "gap": gap}))


if __name__ == "__main__":
    main()
