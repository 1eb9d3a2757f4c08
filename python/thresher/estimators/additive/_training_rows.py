"""Whether rows are those on which a model was fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.inputs import Table
from ._refit import RefitProblem

Floats = NDArray[np.float64]

_SAME = 1e-6  # of an objective, relative: a larger difference is not due to the rounding of sums


def check_training_rows(estimator: Any, table: Table, values: Floats, weights: Floats | None) -> None:
    """Raise an error unless the model has the loss of training on the rows.

    The model itself is compared, not one fitted to the rows: that would have the same loss on targets with
    another sign, other units or exchanged classes.

    Parameters
    ----------
    estimator : estimator
        The fitted model.
    table : Table
        The rows, with every column of the model.
    values : ndarray of shape (n_rows, n_outputs)
        Their targets; classes as -1 and 1.
    weights : ndarray of shape (n_rows,), optional
        Their weights.

    Raises
    ------
    ValueError
        If the losses differ by more than rounding.
    """
    result = estimator._fitted
    decision = estimator._decision_of(table.columns)
    w = np.ones(table.n_rows) if weights is None else weights
    for output, point in enumerate(result.points(estimator._path_index)):
        rows = RefitProblem(result.document["loss"], values[:, output], w, point["ridge"])
        loss = rows.loss_of(decision[:, output])
        if not abs(loss - point["loss"]) <= _SAME * abs(point["objective"]):
            raise ValueError(
                f"X, y: the loss of the model on these rows is {loss:.6g}, in training it was "
                f"{point['loss']:.6g}; give the training rows with their weights"
            )
