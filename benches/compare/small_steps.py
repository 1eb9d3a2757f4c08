"""Peers that are sums of steps 1[x_j <= t]: risk scores, and an EBM cut to k steps."""

import numpy as np
from small_fitted import Fitted, classes, indicators, quantile_cuts

# What is cut to at most 30 steps needs neither 1,024 bins nor 14 bags of slow learning: the defaults
# take ten times as long for shape functions whose best steps are nearly the same.
EBM = {"interactions": 0, "max_bins": 128, "outer_bags": 4, "learning_rate": 0.04}


def fasterrisk(X, y, task, budgets, params):
    """Risk scores with k integer points on columns binarised at seven quantiles."""
    from fasterrisk.fasterrisk import RiskScoreOptimizer

    if task == "regression":
        return
    cuts = quantile_cuts(X, 7)
    Z = indicators(X, cuts)
    for k in budgets:
        search = RiskScoreOptimizer(X=Z, y=np.where(y > 0, 1.0, -1.0), k=k, **params)
        search.optimize()
        multiplier, intercept, points = search.get_models(model_index=0)

        def predict(N, m=multiplier, b=intercept, w=points):
            return 1 / (1 + np.exp(-(b + indicators(N, cuts) @ w) / m))

        yield k, Fitted(predict, np.count_nonzero(points), kind="probability")


def _segments(values, weights, most):
    """Best piecewise constant fits of one shape function.

    Returns (cost of p pieces for p = 1.., their boundaries); cost is the weighted squared error.
    """
    m = len(values)
    w, s, q = (
        np.concatenate([[0.0], np.cumsum(v)]) for v in (weights, weights * values, weights * values**2)
    )
    start = np.arange(m)
    cost, cut = np.full((most + 1, m + 1), np.inf), np.zeros((most + 1, m + 1), dtype=int)
    cost[0, 0] = 0.0
    for end in range(1, m + 1):
        total = np.maximum(w[end] - w[start[:end]], 1e-12)
        error = q[end] - q[start[:end]] - (s[end] - s[start[:end]]) ** 2 / total
        options = cost[:-1, :end] + np.maximum(error, 0.0)
        cut[1:, end] = np.argmin(options, axis=1)
        cost[1:, end] = np.min(options, axis=1)
    boundaries = []
    for pieces in range(1, most + 1):
        at, found = m, []
        for p in range(pieces, 0, -1):
            at = cut[p, at]
            found.append(at)
        boundaries.append(sorted(found[:-1]))
    return cost[1:, m], boundaries


def _shared_out(costs, k):
    """Steps for each column, k at most in all, of least total cost (costs[j][s] for s steps)."""
    best, choice = np.zeros(k + 1), []
    for cost in costs:
        options = np.full((k + 1, k + 1), np.inf)
        for steps in range(min(k, len(cost) - 1) + 1):
            options[steps, steps:] = best[: k + 1 - steps] + cost[steps]
        choice.append(np.argmin(options, axis=0))
        best = np.min(options, axis=0)
    left, steps = int(np.argmin(best)), []
    for chosen in reversed(choice):
        steps.append(int(chosen[left]))
        left -= steps[-1]
    return steps[::-1]


def _steps(X, y, task, cuts):
    """Least squares or logistic regression on the chosen steps."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    if not any(len(t) for t in cuts):
        mean = float(np.mean(y if task == "regression" else y > 0))
        return lambda Z: np.full(len(Z), mean)
    design = indicators(X, cuts)
    if task == "regression":
        model = LinearRegression().fit(design, y)
        return lambda Z: model.predict(indicators(Z, cuts))
    model = LogisticRegression(C=10.0, max_iter=2000).fit(design, y > 0)
    return lambda Z: model.predict_proba(indicators(Z, cuts))[:, 1]


def ebm_steps(X, y, task, budgets, params):
    """An EBM without interactions whose shape functions are cut to k steps, then fitted again.

    The steps are those of least squared distance to the shape functions on the training rows.
    """
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    make = ExplainableBoostingRegressor if task == "regression" else ExplainableBoostingClassifier
    kinds = ["continuous"] * X.shape[1]  # else a column of two values would be nominal, without cuts
    model = make(feature_types=kinds, n_jobs=1, random_state=0, **{**EBM, **params}).fit(
        X, y if task == "regression" else classes(y)
    )
    pieces = max(budgets) + 1
    found = []
    for j in range(X.shape[1]):
        values, weights = model.term_scores_[j][1:-1], model.bin_weights_[j][1:-1]
        found.append(_segments(values, weights, min(pieces, len(values))))
    for k in budgets:
        steps = _shared_out([cost for cost, _ in found], k)
        cuts = []
        for j, (n, (_, boundaries)) in enumerate(zip(steps, found, strict=True)):
            edges = np.asarray(model.bins_[j][0])
            cuts.append(edges[[b - 1 for b in boundaries[n]]] if n else edges[:0])
        yield k, Fitted(_steps(X, y, task, cuts), sum(map(len, cuts)), kind="probability")
