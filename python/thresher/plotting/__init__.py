"""Plots of a fitted model, in scikit-learn's manner. They need matplotlib."""

from .comparison import SimilarityDisplay, StabilityDisplay
from .dependence import DependenceDisplay
from .graphs import MatchDisplay, SubgraphsDisplay
from .groups import GroupsDisplay
from .hierarchy import HullDisplay
from .importances import ImportancesDisplay
from .interactions import InteractionsDisplay
from .path import PathDisplay
from .patterns import PatternsDisplay
from .rules import RulesDisplay
from .scorecards import CardDisplay, MonitoringDisplay
from .shapes import ShapesDisplay

__all__ = [
    "CardDisplay",
    "DependenceDisplay",
    "GroupsDisplay",
    "HullDisplay",
    "ImportancesDisplay",
    "InteractionsDisplay",
    "MatchDisplay",
    "MonitoringDisplay",
    "PathDisplay",
    "PatternsDisplay",
    "RulesDisplay",
    "ShapesDisplay",
    "SimilarityDisplay",
    "StabilityDisplay",
    "SubgraphsDisplay",
]
