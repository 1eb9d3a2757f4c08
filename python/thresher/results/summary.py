"""Summaries: a fitted model as one table with its certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..formatting.numbers import format_count, format_effects, format_percent, without_rounding
from ..formatting.text import leave_out_middle, shorten_conditions
from .coverage import weights_note
from .printed import PrintedTable
from .table_text import Line, Section, TableText

INTERCEPT = "(intercept)"
SUM_OF_COLUMNS = "Each coefficient times its column, added up, is"
_MOST_CATEGORIES = 10  # lines of the categories of one column, or of pairs of categories of two
_LONGEST = 120  # characters of a condition or an item: two lines of a terminal, as its column has them
_MULTIPLIED = ("linear", "interaction")  # kinds of terms whose coefficient multiplies a value of the row


@dataclass(frozen=True)
class SummaryRow:
    """One term of a model.

    Parameters
    ----------
    term : str
        The text of the term: a rule, a pattern, a column, a product of columns, a step.
    kind : {"rule", "pattern", "linear", "interaction", "step"}
        The kind of term.
    coef : float
        The coefficient: the effect where the term holds, or per unit of a column or of
        a product of columns.
    support : float or None, default=None
        Fraction of the training weight for which it holds; 1 for a linear term.
    n_rows : int or None, default=None
        Number of training rows for which it holds.
    importance : float or None, default=None
        Standard deviation of its contribution over the training rows.
    output : object, default=None
        The class or target; None where there is one output.
    extras : mapping of str to object, default={}
        Further columns of this kind of term, for example ``size`` of a pattern.
    category_of : str, default=""
        The columns of which the term has a category, where there may be many. A printed table has the first
        lines of them and counts the others.
    n_of_category : int or None, default=None
        The number of such terms of the model, of which the summary may list fewer; None: all are listed.
    """

    term: str
    kind: str
    coef: float
    support: float | None = None
    n_rows: int | None = None
    importance: float | None = None
    output: Any = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    category_of: str = ""
    n_of_category: int | None = None


@dataclass(frozen=True, repr=False)
class Summary(PrintedTable):
    """A fitted model as a table; it prints as text and shows as HTML in a notebook.

    Names of more than 120 characters are shortened there; ``columns()`` and ``to_frame()`` have them whole.

    Parameters
    ----------
    rows : tuple of SummaryRow
        The terms, in the order in which they are shown.
    intercepts : tuple of (output, float)
        The intercept of each output.
    effect : str, default="prediction"
        The name of the sum of the terms: the prediction, or the log-odds of a class.
    note : str, default=""
        A sentence about the sum, shown above the table.
    proof : str, default=""
        A sentence about what was proved, shown below the table.
    term_noun, row_noun : str, default="rule", "rows"
        The nouns for a term and for the training rows.
    is_weighted : bool, default=False
        Whether training rows had different weights, or may have had.

    Examples
    --------
    >>> from thresher import Summary
    >>> from thresher.results.summary import SummaryRow
    >>> print(Summary((SummaryRow("age > 30", "rule", 0.5, 0.25, 25, 0.2),), ((None, 1.0),)))
      effect  rule         rows  support
      +1.000  (intercept)
      +0.500  age > 30       25      25%
    """

    rows: tuple[SummaryRow, ...]
    intercepts: tuple[tuple[Any, float], ...]
    effect: str = "prediction"
    note: str = ""
    proof: str = ""
    term_noun: str = "rule"
    row_noun: str = "rows"
    is_weighted: bool = False

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self.rows)

    def columns(self, *, with_intercepts: bool = False) -> dict[str, list[Any]]:
        """Return the terms as columns.

        Parameters
        ----------
        with_intercepts : bool, default=False
            Whether the first rows are the intercepts of the outputs, of the kind ``intercept``.

        Returns
        -------
        dict of str to list
            ``term, kind, coef``, then ``support, n_rows, importance`` and further columns
            where some term has them; ``output`` first where there are several.
        """
        rows, found = self.rows, dict[str, list[Any]]()
        if with_intercepts:
            first = (SummaryRow(INTERCEPT, "intercept", coef, output=of) for of, coef in self.intercepts)
            rows = (*first, *rows)
        if len(self.intercepts) > 1:
            found["output"] = [row.output for row in rows]
        for name in ("term", "kind", "coef"):
            found[name] = [getattr(row, name) for row in rows]
        for name in ("support", "n_rows", "importance"):
            values = [getattr(row, name) for row in rows]
            if any(value is not None for value in values):
                found[name] = values
        if "support" in found:  # fractions of sums of weights differ in the last digits
            found["support"] = [None if s is None else round(s, 12) for s in found["support"]]
        for name in dict.fromkeys(name for row in rows for name in row.extras):
            found[name] = [row.extras.get(name) for row in rows]
        return found

    def _layout(self) -> TableText:
        numbers = self._number_columns()
        headings = {"n_rows": self.row_noun, "support": "support"}
        kinds = {row.kind for row in self.rows}
        first = "coef" if kinds and kinds.issubset(_MULTIPLIED) else "effect"
        noun = "column" if kinds == {"linear"} else self.term_noun
        several = len(self.intercepts) > 1
        sections = []
        for output, intercept in self.intercepts:
            rows = [row for row in self.rows if not several or row.output == output]
            sections.append(Section(str(output) if several else "", self._lines(intercept, rows, numbers)))
        return TableText(
            (first, noun, *(headings[name] for name in numbers)),
            "rl" + "r" * len(numbers),
            tuple(sections),
            self.note,
            " ".join(part for part in (self._weights_note(numbers), self.proof) if part),
        )

    def _weights_note(self, numbers: list[str]) -> str:
        """Say that counts and supports are not those of equal rows; empty where they are."""
        return weights_note(self.row_noun, "n_rows" in numbers) if self.is_weighted and numbers else ""

    def _number_columns(self) -> list[str]:
        """Return the numeric columns of the table: rows and support, or only support."""
        shown = [row for row in self.rows if row.kind not in _MULTIPLIED]
        return [
            name for name in ("n_rows", "support") if any(getattr(row, name) is not None for row in shown)
        ]

    def _lines(
        self, intercept: float, rows: Sequence[SummaryRow], numbers: Sequence[str]
    ) -> tuple[Line, ...]:
        largest = max((row.importance or 0.0 for row in rows), default=0.0) or 1.0
        effects = _effects(intercept, rows)
        lines = [Line((effects[0], INTERCEPT, *("" for _ in numbers)))]
        totals, seen = Counter((row.kind, row.category_of) for row in rows), Counter[tuple[str, str]]()
        for effect, row in zip(effects[1:], rows, strict=True):
            group = (row.kind, row.category_of)
            seen[group] += 1
            total = row.n_of_category or totals[group]
            # A line that counts one term would take the place of that term.
            is_cut = bool(row.category_of) and total > _MOST_CATEGORIES + 1
            if not is_cut or seen[group] <= _MOST_CATEGORIES:
                cells = (effect, _printed_term(row.term), *(_number(row, name) for name in numbers))
                fraction = None if row.importance is None else row.importance / largest
                lines.append(Line(cells, fraction if fraction is None or row.coef > 0 else -fraction))
            left_out = total - min(seen[group], _MOST_CATEGORIES if is_cut else total)
            if row.category_of and left_out and seen[group] == totals[group]:
                rest = f"... and {left_out:,} more of {row.category_of}"
                lines.append(Line(("", rest, *("" for _ in numbers)), n_terms=left_out))
        return tuple(lines)


def _printed_term(term: str) -> str:
    """Shorten a term as a printed table has it; sets of categories are whole."""
    return term if " in {" in term else shorten_conditions(term, _LONGEST, leave_out_middle)


def _effects(intercept: float, rows: Sequence[SummaryRow]) -> list[str]:
    """Format the effects; a coefficient that multiplies a column is formatted separately."""
    coefs = [row.coef for row in rows if row.kind not in _MULTIPLIED]
    steps = iter(format_effects(without_rounding([intercept, *coefs], coefs)))
    return [next(steps), *(f"{row.coef:+.4g}" if row.kind in _MULTIPLIED else next(steps) for row in rows)]


def _number(row: SummaryRow, name: str) -> str:
    if row.kind in _MULTIPLIED:
        return "per unit" if name == "n_rows" else ""
    value = getattr(row, name)
    if value is None:
        return ""
    return format_count(value) if name == "n_rows" else format_percent(value)
