"""Optimal sparse rule models."""

from ._estimators import RuleClassifier, RuleRegressor

__all__ = ["RuleClassifier", "RuleRegressor"]
