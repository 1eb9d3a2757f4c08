"""Rule ensembles by hierarchical kernel learning."""

from ...results.hierarchical_rule import HierarchicalRule
from ...results.hierarchy_path import HierarchyPath
from .classifier import HierarchicalRuleClassifier
from .regressor import HierarchicalRuleRegressor

__all__ = ["HierarchicalRule", "HierarchicalRuleClassifier", "HierarchicalRuleRegressor", "HierarchyPath"]
