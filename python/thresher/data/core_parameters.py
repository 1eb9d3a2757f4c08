"""The parameters of a fit by the names of the core, until they go to it as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

MOST_BYTES = 2**64 - 1
"""The largest memory limit of the core, which counts bytes in 64 bits: as good as none."""


def options_of(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return those of the solver: of patterns they are apart from those of the language.

    Parameters
    ----------
    parameters : dict
        The parameters of a fit.

    Returns
    -------
    dict
        Those of the solver, not copied.

    Examples
    --------
    >>> options_of({"fit": {"tol": 1e-6}, "language": {"max_items": 3}})
    {'tol': 1e-06}
    >>> options_of({"tol": 1e-6, "bins": 5})
    {'tol': 1e-06, 'bins': 5}
    """
    options: dict[str, Any] = parameters.get("fit", parameters)
    return options


def with_options(parameters: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the parameters with some of those of the solver changed.

    Parameters
    ----------
    parameters : dict
        The parameters of a fit.
    **changes : object
        Those that change.

    Returns
    -------
    dict
        A copy.

    Examples
    --------
    >>> with_options({"fit": {"tol": 1e-6}, "language": {}}, tol=0.1)
    {'fit': {'tol': 0.1}, 'language': {}}
    """
    options = {**options_of(parameters), **changes}
    return {**parameters, "fit": options} if "fit" in parameters else options


def to_json(parameters: dict[str, Any]) -> str:
    """Serialise parameters, numbers of NumPy too; an infinite time is no limit, bytes are whole.

    Parameters
    ----------
    parameters : dict
        The parameters of a fit.

    Returns
    -------
    str
        JSON.

    Examples
    --------
    >>> to_json({"time_limit": math.inf, "memory_limit": 1e6})
    '{"time_limit": null, "memory_limit": 1000000}'
    """
    options = options_of(parameters)
    limits: dict[str, Any] = {}
    if options.get("memory_limit") is not None:
        limits["memory_limit"] = int(min(options["memory_limit"], MOST_BYTES))
    if options.get("time_limit") == math.inf:
        limits["time_limit"] = None
    return json.dumps(with_options(parameters, **limits), default=lambda value: value.item())
