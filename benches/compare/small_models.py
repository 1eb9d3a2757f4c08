"""Models cut to a number of rules: each is a generator over the budgets k it is asked for.

``MODELS[name](X, y, task, budgets, params)`` yields (k, Fitted) with at most k rules, splits or
steps. Parameters are the libraries' defaults but for the limit on the size and what a comment
explains. A library that may give more than k is refitted with a smaller limit. y is -1/+1 for
classification.
"""

import numpy as np
import small_trees
from small_fitted import Fitted, at_most, classes
from small_steps import ebm_steps, fasterrisk

# ---- ours ----


def _ours(kind, X, y, task, budgets, params):
    import thresher

    name, limit = {
        "rules": ("Rule", "max_rules"),
        "terms": ("Rule", "max_terms"),
        "steps": ("L0Additive", "max_steps"),
    }[kind]
    make = getattr(thresher, name + ("Regressor" if task == "regression" else "Classifier"))
    for k in budgets:
        model = make(**{limit: k, "n_jobs": 1, **params}).fit(X, y)
        predict = model.predict if task == "regression" else lambda Z, m=model: m.predict_proba(Z)[:, 1]
        if kind == "steps":
            yield k, Fitted(predict, int(np.sum(model.n_nonzero_)), kind="probability")
            continue
        linear = int(np.count_nonzero(model.linear_coef_))
        yield k, Fitted(predict, len(model.rules_), linear, kind="probability")


def ours_rules(*arguments):
    """RuleRegressor or RuleClassifier with max_rules = k."""
    return _ours("rules", *arguments)


def ours_terms(*arguments):
    """The same with max_terms = k, which counts linear terms too."""
    return _ours("terms", *arguments)


def ours_steps(*arguments):
    """L0AdditiveRegressor or L0AdditiveClassifier with max_steps = k."""
    return _ours("steps", *arguments)


# ---- peers ----


def figs(X, y, task, budgets, params):
    """imodels' greedy sums of trees, k splits in all.

    Its probabilities are the softmax of the trees' two sums, which lie between 0 and 1, so that they
    stay between 0.27 and 0.73; their log-odds are taken as a score.
    """
    from imodels import FIGSClassifier, FIGSRegressor

    for k in budgets:
        if task == "regression":
            model = FIGSRegressor(max_rules=k, random_state=0, **params).fit(X, y)
            yield k, Fitted(model.predict, model.complexity_)
            continue
        model = FIGSClassifier(max_rules=k, random_state=0, **params).fit(X, classes(y))
        score = lambda Z, m=model: np.diff(np.log(m.predict_proba(Z)), axis=1)
        yield k, Fitted(score, model.complexity_, kind="score")


def rulefit(X, y, task, budgets, params):
    """imodels' RuleFit: rules and linear terms together are at most k."""
    from imodels import RuleFitClassifier, RuleFitRegressor

    def fit(limit):
        if task == "regression":
            model = RuleFitRegressor(max_rules=limit, random_state=0, **params).fit(X, y)
            predict = model.predict
        else:
            model = RuleFitClassifier(max_rules=limit, random_state=0, **params).fit(X, classes(y))
            predict = model._predict_continuous_output  # the log-odds of its logistic regression
        n_rules = len(model.rules_)
        linear = int(np.count_nonzero(np.abs(model.coef[: X.shape[1]]) > 1e-6))
        return Fitted(predict, n_rules, linear, kind="score")

    for k in budgets:
        yield k, at_most(k, fit)


def rulefit_max(X, y, task, budgets, params):
    """RuleFit at the weakest penalty that keeps k terms, not at the best by cross-validation."""
    return rulefit(X, y, task, budgets, {"cv": False, **params})


def boosted_rules(X, y, task, budgets, params):
    """imodels' BoostedRules: AdaBoost of k stumps."""
    from imodels import BoostedRulesClassifier, BoostedRulesRegressor

    for k in budgets:
        if task == "regression":
            model = BoostedRulesRegressor(n_estimators=k, random_state=0, **params).fit(X, y)
            yield k, Fitted(model.predict, len(model.estimators_))
        else:
            model = BoostedRulesClassifier(n_estimators=k, random_state=0, **params).fit(X, classes(y))
            yield k, Fitted(model.decision_function, len(model.estimators_), kind="score")


def skope_rules(X, y, task, budgets, params):
    """imodels' SkopeRules: the first k of the rules of its list, which is ordered by F1."""
    from imodels import SkopeRulesClassifier

    if task == "regression":
        return
    settings = {"max_depth_duplication": 3, "random_state": 0, **params}
    model = SkopeRulesClassifier(**settings).fit(X, classes(y))
    every = list(model.rules_without_feature_names_)
    for k in budgets:
        model.rules_without_feature_names_ = every[:k]
        yield k, Fitted(lambda Z: model.predict_proba(Z)[:, 1], min(k, len(every)), kind="score")


def realkd(X, y, task, budgets, params):
    """Gradient boosting of conjunctions, the intercept first and not counted.

    The greedy search of the package: its default, the exhaustive one, takes minutes for a rule.
    """
    import pandas as pd
    from realkd.logic import Conjunction
    from realkd.rules import AdditiveRuleEnsemble, RuleBoostingEstimator, XGBRuleEstimator

    frame = lambda Z: pd.DataFrame(Z, columns=[f"x{j}" for j in range(X.shape[1])])
    loss = "squared" if task == "regression" else "logistic"
    settings = {"loss": loss, "reg": 1.0, "search": "greedy", **params}
    offset = XGBRuleEstimator(**{**settings, "query": Conjunction([])})
    boosting = RuleBoostingEstimator(base_learner=[offset, XGBRuleEstimator(**settings)])
    for k in budgets:
        boosting.num_rules = k + 1  # fit goes on from the rules that there are
        ensemble = AdditiveRuleEnsemble(boosting.fit(frame(X), pd.Series(y)).rules_.members)
        n_rules = len({str(r.q) for r in ensemble.members[1:]})
        score = lambda Z, e=ensemble: np.asarray(e(frame(Z)))
        if task == "regression":
            yield k, Fitted(score, n_rules)
        else:
            yield k, Fitted(lambda Z, s=score: 1 / (1 + np.exp(-s(Z))), n_rules, kind="probability")


PEERS = {
    "figs": figs,
    "rulefit": rulefit,
    "rulefit_max": rulefit_max,
    "boosted_rules": boosted_rules,
    "skope_rules": skope_rules,
    "realkd": realkd,
    "fasterrisk": fasterrisk,
    "gosdt": small_trees.gosdt,
    "streed": small_trees.streed,
    "cart": small_trees.cart,
    "ebm_steps": ebm_steps,
}
OURS = {"rules": ours_rules, "terms": ours_terms, "steps": ours_steps}
MODELS = {**{f"ours_{name}": fit for name, fit in OURS.items()}, **PEERS}
PACKAGES = {
    "ours_rules": "thresher",
    "ours_terms": "thresher",
    "ours_steps": "thresher",
    "figs": "imodels",
    "rulefit": "imodels",
    "rulefit_max": "imodels",
    "boosted_rules": "imodels",
    "skope_rules": "imodels",
    "realkd": "realkd",
    "fasterrisk": "fasterrisk",
    "gosdt": "gosdt",
    "streed": "pystreed",
    "cart": "scikit-learn",
    "ebm_steps": "interpret-core",
}
# Imported before the first fit of a model.
_IMODELS = ("figs", "rulefit", "rulefit_max", "boosted_rules", "skope_rules")
IMPORTS = {
    "ours_rules": ("thresher",),
    "ours_terms": ("thresher",),
    "ours_steps": ("thresher",),
    "realkd": ("realkd.rules",),
    "fasterrisk": ("fasterrisk.fasterrisk",),
    "gosdt": ("gosdt",),
    "streed": ("pystreed",),
    "cart": ("sklearn.tree", "sklearn.model_selection"),
    "ebm_steps": ("interpret.glassbox",),
    **dict.fromkeys(_IMODELS, ("imodels",)),
}
