"""Validation of targets and sample weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ..formatting.text import with_article
from .columns import is_missing, same_truth

_LARGEST = 1e70  # the variance of squared errors is of the fourth power of y


@dataclass(frozen=True)
class Target:
    """A checked target.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_outputs)
        Regression: the numbers. Classification: -1 and +1; one column for two
        classes (+1 is the second), one column a class against the rest for more.
    classes : ndarray of shape (n_classes,) or None
        The labels in increasing order, but for one that was chosen to come last; None for regression.
    codes : ndarray of shape (n_rows,) or None
        Each row's position in `classes`.
    is_1d : bool
        Whether the user gave one dimension, so that predictions have one too.
    """

    values: NDArray[np.float64]
    classes: NDArray[Any] | None = None
    codes: NDArray[np.intp] | None = None
    is_1d: bool = True


def _as_array(y: Any, owner: str) -> NDArray[Any]:
    if y is None:
        raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    array = np.asarray(y)
    if array.ndim == 0:
        raise ValueError(f"y should be a 1d array, got {y!r} instead")
    return array


def _check_length(array: NDArray[Any], n_rows: int) -> None:
    if array.shape[0] != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows, y has {array.shape[0]}"
        )


def regression_target(y: Any, n_rows: int, owner: str) -> Target:
    """Check the target of a regression.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The numbers.
    n_rows : int
        Rows of the table.
    owner : str
        The estimator's class name, for messages.

    Returns
    -------
    Target
        The checked target.

    Raises
    ------
    ValueError
        If lengths differ, or `y` is text, NaN, infinite, larger than 1e70, complex or has
        more than two dimensions.

    Examples
    --------
    >>> regression_target([1, 2], 2, "RuleRegressor").values.shape
    (2, 1)
    """
    array = _as_array(y, owner)
    if array.ndim > 2:
        raise ValueError(f"y has {array.ndim} dimensions; give one column, or one column for each target")
    _check_length(array, n_rows)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must hold real numbers")
    if array.dtype.kind == "O":
        array = (
            np.where(np.vectorize(is_missing, otypes=[bool])(array), np.nan, array) if array.size else array
        )
    try:
        values = array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"y must hold numbers for {with_article(owner)}, got {array.ravel().tolist()[0]!r}; "
            f"for labels use {with_article(owner.replace('Regressor', 'Classifier'))}"
        ) from None
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values).reshape(n_rows, -1).all(axis=1)))
        what = "NaN" if np.isnan(values[row]).any() else "infinity or a value too large for dtype('float64')"
        raise ValueError(f"Input y contains {what}. (first in row {row}; drop such rows)")
    matrix = np.ascontiguousarray(values.reshape(n_rows, -1))
    if matrix.shape[1] == 0:
        raise ValueError("y has no columns; give at least one target")
    if matrix.size and np.abs(matrix).max() > _LARGEST:
        place = int(np.abs(matrix).argmax())
        raise ValueError(
            f"y is {matrix.flat[place]:.4g} in row {place // matrix.shape[1]}; beyond {_LARGEST:g} "
            "squared errors overflow: divide y by its size"
        )
    return Target(matrix, is_1d=array.ndim == 1)


def classification_target(
    y: Any, n_rows: int, owner: str, classes: NDArray[Any] | None = None, pos_label: Any = None
) -> Target:
    """Check labels and code them one class against the rest.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels: text, whole numbers or truth values.
    n_rows : int
        Rows of the table.
    owner : str
        The estimator's class name, for messages.
    classes : ndarray of shape (n_classes,), optional
        Labels of a fitted model; others are refused.
    pos_label : object, optional
        The positive class of two new classes; it becomes the last.

    Returns
    -------
    Target
        The checked target.

    Raises
    ------
    ValueError
        If lengths differ, labels are missing or continuous, there is one class
        only, a label is not among `classes`, or `pos_label` is none of two classes.

    Examples
    --------
    >>> classification_target(["no", "yes"], 2, "RuleClassifier").values.ravel().tolist()
    [-1.0, 1.0]
    """
    array = _labels(y, n_rows, owner)
    if classes is None:
        classes = np.unique(array)
        if classes.size < 2:
            raise ValueError(
                f"y holds one class only ({classes.tolist()[0]!r}); "
                f"{with_article(owner)} needs at least two. Check how the rows were selected"
            )
        if pos_label is not None:
            classes = _with_last(classes, pos_label)
    codes = _codes(array, classes)
    if (codes < 0).any():
        unknown = array[int(np.argmax(codes < 0))]
        known = ", ".join(map(repr, classes.tolist()))
        label = unknown.item() if isinstance(unknown, np.generic) else unknown
        raise ValueError(f"y holds the class {label!r}, the model knows {known}")
    columns = [1] if classes.size == 2 else list(range(classes.size))
    values = np.where(codes[:, None] == np.asarray(columns)[None, :], 1.0, -1.0)
    return Target(np.ascontiguousarray(values), classes, codes)


def _with_last(classes: NDArray[Any], label: Any) -> NDArray[Any]:
    known = classes.tolist()
    if len(known) > 2:
        raise ValueError(f"pos_label: got {label!r}, y holds {len(known)} classes; it is for two")
    if label not in known:
        raise ValueError(f"pos_label: got {label!r}; give one of {', '.join(map(repr, known))}, or None")
    return classes if label == known[1] else np.ascontiguousarray(classes[::-1])


def _codes(array: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Positions of labels among the classes; -1 for none."""
    if array.dtype.kind in "biuf" and classes.dtype.kind in "biuf":
        order = np.argsort(classes)
        near = order[np.minimum(np.searchsorted(classes, array, sorter=order), classes.size - 1)]
        return np.where(classes[near] == array, near, -1)
    labels = classes.tolist()
    known = {label: code for code, label in enumerate(labels)}
    twins = {label: same_truth(label, labels) for label in set(array.tolist()) - set(known)}
    return np.asarray([known.get(twins.get(label, label), -1) for label in array.tolist()], dtype=np.intp)


def _labels(y: Any, n_rows: int, owner: str) -> NDArray[Any]:
    array: NDArray[Any] = column_or_1d(_as_array(y, owner), warn=True)
    _check_length(array, n_rows)
    if array.dtype.kind in "biuf":
        missing = np.isnan(array)
    else:
        missing = np.asarray([is_missing(label) for label in array.tolist()], dtype=bool)
    if missing.any():
        raise ValueError(f"Input y contains NaN. (first in row {int(missing.argmax())}; drop such rows)")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    if (
        array.dtype.kind == "O"
        and array.size
        and all(isinstance(v, (bool, np.bool_)) for v in array.tolist())
    ):
        array = array.astype(bool)
    check_classification_targets(array)
    return array


def names_of_targets(y: Any, target: Target) -> list[str] | None:
    """Find the names of several targets.

    Parameters
    ----------
    y : array-like
        As the user gave it.
    target : Target
        The same, checked.

    Returns
    -------
    list of str or None
        None where there are none, or they are not distinct.
    """
    columns = getattr(y, "columns", None)
    if target.is_1d or columns is None or len(columns) != target.values.shape[1]:
        return None
    names = [str(name) for name in columns]
    return names if len(set(names)) == len(names) else None


def row_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Check sample weights.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), number or None
        Weight of each row; a weight of 2 is the same as two equal rows, 0 the same as no row.
    n_rows : int
        Rows of the table.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        As float64; None where none were given.

    Raises
    ------
    ValueError
        If the shape is wrong, or a weight is negative, NaN or infinite, or all are 0.

    Examples
    --------
    >>> row_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if sample_weight is None:
        return None
    if hasattr(sample_weight, "to_numpy"):
        sample_weight = sample_weight.to_numpy()
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must hold one number for each row") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, expected ({n_rows},): one number for each row"
        )
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"sample_weight is {weights[row]} in row {row}; weights must be finite and not negative"
        )
    if not (weights > 0).any():
        raise ValueError("every sample weight is zero; at least one row must count")
    return weights


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
        If a class is unknown, or a factor is negative or not finite.
    TypeError
        If `class_weight` is of another type.
    """
    if class_weight is None or target.classes is None or target.codes is None:
        return weights
    base = np.ones(target.codes.size) if weights is None else weights
    factors = _class_factors(class_weight, target.classes, target.codes, base)
    return np.asarray(base * factors[target.codes], dtype=np.float64)


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
        if not np.isfinite(factor) or factor < 0:
            raise ValueError(
                f"class_weight: the factor of {label!r} is {factor}; it must be finite and not negative"
            )
        factors[labels.index(label)] = float(factor)
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
        If weights are invalid, or too few rows have a positive weight.
    """
    weights = row_weights(sample_weight, n_rows)
    check_classes_remain(target, weights, owner)
    weights = apply_class_weight(class_weight, target, weights)
    check_classes_remain(target, weights, owner)
    if target.classes is None and (n_rows if weights is None else int((weights > 0).sum())) < 2:
        raise ValueError(f"n_samples=1: {with_article(owner)} needs at least 2 {noun} (of positive weight)")
    return weights
