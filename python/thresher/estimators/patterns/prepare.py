"""From what the user gives to what the core takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import _native
from ...data.folds import make_folds
from ...data.inputs import check_support
from ...data.targets import Target, apply_class_weight, check_classes_remain, names_of_targets, row_weights
from ...formatting.text import with_article
from ...results.pattern_document import PatternDocument
from .. import checks as parameters
from ..convex import state
from .family import Reading

if TYPE_CHECKING:
    from .base import PatternModelBase


@dataclass(frozen=True)
class Job:
    """One fit, checked and packed.

    Parameters
    ----------
    reading : Reading
        The records.
    target : Target
        What is predicted.
    target_names : list of str or None
        Names of the targets, where the user gave several with names.
    problem : thresher._native.PatternProblem
        The packed data.
    params : str
        The parameters in the core's words.
    """

    reading: Reading
    target: Target
    target_names: list[str] | None
    problem: _native.PatternProblem
    params: str


@dataclass(frozen=True)
class Fitted(state.Fitted):
    """What a fit of patterns leaves.

    Parameters
    ----------
    is_matrix : bool
        Whether the training records were the rows of a matrix.
    """

    view: PatternDocument
    is_matrix: bool = False


def core_params(estimator: PatternModelBase, alpha: Mapping[str, Any] | None) -> str:
    """Check every parameter and write them for the core.

    Parameters
    ----------
    estimator : estimator
        Whose parameters count.
    alpha : mapping or None
        The choice of strength where it is not the parameter's.

    Returns
    -------
    str
        JSON.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the message names it.
    """
    params = estimator.get_params(deep=False)
    options = parameters.fit_options(params, estimator._task, alpha, "max_patterns")
    return json.dumps({"fit": options, "language": estimator._family.language(params)})


def prepare(
    estimator: PatternModelBase, X: Any, y: Any, sample_weight: Any, alpha: Mapping[str, Any] | None = None
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
    owner = type(estimator).__name__
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
    text = core_params(estimator, alpha)
    reading = estimator._family.read(X, owner)
    n = reading.n_records
    check_support(estimator.min_support, n, "records")
    target = estimator._read_target(y, n)
    weights = row_weights(sample_weight, n)
    check_classes_remain(target, weights, owner)
    weights = apply_class_weight(getattr(estimator, "class_weight", None), target, weights)
    check_classes_remain(target, weights, owner)
    if target.classes is None and (n if weights is None else int((weights > 0).sum())) < 2:
        raise ValueError(f"n_samples=1: {with_article(owner)} needs at least 2 records (of positive weight)")
    cross_validated = alpha is None and isinstance(estimator.alpha, str) and estimator.alpha == "cv"
    folds = make_folds(estimator.cv, target, weights, wanted=cross_validated)
    problem = _native.PatternProblem(reading.records, target.values, weights, folds)
    return Job(reading, target, names_of_targets(y, target), problem, text)


def finish(
    estimator: PatternModelBase,
    job: Job,
    model: _native.PatternModel,
    training: _native.PatternTraining,
) -> Fitted:
    """Put together what a fit leaves.

    Parameters
    ----------
    estimator : estimator
        Whose fit it was.
    job : Job
        The checked job.
    model, training : thresher._native.PatternModel, thresher._native.PatternTraining
        What the core returned.

    Returns
    -------
    Fitted
        The model with its vocabulary, and what later questions need.
    """
    return Fitted(
        PatternDocument(model, estimator._family, job.reading.vocabulary),
        named=job.reading.feature_names is not None,
        flat=job.target.flat,
        classes=job.target.classes,
        target_names=job.target_names,
        training=training,
        is_matrix=job.reading.is_matrix,
    )
