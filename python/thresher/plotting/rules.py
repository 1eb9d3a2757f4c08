"""Plot of a model's terms as bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..formatting.numbers import format_percent
from ..formatting.text import pluralize, with_output
from ..results.summary import SummaryRow
from ._display import DOWN, UP, Display, annotate_empty, of_output, set_label

_WIDTH = 58  # characters in a line of a rule


@dataclass(repr=False)
class RulesDisplay(Display):
    """The coefficients of the terms with their support.

    Parameters
    ----------
    texts : list of str
        The terms, the most important first.
    values : list of float
        Rules: coefficients. Linear terms: coefficient times sd.
    notes : list of str
        The texts of the support.
    effect : str
        What the coefficients add up to.
    left_out : int, default=0
        Number of terms that are not shown.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    texts: list[str]
    values: list[float]
    notes: list[str]
    effect: str = "prediction"
    left_out: int = 0

    def _content(self) -> str:
        return pluralize(len(self.texts), "term")

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_rules: int = 20, output: Any = None, ax: Any = None
    ) -> Self:
        """Draw a fitted estimator's terms.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        max_rules : int, default=20
            The most terms to show.
        output : object, optional
            The class or target, where the model has several; all of them by default.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        RulesDisplay
            The plot.
        """
        check_is_fitted(estimator)
        summary = estimator.summary()
        terms, effect = of_output(estimator, summary.rows, output)
        rows = terms[:max_rules]
        values, notes = [_bar(row) for row in rows], [_note(row, summary.is_weighted) for row in rows]
        return cls([_text(row) for row in rows], values, notes, effect, len(terms) - len(rows)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        RulesDisplay
            The display itself.
        """
        labels, n_lines = self._wrap(self.texts, _WIDTH)
        ax = self._draw_on(ax, (9, 0.9 + (0.16 + 0.15 * n_lines) * max(len(labels), 2)))
        places = np.arange(len(self.texts))[::-1]
        ax.barh(places, self.values, color=[UP if value > 0 else DOWN for value in self.values], height=0.65)
        largest = max(map(abs, self.values), default=1.0)
        for place, value, note in zip(places, self.values, self.notes, strict=True):
            side = "left" if value > 0 else "right"
            beside = value + math.copysign(largest * 0.02, value)
            ax.text(beside, place, note, va="center", ha=side, fontsize=7, color="#555555")
        ax.set_yticks(places, labels, fontsize=8)
        ax.axvline(0, color="#444444", lw=0.8)
        low, high = min([0.0, *self.values]), max([0.0, *self.values])
        ax.set_xlim(
            low - largest * (0.45 if low < 0 else 0.05), high + largest * (0.45 if high > 0 else 0.05)
        )
        set_label(ax.set_xlabel, f"effect on the {self.effect}")
        if not self.texts:
            annotate_empty(ax, "rules")
        if self.left_out:
            ax.set_title(f"{pluralize(len(self.texts), 'term')}, and {self.left_out:,} more", fontsize=9)
        self._keep_bottom_line(ax)
        return self


def _text(row: SummaryRow) -> str:
    text = with_output(row.term, row.output)
    return f"{text} (per sd)" if row.kind == "linear" else text


def _bar(row: SummaryRow) -> float:
    """Return the coefficient of a rule; of a linear term the coefficient times the standard deviation."""
    return math.copysign(row.importance or 0.0, row.coef) if row.kind == "linear" else row.coef


def _note(row: SummaryRow, is_weighted: bool) -> str:
    if row.n_rows is None or row.support is None:
        return "linear"
    return f"{row.n_rows:,} rows, {format_percent(row.support)}{' of weight' * is_weighted}"
