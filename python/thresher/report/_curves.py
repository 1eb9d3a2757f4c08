"""Curves of a classifier: ROC, lift, calibration, distribution of scores; errors of a regression."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics as sk

from ..results.intervals import rate_interval
from ._data import spread
from ._metrics import Floats, Scored, auc

MOST_CLASSES = 12  # classes with curves of their own
MOST_CURVE = 200  # points of a curve: about one for each pixel of its chart
MOST_DOTS = 600  # dots of a scatter plot, beyond which they hide each other
N_BINS = 30  # bars of a histogram
N_PARTS = 10  # deciles


def curves_of(found: Scored) -> dict[str, Any] | None:
    """Return the curves of each class (the second of two), or of each target; None without targets."""
    if found.truth is None:
        return None
    if found.classes is None:
        parts = [
            {"label": name, **_errors(found.truth[:, k], found.predicted[:, k])}
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
    if truth.all() or not truth.any():
        return {"missing": "one of the two classes has no row, so that there is no curve"}
    curves: dict[str, Any] = {
        **_roc(truth, score),
        "lift": lift(truth, score),
        "histogram": _scores(truth, score),
    }
    if found.probabilities is not None:
        curves["calibration"] = calibration(truth, score)
    return curves


def _roc(truth: NDArray[np.bool_], score: Floats) -> dict[str, Any]:
    fpr, tpr, thresholds = sk.roc_curve(truth, score)
    best = int(np.argmax(np.abs(tpr - fpr)))
    kept = sorted({*spread(np.arange(fpr.size), MOST_CURVE).tolist(), best})
    return {
        "auc": auc(truth, score),
        "ks": {
            "value": float(abs(tpr[best] - fpr[best])),
            "fpr": float(fpr[best]),
            "tpr": float(tpr[best]),
            "threshold": float(thresholds[best]) if math.isfinite(thresholds[best]) else None,
        },
        "roc": [_rounded(fpr[kept]), _rounded(tpr[kept])],
    }


def lift(truth: NDArray[np.bool_], score: Floats) -> list[dict[str, Any]]:
    """Divide the rows into ten parts of decreasing score; rows of equal score share their events evenly."""
    order = np.argsort(-score, kind="stable")
    _, place = np.unique(score, return_inverse=True)
    shared = (np.bincount(place, truth) / np.bincount(place))[place]
    rate, total, captured = truth.mean(), int(truth.sum()), 0.0
    parts = []
    for rows in np.array_split(order, min(N_PARTS, truth.size)):
        events = float(shared[rows].sum())
        captured += events
        parts.append(
            {
                "n": int(rows.size),
                "events": events,
                "rate": events / rows.size,
                "lift": events / rows.size / float(rate),
                "capture": captured / total,
                "low": float(score[rows].min()),
                "high": float(score[rows].max()),
            }
        )
    return parts


def calibration(truth: NDArray[np.bool_], score: Floats) -> list[dict[str, Any]]:
    """Compare predicted with observed rates in ten parts of equal size; equal predictions stay together.

    The interval of an observed rate is Wilson's of 95 %.
    """
    cuts = np.unique(np.quantile(score, np.linspace(0, 1, N_PARTS + 1)[1:-1]))
    part = np.searchsorted(cuts, score, side="left")
    found = []
    for k in np.unique(part):
        member = part == k
        n, rate = int(member.sum()), float(truth[member].mean())
        low, high = rate_interval(int(truth[member].sum()), n)
        found.append(
            {
                "n": n,
                "predicted": float(score[member].mean()),
                "observed": rate,
                "low": low,
                "high": high,
            }
        )
    return found


def _scores(truth: NDArray[np.bool_], score: Floats) -> dict[str, Any]:
    low, high = float(score.min()), float(score.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, N_BINS + 1)
    yes, no = (np.histogram(score[member], edges)[0] / member.sum() for member in (truth, ~truth))
    return {"low": low, "high": high, "yes": _rounded(yes), "no": _rounded(no)}


def _errors(truth: Floats, predicted: Floats) -> dict[str, Any]:
    errors = truth - predicted
    dots = spread(np.argsort(predicted, kind="stable"), MOST_DOTS)
    low, high = float(errors.min()), float(errors.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts, _ = np.histogram(errors, N_BINS, (low, high))
    return {
        "dots": [_digits(predicted[dots]), _digits(truth[dots])],
        "n": int(truth.size),
        "histogram": {"low": low, "high": high, "counts": counts.tolist()},
        "deciles": [
            {
                "n": int(rows.size),
                "predicted": float(predicted[rows].mean()),
                "observed": float(truth[rows].mean()),
                "error": float(errors[rows].std()),
            }
            for rows in np.array_split(np.argsort(predicted, kind="stable"), min(N_PARTS, truth.size))
        ],
    }


def _rounded(values: NDArray[Any]) -> list[float]:
    return [round(float(value), 5) for value in values]


def _digits(values: Floats) -> list[float]:
    return [float(f"{value:.5g}") for value in values.tolist()]
