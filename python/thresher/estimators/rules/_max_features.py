"""The most conditions of a rule: given, or chosen by the folds of the strengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LONGEST = 3  # the most that are compared: searches of four take too long


def limit_of(max_features: int | str | None, penalty: str = "l1") -> dict[str, Any]:
    """Return the limit, and whether the folds choose it, for the core.

    Best subsets are not chosen among fewer conditions: of few rules long ones say more.

    Parameters
    ----------
    max_features : int, str or None
        The parameter of the estimator.
    penalty : {"l1", "l0"}, default="l1"
        The penalty of the fit.

    Returns
    -------
    dict
        Two parameters of the core.

    Examples
    --------
    >>> limit_of("auto")
    {'max_features': 3, 'choose_max_features': True}
    """
    is_open = max_features == "auto"
    is_chosen = is_open and penalty == "l1"
    return {"max_features": _LONGEST if is_open else max_features, "choose_max_features": is_chosen}


def most_features(document: Mapping[str, Any], max_features: int | str | None) -> int | None:
    """Return the limit that a model was fitted with.

    Parameters
    ----------
    document : mapping
        The model; early files do not say it.
    max_features : int, str or None
        The parameter of the estimator.

    Returns
    -------
    int or None
        The limit; None: there is none.
    """
    found: int | None = (document["language"] or limit_of(max_features))["max_features"]
    return found
