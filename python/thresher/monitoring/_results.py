"""Results of monitoring by coded columns, such as those of a score card: stability and performance."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..formatting.numbers import format_percent, format_weight
from ..results.printed import PrintedTable
from ..results.table_text import COUNTS_OF_WEIGHTS, Line, Section, TableText
from ._values import ValueTable
from .dates import are_days

if TYPE_CHECKING:
    from ..plotting.scorecards import MonitoringDisplay

SCORE = "(score)"
PREDICTION = "(prediction)"
STATUSES = ("stable", "moderate shift", "large shift")
NO_ROWS = "no rows"
FEW_ROWS = "few rows"
_MOST_DATES, _FEW_A_DATE = 60, 100
"""So many dates, of fewer rows each, are hardly meant as periods."""
format_rate = "{:.1%}".format
_MIDNIGHT = re.compile(r"[ T]00:00:00(\.0+)?$")


@dataclass(frozen=True)
class Period:
    """The rows of one period beside the reference.

    Parameters
    ----------
    period : object
        The period; "reference" for the reference itself, "new" where there are no periods.
    count : float
        The weight of the rows; their number without weights.
    mean_score : float
        The mean score.
    psi : float
        The stability index of the score, 0 for the reference.
    psi_by_chance : float
        The index that 95 of 100 samples of as many rows of one population stay below, 0 for the reference.
    status : str
        "stable", "moderate shift" or "large shift", by the thresholds; "few rows" for a moderate or large
        one of at most the size that there is by chance; "no rows" for a period without rows, whose
        numbers are NaN; empty for the reference.
    csi : dict of str to float
        The stability index of each column.
    csi_by_chance : dict of str to float
        As `psi_by_chance`, of each column.
    mean_points : dict of str to float
        The mean points of each column.
    event_rate, predicted : float
        The fraction of events, and the mean of their probabilities, among the rows whose class is known; of
        numbers the mean of targets and of predictions. NaN without any.
    auc, gini, ks : float
        How well the score ranks them; NaN without events or non-events. ``gini = 2 auc - 1``.
    """

    period: Any
    count: float
    mean_score: float
    psi: float
    psi_by_chance: float
    status: str
    csi: dict[str, float]
    csi_by_chance: dict[str, float]
    mean_points: dict[str, float]
    event_rate: float
    predicted: float
    auc: float
    gini: float
    ks: float

    @property
    def text(self) -> str:
        """The period as text, a time at midnight as its date."""
        return _MIDNIGHT.sub("", str(self.period))


@dataclass(frozen=True, repr=False)
class PeriodTable(PrintedTable):
    """A line for each period.

    Parameters
    ----------
    lines : tuple of Period
        The reference, and the periods in their order.
    of_numbers : bool, default=False
        Whether the targets are numbers, which have a mean in the place of an event rate, and no AUC.
    is_weighted : bool, default=False
        Whether rows have weights, whose sums the counts are.
    about_predictions : str, default=""
        What the predictions are of, if not of the population.
    """

    lines: tuple[Period, ...]
    of_numbers: bool = False
    is_weighted: bool = False
    about_predictions: str = ""
    _in_points: ClassVar[bool] = True  # unless the targets are numbers
    _largest: ClassVar[str] = "largest CSI"

    @property
    def _note(self) -> str:
        """What the counts are, and a hint where many dates of few rows are periods."""
        return f"{COUNTS_OF_WEIGHTS if self.is_weighted else ''} {self._hint}".strip()

    @property
    def _hint(self) -> str:
        _, *own = self.lines
        if len(own) <= _MOST_DATES:
            return ""
        names = [line.period for line in own]
        mean = sum(line.count for line in own) / len(own)
        if mean >= _FEW_A_DATE or not are_days(names):
            return ""
        if {str(name)[8:10] for name in names} == {"01"}:  # months by their first days
            return ""
        return f"Each of {len(own)} dates is a period, of {mean:.0f} rows on average; months have more."

    def columns(self) -> dict[str, list[Any]]:
        """Return the periods as columns.

        Returns
        -------
        dict of str to list
            ``period, count, mean_score, psi, psi_by_chance, status, event_rate, predicted, auc, gini, ks``,
            then ``csi <column>``. Of numbers ``mean_prediction`` and ``mean`` are in the place of
            ``mean_score`` and ``event_rate``, and ``auc, gini, ks`` are left out.
        """
        names = ["period", "count", "mean_score", "psi", "psi_by_chance", "status"]
        names += ["event_rate", "predicted", *["auc", "gini", "ks"] * (not self.of_numbers)]
        of_numbers = {"mean_score": "mean_prediction", "event_rate": "mean"} if self.of_numbers else {}
        found = {of_numbers.get(name, name): [getattr(line, name) for line in self.lines] for name in names}
        for feature in self.lines[0].csi:
            found[f"csi {feature}"] = [line.csi[feature] for line in self.lines]
        return found

    @property
    def _performance_heads(self) -> tuple[str, ...]:
        return ("mean", "predicted") if self.of_numbers else ("event rate", "predicted", "AUC", "Gini", "KS")

    def _layout(self) -> TableText:
        noun, write_rate = ("prediction", format_mean) if self.of_numbers else ("score", format_rate)
        write_mean = "{:.1f}".format if self._in_points and not self.of_numbers else format_mean
        heads = ["period", "count", f"mean {noun}", "PSI", "by chance", "status", self._largest]
        is_known = any(not math.isnan(line.event_rate) for line in self.lines)
        performance = self._performance_heads if is_known else ()
        lines = []
        for line in self.lines:
            has_index = bool(line.status) and line.count > 0
            worst = max(line.csi.items(), key=lambda pair: pair[1], default=None) if has_index else None
            cells = [line.text, format_weight(line.count), _known(line.mean_score, write_mean)]
            cells += [f"{index:.3f}" if has_index else "" for index in (line.psi, line.psi_by_chance)]
            cells += [line.status, "" if worst is None else f"{worst[1]:.3f} {worst[0]}"]
            rates = [_known(rate, write_rate) for rate in (line.event_rate, line.predicted)]
            ranks = [_known(rank, "{:.3f}".format) for rank in (line.auc, line.gini, line.ks)]
            lines.append(Line((*cells, *[*rates, *ranks][: len(performance)])))
        alignment = "lrrrrll" + "r" * len(performance)
        sections = (Section("", tuple(lines), 0),)
        return TableText((*heads, *performance), alignment, sections, self._note, second_block=len(heads))


@dataclass(frozen=True, repr=False)
class BinTable(PrintedTable):
    """The shares of the bins of the score and of each column, for the new rows all together.

    Parameters
    ----------
    lines : dict of str to list
        ``feature, bin, reference, new, index``, and with classes ``event_rate, predicted``, with numbers
        ``mean, predicted``.
    of_numbers : bool, default=False
        Whether the targets are numbers.
    """

    lines: dict[str, list[Any]]
    of_numbers: bool = False

    def columns(self) -> dict[str, list[Any]]:
        """Return the bins as columns.

        Returns
        -------
        dict of str to list
            ``feature, bin, reference, new, index``: the shares on both sides, and what the bin adds to the
            stability index. Where classes of new rows are known, also their ``event_rate`` (numbers:
            their ``mean``) and the mean probability, ``predicted``. The score comes first, as ``(score)`` or
            ``(prediction)``.
        """
        return dict(self.lines)

    def _layout(self) -> TableText:
        lines: list[Line] = []
        previous = None
        names = ["mean" if self.of_numbers else "event rate", "predicted"] * ("predicted" in self.lines)
        heads, write = (
            ("bin", "reference", "new", "index", *names),
            format_mean if self.of_numbers else format_rate,
        )
        for feature, text, before, now, index, *rates in zip(*self.lines.values(), strict=True):
            if feature != previous:
                lines.append(Line((feature, *[""] * (len(heads) - 1))))
                previous = feature
            shares = (_known(share, format_percent, "-") for share in (before, now))
            known = (_known(rate, write, "-") for rate in rates)
            lines.append(Line((f"  {text}", *shares, _known(index, "{:.3f}".format, "-"), *known)))
        return TableText(heads, "l" + "r" * (len(heads) - 1), (Section("", tuple(lines), 0),))


@dataclass(frozen=True, repr=False)
class Monitoring(PrintedTable):
    """New rows beside reference rows; prints the stability of the score and of each column.

    Parameters
    ----------
    total : Period
        The new rows all together.
    periods : PeriodTable
        The reference, and each period.
    bins : BinTable
        The shares in each bin.
    values : ValueTable
        Counts of missing values and special codes, of numbers beyond the range of the reference and of new
        categories.
    thresholds : (float, float)
        The stability indices from which a shift is called moderate and large.
    """

    total: Period
    periods: PeriodTable
    bins: BinTable
    values: ValueTable
    thresholds: tuple[float, float]
    _in_points: ClassVar[bool] = True  # unless the targets are numbers

    @property
    def psi(self) -> float:
        """The population stability index of the score."""
        return self.total.psi

    @property
    def csi(self) -> dict[str, float]:
        """The characteristic stability index of each column."""
        return dict(self.total.csi)

    def columns(self) -> dict[str, list[Any]]:
        """Return score and columns, one line each.

        Returns
        -------
        dict of str to list
            ``feature, index, status, mean_reference, mean_new, change``: the stability index, and the mean
            score or points on both sides. The score comes first, as feature ``(score)``; its change is the
            sum of those of the columns.
        """
        reference = self.periods.lines[0]
        features = [PREDICTION if self.periods.of_numbers else SCORE, *self.total.csi]
        indices = [self.total.psi, *self.total.csi.values()]
        by_chance = [self.total.psi_by_chance, *self.total.csi_by_chance.values()]
        before = [reference.mean_score, *reference.mean_points.values()]
        after = [self.total.mean_score, *self.total.mean_points.values()]
        return {
            "feature": features,
            "index": indices,
            "status": [status_of(*pair, self.thresholds) for pair in zip(indices, by_chance, strict=True)],
            "mean_reference": before,
            "mean_new": after,
            "change": [new - old for old, new in zip(before, after, strict=True)],
        }

    def plot(self, *, ax: Any = None) -> MonitoringDisplay:
        """Draw the stability index by period, or by column where there are no periods.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        MonitoringDisplay
            The plot, with ``figure_`` and ``axes_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from ..plotting.scorecards import MonitoringDisplay

        return MonitoringDisplay(self).plot(ax=ax)

    def _layout(self) -> TableText:
        found, of_numbers = Monitoring.columns(self), self.periods.of_numbers
        in_points = self._in_points and not of_numbers
        sizes = [abs(mean) for mean in (self.periods.lines[0].mean_score, self.total.mean_score)]
        least = 1e-12 * max(size for size in sizes if not math.isnan(size))

        def write(mean: float) -> str:
            if in_points:
                return f"{round(mean, 1) + 0.0:.1f}"
            return format_mean(mean if abs(mean) > least else 0.0)  # means of contributions, up to rounding

        lines = [
            Line(
                (
                    feature,
                    _known(index, "{:.3f}".format),
                    status,
                    *(_known(x, write) for x in means),
                    _known(change, "{:+.1f}".format if in_points else "{:+.4g}".format),
                )
            )
            for feature, index, status, *means, change in zip(*found.values(), strict=True)
        ]
        mean = "mean points before" if in_points else "mean contribution before"
        heads = ("feature", "index", "status", mean, "now", "change")
        observed = ""
        if not math.isnan(self.total.predicted):
            pair = (self.total.event_rate, self.total.predicted)
            rates = "{:.1%} events, {:.1%} predicted".format(*pair)
            rates = "mean {}, predicted {}".format(*map(format_mean, pair)) if of_numbers else rates
            observed = f" Of the new rows whose {'target' if of_numbers else 'class'} is known: {rates}."
            observed = f"{observed} {self.periods.about_predictions}".rstrip()
        if not self.periods.lines[0].csi:
            observed = f"{observed} The model has no steps: it gives all rows the same answer."
        return TableText(heads, "lrlrrr", (Section("", tuple(lines), 0),), self._note(observed))

    def _note(self, observed: str) -> str:
        """Return the sentences below the table: counts, what is observed, and what the reference lacks."""
        low, high = self.thresholds
        new, reference = (format_weight(line.count) for line in (self.total, self.periods.lines[0]))
        sides = f"{new} new rows beside {reference} of the reference"
        if self.periods.is_weighted:
            sides = f"New rows of weight {new} beside the reference of weight {reference}"
        note = f"{sides}; stable: index < {low:g}, large shift: index >= {high:g}.{observed}"
        if self.periods.is_weighted:
            note = f"{note} {COUNTS_OF_WEIGHTS}"
        return f"{note} {self.values.note}".rstrip()


def status_of(index: float, by_chance: float, thresholds: tuple[float, float]) -> str:
    """Name the size of a shift.

    Parameters
    ----------
    index : float
        A stability index.
    by_chance : float
        The one that 95 of 100 samples of as many rows of one population stay below.
    thresholds : (float, float)
        The indices from which a shift is called moderate and large.

    Returns
    -------
    str
        One of ``STATUSES``; ``NO_ROWS`` for NaN; ``FEW_ROWS`` for a shift that is at most the one by chance.

    Examples
    --------
    >>> status_of(0.2, 0.09, (0.1, 0.25)), status_of(0.2, 0.34, (0.1, 0.25))
    ('moderate shift', 'few rows')
    """
    if math.isnan(index):
        return NO_ROWS
    if thresholds[0] <= index <= by_chance:
        return FEW_ROWS
    return STATUSES[sum(index >= threshold for threshold in thresholds)]


def _known(value: float, write: Callable[[float], str], otherwise: str = "") -> str:
    """Write a number, or a text for NaN."""
    return otherwise if math.isnan(value) else write(value)


def format_mean(mean: float) -> str:
    """Format a mean of contributions, targets or predictions."""
    return f"{mean + 0.0:.4g}"
