"""The rule estimators' parameters, checked and put into the core's words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...validation import bins_of, fit_options, flag, monotone_of, real, whole


def check(
    params: Mapping[str, Any], task: str, names: Sequence[str], alpha: Mapping[str, Any] | None = None
) -> str:
    """Check every parameter of a rule estimator and write them for the core.

    Parameters
    ----------
    params : mapping
        The estimator's parameters by their public names.
    task : {"regression", "classification"}
        What is fitted.
    names : list of str
        The columns' names.
    alpha : mapping, optional
        The choice of strength where it is not the parameter's (a path).

    Returns
    -------
    str
        JSON.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the message names it.
    """
    options = fit_options(params, task, alpha, "max_rules")
    options["max_rules"] = options.pop("max_terms")
    language = {
        "max_features": whole("max_features", params["max_features"], 1, optional=True),
        "min_support": whole("min_support", params["min_support"], 1),
        "bins": bins_of(params["bins"], names),
        "linear": flag("linear", params["linear"]),
        "monotone": monotone_of(params["monotone"], names),
        "positive": flag("positive", params["positive"]),
        "group_sparsity": _group_sparsity(params),
        "tau_linear": real("tau_linear", params["tau_linear"], 0),
    }
    return json.dumps(options | language)


def _group_sparsity(params: Mapping[str, Any]) -> float | None:
    value = params["group_sparsity"]
    if value is None:
        return None
    number = real("group_sparsity", value, 0)
    if number is None or number > 1:
        raise ValueError(f"group_sparsity: got {value!r}; give a number > 0 and <= 1, or None for no groups")
    if number < 1 and not params["closed"]:
        raise ValueError(
            "group_sparsity: needs closed=True; copies of a rule in a group would make its weight cheaper"
        )
    return number
