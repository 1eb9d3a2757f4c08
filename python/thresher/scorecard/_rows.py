"""Rows that a card reads, also where there are none."""

from __future__ import annotations

from typing import Any

from ..data.inputs import Table, read_no_rows


def rows_as_given(model: Any, X: Any) -> Table:
    """Read rows as a model does, whose categories may be unknown; a batch may be empty.

    Parameters
    ----------
    model : estimator
        The fitted model.
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows, with the columns of training.

    Returns
    -------
    Table
        The rows.

    Raises
    ------
    TypeError, ValueError
        If they cannot be read.
    """
    if not has_no_rows(X):
        return model._table_as_given(X)  # type: ignore[no-any-return]
    return read_no_rows(X, model._fitted.schema, type(model).__name__, model._used_columns)


def has_no_rows(X: Any) -> bool:
    """Return whether a table has no rows.

    Parameters
    ----------
    X : object
        The table.

    Returns
    -------
    bool
        Whether it is one, and is empty.

    Examples
    --------
    >>> has_no_rows([]), has_no_rows([[1.0]])
    (True, False)
    """
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return bool(shape[0] == 0)
    return isinstance(X, (list, tuple)) and not X
