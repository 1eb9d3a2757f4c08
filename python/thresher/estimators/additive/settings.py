"""The additive estimators' parameters, checked once and put into the core's words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..checks import bins_of, bytes_of, choice, monotone_of, real, whole
from ..subset.checks import choice_of, path_of

LOSSES = {"regression": ("squared",), "classification": ("logistic", "exponential")}


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
        The prices of a path (None: automatic) from which nothing is chosen.

    Returns
    -------
    (str, bool)
        JSON, and whether folds are needed.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the message names it.
    """
    if params["lambda0"] is None:
        raise ValueError(
            "lambda0: got None; give 'cv', a number > 0 (the price of a step), or a list of them"
        )
    verbose = params["verbose"]
    if not isinstance(verbose, bool):
        whole("verbose", verbose, 0)
    loss = choice("loss", params["loss"], LOSSES[task]) if task == "classification" else "squared"
    choose = choice_of(params) if path is None else path_of(params, path[0])
    text = json.dumps(
        {
            **choose,
            "loss": loss,
            "bins": _bins(params["max_thresholds"], names),
            "monotone": monotone_of(params["monotonic_cst"], names),
            "max_steps": whole("max_steps", params["max_steps"], 0, optional=True),
            "max_columns": whole("max_columns", params["max_columns"], 0, optional=True),
            "min_bin_weight": real("min_bin_weight", params["min_bin_weight"], 0, closed=True),
            "ridge": real("ridge", params["ridge"], 0, closed=True),
            "max_swaps": whole("max_swaps", params["max_swaps"], 0, optional=True),
            "time_limit": real("time_limit", params["time_limit"], 0, optional=True),
            "memory_limit": bytes_of(params["memory_limit"]),
        }
    )
    return text, choose["select"]["kind"] == "cv"


def _bins(value: Any, names: Sequence[str]) -> dict[str, Any]:
    allowed = "give a number of thresholds a column >= 1, one array of cuts a column, or None for all"
    if value is None:
        return {"kind": "midpoints"}
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"max_thresholds: got {value!r}; {allowed}")
    if hasattr(value, "__len__"):
        try:
            return bins_of(value, names)
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("bins:", "max_thresholds:", 1)) from None
    return {"kind": "quantiles", "n": (whole("max_thresholds", value, 1) or 1) + 1}
