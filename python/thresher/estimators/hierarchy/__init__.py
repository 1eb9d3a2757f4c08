"""Rule ensembles out of every conjunction, by hierarchical kernel learning."""

from ._estimators import HierarchicalRuleClassifier, HierarchicalRuleRegressor

__all__ = ["HierarchicalRuleClassifier", "HierarchicalRuleRegressor"]
