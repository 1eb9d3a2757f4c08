"""Plot of a model's groups of rules as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..formatting.text import pluralize, with_output
from ._display import UP, Display, annotate_empty, of_output, set_label, shorten


@dataclass(repr=False)
class GroupsDisplay(Display):
    """The norm of the coefficients of each set of columns.

    Parameters
    ----------
    texts : list of str
        The sets of columns, the largest norm first.
    norms : list of float
        The Euclidean norms of their rules' coefficients.
    counts : list of int
        The number of rules of each.
    effect : str
        What the coefficients add up to.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    texts: list[str]
    norms: list[float]
    counts: list[int]
    effect: str = "prediction"

    def _content(self) -> str:
        return pluralize(len(self.texts), "set") + " of columns"

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_groups: int = 20, output: Any = None, ax: Any = None
    ) -> Self:
        """Draw a fitted estimator's groups.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        max_groups : int, default=20
            The most groups to show.
        output : object, optional
            The class or target, where the model has several; all of them by default.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        GroupsDisplay
            The plot.
        """
        check_is_fitted(estimator)
        groups, effect = of_output(estimator, estimator.groups_, output)
        groups = sorted(groups, key=lambda group: -group.norm)[:max_groups]
        texts = [with_output(group.text, group.output) for group in groups]
        norms = [group.norm for group in groups]
        return cls(texts, norms, [group.n_rules for group in groups], effect).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        GroupsDisplay
            The display itself.
        """
        ax = self._draw_on(ax, (8, 0.9 + 0.3 * max(len(self.texts), 2)))
        places = np.arange(len(self.texts))[::-1]
        ax.barh(places, self.norms, color=UP, height=0.65)
        largest = max(self.norms, default=1.0)
        for place, norm, count in zip(places, self.norms, self.counts, strict=True):
            note = f"{count} rule" if count == 1 else f"{count} rules"
            ax.text(norm + largest * 0.02, place, note, va="center", fontsize=7, color="#555555")
        ax.set_yticks(places, [shorten(text) for text in self.texts], fontsize=8)
        if not self.texts:
            annotate_empty(ax, "rules")
        ax.set_xlim(0, largest * 1.2)
        set_label(ax.set_xlabel, f"norm of the coefficients (effect on the {self.effect})")
        self._keep_bottom_line(ax)
        return self
