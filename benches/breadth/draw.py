"""The case of a seed: sizes, data, parameters and the kind of fit, as a dict that JSON can hold.

Nothing is chosen by hand: a case depends on its family and seed alone. Sizes are log-uniform, so that
small and large ones are equally frequent; whatever an estimator can be given is drawn for some cases.
"""

import random

FAMILIES = (
    "rules",
    "itemsets",
    "sequences",
    "graphs",
    "hierarchies",
    "score cards",
    "best subsets",
    "machines",
)


def draw(family, seed, cap):
    """Draw a case; `cap` is the time limit of a fit in seconds."""
    r = random.Random(f"{family} {seed}")
    case = {"family": family, "seed": seed, "cap": cap, "weighted": r.random() < 0.25}
    case |= _DRAWS[family](r)
    case["noise"] = r.choice([0.1, 0.5, 1.0, 3.0])
    case["terms"] = r.choice([1, 3, 10, 30])
    case["quantile"] = r.choice([0.5, 0.5, 0.8, 0.97])  # the negative class's share
    classification = case["loss"] in ("logistic", "squared_hinge", "hinge", "exponential")
    case["classes"] = (3 if r.random() < 0.1 else 2) if classification else 0
    if case["mode"] == "limit":
        case["cap"] = r.choice([0.2, 0.5, 1.0, 2.0])
    return case


def _size(r, low, high):
    """A whole number, log-uniform between two."""
    return round(low * (high / low) ** r.random())


def _table(r, rows, columns):
    """Sizes and the look of a table of numbers."""
    return {
        "rows": _size(r, *rows),
        "columns": _size(r, *columns),
        "levels": r.choice([None, None, 2, 5, 20, 100, "mixed"]),  # distinct values of a column; None: all
        "correlation": r.choice([0.0, 0.0, 0.5, 0.95]),
        "skewed": r.random() < 0.2,
        "missing": r.choice([0.0, 0.0, 0.0, 0.02, 0.4]),
        "categories": 0,  # columns of categories among them, the last ones
    }


def _mode(r, *modes):
    return {"mode": r.choice(modes)}


def _path(r):
    return {
        "n_alphas": r.choice([5, 20, 50, 100]),
        "alpha_min_ratio": r.choice([0.001, 0.01, 0.05, 0.2]),
    }


def _convex(r, params):
    """Kind of fit, loss and parameters of a family with a path of L1 solutions."""
    mode = _mode(r, "path", "path", "path", "cv", "default", "limit")
    loss = r.choice(["squared", "squared", "logistic", "squared_hinge", "huber"])
    params = {} if mode["mode"] == "default" else _path(r) | params
    return {**mode, "loss": loss, "params": params}


def _rules(r):
    table = _table(r, (30, 10_000), (2, 60))
    table["categories"] = r.choice([0, 0, 0, 1, table["columns"] // 2])
    params = {
        "max_features": r.choice([1, 2, 2, 3, 3, 4]),
        "bins": r.choice(["auto", "auto", "supervised", 5, 20]),
        "penalty_growth": r.choice([0.0, 0.5, 0.5, 1.0]),
        "linear": r.random() < 0.7,
        "min_support": r.choice([1, 1, 5, 0.05]),
        "group_sparsity": r.choice([None, None, None, None, 0.5]),
        "positive": r.random() < 0.1,
        "monotonic_cst": [r.choice([-1, 0, 1]) for _ in range(table["columns"])]
        if r.random() < 0.15 and not table["categories"]
        else None,
    }
    return table | _convex(r, params)


def _patterns(r):
    return {
        "min_support": r.choice([1, 1, 5, 0.05]),
        "penalty_growth": r.choice([0.0, 0.0, 0.5]),
        "closed": r.random() < 0.8,
    }


def _itemsets(r):
    sizes = {
        "rows": _size(r, 20, 5_000),
        "columns": _size(r, 3, 200),
        "density": 10 ** r.uniform(-1.7, -0.05),
        "skew": r.choice([0.0, 0.0, 0.5, 0.95]),
        "correlation": r.choice([0.0, 0.0, 0.5, 0.95]),
    }
    params = {"max_items": r.choice([1, 2, 3, 3, 4, 5]), "negations": r.random() < 0.15}
    return sizes | _convex(r, _patterns(r) | params)


def _sequences(r):
    sizes = {
        "rows": _size(r, 20, 3_000),
        "columns": _size(r, 2, 120),  # symbols
        "events": r.randint(3, 50),
        "skew": r.choice([0.0, 0.0, 0.5, 0.95]),
    }
    params = {"max_length": r.choice([1, 2, 2, 3, 3, 4]), "max_gap": r.choice([None, None, None, 0, 2])}
    return sizes | _convex(r, _patterns(r) | params)


def _graphs(r):
    sizes = {
        "rows": _size(r, 20, 1_000),
        "columns": r.choice([1, 2, 4, 10]),  # labels of nodes
        "edge_labels": r.choice([1, 1, 3]),
        "nodes": _size(r, 4, 40),
        "degree": r.choice([2.0, 2.2, 3.0]),
        "skew": r.choice([0.0, 0.5, 0.95]),
    }
    wildcards = r.choice([False, False, False, False, "nodes", True])
    edges = r.choice([1, 2, 3] if wildcards else [1, 2, 3, 4, 5, 6])
    return sizes | _convex(r, _patterns(r) | {"max_edges": edges, "wildcards": wildcards})


def _hierarchies(r):
    table = _table(r, (30, 2_000), (2, 30))
    table["categories"] = r.choice([0, 0, 1, table["columns"]])
    mode = _mode(r, "path", "path", "path", "cv", "default", "limit")
    params = {
        "rho": r.choice([1.1, 1.1, 1.5, 2.0]),
        "depth_base": r.choice([1.5, 2.0, 2.0, 4.0]),
        "bins": ["uniform", r.choice([2, 3, 5, 10])],
    }
    loss = r.choice(["squared", "squared", "hinge", "squared_hinge", "logistic"])
    return {**table, **mode, "loss": loss, "params": {} if mode["mode"] == "default" else params}


def _score_cards(r):
    table = _table(r, (50, 20_000), (2, 60))
    table["categories"] = r.choice([0, 0, 0, 1, table["columns"] // 2])
    trends = [r.choice([0, 1, -1, "auto", "peak", "valley"]) for _ in range(table["columns"])]
    params = {
        "bins": r.choice([1000, 1000, 100, 20]),
        "lambda2": r.choice([0.0, 0.0, 0.01]),
        "ridge": r.choice([0.0, 0.01, 0.1]),
        "max_steps": r.choice([None, None, 10, 40]),
        "max_columns": r.choice([None, None, None, 4]),
        "min_bin_weight": r.choice([0.0, 0.0, 0.0, max(2.0, 0.02 * table["rows"])]),
        "monotonic_cst": trends if r.random() < 0.2 and not table["categories"] else None,
    }
    mode = _mode(r, "path", "path", "path", "cv", "default", "limit", "proof")
    if mode["mode"] == "default":
        params = {}
    if mode["mode"] == "proof":
        params |= {"ridge": r.choice([0.01, 0.1]), "gap_tol": 0.01}
    loss = r.choice(["squared", "logistic", "logistic", "exponential"])
    return {**table, **mode, "loss": loss, "params": params}


def _best_subsets(r):
    table = _table(r, (30, 5_000), (3, 2_000))
    table["missing"] = 0.0
    params = {
        "lambda2": r.choice([0.0, 0.0, 0.1, 1.0]),
        "max_nonzero": r.choice([5, 20, 50, None]),
        "bounds": r.choice([None, None, None, [0, 1e3], [-0.5, 0.5]]),
    }
    mode = _mode(r, "path", "path", "path", "cv", "default", "limit", "proof")
    if mode["mode"] == "default":
        params = {}
    if mode["mode"] == "proof":
        params |= {"lambda2": r.choice([0.1, 1.0]), "gap_tol": 0.0}
    loss = r.choice(["squared", "squared", "logistic", "exponential"])
    return {**table, **mode, "loss": loss, "params": params}


def _machines(r):
    sizes = {
        "rows": _size(r, 50, 20_000),
        "columns": _size(r, 3, 3_000),
        "density": r.choice([1.0, 0.3, 0.05, 0.01]),
        "binary": r.random() < 0.5,
        "correlation": 0.0,
    }
    sizes["density"] = max(sizes["density"], 2 / sizes["columns"])
    if sizes["rows"] * sizes["columns"] * sizes["density"] > 3e6:
        sizes["density"] = 3e6 / (sizes["rows"] * sizes["columns"])
    params = {
        "order": r.choice([2, 2, 2, 3, "all"]),
        "rank": r.choice([2, 10, 30]),
        "penalty": r.choice(["ti", "ti", "cs", "omega_ti", "omega_cs", "l1", "l21", None]),
        "alpha": 10 ** r.uniform(-4, -1),
        "standardize": r.random() < 0.7,
        "fit_lower": r.choice(["explicit", "explicit", "augment", "none"]),
        "signs": r.choice(["positive", "random"]),
        "solver": "auto",
        "max_iter": r.choice([50, 200, 1000]),
        "tol": r.choice([1e-3, 1e-5]),
    }
    if params["order"] == "all":
        params |= {"penalty": r.choice(["omega_ti", "omega_cs", "l1", "l21", None]), "fit_lower": "explicit"}
    if params["penalty"] in ("ti", "cs", "l1", "l21") and r.random() < 0.25:
        params["solver"] = r.choice(["fista", "psgd"])
    mode = _mode(r, "fit", "fit", "path", "default", "limit")
    loss = r.choice(["squared", "squared", "logistic", "squared_hinge", "huber"])
    return {**sizes, **mode, "loss": loss, "params": {} if mode["mode"] == "default" else params}


_DRAWS = {
    "rules": _rules,
    "itemsets": _itemsets,
    "sequences": _sequences,
    "graphs": _graphs,
    "hierarchies": _hierarchies,
    "score cards": _score_cards,
    "best subsets": _best_subsets,
    "machines": _machines,
}
