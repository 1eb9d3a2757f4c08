"""Rows to predict, and their decision values: functions that the base class has as methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data.inputs import Table, read_like
from ..data.unknown_categories import apply_handle_unknown
from ._columns import exclude_of


def table(self: Any, X: Any, *, every_column: bool = False) -> Table:
    """Read rows of a table with the schema of training; a frame may lack columns that no term uses."""
    rows = table_as_given(self, X, every_column=every_column)
    handle = getattr(self, "handle_unknown", "error")
    used: Any = self._compared_columns if handle == "error" else self._used_columns
    return apply_handle_unknown(rows, self._fitted.schema, handle, () if every_column else used())


def table_as_given(self: Any, X: Any, *, every_column: bool = False) -> Table:
    """Read rows of a table, whose categories may be unknown; those of training come first."""
    check_is_fitted(self)
    schema, spared = self._fitted.schema, self._excluded_columns()
    needed = (lambda: set(range(len(schema.names))) - spared) if spared else None
    used = needed if every_column else self._used_columns
    return read_like(X, schema, type(self).__name__, self.memory_limit, used, spared)


def excluded_columns(self: Any) -> set[int]:
    """Return the positions of the columns whose cells are not read: those that the model may not use."""
    found = exclude_of(getattr(self, "exclude", None), self._fitted.schema.names)
    return set(found) - set(self._used_columns()) if found else set()  # an edited file may use one


def finite_decision(self: Any, X: Any) -> NDArray[np.float64]:
    """Compute the decision values; raise an error for a row whose terms are too large to be added up."""
    decision: NDArray[np.float64] = self._decision(X)
    rows = np.flatnonzero(~np.isfinite(decision).all(axis=1))
    if rows.size:
        raise ValueError(
            f"the terms of row {rows[0]} are too large to be added up: a number of the row, or of an "
            "edited model, is near the largest that there is; rescale the column"
        )
    return decision
