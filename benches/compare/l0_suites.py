"""The comparisons of best subsets: what each suite runs and how its table is made."""

from types import SimpleNamespace

import datasets
import numpy as np
from common import table

GRID = [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.8]
EVEN = 1e-9  # relative: objectives this close are the same
PATH_PEERS = ("fastsparse_path", "abess_path", "lasso_path")


def _split(X, y):
    return SimpleNamespace(X_train=X, y_train=y, X_test=X[:1], y_test=y[:1])


def _ratio(other, ours, key="cpu_seconds"):
    return f"{other[key] / ours[key]:.3g}" if key in other and key in ours else "-"


def _seconds(run):
    if "seconds" in run:
        return [f"{run['seconds']:.3f}", f"{run['cpu_seconds']:.3f}"]
    return [f"> {run['timeout']:.0f}" if "timeout" in run else f"failed: {run.get('error', '')[:50]}", "-"]


def _objectives(run, prices):
    """At each price: the objective of the path's point there, or its best model if it has no prices."""
    smooth, sizes = np.array(run["smooth"]), np.array(run["n_nonzero"])
    found = []
    for price in prices:
        own = [k for k, p in enumerate(run["lambda0"]) if p is not None and np.isclose(p, price)]
        if all(p is None for p in run["lambda0"]):
            own = range(len(smooth))
        values = [smooth[k] + price * sizes[k] for k in own]
        found.append(min(values, default=np.nan))
    return np.array(found)


def thresholded(bench):
    """All thresholds of integer columns, eight prices: time and objective of every point."""
    tables = {"compas": datasets.compas, "fico": datasets.fico, "fico_shape": datasets.fico_shape}
    chosen = {name: make for name, make in tables.items() if _wanted(bench, name)}
    head, parts = [], []
    for name, make in chosen.items():
        data = make()
        if data is None:
            continue
        for loss, lambda2, last in (
            ("logistic", 1e-5, 0.8),
            ("exponential", 0.0, 3.0),
            ("exponential", 0.0, 0.8),
        ):
            grid = [price for price in GRID if price >= last]
            lines, part = _thresholded(bench, name, _split(*data), loss, lambda2, grid)
            head += lines
            parts.append(f"### {name}, {loss}, down to {last}\n\n{part}")
    note = (
        "One warm path of the prices, one thread; seconds by the clock and of the CPU (the fairer ones "
        "where the machine was shared), medians of up to five fits in one process; building the "
        "threshold columns, which ours does without, is not counted. Objectives are computed from each "
        "model's coefficients: sum of losses + lambda0 * terms + lambda2 * sum of squares. `no worse`: "
        "at how many prices ours is no worse; `worst`: our largest excess. abess has no prices: it "
        "gives the one model of its criterion, which is valued at each price."
    )
    header = ["data", "loss", "to", "peer", "CPU ours", "CPU peer", "CPU / ours", "no worse", "worst"]
    return "Thresholds of integer columns", "\n\n".join([table(header, head), note, *parts])


def _thresholded(bench, name, split, loss, lambda2, grid):
    params = {"loss": loss, "lambda2": lambda2, "grid": grid, "dummies": True}
    label = f"{name} {loss} {grid[-1]}"
    models = ["ours_additive", "fastsparse_path", *(["abess_path"] if loss == "logistic" else [])]
    runs = {
        m: bench.run("thresholded", label, 0, m, split, "classification", params)
        for m in models
        if bench.wants(m)
    }
    ours = runs.get("ours_additive", {})
    objectives = {m: _objectives(r, grid) for m, r in runs.items() if "smooth" in r}
    rows, head = [], []
    for model, run in runs.items():
        shown = [f"{v:.2f}" for v in objectives[model]] if model in objectives else ["-"] * len(grid)
        rows.append([model, *_seconds(run), _ratio(run, ours), *shown])
        if model == "ours_additive" or not {model, "ours_additive"} <= objectives.keys():
            continue
        excess = objectives["ours_additive"] / objectives[model] - 1
        compared = excess[~np.isnan(excess)]
        verdict = f"{int((compared <= EVEN).sum())} of {len(compared)}"
        cells = [f"{ours['cpu_seconds']:.4f}", f"{run['cpu_seconds']:.3f}", _ratio(run, ours)]
        head.append(
            [name, loss, grid[-1], model.removesuffix("_path"), *cells, verdict, f"{compared.max():+.3%}"]
        )
    sizes = [["terms: " + m, "", "", "", *_sizes(r, grid)] for m, r in runs.items() if "smooth" in r]
    return head, table(["model", "seconds", "CPU s", "CPU / ours", *map(str, grid)], rows + sizes)


def _sizes(run, grid):
    if len(run["n_nonzero"]) != len(grid):
        return [run["n_nonzero"][-1] if k == 0 else "" for k in range(len(grid))]
    return run["n_nonzero"]


def _wanted(bench, name):
    return not bench.options.data or name in bench.options.data


def continuous(bench):
    """Correlated normal columns as in the paper: whole paths, best support F1 and time."""
    seeds = range(min(bench.options.splits, 5))
    jobs = [
        ("class 0.001", "logistic", 1e-3, 100, datasets.correlated_class, seeds, 800),
        ("class 1e-05", "logistic", 1e-5, 100, datasets.correlated_class, seeds, 800),
        ("regression", "squared", 0.0, 150, datasets.correlated_reg, seeds[:1], 2000),
    ]
    jobs = [job for job in jobs if _wanted(bench, job[0].split()[0])]
    head, parts = [], []
    for label, loss, lambda2, most, make, draws, n_train in jobs:
        runs = {m: [] for m in ("ours_linear", *PATH_PEERS) if bench.wants(m)}
        for seed in draws:
            X, y, w = make(seed)
            split = _split(X[:n_train], y[:n_train])
            params = {"loss": loss, "lambda2": lambda2, "grid": None, "most": most, "dummies": False}
            params["truth"] = np.flatnonzero(w).tolist()
            for model, results in runs.items():
                task = "regression" if loss == "squared" else "classification"
                results.append(bench.run("continuous", label, seed, model, split, task, params))
        head += _continuous_lines(label, runs)
        parts.append(f"### {label}\n\n{_continuous_table(runs)}")
    note = (
        "Classes: 800 x 1000, rho 0.9, 25 true columns, paths to 100 terms. Regression: 2000 x 2000, "
        "rho 0.9, 100 true columns, signal to noise 5, paths to 150 terms. F1 of the best support of "
        "each path, mean over the seeds. Objective: at each price of fastsparsegams' path that ours "
        "reaches, the best model of either path; `no worse` counts the prices, `worst` is our largest "
        "relative excess. abess hands over one model, of its criterion."
    )
    header = ["data", "peer", "F1 ours", "F1 peer", "CPU ours", "CPU peer", "CPU / ours", "no worse", "worst"]
    return "Correlated continuous columns", "\n\n".join([table(header, head), note, *parts])


def _envelope(run, prices):
    smooth, sizes = np.array(run["smooth"]), np.array(run["n_nonzero"])
    return (smooth[:, None] + sizes[:, None] * np.asarray(prices)[None, :]).min(axis=0)


def _continuous_lines(label, runs):
    lines = []
    for model, results in runs.items():
        pairs = zip(runs.get("ours_linear", []), results, strict=False)
        done = [(a, b) for a, b in pairs if "smooth" in a and "smooth" in b]
        if model == "ours_linear" or not done:
            continue
        cells = [np.mean([max(run["f1"]) for run in side]) for side in zip(*done, strict=True)]
        times = [sum(run["cpu_seconds"] for run in side) / len(done) for side in zip(*done, strict=True)]
        excess = np.concatenate([_excess(a, b) for a, b in done])
        verdict = (
            [f"{int((excess <= EVEN).sum())} of {len(excess)}", f"{excess.max():+.2%}"]
            if len(excess)
            else "--"
        )
        shown = [*(f"{f1:.3f}" for f1 in cells), *(f"{t:.2f}" for t in times), f"{times[1] / times[0]:.3g}"]
        lines.append([label, model.removesuffix("_path"), *shown, *verdict])
    return lines


def _excess(ours, peer):
    """Our relative excess at the peer's prices down to the end of our path."""
    known = [p for p in ours["lambda0"] if p is not None]
    prices = [p for p in peer["lambda0"] if p is not None and p >= min(known)]
    return _envelope(ours, prices) / _envelope(peer, prices) - 1 if prices else np.array([])


def _continuous_table(runs):
    rows = []
    for model, results in runs.items():
        for seed, run in enumerate(results):
            f1 = f"{max(run['f1']):.3f}" if "f1" in run else "-"
            sizes = [len(run["f1"]), run["n_nonzero"][int(np.argmax(run["f1"]))]] if "f1" in run else "--"
            rows.append([model, seed, *_seconds(run), f1, *sizes])
    return table(["model", "seed", "seconds", "CPU s", "best F1", "points", "terms at the best"], rows)


def small_models(bench):
    """COMPAS in five folds: at most 20 steps against boosting and EBM, by their AUC on held-out rows."""
    data = datasets.compas()
    if data is None:
        return "Test AUC with at most 20 steps", "skipped: no data"
    splits = list(datasets.folds(*data, 5, stratified=True))[: bench.options.splits]
    models = ["ours_steps", "boosting", "fastsparse", "lasso", "ebm_main", "ebm"]
    runs = {
        m: [bench.run("small", "compas", k, m, s, "classification") for k, s in enumerate(splits)]
        for m in models
        if bench.wants(m)
    }
    rows = []
    for model, results in runs.items():
        done = [r for r in results if "auc" in r]
        if len(done) < len(results):
            rows.append([model, *_seconds(next(r for r in results if "auc" not in r)), *"-----"])
            continue
        mean = {
            key: np.mean([r[key] for r in done])
            for key in ("seconds", "cpu_seconds", "auc", "logloss", "n_rules")
        }
        spread = np.std([r["auc"] for r in done], ddof=1) if len(done) > 1 else np.nan
        times = [f"{mean['seconds']:.2f}", f"{mean['cpu_seconds']:.2f}"]
        shown = [f"{mean['auc']:.4f}", f"{spread:.4f}", f"{mean['logloss']:.4f}", f"{mean['n_rules']:.1f}"]
        rows.append([model, *times, *shown, _ratio({"cpu": mean["cpu_seconds"]}, _base(runs), "cpu")])
    note = (
        "Means over the folds; `terms`: steps of ours, thresholds of fastsparsegams and of the L1 model "
        "(all thresholds as columns), shape functions of EBM, leaves of the boosted trees. Ours is "
        "cross-validated in ten folds inside each training fold, else at its defaults, with "
        "`max_steps=20` and every threshold. Times are of the whole fit, one thread."
    )
    header = ["model", "seconds", "CPU s", "test AUC", "sd", "log-loss", "terms", "CPU / ours"]
    return "Test AUC with at most 20 steps: COMPAS", f"{table(header, rows)}\n\n{note}"


def _base(runs):
    done = [r["cpu_seconds"] for r in runs.get("ours_steps", []) if "cpu_seconds" in r]
    return {"cpu": np.mean(done)} if done else {}


SUITES = {"thresholded": thresholded, "continuous": continuous, "small-models": small_models}
