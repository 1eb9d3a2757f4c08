"""Bands of a score: rows, events and cumulative shares in each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.alignment import warn_if_reordered
from ..data.fit_rows import rows_of_weight
from ..data.frames import named_column
from ..data.weights import row_weights, weight_of_bins
from ..formatting.numbers import format_percent, format_weight
from ..results.coverage import class_weight_note
from ..results.printed import PrintedTable
from ..results.ranking import Ranking, band_texts, equal_weight_cuts, ranking_of
from ..results.table_text import COUNTS_OF_WEIGHTS, Line, Section, TableText
from ..validation import check, integer

if TYPE_CHECKING:
    from ._points import CardInPoints

Floats = NDArray[np.float64]

_HEADINGS = {
    "count": "count",
    "share": "share",
    "events": "events",
    "non_events": "non-events",
    "event_rate": "event rate",
    "predicted": "predicted",
    "cumulative_events": "cum. events",
    "cumulative_non_events": "cum. others",
    "ks": "KS",
}


@dataclass(frozen=True, repr=False)
class ScoreBands(PrintedTable):
    """The bands of a score, the one of the highest risk first.

    Parameters
    ----------
    bands : dict of str to list
        ``band, lower, upper, count, share``, with classes ``events, non_events, event_rate``, then
        ``predicted``, and with classes ``cumulative_events, cumulative_non_events, ks``.
    ranking : Ranking or None
        How well the score ranks the rows; None without classes, or with one.
    event : object
        The class that counts as the event.
    is_weighted : bool, default=False
        Whether counts are sums of weights.
    footer : str, default=""
        What is predicted, where that is not of the population of the rows.
    """

    bands: dict[str, list[Any]]
    ranking: Ranking | None
    event: Any
    is_weighted: bool = False
    footer: str = ""

    def columns(self) -> dict[str, list[Any]]:
        """Return the bands as columns.

        Returns
        -------
        dict of str to list
            A score s is in the band with ``lower < s <= upper``. ``predicted`` is the mean probability of the
            event. The cumulative columns are the fractions of all events and non-events up to the band, and
            ``ks`` is their difference.
        """
        return {name: list(values) for name, values in self.bands.items()}

    def _layout(self) -> TableText:
        names = [name for name in _HEADINGS if name in self.bands]
        lines = [
            Line((band, *(_text(name, self.bands[name][k]) for name in names)))
            for k, band in enumerate(self.bands["band"])
        ]
        found, note = self.ranking, f"The event is class {self.event!r}; the highest risk comes first."
        if self.is_weighted:
            note += f"\n{COUNTS_OF_WEIGHTS}"
        if found is not None:
            note += f"\nAUC {found.auc:.3f}, Gini {found.gini:.3f}, KS {found.ks:.3f}."
        heads = ("band", *(_HEADINGS[name] for name in names))
        sections = (Section("", tuple(lines), 0),)
        second = heads.index("cum. events") if "cum. events" in heads else 0
        return TableText(heads, "l" + "r" * len(names), sections, note, self.footer, second_block=second)


def _text(name: str, value: float) -> str:
    if math.isnan(value):
        return "-"
    if name in ("count", "events", "non_events"):
        return format_weight(value)
    if name == "ks":
        return f"{round(value, 3) + 0.0:.3f}"
    return format_percent(value) if name == "share" else f"{value:.1%}"


def bands(
    self: CardInPoints,
    X: Any,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    bands: int | Sequence[float] = 10,
) -> ScoreBands:
    """Divide rows into bands of the score: counts, event rates and cumulative shares.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,) or str, optional
        Their classes, or the name of a column of X.
    sample_weight : array-like of shape (n_rows,) or str, optional
        Their weights, likewise; without them every row counts once, also where the fit had some.
    bands : int or list of float, default=10
        The most bands, of equal weight; or the scores between the bands, ascending, where a score belongs to
        the band below an equal one.

    Returns
    -------
    ScoreBands
        The bands, that of the highest risk first; prints as a table, ``to_frame()`` gives a data frame.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, or `bands` is neither a whole number >= 2 nor ascending numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
    >>> print(card.bands(X, y))
    The event is class 'bad'; the highest risk comes first.
    AUC 0.855, Gini 0.711, KS 0.711.
      band          count  share  events  non-events  event rate  predicted
      score <= 439    100    50%      87          13       87.0%      84.1%
      score > 439     100    50%      16          84       16.0%      19.0%
    <BLANKLINE>
      band          cum. events  cum. others     KS
      score <= 439        84.5%        13.4%  0.711
      score > 439        100.0%       100.0%  0.000
    """
    y, sample_weight = named_column(X, y, "y"), named_column(X, sample_weight, "sample_weight")
    with rows_of_weight(sample_weight):
        table = self._table(X)
    warn_if_reordered(X, y, "y")
    warn_if_reordered(X, sample_weight, "sample_weight")
    weights = row_weights(sample_weight, table.n_rows) if table.n_rows else None
    is_event = None
    if y is not None and not table.n_rows:
        is_event = np.zeros(0, dtype=np.bool_)
    elif y is not None:
        is_event = self.model._read_target(y, table.n_rows, self.model._fitted).values[:, 0] > 0
    score = self._added(table).astype(np.float64)
    if weights is not None:
        score, is_event = score[weights > 0], None if is_event is None else is_event[weights > 0]
        weights = weights[weights > 0]
    cuts = _cuts(bands, score, weights)
    codes = np.searchsorted(cuts, score, side="left").astype(np.intp)
    return _counted(self, score, codes, cuts, weights, is_event)


def _cuts(bands: Any, score: Floats, weights: Floats | None) -> Floats:
    try:
        cuts = np.asarray(bands, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"bands: got {bands!r}; give a number of bands, or the scores between them") from None
    if cuts.ndim == 0:
        check("bands", bands, integer(2))
        return equal_weight_cuts(score, weights, int(bands))
    if cuts.ndim > 1 or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ValueError(f"bands: got {bands!r}; give finite scores in ascending order")
    return cuts


def _counted(
    card: CardInPoints,
    score: Floats,
    codes: NDArray[np.intp],
    cuts: Floats,
    weights: Floats | None,
    is_event: NDArray[np.bool_] | None,
) -> ScoreBands:
    sign, n_bands = card.scaling.sign, len(cuts) + 1
    context = (card.event, weights is not None, class_weight_note(card.model, "predicted rates"))
    order = slice(None, None, -sign)

    def summed(values: NDArray[Any] | None = None) -> Floats:
        weighted = weights if values is None else values if weights is None else weights * values
        return weight_of_bins(codes, n_bins=n_bands, weights=weighted)[order]

    count, ends = summed(), [-math.inf, *cuts.tolist(), math.inf]
    found: dict[str, list[Any]] = {
        "band": band_texts(cuts)[order],
        "lower": ends[:-1][order],
        "upper": ends[1:][order],
        "count": count.tolist(),
        "share": (count / max(count.sum(), np.finfo(float).tiny)).tolist(),
    }
    with np.errstate(invalid="ignore"):
        predicted = (summed(card.probability(score)) / count).tolist()
        if is_event is None:
            return ScoreBands({**found, "predicted": predicted}, None, *context)
        events, others = summed(is_event.astype(float)), summed((~is_event).astype(float))
        cumulative = [np.cumsum(of_class) / of_class.sum() for of_class in (events, others)]
        found |= {
            "events": events.tolist(),
            "non_events": others.tolist(),
            "event_rate": (events / count).tolist(),
            "predicted": predicted,
            "cumulative_events": cumulative[0].tolist(),
            "cumulative_non_events": cumulative[1].tolist(),
            "ks": (cumulative[0] - cumulative[1]).tolist(),
        }
    return ScoreBands(found, ranking_of(is_event, sign * score, weights), *context)
