"""Rule ensembles over all conjunctions, by hierarchical kernel learning."""

from ._estimators import HierarchicalRuleClassifier, HierarchicalRuleRegressor

__all__ = ["HierarchicalRuleClassifier", "HierarchicalRuleRegressor"]
