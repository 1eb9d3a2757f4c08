"""Encoded records of a pattern family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native


@dataclass(frozen=True)
class PackedRecords:
    """Encoded records with their vocabulary.

    Parameters
    ----------
    records : thresher._native.Records
        Packed for the core.
    vocabulary : object
        The labels of the numbers, with which the family reads new records.
    n_rows : int
        The number of records.
    is_matrix : bool, default=False
        Whether the records are the rows of a matrix, whose columns are then fixed.
    feature_names : ndarray or None, default=None
        The user's names of the matrix's columns.
    invalid : mapping of int to object, default={}
        The positions of given records that were left out, and what they hold.
    """

    records: _native.Records
    vocabulary: Any
    n_rows: int
    is_matrix: bool = False
    feature_names: NDArray[np.object_] | None = None
    invalid: Mapping[int, Any] = field(default_factory=dict)


def require_records(n_records: int, noun: str = "records") -> None:
    """Raise an error if there is nothing to learn from, in the words of scikit-learn.

    Parameters
    ----------
    n_records : int
        The number of records.
    noun : str, default="records"
        What they are.

    Raises
    ------
    ValueError
        If there are none.

    Examples
    --------
    >>> require_records(3)
    """
    if not n_records:
        raise ValueError(f"Found array with 0 sample(s) while a minimum of 1 is required: X has no {noun}")
