"""Plot of a model's patterns: coefficients and support."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..formatting.numbers import format_percent
from ..formatting.text import pluralize, with_output
from ._display import (
    DOWN,
    UP,
    Display,
    annotate_empty,
    escape_mathtext,
    most_important,
    of_output,
    panels,
    pyplot,
    shorten,
)

if TYPE_CHECKING:
    from ..results.pattern import Pattern

_WIDTH = 44  # characters in a line of a pattern, and of the label below their coefficients
_CLASS = 32  # characters of the classes in a line of the legend


@dataclass(repr=False)
class PatternsDisplay(Display):
    """The coefficients of the patterns with their support.

    Parameters
    ----------
    patterns : list of Pattern
        The patterns, the most important first.
    effect : str
        What the coefficients add up to.
    is_weighted : bool, default=False
        Whether training records had different weights, or may have had.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        The matplotlib objects.
    """

    patterns: list[Pattern]
    effect: str = "prediction"
    is_weighted: bool = False

    def _content(self) -> str:
        return pluralize(len(self.patterns), "pattern")

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_patterns: int = 20, output: Any = None, ax: Any = None
    ) -> Self:
        """Draw a fitted estimator's patterns.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        max_patterns : int, default=20
            The most patterns to show.
        output : object, optional
            The class or target, where the model has several; all of them by default.
        ax : matplotlib Axes, optional
            Where to draw; the two panels take its place.

        Returns
        -------
        PatternsDisplay
            The plot.
        """
        check_is_fitted(estimator)
        patterns, effect = of_output(estimator, estimator.patterns_, output)
        is_weighted = estimator._fitted.may_be_weighted
        return cls(most_important(patterns, max_patterns), effect, is_weighted).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        PatternsDisplay
            The display itself.
        """
        texts = [with_output(p.text, p.output) for p in self.patterns]
        labels, n_lines = self._wrap(texts, _WIDTH)
        height = 1.2 + (0.16 + 0.14 * n_lines) * max(len(labels), 2)
        self.figure_, self.axes_ = panels(ax, 1, 2, (9, height), sharey=True, width_ratios=[3, 2])
        places = np.arange(len(labels))[::-1]
        self._draw_weights(self.axes_[0], places)
        self._draw_support(self.axes_[1], places)
        self.axes_[0].set_yticks(places, labels, fontsize=8)
        self.axes_[0].set_ylim(-0.7, max(len(labels), 2) - 0.3)
        for ax in self.axes_:
            if not labels:
                annotate_empty(ax, "patterns")
            self._keep_bottom_line(ax)
        return self

    def _draw_weights(self, ax: Any, places: Any) -> None:
        values = [p.coef for p in self.patterns]
        ax.barh(places, values, color=[UP if value > 0 else DOWN for value in values], height=0.6)
        largest = max(map(abs, values), default=1.0)
        for place, value in zip(places, values, strict=True):
            side = "left" if value > 0 else "right"
            beside = value + math.copysign(largest * 0.02, value)
            ax.text(beside, place, f"{value:+.3g}", va="center", ha=side, fontsize=7, color="#555555")
        low, high = min([0.0, *values]), max([0.0, *values])
        ax.set_xlim(
            low - largest * (0.25 if low < 0 else 0.03), high + largest * (0.25 if high > 0 else 0.03)
        )
        ax.axvline(0, color="#444444", lw=0.8)
        ax.set_xlabel(escape_mathtext(textwrap.fill(f"effect on the {self.effect}", _WIDTH)))

    def _draw_support(self, ax: Any, places: Any) -> None:
        classes = list(self.patterns[0].n_rows_per_class) if self.patterns else []
        left = np.zeros(len(self.patterns))
        cycle = pyplot().rcParams["axes.prop_cycle"].by_key()["color"]
        colors = [DOWN, UP] if len(classes) == 2 else cycle
        for number, label in enumerate(classes):
            counts = np.asarray([p.n_rows_per_class[label] for p in self.patterns], dtype=float)
            color = colors[number % len(colors)]
            name = shorten(str(label), _CLASS)
            ax.barh(places, counts, left=left, height=0.6, color=color, alpha=0.55, label=name)
            left += counts
        if not classes:
            left = np.asarray([p.n_rows for p in self.patterns], dtype=float)
            ax.barh(places, left, height=0.6, color="#999999")
        most = left.max(initial=1.0)
        for place, pattern, end in zip(places, self.patterns, left, strict=True):
            note = f"{pattern.n_rows:,} ({format_percent(pattern.support)})"
            ax.text(end + most * 0.02, place, note, va="center", fontsize=7, color="#555555")
        ax.set_xlim(0, most * 1.35)
        ax.set_xlabel(f"training records{' (% of their weight)' * self.is_weighted}")
        if len(classes) > 1:
            across = 4 if sum(min(len(str(label)), _CLASS) for label in classes[:4]) <= _CLASS else 1
            ax.legend(fontsize=7, frameon=False, ncols=across, loc="lower right", bbox_to_anchor=(1, 1))
