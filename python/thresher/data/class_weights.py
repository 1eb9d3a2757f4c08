"""The weights of training rows: sample weights times those of the classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import with_article
from .numeric import to_float
from .targets import Target
from .weights import check_sizes, n_of_weight, row_weights


def apply_class_weight(
    class_weight: Any, target: Target, weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Multiply row weights by the weights of their classes.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        A factor for each label, 1 where absent; "balanced" gives every class the same
        total weight: W / (n_classes W_c), W the sum of all weights, W_c of class c.
    target : Target
        The labels.
    weights : ndarray of shape (n_rows,) or None
        Sample weights.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        The products; None if all weights are 1.

    Raises
    ------
    ValueError
        If a class is unknown, or a factor is negative or not finite, or if products are too large to be added
        up, or of sizes too far apart.
    TypeError
        If `class_weight` is of another type.
    """
    if class_weight is None or target.classes is None or target.codes is None:
        return weights
    base = np.ones(target.codes.size) if weights is None else weights
    factors = _class_factors(class_weight, target.classes, target.codes, base)
    with np.errstate(over="ignore"):
        products = np.asarray(base * factors[target.codes], dtype=np.float64)
    check_sizes(products, "sample_weight times class_weight")
    return products


def _class_factors(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.intp], base: NDArray[np.float64]
) -> NDArray[np.float64]:
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"class_weight: got {class_weight!r}; give 'balanced', a dict of label: factor, or None"
            )
        totals = np.bincount(codes, weights=base, minlength=classes.size)
        return np.where(totals > 0, totals.sum() / (classes.size * np.where(totals > 0, totals, 1.0)), 0.0)
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            f"class_weight: got {class_weight!r}; give 'balanced', a dict of label: factor, or None"
        )
    labels = classes.tolist()
    factors = np.ones(len(labels))
    for label, factor in class_weight.items():
        if label not in labels:
            raise ValueError(
                f"class_weight: y holds no class {label!r}; it holds {', '.join(map(repr, labels))}"
            )
        number = to_float(factor) if isinstance(factor, Real) else math.nan
        if not math.isfinite(number) or number < 0:
            raise ValueError(
                f"class_weight: the factor of {label!r} is {factor!r}; it must be a number, finite and not "
                "negative"
            )
        factors[labels.index(label)] = number
    return factors


def check_classes_remain(target: Target, weights: NDArray[np.float64] | None, owner: str) -> None:
    """Raise an error if the rows of positive weight have one class only.

    Parameters
    ----------
    target : Target
        The labels.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    owner : str
        The estimator's class name, for messages.

    Raises
    ------
    ValueError
        If the rows of positive weight hold fewer than two classes.
    """
    if weights is None or target.codes is None or target.classes is None:
        return
    left = np.unique(target.codes[weights > 0])
    if left.size < 2:
        label = target.classes.tolist()[int(left[0])] if left.size else None
        raise ValueError(
            f"the rows of positive weight hold one class only ({label!r}); "
            f"{with_article(owner)} needs at least two classes"
        )


def training_weights(
    target: Target, sample_weight: Any, class_weight: Any, n_rows: int, owner: str, noun: str = "rows"
) -> NDArray[np.float64] | None:
    """Check the weights of training rows and multiply them by those of the classes.

    Parameters
    ----------
    target : Target
        The target.
    sample_weight : array-like or None
        The user's weights.
    class_weight : dict, "balanced" or None
        As in :func:`apply_class_weight`.
    n_rows : int
        Rows of the table.
    owner : str
        The estimator's class name, for messages.
    noun : str, default="rows"
        The noun for rows, for messages.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        The weights; None where all are 1.

    Raises
    ------
    TypeError, ValueError
        If weights are invalid, too large to be added up, or of sizes too far apart, or if too few rows have
        a positive weight.
    """
    weights = row_weights(sample_weight, n_rows)
    check_classes_remain(target, weights, owner)
    weights = apply_class_weight(class_weight, target, weights)
    check_classes_remain(target, weights, owner)
    if target.classes is None and n_of_weight(weights, n_rows) < 2:
        raise ValueError(f"n_samples=1: {with_article(owner)} needs at least 2 {noun} (of positive weight)")
    return weights
