"""How much worse the best score card without a column is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..formatting.numbers import format_gap
from ..formatting.text import format_names, pluralize
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText

if TYPE_CHECKING:
    from ..plotting import ImportancesDisplay

_ROUNDING = 1e-9  # of an objective: differences below are due to the rounding of sums


@dataclass(frozen=True)
class ColumnImportance:
    """How much the objective rises when a column of a score card is left out.

    Parameters
    ----------
    feature_index : int
        The column's position.
    feature_name : str
        Its name.
    objective : float
        The objective of the card that was found without the column.
    dual : float
        A lower bound on the objective of every card without the column; -inf if there is none.
    card_objective : float
        The objective of the card with the column.
    output : object
        The class or target, None where there is one.
    complete : bool, default=True
        Whether the search for the card without the column ended before its limits: otherwise more time may
        raise `dual` and lower `objective`.

    Examples
    --------
    >>> from thresher import ColumnImportance
    >>> found = ColumnImportance(0, "age", objective=102.0, dual=101.3, card_objective=100.0)
    >>> print(found)
    without age the objective is at least 1.3 % and at most 2 % larger
    """

    feature_index: int
    feature_name: str
    objective: float
    dual: float
    card_objective: float
    output: Any = None
    complete: bool = True

    @property
    def at_least(self) -> float:
        """The least rise that is proved, as a fraction of the card's objective; 0 if none is.

        It is below 0, and the most by which the objective may fall, if a better card without the column was
        found.
        """
        proved = _ratio(self.dual - self.card_objective, self.card_objective)
        return proved if self.at_most < -_ROUNDING else max(0.0, proved)

    @property
    def at_most(self) -> float:
        """The rise to the card found without the column, as a fraction; below 0 if that card is better."""
        return _ratio(self.objective - self.card_objective, self.card_objective)

    def __str__(self) -> str:
        """Return a sentence."""
        if self.at_most < -_ROUNDING:
            less = format_gap(-self.at_most)
            return f"without {self.feature_name} a card was found whose objective is {less} smaller"
        least, most = format_gap(self.at_least), format_gap(self.at_most)
        return f"without {self.feature_name} the objective is at least {least} and at most {most} larger"


@dataclass(frozen=True, repr=False)
class ColumnImportances(PrintedTable):
    """The columns of a score card, the most important first.

    Parameters
    ----------
    columns_ : tuple of ColumnImportance
        One for each column in use.
    event : object, default=None
        The class that a model of two classes speaks about.
    """

    columns_: tuple[ColumnImportance, ...]
    event: Any = None

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns_)

    def __getitem__(self, feature: str) -> ColumnImportance:
        """Return the first entry of a column, by its name.

        Parameters
        ----------
        feature : str
            The column's name.

        Returns
        -------
        ColumnImportance
            Its entry.

        Raises
        ------
        KeyError
            If the card does not use the column.
        """
        for found in self.columns_:
            if found.feature_name == feature:
                return found
        names = format_names(list(dict.fromkeys(column.feature_name for column in self.columns_)))
        raise KeyError(f"the card has no steps of a column {feature!r}; it has steps of {names or 'none'}")

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns.

        Returns
        -------
        dict of str to list
            ``feature, at_least, at_most, objective, dual, complete``, and ``output`` first where there are
            several.
        """
        names = ("output", "feature_name", "at_least", "at_most", "objective", "dual", "complete")
        found = {name: [getattr(column, name) for column in self.columns_] for name in names}
        found = {"output": found.pop("output"), "feature": found.pop("feature_name"), **found}
        if len(set(map(str, found["output"]))) <= 1:
            found.pop("output")
        return found

    def plot(self, *, output: Any = None, max_features: int = 20, ax: Any = None) -> ImportancesDisplay:
        """Draw for each column the rise of the objective without it, between its bounds.

        Parameters
        ----------
        output : object, optional
            The class or target, where there are several; the first by default.
        max_features : int, default=20
            The most columns to draw, the most important first.
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ImportancesDisplay
            The plot, with ``figure_`` and ``axes_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such output.
        """
        from ..plotting import ImportancesDisplay

        known = list(dict.fromkeys(column.output for column in self.columns_))
        if len(known) == 1 and output == self.event:
            output = None
        if output is not None and output not in known:
            advice = "name one of " + ", ".join(map(repr, known)) if len(known) > 1 else "leave output out"
            raise ValueError(f"output: got {output!r}; {advice}")
        wanted = known[:1] if output is None else [output]
        shown = [column for column in self.columns_ if column.output in wanted][:max_features]
        names, ends = [c.feature_name for c in shown], [(c.at_least, c.at_most) for c in shown]
        return ImportancesDisplay(names, ends).plot(ax=ax)

    def _layout(self) -> TableText:
        if not self.columns_:
            return TableText((), "", (), "The model has no steps, so that there is no column to leave out.")
        outputs = list(dict.fromkeys(column.output for column in self.columns_))
        sections = []
        for output in outputs:
            of_output = [column for column in self.columns_ if column.output == output]
            lines = tuple(
                Line((c.feature_name, format_gap(c.at_least), format_gap(c.at_most))) for c in of_output
            )
            sections.append(Section("" if len(outputs) == 1 else str(output), lines, 0))
        note = f"{pluralize(len(self), 'column')}: by how much the objective rises without each"
        footer = (
            "at least: proved of every card without the column; at most: the card that was found without it"
        )
        if any(column.at_most < -_ROUNDING for column in self.columns_):
            footer += (
                ". Below 0: the card without the column has better bins of the others than the model, whose "
                "bins are not the best: they were edited, or their search did not find them"
            )
        if unfinished := [column.feature_name for column in self.columns_ if not column.complete]:
            footer += f". Ended at a limit, so that more time may narrow them: {format_names(unfinished)}"
        return TableText(("column", "at least", "at most"), "lrr", tuple(sections), note, footer)


def _ratio(difference: float, size: float) -> float:
    if difference == 0.0 or not size > 0.0:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / size
