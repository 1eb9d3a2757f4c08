"""Outputs that a time limit left without a term."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from .. import fit_warnings
from ..formatting.text import format_names

_TERMS = ("terms", "linear", "coef", "shapes")
"""Where the points of a document have what depends on the columns, for all families."""


def warn_of_constant_outputs(estimator: Any) -> None:
    """Warn if the time of some of several outputs was over before they had a term.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.

    Warns
    -----
    ConvergenceWarning
        If there are such outputs; it names them.
    """
    found = estimator._fitted
    points = zip(found.output_names(), found.points(estimator._path_index), strict=True)
    late = [name for name, point in points if not point["complete"] and not has_terms(point)]
    n_outputs = len(found.outputs)
    if estimator.time_limit is None or n_outputs == 1 or not late:
        return
    noun = "targets" if found.classes is None else "classes"
    fit_warnings.warn(
        f"time_limit: the time of {len(late)} of {n_outputs} {noun} was over before they had a term "
        f"({format_names(late)}); they are constants. Give more time, or make the problem smaller",
        ConvergenceWarning,
    )


def has_terms(point: Mapping[str, Any]) -> bool:
    """Return whether a point of a path has something that depends on the columns.

    Parameters
    ----------
    point : mapping
        The point, as in the document.

    Returns
    -------
    bool
        False for a constant.

    Examples
    --------
    >>> has_terms({"intercept": 1.0, "terms": [], "linear": []})
    False
    """
    return any(point.get(part) for part in _TERMS) or any(point.get("factors", ()))
