"""Score cards of models of step functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..formatting.numbers import format_effects, format_percent, without_rounding
from .coverage import weights_note
from .printed import PrintedTable
from .shape_function import ShapeFunction
from .summary import INTERCEPT
from .table_text import Line, Section, TableText


@dataclass(frozen=True)
class OutputCard:
    """The score card of one output.

    Parameters
    ----------
    output : object
        The class or target, None where there is one.
    intercept : float
        The intercept.
    shapes : tuple of ShapeFunction
        The columns in use, the most important first.
    """

    output: Any
    intercept: float
    shapes: tuple[ShapeFunction, ...]


@dataclass(frozen=True, repr=False)
class ScoreCard(PrintedTable):
    """A model of step functions as a table with one line for each step.

    Parameters
    ----------
    cards : tuple of OutputCard
        One for each output.
    note : str
        The meaning of the sum.
    is_weighted : bool, default=False
        Whether training rows had different weights, or may have had.

    Examples
    --------
    >>> from thresher import ScoreCard, ShapeFunction
    >>> from thresher.results.score_card import OutputCard
    >>> from thresher.results.shape_function import Step
    >>> shape = ShapeFunction(0, "age", (Step("age <= 30", -1.0, 0.5), Step("age > 30", 1.0, 0.5)))
    >>> print(ScoreCard((OutputCard(None, 0.25, (shape,)),), "The sum is the prediction."))
    The sum is the prediction.
      effect  step         support
      +0.250  (intercept)
              age
      -1.000    age <= 30      50%
      +1.000    age > 30       50%
    """

    cards: tuple[OutputCard, ...]
    note: str
    is_weighted: bool = False

    def __len__(self) -> int:
        """Return the number of steps."""
        return sum(len(shape.steps) for card in self.cards for shape in card.shapes)

    def columns(self) -> dict[str, list[Any]]:
        """Return the lines as columns.

        Returns
        -------
        dict of str to list
            ``feature, condition, value, support``, and ``output`` first where there are
            several; the first line is ``(intercept)``.
        """
        names = ["output", "feature", "condition", "value", "support"]
        lines: list[tuple[Any, ...]] = []
        for card in self.cards:
            lines.append((card.output, "", INTERCEPT, card.intercept, 1.0))
            for shape in card.shapes:
                lines += [(card.output, shape.feature_name, s.text, s.value, s.support) for s in shape.steps]
        found: dict[str, list[Any]] = {
            name: list(cells) for name, cells in zip(names, zip(*lines, strict=True), strict=True)
        }
        if len(self.cards) == 1:
            found.pop("output")
        return found

    def _layout(self) -> TableText:
        sections = []
        for card in self.cards:
            values = [step.value for shape in card.shapes for step in shape.steps]
            first, *texts = format_effects(without_rounding([card.intercept, *values], values))
            lines, left = [Line((first, INTERCEPT, ""))], iter(texts)
            for shape in card.shapes:
                lines.append(Line(("", shape.feature_name, "")))
                lines += [Line((next(left), f"  {s.text}", format_percent(s.support))) for s in shape.steps]
            sections.append(Section("" if len(self.cards) == 1 else str(card.output), tuple(lines)))
        footer = weights_note("rows", with_counts=False) if self.is_weighted else ""
        return TableText(("effect", "step", "support"), "rlr", tuple(sections), self.note, footer)
