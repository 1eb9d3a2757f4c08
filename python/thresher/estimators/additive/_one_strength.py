"""The best card at the penalties of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ... import _native
from ...data.core_parameters import to_json


def card_at(
    problem: _native.Problem, payload: Mapping[str, Any], point: Mapping[str, Any], n_jobs: int
) -> dict[str, Any]:
    """Return the point of the best card at the penalties of a point, with its lower bound.

    Parameters
    ----------
    problem : thresher._native.Problem
        The training rows with one output.
    payload : mapping
        The parameters of the fit, as the core expects them.
    point : mapping
        The point.
    n_jobs : int
        The number of threads.

    Returns
    -------
    dict
        The other point.
    """
    strengths = {
        "lambda0": {"kind": "values", "values": [point["lambda0"]]},
        "lambda2": [point["lambda2"]],
        "ridge": [point["ridge"]],
        "select": {"kind": "last"},
    }
    model = _native.fit_additive(problem, to_json({**payload, **strengths}), n_jobs, None, None)
    [output] = json.loads(model.to_json())["outputs"]
    found: dict[str, Any] = output["points"][output["selected"]]
    return found
