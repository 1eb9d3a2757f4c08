"""The data of a case: X in the form that the estimator reads, the response, the weights."""

import numpy as np
import scipy.sparse as sp

TABLES = ("rules", "hierarchies", "score cards", "best subsets")


def make(case):
    """(X, y, weights or None, columns): y are numbers or labels 0, 1, ..., from products of the columns."""
    rng = np.random.default_rng([case["seed"], 1])
    family = case["family"]
    if family in TABLES:
        X, features = _table(case, rng)
    elif family == "machines":
        X = features = _sparse(case, rng)
    elif family == "itemsets":
        X = features = _items(case, rng)
    elif family == "sequences":
        X, features = _events(case, rng)
    else:
        X, features = _graphs(case, rng)
    y = _response(case, features, rng)
    weights = rng.integers(1, 4, len(y)).astype(float) if case["weighted"] else None
    return X, y, weights, features


def frame(case, X):
    """A table as our estimators read it: categories are strings where there are any."""
    if not case.get("categories"):
        return X
    import pandas as pd

    first = case["columns"] - case["categories"]
    columns = {f"x{j}": X[:, j] for j in range(first)}
    names = np.array([f"level {k}" for k in range(100)], dtype=object)
    for j in range(first, case["columns"]):
        gone = np.isnan(X[:, j])
        columns[f"x{j}"] = np.where(gone, None, names[np.where(gone, 0, X[:, j]).astype(int)])
    return pd.DataFrame(columns)


def _normal(rng, n, p, rho):
    """Normal columns with correlation rho^|i - j|."""
    Z = rng.normal(size=(n, p))
    for j in range(1, p):
        Z[:, j] = rho * Z[:, j - 1] + np.sqrt(1 - rho**2) * Z[:, j]
    return Z


def _table(case, rng):
    n, p = case["rows"], case["columns"]
    Z = _normal(rng, n, p, case["correlation"])
    X = np.exp(Z) if case["skewed"] else Z.copy()
    for j in range(p):
        levels = rng.choice([2, 5, 20, 100, n]) if case["levels"] == "mixed" else case["levels"]
        if j >= p - case["categories"]:
            levels = rng.integers(2, 12)
        if levels is not None and levels < n:
            edges = np.quantile(Z[:, j], np.sort(rng.random(levels - 1)))
            X[:, j] = np.searchsorted(edges, Z[:, j])
    full = X.copy()
    if case["missing"]:
        X[rng.random(X.shape) < case["missing"]] = np.nan
    return X, full


def _sparse(case, rng):
    n, p = case["rows"], case["columns"]
    if case["density"] == 1.0:
        return rng.normal(size=(n, p))
    draw = (lambda size: np.ones(size)) if case["binary"] else (lambda size: rng.normal(size=size))
    X = sp.random_array((n, p), density=case["density"], rng=rng, data_sampler=lambda size: draw(size))
    return sp.csr_matrix(X)


def _items(case, rng):
    n, m = case["rows"], case["columns"]
    share = case["density"] * (1 - case["skew"] * np.arange(m) / m)
    from scipy.special import ndtr

    return (ndtr(_normal(rng, n, m, case["correlation"])) < share).astype(np.uint8)


def _symbols(rng, size, m, skew):
    """Symbols 0 .. m - 1, the first ones more frequent with a skew."""
    weight = 1 - skew * np.arange(m) / m
    return rng.choice(m, size=size, p=weight / weight.sum())


def _events(case, rng):
    n, m = case["rows"], case["columns"]
    lengths = rng.integers(1, case["events"] + 1, n)
    records = [_symbols(rng, k, m, case["skew"]).tolist() for k in lengths]
    held = np.zeros((n, m), np.uint8)
    for row, record in enumerate(records):
        held[row, record] = 1
    return records, held


def _graphs(case, rng):
    """Random trees with further edges, as many as make the mean degree."""
    graphs, held = [], []
    pairs = {}
    for _ in range(case["rows"]):
        n = int(rng.integers(2, case["nodes"] + 1))
        edges = {(int(rng.integers(v)), v) for v in range(1, n)}
        for _ in range(round(max(0.0, case["degree"] - 2) * n / 2)):
            u, v = sorted(rng.choice(n, 2, replace=False).tolist())
            edges.add((u, v))
        edges = sorted(edges)
        labels = _symbols(rng, n, case["columns"], case["skew"]).tolist()
        kinds = rng.integers(case["edge_labels"], size=len(edges)).tolist()
        graphs.append((labels, edges, kinds))
        found = {(*sorted((labels[u], labels[v])), kind) for (u, v), kind in zip(edges, kinds, strict=True)}
        held.append({pairs.setdefault(pair, len(pairs)) for pair in found} | {-1 - min(n // 5, 7)})
    features = np.zeros((len(graphs), len(pairs) + 9), np.uint8)
    for row, found in enumerate(held):
        features[row, list(found)] = 1
    return graphs, features


def _response(case, features, rng):
    """A sum of products of up to three columns, some of them thresholds, and noise."""
    n, p = features.shape
    signal = np.zeros(n)
    for _ in range(case["terms"]):
        term = rng.normal() * np.ones(n)
        for j in rng.integers(p, size=rng.integers(1, 4)):
            x = features[:, [j]].toarray().ravel() if sp.issparse(features) else features[:, j].astype(float)
            step = x > rng.choice(x)
            term = term * (x if case["family"] in ("machines", "best subsets") or step.all() else step)
        signal += term
    signal = (signal - signal.mean()) / (signal.std() or 1.0)
    y = signal + case["noise"] * rng.normal(size=n)
    if case["classes"]:
        cuts = [case["quantile"]] if case["classes"] == 2 else [0.4, 0.8]
        labels = np.searchsorted(np.quantile(y, cuts), y)
        labels[: case["classes"]] = np.arange(case["classes"])  # every class occurs
        return labels
    return 100 + 10 * y
