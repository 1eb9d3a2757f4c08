"""Plots of score cards in points, and of their stability on new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..formatting.numbers import format_grouped
from ..formatting.text import pluralize
from ._display import DOWN, GREY, UP, Display, annotate_empty, escape_mathtext, legend_above, shorten

_LINE = 0.26  # inches of a bar
_MOST_NAMES = 14  # periods that are named: half an inch for each
_GAP = 0.6  # bars between two columns


@dataclass(repr=False)
class CardDisplay(Display):
    """The points of each bin as bars, column by column.

    Parameters
    ----------
    columns : list of (list of str, list of float)
        The texts and the points of the bins of each column.
    label : str
        The label of the axis.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects; the axes also as ``axes_``.
    """

    columns: list[tuple[list[str], list[float]]]
    label: str = "points"

    def _content(self) -> str:
        return pluralize(len(self.columns), "column")

    @classmethod
    def from_card(cls, card: Any, *, max_features: int = 20, ax: Any = None) -> Self:
        """Draw a card.

        Parameters
        ----------
        card : ScaledCard
            The card.
        max_features : int, default=20
            The most columns to draw.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        CardDisplay
            The matplotlib objects.
        """
        pairs = list(zip(card.bins, card.points, strict=True))[:max_features]
        columns = [(list(bins.texts), list(map(float, points))) for bins, points in pairs]
        return cls(columns, f"points, added to the base of {format_grouped(float(card.base_points))}").plot(
            ax=ax
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        CardDisplay
            The display itself.
        """
        places: list[float] = []
        height = 0.0
        for texts, _ in self.columns:
            places += [height + k for k in range(len(texts))]
            height += len(texts) + _GAP
        self.axes_ = ax = self._draw_on(ax, (7.5, 0.9 + _LINE * max(height, 2)))
        points = [value for _, values in self.columns for value in values]
        bars = ax.barh(places, points, color=[UP if value >= 0 else DOWN for value in points], height=0.75)
        ax.bar_label(bars, [f"{value:+.4g}" for value in points], padding=3, fontsize=8)
        texts = [shorten(text, 46) for texts_of_column, _ in self.columns for text in texts_of_column]
        ax.set_yticks(places, texts, fontsize=8)
        ax.set_ylim(max(height - _GAP, 1), -1)
        if not places:
            annotate_empty(ax, "points")
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.margins(x=0.12)
        ax.set_xlabel(self.label, fontsize=9)
        self._keep_bottom_line(ax)
        return self


@dataclass(repr=False)
class MonitoringDisplay(Display):
    """The stability of a score by period, or of each column where there are no periods.

    Parameters
    ----------
    monitoring : Monitoring
        The indices.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects; the axes also as ``axes_``.
    """

    monitoring: Any

    def _content(self) -> str:
        return pluralize(len(self.monitoring.periods.lines) - 1, "period")

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        MonitoringDisplay
            The display itself.
        """
        lines = self.monitoring.periods.lines[1:]
        by_period = len(lines) > 1
        found = self.monitoring.columns()
        height = 3.6 if by_period else 1.0 + _LINE * len(found["feature"])
        self.axes_ = ax = self._draw_on(ax, (7.5, height))
        if by_period:
            self._draw_periods(ax, lines)
        else:
            places = range(len(found["feature"]))
            ax.barh(places, found["index"], color=UP, height=0.7)
            ax.set_yticks(places, [shorten(text, 46) for text in found["feature"]], fontsize=8)
            ax.invert_yaxis()
            ax.set_xlabel("stability index", fontsize=9)
        shifts = zip(self.monitoring.thresholds, ("moderate", "large"), (GREY, DOWN), strict=True)
        for threshold, name, colour in shifts:
            draw = ax.axhline if by_period else ax.axvline
            label = f"{name} shift from {threshold:g}"
            draw(threshold, color=colour, linewidth=1.0, linestyle="--", label=label)
        if by_period:
            ax.set_ylim(bottom=0.0)
        legend_above(ax)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
        return self

    def _draw_periods(self, ax: Any, lines: Any) -> None:
        places = range(len(lines))
        for feature in lines[0].csi:
            ax.plot(places, [line.csi[feature] for line in lines], color=GREY, linewidth=0.8, alpha=0.6)
        known = [line for line in lines if line.count > 0]
        worst = max(lines[0].csi, key=lambda name: max(line.csi[name] for line in known), default=None)
        if worst is not None:
            values = [line.csi[worst] for line in lines]
            label = escape_mathtext(f"{worst} (largest of the columns)")
            ax.plot(places, values, color=GREY, linewidth=1.4, label=label)
        score = self.monitoring.columns()["feature"][0].strip("()")
        ax.plot(
            places, [line.psi for line in lines], "o-", color=UP, linewidth=1.8, markersize=4, label=score
        )
        step = -(-len(lines) // _MOST_NAMES)
        names = [shorten(line.text, 18) for line in lines[::step]]
        ax.set_xticks(places[::step], names, fontsize=8, rotation=20, ha="right")
        ax.set_xticks(places, minor=True)
        ax.set_ylabel("stability index", fontsize=9)
