"""Records of a pattern family, numbered and packed for the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native


@dataclass(frozen=True)
class PackedRecords:
    """Records as they were read.

    Parameters
    ----------
    records : thresher._native.Records
        Packed for the core.
    vocabulary : object
        What the numbered labels stand for: whatever the family needs to read new records.
    n_rows : int
        How many there are.
    is_matrix : bool, default=False
        Whether they came as the rows of a matrix, whose columns are then fixed.
    feature_names : ndarray or None, default=None
        The user's names of the matrix's columns.
    """

    records: _native.Records
    vocabulary: Any
    n_rows: int
    is_matrix: bool = False
    feature_names: NDArray[np.object_] | None = None
