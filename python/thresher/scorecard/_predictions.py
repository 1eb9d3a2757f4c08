"""A regressor as monitoring sees a score card: the prediction is its score, contributions are its points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import select_known
from .bins import ColumnBins, bins_of_output

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PredictionCard:
    """The predictions of an additive model of one target, by its bins.

    Parameters
    ----------
    model : L0AdditiveRegressor
        The fitted model.
    """

    model: Any

    @cached_property
    def bins(self) -> tuple[ColumnBins, ...]:
        """The bins of the columns in use, the most important column first."""
        return bins_of_output(self.model, 0)

    @property
    def points(self) -> tuple[tuple[float, ...], ...]:
        """The contribution of each bin, column by column."""
        return tuple(own.values for own in self.bins)

    def probability(self, score: Floats) -> Floats:
        """Return what a prediction says of the mean of the targets: itself."""
        return score

    def _aligned(self, X: Any) -> Any:
        schema = self.model._fitted.schema
        return select_known(X, schema.names) if schema.named else X

    def _added(self, table: Any) -> Floats:
        """Return the predictions of rows that are read."""
        if not table.n_rows:
            return np.zeros(0)
        found: Floats = self.model._fitted.model.decision(table.columns, self.model._path_index)[:, 0]
        return found
