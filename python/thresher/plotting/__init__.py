"""Plots of a fitted model, in scikit-learn's manner. They need matplotlib.

======================================== =====================================
colours, short texts, the base class     ``_display.py``
``plot_path``                            ``path.py``
``plot_rules``, ``plot_groups``          ``rules.py``, ``groups.py``
``plot_patterns``                        ``patterns.py``
subgraphs, molecules                     ``graphs.py``, ``molecules.py``
the hull of a hierarchy                  ``hierarchy.py``
``plot_interactions``                    ``interactions.py``
step functions, partial dependence       ``shapes.py``, ``dependence.py``
score cards, monitoring, importances     ``scorecards.py``, ``importances.py``
similarity of models, stability of terms ``comparison.py``
======================================== =====================================
"""

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
