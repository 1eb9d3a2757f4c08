"""Factorization machines with sparse interactions."""

from ._estimators import FactorizationMachineClassifier, FactorizationMachineRegressor

__all__ = ["FactorizationMachineClassifier", "FactorizationMachineRegressor"]
