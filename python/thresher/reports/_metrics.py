"""Metrics of predictions, over all rows and group by group; rows count by their weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..results.auc_interval import auc_interval
from ..results.ranking import ranking_of
from ..results.recalibration import recalibration
from ._data import Groups
from ._scored import Floats, Scored

Lines = list[tuple[str, float | str | None]]


# ------------------------------------------------------------------ all rows


def metrics_of(found: Scored) -> list[tuple[str, Lines]]:
    """Return the metrics of each target, or of all classes together."""
    found = found.counted()
    if found.truth is None:
        return []
    if found.classes is None:
        return [
            (name, regression_metrics(found.truth[:, k], found.predicted[:, k], found.weights))
            for k, name in enumerate(found.outputs)
        ]
    return [("", _binary_metrics(found) if found.is_binary else _multiclass_metrics(found))]


def _size(n_rows: int, weights: Floats | None) -> Lines:
    return [("Rows", n_rows), *([] if weights is None else [("Weight", float(weights.sum()))])]


def _binary_metrics(found: Scored) -> Lines:
    truth, score = _truth(found) == 1, found.scores(1)
    ranking = ranking_of(truth, score, found.weights)
    lines: Lines = [
        *_size(truth.size, found.weights),
        (f"Fraction of class {found.classes[1]!r}" if found.classes else "", found.mean(truth)),
        ("AUC", None if ranking is None else ranking.auc),
        ("AUC, 95 % interval", _interval_text(auc_interval(truth, score, found.weights))),
        ("Gini", None if ranking is None else ranking.gini),
        ("KS", None if ranking is None else ranking.ks),
    ]
    if found.probabilities is not None:
        line = recalibration(truth, score, found.weights)
        lines += [
            ("Mean predicted probability", found.mean(score)),
            ("Log-loss", _log_loss(truth, found, [False, True])),
            ("Brier score", found.mean((score - truth) ** 2)),
            ("Calibration intercept", None if line is None else line[0]),
            ("Calibration slope", None if line is None else line[1]),
        ]
    chosen = found.predicted == 1
    both = found.weight(chosen & truth)
    return [
        *lines,
        ("Accuracy", found.mean(chosen == truth)),
        ("Balanced accuracy", _balanced(found)),
        ("Precision", _ratio(both, found.weight(chosen))),
        ("Recall", _ratio(both, found.weight(truth))),
    ]


def _interval_text(ends: tuple[float, float] | None) -> str | None:
    return None if ends is None else f"{ends[0]:.4f} to {ends[1]:.4f}"


def _multiclass_metrics(found: Scored) -> Lines:
    truth, classes = _truth(found), found.classes or []
    rankings = [ranking_of(truth == k, found.scores(k), found.weights) for k in range(len(classes))]
    known = [ranking.auc for ranking in rankings if ranking is not None]
    lines: Lines = [
        *_size(truth.size, found.weights),
        ("Classes", len(classes)),
        ("Accuracy", found.mean(found.predicted == truth)),
        ("Balanced accuracy", _balanced(found)),
        ("Mean AUC, one against the rest", float(np.mean(known)) if known else None),
    ]
    if found.probabilities is not None:
        lines.append(("Log-loss", _log_loss(truth, found, list(range(len(classes))))))
    return lines


def _log_loss(truth: NDArray[Any], found: Scored, labels: list[Any]) -> float:
    from sklearn.metrics import log_loss

    return float(log_loss(truth, found.probabilities, labels=labels, sample_weight=found.weights))


def regression_metrics(truth: Floats, predicted: Floats, weights: Floats | None = None) -> Lines:
    """Return the metrics of one target."""

    def mean(values: Floats) -> float:
        return float(np.average(values, weights=weights))

    errors = predicted - truth
    # The mean of equal numbers may be rounded, so that they differ from it.
    spread = mean((truth - mean(truth)) ** 2) if truth.min() < truth.max() else 0.0
    return [
        *_size(truth.size, weights),
        ("R²", 1 - mean(errors**2) / spread if spread > 0 else None),
        ("Root mean squared error", math.sqrt(mean(errors**2))),
        ("Mean absolute error", mean(np.abs(errors))),
        ("Median absolute error", weighted_median(np.abs(errors), weights)),
        ("Largest absolute error", float(np.max(np.abs(errors)))),
        ("Mean error (predicted − true)", _without_rounding(mean(errors), truth)),
        ("Mean of the truth", mean(truth)),
        ("Mean of the predictions", mean(predicted)),
    ]


def weighted_median(values: Floats, weights: Floats | None) -> float:
    """Return the median; the mean of two values where half of the weight lies up to the smaller one.

    Examples
    --------
    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]))
    2.0
    """
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half, room = below[-1] / 2, 1e-12 * below[-1]
    places = [np.searchsorted(below, half - room), np.searchsorted(below, half + room)]
    return float(values[order[places]].mean())


def _without_rounding(error: float, truth: Floats) -> float:
    """Return a mean error, or 0 where it is no more than the rounding of the sum."""
    return 0.0 if abs(error) <= 1e-13 * float(np.max(np.abs(truth))) else error


def confusion_of(found: Scored) -> dict[str, Any] | None:
    """Count true against predicted classes; None for a regression or more than 12 classes."""
    from sklearn.metrics import confusion_matrix

    if found.truth is None or found.classes is None or len(found.classes) > 12:  # wider than the page
        return None
    found = found.counted()
    classes = list(range(len(found.classes or ())))
    table = confusion_matrix(found.truth, found.predicted, labels=classes, sample_weight=found.weights)
    labels = list(map(str, found.classes or ()))
    return {
        "labels": labels,
        "rows": [[label, *row] for label, row in zip(labels, table.tolist(), strict=True)],
    }


def _truth(found: Scored) -> NDArray[Any]:
    assert found.truth is not None
    return found.truth


def _balanced(found: Scored) -> float:
    truth = _truth(found)
    return float(
        np.mean(
            [
                found.weight((truth == k) & (found.predicted == k)) / found.weight(truth == k)
                for k in np.unique(truth)
            ]
        )
    )


def _ratio(part: Any, whole: Any) -> float | None:
    return float(part) / float(whole) if whole else None


# ------------------------------------------------------------------ groups


def groups_of(found: Scored, groups: Groups) -> dict[str, Any]:
    """Return a table with the metrics of each group, and of all rows last."""
    if found.truth is None:
        lines = _without_truth(found)
    elif found.classes is None:
        lines = _of_regression
    else:
        lines = _of_two_classes if found.is_binary else _of_classes
    rows, headings = [], []
    counts = np.ones(groups.codes.size, dtype=bool) if found.weights is None else found.weights > 0
    for k, label in enumerate([*groups.labels, "all rows"]):
        member = counts & (groups.codes == k) if k < len(groups.labels) else counts
        if not member.any():
            continue
        cells = lines(found.of_rows(np.flatnonzero(member)))
        headings = [name for name, _ in cells]
        rows.append([label, *(value for _, value in cells)])
    is_binary = found.is_binary and found.truth is not None
    event = str(found.classes[1]) if found.classes is not None and is_binary else None
    return {
        "name": groups.name,
        "headings": headings,
        "rows": rows,
        "is_binary": is_binary,
        "event": event,
    }


def _without_truth(found: Scored) -> Callable[[Scored], Lines]:
    def lines(part: Scored) -> Lines:
        score = part.scores(1) if found.is_binary else part.decision[:, 0]
        return [*_size(score.size, part.weights), ("Mean predicted", part.mean(score))]

    return lines


def _of_two_classes(part: Scored) -> Lines:
    truth, score = _truth(part) == 1, part.scores(1)
    chosen, ranking = part.predicted == 1, ranking_of(truth, score, part.weights)
    lines: Lines = [*_size(truth.size, part.weights), ("Observed", part.mean(truth))]
    if part.probabilities is not None:
        lines += [
            ("Predicted", part.mean(score)),
            ("Difference", round(part.mean(score) - part.mean(truth), 6)),  # 0, not 1e-9
        ]
    return [
        *lines,
        ("AUC", None if ranking is None else ranking.auc),
        ("KS", None if ranking is None else ranking.ks),
        ("Accuracy", part.mean(chosen == truth)),
        ("Chosen", part.mean(chosen)),
        ("TPR", _ratio(part.weight(chosen & truth), part.weight(truth))),
        ("FPR", _ratio(part.weight(chosen & ~truth), part.weight(~truth))),
    ]


def _of_classes(part: Scored) -> Lines:
    truth = _truth(part)
    lines: Lines = [
        *_size(truth.size, part.weights),
        ("Accuracy", part.mean(part.predicted == truth)),
        ("Balanced accuracy", _balanced(part)),
    ]
    if part.probabilities is not None:
        chance = part.probabilities[np.arange(truth.size), truth]
        lines.append(("Log-loss", -part.mean(np.log(np.maximum(chance, np.finfo(float).eps)))))
    return lines


def _of_regression(part: Scored) -> Lines:
    lines: Lines = _size(len(part.predicted), part.weights)
    for k, name in enumerate(part.outputs):
        found = dict(regression_metrics(_truth(part)[:, k], part.predicted[:, k], part.weights))
        prefix = f"{name}: " if name else ""
        lines += [(prefix + title, found[key]) for key, title in _GROUP_COLUMNS]
    return lines


_GROUP_COLUMNS = [
    ("Mean of the truth", "Mean true"),
    ("Mean of the predictions", "Mean predicted"),
    ("Mean error (predicted − true)", "Mean error"),
    ("Root mean squared error", "RMSE"),
    ("Mean absolute error", "MAE"),
    ("R²", "R²"),
]
