"""Models whose cut points an earlier version learned: midpoints, where this one takes the shortest number.

The certificate of a score card or of a hierarchy speaks of all models over its own cut points. What it says
of the training rows depends on which rows a cut point separates, not on its place in the gap between two
values. So a model is verified over its own cut points where each is the midpoint of the gap (of bins of equal
width the bound) in which today's lies. All others are refused: they are those of other data, or of an edited
model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..data.budget import Budget
from ..data.inputs import Table
from ..data.targets import Target
from ..results.documents import read_document
from ._training import TrainingData, to_json

_LARGE = 1e12
"""A penalty at which a fit ends with the best constant, once it has learned the cut points."""
_IS_OTHER = "the cuts, categories or range of these data are not those of the model"
"""What the core says of a model of other cut points."""


def own_cuts(
    estimator: Any, error: Exception, inputs: Any, target: Target, weights: NDArray[np.float64] | None
) -> dict[str, Any] | None:
    """Return the cut points of a model for the core, if their place within the gaps is its only fault.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    error : CertificateError
        Why the core refused it.
    inputs : object
        The training rows, as the model reads them.
    target : Target
        The targets.
    weights : ndarray of shape (n_rows,) or None
        The weights.

    Returns
    -------
    dict or None
        The parameter ``bins`` of the core; None if the model is refused with reason.
    """
    if _IS_OTHER not in str(error) or not isinstance(inputs, Table):
        return None
    own = estimator._fitted.document["features"]
    today = _learned(estimator, inputs, target, weights)
    columns = [column if weights is None else _of_weight(column, weights) for column in inputs.columns]
    bins = estimator._core_parameters(inputs, None)["bins"]
    n_uniform = bins["n"] if bins["kind"] == "uniform" else None
    if not all(_are_earlier(*each, n_uniform) for each in zip(columns, own, today, strict=True)):
        return None
    cuts = [feature.get("cuts") for feature in own]
    return {"kind": "given", "cuts": [None if each is None else list(each) for each in cuts]}


def _learned(estimator: Any, table: Table, target: Target, weights: Any) -> list[dict[str, Any]]:
    """Return the columns as a fit of today has them."""
    strength = "alpha" if "alpha" in estimator.get_params(deep=False) else "lambda0"
    learner = clone(estimator).set_params(**{strength: _LARGE}, time_limit=None, memory_limit=None)
    payload = to_json(learner._core_parameters(table, None))
    data = TrainingData(table, target, None, weights, None, payload, Budget())
    model, _ = learner._run_core(data, 1, None)
    features: list[dict[str, Any]] = read_document(model.to_json())["features"]
    return features


def _of_weight(column: Any, weights: NDArray[np.float64]) -> Any:
    return column[weights > 0] if isinstance(column, np.ndarray) else column


def _are_earlier(
    column: Any, own: Mapping[str, Any], today: Mapping[str, Any], n_uniform: int | None
) -> bool:
    """Whether what is said of a column is as today, or its cut points are as they were in these gaps."""
    if own == today:
        return True
    if {**own, "cuts": None} != {**today, "cuts": None} or not isinstance(column, np.ndarray):
        return False
    cuts, learned = np.asarray(own["cuts"]), np.asarray(today["cuts"])
    values = np.unique(column[np.isfinite(column) & ~np.isin(column, own.get("special", []))])
    gaps = np.searchsorted(values, cuts, side="right")
    if not np.array_equal(gaps, np.searchsorted(values, learned, side="right")):
        return False
    if gaps.min() < 1 or gaps.max() >= values.size:
        return False
    low, high = values[gaps - 1], values[gaps]
    rounding = 2 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
    known = [learned, low / 2 + high / 2]
    if n_uniform is not None:
        fractions = np.arange(1, n_uniform) / n_uniform
        bounds = values[0] * (1 - fractions) + values[-1] * fractions
        known.append(bounds[np.abs(cuts[:, None] - bounds).argmin(axis=1)])
    return bool(np.min([np.abs(cuts - each) - rounding for each in known], axis=0).max() <= 0.0)
