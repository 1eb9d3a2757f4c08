"""Forms of data that are no table: errors that say what to give instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def refuse_other_forms(X: Any) -> None:
    """Raise an error for an object that holds rows, but is no table.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Raises
    ------
    TypeError
        If it is a dict, an iterator, a structured array, or a list of dicts or sets; the message says what to
        give.

    Examples
    --------
    >>> refuse_other_forms([[1.0, 2.0]])
    """
    if isinstance(X, Mapping):
        raise TypeError("X is a dict; give a data frame of its columns, such as pandas.DataFrame(X)")
    if isinstance(X, Iterator):
        raise TypeError(
            f"X is a {type(X).__name__}, which can be read once; give a list of rows, list(X), or an array"
        )
    if getattr(X, "dtype", None) is not None and X.dtype.names is not None:
        raise TypeError(
            "X is a structured array; give a data frame of its fields, such as pandas.DataFrame(X)"
        )
    first = next(iter(X), None) if isinstance(X, (list, tuple)) else None
    if isinstance(first, Mapping):
        raise TypeError("X is a list of dicts; give a data frame of them, such as pandas.DataFrame(X)")
    if isinstance(first, (set, frozenset)):
        raise TypeError(
            "X is a list of sets, and this model reads tables; ItemsetClassifier and ItemsetRegressor read "
            "sets"
        )
