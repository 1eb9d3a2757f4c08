"""Fitted models as code: functions that the base class has as methods."""

from __future__ import annotations

from typing import Any


def to_javascript(self: Any) -> str:
    """Write the model as one JavaScript function, without dependencies.

    ``score(row)`` takes an object with the value of each column that the model uses, by name; null and NaN
    are missing. It returns an object with ``decision`` (a number, or an array of those of several outputs),
    ``prediction``, and ``probabilities`` (an array in the order of ``score.classes``) where
    the model has probabilities. Where ``predict`` raises an error, for example for an unknown category with
    ``handle_unknown="error"``, it throws an ``Error``. For item-sets a row is an array or a Set of items, or
    an object of flags.

    Returns
    -------
    str
        A script that defines ``score``, and exports it where there are modules.

    Raises
    ------
    TypeError
        If it is a model of sequences or graphs.
    ValueError
        If two columns that the model uses share a name.
    """
    from ..export.build import formula_of
    from ..export.javascript import javascript_of

    return javascript_of(formula_of(self))
