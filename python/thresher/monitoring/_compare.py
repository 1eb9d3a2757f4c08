"""New rows beside reference rows, for every estimator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..data.frames import named_column
from ..results.ranking import equal_weight_cuts, ranking_of
from ..scorecard._monitor import Given
from ..scorecard._monitor_options import checked_thresholds, periods_by, warn_of_one_side
from ..scorecard._periods import periods_of
from ..scorecard._values import value_table
from ..scorecard.bands import band_texts
from ..scorecard.monitoring import NO_ROWS, PREDICTION, SCORE, BinTable, Period, status_of
from ..scorecard.stability import Shares, chance_index, shares_of, stability_index
from ..validation import check, integer
from ._labels import label_table
from ._results import Term, TermMonitoring, TermPeriods
from ._sample import Sample, read, terms_of, used_columns


def compare(
    model: Any,
    X_reference: Any,
    X_new: Any,
    given: Given,
    n_bins: int,
    thresholds: tuple[float, float],
    output: Any,
) -> TermMonitoring:
    """Compare new rows with reference rows, as the method ``monitor`` of an estimator does."""
    check("n_bins", n_bins, integer(2))
    low, high = checked_thresholds(thresholds)
    place = model._fitted.place_of(output)
    period = periods_by(named_column(X_new, given.period, "period"), given.by)
    old = read(model, X_reference, given.y_reference, given.sample_weight_reference, place, "reference")
    new = read(model, X_new, given.y_new, given.sample_weight_new, place, "new")
    weights = (given.sample_weight_reference, given.sample_weight_new)
    warn_of_one_side(weights, (old.sample.weights, new.sample.weights))
    found = _Comparison(model, place, old.sample, n_bins, (low, high))
    groups = [] if period is None else periods_of(period, new.counts)
    total = found.line("new", new.sample)
    lines = [found.line(name, new.sample.select(rows)) for name, rows in groups] or [total]
    columns: Any = list(used_columns(model).values()) if old.values and new.values else []
    return TermMonitoring(
        total,
        TermPeriods(
            (found.line("reference", old.sample), *lines),
            model._task == "regression",
            any(side.sample.weights is not None for side in (old, new)),
        ),
        found.bins(new.sample),
        label_table(old, new)
        or value_table(columns, old.values if columns else [], new.values if columns else []),
        (low, high),
        found.terms(new.sample),
        found.rest(old.sample, new.sample),
    )


class _Comparison:
    """The reference rows, against which others are compared."""

    def __init__(
        self, model: Any, output: int, reference: Sample, n_bins: int, thresholds: tuple[float, float]
    ) -> None:
        self.reference, self.thresholds = reference, thresholds
        self.own = terms_of(model, output)[1]
        self.of_numbers = model._task == "regression"
        self.cuts = equal_weight_cuts(reference.score, reference.weights, n_bins)
        self.shares = self._shares(reference)
        self.intercept = float(np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))[output])

    def _places(self, sample: Sample) -> Any:
        return np.searchsorted(self.cuts, sample.score, side="left")

    def _shares(self, sample: Sample) -> Shares:
        return shares_of(self._places(sample), len(self.cuts) + 1, sample.weights, sample.counts_rows)

    def _indices(self, sample: Sample) -> list[float]:
        """Return the stability index of each term."""
        pairs = zip(self.reference.term_shares, sample.term_shares, strict=True)
        return [float(stability_index(before, after).sum()) for before, after in pairs]

    def _means(self, sample: Sample) -> list[float]:
        return [term.coef * s for term, s in zip(self.own, sample.supports, strict=True)]

    def terms(self, sample: Sample) -> tuple[Term, ...]:
        """List the terms, those of the largest index first."""
        supports = zip(self.reference.supports, sample.supports, strict=True)
        parts = zip(self.own, self._indices(sample), supports, strict=True)
        found = [
            Term(term.text, term.coef, index, status_of(index, self.thresholds), before, after)
            for term, index, (before, after) in parts
        ]
        return tuple(sorted(found, key=lambda term: -term.index))

    def rest(self, *samples: Sample) -> tuple[float, ...]:
        """Return what linear terms add to the mean score of each sample; nothing where that is rounding."""
        found = tuple(own.mean(own.score) - self.intercept - sum(self._means(own)) for own in samples)
        size = max(float(np.abs(own.score).max()) for own in samples)
        return found if self.own and max(map(abs, found)) > 1e-9 * size else ()

    def line(self, name: Any, sample: Sample) -> Period:
        """Compare rows with the reference."""
        texts = [term.text for term in self.own]
        if not sample.score.size:
            nothing = dict.fromkeys(texts, math.nan)
            return Period(name, 0.0, math.nan, math.nan, math.nan, NO_ROWS, nothing, nothing, *[math.nan] * 5)
        shares, is_reference = self._shares(sample), sample is self.reference
        psi = float(stability_index(self.shares, shares).sum())
        by_chance = 0.0 if is_reference else chance_index(self.shares, shares)
        return Period(
            name,
            float(sample.score.size if sample.weights is None else sample.weights.sum()),
            sample.mean(sample.score),
            psi,
            by_chance,
            "" if is_reference else status_of(psi, self.thresholds, by_chance),
            dict(zip(texts, self._indices(sample), strict=True)),
            dict(zip(texts, self._means(sample), strict=True)),
            *self._performance(sample),
        )

    def _performance(self, sample: Sample) -> tuple[float, float, float, float, float]:
        """Return mean truth and prediction, AUC, Gini and KS of the rows whose target is known."""
        known = ~np.isnan(sample.observed)
        if not known.any():
            return (math.nan,) * 5
        sample = sample.select(known)
        pair = (sample.mean(sample.observed), sample.mean(sample.predicted))
        if self.of_numbers:
            return (*pair, math.nan, math.nan, math.nan)
        found = ranking_of(sample.observed > 0, sample.score, sample.weights)
        return (*pair, *((math.nan,) * 3 if found is None else (found.auc, found.gini, found.ks)))

    def bins(self, sample: Sample) -> BinTable:
        """List the bins of the score, with observed and predicted values where these are known."""
        after = self._shares(sample)
        score, noun = (PREDICTION, "prediction") if self.of_numbers else (SCORE, "score")
        lines: dict[str, list[Any]] = {
            "feature": [score] * (len(self.cuts) + 1),
            "bin": band_texts(self.cuts, noun),
            "reference": self.shares.values.tolist(),
            "new": after.values.tolist(),
            "index": stability_index(self.shares, after).tolist(),
        }
        known = ~np.isnan(sample.observed)
        if known.any():
            own = sample.select(known)
            weights = own.row_weights
            places = self._places(own)
            counts = np.bincount(places, weights, minlength=len(self.cuts) + 1)
            named = {"mean" if self.of_numbers else "event_rate": own.observed, "predicted": own.predicted}
            for name, values in named.items():
                with np.errstate(invalid="ignore"):
                    sums = np.bincount(places, weights * values, minlength=len(counts))
                    lines[name] = (sums / counts).tolist()
        return BinTable(lines, self.of_numbers)
