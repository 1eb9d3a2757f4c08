"""The estimators' parameters, checked once and put into the core's words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..data.inputs import column_position
from ..threads import is_whole
from ._parameters import LOSSES, loss_of

STRATEGIES = ("working_set", "screening", "column_generation")


def _refuse(name: str, value: object, allowed: str) -> str:
    return f"{name}: got {value!r}; {allowed}"


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def whole(name: str, value: Any, least: int, *, optional: bool = False) -> int | None:
    """Check a whole number.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What was given.
    least : int
        The smallest value allowed.
    optional : bool, default=False
        Whether None is allowed.

    Returns
    -------
    int or None
        The number.

    Raises
    ------
    TypeError
        If it is no whole number.
    ValueError
        If it is too small.
    """
    if value is None and optional:
        return None
    allowed = f"give a whole number >= {least}" + (", or None" if optional else "")
    if not is_whole(value):
        raise TypeError(_refuse(name, value, allowed))
    if value < least:
        raise ValueError(_refuse(name, value, allowed))
    return int(value)


def real(
    name: str, value: Any, low: float, high: float = math.inf, *, closed: bool = False, optional: bool = False
) -> float | None:
    """Check a real number.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What was given.
    low, high : float
        The bounds; `high` is excluded.
    closed : bool, default=False
        Whether `low` is allowed.
    optional : bool, default=False
        Whether None is allowed.

    Returns
    -------
    float or None
        The number.

    Raises
    ------
    TypeError
        If it is no number.
    ValueError
        If it is out of bounds or not finite.
    """
    if value is None and optional:
        return None
    allowed = f"give a number {'>=' if closed else '>'} {low:g}" + (
        "" if math.isinf(high) else f" and < {high:g}"
    )
    if not _is_number(value):
        raise TypeError(_refuse(name, value, allowed + (", or None" if optional else "")))
    number = float(value)
    if not math.isfinite(number) or number < low or number >= high or (number == low and not closed):
        raise ValueError(_refuse(name, value, allowed))
    return number


def flag(name: str, value: Any) -> bool:
    """Check a truth value.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What was given.

    Returns
    -------
    bool
        The value.

    Raises
    ------
    TypeError
        If it is neither True nor False.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(_refuse(name, value, "give True or False"))
    return bool(value)


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Check one of a few words.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What was given.
    allowed : sequence of str
        The words.

    Returns
    -------
    str
        The word.

    Raises
    ------
    TypeError
        If it is no text.
    ValueError
        If it is another word.
    """
    words = "give " + " or ".join(repr(word) for word in allowed)
    if not isinstance(value, str):
        raise TypeError(_refuse(name, value, words))
    if value not in allowed:
        raise ValueError(_refuse(name, value, words))
    return value


def _alpha(params: Mapping[str, Any]) -> dict[str, Any]:
    value = params["alpha"]
    allowed = "give 'cv', 'bic', 'ebic' or a number > 0 (the penalty's strength)"
    if isinstance(value, str):
        if value == "cv":
            one_se = flag("one_standard_error", params["one_standard_error"])
            return {"kind": "cv", "one_standard_error": one_se}
        if value in ("bic", "ebic"):
            return {"kind": value}
        raise ValueError(_refuse("alpha", value, allowed))
    if not _is_number(value):
        raise TypeError(_refuse("alpha", value, allowed))
    if not math.isfinite(value) or value <= 0:
        raise ValueError(_refuse("alpha", value, allowed))
    return {"kind": "value", "value": float(value)}


def path_alphas(alphas: Any) -> dict[str, Any]:
    """Check the strengths of a path.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,) or None
        The strengths; None leaves the grid to ``n_alphas`` and ``alpha_min_ratio``.

    Returns
    -------
    dict
        The core's words: decreasing, without repetition.

    Raises
    ------
    ValueError
        If one of them is not finite or not > 0.
    """
    if alphas is None:
        return {"kind": "path", "alphas": None}
    values = np.asarray(alphas, dtype=np.float64).ravel()
    if not values.size or not np.isfinite(values).all() or (values <= 0).any():
        raise ValueError(_refuse("alphas", alphas, "give one or more finite numbers > 0"))
    return {"kind": "path", "alphas": sorted(set(values.tolist()), reverse=True)}


def bins_of(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Check how numeric columns are cut.

    Parameters
    ----------
    value : str, int, tuple, list of arrays or None
        As the rule estimators' `bins`.
    names : list of str
        The columns' names.

    Returns
    -------
    dict
        In the core's words.

    Raises
    ------
    TypeError, ValueError
        If it is none of these.
    """
    allowed = (
        "give 'auto', a number of quantile bins >= 2, 'supervised', ('intervals', delta), "
        "one array of cuts for each column, or None for every midpoint"
    )
    if value is None:
        return {"kind": "midpoints"}
    if isinstance(value, str):
        if value not in ("auto", "supervised"):
            raise ValueError(_refuse("bins", value, allowed))
        return {"kind": value}
    if is_whole(value):
        if value < 2:
            raise ValueError(_refuse("bins", value, "too few bins: give at least 2"))
        return {"kind": "quantiles", "n": int(value)}
    if isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[0], str):
        if value[0] != "intervals":
            raise ValueError(_refuse("bins", value, allowed))
        return {"kind": "intervals", "delta": real("bins ('intervals', delta)", value[1], 0, closed=True)}
    if isinstance(value, (list, tuple, np.ndarray)):
        return {"kind": "given", "cuts": _given_cuts(value, names)}
    raise TypeError(_refuse("bins", value, allowed))


def _given_cuts(value: Any, names: Sequence[str]) -> list[list[float] | None]:
    if len(value) != len(names):
        raise ValueError(
            f"bins: got cuts for {len(value)} columns, X has {len(names)}; use None for a categorical one"
        )
    cuts: list[list[float] | None] = []
    for name, given in zip(names, value, strict=True):
        if given is None:
            cuts.append(None)
            continue
        try:
            column = np.asarray(given, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise TypeError(f"bins: the cuts of column '{name}' are no numbers: {given!r}") from None
        if not np.isfinite(column).all():
            raise ValueError(f"bins: the cuts of column '{name}' must be finite; got {column.tolist()}")
        falling = np.flatnonzero(np.diff(column) <= 0)
        if falling.size:
            at = int(falling[0])
            raise ValueError(
                f"bins: the cuts of column '{name}' must be sorted and differ; "
                f"got {column[at]:g} before {column[at + 1]:g}"
            )
        cuts.append(column.tolist())
    return cuts


def monotone_of(value: Any, names: Sequence[str]) -> list[int] | None:
    """Check directions.

    Parameters
    ----------
    value : array of -1, 0, 1, dict of name: direction, or None
        The directions.
    names : list of str
        The columns' names.

    Returns
    -------
    list of int or None
        One for each column; None where all are free.

    Raises
    ------
    ValueError
        If a direction is another number, or a column is not there.
    """
    if value is None:
        return None
    directions = [0] * len(names)
    if isinstance(value, Mapping):
        entries = [(column_position(key, names, "monotonic_cst"), sign) for key, sign in value.items()]
    else:
        given = np.asarray(value, dtype=object).ravel().tolist()
        if len(given) != len(names):
            raise ValueError(f"monotonic_cst: got {len(given)} directions, X has {len(names)} columns")
        entries = list(enumerate(given))
    for position, sign in entries:
        if isinstance(sign, str) or sign not in (-1, 0, 1):
            raise ValueError(
                f"monotonic_cst: got {sign!r} for column '{names[position]}'; "
                "give 1 (rising), -1 (falling) or 0 (free)"
            )
        directions[position] = int(sign)
    return directions if any(directions) else None


def fit_options(
    params: Mapping[str, Any], task: str, alpha: Mapping[str, Any] | None, most: str
) -> dict[str, Any]:
    """Check what every estimator with a path has and write it for the core.

    Parameters
    ----------
    params : mapping
        The estimator's parameters by their public names.
    task : {"regression", "classification"}
        What is fitted.
    alpha : mapping or None
        The choice of strength where it is not the parameter's (a path).
    most : str
        The public name of the limit on the number of terms.

    Returns
    -------
    dict
        In the core's words; the limit is called ``max_terms``.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the message names it.
    """
    if not isinstance(params["verbose"], (bool, np.bool_)):
        whole("verbose", params["verbose"], 0)
    return {
        "task": task,
        "loss": loss_of(params["loss"], LOSSES[task]),
        "alpha": dict(alpha) if alpha is not None else _alpha(params),
        "n_alphas": whole("n_alphas", params["n_alphas"], 1),
        "alpha_min_ratio": real("alpha_min_ratio", params["alpha_min_ratio"], 0, 1),
        "max_terms": whole(most, params[most], 1, optional=True),
        "closed": flag("closed", params["closed"]),
        "penalty_growth": real("penalty_growth", params["penalty_growth"], 0, closed=True),
        "strategy": choice("strategy", params["strategy"], STRATEGIES),
        "tol": real("tol", params["tol"], 0, 1),
        "max_iter": whole("max_iter", params["max_iter"], 1),
        "time_limit": real("time_limit", params["time_limit"], 0, optional=True),
        "memory_limit": bytes_of(params["memory_limit"]),
    }


def bytes_of(value: Any) -> int | None:
    """Check a limit on memory.

    Parameters
    ----------
    value : float or None
        Bytes, > 0.

    Returns
    -------
    int or None
        Whole bytes.

    Raises
    ------
    TypeError, ValueError
        If it is no number > 0.
    """
    number = real("memory_limit", value, 0, optional=True)
    return None if number is None else int(number)
