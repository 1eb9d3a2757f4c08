"""The interactions of a machine: all of them, and those of the columns in which a row is not 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ... import _native
from ...results.interactions import Interactions
from ...results.machine_columns import MachineColumns

_AS_LONG_AS_A_ROW = 250  # interactions that are listed, in a millisecond: as long as those of a row take


def all_interactions(estimator: Any, limit: int) -> Interactions:
    """List the interactions of a fitted machine.

    Parameters
    ----------
    estimator : estimator
        The machine.
    limit : int
        The most of an output.

    Returns
    -------
    Interactions
        The interactions, output by output.

    Raises
    ------
    ValueError
        If there are more than `limit`.
    """
    return _listed(estimator, limit, estimator._fitted.model, estimator._path_index)


def interactions_of_columns(
    estimator: Any, limit: int, n_interactions: int, n_rows: int
) -> Callable[[tuple[int, ...]], Interactions]:
    """Return a function that lists interactions, those of given columns at least.

    Of many interactions and few rows it lists those of the columns of each row alone.

    Parameters
    ----------
    estimator : estimator
        The machine.
    limit : int
        The most of an output.
    n_interactions : int
        The number of all of them.
    n_rows : int
        The number of rows for which it is called.

    Returns
    -------
    callable
        Given columns, ascending and at most one category of each column of the table, returns interactions
        in the order of :func:`all_interactions`.
    """
    if limit in estimator._found or n_interactions <= _AS_LONG_AS_A_ROW * n_rows:
        found = estimator.get_interactions(limit)
        return lambda _: found
    document = estimator._fitted.document
    machine, first = MachineColumns(document, estimator._path_index), [0] * len(document["outputs"])

    @lru_cache
    def listed(columns: tuple[int, ...]) -> Interactions:
        model = _native.FmModel.from_json(machine.only(columns))
        return _listed(estimator, limit, model, first, columns)

    return listed


def _listed(
    estimator: Any,
    limit: int,
    model: _native.FmModel,
    path_index: Sequence[int],
    columns: Sequence[int] | None = None,
) -> Interactions:
    """List the interactions of a compiled machine, that of the estimator or of some of its columns."""
    outputs, names = estimator._fitted.output_names(), estimator.column_names_
    parts = [model.interactions(output, point, limit) for output, point in enumerate(path_index)]
    coef, standardized, n_components, found = zip(*parts, strict=True)
    labels = [label for label, own in zip(outputs, found, strict=True) for _ in range(len(own))]
    listed = [own for of_output in found for own in of_output]
    return Interactions(
        np.concatenate(coef),
        np.concatenate(standardized),
        np.concatenate(n_components),
        listed if columns is None else [[columns[k] for k in own] for own in listed],
        names,
        labels if len(parts) > 1 else None,
    )
