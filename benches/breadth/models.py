"""The estimator of a case."""

import thresher

_NAMES = {
    "rules": "Rule",
    "itemsets": "Itemset",
    "sequences": "Sequence",
    "graphs": "Graph",
    "hierarchies": "HierarchicalRule",
    "score cards": "L0Additive",
    "best subsets": "L0",
    "machines": "FactorizationMachine",
}


def estimator(case):
    """The estimator on one thread, with the cap as its time limit."""
    kind = "Classifier" if case["classes"] else "Regressor"
    params = {key: tuple(v) if key in ("bins", "bounds") and isinstance(v, list) else v
              for key, v in case["params"].items()}  # fmt: skip
    loss = ("huber", 10.0) if case["loss"] == "huber" else case["loss"]
    made = getattr(thresher, _NAMES[case["family"]] + kind)
    return made(loss=loss, n_jobs=1, time_limit=case["cap"], **params)


def strengths(case, y):
    """The strengths of a path by name, where the estimator is told them."""
    if case["family"] == "machines":
        return {"alphas": [case["params"].get("alpha", 0.01) * f for f in (10, 3, 1)]}
    return {}
