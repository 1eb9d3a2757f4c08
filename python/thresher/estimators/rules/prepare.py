"""From what the user gives to what the core takes: one checked job for each fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _native
from ...data.columns import Column
from ...data.folds import make_folds
from ...data.inputs import Table, check_support, read
from ...data.targets import Target, apply_class_weight, check_classes_remain, names_of_targets, row_weights
from ...formatting.text import with_article
from ...results.cut_labels import CutLabels
from ...results.rule_document import Document
from ..convex import state
from .settings import check

if TYPE_CHECKING:
    from .base import RuleModelBase

_SAMPLE_ROWS = 2000  # rows kept for dependence plots


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


@dataclass(frozen=True)
class Fitted(state.Fitted):
    """What a fit of rules leaves.

    Parameters
    ----------
    sample : list of column or None
        Up to 2,000 training rows, evenly spaced, for dependence plots.
    """

    sample: list[Column] | None = None


def prepare(
    estimator: RuleModelBase, X: Any, y: Any, sample_weight: Any, alpha: Mapping[str, Any] | None = None
) -> Job:
    """Check and pack one fit.

    Parameters
    ----------
    estimator : estimator
        Whose parameters count; it is not changed.
    X, y, sample_weight : array-like
        The data.
    alpha : mapping, optional
        The choice of strength where it is not the parameter's.

    Returns
    -------
    Job
        The checked job.

    Raises
    ------
    TypeError, ValueError, MemoryError
        If something is not as it must be; the message says what and where.
    """
    params = estimator.get_params(deep=False)
    owner = type(estimator).__name__
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
    table = read(X, categorical=params["categorical_features"], memory_limit=params["memory_limit"])
    text = check(params, estimator._task, table.names, alpha)
    check_support(params["min_support"], table.n_rows)
    target = estimator._read_target(y, table.n_rows)
    weights = row_weights(sample_weight, table.n_rows)
    check_classes_remain(target, weights, owner)
    weights = apply_class_weight(params.get("class_weight"), target, weights)
    check_classes_remain(target, weights, owner)
    if target.classes is None and (table.n_rows if weights is None else int((weights > 0).sum())) < 2:
        raise ValueError(f"n_samples=1: {with_article(owner)} needs at least 2 rows (of positive weight)")
    cross_validated = alpha is None and params["alpha"] == "cv"
    folds = make_folds(params["cv"], target, weights, wanted=cross_validated)
    problem = _native.Problem(table.columns, table.names, target.values, weights, folds)
    return Job(table, target, names_of_targets(y, target), problem, text)


def finish(job: Job, model: _native.Model, training: _native.Training) -> Fitted:
    """Put together what a fit leaves.

    Parameters
    ----------
    job : Job
        The checked job.
    model, training : thresher._native.Model, thresher._native.Training
        What the core returned.

    Returns
    -------
    Fitted
        The model with its texts, and what later questions need.
    """
    document = Document(model)
    cuts = [feature.get("cuts") or [] for feature in document.features]
    document.digits = CutLabels.from_values(job.table.numeric(), document.shown_cuts(), cuts)
    return Fitted(
        document,
        named=job.table.feature_names is not None,
        flat=job.target.flat,
        classes=job.target.classes,
        target_names=job.target_names,
        training=training,
        sample=_thinned(job.table),
    )


def _thinned(table: Table) -> list[Column]:
    rows = np.unique(np.linspace(0, table.n_rows - 1, min(table.n_rows, _SAMPLE_ROWS)).astype(np.intp))
    return [(c[0][rows], c[1]) if isinstance(c, tuple) else c[rows] for c in table.columns]
