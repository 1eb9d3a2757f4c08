"""The plots of a fitted rule model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..convex.asked import Asked
from .base import RuleModelBase

if TYPE_CHECKING:
    from ...plotting import DependenceDisplay, GroupsDisplay, RulesDisplay


class DrawnRules(RuleModelBase, Asked):
    """Plots, imported only when one is asked for: they need matplotlib."""

    def plot_rules(self, max_rules: int = 20, ax: Any = None) -> RulesDisplay:
        """Plot the terms' weights with their support.

        Parameters
        ----------
        max_rules : int, default=20
            The most terms to show, the most important first.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        RulesDisplay
            The plot; needs matplotlib.
        """
        from ...plotting import RulesDisplay

        return RulesDisplay.from_estimator(self, max_rules=max_rules, ax=ax)

    def plot_groups(self, max_groups: int = 20, ax: Any = None) -> GroupsDisplay:
        """Plot how heavy each set of columns is, with its number of rules.

        Parameters
        ----------
        max_groups : int, default=20
            The most groups to show, the heaviest first.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        GroupsDisplay
            The plot; needs matplotlib.
        """
        from ...plotting import GroupsDisplay

        return GroupsDisplay.from_estimator(self, max_groups=max_groups, ax=ax)

    def plot_dependence(self, feature: str | int, X: Any = None, ax: Any = None) -> DependenceDisplay:
        """Plot how the prediction depends on one column, averaged over rows.

        Parameters
        ----------
        feature : str or int
            The column's name or position.
        X : array or frame of shape (n_rows, n_features), optional
            The rows to average over; by default up to 2,000 training rows, which are
            there until the model is saved.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        DependenceDisplay
            The plot; needs matplotlib.
        """
        from ...plotting import DependenceDisplay

        return DependenceDisplay.from_estimator(self, feature, X=X, ax=ax)
