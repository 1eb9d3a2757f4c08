"""The answers of a model to rows, beside the truth where it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.valid_graphs import records_read_once
from ..formatting.text import with_article
from ._data import Data
from ._overview import is_own

Floats = NDArray[np.float64]


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
    weights : ndarray of shape (n_rows,) or None
        Row weights; None: every row counts once.
    """

    decision: Floats
    predicted: NDArray[Any]
    probabilities: Floats | None
    classes: list[Any] | None
    outputs: list[str]
    truth: NDArray[Any] | None
    weights: Floats | None = None

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
            None if self.weights is None else self.weights[rows],
        )

    def counted(self) -> Scored:
        """Select the rows of positive weight."""
        return self if self.weights is None else self.of_rows(np.flatnonzero(self.weights > 0))

    def mean(self, values: NDArray[Any]) -> float:
        """Return the weighted mean of a value of each row."""
        return float(np.average(values, weights=self.weights))

    def weight(self, member: NDArray[np.bool_]) -> float:
        """Return the weight of some rows, or their number."""
        return float(np.count_nonzero(member) if self.weights is None else self.weights[member].sum())


def scored(model: Any, data: Data, order: list[Any] | None = None) -> Scored:
    """Predict the rows, and check the targets; the classes are in an order, where it is of the same ones."""
    data = replace(data, X=records_read_once(model, data.X))  # several methods get them
    predicted = np.asarray(model.predict(data.X))
    if getattr(model, "classes_", None) is None:
        values = predicted.reshape(data.n_rows, -1).astype(np.float64)
        names = _target_names(model, values.shape[1])
        truth = None if data.y is None else _numbers(model, data, values.shape[1])
        return Scored(values, values, None, None, names, truth, data.weights)
    classes = np.asarray(model.classes_).tolist()
    place = {label: k for k, label in enumerate(classes)}
    codes = np.asarray([place[label] for label in predicted.tolist()], dtype=np.intp)
    chances = np.asarray(model.predict_proba(data.X)) if hasattr(model, "predict_proba") else None
    decision = _decision(model, data, codes, chances, len(classes))
    known = None if data.y is None else _codes(model, data, place)
    return in_order(Scored(decision, codes, chances, classes, [], known, data.weights), order)


def _decision(model: Any, data: Data, codes: NDArray[Any], chances: Floats | None, n_classes: int) -> Floats:
    """Return decision values: probabilities, or the predictions themselves, of models that have none."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(data.X), dtype=np.float64).reshape(data.n_rows, -1)
    values = np.eye(n_classes)[codes] if chances is None else np.asarray(chances, dtype=np.float64)
    return values[:, 1:] if n_classes == 2 else values


def in_order(found: Scored, order: list[Any] | None) -> Scored:
    """Put the same classes in another order; the decision value of two then speaks about the other."""
    classes = found.classes
    if classes is None or order is None or order == classes or set(order) != set(classes):
        return found
    place = {label: k for k, label in enumerate(classes)}
    chosen = np.asarray([place[label] for label in order], dtype=np.intp)
    moved = np.argsort(chosen)
    return Scored(
        -found.decision if found.is_binary else found.decision[:, chosen],
        moved[found.predicted],
        None if found.probabilities is None else found.probabilities[:, chosen],
        order,
        found.outputs,
        None if found.truth is None else moved[found.truth],
        found.weights,
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
        places = np.asarray([place[label] for label in model._fitted.classes.tolist()], dtype=np.intp)
        found: NDArray[np.intp] = places[codes]
        return found
    values = np.asarray(data.y).ravel().tolist()
    unknown = [value for value in values if value not in place]
    if len(values) != data.n_rows:
        raise ValueError(f"y has {len(values)} values, X has {data.n_rows} rows")
    if unknown:
        raise ValueError(
            f"y: {with_article(type(model).__name__)} was fitted on the classes {list(place)!r} and cannot "
            f"be evaluated on {unknown[0]!r}"
        )
    return np.asarray([place[value] for value in values], dtype=np.intp)
