"""The comparisons: what each suite runs and how its table is made."""

import itertools
from types import SimpleNamespace

import datasets
import numpy as np
from common import geometric_mean, table
from models import PEERS
from readability import readability

RULE_PEERS = [name for name in PEERS if name != "ebm"]


def _mean(results, key):
    values = [r[key] for r in results if key in r]
    return float(np.mean(values)) if len(values) == len(results) and values else float("nan")


def _median(results, key):
    values = [r.get(key, r.get("timeout", np.nan)) for r in results]
    late = any("timeout" in r for r in results)
    return ("> " if late else "") + f"{np.median(values):.2f}"


def _show(value, digits=4):
    return "-" if np.isnan(value) else f"{value:.{digits}g}"


def _best_rule_peer(measured, key):
    """(name, value) of the best rule model but ours."""
    values = {m: _mean(r, key) for m, r in measured.items() if m in RULE_PEERS}
    values = {m: v for m, v in values.items() if not np.isnan(v)}
    return min(values.items(), key=lambda item: item[1]) if values else ("none", float("nan"))


def _against(measured, peer, key):
    """The peer's mean over the splits that it finished, ours over it, and how many those are."""
    pairs = zip(measured.get("thresher", []), measured.get(peer, []), strict=False)
    pairs = [(ours[key], theirs[key]) for ours, theirs in pairs if key in ours and key in theirs]
    if not pairs:
        return float("nan"), float("nan"), 0
    ours, theirs = np.mean(pairs, axis=0)
    return theirs, ours / theirs, len(pairs)


def accuracy(bench):
    """Accuracy at the defaults: mean over the splits, number of rules and seconds beside it."""
    names = [n for n in datasets.ACCURACY if not bench.options.data or n in bench.options.data]
    splits = {name: datasets.accuracy_splits(name)[: bench.options.splits] for name in names}
    models = [m for m in ["thresher", *PEERS] if bench.wants(m)]
    measured = {name: {m: [] for m in models} for name in names if splits[name]}
    for model, k, name in itertools.product(models, range(bench.options.splits), measured):
        run = bench.run("accuracy", name, k, model, splits[name][k], datasets.ACCURACY[name])
        measured[name][model].append(run)
    parts, verdict, to_ebm = [], [], []
    for name, results in measured.items():
        key = "mse" if datasets.ACCURACY[name] == "regression" else "logloss"
        parts.append(f"### {name}\n\n" + _accuracy_table(results, key))
        ours = _mean(results.get("thresher", []), key)
        peer, best = _best_rule_peer(results, key)
        ebm, ratio, shared = _against(results, "ebm", key)
        if shared:
            to_ebm.append(ratio)
        verdict.append(
            [
                name,
                key,
                _show(ours),
                f"{peer} {_show(best)}",
                _show(ours / best, 3),
                _show(ebm),
                _show(ratio, 3),
                shared,
            ]
        )
    head = table(
        ["data", "loss", "ours", "best rule peer", "ours/peer", "EBM", "ours/EBM", "splits of EBM"], verdict
    )
    if to_ebm:
        head += f"\n\nGeometric mean of ours/EBM over {len(to_ebm)} data sets: {geometric_mean(to_ebm):.3f}"
    note = (
        "Regression: y standardised for the real sets. Means over the splits of the held-out loss (log-loss "
        "with probabilities clipped at 1e-6); medians of the seconds of one fit with one thread, by the "
        "clock and of the CPU (the fairer one where the machine was shared). For EBM the column 'rules' "
        "counts its terms (shape functions), for FIGS its splits."
    )
    return "Accuracy at the defaults", "\n\n".join([head, note, *parts])


def _accuracy_table(results, key):
    extra = ["auc", "accuracy"] if key == "logloss" else []
    rows = []
    base = np.median([r.get("cpu_seconds", np.nan) for r in results.get("thresher", [{}])])
    for model, runs in results.items():
        spread = np.std([r[key] for r in runs if key in r], ddof=1) if len(runs) > 1 else np.nan
        seconds = np.median([r.get("cpu_seconds", r.get("timeout", np.nan)) for r in runs])
        errors = [r["error"] for r in runs if "error" in r]
        rows.append(
            [
                model,
                f"{_show(_mean(runs, key))} ({_show(spread, 2)})"
                if not errors
                else f"failed: {errors[0][:60]}",
                *[_show(_mean(runs, e)) for e in extra],
                _show(_mean(runs, "n_rules"), 3),
                _show(_mean(runs, "n_linear"), 3),
                _median(runs, "seconds"),
                _median(runs, "cpu_seconds"),
                _show(seconds / base, 3),
            ]
        )
    return table(
        ["model", f"{key} (sd over splits)", *extra, "rules", "linear", "seconds", "CPU s", "CPU / ours"],
        rows,
    )


def all_rules(bench):
    """Every rule of at most two features built and solved by celer, against a search."""
    X, y = datasets.friedman1(1000, 0)
    split = SimpleNamespace(X_train=X, y_train=y, X_test=X[:1], y_test=y[:1])
    jobs = [("celer", {"alpha_min_ratio": 0.01, "tol": tol}) for tol in (1e-4, 1e-6)]
    jobs.append(("ours_path", {"alpha_min_ratio": 0.01}))
    results = {
        (m, p.get("tol")): bench.run("all-rules", "friedman1", 0, m, split, params=p)
        for m, p in jobs
        if bench.wants(m)
    }
    ours = results.get(("ours_path", None), {})
    rows = []
    for (model, tol), r in results.items():
        if "seconds" not in r:
            rows.append([model, tol, "-", str(r.get("error", f"> {r.get('timeout')} s")), *"-----"])
            continue
        worse = "-"
        if "objective" in ours:
            ratio = np.asarray(r["objective"]) / np.asarray(ours["objective"]) - 1
            worse = f"{ratio.max():.1e}"
        rows.append(
            [
                model,
                tol or 1e-6,
                f"{r.get('build_seconds', 0):.2f}",
                f"{r['seconds']:.2f}",
                _show(r["seconds"] / ours.get("seconds", np.nan), 3),
                _show(r["cpu_seconds"] / ours.get("cpu_seconds", np.nan), 3),
                r["n_columns"],
                r["n_active"],
                worse,
            ]
        )
    header = [
        "solver",
        "tol",
        "build s",
        "build + path s",
        "time / ours",
        "CPU / ours",
        "columns",
        "rules at the end",
        "objective over ours (worst)",
    ]
    return (
        "All rules built + celer against the search (Friedman 1, 1000 x 10, M = 8, two features, 100 alphas)",
        table(header, rows),
    )


def large(bench):
    """A cross-validated fit on 14,000 x 8 against imodels' RuleFit at its defaults."""
    names = [n for n in ("mixed8", "casp8") if not bench.options.data or n in bench.options.data]
    parts = []
    for name in names:
        splits = datasets.large_splits(name, min(bench.options.splits, 2))
        models = [m for m in ("thresher", "imodels_rulefit", "imodels_figs") if bench.wants(m)]
        results = {m: [bench.run("large", name, k, m, s) for k, s in enumerate(splits)] for m in models}
        if splits:
            parts.append(f"### {name}\n\n" + _accuracy_table(results, "mse"))
    return "Cross-validated fit on 14,000 x 8", "\n\n".join(parts)


def threads(bench):
    """The CASP path with 1, 2 and 4 threads: time, and whether the bits agree."""
    data = datasets.paper("casp")
    if data is None:
        return "Threads", "skipped: no data"
    X, y = datasets.standardised(data[0]), datasets.standardised(data[1])
    rows = np.random.default_rng(0).permutation(len(y))[: 2 * len(y) // 3]
    split = SimpleNamespace(X_train=X[rows], y_train=y[rows], X_test=X[:1], y_test=y[:1])
    runs = {}
    for n in (1, 2, 4):
        params = {"n_jobs": n, "bins": 8, "max_features": 3, "alpha_min_ratio": 0.01}
        runs[n] = bench.run("threads", "casp", 0, "ours_path", split, params=params, threads=n, timeout=900)
    lines = [
        [
            n,
            f"{r.get('seconds', np.nan):.2f}",
            _show(runs[1].get("seconds", np.nan) / r.get("seconds", np.nan), 3),
            str(r.get("digest", r.get("error"))),
            "yes" if r.get("digest") == runs[1].get("digest") else "NO",
        ]
        for n, r in runs.items()
    ]
    return "Threads: CASP, two thirds of the rows, M = 8, three features, 100 alphas", table(
        ["n_jobs", "seconds", "times one thread", "digest of the path", "same bits"], lines
    )


def strategies(bench):
    """The three strategies on AIRFOIL as in the paper's experiment 3."""
    data = datasets.paper("airfoil")
    if data is None:
        return "Strategies", "skipped: no data"
    X, y = datasets.standardised(data[0]), datasets.standardised(data[1])
    rows = np.random.default_rng(0).permutation(len(y))[: len(y) // 5]
    split = SimpleNamespace(X_train=X[rows], y_train=y[rows], X_test=X[:1], y_test=y[:1])
    params = {
        "bins": ["intervals", 0.005],
        "max_features": None,
        "n_alphas": 1000,
        "alpha_min": 0.5 / len(rows),
        "max_rules": 100,
    }
    runs = {}
    for name in ("working_set", "screening", "column_generation"):
        runs[name] = bench.run(
            "strategies", "airfoil", 0, "ours_path", split, params={**params, "strategy": name}
        )
    base = runs["working_set"].get("seconds", np.nan)
    lines = [
        [
            name,
            f"{r['seconds']:.2f}" if "seconds" in r else f"> {r.get('timeout', r.get('error'))}",
            _show(r.get("seconds", r.get("timeout", np.nan)) / base, 3),
            r.get("nodes", "-"),
            r.get("searches", "-"),
            r.get("n_points", "-"),
            r.get("n_active", "-"),
        ]
        for name, r in runs.items()
    ]
    header = ["strategy", "seconds", "time / working_set", "nodes", "searches", "alphas", "rules"]
    return "Strategies: AIRFOIL, experiment 3 (delta = 0.005, a fifth of the rows)", table(header, lines)


SUITES = {
    "accuracy": accuracy,
    "all-rules": all_rules,
    "large": large,
    "threads": threads,
    "strategies": strategies,
    "readability": readability,
}
