"""Plots of a fitted model, in scikit-learn's manner. They need matplotlib."""

from .dependence import DependenceDisplay
from .path import PathDisplay
from .rules import RulesDisplay

__all__ = ["DependenceDisplay", "PathDisplay", "RulesDisplay"]
