"""Factorization machines with sparse interactions."""

from .classifier import FactorizationMachineClassifier
from .interactions import Interaction, Interactions
from .path import FmPath
from .regressor import FactorizationMachineRegressor

__all__ = [
    "FactorizationMachineClassifier",
    "FactorizationMachineRegressor",
    "FmPath",
    "Interaction",
    "Interactions",
]
