"""Learning from one batch of rows after another."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.budget import Budget
from ...data.class_weights import apply_class_weight
from ...data.encode import encode, encode_like
from ...data.target_names import names_of_targets
from ...data.targets import Target
from ...data.weights import n_of_weight, row_weights
from .._training import TrainingData, is_cross_validated
from ._parameters import STOCHASTIC, strength_of


class BatchMethod:
    """A method of estimators whose solver takes a batch of rows at a time; the others do not have it.

    In place of :func:`sklearn.utils.metaestimators.available_if`, whose error does not say why.

    Parameters
    ----------
    method : callable
        The method.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __get__(self, estimator: Any, owner: type | None = None) -> Callable[..., Any]:
        """Return the method, bound if there is an estimator."""
        if estimator is None:
            return self._method
        if estimator.solver not in STOCHASTIC:
            raise AttributeError(
                f"{self._method.__name__} needs a solver for batches, and solver={estimator.solver!r} uses "
                "all rows in each iteration; give solver='psgd', or 'adagrad' with penalty=None"
            )
        return MethodType(self._method, estimator)


def read_batch(
    estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any, budget: Budget
) -> TrainingData:
    """Check a batch of rows; the first batch determines columns and classes.

    Parameters
    ----------
    estimator : estimator
        The machine, fitted or not.
    X, y, classes, sample_weight : object
        The arguments of ``partial_fit``.
    budget : Budget
        What the pass may take.

    Returns
    -------
    TrainingData
        The batch, with the model to start from, and parameters for one pass.

    Raises
    ------
    TypeError, ValueError
        If the batch is invalid, or differs from earlier ones.
    """
    owner = type(estimator).__name__
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
    known = estimator._fitted if estimator.__sklearn_is_fitted__() else None
    if known is None:  # declared categories are levels, since later batches may have them
        inputs = encode(estimator._read_inputs(X, budget))
    else:
        inputs = encode_like(X, known.schema, owner)
    options = {} if classes is None else {"classes": np.unique(np.asarray(classes))}
    target = estimator._read_target(y, inputs.n_rows, known, **options)
    once = {"max_iter": 1, "tol": 0.0, "patience": None, "refit": None}
    parameters = {**estimator._core_parameters(inputs, None), **once}
    if is_cross_validated(parameters):
        parameters["alpha"] = {"kind": "values", "values": [strength_of(estimator)]}
    weights = _weights(getattr(estimator, "class_weight", None), target, sample_weight, inputs.n_rows)
    start = None if known is None else known.model
    names = names_of_targets(y, target)
    return TrainingData(inputs, target, names, weights, None, parameters, budget, start)


def _weights(factors: Any, target: Target, sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return the weights of a batch of rows, which may contain one class only."""
    if isinstance(factors, str):
        raise ValueError(
            f"class_weight: got {factors!r}; a batch of rows does not determine the number of rows of each "
            "class: give a dict of label: factor"
        )
    weights = apply_class_weight(factors, target, row_weights(sample_weight, n_rows))
    if n_of_weight(weights, n_rows) == 0:
        raise ValueError(
            "class_weight: every row of the batch is of a class with the factor 0; leave out such a batch"
        )
    return weights
