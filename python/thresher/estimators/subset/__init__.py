"""Linear models with few coefficients."""

from ._estimators import L0Classifier, L0Regressor

__all__ = ["L0Classifier", "L0Regressor"]
