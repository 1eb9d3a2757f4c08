"""Factorization machines with sparse interactions."""

from ...results.interactions import Interaction, Interactions
from ...results.machine_path import FmPath
from .classifier import FactorizationMachineClassifier
from .regressor import FactorizationMachineRegressor

__all__ = [
    "FactorizationMachineClassifier",
    "FactorizationMachineRegressor",
    "FmPath",
    "Interaction",
    "Interactions",
]
