"""The most conditions of a rule: given, or chosen by the folds of the strengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LONGEST = 3  # the most that are compared: searches of four take too long


def limit_of(max_features: int | str | None) -> dict[str, Any]:
    """Return the limit, and whether the folds choose it, for the core.

    Parameters
    ----------
    max_features : int, str or None
        The parameter of the estimator.

    Returns
    -------
    dict
        Two parameters of the core.

    Examples
    --------
    >>> limit_of("auto")
    {'max_features': 3, 'choose_max_features': True}
    """
    is_chosen = max_features == "auto"
    return {"max_features": _LONGEST if is_chosen else max_features, "choose_max_features": is_chosen}


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
