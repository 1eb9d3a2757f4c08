"""Forms of data that are no table: errors that say what to give instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import narwhals as nw

from ..formatting.text import format_names
from .frames import column_names


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


def refuse_names_of_columns(X: Any, values: Any, role: str) -> None:
    """Raise an error for names of columns of a table in memory, in place of the columns.

    Parameters
    ----------
    X : object
        The rows.
    values : object
        The targets or weights.
    role : str
        What they are, such as "y".

    Raises
    ------
    ValueError
        If they are a text, or a list of names of columns that has not the length of `X`.

    Examples
    --------
    >>> refuse_names_of_columns([[1.0], [2.0]], ["a", "b"], "y")
    """
    names = [values] if isinstance(values, str) else values
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return
    if not isinstance(values, str) and hasattr(X, "__len__") and len(names) == len(X):
        return
    known = column_names(X) or []
    if not isinstance(values, str) and not set(names) <= set(known):
        return
    if not known:
        raise ValueError(f"{role} should be a 1d array, got {values!r} instead: give one value for each row")
    if missing := [name for name in names if name not in known]:
        raise ValueError(
            f"{role}: got {values!r}, and X has no column {missing[0]!r}; its columns are "
            f"{format_names(known)}. Give {role} as an array, or as a column of a frame"
        )
    how = f"columns={values!r}" if nw.dependencies.is_pandas_dataframe(X) else repr(values)
    raise ValueError(
        f"{role}: got {values!r}, the name of a column of X. Of a table in memory give the column itself: "
        f"X.drop({how}) as X, and X[{values!r}] as {role}. Names are for tables that are read in batches"
    )
