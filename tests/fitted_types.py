"""What type checkers know of fitted models; mypy reads the function, nothing calls it."""

from typing import assert_type

from thresher import (
    FactorizationMachineRegressor,
    GraphRegressor,
    HierarchicalRuleRegressor,
    ItemsetRegressor,
    L0AdditiveClassifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    SequenceClassifier,
)


def types_of_fitted_models(X: list[list[float]], y: list[int]) -> None:
    """Each fit returns its estimator."""
    assert_type(RuleRegressor().fit(X, y), RuleRegressor)
    assert_type(RuleRegressor().fit_path(X, y), RuleRegressor)
    assert_type(RuleClassifier().fit(X, y), RuleClassifier)
    assert_type(RuleClassifier().fit_path(X, y), RuleClassifier)
    assert_type(L0Regressor().fit(X, y), L0Regressor)
    assert_type(L0Regressor().fit_path(X, y), L0Regressor)
    assert_type(L0AdditiveClassifier().fit(X, y), L0AdditiveClassifier)
    assert_type(L0AdditiveClassifier().fit_path(X, y), L0AdditiveClassifier)
    assert_type(HierarchicalRuleRegressor().fit(X, y), HierarchicalRuleRegressor)
    assert_type(HierarchicalRuleRegressor().fit_path(X, y), HierarchicalRuleRegressor)
    assert_type(FactorizationMachineRegressor().fit(X, y), FactorizationMachineRegressor)
    assert_type(FactorizationMachineRegressor().fit_path(X, y), FactorizationMachineRegressor)
    assert_type(ItemsetRegressor().fit(X, y), ItemsetRegressor)
    assert_type(ItemsetRegressor().fit_path(X, y), ItemsetRegressor)
    assert_type(SequenceClassifier().fit(X, y), SequenceClassifier)
    assert_type(SequenceClassifier().fit_path(X, y), SequenceClassifier)
    assert_type(GraphRegressor().fit(X, y), GraphRegressor)
    assert_type(GraphRegressor().fit_path(X, y), GraphRegressor)
