"""The yardstick of rules: an ensemble as users make it, from the nodes of boosted trees."""

import json

import lightgbm
import numpy as np
from boxes import largest_score
from l1_path import l1_path, least_rows, strengths_of
from recomputed_gap import dual_start, recomputed_gap
from worker import timed


def rules(case, ours, X, y, weights, kept, limit):
    loss = case["loss"]
    kind = lightgbm.LGBMRegressor if loss in ("squared", "huber") else lightgbm.LGBMClassifier
    depth = case["params"].get("max_features", 3)
    model = kind(n_estimators=100, num_leaves=8, max_depth=depth, n_jobs=1, verbose=-1)
    _, boosting = timed(lambda: model.fit(X, y, sample_weight=weights))
    columns, _ = timed(_nodes, model.booster_.dump_model()["tree_info"], X)
    if case["params"].get("linear", True):
        filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        columns = np.hstack([columns, (filled - filled.mean(0)) / (filled.std(0) + 1e-12)])
    alphas = strengths_of(case, ours, kept)
    path = l1_path(columns, y, weights, loss, alphas, limit)
    result = {"goal": boosting + path, "yardstick": f"{columns.shape[1]} nodes, boosting {boosting:.2f} s"}
    if kept and not case["params"].get("group_sparsity"):
        v = np.ones(len(y)) if weights is None else weights * len(y) / weights.sum()
        dual = dual_start(case, y, v, kept)
        document, limits = (
            json.loads(str(kept["features"])),
            {"least": least_rows(case), "most": int(kept["max_features"])},
        )
        top = largest_score(case, document, X, v * dual / len(y), v, **limits)
        result |= recomputed_gap(case, y, v, dual, top, kept)
    return result


def _nodes(trees, X):
    """The distinct 0/1 columns of all nodes but roots."""
    found = {}

    def visit(node, rows):
        if "split_feature" not in node:
            return
        x = X[:, node["split_feature"]]
        goes = np.where(np.isnan(x), node["default_left"], x <= node["threshold"])
        for child, held in (("left_child", rows & goes), ("right_child", rows & ~goes)):
            found.setdefault(held.tobytes(), held)
            visit(node[child], held)

    for tree in trees:
        visit(tree["tree_structure"], np.ones(len(X), bool))
    return np.array(list(found.values()), dtype=float).T.reshape(len(X), -1)
