"""Batches of a table: record batches of Arrow, and data frames."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from .frames import names_of, refuse_duplicate_names, text_names


def is_batch(X: Any) -> bool:
    """Return whether an object is a record batch of Arrow or a data frame.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> is_batch([[1.0, 2.0]])
    False
    """
    return is_record_batch(X) or nw.dependencies.is_into_dataframe(X)


def is_record_batch(X: Any) -> bool:
    """Return whether an object is a record batch of Arrow.

    Parameters
    ----------
    X : object
        What an estimator was given.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> is_record_batch([[1.0, 2.0]])
    False
    """
    return type(X).__name__ == "RecordBatch" and type(X).__module__.startswith("pyarrow")


def as_frame(batch: Any) -> nw.DataFrame[Any]:
    """Convert a batch to a data frame.

    Parameters
    ----------
    batch : pyarrow.RecordBatch or data frame
        The batch.

    Returns
    -------
    narwhals.DataFrame
        The same cells; columns that are numbered have the names ``x0, x1, ...``.

    Raises
    ------
    TypeError
        If it is neither, or some names are text and others are not.
    ValueError
        If two columns share a name.
    """
    if is_record_batch(batch):
        import pyarrow as pa

        batch = pa.Table.from_batches([batch])
    if not nw.dependencies.is_into_dataframe(batch):
        raise TypeError(f"a batch is a {type(batch).__name__}; give record batches of Arrow, or data frames")
    refuse_duplicate_names(batch)
    given = names_of(batch)
    names = text_names(given) or [f"x{place}" for place in range(len(given))]
    return nw.from_native(batch if names == given else batch.set_axis(names, axis=1), eager_only=True)
