"""Validation of targets."""

from __future__ import annotations

import datetime as dt
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ..formatting.text import refuse_surrogates, with_article
from .alignment import to_array
from .budget import Budget
from .columns import is_missing, same_truth
from .label_types import refuse_large_labels, refuse_mixed_labels, unknown_class
from .numbers_in_text import LIMIT_OF_TARGET, is_number, limit_among_numbers, no_numbers
from .numeric import to_floats

_LARGEST = 1e70  # the variance of squared errors is of the fourth power of y
_SMALLEST = 1e-70
_CELLS_A_LOOK = 1 << 22  # 32 MiB of new memory are written in some 10 milliseconds
_FEW_CLASSES = 20  # a small table may have as many classes by chance


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
    try:
        array = np.asarray(to_array(y))
    except ValueError:  # rows of different lengths
        raise ValueError(
            "y holds lists of different lengths; give one value for each row. Of rows with several labels, "
            "sklearn.preprocessing.MultiLabelBinarizer makes a target for each label"
        ) from None
    if array.ndim == 0:
        raise ValueError(f"y should be a 1d array, got {y!r} instead: give one value for each row")
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
        If lengths differ, or `y` is text, NaN, infinite, larger than 1e70, all of it smaller than
        1e-70, complex or has more than two dimensions.

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
    if array.dtype.kind in "mM":
        raise ValueError(
            "y holds dates or durations; give numbers, such as days: (y - y.min()).dt.days for a Series"
        )
    if array.dtype.kind == "O":
        array = (
            np.where(np.vectorize(is_missing, otypes=[bool])(array), np.nan, array) if array.size else array
        )
    try:
        values = to_floats(array)
    except (TypeError, ValueError):
        raise no_numbers(array, owner) from None
    matrix = np.ascontiguousarray(values.reshape(n_rows, -1))
    if matrix.shape[1] == 0:
        raise ValueError("y has no columns; give at least one target")
    largest = np.maximum(matrix.max(axis=0, initial=0.0), -matrix.min(axis=0, initial=0.0))
    if not np.isfinite(largest).all():
        row = int(np.argmin(np.isfinite(matrix).all(axis=1)))
        what = "NaN" if np.isnan(matrix[row]).any() else "infinity or a value too large for dtype('float64')"
        raise ValueError(f"Input y contains {what}. (first in row {row}; drop such rows)")
    if (largest > _LARGEST).any():
        place = int(np.abs(matrix).argmax())
        raise ValueError(
            f"y is {matrix.flat[place]:.4g} in row {place // matrix.shape[1]}; beyond {_LARGEST:g} "
            "squared errors overflow: divide y by its size"
        )
    if ((largest > 0) & (largest < _SMALLEST)).any():
        raise ValueError(
            f"y is at most {largest[largest > 0].min():.4g}; below {_SMALLEST:g} squared errors are rounded "
            "to 0: multiply y"
        )
    return Target(matrix, is_1d=array.ndim == 1)


def scored_target(y: Any, owner: str) -> Any:
    """Check the targets of a score.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Numbers or labels; of a model unknown labels may be among them, which count as errors.
    owner : str
        The estimator's class name, for messages.

    Returns
    -------
    array-like
        They, as metrics of scikit-learn take them: no truth values as objects.

    Raises
    ------
    ValueError
        If `y` is None, a cell is missing, or texts and other labels are mixed.

    Examples
    --------
    >>> scored_target(np.array([True, False], dtype=object), "RuleClassifier").dtype
    dtype('bool')
    """
    if y is None:
        raise ValueError("y: got None; a score needs the targets")
    array = _as_array(y, owner)
    _refuse_missing(array)
    refuse_mixed_labels(array)
    found = _without_objects(array)
    return y if found is array else found


def _without_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Convert an array of objects that are all truth values."""
    are_truths = array.dtype.kind == "O" and set(map(type, array.ravel().tolist())) <= {bool, np.bool_}
    return array.astype(bool) if are_truths and array.size else array


def _refuse_missing(array: NDArray[Any]) -> None:
    if array.dtype.kind in "biuf":
        missing = np.isnan(array)
    else:
        missing = np.asarray([is_missing(cell) for cell in array.ravel().tolist()], dtype=bool)
    if missing.any():
        row = int(missing.argmax()) // (array.size // len(array))
        raise ValueError(f"Input y contains NaN. (first in row {row}; drop such rows)")


def classification_target(
    y: Any,
    n_rows: int,
    owner: str,
    classes: NDArray[Any] | None = None,
    pos_label: Any = None,
    budget: Budget | None = None,
) -> Target:
    """Check labels and code them one class against the rest.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels: text, whole numbers or booleans.
    n_rows : int
        Rows of the table.
    owner : str
        The estimator's class name, for messages.
    classes : ndarray of shape (n_classes,), optional
        Labels of a fitted model; others are refused.
    pos_label : object, optional
        The positive class of two new classes; it becomes the last.
    budget : Budget, optional
        The limits of a fit.

    Returns
    -------
    Target
        The checked target.

    Raises
    ------
    ValueError
        If lengths differ, labels are missing, continuous or texts among others, there is one class only, or
        there are more than 20 and more than half as many as rows; if a label is not among `classes`, or
        `pos_label` is none of two classes.
    TimeoutError
        If the time is over.

    Examples
    --------
    >>> classification_target(["no", "yes"], 2, "RuleClassifier").values.ravel().tolist()
    [-1.0, 1.0]
    """
    array = _labels(y, n_rows, owner)
    if classes is None:
        classes = _classes_of(array)
        if classes.size < 2:
            raise ValueError(
                f"y holds one class only ({classes.tolist()[0]!r}); "
                f"{with_article(owner)} needs at least two. Check how the rows were selected"
            )
        _refuse_many(classes, n_rows, owner)
        if pos_label is not None:
            classes = _with_last(classes, pos_label)
    refuse_large_labels(classes)
    codes = _codes(array, classes)
    if (codes < 0).any():
        raise unknown_class(array[int(np.argmax(codes < 0))], classes)
    if classes.size == 2:
        return Target(np.where(codes == 1, 1.0, -1.0)[:, None], classes, codes)
    return Target(_against_the_rest(codes, classes.size, budget or Budget()), classes, codes)


def _against_the_rest(codes: NDArray[np.intp], n_classes: int, budget: Budget) -> NDArray[np.float64]:
    """Return 1 for each row's class, and -1 for all others."""
    values = np.empty((n_classes, codes.size))  # the core copies the responses one by one
    at_once = max(1, _CELLS_A_LOOK // codes.size)
    for first in range(0, n_classes, at_once):
        values[first : first + at_once] = -1.0
        budget.check_time(f"after {first} of {n_classes} classes had been coded")
    values[codes, np.arange(codes.size)] = 1.0
    return values.T


def are_many_classes(n_classes: int, n_rows: int) -> bool:
    """Return whether there are too many classes to learn from.

    Parameters
    ----------
    n_classes, n_rows : int
        The numbers of classes and of rows.

    Returns
    -------
    bool
        Whether most classes have a single row: more than 20 classes, and more than half as many as rows.

    Examples
    --------
    >>> are_many_classes(3, 4), are_many_classes(60, 100)
    (False, True)
    """
    return n_classes > _FEW_CLASSES and n_classes > n_rows / 2


def _refuse_many(classes: NDArray[Any], n_rows: int, owner: str) -> None:
    if not are_many_classes(classes.size, n_rows):
        return
    labels = classes.tolist()
    are_numbers = 2 * sum(map(is_number, labels)) > len(labels)
    numbers = f"; for numbers fit {with_article(owner.replace('Classifier', 'Regressor'))}" * are_numbers
    if (place := limit_among_numbers(labels)) is not None:
        numbers += f", but {labels[place]!r} is a limit: {LIMIT_OF_TARGET}"
    raise ValueError(
        f"y holds {classes.size} classes in {n_rows} rows, such as {classes.tolist()[0]!r}: most have a "
        f"single row, from which nothing is learnt{numbers}; give another target, or merge rare classes"
    )


def _classes_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct labels in increasing order; texts in an array of objects without sorting all."""
    if array.dtype.kind != "O" or not _are_texts(array):
        return np.unique(array)
    return np.asarray(sorted(set(array.tolist())), dtype=object)


def _are_texts(array: NDArray[Any]) -> bool:
    return set(map(type, array.tolist())) == {str}


def check_pos_label(label: Any, classes: NDArray[Any]) -> None:
    """Raise an error unless a label is one of two classes, or None.

    Parameters
    ----------
    label : object
        The value of the parameter.
    classes : ndarray of shape (n_classes,)
        The classes.

    Raises
    ------
    ValueError
        If it is not.
    TypeError
        If it is an array or missing.

    Examples
    --------
    >>> check_pos_label("yes", np.array(["no", "yes"]))
    """
    if label is None:
        return
    if np.ndim(label) or is_missing(label):
        found = f"{type(label).__name__} of {np.size(label)}" if np.ndim(label) else repr(label)
        raise TypeError(f"pos_label: got {found}; give one label, or None")
    known = classes.tolist()
    if len(known) > 2:
        raise ValueError(f"pos_label: got {label!r}, y holds {len(known)} classes; it is for two")
    if label not in known:
        numbers = (
            ". cross_val_predict, VotingClassifier and others of scikit-learn number the sorted classes: "
            f"give them y as 0 and 1, (y == {label!r}).astype(int), or pos_label as the number"
        ) * (isinstance(label, str) and known == [0, 1])
        raise ValueError(f"pos_label: got {label!r}; give one of {str(known)[1:-1]}, or None{numbers}")


def _with_last(classes: NDArray[Any], label: Any) -> NDArray[Any]:
    check_pos_label(label, classes)
    return classes if label == classes.tolist()[1] else np.ascontiguousarray(classes[::-1])


def _codes(array: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Positions of labels among the classes; -1 for none."""
    if array.dtype.kind in "biuf" and classes.dtype.kind in "biuf":
        order = np.argsort(classes)
        near = order[np.minimum(np.searchsorted(classes, array, sorter=order), classes.size - 1)]
        return np.where(classes[near] == array, near, -1)
    labels = classes.tolist()
    known = {label: code for code, label in enumerate(labels)}
    twins = {label: same_truth(label, labels) for label in set(array.tolist()) - set(known)}
    code_of = {label: known.get(twins.get(label, label), -1) for label in {*known, *twins}}
    return np.fromiter(map(code_of.__getitem__, array.tolist()), dtype=np.intp, count=array.size)


def _labels(y: Any, n_rows: int, owner: str) -> NDArray[Any]:
    given = _as_array(y, owner)
    if given.ndim == 2 and given.shape[1] > 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {given.shape} instead: {with_article(owner)} "
            "predicts one label. Fit one for each column, as "
            f"sklearn.multioutput.MultiOutputClassifier({owner}()) does. If each row has a 1 in exactly one "
            "column, give its position: y.argmax(axis=1)"
        )
    array: NDArray[Any] = column_or_1d(given, warn=True)
    _check_length(array, n_rows)
    if array.dtype.kind == "O" and _are_texts(array):
        for label in set(array.tolist()):
            refuse_surrogates(label, "y")
        return array
    _refuse_missing(array)
    refuse_mixed_labels(array)
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    array = _without_objects(array)
    for label in array if array.dtype.kind in "mMO" else ():
        if isinstance(label, (dt.date, dt.timedelta, np.datetime64, np.timedelta64)):
            raise ValueError(
                f"y holds the label {str(label)!r}, a date or duration; turn labels into text: str(label)"
            )
    with warnings.catch_warnings():  # `_refuse_many` says more of many classes
        warnings.filterwarnings("ignore", "The number of unique classes")
        check_classification_targets(array)
    if array.dtype.kind in "OU":
        for label in {label for label in array.tolist() if isinstance(label, str)}:
            refuse_surrogates(label, "y")
    return array
