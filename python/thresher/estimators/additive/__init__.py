"""Sparse additive models of step functions."""

from ._estimators import L0AdditiveClassifier, L0AdditiveRegressor

__all__ = ["L0AdditiveClassifier", "L0AdditiveRegressor"]
