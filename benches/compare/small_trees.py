"""Peers that are one tree: CART, and trees proven optimal. k splits make k + 1 leaves."""

import time

import numpy as np
from small_fitted import Fitted, classes, indicators, quantile_cuts

TREE_SECONDS = 2.0  # for one search of an optimal tree; the best tree found by then is taken
DEPTH = 4  # optimal trees of depth 5 take minutes on the larger sets


def _leaf_fit(leaf, X, y, task, n_leaves):
    """Predictions from the training rows of each leaf, with Laplace's correction for classes."""
    train = leaf(X)
    names, at = np.unique(train, return_inverse=True)
    count = np.bincount(at)
    if task == "regression":
        value, kind = np.bincount(at, weights=y) / count, "value"
    else:
        value, kind = (np.bincount(at, weights=y > 0) + 1) / (count + 2), "probability"
    predict = lambda Z: value[np.clip(np.searchsorted(names, leaf(Z)), 0, len(names) - 1)]
    return Fitted(predict, n_leaves - 1, kind=kind)


def cart(X, y, task, budgets, params):
    """scikit-learn's tree; the number of leaves, k + 1 at most, by five-fold cross-validation."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    make = DecisionTreeRegressor if task == "regression" else DecisionTreeClassifier
    sizes = np.array([2, 3, 4, 6, 9, 11, 16, 21, 26, 31])
    scoring = "neg_mean_squared_error" if task == "regression" else "neg_brier_score"
    target = y if task == "regression" else classes(y)
    for k in budgets:
        grid = {"max_leaf_nodes": np.unique([*sizes[sizes <= k + 1], k + 1])}
        search = GridSearchCV(make(random_state=0, **params), grid, scoring=scoring, cv=5)
        model = search.fit(X, target).best_estimator_
        yield k, _leaf_fit(model.apply, X, y, task, model.get_n_leaves())


class _Branches:
    """A tree over binary columns: its number of leaves, and the leaf of each row."""

    def __init__(self, root, parts):
        self.n_leaves, self._parts = 0, parts
        self._root = self._copied(root)

    def _copied(self, node):
        parts = self._parts(node)
        if parts is None:
            self.n_leaves += 1
            return self.n_leaves - 1
        feature, where_one, where_zero = parts
        return feature, self._copied(where_one), self._copied(where_zero)

    def leaves(self, Z):
        """The leaf that each row of a binary table falls into."""
        found, todo = np.zeros(len(Z), dtype=int), [(self._root, np.arange(len(Z)))]
        while todo:
            node, rows = todo.pop()
            if isinstance(node, int):
                found[rows] = node
            else:
                feature, where_one, where_zero = node
                one = Z[rows, feature] > 0
                todo += [(where_one, rows[one]), (where_zero, rows[~one])]
        return found


def _gosdt_parts(node):
    return (node.feature, node.left_child, node.right_child) if hasattr(node, "feature") else None


def _streed_parts(node):
    return None if node.is_leaf_node() else (node.feature, node.right_child, node.left_child)


def gosdt(X, y, task, budgets, params):
    """Optimal trees for 0-1 loss plus a price a leaf: of a path of prices the largest within k.

    The columns are its own guesses of thresholds; the path ends where a search runs out of time.
    """
    from gosdt import GOSDTClassifier, ThresholdGuessBinarizer

    if task == "regression":
        return
    guess = ThresholdGuessBinarizer(n_estimators=40, max_depth=1, random_state=0)
    guess.set_output(transform="pandas")
    Z, trees = guess.fit_transform(X, classes(y)), []
    settings = {"time_limit": int(TREE_SECONDS), "depth_budget": DEPTH + 1, **params}
    for price in np.geomspace(0.1, 1.0 / len(y), 10):
        start = time.perf_counter()
        try:
            model = GOSDTClassifier(regularization=price, **settings).fit(Z, classes(y))
        except Exception as error:  # out of time without a tree
            print(f"gosdt at {price:g}: {error}")
            break
        trees.append(_Branches(model.trees_[0].tree, _gosdt_parts))
        late = time.perf_counter() - start > 0.9 * TREE_SECONDS
        if late or trees[-1].n_leaves > max(budgets) + 1:
            break
    for k in budgets:
        tree = [t for t in trees if t.n_leaves <= k + 1][-1]
        leaf = lambda N, t=tree: t.leaves(guess.transform(N).to_numpy())
        yield k, _leaf_fit(leaf, X, y, task, tree.n_leaves)


def streed(X, y, task, budgets, params):
    """Trees of least squared error with k splits and depth 4 at most, on seven quantiles a column.

    For classes too: the squared error of the labels is the loss that suits probabilities.
    """
    import pystreed

    cuts = quantile_cuts(X, 7)
    Z, target = indicators(X, cuts).astype(int), y if task == "regression" else (y > 0).astype(float)
    fixed = {"optimization_task": "regression", "max_depth": DEPTH, "time_limit": TREE_SECONDS}
    fitted = {}
    for k in budgets:
        size = min(k, 2**DEPTH - 1)
        if size not in fitted:
            model = pystreed.STreeDRegressor(**{**fixed, "max_num_nodes": size, **params}).fit(Z, target)
            tree = _Branches(model.tree_, _streed_parts)
            leaf = lambda N, t=tree: t.leaves(indicators(N, cuts))
            fitted[size] = _leaf_fit(leaf, X, y, task, tree.n_leaves)
        yield k, fitted[size]
