"""Best subsets: linear models with few coefficients."""

from ...results.subset_path import L0Path
from .classifier import L0Classifier
from .regressor import L0Regressor

__all__ = ["L0Classifier", "L0Path", "L0Regressor"]
