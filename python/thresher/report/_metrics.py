"""Metrics of predictions, over all rows and group by group; every row counts once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics as sk

from ..formatting.text import with_article
from ._data import Data, Groups
from ._facts import is_own

Floats = NDArray[np.float64]
Lines = list[tuple[str, float | None]]


@dataclass(frozen=True)
class Scored:
    """The answers of a model to rows, beside the truth where it is known.

    Parameters
    ----------
    decision : ndarray of shape (n_rows, n_outputs)
        Decision values.
    predicted : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Predictions: the positions of classes, or numbers.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        Probabilities, where the model has some.
    classes : list or None
        The labels; the last of two is the one the model speaks about. None for a regression.
    outputs : list of str
        The names of the targets of a regression.
    truth : ndarray or None
        The positions of the true classes, or the true numbers of shape (n_rows, n_outputs).
    """

    decision: Floats
    predicted: NDArray[Any]
    probabilities: Floats | None
    classes: list[Any] | None
    outputs: list[str]
    truth: NDArray[Any] | None

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return self.classes is not None and len(self.classes) == 2

    def scores(self, k: int) -> Floats:
        """Return the scores of a class: probabilities, or decision values."""
        if self.probabilities is not None:
            found: Floats = self.probabilities[:, k]
            return found
        return self.decision[:, 0] if self.is_binary else self.decision[:, k]

    def of_rows(self, rows: NDArray[Any]) -> Scored:
        """Select rows."""
        return Scored(
            self.decision[rows],
            self.predicted[rows],
            None if self.probabilities is None else self.probabilities[rows],
            self.classes,
            self.outputs,
            None if self.truth is None else self.truth[rows],
        )


def scored(model: Any, data: Data, order: list[Any] | None = None) -> Scored:
    """Predict the rows, and check the targets; a model of another library gets the classes in an order."""
    predicted = np.asarray(model.predict(data.X))
    if getattr(model, "classes_", None) is None:
        values = predicted.reshape(data.n_rows, -1).astype(np.float64)
        names = _target_names(model, values.shape[1])
        truth = None if data.y is None else _numbers(model, data, values.shape[1])
        return Scored(values, values, None, None, names, truth)
    classes = np.asarray(model.classes_).tolist()
    place = {label: k for k, label in enumerate(classes)}
    codes = np.asarray([place[label] for label in predicted.tolist()], dtype=np.intp)
    chances = np.asarray(model.predict_proba(data.X)) if hasattr(model, "predict_proba") else None
    decision = _decision(model, data, codes, chances, len(classes))
    known = None if data.y is None else _codes(model, data, place)
    found = Scored(decision, codes, chances, classes, [], known)
    if order is None or is_own(model) or order == classes or set(order) != set(classes):
        return found
    return _in_order(found, order, place)


def _decision(model: Any, data: Data, codes: NDArray[Any], chances: Floats | None, n_classes: int) -> Floats:
    """Return decision values: probabilities, or the predictions themselves, of models that have none."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(data.X), dtype=np.float64).reshape(data.n_rows, -1)
    values = np.eye(n_classes)[codes] if chances is None else np.asarray(chances, dtype=np.float64)
    return values[:, 1:] if n_classes == 2 else values


def _in_order(found: Scored, order: list[Any], place: dict[Any, int]) -> Scored:
    """Put the classes in another order; of two classes the decision value then speaks about the other."""
    chosen = np.asarray([place[label] for label in order], dtype=np.intp)
    moved = np.argsort(chosen)
    return Scored(
        -found.decision if found.is_binary else found.decision[:, chosen],
        moved[found.predicted],
        None if found.probabilities is None else found.probabilities[:, chosen],
        order,
        found.outputs,
        None if found.truth is None else moved[found.truth],
    )


def _target_names(model: Any, n_outputs: int) -> list[str]:
    if n_outputs == 1:
        return [""]
    names: Any = model._fitted.output_names() if is_own(model) else range(n_outputs)
    return list(map(str, names))


def _numbers(model: Any, data: Data, n_outputs: int) -> Floats:
    if is_own(model):
        found: Floats = model._read_target(data.y, data.n_rows, model._fitted).values
        return found
    return np.asarray(data.y, dtype=np.float64).reshape(data.n_rows, n_outputs)


def _codes(model: Any, data: Data, place: dict[Any, int]) -> NDArray[np.intp]:
    if is_own(model):
        codes = model._read_target(data.y, data.n_rows, model._fitted).codes
        return np.asarray(codes, dtype=np.intp)
    values = np.asarray(data.y).ravel().tolist()
    unknown = [value for value in values if value not in place]
    if len(values) != data.n_rows:
        raise ValueError(f"y has {len(values)} values, X has {data.n_rows} rows")
    if unknown:
        raise ValueError(
            f"y: {with_article(type(model).__name__)} was fitted on the classes {list(place)!r} and cannot "
            f"be judged on {unknown[0]!r}"
        )
    return np.asarray([place[value] for value in values], dtype=np.intp)


# ------------------------------------------------------------------ all rows


def metrics_of(found: Scored) -> list[tuple[str, Lines]]:
    """Return the metrics of each target, or of all classes together."""
    if found.truth is None:
        return []
    if found.classes is None:
        return [
            (name, regression_metrics(found.truth[:, k], found.predicted[:, k]))
            for k, name in enumerate(found.outputs)
        ]
    return [("", _binary_metrics(found) if found.is_binary else _multiclass_metrics(found))]


def _binary_metrics(found: Scored) -> Lines:
    truth, score = _truth(found) == 1, found.scores(1)
    area = auc(truth, score)
    lines: Lines = [
        ("Rows", truth.size),
        (f"Share of class {found.classes[1]!r}" if found.classes else "", float(truth.mean())),
        ("AUC", area),
        ("Gini", None if area is None else 2 * area - 1),
        ("KS", ks(truth, score)),
    ]
    if found.probabilities is not None:
        lines += [
            ("Mean predicted probability", float(score.mean())),
            ("Log-loss", float(sk.log_loss(truth, found.probabilities, labels=[False, True]))),
            ("Brier score", float(np.mean((score - truth) ** 2))),
        ]
    chosen = found.predicted == 1
    return [
        *lines,
        ("Accuracy", float(np.mean(chosen == truth))),
        ("Balanced accuracy", _balanced(truth.astype(np.intp), found.predicted)),
        ("Precision", _ratio(np.sum(chosen & truth), np.sum(chosen))),
        ("Recall", _ratio(np.sum(chosen & truth), np.sum(truth))),
    ]


def _multiclass_metrics(found: Scored) -> Lines:
    truth, classes = _truth(found), found.classes or []
    areas = [auc(truth == k, found.scores(k)) for k in range(len(classes))]
    known = [area for area in areas if area is not None]
    lines: Lines = [
        ("Rows", truth.size),
        ("Classes", len(classes)),
        ("Accuracy", float(np.mean(found.predicted == truth))),
        ("Balanced accuracy", _balanced(truth, found.predicted)),
        ("Mean AUC, one against the rest", float(np.mean(known)) if known else None),
    ]
    if found.probabilities is not None:
        loss = sk.log_loss(truth, found.probabilities, labels=list(range(len(classes))))
        lines.append(("Log-loss", float(loss)))
    return lines


def regression_metrics(truth: Floats, predicted: Floats) -> Lines:
    """Return the metrics of one target."""
    errors = predicted - truth
    spread = float(np.sum((truth - truth.mean()) ** 2))
    return [
        ("Rows", truth.size),
        ("R²", 1 - float(np.sum(errors**2)) / spread if spread > 0 and truth.size > 1 else None),
        ("Root mean squared error", math.sqrt(float(np.mean(errors**2)))),
        ("Mean absolute error", float(np.mean(np.abs(errors)))),
        ("Median absolute error", float(np.median(np.abs(errors)))),
        ("Largest absolute error", float(np.max(np.abs(errors)))),
        ("Mean error (predicted − true)", _without_rounding(float(np.mean(errors)), truth)),
        ("Mean of the truth", float(truth.mean())),
        ("Mean of the predictions", float(predicted.mean())),
    ]


def _without_rounding(error: float, truth: Floats) -> float:
    """Return a mean error, or 0 where it is no more than the rounding of the sum."""
    return 0.0 if abs(error) <= 1e-13 * float(np.max(np.abs(truth))) else error


def confusion_of(found: Scored) -> dict[str, Any] | None:
    """Count true against predicted classes; None for a regression or more than 12 classes."""
    if found.truth is None or found.classes is None or len(found.classes) > 12:  # wider than the page
        return None
    table = sk.confusion_matrix(found.truth, found.predicted, labels=list(range(len(found.classes))))
    labels = list(map(str, found.classes))
    return {
        "labels": labels,
        "rows": [[label, *row] for label, row in zip(labels, table.tolist(), strict=True)],
    }


def _truth(found: Scored) -> NDArray[Any]:
    assert found.truth is not None
    return found.truth


def auc(truth: NDArray[np.bool_], score: Floats) -> float | None:
    """Return the area under the ROC curve; None where one of the classes has no row."""
    return None if truth.all() or not truth.any() else float(sk.roc_auc_score(truth, score))


def ks(truth: NDArray[np.bool_], score: Floats) -> float | None:
    """Return the largest distance between the distributions of the scores of the two classes."""
    if truth.all() or not truth.any():
        return None
    fpr, tpr, _ = sk.roc_curve(truth, score, drop_intermediate=False)
    return float(np.max(np.abs(tpr - fpr)))


def _balanced(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    return float(np.mean([np.mean(predicted[truth == k] == k) for k in np.unique(truth)]))


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
    for k, label in enumerate([*groups.labels, "all rows"]):
        member = groups.codes == k if k < len(groups.labels) else np.ones(groups.codes.size, dtype=bool)
        cells = lines(found.of_rows(np.flatnonzero(member)))
        headings = [name for name, _ in cells]
        rows.append([label, *(value for _, value in cells)])
    return {"name": groups.name, "headings": headings, "rows": rows}


def _without_truth(found: Scored) -> Callable[[Scored], Lines]:
    def lines(part: Scored) -> Lines:
        score = part.scores(1) if found.is_binary else part.decision[:, 0]
        return [("Rows", score.size), ("Mean predicted", float(score.mean()))]

    return lines


def _of_two_classes(part: Scored) -> Lines:
    truth, score = _truth(part) == 1, part.scores(1)
    chosen = part.predicted == 1
    lines: Lines = [("Rows", truth.size), ("Observed", float(truth.mean()))]
    if part.probabilities is not None:
        lines += [
            ("Mean predicted", float(score.mean())),
            ("Predicted − observed", round(float(score.mean() - truth.mean()), 6)),  # 0, not 1e-9
        ]
    return [
        *lines,
        ("AUC", auc(truth, score)),
        ("KS", ks(truth, score)),
        ("Accuracy", float(np.mean(chosen == truth))),
        ("Share predicted", float(chosen.mean())),
        ("True positive rate", _ratio(np.sum(chosen & truth), np.sum(truth))),
        ("False positive rate", _ratio(np.sum(chosen & ~truth), np.sum(~truth))),
    ]


def _of_classes(part: Scored) -> Lines:
    truth = _truth(part)
    lines: Lines = [
        ("Rows", truth.size),
        ("Accuracy", float(np.mean(part.predicted == truth))),
        ("Balanced accuracy", _balanced(truth, part.predicted)),
    ]
    if part.probabilities is not None:
        chance = part.probabilities[np.arange(truth.size), truth]
        lines.append(("Log-loss", float(-np.mean(np.log(np.maximum(chance, np.finfo(float).eps))))))
    return lines


def _of_regression(part: Scored) -> Lines:
    lines: Lines = [("Rows", len(part.predicted))]
    for k, name in enumerate(part.outputs):
        found = dict(regression_metrics(_truth(part)[:, k], part.predicted[:, k]))
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
