"""The model as a score card: one line a step, values or whole points."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import as_frame
from ..data.inputs import Table
from ..formatting.numbers import format_effects, format_percent
from .shapes import ShapeFunction, cell


@dataclass(frozen=True)
class Card:
    """The score card of one output.

    Parameters
    ----------
    output : object
        The class or target, None where there is one.
    start : float
        Where the sum begins.
    shapes : tuple of ShapeFunction
        The columns in use, the most important first.
    """

    output: Any
    start: float
    shapes: tuple[ShapeFunction, ...]


class ScoreCard:
    """A model of step functions as a table to read, to print and to add up by hand.

    Parameters
    ----------
    cards : sequence of Card
        One for each output.
    note : str
        What the sum means.

    Attributes
    ----------
    cards : list of Card
        One for each output.

    Examples
    --------
    >>> from thresher.results.shapes import Step
    >>> shape = ShapeFunction(0, "age", (Step("age <= 30", -1.0, 0.5), Step("age > 30", 1.0, 0.5)))
    >>> print(ScoreCard([Card(None, 0.25, (shape,))], "The sum is the prediction."))
    The sum is the prediction.
      +0.250  (start)
      age
      -1.000    age <= 30  50%
      +1.000    age > 30   50%
    """

    def __init__(self, cards: Sequence[Card], note: str) -> None:
        self.cards = list(cards)
        self._note = note

    def __len__(self) -> int:
        """Count the lines."""
        return sum(len(shape.steps) for card in self.cards for shape in card.shapes)

    def columns(self) -> dict[str, list[Any]]:
        """Give the lines column by column.

        Returns
        -------
        dict of str to list
            ``feature, condition, value, support``, and ``output`` first where there are
            several; the first line is ``(start)``.
        """
        names = ["output", "feature", "condition", "value", "support"]
        lines: list[tuple[Any, ...]] = []
        for card in self.cards:
            lines.append((card.output, "", "(start)", card.start, 1.0))
            for shape in card.shapes:
                lines += [
                    (card.output, shape.feature_name, step.text, step.value, step.support)
                    for step in shape.steps
                ]
        found: dict[str, list[Any]] = {
            name: list(cells) for name, cells in zip(names, zip(*lines, strict=True), strict=True)
        }
        if len(self.cards) == 1:
            found.pop("output")
        return found

    def to_frame(self) -> Any:
        """Give a data frame: pandas if it is there, else polars, else this card.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or ScoreCard
            The columns of :meth:`columns`.
        """
        return as_frame(self.columns(), self)

    def _values(self, values: list[float]) -> list[str]:
        return format_effects(values)

    def __str__(self) -> str:
        """Lay the card out for a terminal."""
        lines = [self._note]
        for card in self.cards:
            if len(self.cards) > 1:
                lines.append(f"[{card.output}]")
            steps = [step for shape in card.shapes for step in shape.steps]
            first, *values = self._values([card.start, *(step.value for step in steps)])
            right = max(map(len, [first, *values]))
            width = max((len(step.text) for step in steps), default=0)
            lines.append(f"  {first:>{right}}  (start)")
            left = iter(values)
            for shape in card.shapes:
                lines.append(f"  {shape.feature_name}")
                lines += [
                    f"  {next(left):>{right}}    {s.text:<{width}}  {format_percent(s.support)}"
                    for s in shape.steps
                ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show the card."""
        return str(self)

    def _repr_html_(self) -> str:
        """Show the card in a notebook."""
        return f"<pre>{html.escape(str(self))}</pre>"


class PointCard(ScoreCard):
    """A score card of whole points.

    Parameters
    ----------
    card : Card
        The points, and the start.
    note : str
        What the sum means.
    scale : float
        One point in units of the decision function.
    loss, exact_loss : float
        Summed loss on the data given: of the points, and of the model itself.
    unseen : dict of int to int
        For each column in use the points of a value that training did not see.
    read : callable
        Turns rows into columns, as the model reads them.

    Attributes
    ----------
    scale : float
        One point in units of the decision function.
    loss, exact_loss : float
        Summed loss on the data given.
    """

    def __init__(
        self,
        card: Card,
        note: str,
        scale: float,
        loss: float,
        exact_loss: float,
        unseen: Mapping[int, int],
        read: Callable[[Any], Table],
    ) -> None:
        super().__init__([card], note)
        self._unseen, self._read = unseen, read
        self.scale = scale
        self.loss = loss
        self.exact_loss = exact_loss

    def score(self, X: Any) -> NDArray[np.int64]:
        """Add up the points of rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows, with the columns of training.

        Returns
        -------
        ndarray of shape (n_rows,)
            The points; ``card.cards[0].start + card.scale * points`` is the decision. A value
            that training did not see counts as the mean of its column does.

        Raises
        ------
        TypeError, ValueError
            As in the model's ``predict``.
        """
        table = self._read(X)
        points = np.zeros(table.n_rows, dtype=np.int64)
        for shape in self.cards[0].shapes:
            steps = [
                shape.step_of(cell(table.columns[shape.feature_index], row)) for row in range(table.n_rows)
            ]
            unseen = self._unseen[shape.feature_index]
            points += np.asarray([unseen if step is None else int(step.value) for step in steps], np.int64)
        return points

    def _values(self, values: list[float]) -> list[str]:
        first, *points = values
        return [f"{first:.4g}", *(f"{point:+.0f}" for point in points)]
