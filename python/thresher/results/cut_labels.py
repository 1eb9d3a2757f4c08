"""Cut points as text, with the fewest digits that do not change the training rows on either side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_number, shortest_decimal

_Gaps = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
_NO_GAPS: _Gaps = (np.empty(0), np.empty(0), np.empty(0))


class CutLabels:
    """The texts of the cut points of each feature.

    Parameters
    ----------
    shown : list of dict of float to str, optional
        For each feature the texts of known cut points. Others are shown with all
        digits, unless they are in `gaps`.
    gaps : list of (cuts, lows, highs) or of list of float, optional
        For each feature further cut points, ascending, with the neighbouring training
        values (the arguments of ``shortest_decimal``), or alone; their texts are computed on
        demand.

    Examples
    --------
    >>> CutLabels([{30.5: "30"}]).show(0, 30.5)
    '30'
    """

    def __init__(
        self,
        shown: Sequence[dict[float, str]] = (),
        gaps: Sequence[_Gaps | list[float]] = (),
    ) -> None:
        self.shown = list(shown)
        self._gaps = list(gaps)

    def show(self, feature: int, cut: float) -> str:
        """Return the text of one cut point.

        Parameters
        ----------
        feature : int
            The feature's position.
        cut : float
            The cut point in full precision.

        Returns
        -------
        str
            The text to show.
        """
        known = self.shown[feature] if feature < len(self.shown) else {}
        if cut in known:
            return known[cut]
        gaps = self._gaps[feature] if feature < len(self._gaps) else _NO_GAPS
        cuts, lows, highs = _margins(gaps) if isinstance(gaps, list) else gaps
        place = int(np.searchsorted(cuts, cut))
        if place == cuts.size or cuts[place] != cut:
            return format_number(cut)
        return shortest_decimal(float(lows[place]), cut, float(highs[place]))

    def misplaced(self, columns: Sequence[NDArray[np.float64] | None]) -> tuple[int, str, float] | None:
        """Find a text that does not separate the rows as its cut point does.

        Parameters
        ----------
        columns : list of ndarray of shape (n_rows,) or None
            The training values, NaN where missing; None for a categorical column.

        Returns
        -------
        tuple of (int, str, float) or None
            The feature's position, the text and the cut point; None if there is none.
        """
        for feature, (texts, values) in enumerate(zip(self.shown, columns, strict=False)):
            for cut, text in texts.items():
                if values is None or np.any((values <= cut) != (values <= float(text))):
                    return feature, text, cut
        return None

    @classmethod
    def from_values(
        cls,
        columns: Sequence[NDArray[np.float64] | None],
        cuts: Sequence[Iterable[float]],
        others: Sequence[Sequence[float]] = (),
        is_late: Callable[[], bool] = lambda: False,
    ) -> CutLabels:
        """Choose the fewest digits that separate the training rows.

        Parameters
        ----------
        columns : list of ndarray of shape (n_rows,) or None
            The training values, NaN where missing; None for a categorical column.
        cuts : list of iterable of float
            For each feature the cut points that are shown.
        others : list of list of float, default=()
            For each feature cut points that may be shown later, in increasing order.
        is_late : callable, optional
            Whether the time is over: then the digits of `others` follow from their distances, which
            needs no look at the training rows.

        Returns
        -------
        CutLabels
            The texts.
        """
        shown: list[dict[float, str]] = []
        gaps: list[_Gaps | list[float]] = []
        for values, now, then in zip(columns, cuts, others or [()] * len(columns), strict=True):
            own, later = list(now), list(then)
            looks = bool(later) and not is_late()
            ordered = _ordered(values) if own or looks else None
            texts = zip(*map(np.ndarray.tolist, _gaps(ordered, own)), strict=True)
            shown.append({cut: shortest_decimal(low, cut, high) for cut, low, high in texts})
            gaps.append(_gaps(ordered, later) if looks or not later else later)
        return cls(shown, gaps if others else [])

    @classmethod
    def from_cuts(cls, all_cuts: Sequence[Sequence[float]]) -> CutLabels:
        """Choose digits from the cut points alone, without the training rows.

        Each cut point is shown with the fewest digits such that it moves by less than
        a hundredth of the distance to its neighbours.

        Parameters
        ----------
        all_cuts : list of list of float
            Each feature's cut points in increasing order; empty for a categorical one.

        Returns
        -------
        CutLabels
            The texts.
        """
        return cls(gaps=list(map(list, all_cuts)))


def _margins(cuts: Sequence[float]) -> _Gaps:
    """Find how far each cut point may move either way."""
    own = np.asarray(cuts, dtype=np.float64)
    ends = np.diff(own, prepend=-math.inf, append=math.inf)
    spacing = np.minimum(ends[:-1], ends[1:])
    spacing = np.where(np.isinf(spacing), np.where(own == 0, 1.0, np.abs(own)), spacing)
    return own, own - spacing / 100, own + spacing / 100


def _ordered(values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Sort values and put both infinities around them; None of a categorical column."""
    if values is None:
        return None
    return np.concatenate(([-math.inf], np.sort(values[~np.isnan(values)]), [math.inf]))


def _gaps(ordered: NDArray[np.float64] | None, cuts: Sequence[float]) -> _Gaps:
    """Find the largest of the ordered values up to each cut point and the smallest one above it."""
    if ordered is None or not cuts:
        return _NO_GAPS
    wanted = np.unique(np.asarray(cuts, dtype=np.float64))
    places = np.searchsorted(ordered, wanted, side="right")
    return wanted, ordered[places - 1], ordered[places]
