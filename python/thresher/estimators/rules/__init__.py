"""Optimal sparse rule models."""

from ...results.rule_groups import RuleGroup
from .classifier import RuleClassifier
from .many import fit_many
from .regressor import RuleRegressor

__all__ = ["RuleClassifier", "RuleGroup", "RuleRegressor", "fit_many"]
