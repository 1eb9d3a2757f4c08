"""Curves of a classifier: ROC, lift, calibration, distribution of scores; errors of a regression."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.weights import are_counts, effective_rows
from ..results.intervals import rate_interval
from ..results.ranking import Ranking, equal_weight_cuts, ranking_of
from ._data import spread
from ._histograms import ends_of, histogram
from ._scored import Floats, Scored

MOST_CLASSES = 12  # classes with curves of their own
MOST_CURVE = 200  # points of a curve: about one for each pixel of its chart
MOST_DOTS = 600  # dots of a scatter plot, beyond which they hide each other
N_BINS = 30  # bars of a histogram
N_PARTS = 10  # deciles


def curves_of(found: Scored) -> dict[str, Any] | None:
    """Return the curves of each class (the second of two), or of each target; None without targets."""
    found = found.counted()
    if found.truth is None:
        return None
    if found.classes is None:
        parts = [
            {"label": name, **_errors(found.truth[:, k], found.predicted[:, k], found.weights)}
            for k, name in enumerate(found.outputs)
        ]
        return {"kind": "regression", "parts": parts}
    chosen = [1] if found.is_binary else list(range(min(len(found.classes), MOST_CLASSES)))
    parts = [
        {"label": str(found.classes[k]), **_of_class(found.truth == k, found.scores(k), found)}
        for k in chosen
    ]
    return {"kind": "classification", "parts": parts, "has_probabilities": found.probabilities is not None}


def _of_class(truth: NDArray[np.bool_], score: Floats, found: Scored) -> dict[str, Any]:
    ranking = ranking_of(truth, score, found.weights)
    if ranking is None:
        return {"missing": "one of the two classes has no row, so that there is no curve"}
    curves: dict[str, Any] = {
        **_roc(ranking),
        "lift": lift(truth, score, found.weights),
        "histogram": histogram_of_classes(truth, score, found.weights),
    }
    if found.probabilities is not None:
        curves["calibration"] = calibration(truth, score, found.weights)
    return curves


def _roc(ranking: Ranking) -> dict[str, Any]:
    fpr, tpr, best = ranking.false_positive_rate, ranking.true_positive_rate, ranking.ks_place
    threshold = float(ranking.thresholds[best])
    kept = sorted({*spread(np.arange(fpr.size), MOST_CURVE).tolist(), best})
    return {
        "auc": ranking.auc,
        "ks": {
            "value": ranking.ks,
            "fpr": float(fpr[best]),
            "tpr": float(tpr[best]),
            "threshold": threshold if math.isfinite(threshold) else None,
        },
        "roc": [_rounded(fpr[kept]), _rounded(tpr[kept])],
    }


def _tenths(order: NDArray[np.intp], weights: Floats) -> list[NDArray[np.intp]]:
    """Divide rows in an order into at most ten parts of about equal weight."""
    own = weights[order]
    middle = np.cumsum(own) - own / 2
    part = np.minimum((N_PARTS * middle / own.sum()).astype(np.intp), N_PARTS - 1)
    return [order[part == k] for k in np.unique(part)]


def lift(truth: NDArray[np.bool_], score: Floats, weights: Floats | None = None) -> list[dict[str, Any]]:
    """Divide the rows into ten parts of decreasing score; rows of equal score share their events evenly."""
    own = np.ones(truth.size) if weights is None else weights
    _, place = np.unique(score, return_inverse=True)
    shared = (np.bincount(place, own * truth) / np.bincount(place, own))[place]
    total, captured = float(own[truth].sum()), 0.0
    rate = total / float(own.sum())
    parts = []
    for rows in _tenths(np.argsort(-score, kind="stable"), own):
        events, weight = float(own[rows] @ shared[rows]), float(own[rows].sum())
        captured += events
        parts.append(
            {
                "n": int(rows.size),
                "events": events,
                "rate": events / weight,
                "lift": events / weight / rate,
                "capture": captured / total,
                "low": float(score[rows].min()),
                "high": float(score[rows].max()),
            }
        )
    return parts


def calibration(
    truth: NDArray[np.bool_], score: Floats, weights: Floats | None = None
) -> list[dict[str, Any]]:
    """Compare predicted with observed rates in ten parts of equal weight; equal predictions stay together.

    The interval of an observed rate is Wilson's of 95 %, with the number of rows that the weights are worth.
    """
    own, counts_rows = np.ones(truth.size) if weights is None else weights, are_counts(weights)
    part = np.searchsorted(equal_weight_cuts(score, weights, N_PARTS), score, side="left")
    found = []
    for k in np.unique(part):
        member = part == k
        w = own[member]
        rate = float(np.average(truth[member], weights=w))
        low, high = rate_interval(rate, effective_rows(w, counts_rows))
        found.append(
            {
                "n": int(member.sum()),
                "predicted": float(np.average(score[member], weights=w)),
                "observed": rate,
                "low": low,
                "high": high,
            }
        )
    return found


def histogram_of_classes(
    truth: NDArray[np.bool_], score: Floats, weights: Floats | None = None
) -> dict[str, Any]:
    """Return the distribution of the scores of the events, and of the others."""
    low, high = ends_of(score)
    own = np.ones(truth.size) if weights is None else weights
    yes, no = (
        histogram(score[member], low, high, N_BINS, own[member]) / own[member].sum()
        for member in (truth, ~truth)
    )
    return {"low": low, "high": high, "yes": _rounded(yes), "no": _rounded(no)}


def _errors(truth: Floats, predicted: Floats, weights: Floats | None) -> dict[str, Any]:
    errors, own = truth - predicted, np.ones(truth.size) if weights is None else weights
    order = np.argsort(predicted, kind="stable")
    dots = spread(order, MOST_DOTS)
    low, high = ends_of(errors)
    counts = histogram(errors, low, high, N_BINS, weights)
    return {
        "dots": [_digits(predicted[dots]), _digits(truth[dots])],
        "n": int(truth.size),
        "histogram": {
            "low": low,
            "high": high,
            "counts": counts.tolist(),
            "noun": "rows" if weights is None else "weight",
        },
        "deciles": [_decile(truth[rows], predicted[rows], own[rows]) for rows in _tenths(order, own)],
    }


def _decile(truth: Floats, predicted: Floats, weights: Floats) -> dict[str, Any]:
    errors = truth - predicted
    mean = np.average(errors, weights=weights)
    return {
        "n": int(truth.size),
        "predicted": float(np.average(predicted, weights=weights)),
        "observed": float(np.average(truth, weights=weights)),
        "error": math.sqrt(float(np.average((errors - mean) ** 2, weights=weights))),
    }


def _rounded(values: NDArray[Any]) -> list[float]:
    return [round(float(value), 5) for value in values]


def _digits(values: Floats) -> list[float]:
    return [float(f"{value:.5g}") for value in values.tolist()]
