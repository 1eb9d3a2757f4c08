"""From what the user gives to what the core takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...data.folds import make_folds
from ...data.inputs import Table
from ...data.targets import Target, apply_class_weight, check_classes_remain, names_of_targets, row_weights
from ...formatting.text import with_article


@dataclass(frozen=True)
class Job:
    """One fit, checked and packed.

    Parameters
    ----------
    table : Table
        The columns.
    target : Target
        What is predicted.
    target_names : list of str or None
        Names of the targets, where the user gave several with names.
    problem : thresher._native.Problem
        The packed data.
    params : str
        The parameters in the core's words.
    """

    table: Table
    target: Target
    target_names: list[str] | None
    problem: _native.Problem
    params: str


def prepare(
    params: Mapping[str, Any],
    owner: str,
    table: Table,
    y: Any,
    sample_weight: Any,
    read_target: Callable[[Any, int], Target],
    text: str,
    *,
    cross_validated: bool,
) -> Job:
    """Check and pack one fit.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.
    owner : str
        Its class name, for messages.
    table : Table
        The columns.
    y, sample_weight : array-like
        The rest of the data.
    read_target : callable
        Checks `y`.
    text : str
        The parameters in the core's words.
    cross_validated : bool
        Whether folds are needed.

    Returns
    -------
    Job
        The checked job.

    Raises
    ------
    TypeError, ValueError
        If something is not as it must be; the message says what and where.
    """
    target = read_target(y, table.n_rows)
    weights = weights_of(params, target, sample_weight, table.n_rows, owner)
    folds = make_folds(params["cv"], target, weights, wanted=cross_validated)
    problem = _native.Problem(table.columns, table.names, target.values, weights, folds)
    return Job(table, target, names_of_targets(y, target), problem, text)


def weights_of(
    params: Mapping[str, Any], target: Target, sample_weight: Any, n_rows: int, owner: str
) -> NDArray[np.float64] | None:
    """Check row weights and multiply them by those of the classes.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.
    target : Target
        What is predicted.
    sample_weight : array-like or None
        The user's weights.
    n_rows : int
        Rows of the table.
    owner : str
        The estimator's class name, for messages.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        The weights; None where all are 1.

    Raises
    ------
    TypeError, ValueError
        If weights are not as they must be, or leave too little.
    """
    weights = row_weights(sample_weight, n_rows)
    check_classes_remain(target, weights, owner)
    weights = apply_class_weight(params.get("class_weight"), target, weights)
    check_classes_remain(target, weights, owner)
    if target.classes is None and (n_rows if weights is None else int((weights > 0).sum())) < 2:
        raise ValueError(f"n_samples=1: {with_article(owner)} needs at least 2 rows (of positive weight)")
    return weights
