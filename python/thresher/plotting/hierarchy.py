"""Plot of the hull of a hierarchical model in its lattice."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from ..formatting.text import pluralize
from ..results.hierarchical_rule import HierarchicalRule
from ._display import DOWN, GREY, UP, Display, name_of_output, shorten

_WIDTH = 34  # characters in the text of a node


@dataclass(repr=False)
class HullDisplay(Display):
    """The Hasse diagram of rules and their subsets.

    Parameters
    ----------
    rules : list of HierarchicalRule
        The conjunctions; those without a coefficient are grey.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    rules: list[HierarchicalRule]

    def _content(self) -> str:
        return pluralize(len(self.rules), "rule")

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, output: Any = None, max_rules: int = 20, ax: Any = None
    ) -> Self:
        """Draw the hull of a fitted estimator's most important rules.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        output : object, optional
            The class or target; the first by default.
        max_rules : int, default=20
            The most rules; their subsets are added.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        HullDisplay
            The plot.

        Raises
        ------
        ValueError
            If there is no such output.
        """
        check_is_fitted(estimator)
        label = name_of_output(estimator, output)
        hull = [rule for rule in estimator.hull_ if rule.output == label]
        chosen = sorted((rule for rule in hull if rule.coef), key=lambda rule: -rule.importance)[:max_rules]
        wanted = [_propositions(rule) for rule in chosen]
        shown = [rule for rule in hull if any(_propositions(rule) <= other for other in wanted)]
        return cls(shown).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        HullDisplay
            The display itself.
        """
        ordered = sorted(self.rules, key=lambda rule: (rule.depth, rule.text))
        levels = {depth: list(group) for depth, group in itertools.groupby(ordered, lambda rule: rule.depth)}
        most = max((len(level) for level in levels.values()), default=1)
        ax = self._draw_on(ax, (3.6 * max(len(levels), 1) + 0.6, 1.0 + 0.26 * max(most, 3)))
        places = {
            _propositions(rule): (depth, (number + 0.5) / len(level))
            for depth, level in levels.items()
            for number, rule in enumerate(level)
        }
        for upper, (x, y) in places.items():
            for lower, (left, height) in places.items():
                if left == x - 1 and lower < upper:
                    ax.plot([left, x], [height, y], color="#bbbbbb", lw=0.8, zorder=1)
        largest = max((abs(rule.coef) for rule in self.rules), default=0.0) or 1.0
        for rule in self.rules:
            x, y = places[_propositions(rule)]
            color = UP if rule.coef > 0 else DOWN if rule.coef < 0 else GREY
            ax.scatter([x], [y], s=14 + 110 * abs(rule.coef) / largest, color=color, zorder=3)
            box = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.85}
            ax.annotate(
                shorten(rule.text, _WIDTH),
                (x, y),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color="#222222" if rule.coef else GREY,
                bbox=box,
                zorder=4,
            )
        depths = sorted(levels) or [1]
        ax.set_xticks(depths, [f"{d} proposition{'s' if d > 1 else ''}" for d in depths], fontsize=8)
        ax.set_xlim(depths[0] - 0.12, depths[-1] + 0.95)
        ax.set_ylim(1, 0)
        ax.set_yticks([])
        ax.set_title("blue raises, red lowers, grey: in the hull without a coefficient", fontsize=8)
        ax.spines[["top", "right", "left"]].set_visible(False)
        return self


def _propositions(rule: HierarchicalRule) -> frozenset[tuple[Any, ...]]:
    """Split conditions into basic propositions, to compare rules as sets."""
    parts: set[tuple[Any, ...]] = set()
    for c in rule.conditions:
        if c.missing is not None or c.category is not None:
            parts.add((c.feature_index, c.category, c.negated, c.missing))
        else:
            ends = ((c.feature_index, ">", c.lower), (c.feature_index, "<=", c.upper))
            parts.update(end for end in ends if abs(end[2]) != float("inf"))
    return frozenset(parts)
