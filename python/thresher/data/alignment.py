"""Arrays that come with X: as NumPy, and whether their labels are in the order of its rows."""

from __future__ import annotations

import sys
from typing import Any

import narwhals as nw
import numpy as np

from ..fit_warnings import warn
from .event_tables import EventSequences
from .masked_arrays import fill_masked


def to_array(values: Any) -> Any:
    """Convert what a library of frames or a masked array holds to NumPy; others are returned unchanged.

    Parameters
    ----------
    values : array-like
        An array, a list, or a column or frame of pandas, polars or pyarrow.

    Returns
    -------
    ndarray or object
        The values; masked ones are missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> to_array(pa.array(["no", "yes"])).tolist()
    ['no', 'yes']
    """
    if type(values).__module__.partition(".")[0] == "pyarrow":
        return np.asarray(values)  # its `to_numpy` refuses to copy
    if str(getattr(values, "dtype", "")) in ("Int128", "UInt128"):  # NumPy has no such dtype
        return np.asarray(values.to_list())
    return values.to_numpy() if hasattr(values, "to_numpy") else fill_masked(values)


def warn_if_reordered(X: Any, values: Any, name: str) -> None:
    """Warn if the labels of a pandas object are those of X in another order.

    Rows belong together by position, as everywhere in scikit-learn. Other labels are no sign of a mistake:
    an index is often numbered anew. A permutation test has targets in another order on purpose.

    Parameters
    ----------
    X : object
        The rows; their labels are the index of pandas, or the records of sequences from a table.
    values : object
        The targets or weights.
    name : str
        What they are.

    Warns
    -----
    UserWarning
        If both have labels, without duplicates, that are the same in another order.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     warn_if_reordered(pd.DataFrame({"a": [1, 2]}), pd.Series([2, 1], index=[1, 0]), "y")
    >>> len(found)
    1
    """
    labels = getattr(values, "index", None)
    if not nw.dependencies.is_pandas_index(labels):
        return
    are_sequences = isinstance(X, EventSequences)
    rows = nw.dependencies.get_pandas().Index(X.records) if are_sequences else getattr(X, "index", None)
    if not nw.dependencies.is_pandas_index(rows):
        return
    if len(rows) != len(labels) or rows.equals(labels) or not (rows.is_unique and labels.is_unique):
        return
    if _are_permuted_on_purpose():
        return
    places = rows.get_indexer(labels)
    if (places < 0).any() or (np.diff(places) == 1).all():
        return
    k = int(np.flatnonzero(places != np.arange(len(places)))[0])
    source, noun, remedy = ("index", "row", f"{name}.loc[X.index]")
    if are_sequences:
        source, noun, remedy = ("records", "sequence", f"X.align({name})")
    warn(
        f"{name} has the {source} of X in another order: {noun} {k} is {labels[k]!s} in {name}, {rows[k]!s} "
        f"in X. They are joined by position, as in scikit-learn. If the index of {name} says which belong "
        f"together, give {remedy}; if the order is right, {name}.to_numpy()",
        UserWarning,
    )


def _are_permuted_on_purpose() -> bool:
    """Whether scikit-learn's ``permutation_test_score`` calls; it passes targets with their old labels."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_name == "_permutation_test_score":
            return str(frame.f_globals.get("__name__", "")).startswith("sklearn.")
    return False
