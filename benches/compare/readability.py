"""What a model that can be read costs in error and time, beside boosted trees that cannot."""

import itertools

import datasets
import numpy as np
from common import geometric_mean, table

NAMES = {
    "ours_ten_rules": "ten rules",
    "ours_card": "score card",
    "thresher": "rules, any number",
    "boosted_trees": "boosted trees",
}
BASE = "boosted_trees"
NOTE = (
    "Held-out error of each model over that of boosted trees, means over the splits: above 1, the trees are "
    "more accurate. All at their defaults, one thread; ten rules: "
    "`max_rules=10, max_features=2, linear=False`; the boosted trees are scikit-learn's histogram gradient "
    "boosting. `size` counts what a reader has to read: rules and linear terms, steps of a card, leaves of "
    "the trees. Means over the sets are geometric."
)


def readability(bench):
    """Held-out error, size and CPU seconds of three readable models and of boosted trees."""
    names = [n for n in datasets.ACCURACY if not bench.options.data or n in bench.options.data]
    splits = {name: datasets.accuracy_splits(name)[: bench.options.splits] for name in names}
    measured = {name: {model: [] for model in NAMES} for name in names if splits[name]}
    for name, model in itertools.product(measured, NAMES):
        for k, split in enumerate(splits[name]):
            run = bench.run("readability", name, k, model, split, datasets.ACCURACY[name])
            measured[name][model].append(run)
    parts = [
        NOTE,
        "## Error over that of boosted trees\n\n" + _ratios(measured, _error),
        "## CPU seconds over those of boosted trees\n\n" + _ratios(measured, _seconds),
        "## Each data set",
        *(f"### {name}\n\n" + _details(name, runs) for name, runs in measured.items()),
    ]
    return "What readability costs, beside boosted trees", "\n\n".join(parts)


def _key(name):
    return "mse" if datasets.ACCURACY[name] == "regression" else "logloss"


def _mean(runs, key):
    return float(np.mean([run.get(key, np.nan) for run in runs]))


def _error(name, runs):
    return _mean(runs, _key(name))


def _seconds(name, runs):
    return float(np.median([run.get("cpu_seconds", np.nan) for run in runs]))


def _ratios(measured, measure):
    models = [model for model in NAMES if model != BASE]
    rows = []
    for name, runs in measured.items():
        base = measure(name, runs[BASE])
        rows.append([name, *(measure(name, runs[model]) / base for model in models)])
    means = ["geometric mean", *(geometric_mean(column) for column in list(zip(*rows, strict=True))[1:])]
    shown = [[name, *(f"{value:.3g}" for value in values)] for name, *values in [*rows, means]]
    return table(["data", *(NAMES[model] for model in models)], shown)


def _details(name, measured):
    key = _key(name)
    rows = []
    for model, runs in measured.items():
        spread = np.std([run.get(key, np.nan) for run in runs], ddof=1) if len(runs) > 1 else np.nan
        size = _mean(runs, "n_rules") + _mean(runs, "n_linear")
        rows.append(
            [
                NAMES[model],
                f"{_mean(runs, key):.4g}",
                f"{spread:.2g}",
                f"{size:.0f}",
                f"{_seconds(name, runs):.2f}",
            ]
        )
    return table(["model", key, "sd over splits", "size", "CPU s"], rows)
