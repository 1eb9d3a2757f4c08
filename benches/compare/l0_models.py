"""Small additive models and what they are measured by, as functions like those of models.py.

The number of terms is that of steps, of coefficients, of shape functions or of leaves.
"""

import numpy as np
from datasets import thresholds
from models import ebm

MOST = 20  # terms of a small model


def _positive(model):
    return lambda Z: model.predict_proba(Z)[:, 1]


def ours_steps(X, y, task, params):
    """At most 20 steps, the price by cross-validation."""
    import thresher

    settings = {"max_steps": MOST, "bins": None, "cv": 10, "n_jobs": 1, **params}
    model = thresher.L0AdditiveClassifier(**settings).fit(X, y)
    return _positive(model), int(model.n_nonzero_), 0, {"lambda0": float(model.lambda0_)}


def ebm_main(X, y, task, params):
    """One shape function a column and no interactions."""
    return ebm(X, y, task, {"interactions": 0, **params})


def boosting(X, y, task, params):
    """100 trees of depth 3, as in the paper."""
    from sklearn.ensemble import GradientBoostingClassifier

    model = GradientBoostingClassifier(max_depth=3, n_estimators=100, random_state=0, **params).fit(X, y)
    leaves = sum(int(tree.tree_.n_leaves) for tree in model.estimators_.ravel())
    return _positive(model), leaves, 0, {}


def lasso(X, y, task, params):
    """The richest model of at most 20 terms on scikit-learn's L1 path over all thresholds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import l1_min_c

    design, found = thresholds(X), None
    settings = {"penalty": "l1", "solver": "liblinear", "intercept_scaling": 10.0, **params}
    for strength in l1_min_c(design, y, loss="log") * np.geomspace(1.2, 100, 25):
        model = LogisticRegression(**settings, C=strength).fit(design, y)
        if np.count_nonzero(model.coef_) > MOST:
            break
        found = model
    predict = _positive(found)
    return (lambda Z: predict(thresholds(Z, X))), int(np.count_nonzero(found.coef_)), 0, {}


def fastsparse(X, y, task, params):
    """The richest model of at most 20 thresholds on a path of prices down to 2 (logistic)."""
    import fastsparsegams

    grid = [[40.0, 30.0, 20.0, 15.0, 10.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0]]
    options = {"loss": "Logistic", "penalty": "L0L2", "algorithm": "CDPSI", "lambda_grid": grid}
    free = {"num_lambda": None, "num_gamma": None, "gamma_min": 1e-5, "gamma_max": 1e-5}
    model = fastsparsegams.fit(thresholds(X), y, **options, **free, **params)
    coefs = model.coeffs[0].toarray()
    sizes = np.count_nonzero(coefs, axis=0)
    k = int(np.flatnonzero(sizes <= MOST)[-1])
    w, start = coefs[:, k], model.intercepts[0][k]
    return (lambda Z: 1 / (1 + np.exp(-(thresholds(Z, X) @ w + start)))), int(sizes[k]), 0, {}


PEERS = {"ebm_main": ebm_main, "boosting": boosting, "lasso": lasso, "fastsparse": fastsparse}
MODELS = {"ours_steps": ours_steps, **PEERS}
