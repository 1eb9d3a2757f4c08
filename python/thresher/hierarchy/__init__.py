"""Rule ensembles by hierarchical kernel learning."""

from .classifier import HierarchicalRuleClassifier
from .path import HierarchyPath
from .regressor import HierarchicalRuleRegressor
from .rules import HierarchicalRule

__all__ = ["HierarchicalRule", "HierarchicalRuleClassifier", "HierarchicalRuleRegressor", "HierarchyPath"]
