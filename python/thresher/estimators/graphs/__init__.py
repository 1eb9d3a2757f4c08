"""Optimal sparse sums of subgraphs."""

from ._estimators import GraphClassifier, GraphRegressor

__all__ = ["GraphClassifier", "GraphRegressor"]
