"""The base class of both graph estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import _native
from ...model_io.envelope import invalid_rows_of
from .._patterns import PatternModel
from .._training import FitResult, TrainingData
from . import _records as records
from ._family import GraphFamily
from ._queries import counts, matches, plot_matches, plot_patterns


class GraphModel(PatternModel):
    """A sparse sum of subgraphs, which knows the records that its fit left out."""

    _family = GraphFamily()
    matches = matches
    counts = counts
    _graphs = records.graphs
    _read = records.read
    _warn = records.warn
    verify = records.verify
    _finite_decision = records.finite_decision
    _activations = records.activations
    _contributions = records.contributions
    _valid_rows = records.valid_rows
    _draw_pattern = records.draw_pattern
    _draw_record = records.draw_record
    pattern_table = records.pattern_table
    plot_patterns = plot_patterns  # type: ignore[assignment]
    plot_matches = plot_matches

    @classmethod
    def _interpret(
        cls,
        model: _native.PatternModel,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,
    ) -> dict[str, Any]:
        rows = invalid_rows_of(envelope) if data is None else tuple(data.inputs.invalid)
        return {**super()._interpret(model, data, envelope, vocabulary), "invalid_rows": rows}

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        own = {"invalid_rows_": np.asarray(result.invalid_rows, dtype=np.int64)}
        return {**super()._fitted_attributes(result, path_index, select), **own}

    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]:
        rows = self._fitted.invalid_rows
        own = {"invalid_rows": list(rows)} if rows else {}
        return {**super()._saved_parts(all_points=all_points), **own}
