"""The parameters that all best-subset estimators share, checked and in the core's words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ...data.inputs import column_position
from ..checks import bytes_of, flag, real, whole

_LAMBDA0 = "give 'cv', a number >= 0 (the price of a coefficient), a list of them, or None with max_nonzero"


def penalties(name: str, value: Any) -> list[float]:
    """Check one penalty or several.

    Parameters
    ----------
    name : str
        The parameter.
    value : number or array-like of numbers
        The penalties.

    Returns
    -------
    list of float
        The penalties as given.

    Raises
    ------
    TypeError
        If they are no numbers.
    ValueError
        If there is none, or one is negative or not finite.

    Examples
    --------
    >>> penalties("lambda2", [1, 0.1])
    [1.0, 0.1]
    """
    if isinstance(value, (str, bytes, bool, Mapping)) or value is None:
        raise TypeError(f"{name}: got {value!r}; give a number >= 0, or a list of them")
    try:
        values = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise TypeError(f"{name}: got {value!r}; give a number >= 0, or a list of them") from None
    if not values.size or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"{name}: got {value!r}; give one or more finite numbers >= 0")
    return [float(v) for v in values]


def choice_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """Check how a fit chooses its penalties.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.

    Returns
    -------
    dict
        ``lambda0``, ``lambda2`` and ``select`` in the core's words.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.
    """
    lambda0, lambda2 = params["lambda0"], penalties("lambda2", params["lambda2"])
    several = len(lambda2) > 1
    if lambda0 is None:
        if several:
            raise ValueError(
                "lambda2: got several values; without lambda0 nothing chooses among them: give one"
            )
        grid: dict[str, Any] = {"kind": "cardinality"}
    elif isinstance(lambda0, str):
        if lambda0 != "cv":
            raise ValueError(f"lambda0: got {lambda0!r}; {_LAMBDA0}")
        grid, several = {"kind": "auto"}, True
    else:
        values = penalties("lambda0", lambda0)
        grid, several = {"kind": "values", "values": values}, several or len(values) > 1
    one_se = flag("one_standard_error", params["one_standard_error"])
    select = {"kind": "cv", "one_standard_error": one_se} if several else {"kind": "last"}
    return {"lambda0": grid, "lambda2": lambda2, "select": select}


def path_of(params: Mapping[str, Any], lambda0: Any) -> dict[str, Any]:
    """Check the penalties of a path from which nothing is chosen.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.
    lambda0 : array-like of numbers, or None
        The path's penalties; None for those of the parameter `lambda0` where it is a list,
        else for an automatic path (of cardinalities where the parameter is None).

    Returns
    -------
    dict
        ``lambda0``, ``lambda2`` and ``select`` in the core's words.

    Raises
    ------
    TypeError, ValueError
        If a penalty is not allowed.
    """
    own = params["lambda0"]
    if lambda0 is None and not (own is None or isinstance(own, (str, Real))):
        lambda0 = own
    if lambda0 is not None:
        grid: dict[str, Any] = {"kind": "values", "values": penalties("lambda0", lambda0)}
    else:
        grid = {"kind": "cardinality" if own is None else "auto"}
    return {"lambda0": grid, "lambda2": penalties("lambda2", params["lambda2"]), "select": {"kind": "last"}}


def limits(params: Mapping[str, Any]) -> dict[str, Any]:
    """Check what bounds a search.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.

    Returns
    -------
    dict
        ``max_swaps``, ``n_candidates``, ``time_limit`` and ``memory_limit``.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.
    """
    verbose = params["verbose"]
    if not isinstance(verbose, (bool, np.bool_)):
        whole("verbose", verbose, 0)
    return {
        "max_swaps": whole("max_swaps", params["max_swaps"], 0, optional=True),
        "n_candidates": whole("n_candidates", params["n_candidates"], 1, optional=True),
        "time_limit": real("time_limit", params["time_limit"], 0, optional=True),
        "memory_limit": bytes_of(params["memory_limit"]),
    }


def bounds_of(bounds: Any, names: Sequence[str]) -> list[list[float | None]] | None:
    """Check the bounds of coefficients.

    Parameters
    ----------
    bounds : pair, sequence of pairs, dict of column: pair, or None
        Lower and upper bound, None or infinite for none.
    names : list of str
        The columns' names.

    Returns
    -------
    list of [lower, upper] or None
        One for each column.

    Raises
    ------
    TypeError, ValueError
        If a bound is no number, 0 is not within, or a column is not there.

    Examples
    --------
    >>> bounds_of((0, None), ["a", "b"])
    [[0.0, None], [0.0, None]]
    >>> bounds_of({"b": (-1, 1)}, ["a", "b"])
    [[None, None], [-1.0, 1.0]]
    """
    if bounds is None:
        return None
    if isinstance(bounds, Mapping):
        pairs: list[list[float | None]] = [[None, None] for _ in names]
        for column, pair in bounds.items():
            pairs[column_position(column, names, "bounds")] = _interval(pair, f"column {column!r}")
        return pairs
    if isinstance(bounds, (tuple, list)) and len(bounds) == 2 and not any(map(_is_pair, bounds)):
        return [_interval(bounds, "all columns") for _ in names]
    try:
        given = list(bounds)
    except TypeError:
        raise TypeError(_bounds_message(bounds, "all columns")) from None
    if len(given) != len(names):
        raise ValueError(f"bounds: got {len(given)} pairs, X has {len(names)} columns")
    return [_interval(pair, f"column {name!r}") for pair, name in zip(given, names, strict=True)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list, np.ndarray))


def _bounds_message(got: Any, where: str) -> str:
    return f"bounds: got {got!r} for {where}; give (lower, upper) with lower <= 0 <= upper, None for no bound"


def _interval(pair: Any, where: str) -> list[float | None]:
    if not _is_pair(pair) or len(pair) != 2:
        raise TypeError(_bounds_message(pair, where))
    ends: list[float | None] = []
    for end, free in zip(pair, (-math.inf, math.inf), strict=True):
        if end is not None and (isinstance(end, (bool, str)) or not isinstance(end, Real)):
            raise TypeError(_bounds_message(pair, where))
        number = free if end is None else float(end)
        if math.isnan(number) or number * math.copysign(1.0, free) < 0:
            raise ValueError(_bounds_message(pair, where))
        ends.append(None if number == free else number)
    return ends
