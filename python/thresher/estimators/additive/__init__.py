"""Sparse additive models of step functions."""

from .classifier import L0AdditiveClassifier
from .regressor import L0AdditiveRegressor

__all__ = ["L0AdditiveClassifier", "L0AdditiveRegressor"]
