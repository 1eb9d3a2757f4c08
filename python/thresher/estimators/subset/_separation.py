"""Columns whose coefficients grow without end, since some rows of one class can be told from all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from ...data.compressed import Compressed
from ...fit_warnings import warn
from ...formatting.text import format_list
from .._training import TrainingData

Floats = NDArray[np.float64]

_LEAST_MARGIN = 5.0
"""Least margin of the rows that are looked at: under a ridge of 1e-8 that of separated ones is 10 to 20."""
_MOST_CELLS = 20_000_000
"""The most cells of the model's columns that are looked at: 160 MB, below a second."""
_MOST_ROUNDS = 50
_ROWS_A_ROUND = 50
"""Rows for each coefficient that the linear programme gets at a time."""
_ROUNDING = 1e-7
"""The tolerance of the linear programme, relative to the range of each column."""
_SEPARATED = 1e-3
"""The least positive margin: far more than rounding, which may hide a small negative one."""
_NAMED = 5


def warn_of_growing_coefficients(
    data: TrainingData, names: Sequence[str], points: Sequence[Mapping[str, Any]]
) -> None:
    """Warn if the loss of a classifier has no minimum although its classes overlap.

    Parameters
    ----------
    data : TrainingData
        The data of the fit.
    names : sequence of str
        The names of the columns.
    points : sequence of mapping
        The selected point of each output.

    Warns
    -----
    ConvergenceWarning
        If coefficients of the model grow without end; none where the time is over.
    """
    found: set[int] = set()
    for point, signs in zip(points, data.target.values.T, strict=True):
        n_cells = len(point["coef"]) * signs.size
        if point["lambda2"] == 0 and not point["separated"] and 0 < n_cells <= _MOST_CELLS:
            found |= _growing(data, point, signs)
    if found:
        listed = format_list([repr(names[j]) for j in sorted(found)], _NAMED)
        separates, its = (f"column {listed} separates", "its coefficient is that")
        if len(found) > 1:
            separates, its = (f"columns {listed} separate", "their coefficients are those")
        warn(
            f"{separates} some training rows of one class from all of the other, so the loss has no minimum: "
            f"{its} under a ridge of 1e-8 of the weights. Give lambda2 > 0 to choose the ridge yourself",
            ConvergenceWarning,
        )


def _growing(data: TrainingData, point: Mapping[str, Any], signs: Floats) -> set[int]:
    """Return the columns of a model whose coefficients grow without end."""
    places, coef = [j for j, _ in point["coef"]], np.asarray([value for _, value in point["coef"]])
    columns = [_column(data.inputs, j) for j in places]
    if data.weights is not None:
        rows = data.weights > 0
        columns, signs = [column[rows] for column in columns], signs[rows]
    margins = signs * (point["intercept"] + _sum(columns, coef))
    if margins.max() < _LEAST_MARGIN:
        return set()
    bounds = data.parameters["bounds"]
    limits = [_limits((None, None) if bounds is None else bounds[j]) for j in places]
    middles = [column.min() / 2 + column.max() / 2 for column in columns]
    columns = [column - middle for column, middle in zip(columns, middles, strict=True)]
    sizes = [abs(column).max() for column in columns]
    if not min(sizes):
        return set()
    columns = [column / size for column, size in zip(columns, sizes, strict=True)]
    direction = _direction(columns, signs, limits, margins, data)
    return {j for j, change in zip(places, direction, strict=False) if abs(change) > _SEPARATED}


def _direction(
    columns: list[Floats],
    signs: Floats,
    limits: list[tuple[float, float]],
    margins: Floats,
    data: TrainingData,
) -> Floats:
    r"""Return changes d of the coefficients by which the loss falls without end; empty if there are none.

    They solve, for a change e of the intercept,

        max sum_i y_i (e + x_i d)   with y_i (e + x_i d) >= 0 for all rows i and :math:`|d_j| <= 1`,

    a linear programme that gets those rows alone that an earlier solution puts on the wrong side.
    """
    gradient = -np.asarray([signs.sum(), *(signs @ column for column in columns)])
    box = [(-1.0 - len(columns), 1.0 + len(columns)), *limits]
    chosen = np.concatenate(
        [rows[_least(margins[rows], len(box))] for rows in map(np.flatnonzero, (signs > 0, signs < 0))]
    )
    for _ in range(_MOST_ROUNDS):
        rows = np.column_stack([np.ones(chosen.size), *(column[chosen] for column in columns)])
        found = linprog(gradient, A_ub=-signs[chosen, None] * rows, b_ub=np.zeros(chosen.size), bounds=box)
        if not found.success or data.budget.is_over():
            break
        solution = np.asarray(found.x, dtype=np.float64)
        margins = signs * (solution[0] + _sum(columns, solution[1:]))
        if margins.max() < _SEPARATED:
            break
        wrong = np.flatnonzero(margins < -_ROUNDING)
        if not wrong.size:
            return solution[1:]
        chosen = np.union1d(chosen, wrong[_least(margins[wrong], len(box))])
    return np.empty(0)


def _least(margins: Floats, n_unknowns: int) -> NDArray[np.intp]:
    """Return the positions of the least margins, one of those that are equal."""
    found: NDArray[np.intp] = np.unique(margins, return_index=True)[1][: _ROWS_A_ROUND * n_unknowns]
    return found


def _limits(bounds: Sequence[float | None]) -> tuple[float, float]:
    """Return whether a coefficient may fall (-1) and rise (1) without end."""
    low, high = bounds
    return (-1.0 if low is None else 0.0), (1.0 if high is None else 0.0)


def _sum(columns: Sequence[Floats], coef: Floats) -> Floats:
    total = np.zeros_like(columns[0])
    for value, column in zip(coef, columns, strict=True):
        total += value * column
    return total


def _column(inputs: Any, j: int) -> Floats:
    if not isinstance(inputs, Compressed):
        return np.asarray(inputs.columns[j], dtype=np.float64)
    entries = slice(inputs.starts[j], inputs.starts[j + 1])
    column = np.zeros(inputs.n_rows)
    column[inputs.rows[entries]] = inputs.values[entries]
    return column
