"""New rows beside reference rows: the one comparison of cards, additive models, rules and patterns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.alignment import warn_if_reordered
from ..data.frames import named_column
from ..data.weights import weight_of_bins
from ..results.coverage import class_weight_note
from ..results.ranking import band_texts, equal_weight_cuts, ranking_of
from ..validation import check, integer
from ._labels import label_table
from ._options import checked_thresholds, periods_by, warn_of_one_side
from ._periods import periods_of
from ._results import NO_ROWS, PREDICTION, SCORE, BinTable, Monitoring, Period, PeriodTable, status_of
from ._sample import Sample, Scored, read
from ._term_results import Term, TermMonitoring, TermPeriods
from ._values import ValueTable, value_table
from .stability import Shares, chance_index, shares_of, stability_index


class Given(NamedTuple):
    """What is given with the rows of both sides, as in ``monitor`` of an estimator."""

    y_reference: Any
    y_new: Any
    sample_weight_reference: Any
    sample_weight_new: Any
    period: Any
    by: str | None


class Comparison:
    """New rows beside reference rows, for a score and the coded columns that add up to it.

    Parameters
    ----------
    scored : Scored
        The score.
    X_reference, X_new, given, n_bins, thresholds : object
        As in ``monitor`` of an estimator.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, the reference has no rows, or an argument is invalid.
    """

    def __init__(
        self,
        scored: Scored,
        X_reference: Any,
        X_new: Any,
        given: Given,
        n_bins: int,
        thresholds: tuple[float, float],
    ) -> None:
        check("n_bins", n_bins, integer(2))
        self.scored, self.thresholds = scored, checked_thresholds(thresholds)
        period = named_column(X_new, given.period, "period")
        warn_if_reordered(X_new, period, "period")
        period = periods_by(period, given.by)
        weights = (given.sample_weight_reference, given.sample_weight_new)
        self.before = read(scored, X_reference, given.y_reference, weights[0], "reference")
        self.after = read(scored, X_new, given.y_new, weights[1], "new")
        self.reference, self.new = self.before.sample, self.after.sample
        known = (self.reference.weights, self.new.weights)
        warn_of_one_side(weights, known)
        self.is_weighted = any(own is not None for own in known)
        self.cuts = equal_weight_cuts(self.reference.score, self.reference.weights, n_bins, halfway=True)
        self.shares = self._shares(self.reference)
        self.new_shares = self._shares(self.new)
        groups = [] if period is None else periods_of(period, self.after.counts)
        self.total = self._line("new", self.new, self.new_shares)
        samples = [(name, self.new.select(rows)) for name, rows in groups]
        lines = [self._line(name, sample, self._shares(sample)) for name, sample in samples] or [self.total]
        self.lines = (self._line("reference", self.reference, self.shares), *lines)

    def monitoring(self) -> Monitoring:
        """Return the comparison by the bins of columns."""
        periods = PeriodTable(*self._about_lines())
        return Monitoring(self.total, periods, self._bins(), self._values(), self.thresholds)

    def term_monitoring(self) -> TermMonitoring:
        """Return the comparison by rules or patterns, with scores in units of the decision function."""
        periods = TermPeriods(*self._about_lines())
        parts = (self._bins(), self._values(), self.thresholds, self._terms(), self._rest())
        return TermMonitoring(self.total, periods, *parts)

    def _about_lines(self) -> tuple[tuple[Period, ...], bool, bool, str]:
        note = class_weight_note(self.scored.model, "predictions")
        return self.lines, self.scored.of_numbers, self.is_weighted, note

    # ------------------------------------------------------------------ shares of codes

    def _codes(self, sample: Sample) -> Iterator[NDArray[np.intp]]:
        """Go through the bins of the score, and the codes of each column."""
        yield np.searchsorted(self.cuts, sample.score, side="left")
        yield from sample.each_column()

    def _shares(self, sample: Sample) -> list[Shares]:
        sizes = [len(self.cuts) + 1, *(len(own.values) for own in self.scored.columns)]
        return [
            shares_of(codes, size, sample.weights, sample.counts_rows)
            for codes, size in zip(self._codes(sample), sizes, strict=True)
        ]

    def _means(self, shares: Sequence[Shares]) -> list[float]:
        """Return the mean contribution of each column."""
        parts = zip(self.scored.columns, shares[1:], strict=True)
        return [float(np.asarray(own.values, dtype=np.float64) @ found.values) for own, found in parts]

    # ------------------------------------------------------------------ lines

    def _line(self, name: Any, sample: Sample, shares: Sequence[Shares]) -> Period:
        """Compare rows with the reference."""
        names = [own.name for own in self.scored.columns]
        if not sample.score.size:
            no_number, nothing = math.nan, dict.fromkeys(names, math.nan)
            columns = (nothing, nothing, nothing)
            return Period(name, 0.0, no_number, no_number, no_number, NO_ROWS, *columns, *[no_number] * 5)
        is_reference = sample is self.reference
        pairs = list(zip(self.shares, shares, strict=True))
        psi, *csi = [float(stability_index(*pair).sum()) for pair in pairs]
        by_chance, *csi_by_chance = [0.0 if is_reference else chance_index(*pair) for pair in pairs]
        return Period(
            name,
            float(sample.row_weights.sum()),
            sample.mean(sample.score),
            psi,
            by_chance,
            "" if is_reference else status_of(psi, by_chance, self.thresholds),
            dict(zip(names, csi, strict=True)),
            dict(zip(names, csi_by_chance, strict=True)),
            dict(zip(names, self._means(shares), strict=True)),
            *self._performance(sample),
        )

    def _performance(self, sample: Sample) -> tuple[float, float, float, float, float]:
        """Return mean truth and prediction, AUC, Gini and KS of the rows whose target is known."""
        known = ~np.isnan(sample.observed)
        if not known.any():
            return (math.nan,) * 5
        sample = sample.select(known)
        means = (sample.mean(sample.observed), sample.mean(sample.predicted))
        if self.scored.of_numbers:
            return (*means, math.nan, math.nan, math.nan)
        found = ranking_of(sample.observed > 0, self.scored.sign * sample.score, sample.weights)
        return (*means, *((math.nan,) * 3 if found is None else (found.auc, found.gini, found.ks)))

    # ------------------------------------------------------------------ tables

    def _bins(self) -> BinTable:
        """List the bins of the score and of the columns that have bins, with what is known of their rows."""
        of_numbers = self.scored.of_numbers
        score, noun = (PREDICTION, "prediction") if of_numbers else (SCORE, "score")
        texts = [(score, band_texts(self.cuts, noun)), *((c.name, c.texts) for c in self.scored.columns)]
        known = self.new.select(~np.isnan(self.new.observed))
        values = {"mean" if of_numbers else "event_rate": known.observed, "predicted": known.predicted}
        values = values if known.score.size else {}
        names = ("feature", "bin", "reference", "new", "index", *values)
        lines: dict[str, list[Any]] = {name: [] for name in names}
        parts = zip(texts, self.shares, self.new_shares, self._codes(known), strict=True)
        for (feature, bins), before, after, codes in parts:
            if not bins:
                continue
            lines["feature"] += [feature] * len(bins)
            lines["bin"] += bins
            lines["reference"] += before.values.tolist()
            lines["new"] += after.values.tolist()
            lines["index"] += stability_index(before, after).tolist()
            counts = weight_of_bins(codes, len(bins), known.weights)
            for name, own in values.items():
                sums = weight_of_bins(codes, len(bins), known.row_weights * own)
                with np.errstate(invalid="ignore"):
                    lines[name] += (sums / counts).tolist()
        return BinTable(lines, of_numbers)

    def _values(self) -> ValueTable:
        """Count values that the reference or training did not have, of rows that both sides have as cells."""
        has_cells = bool(self.before.values and self.after.values)
        before, after = (own.values if has_cells else [] for own in (self.before, self.after))
        counts_rows = (self.reference.counts_rows, self.new.counts_rows)
        return label_table(self.before, self.after) or value_table(
            before, after, counts_rows, self.thresholds[0]
        )

    def _terms(self) -> tuple[Term, ...]:
        """List the rules or patterns, those of the largest index first."""
        found = []
        parts = zip(self.scored.columns, self.shares[1:], self.new_shares[1:], strict=True)
        for own, before, after in parts:
            if not own.texts:
                index = float(stability_index(before, after).sum())
                supports = float(before.values[1]), float(after.values[1])
                status = status_of(index, chance_index(before, after), self.thresholds)
                found.append(Term(own.name, own.values[1], index, status, *supports))
        return tuple(sorted(found, key=lambda term: -term.index))

    def _rest(self) -> tuple[float, ...]:
        """Return what linear terms add to the mean scores of both sides; nothing where that is rounding."""
        if all(own.texts for own in self.scored.columns):
            return ()
        intercept = np.atleast_1d(np.asarray(self.scored.model.intercept_, dtype=np.float64))
        sides = ((self.reference, self.shares), (self.new, self.new_shares))
        found = tuple(
            own.mean(own.score) - float(intercept[self.scored.output]) - sum(self._means(shares))
            for own, shares in sides
        )
        size = max(float(np.abs(own.score).max()) for own, _ in sides)
        return found if max(map(abs, found)) > 1e-9 * size else ()
