"""How the ratios of a family are spread, its worst cases, wrong results and growth, as Markdown.

usage: python benches/breadth/report.py RESULTS.jsonl ..   (what run.py kept)
"""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from common import table

# What nobody notices: a goal below it counts as this many seconds.
FLOOR = 0.05
MOST_LATE = 0.1  # seconds after a time limit that a fit may take
TOLERANCE = 1e-6  # the default `tol` of the families with a gap


def ratio(row):
    """Our CPU seconds over the goal; None where there is no goal."""
    goal = (row.get("yardstick") or {}).get("goal")
    if goal is None or math.isnan(goal) or "seconds" not in row["ours"]:
        return None
    return row["ours"]["seconds"] / max(goal, FLOOR)


def is_capped(row):
    """Whether the cap ended our fit."""
    has_own_limit = row["case"]["mode"] in ("limit", "proof")
    return not (has_own_limit or row["ours"].get("complete", True)) and _is_out_of_time(row)


def _is_out_of_time(row):
    return row["ours"].get("wall", 0.0) > 0.9 * row["case"]["cap"]


def findings(row):
    """What is wrong in the result of a case, in words."""
    case, ours, other = row["case"], row["ours"], row.get("yardstick") or {}
    if "seconds" not in ours:
        return [f"no result: {ours.get('error', ours)}"]
    found = []
    is_limited = case["mode"] in ("limit", "proof")
    if not ours["complete"] and not _is_out_of_time(row) and not is_limited and case["family"] != "machines":
        found.append(f"not complete after {ours['wall']:.1f} of {case['cap']:g} s")
    if ours["complete"] and ours["warnings"] and "gap" in ours:
        found.append("complete, but it warns: " + ours["warnings"][0][:120])
    if other.get("checked_gap", 0.0) > 1e-4 and ours["complete"] and ours["last_gap"] <= 1.01 * TOLERANCE:
        found.append(f"gap {ours['last_gap']:.1e}, recomputed {other['checked_gap']:.1e}")
    if other.get("worse", 0.0) > 1e-3:
        found.append(f"objective {other['worse']:.1%} above the yardstick's: {other['worst_at']}")
    if other.get("complete") and ours["complete"] and "objective" in other:  # of another build
        values = ours["objective"], other["objective"]
        if abs(values[0] - values[1]) > 2.1 * TOLERANCE * max(map(abs, values)):
            found.append(f"objectives {values[0]!r} and {values[1]!r}")
    if ours.get("late", 0.0) > MOST_LATE:
        found.append(f"{ours['late']:.2f} CPU s after a limit of {case['cap']:g} s")
    return found


def _short(case):
    """The sizes of a case, to read."""
    keys = (
        "mode", "loss", "classes", "rows", "columns", "categories", "levels", "density", "correlation",
        "missing", "events", "nodes", "edge_labels", "weighted",
    )  # fmt: skip
    facts = {key: case[key] for key in keys if case.get(key)}
    facts |= {key: "drawn" if key == "monotonic_cst" else value for key, value in case["params"].items()
              if value not in (None, False)}  # fmt: skip
    said = (
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in facts.items()
    )
    return ", ".join(said)


def _spread(values):
    quantiles = np.quantile(values, [0, 0.1, 0.5, 0.9, 1])
    return [f"{q:.2g}" for q in quantiles]


def growth(rows):
    """Exponents of CPU time in rows, columns and terms, by least squares on logarithms over drawn cases."""
    usable = [r for r in rows if "seconds" in r["ours"] and r["ours"]["seconds"] > FLOOR
              and r["case"]["mode"] not in ("limit", "proof")]  # fmt: skip
    if len(usable) < 15:
        return None
    logs = np.log([[r["case"]["rows"], r["case"]["columns"], r["ours"]["terms"] + 1] for r in usable])
    design = np.column_stack([logs, np.ones(len(usable))])
    return np.linalg.lstsq(design, np.log([r["ours"]["seconds"] for r in usable]), rcond=None)[0][:3]


def summary(families):
    """The spread of the ratios of each family."""
    head = [
        "family",
        "cases",
        "with a goal",
        "least",
        "10 %",
        "median",
        "90 %",
        "most",
        "over 1",
        "at the cap",
    ]
    lines = []
    for family, rows in families.items():
        values = [ratio(row) for row in rows if ratio(row) is not None]
        above = sum(value > 1 for value in values)
        spread = _spread(values) if values else ["-"] * 5
        lines.append([family, len(rows), len(values), *spread, above, sum(map(is_capped, rows))])
    return table(head, lines)


def section(family, rows):
    """The report of a family."""
    timed = sorted(((ratio(r), r) for r in rows if ratio(r) is not None), key=lambda pair: -pair[0])
    lines = [f"## {family.capitalize()}", ""]
    stopped = sum(bool(row["yardstick"].get("stopped")) for _, row in timed)
    if stopped:
        lines += [f"The yardstick was stopped in {stopped} cases: their ratio is at most the one given.", ""]
    exponents = growth(rows)
    if exponents is not None:
        pairs = zip(("rows", "columns", "terms"), exponents, strict=True)
        named = ", ".join(f"{name} {exponent:.2f}" for name, exponent in pairs)
        lines += [f"Exponents of the CPU time over the drawn cases: {named}.", ""]
    lines += _limits(rows) + _grown(rows)
    lines += ["### The ten worst", ""] if timed else []
    for value, row in timed[:10]:
        said = row["yardstick"].get("yardstick", "stopped")
        took = f"{row['ours']['seconds']:.2f} s; {said}"
        lines.append(f"- {value:.1f} ({took}), seed {row['case']['seed']}: {_short(row['case'])}")
    wrong = [(row["case"]["seed"], what) for row in rows for what in findings(row)]
    if wrong:
        lines += ["", "### To look at", "", *[f"- seed {seed}: {what}" for seed, what in wrong]]
    return "\n".join(lines)


def _limits(rows):
    """The gaps of fits with a time limit of their own, and the seconds after the limit of all fits."""
    fits = [row for row in rows if "seconds" in row["ours"]]
    own = [row for row in fits if row["case"]["mode"] in ("limit", "proof")]
    stopped = [row for row in own if not row["ours"]["complete"]]
    gaps = [row["ours"]["last_gap"] for row in stopped if row["ours"].get("last_gap") is not None]
    text = (
        f"{len(own)} fits had a time limit of their own or a gap to prove, {len(stopped)} of them ended early"
    )
    if gaps:
        text += f", with gaps of {', '.join(_spread(np.minimum(gaps, 1.0)))} (quantiles)"
    late = max((row["ours"].get("late", 0.0) for row in fits), default=0.0)
    return [f"{text}. The most CPU seconds after a limit: {late:.2f}.", ""]


def _grown(rows):
    """The exponents of single cases made larger."""
    exponents = defaultdict(list)
    for row in rows:
        for key, grown in row.get("grown", {}).items():
            if "seconds" in grown["ours"] and grown["ours"]["complete"]:
                times = grown["ours"]["seconds"] / row["ours"]["seconds"]
                exponents[key].append((math.log(times) / math.log(grown["factor"]), row["case"]["seed"]))
    lines = []
    for key, values in exponents.items():
        ordered = sorted(values, reverse=True)
        worst = ", ".join(f"{e:.2f} (seed {seed})" for e, seed in ordered[:3])
        lines.append(f"Single cases with {key} grown, {len(values)}: median exponent "
                     f"{np.median([e for e, _ in values]):.2f}, the largest {worst}.")  # fmt: skip
    return [*lines, ""] if lines else []


def main():
    """Print the report of kept results."""
    families = defaultdict(list)
    for path in sys.argv[1:]:
        for line in Path(path).read_text().splitlines():
            row = json.loads(line)
            families[row["case"]["family"]].append(row)
    sections = [section(family, rows) for family, rows in families.items()]
    print("\n\n".join([summary(families), *sections]))


if __name__ == "__main__":
    main()
