"""Plot of what the columns of a score card are worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from ..formatting.text import pluralize
from ._display import GREY, UP, Display, annotate_empty, legend_above, set_label, shorten

_LINE = 0.34  # inches of a column


@dataclass(repr=False)
class ImportancesDisplay(Display):
    """By how much the objective of a score card rises without each of its columns.

    Parameters
    ----------
    names : list of str
        The columns.
    ends : list of (float, float)
        The least and the most by which the objective rises, as fractions of it; an infinite end is not drawn.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects; the axes also as ``axes_``.
    """

    names: list[str]
    ends: list[tuple[float, float]]

    def _content(self) -> str:
        return pluralize(len(self.names), "column")

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ImportancesDisplay
            The display itself.
        """
        self.axes_ = ax = self._draw_on(ax, (7.5, 1.3 + _LINE * max(len(self.names), 2)))
        if not self.names:
            annotate_empty(ax, "columns")
            return self
        places = range(len(self.names))
        # An end is infinite where there is no bound, or no card; a NaN is not drawn.
        least, most = (
            [100 * end if math.isfinite(end) else math.nan for end in side]
            for side in zip(*self.ends, strict=True)
        )
        ax.hlines(places, least, most, color=UP, lw=5, alpha=0.35, label="between the two")
        ax.plot(least, places, "|", color=UP, ms=14, mew=2.2, label="proved of every card without the column")
        ax.plot(most, places, "o", color=UP, ms=6, label="the card that was found without it")
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.set_yticks(places, [shorten(name, 46) for name in self.names], fontsize=8)
        ax.set_ylim(len(self.names) - 0.4, -0.6)
        ax.margins(x=0.08)
        set_label(ax.set_xlabel, "rise of the objective without the column (%)", fontsize=9)
        self._keep_bottom_line(ax)
        legend_above(ax)
        return self
