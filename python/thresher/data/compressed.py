"""Sparse matrices as the core takes them: by columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from .budget import Budget, running_budget
from .schema import Schema


@dataclass(frozen=True)
class Compressed:
    """A sparse matrix in compressed column form.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    starts : ndarray of shape (n_columns + 1,)
        Offsets of the columns in `rows` and `values`.
    rows : ndarray of shape (n_entries,)
        Row numbers, ascending within each column.
    values : ndarray of shape (n_entries,)
        The values.
    """

    n_rows: int
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: NDArray[np.float64]
    feature_names: ClassVar[None] = None

    @property
    def names(self) -> list[str]:
        """A name for each column: ``x0, x1, ...``."""
        return [f"x{j}" for j in range(self.starts.size - 1)]


def compress(X: Any, budget: Budget | None = None, bytes_of_an_entry: int = 0) -> Compressed:
    """Check a sparse matrix.

    Parameters
    ----------
    X : sparse matrix of shape (n_rows, n_features)
        Numbers.
    budget : Budget, optional
        What the fit may take; by default there is no limit.
    bytes_of_an_entry : int, default=0
        The least memory that the fit takes for each entry.

    Returns
    -------
    Compressed
        The matrix, with duplicates added.

    Raises
    ------
    ValueError
        If it is empty or complex, or has a value that is not finite.
    MemoryError, TimeoutError
        If the matrix does not fit into the limits.

    Examples
    --------
    >>> from scipy import sparse
    >>> compress(sparse.csr_matrix([[0.0, 2.0], [1.0, 0.0]])).rows.tolist()
    [1, 0]
    """
    budget = budget or running_budget()
    if X.ndim == 2:
        what = f"a fit of {X.shape[0]} rows and {X.shape[1]} columns with {X.nnz} entries"
        budget.require(X.nnz * bytes_of_an_entry, what)
        budget.hold(X.nnz * _BYTES_OF_AN_ENTRY + X.shape[1] * _BYTES_OF_A_COLUMN, what)
    checked = check_array(X, accept_sparse="csc", dtype=np.float64, accept_large_sparse=True)
    if not checked.has_canonical_format:
        checked = checked.copy() if np.shares_memory(checked.data, getattr(X, "data", ())) else checked
        checked.sum_duplicates()
    budget.check_time("after the sparse matrix had been read")
    n_rows, starts = int(checked.shape[0]), checked.indptr.astype(np.int64)
    return Compressed(n_rows, starts, checked.indices.astype(np.int32, copy=False), checked.data)


_BYTES_OF_AN_ENTRY = 12  # the row number and the value
_BYTES_OF_A_COLUMN = 72  # its start and its name


def compress_like(X: Any, schema: Schema, owner: str) -> Compressed:
    """Check a sparse matrix whose columns are those of the training table.

    Parameters
    ----------
    X : sparse matrix of shape (n_rows, n_features)
        Numbers.
    schema : Schema
        The schema of the training table.
    owner : str
        The estimator's class name, for messages.

    Returns
    -------
    Compressed
        The matrix, with duplicates added.

    Raises
    ------
    TypeError
        If a column of training holds categories.
    ValueError
        If the number of columns differs, or as in :func:`compress`.
    """
    categories = next((n for n, levels in zip(schema.names, schema.levels, strict=True) if levels), None)
    if categories is not None:
        raise TypeError(f"X is sparse, but column {categories!r} holds categories; give a frame as in fit")
    if X.ndim == 2 and X.shape[1] != len(schema.names):
        raise ValueError(
            f"X has {X.shape[1]} features, but {owner} is expecting {len(schema.names)} features as input."
        )
    return compress(X)
