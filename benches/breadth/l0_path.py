"""The yardstick of score cards and best subsets: the path of fastsparsegams."""

import fastsparsegams
import numpy as np
from worker import timed

MOST_CELLS = 40_000_000  # of a table of thresholds: 320 MB


def _thresholds(X, bins):
    """Columns 1[x <= t]: all values, or quantiles so that the table fits; and whether all are there."""
    most = min(bins, MOST_CELLS // X.size)
    blocks, whole = [], True
    for x in X.T:
        values = np.unique(x[~np.isnan(x)])[:-1]
        if len(values) > most:
            values, whole = np.unique(np.quantile(values, np.linspace(0, 1, most))), False
        blocks.append(x[:, None] <= values)
    return np.asfortranarray(np.hstack(blocks), dtype=np.float64), whole


def best_subset_path(case, ours, X, y, weights, kept, limit):
    is_card = case["family"] == "score cards"
    design, whole = np.asfortranarray(X), True
    if is_card:
        design, whole = _thresholds(X, case["params"].get("bins", 1000))
    if design.shape[1] == 0:
        return {"goal": 0.0}
    names = {"logistic": "Logistic", "exponential": "Exponential", "squared": "SquaredError"}
    loss = case["loss"] if is_card or case["loss"] != "exponential" else "logistic"
    target = y - y.mean() if loss == "squared" else y
    grid = np.unique(kept["lambda0"])[::-1].tolist() if kept else [float(len(y)) * 0.8**k for k in range(40)]
    grid = [value for value in grid if value > 0]
    most = case["params"].get("max_nonzero" if not is_card else "max_steps") or min(design.shape)
    settings = {
        "loss": names[loss],
        "algorithm": "CDPSI",
        "penalty": "L0",
        "max_support_size": min(most, min(design.shape)),
        "lambda_grid": [grid],
        "num_lambda": None,
        "num_gamma": None,
    }
    fitted, seconds = timed(lambda: fastsparsegams.fit(design, target, **settings))
    result = {"goal": seconds, "yardstick": f"{design.shape[1]} columns, {len(grid)} penalties"}
    ridges = 3 if is_card and not case["params"] else 1  # the default chooses among three
    result["goal"] *= ridges
    if kept and whole and loss == case["loss"] and _is_plain(case):
        result |= _compared(loss, design, target, fitted, kept)
    return result


def _is_plain(case):
    """Whether the objective is that of fastsparsegams: losses and a price for each coefficient."""
    params = case["params"]
    limits = ("lambda2", "ridge", "max_columns", "min_bin_weight", "monotonic_cst", "bounds")
    has_ridge = "ridge" not in params and case["family"] == "score cards"  # the default
    of_data = case["weighted"] or case.get("missing") or case.get("categories")
    return not (has_ridge or of_data or any(params.get(name) for name in limits))


def _compared(loss, design, y, fitted, kept):
    """The worst relative difference of the objectives over the penalties (> 0: ours is worse).

    Of ours the best model of the path at each penalty: a step of an automatic path limits the number of
    terms, so that there are models of all sizes, and one that a step excludes comes at a smaller penalty.
    """
    coefs, intercepts = fitted.coeffs[0].toarray(), np.asarray(fitted.intercepts[0])
    f = design @ coefs + intercepts
    value = {
        "squared": lambda: 0.5 * (y[:, None] - f) ** 2,
        "logistic": lambda: np.logaddexp(0, -y[:, None] * f),
        "exponential": lambda: np.exp(-y[:, None] * f),
    }[loss]().sum(0)
    sizes = np.count_nonzero(coefs, axis=0)
    theirs = np.min(value[:, None] + sizes[:, None] * kept["lambda0"][None, :], axis=0)
    ours = np.min(kept["loss"][:, None] + kept["n_nonzero"][:, None] * kept["lambda0"][None, :], axis=0)
    worse = (ours - theirs) / np.maximum(np.abs(theirs), 1e-300)
    at = int(np.argmax(worse))
    where = {"lambda0": kept["lambda0"][at], "ours": ours[at], "theirs": theirs[at]}
    where = {name: float(value) for name, value in where.items()}
    return {"worse": float(worse[at]), "median_worse": float(np.median(worse)), "worst_at": where}
