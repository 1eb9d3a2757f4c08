"""Best subsets: linear models with few coefficients."""

from .classifier import L0Classifier
from .path import L0Path
from .regressor import L0Regressor

__all__ = ["L0Classifier", "L0Path", "L0Regressor"]
