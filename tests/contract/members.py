"""Who takes part. A new estimator is one line in MEMBERS; a new loss is one word in a line of it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, is_classifier

import thresher as t

from .data import GRAPHS, ITEMSETS, SEQUENCES, TABLE, Source

_SMALL = (60, 5)  # rows and columns of a problem that is solved in milliseconds


@dataclass(frozen=True)
class Case:
    """An estimator with one of its losses, or with parameters that choose another route through the code."""

    name: str
    estimator: type[BaseEstimator]
    source: Source
    params: dict[str, Any]
    slow: dict[str, Any]
    size: tuple[int, int]

    @property
    def repeats(self) -> bool:
        """Whether a row of weight 2 is two rows: not where rows are drawn into batches."""
        return self.params.get("solver") not in ("psgd", "adagrad")

    def __str__(self) -> str:
        return self.name

    def model(self, **params: Any) -> Any:
        """An unfitted estimator with the quick parameters."""
        return self.estimator(**{**self.params, **params})

    def problem(self, n_rows: int = _SMALL[0], n_columns: int = _SMALL[1], seed: int = 0) -> tuple[Any, Any]:
        """X and y of the member's kind."""
        X, signal = self.source.make(n_rows, n_columns, seed)
        return X, self.target(signal)

    def target(self, signal: np.ndarray) -> np.ndarray:
        """A signal as a regressor or a classifier takes it."""
        if not self.is_classifier:
            return signal
        return np.where(signal > np.median(signal), "yes", "no")

    def fitted(self, **params: Any) -> tuple[Any, Any, Any]:
        """A fitted model, and what it was fitted on."""
        X, y = self.problem()
        return self.model(**params).fit(X, y), X, y

    def slow_problem(self) -> tuple[Any, Any, Any]:
        """An unfitted model, and a problem that takes it many seconds."""
        X, y = self.problem(*self.size)
        return self.estimator(**{**self.params, **self.slow}), X, y

    @property
    def is_classifier(self) -> bool:
        """Whether it predicts classes."""
        return bool(is_classifier(self.estimator()))

    @property
    def is_best_subset(self) -> bool:
        """Whether the model is a best subset of the patterns, which has no small gap and no prices."""
        return self.params.get("penalty") == "l0"

    def takes(self, parameter: str) -> bool:
        """Whether the estimator has a parameter."""
        return parameter in inspect.signature(self.estimator).parameters

    def answers(self, model: Any, X: Any) -> list[np.ndarray]:
        """Everything that a fitted model says of rows."""
        names = ("decision_function", "predict", "predict_proba", "transform")
        found = [getattr(model, name)(X) for name in names if hasattr(model, name)]
        return [answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer) for answer in found]


@dataclass(frozen=True)
class Member:
    """One line of the list: an estimator, its input, its losses, and parameters."""

    estimator: type[BaseEstimator]
    source: Source
    losses: str
    quick: dict[str, Any]
    slow: dict[str, Any]
    size: tuple[int, int] = (1500, 30)
    variants: dict[str, dict[str, Any]] = field(default_factory=dict)

    def cases(self) -> list[Case]:
        """The member with each of its losses, then its variants."""
        name = self.estimator.__name__
        has_loss = "loss" in inspect.signature(self.estimator).parameters
        cases = [
            Case(f"{name}-{loss}", self.estimator, self.source,
                 {**self.quick, **({"loss": loss} if has_loss else {})}, self.slow, self.size)
            for loss in self.losses.split()
        ]  # fmt: skip
        for variant, given in self.variants.items():
            params = {**self.quick, **given}
            cases.append(Case(f"{name}-{variant}", self.estimator, self.source, params, self.slow, self.size))
        return cases


_RULES: dict[str, Any] = {"alpha": 0.03, "max_features": 2, "bins": 4}
_HARD_RULES: dict[str, Any] = {"alpha": 1e-4, "max_features": None, "bins": 20}
_PATTERNS: dict[str, Any] = {"alpha": 0.03}
_HARD_ITEMSETS: dict[str, Any] = {"alpha": 1e-4, "max_items": None}
_HARD_SEQUENCES: dict[str, Any] = {"alpha": 1e-4, "max_length": 12}
_HARD_GRAPHS: dict[str, Any] = {"alpha": 1e-6, "max_edges": 16}
_HULL: dict[str, Any] = {"alpha": 0.003, "tol": 1e-2}
_SMALL_HULL: dict[str, Any] = {"alpha": 0.001, "depth_base": 4.0, "tol": 1e-2}
_HARD_HULL: dict[str, Any] = {"alpha": 1e-6, "rho": 2.0, "bins": ("uniform", 5), "max_hull": 10_000}
_SUBSET: dict[str, Any] = {"lambda0": 1.0}
# The problem is not convex: more passes enlarge the rounding by which weights and repeated rows differ.
_FM: dict[str, Any] = {"rank": 4, "max_iter": 100, "alpha": 0.01}
_HARD_FM: dict[str, Any] = {"rank": 30, "tol": 0.0, "max_iter": 10**6, "penalty": None}
_GROUPS = {"group_sparsity": 0.6, "linear_penalty": 0.8}
_FOLDS = {"cv": 3, "n_alphas": 10, "alpha": "cv"}
_SUBSET_RULES = {"penalty": "l0", "max_rules": 5}
_SUBSET_PATTERNS = {"penalty": "l0", "max_patterns": 4}

MEMBERS = [
    Member(t.RuleRegressor, TABLE, "squared huber", _RULES, _HARD_RULES,
           variants={"groups": _GROUPS, "cv": _FOLDS, "subset": {**_FOLDS, **_SUBSET_RULES}}),
    Member(t.RuleClassifier, TABLE, "logistic squared_hinge", _RULES, _HARD_RULES,
           variants={"groups": _GROUPS, "bic": {"alpha": "bic", "n_alphas": 10}, "relaxed": {"relax": 0.5},
                     "subset-bic": {**_SUBSET_RULES, "alpha": "bic", "ridge": 0.2}}),
    Member(t.ItemsetRegressor, ITEMSETS, "squared huber", _PATTERNS, _HARD_ITEMSETS, (4000, 40),
           variants={"negations": {"negations": True, "max_items": 2}, "relaxed": {**_FOLDS, "relax": 0.5}}),
    Member(t.ItemsetClassifier, ITEMSETS, "logistic squared_hinge", _PATTERNS, _HARD_ITEMSETS, (4000, 40),
           variants={"cv": _FOLDS, "subset": {**_FOLDS, **_SUBSET_PATTERNS, "loss": "squared_hinge"}}),
    Member(t.SequenceRegressor, SEQUENCES, "squared huber", _PATTERNS, _HARD_SEQUENCES,
           variants={"subset": {**_SUBSET_PATTERNS, "loss": "huber"}}),
    Member(t.SequenceClassifier, SEQUENCES, "logistic squared_hinge", _PATTERNS, _HARD_SEQUENCES,
           variants={"gap": {"max_gap": 1}}),
    Member(t.GraphRegressor, GRAPHS, "squared huber", _PATTERNS, _HARD_GRAPHS,
           variants={"wildcards": {"wildcards": True, "max_edges": 2}}),
    Member(t.GraphClassifier, GRAPHS, "logistic squared_hinge", _PATTERNS, _HARD_GRAPHS,
           variants={"subset": {**_SUBSET_PATTERNS, "alpha": "bic"}}),
    Member(t.HierarchicalRuleRegressor, TABLE, "squared", _HULL, _HARD_HULL, (200, 6)),
    Member(t.HierarchicalRuleClassifier, TABLE, "hinge squared_hinge logistic", _SMALL_HULL, _HARD_HULL,
           (200, 6),
           variants={"cv": {"alpha": [0.01, 0.003], "cv": 3, "loss": "logistic"}}),
    Member(t.L0Regressor, TABLE, "squared", {"lambda0": 2.0}, {"lambda0": "cv"}, (2000, 1500),
           variants={"cv": {"lambda0": "cv"},
                     "bounds": {"lambda0": None, "max_nonzero": 2, "bounds": (-1, None)},
                     "tree": {"lambda0": 1.0, "lambda2": 3.0, "gap_tol": 0.001, "time_limit": 5.0}}),
    Member(t.L0Classifier, TABLE, "logistic exponential", _SUBSET, {"lambda0": "cv"}, (2000, 1500),
           variants={"cv": {"lambda0": "cv"},
                     "path": {"lambda0": [3.0, 1.0], "lambda2": 0.01, "loss": "exponential"}}),
    Member(t.L0AdditiveRegressor, TABLE, "squared", {"lambda0": 2.0}, {"lambda0": "cv"}, (40_000, 60),
           variants={"jumps": {"lambda0": 0.1, "lambda2": 0.1}, "cv": {"lambda0": "cv"},
                     "tree": {"lambda0": 1.0, "ridge": 0.1, "gap_tol": 0.02, "time_limit": 5.0}}),
    Member(t.L0AdditiveClassifier, TABLE, "logistic exponential", _SUBSET, {"lambda0": "cv"}, (40_000, 60),
           variants={"cv": {"lambda0": "cv"}, "tree": {"lambda0": 2.0, "ridge": 0.1, "gap_tol": 0.02}}),
    Member(t.FactorizationMachineRegressor, TABLE, "squared huber", _FM, _HARD_FM, (3000, 300),
           variants={"cv": {"alpha": "cv", "cv": 3},
                     "cs": {"penalty": "cs", "order": 3, "loss": "huber", "refit": True, "max_iter": 20},
                     "subsets": {"penalty": "omega_ti", "order": "all", "alpha": 1e-5},
                     "batches": {"solver": "psgd", "penalty": "l1", "order": "all", "alpha": 1e-5}}),
    Member(t.FactorizationMachineClassifier, TABLE, "logistic squared_hinge squared",
           {**_FM, "alpha": 0.003}, _HARD_FM,
           (3000, 300),
           # With momentum a difference of rounding grows by orders in the passes that leave a saddle point.
           variants={"fista": {"penalty": "l21", "loss": "squared_hinge", "solver": "fista", "alpha": 0.03},
                     "batches": {"solver": "adagrad", "penalty": None, "loss": "squared_hinge"}}),
]  # fmt: skip
"""Estimator, kind of input, losses, quick parameters, slow parameters, size of the slow problem.

A slow problem takes one core at least ten seconds, so that a limit of 0.4 s ends it on any machine."""

CASES = [case for member in MEMBERS for case in member.cases()]
ESTIMATORS = [member.cases()[0] for member in MEMBERS]
"""One case for each estimator: for tests whose answer no loss changes."""

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_estimator = pytest.mark.parametrize("case", ESTIMATORS, ids=lambda case: case.estimator.__name__)


def cases_that(condition: Any) -> pytest.MarkDecorator:
    """The cases that a condition holds for."""
    return pytest.mark.parametrize("case", [case for case in CASES if condition(case)], ids=str)
