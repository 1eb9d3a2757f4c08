"""Tables of the comparison at a fixed number of rules, from the results of every split."""

from collections import Counter

import numpy as np
from common import geometric_mean, table

WORST = 8  # rows of the table of our worst cases
FLOOR = 0.02  # a smaller error counts as this in ratios: below it they measure single test rows

NOTE = (
    "Medians over the splits. Error: mean squared error over the variance of the test targets, or the "
    "log-loss of the probability of +1. A budget k limits the rules of a rule model, the splits of trees "
    "(k + 1 leaves) and the steps of an additive model; `linear` counts linear terms beside them, which "
    "are in the budget of RuleFit and not in ours. Models without a probability of their own are "
    "calibrated by logistic regression of their score on the training rows; probabilities of leaves have "
    "Laplace's correction. The best peer is the best on the test rows, so that the ratios to it favour the "
    f"peers; in ratios an error below {FLOOR} counts as {FLOOR}. "
    "A model without a result for every split of a set at k is left out there."
)


def _errors(results, splits):
    """{data: {model: {k: [{"error", "auc", "n_rules", "n_linear"} of each split]}}}, complete ones only."""
    found = {}
    for data, models in results.items():
        variances = [float(np.var(split.y_test)) for split in splits[data]]
        for model, runs in models.items():
            budgets = {k for run in runs for k in run.get("budgets", {})}
            for k in sorted(budgets, key=int):
                values = [run.get("budgets", {}).get(k) for run in runs]
                if None not in values:
                    rows = [_with_error(v, s) for v, s in zip(values, variances, strict=True)]
                    found.setdefault(data, {}).setdefault(model, {})[int(k)] = rows
    return found


def _with_error(value, variance):
    error = value["logloss"] if "logloss" in value else value["mse"] / variance
    return {**value, "error": error}


def _median(rows, key="error"):
    return float(np.median([row[key] for row in rows]))


def _show(value):
    return "-" if value is None or np.isnan(value) else f"{value:.3f}"


def _ratio(a, b):
    """a / b, both at least FLOOR; not a number where one is missing."""
    if a is None or b is None:
        return float("nan")
    return max(a, FLOOR) / max(b, FLOOR)


class Table:
    """Median errors of every model on every set at every budget."""

    def __init__(self, results, splits, ours, budgets):
        self.rows = _errors(results, splits)
        self.data, self.budgets, self.ours = list(results), budgets, ours
        self.peers = [m for m in next(iter(results.values())) if m not in ours]
        self.models = [*ours, *self.peers]

    def at(self, data, model, k, key="error"):
        """The median of one figure, or None."""
        rows = self.rows.get(data, {}).get(model, {}).get(k)
        return _median(rows, key) if rows and key in rows[0] else None

    def best_peer(self, data, k):
        """(error, name) of the best peer, or (None, "none")."""
        errors = [(self.at(data, m, k), m) for m in self.peers]
        return min(((e, m) for e, m in errors if e is not None), default=(None, "none"))

    def ratios(self, model, budgets, reference):
        """Error over the reference's wherever both are there; ``reference(data, k)`` gives the latter."""
        pairs = [(self.at(data, model, k), reference(data, k)) for data in self.data for k in budgets]
        return [_ratio(a, b) for a, b in pairs if a is not None and b is not None]


def _mean_and_count(ratios):
    return f"{geometric_mean(ratios):.3f} ({len(ratios)})" if ratios else "-"


def summary(t, reference):
    """Geometric means of the ratios to a reference, by budget and over all."""
    rows = []
    for model in t.models:
        means = [_mean_and_count(t.ratios(model, [k], reference)) for k in t.budgets]
        rows.append([model, *means, _mean_and_count(t.ratios(model, t.budgets, reference))])
    return table(["model", *(f"k = {k}" for k in t.budgets), "all k"], rows)


def worst(t, model):
    """Where our model is furthest behind the best peer."""
    cases = []
    for data in t.data:
        for k in t.budgets:
            error, (best, name) = t.at(data, model, k), t.best_peer(data, k)
            if error is not None and best is not None:
                cases.append((_ratio(error, best), data, k, error, name, best))
    cases.sort(reverse=True)
    rows = [[d, k, _show(e), f"{n} {_show(b)}", _show(r)] for r, d, k, e, n, b in cases[:WORST]]
    behind = sum(case[0] > 1 for case in cases)
    head = f"Behind the best peer in {behind} of {len(cases)} cases.\n\n"
    return head + table(["data", "k", "error", "best peer", "ratio"], rows)


def at_budget(t, k, splits):
    """Errors of every model at one budget, and the AUC of the classifiers."""
    rows = []
    for data in t.data:
        n, d = splits[data][0].X_train.shape
        best, name = t.best_peer(data, k)
        errors = [t.at(data, m, k) for m in t.models]
        versus = [_show(_ratio(t.at(data, m, k), best)) for m in t.ours]
        rows.append([data, f"{n} x {d}", *map(_show, errors), name, *versus])
    header = ["data", "rows x columns", *t.models, "best peer", *(f"{m} / best" for m in t.ours)]
    auc = [[data, *(_show(t.at(data, m, k, "auc")) for m in t.models)] for data in t.data]
    auc = [row for row in auc if set(row[1:]) != {"-"}]
    return f"### k = {k}\n\n{table(header, rows)}\n\nAUC:\n\n{table(['data', *t.models], auc)}"


def sizes(t):
    """Mean numbers of rules and of linear terms."""
    rows = []
    for model in t.models:
        row = [model]
        for k in t.budgets:
            every = [r for data in t.data for r in t.rows.get(data, {}).get(model, {}).get(k, [])]
            if every:
                rules, linear = (np.mean([r[key] for r in every]) for key in ("n_rules", "n_linear"))
                row.append(f"{rules:.1f}" + (f" + {linear:.1f} linear" if linear else ""))
            else:
                row.append("-")
        rows.append(row)
    return table(["model", *(f"k = {k}" for k in t.budgets)], rows)


def runs(t, results):
    """Seconds in all, and what went wrong."""
    rows = []
    for model in t.models:
        every = [run for data in t.data for run in results[data][model]]
        seconds = sum(run.get("seconds", 0.0) for run in every)
        late = sum("timeout" in run for run in every)
        errors = Counter(run["error"] for run in every if "error" in run)
        shown = "; ".join(f"{n} x {text[:100]}" for text, n in errors.most_common(2)) or "-"
        rows.append([model, len(every), f"{seconds:.0f}", late, shown])
    return table(["model", "runs", "seconds (all budgets)", "out of time", "errors"], rows)


def report(results, splits, ours, budgets):
    """The body of the record."""
    t = Table(results, splits, ours, budgets)
    figs = lambda data, k: t.at(data, "figs", k)
    parts = [
        NOTE,
        "## Error over that of the best peer",
        "Geometric means over the sets (in brackets how many).",
        summary(t, lambda data, k: t.best_peer(data, k)[0]),
        "## Error over that of FIGS",
        summary(t, figs),
        "## Numbers of rules",
        sizes(t),
        *(part for model in ours for part in (f"## Worst cases of {model}", worst(t, model))),
        "## By number of rules",
        *(at_budget(t, k, splits) for k in budgets),
        "## Runs",
        runs(t, results),
    ]
    return "\n\n".join(parts)
