"""The hierarchical estimators' parameters, checked once and put into the core's words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..checks import bins_of, choice, flag, real, whole

LOSSES = {"regression": ("squared",), "classification": ("hinge", "squared_hinge", "logistic")}
GRID = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
"""Strengths that cross-validation tries, as in the paper."""

_C = "give 'cv', a number > 0, or a list of numbers > 0 to cross-validate"


def strengths(value: Any) -> list[float]:
    """Check one strength or several.

    Parameters
    ----------
    value : number or array-like of numbers
        Values of C.

    Returns
    -------
    list of float
        The strengths as given.

    Raises
    ------
    TypeError
        If they are no numbers.
    ValueError
        If there is none, or one is not finite or not > 0.

    Examples
    --------
    >>> strengths([10, 0.1])
    [10.0, 0.1]
    """
    if value is None or isinstance(value, (str, bytes, bool, Mapping)):
        raise TypeError(f"C: got {value!r}; {_C}")
    try:
        values = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise TypeError(f"C: got {value!r}; {_C}") from None
    if not values.size or not np.isfinite(values).all() or (values <= 0).any():
        raise ValueError(f"C: got {value!r}; {_C}")
    return [float(v) for v in values]


def _choice_of(params: Mapping[str, Any], path: tuple[Any] | None) -> dict[str, Any]:
    """Give C, alpha and the selection in the core's words."""
    last = {"kind": "last"}
    if path is not None:
        return {"c": list(GRID) if path[0] is None else strengths(path[0]), "select": last}
    one_se = flag("one_standard_error", params["one_standard_error"])
    scoring = choice("scoring", params.get("scoring", "loss"), ("loss", "error"))
    alpha = real("alpha", params["alpha"], 0, optional=True)
    value = params["C"]
    if alpha is not None:
        return {"c": [1.0], "alpha": alpha, "select": last}
    if isinstance(value, str):
        if value != "cv":
            raise ValueError(f"C: got {value!r}; {_C}")
        values = list(GRID)
    else:
        values = strengths(value)
    if len(values) == 1:
        return {"c": values, "select": last}
    return {"c": values, "select": {"kind": "cv", "one_standard_error": one_se, "scoring": scoring}}


def check(
    params: Mapping[str, Any], task: str, names: Sequence[str], path: tuple[Any] | None
) -> tuple[str, bool]:
    """Check every parameter and write them for the core.

    Parameters
    ----------
    params : mapping
        The estimator's parameters by their public names.
    task : {"regression", "classification"}
        What is fitted.
    names : list of str
        The columns' names.
    path : tuple of one, or None
        The strengths of a path (None: the usual ones) from which nothing is chosen.

    Returns
    -------
    (str, bool)
        JSON, and whether folds are needed.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the message names it.
    """
    verbose = params["verbose"]
    if not isinstance(verbose, (bool, np.bool_)):
        whole("verbose", verbose, 0)
    rho = real("rho", params["rho"], 1) or 2.0
    if rho > 2:
        raise ValueError(f"rho: got {params['rho']!r}; give a number > 1 and <= 2")
    chosen = _choice_of(params, path)
    memory = real("memory_limit", params["memory_limit"], 0, optional=True)
    text = json.dumps(
        {
            **chosen,
            "loss": choice("loss", params["loss"], LOSSES[task]),
            "rho": rho,
            "depth_base": real("depth_base", params["depth_base"], 1, 100),
            "bins": _bins(params["n_cuts"], params["cuts"], names),
            "strategy": choice("strategy", params["strategy"], ("newton", "mirror_descent")),
            "tol": real("tol", params["tol"], 0, 1),
            "max_hull": whole("max_hull", params["max_hull"], 1),
            "time_limit": real("time_limit", params["time_limit"], 0, optional=True),
            "memory_limit": None if memory is None else int(memory),
        }
    )
    return text, chosen["select"]["kind"] == "cv"


def _bins(n_cuts: Any, cuts: Any, names: Sequence[str]) -> dict[str, Any]:
    count = whole("n_cuts", n_cuts, 1) or 1
    if isinstance(cuts, str):
        kind = choice("cuts", cuts, ("uniform", "quantiles"))
        return {"kind": kind, "n": count + (kind == "quantiles")}
    if not isinstance(cuts, (list, tuple, np.ndarray)) or len(cuts) != len(names):
        raise TypeError(
            f"cuts: got {cuts!r}; give 'uniform', 'quantiles', or one array of cuts for each of "
            f"{len(names)} columns (None for a categorical one)"
        )
    try:
        return bins_of(list(cuts), names)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("bins:", "cuts:", 1)) from None
