"""Paths of item-sets and sequences that nobody chose: ours beside another build of Thresher, in turn.

usage: python benches/breadth/patterns.py --yardstick OTHER/.venv/bin/python [--seeds 0:100] [--seconds 20]

Each seed draws a case: family, loss, rows, symbols, density, sizes, weights, grid of strengths. Each run
is a process of its own on one thread, and CPU seconds are compared, so that a shared machine does little
harm. The end shows how the ratios of the times are spread and the ten worst; a line of a case says so if
the objectives differ by more than the gaps allow.
"""

import argparse
import json
import random
import subprocess
import sys
import warnings
from pathlib import Path

FIT = Path(__file__).resolve().parent / "fit.py"
# Less than the clock resolves.
FLOOR = 0.02


def draw(seed, seconds):
    """Draw the case of a seed."""
    r = random.Random(seed)
    rows = int(10 ** r.uniform(1.3, 3.6))
    return {
        "seed": seed,
        "seconds": seconds,
        "family": r.choice(["items", "items", "sequences"]),
        "loss": r.choice(["squared", "squared", "logistic", "squared_hinge", "huber"]),
        "rows": rows,
        "symbols": int(10 ** r.uniform(0.5, 2.2)),
        "density": 10 ** r.uniform(-1.7, -0.05),
        "skew": r.choice([0.0, 0.0, 0.5, 0.95]),
        "events": r.randint(5, 50),
        "length": r.randint(2, 5),
        "gap": r.choice([None, None, None, 2]),
        "negations": r.random() < 0.2,
        "weighted": r.random() < 0.3,
        "quantile": r.choice([0.5, 0.5, 0.9]),
        "min_support": r.choice([1, 1, 5, 1 + rows // 20]),
        "penalty_growth": r.choice([0.0, 0.0, 0.5]),
        "n_alphas": r.choice([5, 20, 50]),
        "alpha_min_ratio": r.choice([0.01, 0.05, 0.2]),
    }


def run(python, case):
    """Result of a case under an interpreter; None if it failed."""
    command = [python, "-W", "ignore", str(FIT), json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        warnings.warn(f"{python}, seed {case['seed']}: {done.stderr.strip().splitlines()[-1]}", stacklevel=2)
        return None
    return json.loads(done.stdout)


def differ(ours, other):
    """Whether two results that both reached their gap have different objectives."""
    if max(ours["gap"], other["gap"]) > 1.01e-6 or len(ours["objective"]) != len(other["objective"]):
        return False
    pairs = zip(ours["objective"], other["objective"], strict=True)
    return any(abs(a - b) > 2.1e-6 * max(abs(a), abs(b), 1e-9) for a, b in pairs)


def main():
    """Run the drawn cases and print the summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--yardstick", required=True, help="interpreter of the other build")
    parser.add_argument("--seeds", default="0:100", help="first and last + 1")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a path")
    arguments = parser.parse_args()
    results = []
    for seed in range(*map(int, arguments.seeds.split(":"))):
        case = draw(seed, arguments.seconds)
        other, ours = run(arguments.yardstick, case), run(sys.executable, case)
        if ours is None or other is None:
            continue
        ratio = max(ours["seconds"], FLOOR) / max(other["seconds"], FLOOR)
        results.append((ratio, ours["seconds"], other["seconds"], case))
        note = " DIFFERENT OBJECTIVES" if differ(ours, other) else ""
        print(f"{seed}: {ratio:.2f} ({ours['seconds']:.2f} s and {other['seconds']:.2f} s){note}", flush=True)
    results.sort(key=lambda result: -result[0])
    ratios = [result[0] for result in reversed(results)]
    quantiles = {q: ratios[(len(ratios) - 1) * q // 100] for q in (0, 10, 50, 90, 100) if ratios}
    spread = ", ".join(f"{ratio:.2f} at {q} %" for q, ratio in quantiles.items())
    print(f"\n{len(ratios)} cases; quantiles of the ratio: {spread}\nthe ten worst:")
    for ratio, ours, other, case in results[:10]:
        print(f"{ratio:.2f} ({ours:.2f} s and {other:.2f} s) {case}")


if __name__ == "__main__":
    main()
