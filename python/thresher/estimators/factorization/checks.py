"""The parameters of factorization machines, checked and in the core's words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks import choice, flag, real, whole
from ..subset.checks import penalties

PENALTIES = ("l1", "l21", "ti", "cs", "omega_ti", "omega_cs")
SOLVERS = ("pcd", "pbcd", "pgd", "fista", "nmapgd", "psgd", "katyusha", "adagrad")
STOCHASTIC = ("psgd", "katyusha", "adagrad")
_ORDER = "give a whole number from 2 to 6, or 'all' (all subsets)"


def _order(value: Any) -> int | None:
    if isinstance(value, str):
        if value != "all":
            raise ValueError(f"order: got {value!r}; {_ORDER}")
        return None
    return whole("order", value, 2)


def _solver(params: Mapping[str, Any], penalty: str) -> str:
    name = choice("solver", params["solver"], ("auto", *SOLVERS))
    if name != "auto":
        return name
    return "pbcd" if penalty in ("l21", "cs", "omega_cs") else "pcd"


def _penalty(value: Any) -> str:
    return "none" if value is None else choice("penalty", value, PENALTIES)


def _loss(params: Mapping[str, Any], allowed: tuple[str, ...]) -> str | dict[str, Any]:
    name = choice("loss", params["loss"], allowed)
    return {"huber": {"delta": real("delta", params["delta"], 0)}} if name == "huber" else name


def _refit(params: Mapping[str, Any]) -> float | None:
    value = params["refit"]
    if isinstance(value, (bool, np.bool_)):
        return real("l2_factors", params["l2_factors"], 0, closed=True) if value else None
    return real("refit", value, 0, closed=True)


def _strength(params: Mapping[str, Any], strengths: Any) -> dict[str, Any]:
    if strengths is not None:
        return {"kind": "values", "values": penalties("alpha", strengths)}
    value = real("alpha", params["alpha"], 0, closed=True)
    if params["n_interactions"] is None:
        return {"kind": "values", "values": [value]}
    if params["penalty"] is None:
        raise ValueError("n_interactions: without a penalty all features interact; give penalty='ti'")
    count = whole("n_interactions", params["n_interactions"], 1)
    return {"kind": "interactions", "count": count, "start": value}


def stopping_of(params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Check early stopping.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.

    Returns
    -------
    dict or None
        In the core's words; None for none.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.
    """
    patience = whole("n_iter_no_change", params["n_iter_no_change"], 1)
    real("validation_fraction", params["validation_fraction"], 0, 1)
    return {"patience": patience} if flag("early_stopping", params["early_stopping"]) else None


def check(
    params: Mapping[str, Any], losses: tuple[str, ...], seed: int, strengths: Any = None
) -> dict[str, Any]:
    """Check every parameter.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.
    losses : tuple of str
        The losses of the task.
    seed : int
        Of all random numbers.
    strengths : array-like of float, optional
        Those of a path, in place of ``alpha``.

    Returns
    -------
    dict
        In the core's words.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the message names it.
    """
    verbose = params["verbose"]
    if not isinstance(verbose, (bool, np.bool_)):
        whole("verbose", verbose, 0)
    flag("warm_start", params["warm_start"])
    penalty = _penalty(params["penalty"])
    memory = real("memory_limit", params["memory_limit"], 0, optional=True)
    return {
        "loss": _loss(params, losses),
        "order": _order(params["order"]),
        "rank": whole("rank", params["rank"], 1),
        "fit_lower": choice("fit_lower", params["fit_lower"], ("explicit", "augment", "none")),
        "fit_linear": flag("fit_linear", params["fit_linear"]),
        "fit_intercept": flag("fit_intercept", params["fit_intercept"]),
        "random_signs": choice("signs", params["signs"], ("positive", "random")) == "random",
        "penalty": penalty,
        "l2_linear": real("l2_linear", params["l2_linear"], 0, closed=True),
        "l2_factors": real("l2_factors", params["l2_factors"], 0, closed=True),
        "alpha": _strength(params, strengths),
        "refit": _refit(params),
        "solver": _solver(params, penalty),
        "max_epochs": whole("max_epochs", params["max_epochs"], 1),
        "tol": real("tol", params["tol"], 0, closed=True),
        "init_scale": real("init_scale", params["init_scale"], 0),
        "batch_size": whole("batch_size", params["batch_size"], 1, optional=True),
        "step": real("learning_rate", params["learning_rate"], 0, optional=True),
        "stopping": stopping_of(params),
        "seed": seed,
        "time_limit": real("time_limit", params["time_limit"], 0, optional=True),
        "memory_limit": None if memory is None else int(memory),
    }


def written(checked: Mapping[str, Any]) -> str:
    """Write checked parameters for the core.

    Parameters
    ----------
    checked : mapping
        From :func:`check`.

    Returns
    -------
    str
        JSON.
    """
    return json.dumps(dict(checked))
