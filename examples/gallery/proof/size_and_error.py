"""
What does readability cost? Error against size
==============================================

Trees, boosted trees, the lasso and rules on the same rows (Friedman's function: five columns matter, two of
them only together). The size is what a reader has to read: rules, steps, leaves or columns.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import lasso_path
from sklearn.tree import DecisionTreeRegressor

from thresher import L0AdditiveRegressor, RuleRegressor

X, y = make_friedman1(3000, n_features=10, noise=1.0, random_state=0)
X, y, X_test, y_test = X[:600], y[:600], X[600:], y[600:]


def error(prediction):
    """Root mean squared error on rows that no model has seen."""
    return np.sqrt(np.mean((y_test - prediction) ** 2))


curves = {}

rules = RuleRegressor(max_features=2, bins=8, max_rules=20).fit_path(X, y).path_
sizes = np.arange(2, 21)
curves["rules and linear terms (Thresher)"] = [
    (size, error(rules.at(n_terms=size).predict(X_test))) for size in sizes
]

card = L0AdditiveRegressor(bins=40).fit_path(X, y).path_
curves["score card: steps (Thresher)"] = [
    (size, error(card.at(n_nonzero=size).predict(X_test)))
    for size in sorted(set(card.n_nonzero))
    if 1 < size <= 40
]

_, coefs, _ = lasso_path(X - X.mean(axis=0), y - y.mean())
curves["lasso: columns"] = {
    int((w != 0).sum()): error(y.mean() + (X_test - X.mean(axis=0)) @ w)
    for w in coefs.T
    if w.any()
}.items()

curves["one tree: leaves"] = [
    (
        leaves,
        error(
            DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
            .fit(X, y)
            .predict(X_test)
        ),
    )
    for leaves in (3, 5, 8, 12, 20, 40, 80)
]

boosted = GradientBoostingRegressor(max_depth=3, n_estimators=400, random_state=0).fit(
    X, y
)
leaves = np.cumsum([tree[0].get_n_leaves() for tree in boosted.estimators_])
curves["boosted trees: leaves"] = [
    (size, error(prediction))
    for size, prediction in zip(leaves, boosted.staged_predict(X_test), strict=True)
    if size in leaves[[0, 1, 3, 7, 15, 31, 63, 127, 255, 399]]
]

figure, ax = plt.subplots(figsize=(8, 4.6))
for (label, points), marker in zip(curves.items(), "os^vD", strict=True):
    size, value = np.transpose(list(points))
    ax.plot(size, value, marker=marker, ms=4, label=label)
ax.axhline(1.0, color="0.6", ls=":", label="noise: no model is below")
ax.set(xscale="log", xlabel="size of the model", ylabel="error on new rows")
ax.legend()

# %%
# The least error of each curve, and the size that it takes:

for label, points in curves.items():
    size, value = min(points, key=lambda point: point[1])
    print(f"{label:34} {value:.2f} at size {size}")

# %%
# Here ten terms are as good as four hundred boosted trees. That is no law: Friedman's function depends on
# few columns, which suits sums of rules and linear terms. Run the script on your rows, and if nobody has to
# read the model and boosting is better there, use it.
