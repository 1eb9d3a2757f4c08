"""Records in a column of lists of pyarrow or polars."""

from __future__ import annotations

from typing import Any


def as_lists(X: Any) -> Any:
    """Return the records of an array of pyarrow or a series of polars as lists, and others as they are.

    Iterating over an array of pyarrow gives scalars, which are equal to no event.

    Parameters
    ----------
    X : object
        What an estimator of records was given.

    Returns
    -------
    object
        A list for an array, a chunked array or a series; otherwise `X`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_lists(pa.array([["home", "cart"], ["help"]]))
    [['home', 'cart'], ['help']]
    """
    library = type(X).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(X, "to_pylist") and not hasattr(X, "column_names"):
        return X.to_pylist()
    return X.to_list() if library == "polars" and hasattr(X, "to_list") else X
