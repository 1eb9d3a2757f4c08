"""New rows beside reference rows: a function that the card has as a method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.columns import is_missing
from ..data.frames import named_column
from ..data.unknown_categories import apply_handle_unknown
from ..data.weights import row_weights
from ..results.ranking import equal_weight_cuts, ranking_of
from ..validation import check, integer
from ._periods import as_list, periods_of
from ._predictions import PredictionCard
from ._values import ColumnValues, value_table, values_of
from .bands import band_texts
from .dates import LENGTHS, periods_of_dates
from .monitoring import NO_ROWS, PREDICTION, SCORE, BinTable, Monitoring, Period, PeriodTable, status_of
from .stability import Shares, chance_index, shares_of, stability_index

if TYPE_CHECKING:
    from .card import ScaledCard

    Card: TypeAlias = ScaledCard | PredictionCard

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
    without rows on one side counts as half a row of mean weight there.

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
        Their weights.
    period : array-like of shape (n_rows,), optional
        The period of each new row, such as its month; each period is compared with the reference. Ordered
        categories keep their order and are all shown, also those without rows; so are months and quarters
        between others (``2024-01``, ``202401``, ``2024Q1``) and periods of pandas of any length. Others are
        sorted. A period whose rows all have weight 0 is shown without rows.
    by : {"month", "quarter", "year"}, optional
        `period` has dates, or texts in ISO 8601 or as 31.12.2026; the periods are their months, quarters or
        years.
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
        If the data cannot be read, `period` has another length or missing entries, or a parameter is
        invalid.

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
    low, high = _thresholds(thresholds)
    period = _periods(named_column(X_new, given.period, "period"), given.by)
    before, old, _ = _sample(card, X_reference, given.y_reference, given.sample_weight_reference, "reference")
    after, new, counts = _sample(card, X_new, given.y_new, given.sample_weight_new, "new")
    cuts = equal_weight_cuts(before.score, before.weights, n_bins)
    compared = _Comparison(card, before, cuts, (low, high))
    groups = [] if period is None else periods_of(period, counts)
    total = compared.line("new", after)
    lines = [compared.line(name, after.select(rows)) for name, rows in groups] or [total]
    periods = PeriodTable((compared.line("reference", before), *lines), compared.of_numbers)
    return Monitoring(total, periods, compared.bins(after), value_table(card.bins, old, new), (low, high))


def _periods(period: Any, by: str | None) -> Any:
    """Return the periods, those of dates by their length."""
    if by is None:
        return period
    if by not in LENGTHS:
        raise ValueError(f"by: got {by!r}; give one of {', '.join(map(repr, LENGTHS))}, or None")
    if period is None:
        raise ValueError(f"by: got {by!r}, which needs dates; give those of the new rows as period")
    return periods_of_dates(as_list(period), by, f"by={by!r}: period")


@dataclass(frozen=True)
class _Sample:
    """Rows that are scored and binned.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores.
    codes : list of ndarray of shape (n_rows,)
        The bin of each row, column by column.
    observed : ndarray of shape (n_rows,)
        1 for an event, 0 for another class, or the target; NaN where it is not known.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    """

    score: Floats
    codes: list[NDArray[np.intp]]
    observed: Floats
    weights: Floats | None

    def select(self, rows: NDArray[Any]) -> _Sample:
        """Select rows by a mask or by their positions."""
        return _Sample(
            self.score[rows],
            [codes[rows] for codes in self.codes],
            self.observed[rows],
            None if self.weights is None else self.weights[rows],
        )


class _Comparison:
    """The reference rows in their bins, against which others are compared."""

    def __init__(
        self,
        card: Card,
        reference: _Sample,
        cuts: Floats,
        thresholds: tuple[float, float],
    ):
        self.card, self.reference, self.cuts, self.thresholds = card, reference, cuts, thresholds
        self.shares, self.of_numbers = self._shares(reference), isinstance(card, PredictionCard)

    def _shares(self, sample: _Sample) -> list[Shares]:
        """Return the shares of the bins of the score, and of each column."""
        codes = np.searchsorted(self.cuts, sample.score, side="left")
        found = [shares_of(codes, len(self.cuts) + 1, sample.weights)]
        for own, rows in zip(self.card.bins, sample.codes, strict=True):
            found.append(shares_of(rows, len(own.texts), sample.weights))
        return found

    def line(self, name: Any, sample: _Sample) -> Period:
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
        return Period(
            name,
            float(len(sample.score) if weights is None else weights.sum()),
            float(np.average(sample.score, weights=weights)),
            psi,
            0.0 if is_reference else chance_index(self.shares[0], shares[0]),
            "" if is_reference else status_of(psi, self.thresholds),
            dict(zip(features, csi, strict=True)),
            dict(zip(features, means, strict=True)),
            *_performance(sample, card),
        )

    def bins(self, sample: _Sample) -> BinTable:
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

    def _rates(self, sample: _Sample) -> dict[str, list[float]]:
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


def _sample(
    card: Card, X: Any, y: Any, sample_weight: Any, side: str
) -> tuple[_Sample, list[ColumnValues], NDArray[np.bool_]]:
    """Score rows; return those of positive weight, their cells, and which they are."""
    y = named_column(X, y, f"y_{side}")
    sample_weight = named_column(X, sample_weight, f"sample_weight_{side}")
    model, schema = card.model, card.model._fitted.schema
    given = model._table_as_given(card._aligned(X))
    used = {own.feature_index for own in card.bins}
    table = apply_handle_unknown(given, schema, model.handle_unknown, used)
    weights = row_weights(sample_weight, table.n_rows)
    score = card._added(table).astype(np.float64)
    codes = [own.codes(table) for own in card.bins]
    found = _Sample(score, codes, _observed(card, y, table.n_rows), weights)
    counts = np.ones(table.n_rows, dtype=np.bool_) if weights is None else weights > 0
    sample, rows = found.select(counts), np.flatnonzero(counts)
    own_weights = np.ones(rows.size) if sample.weights is None else sample.weights
    values = [
        values_of(given.columns[k], own, len(schema.levels[k] or ()), rows, own_weights)
        for k, own in ((own.feature_index, own) for own in card.bins)
    ]
    return sample, values, counts


def _observed(card: Card, y: Any, n_rows: int) -> Floats:
    """Return which rows are events, or their targets; one may be missing, because it is not known yet."""
    found = np.full(n_rows, np.nan)
    if y is None:
        return found
    labels = as_list(y)
    known = np.asarray([not is_missing(label) for label in labels], dtype=np.bool_)
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} values, X has {n_rows} rows")
    if known.any():
        kept = [label for label, is_known in zip(labels, known.tolist(), strict=True) if is_known]
        target = card.model._read_target(np.asarray(kept), len(kept), card.model._fitted)
        found[known] = target.values[:, 0] if target.classes is None else target.values[:, 0] > 0
    return found


def _thresholds(thresholds: Any) -> tuple[float, float]:
    try:
        low, high = map(float, thresholds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not 0 < low <= high < math.inf:
        raise ValueError(
            f"thresholds: got {thresholds!r}; give two numbers > 0, such as (0.1, 0.25), in ascending order"
        )
    return low, high


def _performance(sample: _Sample, card: Card) -> tuple[float, float, float, float, float]:
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
