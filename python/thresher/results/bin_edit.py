"""What edits of the bins of a model cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..formatting.numbers import format_gap
from ..formatting.text import pluralize
from .printed import PrintedTable
from .table_text import Line, Section, TableText

TOGETHER = "(all edits)"


@dataclass(frozen=True)
class EditPrice:
    """What an edit costs.

    Parameters
    ----------
    feature : str
        The column; "(all edits)" for all of them together.
    steps_before, steps_after : int
        The steps of the column, or of the model.
    objective : float
        The objective with the edit, all values fitted again.
    price : float
        By how much it is above that of the model.
    """

    feature: str
    steps_before: int
    steps_after: int
    objective: float
    price: float


@dataclass(frozen=True, repr=False)
class EditedBins(PrintedTable):
    """The prices of edits of bins, and the model with all of them; prints as a table.

    Parameters
    ----------
    prices : tuple of EditPrice
        Each edit alone, and all of them together last.
    model : estimator
        The model with all edits, a fitted estimator.
    before : estimator
        The model without them.
    card : ScaledCard or None, default=None
        The model in points, where the bins of a card were edited.
    """

    prices: tuple[EditPrice, ...]
    model: Any
    before: Any
    card: Any = None

    @property
    def price(self) -> float:
        """By how much all edits together raise the objective."""
        return self.prices[-1].price

    def columns(self) -> dict[str, list[Any]]:
        """Return the edits as columns.

        Returns
        -------
        dict of str to list
            ``feature, steps_before, steps_after, objective, price``, and ``price_in_steps``, the price over
            `lambda0`.
        """
        names = ("feature", "steps_before", "steps_after", "objective", "price")
        found = {name: [getattr(line, name) for line in self.prices] for name in names}
        found["price_in_steps"] = [line.price / float(self.before.lambda0_) for line in self.prices]
        return found

    def _layout(self) -> TableText:
        lines = [
            Line((name, str(before), str(after), f"{objective:.6g}", f"{price:+.4g}", f"{in_steps:+.2f}"))
            for name, before, after, objective, price, in_steps in zip(*self.columns().values(), strict=True)
        ]
        before, after = self.before.certificate_, self.model.certificate_
        note = "Each edit alone, all other bins as they are and all values fitted again; then all together."
        footer = f"The objective was {before.primal:.6g}."
        if after.has_bound:
            gaps = [format_gap(each.relative_gap) for each in (before, after)]
            n_edits = pluralize(len(self.prices) - 1, "edit")
            footer += f" No model has one below {after.dual:.6g}: "
            footer += f"the gap was {gaps[0]} and is {gaps[1]} with {n_edits}."
        heads = ("column", "steps before", "after", "objective", "price", "in steps")
        return TableText(heads, "lrrrrr", (Section("", tuple(lines), 0),), note, footer)
