"""Optimal sparse rule models."""

from .classifier import RuleClassifier
from .many import fit_many
from .regressor import RuleRegressor

__all__ = ["RuleClassifier", "RuleRegressor", "fit_many"]
