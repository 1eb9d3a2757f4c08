"""Binning tables: counts, event rates, weight of evidence and information value of each bin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data.alignment import warn_if_reordered
from ..data.fit_rows import rows_of_weight
from ..data.frames import named_column, select_known
from ..data.weights import are_counts, half_a_row, row_weights, weight_of_bins
from ..formatting.numbers import format_effects, format_percent, format_weight
from ..results.printed import PrintedTable
from ..results.table_text import COUNTS_OF_WEIGHTS, Line, Section, TableText
from .bins import ColumnBins, bins_of_output

Floats = NDArray[np.float64]

_HEADINGS = {
    "non_events": "others",
    "event_rate": "rate",
    "woe": "WoE",
    "iv": "IV",
    "contribution": "effect",
}


@dataclass(frozen=True)
class BinnedColumn:
    """The statistics of the bins of one column.

    Parameters
    ----------
    bins : ColumnBins
        The bins, one for each special code; the last one is that of missing values.
    statistics : dict of str to ndarray of shape (n_bins,)
        ``count`` and ``share``; of classes ``events, non_events, event_rate, woe, iv``, of numbers ``mean``;
        ``contribution``, and ``points`` of a scaled card.
    """

    bins: ColumnBins
    statistics: dict[str, Floats]


@dataclass(frozen=True, repr=False)
class BinningTable(PrintedTable):
    """The bins of each column of a model, with what the given rows say about them.

    Each special code has a line of its own, and so have missing values, the last line of each column: also
    where they share a bin of the model, whose contribution and points they all have then. With N and E the
    weights of all non-events and events, and n and e those of a line,

        woe = ln((n / N) / (e / E)),    iv = (n / N - e / E) woe.

    A positive WoE means fewer events than on average; the contribution of the model, the log-odds of the
    event, has the opposite sign. If n or e is 0, half a row is added to both (of mean weight unless
    weights are numbers of rows: whole ones that are not all equal). A bin without rows has no event rate
    and no WoE (NaN), and an IV of 0.

    Printed, ``others`` are the non-events, ``rate`` is the event rate and ``effect`` the contribution, in
    whose place a card has its points.

    Parameters
    ----------
    binned : tuple of BinnedColumn
        The columns, the most important first.
    event : object
        The class that counts as the event; None for numbers.
    note : str
        A sentence about the events.
    """

    binned: tuple[BinnedColumn, ...]
    event: Any
    note: str

    @property
    def iv(self) -> dict[str, float]:
        """The information value of each column, the sum over its bins; empty for numbers."""
        if self.event is None:
            return {}
        return {column.bins.feature_name: float(column.statistics["iv"].sum()) for column in self.binned}

    def columns(self) -> dict[str, list[Any]]:
        """Return the bins as columns.

        Returns
        -------
        dict of str to list
            ``feature, bin, count, share``, of classes ``events, non_events, event_rate, woe, iv,
            feature_iv``, of numbers ``mean``, then ``contribution``, and ``points`` of a scaled card.
            ``count``, ``events`` and ``non_events`` are sums of weights.
        """
        found: dict[str, list[Any]] = {"feature": [], "bin": []}
        for name in self._names():
            found[name] = []
        for column in self.binned:
            found["feature"] += [column.bins.feature_name] * len(column.bins.texts)
            found["bin"] += column.bins.texts
            for name, values in column.statistics.items():
                found[name] += values.tolist()
            if "feature_iv" in found:
                found["feature_iv"] += [self.iv[column.bins.feature_name]] * len(column.bins.texts)
        return found

    def _names(self) -> list[str]:
        middle = ["mean"]
        if self.event is not None:
            middle = ["events", "non_events", "event_rate", "woe", "iv", "feature_iv"]
        has_points = any("points" in column.statistics for column in self.binned)
        return ["count", "share", *middle, "contribution", *["points"] * has_points]

    def _layout(self) -> TableText:
        if not self.binned:
            return TableText((), "", (), "The model has no steps, so that no column has bins.")
        names = [name for name in self._names() if name != "feature_iv"]
        if "points" in names:
            names.remove("contribution")  # the same in other units
        lines: list[Line] = []
        for column in self.binned:
            total = _total(column.statistics)
            lines.append(Line((column.bins.feature_name, *(_text(name, total.get(name)) for name in names))))
            for k, text in enumerate(column.bins.texts):
                values = [_text(name, float(column.statistics[name][k])) for name in names]
                lines.append(Line((f"  {text}", *values)))
        heads = ("bin", *(_HEADINGS.get(name, name) for name in names))
        return TableText(heads, "l" + "r" * len(names), (Section("", tuple(lines), 0),), self.note)


def _total(statistics: dict[str, Floats]) -> dict[str, float]:
    """Return the line of a whole column."""
    summed = ("count", "share", "events", "non_events", "iv")
    found = {name: float(values.sum()) for name, values in statistics.items() if name in summed}
    if "events" in found:
        found["event_rate"] = found["events"] / found["count"]
    else:
        mean = statistics["mean"]
        found["mean"] = float(np.nansum(mean * statistics["count"]) / found["count"])
    return found


def _text(name: str, value: float | None) -> str:
    if value is None or math.isnan(value):
        return "" if value is None else "-"
    if name in ("count", "events", "non_events"):
        return format_weight(value)
    if name == "share":
        return format_percent(value)
    if name == "event_rate":
        return f"{value:.1%}"
    if name == "points":
        return f"{value:+.0f}" if value.is_integer() else f"{value:+.2f}"
    if name == "iv":
        return f"{value:.3f}"
    return f"{value:.4g}" if name == "mean" else format_effects([value])[0]


def binning_table(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    output: Any,
    points: Sequence[Sequence[float]] | None = None,
) -> BinningTable:
    """Compute the statistics of the bins of a model.

    Parameters
    ----------
    model : estimator
        A fitted additive model.
    X, y, sample_weight : array-like
        The rows, their classes or numbers, and their weights or None.
    output : object
        The class or target, where the model has several.
    points : sequence of sequence of float, optional
        The points of each bin, column by column.

    Returns
    -------
    BinningTable
        The table.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, or there is no such output.
    """
    check_is_fitted(model)
    place = model._fitted.place_of(output)
    y, sample_weight = named_column(X, y, "y"), named_column(X, sample_weight, "sample_weight")
    warn_if_reordered(X, y, "y")
    warn_if_reordered(X, sample_weight, "sample_weight")
    schema = model._fitted.schema
    with rows_of_weight(sample_weight):
        table = model._table(select_known(X, schema.names) if schema.named else X)
    target = model._read_target(y, table.n_rows, model._fitted)
    weights = row_weights(sample_weight, table.n_rows)
    event: Any = None
    note = "Means are those of the target."
    if target.classes is not None:
        labels = target.classes.tolist()
        event = labels[1] if len(labels) == 2 else labels[place]
        note = f"Events are the rows of class {event!r}; WoE = ln(share of others / share of events)."
    if weights is not None:
        note += f"\n{COUNTS_OF_WEIGHTS}"
    binned = []
    for k, shared in enumerate(bins_of_output(model, place)):
        bins, places = shared.with_codes_apart()
        codes = bins.codes(table)
        statistics = _statistics(codes, len(bins.texts), target.values[:, place], weights, event is not None)
        statistics["contribution"] = np.asarray(bins.values)
        if points is not None:
            statistics["points"] = np.asarray(points[k], dtype=np.float64)[places]
        binned.append(BinnedColumn(bins, statistics))
    return BinningTable(tuple(binned), event, note)


def _statistics(
    codes: NDArray[np.intp], n_bins: int, y: Floats, weights: Floats | None, is_classes: bool
) -> dict[str, Floats]:
    count = weight_of_bins(codes, n_bins, weights)
    found = {"count": count, "share": count / count.sum()}
    with np.errstate(invalid="ignore"):
        if not is_classes:
            summed = weight_of_bins(codes, n_bins, y if weights is None else weights * y)
            return {**found, "mean": summed / count}
        is_event = (y > 0).astype(np.float64)
        events = weight_of_bins(codes, n_bins, is_event if weights is None else weights * is_event)
        others = weight_of_bins(codes, n_bins, 1 - is_event if weights is None else weights * (1 - is_event))
        woe, iv = evidence(events, others, half_a_row(weights, are_counts(weights)))
        rate = events / count
        return {**found, "events": events, "non_events": others, "event_rate": rate, "woe": woe, "iv": iv}


def evidence(events: Floats, others: Floats, half: float) -> tuple[Floats, Floats]:
    """Compute weight of evidence and information value.

    Parameters
    ----------
    events, others : ndarray of shape (n_bins,)
        The weights of the events and of the non-events in each bin.
    half : float
        What is added to both cells of a bin where one of them is 0.

    Returns
    -------
    woe : ndarray of shape (n_bins,)
        Weight of evidence, NaN in an empty bin.
    iv : ndarray of shape (n_bins,)
        Information value. Both are NaN in all bins if there are no events or no others at all.

    Examples
    --------
    >>> woe, iv = evidence(np.array([10.0, 30.0]), np.array([50.0, 10.0]), 0.5)
    >>> woe.round(3).tolist(), round(float(iv.sum()), 3)
    ([1.204, -1.504], 1.58)
    """
    if not events.sum() or not others.sum():
        return np.full(len(events), np.nan), np.full(len(events), np.nan)
    is_empty = events + others == 0
    added = np.where(((events == 0) | (others == 0)) & ~is_empty, half, 0.0)
    shares = [(of_class + added) / of_class.sum() for of_class in (others, events)]
    with np.errstate(divide="ignore", invalid="ignore"):
        woe = np.where(is_empty, np.nan, np.log(shares[0]) - np.log(shares[1]))
    return woe, np.where(is_empty, 0.0, (shares[0] - shares[1]) * woe)
