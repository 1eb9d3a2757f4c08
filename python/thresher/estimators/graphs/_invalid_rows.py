"""The positions of the records that a fit left out, in files and attributes: methods of both estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...model_io.envelope import invalid_rows_of
from .._patterns import PatternModel
from .._training import FitResult, TrainingData


def _interpret(
    cls: Any, model: Any, data: TrainingData | None, envelope: Mapping[str, Any], vocabulary: Any
) -> dict[str, Any]:
    """Return the fields of the result that follow from the model, and these positions."""
    rows = invalid_rows_of(envelope) if data is None else tuple(data.inputs.invalid)
    own = PatternModel._interpret.__func__(cls, model, data, envelope, vocabulary)  # type: ignore[attr-defined]
    return {**own, "invalid_rows": rows}


interpret = classmethod(_interpret)


def fitted_attributes(self: Any, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
    """Return the attributes of patterns, and these positions."""
    own = {"invalid_rows_": np.asarray(result.invalid_rows, dtype=np.int64)}
    return {**PatternModel._fitted_attributes(self, result, path_index, select), **own}


def saved_parts(self: Any, *, all_points: bool) -> dict[str, Any]:
    """Return the contents of a file except the parameters, with these positions where there are some."""
    rows = self._fitted.invalid_rows
    own = {"invalid_rows": list(rows)} if rows else {}
    return {**PatternModel._saved_parts(self, all_points=all_points), **own}
