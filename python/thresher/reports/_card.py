"""The parts of a page about a score card: points by bin, and bands of the score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._curves import N_BINS, histogram_of_classes
from ._data import Data
from ._histograms import ends_of, histogram
from ._scored import Scored


def points_of(card: Any, data: Data | None) -> dict[str, Any]:
    """Return the table of points: each bin with its points, and what the rows say about it.

    With rows special codes that share a bin have lines of their own.
    """
    counted = data is not None and data.y is not None
    table = card.binning_table(data.X, data.y, data.weights) if data is not None and counted else None
    columns = []
    for place, (own, points) in enumerate(zip(card.bins, card.points, strict=True)):
        bins, statistics, iv = own, {"points": points}, None
        if table is not None:
            bins, statistics = table.binned[place].bins, table.binned[place].statistics
            iv = float(table.iv[own.feature_name])
        lines = [
            {"text": text, "points": _points(card, statistics["points"][k]), "support": bins.supports[k]}
            | {name: float(statistics[name][k]) for name in _STATISTICS if name in statistics}
            for k, text in enumerate(bins.texts)
        ]
        columns.append({"name": own.feature_name, "iv": iv, "lines": lines})
    return {
        "base": _points(card, card.base_points).lstrip("+"),
        "columns": columns,
        "has_counts": counted,
        "scale": card._scale_sentence(),
        "footer": card._footer(),
        "event": str(card.event),
    }


_STATISTICS = ("count", "share", "event_rate", "woe", "iv")


def _points(card: Any, points: float) -> str:
    text = f"{points:+,.0f}" if card.whole else f"{points:+,.2f}"
    return text.replace("-", "−")


def bands_of(card: Any, data: Data, found: Scored) -> dict[str, Any]:
    """Return the bands of the score, and its distribution."""
    table = card.bands(data.X, data.y, data.weights)
    score = card.score(data.X).astype(np.float64)
    if found.weights is not None:
        score, found = score[found.weights > 0], found.counted()
    truth = None if found.truth is None else found.truth == 1
    distribution: dict[str, Any]
    if truth is not None and truth.any() and not truth.all():
        distribution = histogram_of_classes(truth, score, found.weights)
    else:
        low, high = ends_of(score)
        counts = histogram(score, low, high, N_BINS, found.weights)
        distribution = {"low": low, "high": high, "all": (counts / counts.sum()).tolist()}
    other, event = map(str, card.model._fitted.classes.tolist())
    return {"table": table.columns(), "histogram": distribution, "event": event, "other": other}
