"""A minimal table of named columns, and helpers for users' data frames."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..formatting.text import did_you_mean, format_names


def repeated(values: Iterable[Any]) -> list[Any]:
    """Return the values that occur more than once.

    Parameters
    ----------
    values : iterable of hashable
        The values.

    Returns
    -------
    list
        Each of them once, in the order of their first places.

    Examples
    --------
    >>> repeated(["b", "a", "b"])
    ['b']
    """
    return [value for value, count in Counter(values).items() if count > 1]


class Columns:
    """A minimal table: named columns of equal length.

    Parameters
    ----------
    names : list of str
        The columns' names.
    values : list of ndarray of shape (n_rows,)
        Numbers, or objects (text, None).
    ordered : collection of str, default=()
        The columns whose categories have an order.

    Raises
    ------
    ValueError
        If lengths differ or two columns share a name.

    Examples
    --------
    >>> Columns(["a", "b"], [np.array([1.0, 2.0]), np.array(["x", "y"], dtype=object)]).n_rows
    2
    """

    def __init__(
        self, names: Sequence[str], values: Sequence[NDArray[Any]], ordered: Collection[str] = ()
    ) -> None:
        if len(names) != len(values) or len({len(column) for column in values}) > 1:
            raise ValueError("there must be one name for each column, and the columns must be equally long")
        if twice := repeated(names):
            raise ValueError(f"two columns share the name {twice[0]!r}; names must differ")
        self.names = list(names)
        self.values = list(values)
        self.ordered = frozenset(ordered)
        self.n_rows = len(values[0]) if values else 0
        self._places = {name: place for place, name in enumerate(names)}

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.n_rows, len(self.names)

    def take(self, rows: NDArray[Any]) -> Columns:
        """Select rows.

        Parameters
        ----------
        rows : ndarray of int or bool
            Positions, or a mask.

        Returns
        -------
        Columns
            The rows in the order given.
        """
        return Columns(self.names, [column[rows] for column in self.values], self.ordered)

    def drop(self, names: Iterable[str]) -> Columns:
        """Remove columns.

        Parameters
        ----------
        names : iterable of str
            The columns' names.

        Returns
        -------
        Columns
            The remaining columns.
        """
        gone = set(names)
        kept = [(n, v) for n, v in zip(self.names, self.values, strict=True) if n not in gone]
        return Columns([n for n, _ in kept], [v for _, v in kept], self.ordered)

    def select(self, names: Sequence[str]) -> Columns:
        """Select columns by name, in the given order.

        Parameters
        ----------
        names : list of str
            The columns' names.

        Returns
        -------
        Columns
            The selected columns.
        """
        return Columns(names, [self[name] for name in names], self.ordered)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return one column's cells."""
        return self.values[self._places[name]]


def as_rows(X: Any) -> Any:
    """Convert a single row (a list, a 1-d array, a row of a pandas frame) to a table of one row.

    Parameters
    ----------
    X : object
        One row, or rows.

    Returns
    -------
    object
        Rows.

    Examples
    --------
    >>> as_rows([1.0, "a"]).shape
    (1, 2)
    """
    if isinstance(X, (list, tuple, np.ndarray)) and np.asarray(X, dtype=object).ndim == 1:
        return np.asarray(X, dtype=object).reshape(1, -1)
    if nw.dependencies.is_pandas_series(X):
        return X.to_frame().T
    return X


def column_names(X: Any) -> list[str] | None:
    """Return the names of the columns of a frame.

    Parameters
    ----------
    X : object
        A table.

    Returns
    -------
    list of str or None
        The names as texts; None for arrays, records, and frames whose columns are numbered from 0.

    Examples
    --------
    >>> column_names(Columns(["a"], [np.zeros(2)])), column_names(np.zeros((2, 1)))
    (['a'], None)
    """
    if isinstance(X, Columns):
        return X.names
    if not nw.dependencies.is_into_dataframe(X):
        return None
    return text_names(nw.from_native(X, eager_only=True).columns)


def refuse_duplicate_names(X: Any) -> None:
    """Raise an error if columns of a frame share a name.

    Parameters
    ----------
    X : object
        A frame, or another object with the attribute ``columns``.

    Raises
    ------
    ValueError
        If two columns have the same name.

    Examples
    --------
    >>> refuse_duplicate_names(np.zeros((2, 2)))
    """
    if several := repeated(names_of(X)):
        raise ValueError(
            f"X has more than one column named {format_names(several)}; names must differ: rename the "
            "columns, or drop all but one of them"
        )


def names_of(X: Any) -> list[Any]:
    """Return the names of the columns of a frame.

    Parameters
    ----------
    X : object
        A frame, or another object.

    Returns
    -------
    list
        The names; empty for another object.
    """
    try:
        return list(getattr(X, "column_names", getattr(X, "columns", ())))
    except TypeError:  # not a frame
        return []


def text_names(given: Sequence[Any]) -> list[str] | None:
    """Return the names of columns as texts.

    Parameters
    ----------
    given : sequence
        The names as the frame has them. Parts of a name of several levels are joined by ``_``.

    Returns
    -------
    list of str or None
        The names; None if they are the numbers from 0, as in a frame without names.

    Raises
    ------
    TypeError
        If some are text and others are not.
    ValueError
        If two have the same text.

    Examples
    --------
    >>> text_names([2019, 2020]), text_names([("age", "min"), ("age", "max")]), text_names([0, 1])
    (['2019', '2020'], ['age_min', 'age_max'], None)
    """
    texts = [isinstance(name, str) for name in given]
    if all(texts):
        return list(given)
    if any(texts):
        raise TypeError("X has column names that are text and others that are not; make them all text")
    if list(given) == list(range(len(given))):
        return None
    names = ["_".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in given]
    if twice := repeated(names):
        raise ValueError(f"X has several columns whose names are {twice[0]!r} as text; rename all but one")
    return names


def with_text_names(X: Any) -> Any:
    """Return a frame of pandas whose columns have names that are no texts with the texts of these names.

    Parameters
    ----------
    X : object
        A table.

    Returns
    -------
    object
        The frame, which shares its cells with `X`; `X` itself if it has texts or numbers from 0 as names.

    Examples
    --------
    >>> import pandas as pd
    >>> list(with_text_names(pd.DataFrame({2019: [1.0], 2020: [2.0]})).columns)
    ['2019', '2020']
    """
    if not nw.dependencies.is_pandas_dataframe(X):
        return X
    names = text_names(given := names_of(X))
    return X if names is None or names == given else X.set_axis(names, axis=1)


def named_column(X: Any, given: Any, role: str) -> Any:
    """Return what is given for each row: a column of the frame where it is the name of one.

    Parameters
    ----------
    X : object
        A table.
    given : object
        Values, None, or the name of a column.
    role : str
        What the values are, for messages.

    Returns
    -------
    object
        The column, or `given` itself where that is no text.

    Raises
    ------
    ValueError
        If there is no such column.

    Examples
    --------
    >>> frame = Columns(["a", "late"], [np.zeros(2), np.array([0, 1])])
    >>> named_column(frame, "late", "y").tolist(), named_column(frame, [1, 2], "y")
    ([0, 1], [1, 2])
    """
    if not isinstance(given, str):
        return given
    listed = column_names(X)
    if listed is None:
        raise ValueError(f"{role}: got {given!r}, and X has no names of columns; give one value for each row")
    if given not in listed:
        meant = did_you_mean(given, listed)
        raise ValueError(
            f"{role}: there is no column {given!r}{meant} in X, whose columns are {format_names(listed)}; "
            "name one of them, or give one value for each row"
        )
    return with_text_names(X)[given]


def select_known(X: Any, names: Sequence[str]) -> Any:
    """Select columns of a frame by name, in the order of the names; a frame may lack some and have others.

    Parameters
    ----------
    X : object
        A table.
    names : sequence of str
        The names.

    Returns
    -------
    object
        The frame with those of the columns that it has; arrays, frames with none of them, and frames with two
        columns of one name or without names are returned unchanged.

    Examples
    --------
    >>> frame = Columns(["b", "c", "a"], [np.zeros(2)] * 3)
    >>> select_known(frame, ["a", "b", "d"]).names
    ['a', 'b']
    """
    if nw.dependencies.is_pandas_dataframe(X) and not X.columns.is_unique:
        return X
    found = column_names(X)
    if found is None or found == list(names):
        return X
    kept = [name for name in names if name in set(found)]
    if isinstance(X, Columns):
        return X.select(kept) if kept else X
    if not kept:
        return X
    return nw.from_native(with_text_names(X), eager_only=True).select(kept).to_native()


def as_frame(columns: Mapping[str, Sequence[Any]], otherwise: Any) -> Any:
    """Create a data frame with pandas or polars.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns.
    otherwise : object
        The result if neither is installed.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or object
        A pandas frame if pandas is installed, else polars, else `otherwise`.

    Examples
    --------
    >>> as_frame({"a": [1, 2]}, None).shape
    (2, 1)
    """
    for library in ("pandas", "polars"):
        try:
            return importlib.import_module(library).DataFrame(dict(columns))
        except ImportError:
            continue
    return otherwise
