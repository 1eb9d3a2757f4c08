"""Small additive models and what they are measured by, as functions like those of models.py.

The number of terms is that of steps, of coefficients, of shape functions or of leaves.
"""

import numpy as np
from datasets import thresholds
from models import ebm


def _positive(model):
    return lambda Z: model.predict_proba(Z)[:, 1]


def ours_steps(X, y, task, params):
    """At most 20 steps, the price by cross-validation."""
    import thresher

    settings = {"max_steps": 20, "max_thresholds": None, "n_jobs": 1, **params}
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
    """Logistic regression with an L1 penalty on all thresholds, its strength by cross-validation."""
    from sklearn.linear_model import LogisticRegressionCV

    settings = {"penalty": "l1", "solver": "liblinear", "intercept_scaling": 10.0, "Cs": 10, "cv": 5}
    model = LogisticRegressionCV(**settings, scoring="neg_log_loss", **params).fit(thresholds(X), y)
    predict = _positive(model)
    return (lambda Z: predict(thresholds(Z, X))), int(np.count_nonzero(model.coef_)), 0, {}


def fastsparse(X, y, task, params):
    """The richest model of at most 20 thresholds on the path of the eight prices (logistic)."""
    import fastsparsegams

    grid = [[20.0, 15.0, 10.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.8]]
    options = {"loss": "Logistic", "penalty": "L0L2", "algorithm": "CDPSI", "lambda_grid": grid}
    free = {"num_lambda": None, "num_gamma": None, "gamma_min": 1e-5, "gamma_max": 1e-5}
    model = fastsparsegams.fit(thresholds(X), y, **options, **free, **params)
    coefs, sizes = model.coeffs[0].toarray(), np.diff(model.coeffs[0].tocsc().indptr)
    k = int(np.flatnonzero(sizes <= 20)[-1])
    w, start = coefs[:, k], model.intercepts[0][k]
    return (lambda Z: 1 / (1 + np.exp(-(thresholds(Z, X) @ w + start)))), int(sizes[k]), 0, {}


PEERS = {"ebm_main": ebm_main, "boosting": boosting, "lasso": lasso, "fastsparse": fastsparse}
MODELS = {"ours_steps": ours_steps, **PEERS}
