"""Bad parameters and bad targets: an exception that names them, and an estimator that stays as it was."""

import inspect

import numpy as np
import pytest

from .members import ESTIMATORS, every_case, every_estimator

BAD = {
    "alpha": [0, -1.0, float("nan"), "best", None, True],
    "alpha_min_ratio": [0.0, 1.0, "x"],
    "bins": [1, "many", ("intervals", -1), 2.5],
    "categorical_features": ["auto", [99], [1.5]],
    "class_weight": ["even", 3, {"nobody": 1}, {"yes": -1}],
    "closed": [1, "yes"],
    "cv": [1, "five"],
    "early_stopping": [1],
    "fit_intercept": [1],
    "exclude": ["x", ["nobody"], [7.5], [99]],
    "fit_linear": [1],
    "group_sparsity": [0.0, 1.5, "half"],
    "lambda0": [-1.0, "bic", []],
    "lambda2": [-1, "x"],
    "linear": ["yes"],
    "loss": ["absolute", 3],
    "max_edges": [0, 33],
    "max_features": [0, 1.5],
    "max_hull": [0],
    "max_items": [0],
    "max_iter": [0, 2.5],
    "max_length": [0],
    "max_linear": [-1, "x"],
    "max_patterns": [0],
    "max_rules": [0],
    "max_terms": [0, 1.5],
    "memory_limit": [-1, 0, "x"],
    "min_support": [0, "1"],
    "monotonic_cst": [[2] * 5, ["bent"] * 5, {"nobody": 1}],
    "n_alphas": [0, 2.5],
    "n_jobs": [0, 1.5],
    "negations": ["yes"],
    "one_standard_error": ["yes"],
    "penalty": ["elastic", 3],
    "penalty_growth": [-0.1, "x"],
    "positive": [None],
    "rank": [0, "x"],
    "relax": [0, 1.5, True, "yes"],
    "rho": [1.0, 2.5, "2"],
    "ridge": [-1.0, float("nan")],
    "gap_tol": [-1.0, float("nan"), "x"],
    "solver": ["greedy", 3],
    "special_codes": ["all", {"nobody": 1}, [float("nan")]],
    "strategy": ["greedy", 3],
    "linear_penalty": [0, None],
    "time_limit": [0, -1.0, "x"],
    "tol": [0, "x"],
    "verbose": [-1, "x"],
    "wildcards": ["vertices", 1],
}
"""Values that every estimator with the parameter refuses."""

ALLOWED = {
    "FactorizationMachineRegressor": {"tol": [0], "alpha": [0]},
    "FactorizationMachineClassifier": {"tol": [0], "alpha": [0]},
    "HierarchicalRuleRegressor": {"alpha": [None]},
    "HierarchicalRuleClassifier": {"alpha": [None]},
}
"""Where one of them means something: machines without a penalty, or through all their epochs."""
OF_A_PATH = ("alpha_min_ratio", "one_standard_error")
"""Parameters that a fit at one strength does not read."""


def bad_values():
    for case in ESTIMATORS:
        fine = ALLOWED.get(case.estimator.__name__, {})
        for name in inspect.signature(case.estimator).parameters:
            for value in BAD.get(name, ()):
                if value not in fine.get(name, []):
                    yield pytest.param(case, name, value, id=f"{case.estimator.__name__}-{name}-{value}"[:70])


@pytest.mark.parametrize(("case", "name", "value"), list(bad_values()))
def test_a_bad_parameter_is_named_and_changes_nothing(case, name, value):
    model, X, y = case.fitted()
    before = case.answers(model, X)
    kept = dict(vars(model))
    model.set_params(**{name: value})
    given = {"alpha": "cv"} if name in OF_A_PATH and case.takes("alpha_min_ratio") else {}
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        model.set_params(**given).fit(X, y)
    model.set_params(**{key: kept[key] for key in {name, *given}})
    assert {key: id(entry) for key, entry in vars(model).items()} == {k: id(v) for k, v in kept.items()}
    for one, two in zip(before, case.answers(model, X), strict=True):
        np.testing.assert_array_equal(one, two)


@every_case
def test_bad_targets_are_refused(case):
    X, y = case.problem()
    model = case.model()
    bad = [
        (None, "requires y to be passed"),
        (y[:5], "inconsistent numbers of samples|X has 60 rows, y has 5"),
        ([None, *y[1:]], "y contains NaN"),
    ]
    if case.is_classifier:
        bad += [(np.linspace(0, 1, 60), "continuous"), (np.zeros((60, 2)), "should be a 1d array")]
    else:
        spoiled = np.where(np.arange(60) == 5, np.nan, y)
        bad += [
            (spoiled, "y contains NaN.*row 5"),
            (np.where(np.isnan(spoiled), np.inf, y), "y contains infinity.*row 5"),
            (np.where(y > 0, "a", "b"), "y must hold numbers for .*; for labels use"),
            (np.zeros((60, 0)), "y has no columns"),
            (np.zeros((60, 2, 2)), "3 dimensions"),
            (y + 1j, "Complex data not supported"),
            (y * 1e100, r"^y is -?\S+ in row \d+; beyond 1e\+70 squared errors overflow"),
        ]
    for target, message in bad:
        with pytest.raises(ValueError, match=message):
            model.fit(X, target)
    assert not [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]


@every_estimator
def test_a_failed_fit_changes_nothing(case):
    model, X, y = case.fitted()
    kept = {name: id(value) for name, value in vars(model).items()}
    with pytest.raises(ValueError, match="y"):
        model.fit(X, y[:5])
    with pytest.raises(ValueError, match="weight"):
        model.fit(X, y, sample_weight=-np.ones(len(y)))
    assert {name: id(value) for name, value in vars(model).items()} == kept
