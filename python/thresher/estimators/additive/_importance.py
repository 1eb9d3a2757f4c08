"""The best score card without a column, and a lower bound on every one of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import _native, threads
from ...data.inputs import Table
from ...data.weights import apply_class_weight, row_weights
from ...results.column_importance import ColumnImportance, ColumnImportances
from .._tables import problem_of
from .._training import PathRequest, to_json


def importances(
    estimator: Any,
    table: Table,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    limits: Mapping[str, Any],
) -> ColumnImportances:
    """Fit a card without each column in use, at the penalties of the model; `limits` replace parameters."""
    result = estimator._fitted
    target = estimator._read_target(y, table.n_rows, result)
    weights = row_weights(sample_weight, table.n_rows)
    weights = apply_class_weight(getattr(estimator, "class_weight", None), target, weights)
    payload = {**estimator._core_parameters(table, PathRequest(None)), **limits}
    n_jobs = threads.resolve(estimator.n_jobs)
    found: list[ColumnImportance] = []
    names = result.output_names()
    for output, point in enumerate(result.points(estimator._path_index)):
        values = np.ascontiguousarray(target.values[:, [output]])
        problem = problem_of(table, values, weights, None)
        own = []
        for shape in point["shapes"]:
            feature = shape["feature"]
            other = _card(problem, payload, point, feature, n_jobs)
            objective, dual = _objective_and_bound(other, point, payload["max_steps"])
            own.append(
                ColumnImportance(
                    feature, table.names[feature], objective, dual, point["objective"], names[output]
                )
            )
        found += sorted(own, key=lambda column: (-column.objective, column.feature_index))
    return ColumnImportances(tuple(found))


def _card(
    problem: _native.Problem, payload: Mapping[str, Any], point: Mapping[str, Any], feature: int, n_jobs: int
) -> dict[str, Any]:
    """Return the point of the card without a column."""
    strengths = {
        "lambda0": {"kind": "values", "values": [point["lambda0"]]},
        "lambda2": [point["lambda2"]],
        "ridge": [point["ridge"]],
        "select": {"kind": "last"},
        "exclude": [*payload["exclude"], feature],
    }
    model = _native.fit_additive(problem, to_json({**payload, **strengths}), n_jobs, None, None)
    [output] = json.loads(model.to_json())["outputs"]
    found: dict[str, Any] = output["points"][output["selected"]]
    return found


def _objective_and_bound(
    other: Mapping[str, Any], point: Mapping[str, Any], max_steps: int | None
) -> tuple[float, float]:
    """Return the objective of a card and its bound at the penalty of the model.

    Where `max_steps` ends the path, the card is that of a larger penalty. Each of at most `max_steps` steps
    costs less by the difference.
    """
    less = other["lambda0"] - point["lambda0"]
    dual = other["bound"]["dual"] if other["bound"] else -math.inf
    if less > 0 and max_steps is not None:
        dual -= less * max_steps
    own = point["bound"]["dual"] if point["bound"] else -math.inf
    # A card without the column is a card.
    return other["objective"] - less * other["n_nonzero"], max(dual, own)
