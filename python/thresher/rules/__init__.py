"""Optimal sparse rule models."""

from .classifier import RuleClassifier
from .groups import RuleGroup
from .many import fit_many
from .regressor import RuleRegressor

__all__ = ["RuleClassifier", "RuleGroup", "RuleRegressor", "fit_many"]
