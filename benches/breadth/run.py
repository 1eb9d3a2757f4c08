"""Fits that nobody chose, of every family, each beside a yardstick, so that no case can be tuned to.

usage: python benches/breadth/run.py --family rules [--cases 200] [--seed 1] [--cap 20] [--grow 8]
           [--peers PYTHON] [--other PYTHON] [--only CASE] [--results FILE.jsonl]

draw.py draws the cases, yardsticks.py says what each family is held against, report.py what is shown.
Ours and the yardstick run one after the other, each in a process of its own on one thread, and CPU seconds
are compared, so that a shared machine does little harm. A fit has a time limit of --cap seconds by the
clock; cases with a limit of their own measure the seconds over it and the gap reached.

  --peers    a Python with the yardsticks' packages (make bench-peers)
  --other    a Python with another build of Thresher, which is then the yardstick
  --only     the case of this seed alone, as the report names it, with all that is known of it
  --grow     so many cases again with three times the rows, and with three times the columns
"""

import argparse
import copy
import json
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from common import default_python
from draw import FAMILIES, draw
from report import findings, ratio, section, summary
from worker import Worker

BREADTH = Path(__file__).resolve().parent
GROWTH_FACTOR = 3
PATIENCE = 3  # times the limit of a fit by the clock, after which a process is ended


def run(case, cap, fit, other, yardstick):
    """The results of a case, ours and the yardstick's."""
    with tempfile.TemporaryDirectory() as folder:
        keep = str(Path(folder) / "kept.npz")
        row = {"case": case, "ours": fit({"case": case, "keep": keep}, PATIENCE * case["cap"] + 30)}
        if "seconds" not in row["ours"]:
            return row
        if other:
            result = other({"case": case, "keep": None}, PATIENCE * case["cap"] + 30)
            row["yardstick"] = result | {"goal": result.get("seconds")}
        elif case["mode"] not in ("limit", "proof"):
            job = {"case": case, "ours": row["ours"], "kept": keep, "limit": cap}
            row["yardstick"] = yardstick(job, PATIENCE * cap)
            if "timeout" in row["yardstick"]:
                row["yardstick"] |= {"goal": cap, "stopped": True}
    return row


def larger(case, key):
    """The case with more rows or columns."""
    grown = copy.deepcopy(case)
    grown[key] *= GROWTH_FACTOR
    trends = grown["params"].get("monotonic_cst")
    if key == "columns" and trends:
        grown["params"]["monotonic_cst"] = trends * GROWTH_FACTOR
    return grown


def is_medium(row, cap):
    """Whether a larger case is likely to end in time, and the smaller one long enough to be measured."""
    is_whole = row["case"]["mode"] in ("path", "cv", "fit") and row["ours"].get("complete")
    return is_whole and cap / 200 < row["ours"]["seconds"] < cap / 5


def grow(row, cap, fit):
    """Fit the case again, larger."""
    row["grown"] = {}
    for key in ("rows", "columns"):
        result = fit({"case": larger(row["case"], key), "keep": None}, PATIENCE * cap + 30)
        row["grown"][key] = {"factor": GROWTH_FACTOR, "ours": result}


def main():
    """Run the drawn cases of a family and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", required=True, choices=FAMILIES)
    parser.add_argument("--cases", type=int, default=60, help="at most 1000, so that no two seeds share one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cap", type=float, default=20.0, help="seconds of a fit")
    parser.add_argument("--grow", type=int, default=0, metavar="CASES")
    parser.add_argument("--only", type=int, metavar="CASE")
    parser.add_argument("--peers", default=default_python(".venv-peers"))
    parser.add_argument("--other")
    parser.add_argument("--results", help="file to which the results are appended")
    options = parser.parse_args()
    fit = Worker(sys.executable, BREADTH / "fit.py")
    other = Worker(options.other, BREADTH / "fit.py") if options.other else None
    yardstick = None if options.other else Worker(options.peers, BREADTH / "yardsticks.py")
    if options.only is not None:
        case = draw(options.family, options.only, options.cap)
        print(json.dumps(run(case, options.cap, fit, other, yardstick), indent=1))
        return
    rows = []
    for k in range(options.cases):
        case = draw(options.family, 1000 * options.seed + k, options.cap)
        row = run(case, options.cap, fit, other, yardstick)
        rows.append(row)
        if options.grow > sum("grown" in earlier for earlier in rows) and is_medium(row, options.cap):
            grow(row, options.cap, fit)
        value = ratio(row)
        said = "" if value is None else f" ratio {value:.2f}"
        spent = row["ours"].get("seconds")
        took = "failed" if spent is None else f"{spent:.2f} s"
        print(f"{case['seed']}: {case['mode']}, {took}{said} {'; '.join(findings(row))}", flush=True)
        if options.results:
            with Path(options.results).open("a") as file:
                file.write(json.dumps(row) + "\n")
    print("\n" + summary({options.family: rows}) + "\n\n" + section(options.family, rows))


if __name__ == "__main__":
    main()
