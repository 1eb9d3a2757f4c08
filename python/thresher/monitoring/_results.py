"""Monitoring of a model of rules, patterns or interactions on new rows: stability and performance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..formatting.numbers import format_percent, format_weight
from ..results.table_text import Line, Section, TableText
from ..scorecard.monitoring import PREDICTION, SCORE, Monitoring, PeriodTable

LINEAR = "(linear terms)"


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
        "stable", "moderate shift" or "large shift".
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
        The reference, and the periods in their order; ``csi`` has the index of each term, ``mean_points`` its
        mean contribution.
    of_numbers : bool, default=False
        Whether the targets are numbers.
    is_weighted : bool, default=False
        Whether rows have weights, whose sums the counts are.
    """

    def _layout(self) -> TableText:
        noun = "mean prediction" if self.of_numbers else "mean score"
        heads = ["period", "count", noun, "PSI", "by chance", "status", "largest index"]
        is_known = any(not math.isnan(line.event_rate) for line in self.lines)
        if is_known:
            heads += ["observed", "predicted"] + ["AUC"] * (not self.of_numbers)
        lines = []
        for line in self.lines:
            has_index = bool(line.status) and line.count > 0
            worst = max(line.csi.items(), key=lambda pair: pair[1], default=None) if has_index else None
            cells = [line.text, format_weight(line.count), _number(line.mean_score)]
            cells += [f"{index:.3f}" if has_index else "" for index in (line.psi, line.psi_by_chance)]
            cells += [line.status, "" if worst is None else f"{worst[1]:.3f} {worst[0]}"]
            if is_known:
                write = _number if self.of_numbers else _percent
                cells += [write(line.event_rate), write(line.predicted)]
                cells += ["" if math.isnan(line.auc) else f"{line.auc:.3f}"] * (not self.of_numbers)
            lines.append(Line(tuple(cells)))
        alignment = "lrrrrll" + "r" * (len(heads) - 7)
        return TableText(tuple(heads), alignment, (Section("", tuple(lines), 0),), self._note)


@dataclass(frozen=True, repr=False)
class TermMonitoring(Monitoring):
    """New rows beside reference rows; prints the stability of the score and of each term.

    Parameters
    ----------
    total : Period
        The new rows all together.
    periods : TermPeriods
        The reference, and each period.
    bins : BinTable
        The shares in each bin of the score.
    values : ValueTable
        Counts of missing values, of numbers beyond the range of the reference and of new categories, of the
        columns that a model of a table uses.
    thresholds : (float, float)
        The stability indices from which a shift is called moderate and large.
    terms : tuple of Term
        The rules or patterns, those of the largest index first.
    rest : tuple of float
        What linear terms contribute to the mean score of reference and new rows; empty where there are none.
    """

    terms: tuple[Term, ...] = ()
    rest: tuple[float, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """Return score and terms, one line each.

        Returns
        -------
        dict of str to list
            ``feature, index, status, mean_reference, mean_new, change``: the stability index, and the mean
            score or contribution on both sides; then ``coef, support_reference, support_new`` of terms. The
            score comes first, as ``(score)`` or ``(prediction)``; its change is the sum of the others, of
            which ``(linear terms)`` are what columns contribute beside rules. Machines have no terms here.
        """
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
        reference, total, of_numbers = self.periods.lines[0], self.total, self.periods.of_numbers
        first = (
            PREDICTION if of_numbers else SCORE,
            f"{total.psi:.3f}",
            total.status,
            "mean",
            _number(reference.mean_score),
            _number(total.mean_score),
        )
        lines = [Line(first)]
        for term in self.terms:
            supports = (format_percent(term.support_reference), format_percent(term.support_new))
            lines.append(Line((term.text, f"{term.index:.3f}", term.status, f"{term.coef:+.4g}", *supports)))
        if self.rest:
            lines.append(Line((LINEAR, "", "", "mean", *map(_number, self.rest))))
        observed = ""
        if not math.isnan(total.event_rate):
            write, noun = (_number, "target") if of_numbers else (_percent, "class")
            observed = f" Where the {noun} is known: {write(total.event_rate)} observed"
            observed += "." if math.isnan(total.predicted) else f", {write(total.predicted)} predicted."
        heads = ("term", "index", "status", "coef", "before", "now")
        return TableText(heads, "lrlrrr", (Section("", tuple(lines), 1),), self._note(observed))


def _percent(rate: float) -> str:
    return "" if math.isnan(rate) else f"{rate:.1%}"


def _number(mean: float) -> str:
    return "" if math.isnan(mean) else f"{mean + 0.0:.4g}"
