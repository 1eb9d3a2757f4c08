"""Plots of a fitted model, in scikit-learn's manner. They need matplotlib."""

from .dependence import DependenceDisplay
from .graphs import MatchDisplay, SubgraphsDisplay
from .groups import GroupsDisplay
from .path import PathDisplay
from .patterns import PatternsDisplay
from .rules import RulesDisplay

__all__ = [
    "DependenceDisplay",
    "GroupsDisplay",
    "MatchDisplay",
    "PathDisplay",
    "PatternsDisplay",
    "RulesDisplay",
    "SubgraphsDisplay",
]
