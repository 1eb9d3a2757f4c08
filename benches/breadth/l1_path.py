"""scikit-learn's L1 path over columns that are written out, and the strengths of a case."""

import math
import time

import numpy as np
from sklearn.linear_model import LogisticRegression, lasso_path
from sklearn.svm import LinearSVC


def outputs(case):
    """How many problems a fit solves: more than two classes are fitted one against the rest."""
    return 1 if case["classes"] < 3 else case["classes"]


def least_rows(case):
    """`min_support` as a number of rows."""
    least = case["params"].get("min_support", 1)
    return max(1, math.ceil(least * case["rows"] - 1e-9)) if least < 1 else least


def l1_path(columns, y, weights, loss, alphas, limit):
    """CPU seconds of the path; of one that takes longer than the limit, at the speed up to there."""
    n, begin = len(y), time.process_time()
    if columns.shape[1] == 0:
        return 0.0
    if loss in ("squared", "huber"):
        v = np.ones(n) if weights is None else weights * n / weights.sum()
        root = np.sqrt(v)[:, None]
        Z = np.asfortranarray((columns - np.average(columns, axis=0, weights=v)) * root)
        lasso_path(Z, (y - np.average(y, weights=v)) * root.ravel(), alphas=alphas, tol=1e-6, max_iter=2000)
        return time.process_time() - begin
    for done, alpha in enumerate(alphas, 1):
        C = 1 / (n * alpha)
        if loss == "logistic":
            model = LogisticRegression(
                penalty="l1", solver="liblinear", C=C, tol=1e-5, intercept_scaling=10.0
            )
        else:
            model = LinearSVC(penalty="l1", dual=False, C=C, tol=1e-5, intercept_scaling=10.0)
        model.fit(columns, y, sample_weight=weights)
        spent = time.process_time() - begin
        if spent > limit:
            return spent * len(alphas) / done
    return time.process_time() - begin


def strengths_of(case, ours, kept):
    """The strengths of the path; of a cross-validated fit as many as were asked for."""
    if case["mode"] == "path" and "alphas" in kept:
        return kept["alphas"]
    top = float(np.max(kept["alphas"])) if "alphas" in kept else 1.0
    asked = case["params"].get("n_alphas", 100)
    count = ours["strengths"] // outputs(case) if case["mode"] == "path" else asked
    return np.geomspace(top, top * case["params"].get("alpha_min_ratio", 0.01), count)
