"""Whole regularisation paths on one data set: ours, and every rule built and handed to celer."""

import functools
import hashlib
import itertools
import time

import numpy as np


def quantile_cuts(x, bins):
    """Cuts between order statistics around the positions q n / bins ([SRF] Algorithm 3)."""
    values, n = np.sort(x), len(x)
    distinct = np.unique(values)
    if len(distinct) <= bins:
        return (distinct[1:] + distinct[:-1]) / 2
    cuts = set()
    for q in range(1, bins):
        low, high = values[q * n // bins - 1], values[-(-q * n // bins) - 1]
        if low != high:
            cuts.add((low + high) / 2)
            continue
        below, above = distinct[distinct < low], distinct[distinct > low]
        if len(below) == 0 or (len(above) and above[0] - low <= low - below[-1]):
            cuts.add((low + above[0]) / 2)
        else:
            cuts.add((low + below[-1]) / 2)
    return np.array(sorted(cuts))


def build_all(X, bins):
    """Every interval of every column and every product of two of them; n x p, Fortran order."""
    n, d = X.shape
    single = []
    for j in range(d):
        edges = np.r_[-np.inf, quantile_cuts(X[:, j], bins), np.inf]
        pairs = itertools.combinations(range(len(edges)), 2)
        keep = [(a, b) for a, b in pairs if (a, b) != (0, len(edges) - 1)]
        single.append(np.stack([(X[:, j] > edges[a]) & (X[:, j] <= edges[b]) for a, b in keep]))
    n_columns = sum(map(len, single)) + sum(len(a) * len(b) for a, b in itertools.combinations(single, 2))
    out = np.empty((n_columns, n))
    at = 0
    for block in single:
        out[at : at + len(block)] = block
        at += len(block)
    for a, b in itertools.combinations(single, 2):
        for row in a:
            np.logical_and(row, b, out=out[at : at + len(b)])
            at += len(b)
    return out.T


def celer(job):
    """Build (M = 8, two features), centre, and run celer's path over the grid that we use too."""
    from celer import celer_path

    data, params = np.load(job["data"]), job["params"]
    X, y = data["X_train"], data["y_train"]
    tiny = np.asfortranarray(np.random.default_rng(0).normal(size=(30, 5)))
    celer_path(tiny, tiny[:, 0].copy(), "lasso", alphas=[0.1])
    start, cpu = time.perf_counter(), time.process_time()
    rules = build_all(X, params.get("bins", 8))
    n_columns = rules.shape[1]
    linear = (X - X.mean(axis=0)) / X.std(axis=0)
    columns = np.concatenate([rules.T, linear.T]).T
    columns -= columns.mean(axis=0)
    target = y - y.mean()
    built = time.perf_counter()
    alpha_max = np.abs(columns.T @ target).max() / len(y)
    alphas = np.geomspace(alpha_max, alpha_max * params["alpha_min_ratio"], params.get("n_alphas", 100))
    _, coefs, gaps = celer_path(columns, target, "lasso", alphas=alphas, tol=params["tol"], max_iter=100)
    done, cpu = time.perf_counter(), time.process_time() - cpu
    objective = []
    for alpha, w in zip(alphas, coefs.T, strict=True):
        active = np.flatnonzero(w)
        residual = target - columns[:, active] @ w[active]
        objective.append(float(residual @ residual / 2 / len(y) + alpha * np.abs(w[active]).sum()))
    return {
        "seconds": done - start,
        "cpu_seconds": cpu,
        "build_seconds": built - start,
        "n_columns": n_columns,
        "n_active": int(np.count_nonzero(coefs[:-10, -1])),
        "alphas": alphas.tolist(),
        "objective": objective,
        "worst_gap": float(np.max(gaps)),
    }


def _grid(model, X, y, params):
    """The alphas down to params["alpha_min"]; None leaves the grid to the estimator."""
    if "alpha_min" not in params:
        return None
    probe = model.set_params(n_alphas=2, alpha_min_ratio=0.99).fit_path(X, y).path_.alphas[0]
    return np.geomspace(probe, params["alpha_min"], params["n_alphas"])


def ours_path(job):
    """fit_path of our estimator; the grid's first search is inside the clock."""
    import thresher

    data, params = np.load(job["data"]), dict(job["params"])
    X, y = data["X_train"], data["y_train"]
    own = {k: v for k, v in params.items() if k not in ("alpha_min", "n_alphas")}
    threads = own.pop("n_jobs", 1)
    if isinstance(own.get("bins"), list):
        own["bins"] = tuple(own["bins"])
    own.setdefault("bins", 8)
    own.setdefault("max_features", 2)
    own.setdefault("penalty_growth", 0.0)
    chosen = thresher.RuleRegressor if job["task"] == "regression" else thresher.RuleClassifier
    make = functools.partial(chosen, n_jobs=threads)
    make(bins=3, max_features=1, n_alphas=3).fit_path(X[:50], y[:50])
    start, cpu = time.perf_counter(), time.process_time()
    model = make(**own, n_alphas=params.get("n_alphas", 100))
    alphas = _grid(make(**own), X, y, params)
    model.fit_path(X, y) if alphas is None else model.fit_path(X, y, alphas=alphas)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    path = model.path_
    last = path.at(path.alphas[-1])
    digest = hashlib.sha256()
    for name in ("alphas", "objective", "relative_gap", "n_rules"):
        digest.update(np.ascontiguousarray(getattr(path, name)).tobytes())
    digest.update(np.ascontiguousarray(last.predict(X)).tobytes())
    points = [path.at(a).certificate_ for a in path.alphas]
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "n_columns": str(last.certificate_.n_candidates),
        "n_active": int(path.n_rules[-1]),
        "n_points": len(path.alphas),
        "alphas": np.asarray(path.alphas).tolist(),
        "objective": np.asarray(path.objective).tolist(),
        "worst_gap": float(np.max(path.relative_gap)),
        "nodes": int(sum(c.nodes for c in points)),
        "searches": int(sum(c.searches for c in points)),
        "digest": digest.hexdigest()[:16],
    }


JOBS = {"celer": celer, "ours_path": ours_path}
