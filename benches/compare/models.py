"""One function per rule model: fit on arrays, return a predictor and what the model is made of.

Each runs at its library's defaults, with a fixed seed where it has one. y is -1/+1 for
classification; predictors return the regression value or the probability of +1.
"""

import numpy as np


def thresher(X, y, task, params):
    import thresher

    make = thresher.RuleRegressor if task == "regression" else thresher.RuleClassifier
    model = make(n_jobs=params.pop("n_jobs", 1), **params).fit(X, y)
    linear = int(np.count_nonzero(model.linear_coef_))
    certificate = model.certificate_
    more = {
        "relative_gap": float(certificate.relative_gap),
        "complete": bool(certificate.complete),
        "n_candidates": str(certificate.n_candidates),
        "alpha": float(np.ravel(model.alpha_)[0]),
    }
    predict = model.predict if task == "regression" else lambda Z: model.predict_proba(Z)[:, 1]
    return predict, len(model.rules_), linear, more


def imodels_rulefit(X, y, task, params):
    import imodels

    if task == "regression":
        model = imodels.RuleFitRegressor(random_state=0, **params).fit(X, y)
        predict = model.predict
    else:
        model = imodels.RuleFitClassifier(random_state=0, **params).fit(X, (y > 0).astype(int))
        predict = lambda Z: model.predict_proba(Z)[:, 1]
    table = model.get_rules()
    kept = table[table["coef"] != 0]
    return predict, int((kept["type"] == "rule").sum()), int((kept["type"] == "linear").sum()), {}


def imodels_figs(X, y, task, params):
    import imodels

    if task == "regression":
        model = imodels.FIGSRegressor(random_state=0, **params).fit(X, y)
        predict = model.predict
    else:
        model = imodels.FIGSClassifier(random_state=0, **params).fit(X, (y > 0).astype(int))
        predict = lambda Z: model.predict_proba(Z)[:, 1]
    return predict, int(model.complexity_), 0, {}


def aix360(X, y, task, params, ordinal=False):
    import pandas as pd
    from aix360.algorithms.rbm import FeatureBinarizer, LinearRuleRegression, LogisticRuleRegression

    def frame(Z):
        return pd.DataFrame(Z, columns=[f"x{j}" for j in range(Z.shape[1])])

    binarizer = FeatureBinarizer(negations=True, returnOrd=ordinal)
    parts = binarizer.fit_transform(frame(X))
    if task == "regression":
        model, target = LinearRuleRegression(useOrd=ordinal, **params), pd.Series(y)
        apply = model.predict
    else:
        model, target = LogisticRuleRegression(useOrd=ordinal, **params), pd.Series((y > 0).astype(int))
        apply = model.predict_proba
    if ordinal:
        model.fit(parts[0], target, parts[1])
        predict = lambda Z: apply(*binarizer.transform(frame(Z)))
    else:
        model.fit(parts, target)
        predict = lambda Z: apply(binarizer.transform(frame(Z)))
    n_linear = int(np.count_nonzero(np.ravel(model.lr.coef_)[: X.shape[1]])) if ordinal else 0
    return predict, max(len(model.explain()) - 1 - n_linear, 0), n_linear, {}


def aix360_ordinal(X, y, task, params):
    return aix360(X, y, task, params, ordinal=True)


class _Probability:
    """Lets rulefit's predict hand over the probability that its solver knows."""

    def __init__(self, solver):
        self.predict = lambda Z: solver.predict_proba(Z)[:, 1]


def rulefit(X, y, task, params):
    from rulefit import RuleFit

    if task == "regression":
        model = RuleFit(random_state=0, **params)
        model.fit(X, y)
    else:
        model = RuleFit(rfmode="classify", random_state=0, **params)
        model.fit(X, (y > 0).astype(int))
    coef = np.ravel(model.coef_)
    n_linear = len(coef) - len(model.rule_ensemble.rules)
    counts = int(np.count_nonzero(coef[n_linear:])), int(np.count_nonzero(coef[:n_linear]))
    if task != "regression":
        model.lscv = _Probability(model.lscv)
    return model.predict, *counts, {}


def ebm(X, y, task, params):
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    if task == "regression":
        model = ExplainableBoostingRegressor(n_jobs=1, random_state=0, **params).fit(X, y)
        return model.predict, len(model.term_names_), 0, {}
    model = ExplainableBoostingClassifier(n_jobs=1, random_state=0, **params).fit(X, (y > 0).astype(int))
    return (lambda Z: model.predict_proba(Z)[:, 1]), len(model.term_names_), 0, {}


def ours_ten_rules(X, y, task, params):
    """At most ten rules on two columns each, and nothing else."""
    return thresher(X, y, task, {"max_rules": 10, "max_features": 2, "linear": False, **params})


def ours_card(X, y, task, params):
    """A score card: few steps of few columns."""
    import thresher

    make = thresher.L0AdditiveRegressor if task == "regression" else thresher.L0AdditiveClassifier
    model = make(n_jobs=1, **params).fit(X, y)
    predict = model.predict if task == "regression" else lambda Z: model.predict_proba(Z)[:, 1]
    return predict, int(model.n_nonzero_), 0, {}


def boosted_trees(X, y, task, params):
    """What is used where nobody reads the model; its size is the number of leaves."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    make = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    model = make(random_state=0, **params).fit(X, y)
    leaves = sum(tree.get_n_leaf_nodes() for trees in model._predictors for tree in trees)
    predict = model.predict if task == "regression" else lambda Z: model.predict_proba(Z)[:, 1]
    return predict, int(leaves), 0, {}


PEERS = {
    "imodels_figs": imodels_figs,
    "aix360": aix360,
    "aix360_ordinal": aix360_ordinal,
    "imodels_rulefit": imodels_rulefit,
    "rulefit": rulefit,
    "ebm": ebm,
}
READABLE = {"ours_ten_rules": ours_ten_rules, "ours_card": ours_card, "boosted_trees": boosted_trees}
MODELS = {"thresher": thresher, **PEERS, **READABLE}
PACKAGE = {
    "thresher": "thresher",
    "imodels_figs": "imodels",
    "imodels_rulefit": "imodels",
    "aix360": "aix360",
    "aix360_ordinal": "aix360",
    "rulefit": "rulefit",
    "ebm": "interpret-core",
    "celer": "celer",
    "ours_steps": "thresher",
    "ours_linear": "thresher",
    "ours_additive": "thresher",
    "ebm_main": "interpret-core",
    "boosting": "scikit-learn",
    "boosted_trees": "scikit-learn",
    "ours_ten_rules": "thresher",
    "ours_card": "thresher",
    "fastsparse": "fastsparsegams",
    "abess": "abess",
    "lasso": "scikit-learn",
}
