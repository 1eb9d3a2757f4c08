"""Results of monitoring by rules or patterns, with scores in units of the decision function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..formatting.numbers import format_percent
from ..results.table_text import Line, Section, TableText
from ._results import PREDICTION, SCORE, Monitoring, PeriodTable, format_mean, format_rate

LINEAR = "(linear terms)"
_OF_TERMS = ("coef", "support_reference", "support_new")


@dataclass(frozen=True)
class Term:
    """A rule or pattern in new rows beside the reference.

    Parameters
    ----------
    text : str
        The term.
    coef : float
        Its coefficient.
    index : float
        The stability index of the rows in which it holds and the others.
    status : str
        As that of a period.
    support_reference, support_new : float
        The fraction of the weight in which it holds.
    """

    text: str
    coef: float
    index: float
    status: str
    support_reference: float
    support_new: float


@dataclass(frozen=True, repr=False)
class TermPeriods(PeriodTable):
    """A line for each period, with the score in units of the decision function.

    Parameters
    ----------
    lines : tuple of Period
        The reference, and the periods in their order; ``csi`` has the index of each term (of an additive
        model of each column), ``mean_points`` its mean contribution.
    of_numbers : bool, default=False
        Whether the targets are numbers.
    is_weighted : bool, default=False
        Whether rows have weights, whose sums the counts are.
    """

    _in_points: ClassVar[bool] = False
    _largest: ClassVar[str] = "largest index"

    @property
    def _performance_heads(self) -> tuple[str, ...]:
        return ("observed", "predicted") if self.of_numbers else ("observed", "predicted", "AUC")


@dataclass(frozen=True, repr=False)
class TermMonitoring(Monitoring):
    """New rows beside reference rows; prints the stability of the score and of each term or column.

    Parameters
    ----------
    total : Period
        The new rows all together.
    periods : TermPeriods
        The reference, and each period.
    bins : BinTable
        The shares in each bin of the score, and of each column of an additive model.
    values : ValueTable
        Counts of missing values and special codes, of numbers beyond the range of the reference and of new
        categories, of the columns that a model of a table uses.
    thresholds : (float, float)
        The stability indices from which a shift is called moderate and large.
    terms : tuple of Term
        The rules or patterns, those of the largest index first; other models have none.
    rest : tuple of float
        What linear terms contribute to the mean score of reference and new rows; empty where there are none.
    """

    terms: tuple[Term, ...] = ()
    rest: tuple[float, ...] = ()
    _in_points: ClassVar[bool] = False

    def columns(self) -> dict[str, list[Any]]:
        """Return score and terms or columns, one line each.

        Returns
        -------
        dict of str to list
            ``feature, index, status, mean_reference, mean_new, change``: the stability index, and the mean
            score or contribution on both sides; then ``coef, support_reference, support_new`` of terms. The
            score comes first, as ``(score)`` or ``(prediction)``; its change is the sum of the others, of
            which ``(linear terms)`` are what columns contribute beside rules. Additive models have columns in
            the place of terms, whose ``coef`` and supports are NaN; machines have the score alone.
        """
        if not self.terms:
            found = super().columns()
            return found | {name: [math.nan] * len(found["feature"]) for name in _OF_TERMS}
        reference = self.periods.lines[0]
        means = [(reference.mean_score, self.total.mean_score)]
        means += [(term.coef * term.support_reference, term.coef * term.support_new) for term in self.terms]
        names = [PREDICTION if self.periods.of_numbers else SCORE, *(term.text for term in self.terms)]
        numbers = [(math.nan, math.nan, math.nan)]
        numbers += [(term.coef, term.support_reference, term.support_new) for term in self.terms]
        indices = [self.total.psi, *(term.index for term in self.terms)]
        statuses = [self.total.status, *(term.status for term in self.terms)]
        if self.rest:
            before, after = self.rest
            names, means, indices = [*names, LINEAR], [*means, (before, after)], [*indices, math.nan]
            statuses, numbers = [*statuses, ""], [*numbers, numbers[0]]
        return {
            "feature": names,
            "index": indices,
            "status": statuses,
            "mean_reference": [before for before, _ in means],
            "mean_new": [after for _, after in means],
            "change": [after - before for before, after in means],
            "coef": [coef for coef, _, _ in numbers],
            "support_reference": [before for _, before, _ in numbers],
            "support_new": [after for _, _, after in numbers],
        }

    def _layout(self) -> TableText:
        if self.total.csi and not self.terms:
            return super()._layout()
        reference, total, of_numbers = self.periods.lines[0], self.total, self.periods.of_numbers
        first = (
            PREDICTION if of_numbers else SCORE,
            f"{total.psi:.3f}",
            total.status,
            "mean",
            format_mean(reference.mean_score),
            format_mean(total.mean_score),
        )
        lines = [Line(first)]
        for term in self.terms:
            supports = (format_percent(term.support_reference), format_percent(term.support_new))
            lines.append(Line((term.text, f"{term.index:.3f}", term.status, f"{term.coef:+.4g}", *supports)))
        if self.rest:
            lines.append(Line((LINEAR, "", "", "mean", *map(format_mean, self.rest))))
        observed = ""
        if not math.isnan(total.event_rate):
            write, noun = (format_mean, "target") if of_numbers else (format_rate, "class")
            observed = f" Where the {noun} is known: {write(total.event_rate)} observed"
            observed += "." if math.isnan(total.predicted) else f", {write(total.predicted)} predicted."
        heads = ("term", "index", "status", "coef", "before", "now")
        return TableText(heads, "lrlrrr", (Section("", tuple(lines), 1),), self._note(observed))
