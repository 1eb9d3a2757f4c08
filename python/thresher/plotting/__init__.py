"""Plots of a fitted model, in scikit-learn's manner. They need matplotlib."""

from .dependence import DependenceDisplay
from .graphs import MatchDisplay, SubgraphsDisplay
from .groups import GroupsDisplay
from .hierarchy import HullDisplay
from .interactions import InteractionsDisplay
from .path import PathDisplay
from .patterns import PatternsDisplay
from .rules import RulesDisplay
from .shapes import ShapesDisplay

__all__ = [
    "DependenceDisplay",
    "GroupsDisplay",
    "HullDisplay",
    "InteractionsDisplay",
    "MatchDisplay",
    "PathDisplay",
    "PatternsDisplay",
    "RulesDisplay",
    "ShapesDisplay",
    "SubgraphsDisplay",
]
