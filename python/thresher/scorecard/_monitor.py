"""New rows beside reference rows: a function that the card has as a method."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.alignment import warn_if_reordered
from ..data.frames import named_column
from ..results.ranking import equal_weight_cuts, ranking_of
from ..validation import check, integer
from ._monitor_options import checked_thresholds, periods_by, warn_of_one_side
from ._periods import periods_of
from ._predictions import PredictionCard
from ._sample import Sample, sample_of
from ._values import value_table
from .bands import band_texts
from .monitoring import NO_ROWS, PREDICTION, SCORE, BinTable, Monitoring, Period, PeriodTable, status_of
from .stability import Shares, chance_index, shares_of, stability_index

if TYPE_CHECKING:
    from ._points import CardInPoints

    Card: TypeAlias = CardInPoints | PredictionCard

Floats = NDArray[np.float64]


def monitor(
    self: Any,
    X_reference: Any,
    X_new: Any,
    *,
    y_reference: ArrayLike | None = None,
    y_new: ArrayLike | None = None,
    sample_weight_reference: ArrayLike | None = None,
    sample_weight_new: ArrayLike | None = None,
    period: ArrayLike | None = None,
    by: str | None = None,
    n_bins: int = 10,
    thresholds: tuple[float, float] = (0.1, 0.25),
) -> Monitoring:
    """Compare new rows with reference rows: stability of the score and of each column, and performance.

    The stability index of shares a (new) and e (reference) of bins is

        sum (a - e) ln(a / e),

    of the score over its deciles in the reference (PSI), of a column over the card's bins (CSI). A bin
    without rows on one side counts as half a row there, of mean weight unless weights are numbers of rows.

    Parameters
    ----------
    X_reference : array or frame of shape (n_reference, n_features)
        Rows such as those of training.
    X_new : array or frame of shape (n_rows, n_features)
        The rows to compare.
    y_reference, y_new : array-like or str, optional
        Their classes, for event rate, mean probability, AUC, Gini and KS; missing where a class is not known
        yet. These, weights and periods may be names of columns of the rows.
    sample_weight_reference, sample_weight_new : array-like, optional
        Their weights; rows without one are left out, with a warning.
    period : array-like of shape (n_rows,), optional
        The period of each new row, such as its month; each period is compared with the reference. Ordered
        categories keep their order and are all shown, also those without rows; so are months and quarters
        between others (``2024-01``, ``202401``, ``08/2024``, ``Aug 2024``, ``2024Q1``) and periods of pandas
        of any length. Texts with one number (``week 9``) or a year before another are in the order of their
        numbers, other texts in that of their first rows, with a warning. A period whose rows all have weight
        0 is shown without rows; rows without a period are in none, with a warning.
    by : {"month", "quarter", "year"}, optional
        `period` has dates, texts in ISO 8601 or as 31.12.2026, numbers such as 20261231, or months; the
        periods are their months, quarters or years.
    n_bins : int, default=10
        The most bins of the score, of equal weight in the reference; scores that many rows share
        leave fewer.
    thresholds : (float, float), default=(0.1, 0.25)
        The stability indices from which a shift is called moderate and large.

    Returns
    -------
    Monitoring
        The indices; prints as a table, ``periods`` has a line for each period, ``values`` has counts of
        missing values, of numbers beyond the range of the reference and of categories that training did
        not see.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, the reference has no rows, `period` has another length or no entries, or
        a parameter is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
    >>> monitoring = card.monitor(X, X[X[:, 0] > 4])
    >>> round(monitoring.psi, 3), monitoring.total.status
    (0.116, 'moderate shift')
    """
    given = Given(y_reference, y_new, sample_weight_reference, sample_weight_new, period, by)
    return compare(self, X_reference, X_new, given, n_bins, thresholds)


class Given(NamedTuple):
    """What is given with the rows of both sides, as in :func:`monitor`."""

    y_reference: Any
    y_new: Any
    sample_weight_reference: Any
    sample_weight_new: Any
    period: Any
    by: str | None


def compare(
    card: Card,
    X_reference: Any,
    X_new: Any,
    given: Given,
    n_bins: int,
    thresholds: tuple[float, float],
) -> Monitoring:
    """Compare new rows with reference rows, as :func:`monitor` does."""
    check("n_bins", n_bins, integer(2))
    low, high = checked_thresholds(thresholds)
    period = named_column(X_new, given.period, "period")
    warn_if_reordered(X_new, period, "period")
    period = periods_by(period, given.by)
    before, old, _ = sample_of(
        card, X_reference, given.y_reference, given.sample_weight_reference, "reference"
    )
    if not len(before.score):
        raise ValueError("X_reference has no rows of positive weight; give rows such as those of training")
    after, new, counts = sample_of(card, X_new, given.y_new, given.sample_weight_new, "new")
    warn_of_one_side(
        (given.sample_weight_reference, given.sample_weight_new), (before.weights, after.weights)
    )
    cuts = equal_weight_cuts(before.score, before.weights, n_bins)
    compared = _Comparison(card, before, cuts, (low, high))
    groups = [] if period is None else periods_of(period, counts)
    total = compared.line("new", after)
    lines = [compared.line(name, after.select(rows)) for name, rows in groups] or [total]
    is_weighted = before.weights is not None or after.weights is not None
    periods = PeriodTable((compared.line("reference", before), *lines), compared.of_numbers, is_weighted)
    return Monitoring(total, periods, compared.bins(after), value_table(card.bins, old, new), (low, high))


class _Comparison:
    """The reference rows in their bins, against which others are compared."""

    def __init__(
        self,
        card: Card,
        reference: Sample,
        cuts: Floats,
        thresholds: tuple[float, float],
    ):
        self.card, self.reference, self.cuts, self.thresholds = card, reference, cuts, thresholds
        self.shares, self.of_numbers = self._shares(reference), isinstance(card, PredictionCard)

    def _shares(self, sample: Sample) -> list[Shares]:
        """Return the shares of the bins of the score, and of each column."""
        codes = np.searchsorted(self.cuts, sample.score, side="left")
        found = [shares_of(codes, len(self.cuts) + 1, sample.weights, sample.counts_rows)]
        for own, rows in zip(self.card.bins, sample.codes, strict=True):
            found.append(shares_of(rows, len(own.texts), sample.weights, sample.counts_rows))
        return found

    def line(self, name: Any, sample: Sample) -> Period:
        """Compare rows with the reference."""
        card, weights = self.card, sample.weights
        features = [own.feature_name for own in card.bins]
        if not len(sample.score):
            nothing = dict.fromkeys(features, math.nan)
            return Period(name, 0.0, math.nan, math.nan, math.nan, NO_ROWS, nothing, nothing, *[math.nan] * 5)
        shares, is_reference = self._shares(sample), sample is self.reference
        pairs = zip(self.shares, shares, strict=True)
        psi, *csi = [float(stability_index(before, after).sum()) for before, after in pairs]
        means = [
            float(np.average(np.asarray(points, dtype=np.float64)[codes], weights=weights))
            for points, codes in zip(card.points, sample.codes, strict=True)
        ]
        by_chance = 0.0 if is_reference else chance_index(self.shares[0], shares[0])
        return Period(
            name,
            float(len(sample.score) if weights is None else weights.sum()),
            float(np.average(sample.score, weights=weights)),
            psi,
            by_chance,
            "" if is_reference else status_of(psi, self.thresholds, by_chance),
            dict(zip(features, csi, strict=True)),
            dict(zip(features, means, strict=True)),
            *_performance(sample, card),
        )

    def bins(self, sample: Sample) -> BinTable:
        """List the shares of each bin."""
        score, noun = (PREDICTION, "prediction") if self.of_numbers else (SCORE, "score")
        texts = [band_texts(self.cuts, noun), *(list(own.texts) for own in self.card.bins)]
        features = [score, *(own.feature_name for own in self.card.bins)]
        lines: dict[str, list[Any]] = {name: [] for name in ("feature", "bin", "reference", "new", "index")}
        after, rates = self._shares(sample), self._rates(sample)
        for feature, own, before, now in zip(features, texts, self.shares, after, strict=True):
            lines["feature"] += [feature] * len(own)
            lines["bin"] += own
            lines["reference"] += before.values.tolist()
            lines["new"] += now.values.tolist()
            lines["index"] += stability_index(before, now).tolist()
        return BinTable(lines | rates, self.of_numbers)

    def _rates(self, sample: Sample) -> dict[str, list[float]]:
        """Return event rate and mean probability in each bin, of rows whose class is known; none without."""
        known = ~np.isnan(sample.observed)
        if not known.any():
            return {}
        sample = sample.select(known)
        weights = np.ones(sample.score.size) if sample.weights is None else sample.weights
        places = [np.searchsorted(self.cuts, sample.score, side="left"), *sample.codes]
        name = "mean" if self.of_numbers else "event_rate"
        columns = {name: sample.observed, "predicted": self.card.probability(sample.score)}
        rates: dict[str, list[float]] = {name: [] for name in columns}
        for own, shares in zip(places, self.shares, strict=True):
            n_bins = len(shares.values)
            counts = np.bincount(own, weights, minlength=n_bins)
            for name, values in columns.items():
                with np.errstate(invalid="ignore"):
                    rates[name] += (np.bincount(own, weights * values, minlength=n_bins) / counts).tolist()
        return rates


def _performance(sample: Sample, card: Card) -> tuple[float, float, float, float, float]:
    """Return event rate, mean probability, AUC, Gini and KS of the rows whose class is known."""
    known = ~np.isnan(sample.observed)
    if not known.any():
        return (math.nan,) * 5
    sample = sample.select(known)
    rate, predicted = (
        float(np.average(values, weights=sample.weights))
        for values in (sample.observed, card.probability(sample.score))
    )
    if isinstance(card, PredictionCard):
        return rate, predicted, math.nan, math.nan, math.nan
    found = ranking_of(sample.observed > 0, card.scaling.sign * sample.score, sample.weights)
    ranks = (math.nan,) * 3 if found is None else (found.auc, found.gini, found.ks)
    return (rate, predicted, *ranks)
