"""Optimal sparse rule models."""

from ._estimators import RuleClassifier, RuleRegressor
from ._many import fit_many

__all__ = ["RuleClassifier", "RuleRegressor", "fit_many"]
