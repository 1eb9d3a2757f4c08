"""Rule ensembles by hierarchical kernel learning."""

from ...results.hierarchy_path import HierarchyPath
from ...results.hierarchy_rules import HierarchicalRule
from .classifier import HierarchicalRuleClassifier
from .regressor import HierarchicalRuleRegressor

__all__ = ["HierarchicalRule", "HierarchicalRuleClassifier", "HierarchicalRuleRegressor", "HierarchyPath"]
