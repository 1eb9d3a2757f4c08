"""Functions of the families over a table with one compiled document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.budget import Budget
from ..data.coded_tables import CodedTable
from ..data.columns import Column
from ..data.compressed import Compressed
from ..data.inputs import Table, read
from ..data.schema import Schema
from ..results.documents import read_document
from ._columns import exclude_of
from ._training import SampleRows, TrainingData

_SAMPLE_ROWS = 2000  # training rows stored for dependence plots


@dataclass(frozen=True)
class BinnedMemory:
    """The memory that a fit takes for a table whose columns it bins.

    Parameters
    ----------
    cell : (int, int)
        What the core reserves for each cell, of all rows and in each fold: copies of a number, its code, and
        its share of the distinct values while cut points are learned.
    response : (int, int)
        What it reserves for each row and response.
    in_fold : int
        What it reserves for each row in a fold beside that.
    column : int
        What a column takes beside its cells: its bins and its part of the document, measured.
    row : int
        What a column takes for each row beside that: intervals of bins, until all are there.
    most : int
        The most that a column takes beside its cells.
    """

    cell: tuple[int, int]
    response: tuple[int, int]
    in_fold: int
    column: int
    row: int
    most: int

    def read(self, X: Any, categorical: Any, budget: Budget, exclude: Any = None) -> Table:
        """Read a training table without the cells of excluded columns, and hold what its columns take."""

        def of_columns(n: int, d: int) -> int:
            return d * min(self.column + self.row * n, self.most)

        def reserved(n: int, d: int) -> int:
            of_cells, of_responses = d * budget.of_all(*self.cell), budget.of_all(*self.response)
            return n * (of_cells + budget.n_outputs * of_responses + budget.of_all(0, self.in_fold))

        table = read(
            X,
            categorical=categorical,
            budget=budget,
            fit_bytes=lambda n, d: of_columns(n, d) + reserved(n, d),
            excluded=lambda names: exclude_of(exclude, names),
        )
        n, d = table.n_rows, len(table.names)
        budget.hold(of_columns(n, d), f"a fit of {n} rows and {d} columns", reserved(n, d))
        return table


BYTES_OF_BINNED_ROWS: dict[str, Any] = {"cell": (42, 2), "response": (120, 60), "in_fold": 40}
"""What the core reserves for step functions and hierarchies."""


def problem_of(table: Table | CodedTable, values: Any, weights: Any, folds: Any) -> _native.Problem:
    """Pack a table, target values, weights and folds for the core."""
    return _native.Problem(table.columns, table.names, values, weights, folds)


def sparse_problem_of(rows: Compressed, values: Any, weights: Any, folds: Any) -> _native.SparseProblem:
    """Pack a sparse matrix, target values, weights and folds for the core."""
    return _native.SparseProblem(rows.starts, rows.rows, rows.values, rows.names, values, weights, folds)


def interpret(model: Any, data: TrainingData | None, envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a fit's result that follow from a compiled model.

    Parameters
    ----------
    model : object
        The compiled model.
    data : TrainingData or None
        What it was fitted on, after a fit.
    envelope : mapping
        The file it comes from, after loading.

    Returns
    -------
    dict
        ``document`` and ``schema``.
    """
    document = read_document(model.to_json())
    named = bool(envelope["named"]) if data is None else data.inputs.feature_names is not None
    return {"document": document, "schema": schema_of(document["features"], named)}


def schema_of(features: Sequence[Any], named: bool) -> Schema:
    """Describe the table that a model expects; a column without a kind is a numeric one's name."""
    names = [feature if isinstance(feature, str) else feature["name"] for feature in features]
    levels = [None if isinstance(feature, str) else feature.get("levels") for feature in features]
    return Schema(names, levels, named)


def sample_rows(table: Table | CodedTable, weights: NDArray[np.float64] | None) -> SampleRows:
    """Return some training rows of positive weight, evenly spread."""
    rows = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
    rows = rows[np.linspace(0, rows.size - 1, min(rows.size, _SAMPLE_ROWS)).astype(np.intp)]
    columns: list[Column] = []
    for column in table.columns:
        if isinstance(column, tuple):
            columns.append((column[0][rows], column[1]))
        else:
            columns.append(column[rows] if isinstance(column, np.ndarray) else column.take(rows))
    return SampleRows(columns, np.ones(rows.size) if weights is None else weights[rows])
