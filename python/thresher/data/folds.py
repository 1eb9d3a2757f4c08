"""Folds for cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..fit_warnings import warn
from ..formatting.text import format_list, pluralize
from ..threads import is_whole
from .budget import Budget
from .groups import group_codes, group_labels
from .targets import Target

Fold = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Training rows and held-out rows."""

_NO_SPLIT = "cv: there is no split in it; give at least one pair of (train, test)"
_NO_SPLITS = (str, bytes, Mapping, Set)  # can be iterated over, but are no splits in an order
_USUAL = 5  # folds by default: fewer rows than that are no mistake of the user
_SHOWN = 5  # classes in a message
_SEED = 0  # the same folds in every run


def make_folds(
    cv: Any,
    target: Target,
    weights: NDArray[np.float64] | None,
    *,
    groups: Any = None,
    wanted: bool = True,
    strength: str = "alpha",
    budget: Budget | None = None,
) -> list[Fold] | None:
    """Split the rows into folds.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        A whole number k: k folds of rows shuffled in a fixed order, stratified by
        class for a classifier; fewer where there are too few rows or groups. A splitter: any
        object with ``split(X, y, groups)``.
    target : Target
        The target.
    weights : ndarray of shape (n_rows,) or None
        Row weights. Rows of weight 0 are in no fold.
    groups : array-like of shape (n_rows,), optional
        Each row's group, whose rows are in one fold. A splitter gets them as they are.
    wanted : bool, default=True
        Whether folds are needed; where they are not, `cv` is read all the same.
    strength : str, default="alpha"
        The parameter whose value the folds choose, for messages.
    budget : Budget, optional
        Its clock is looked at before each fold; by default there is no limit.

    Returns
    -------
    list of (train, test) or None
        Row numbers of each fold; None if `wanted` is False.

    Raises
    ------
    ValueError
        If there are too few rows, more folds than rows or groups, or a split is empty or out of range; if
        there is not one group for each row, or there are groups, and `cv` has the splits.
    TypeError
        If `cv` is none of the above.

    Warns
    -----
    UserWarning
        If `cv` is a number, and a class has fewer rows than there are folds; if a training part lacks a
        class, and no fold learns from it and tests it, as where it has one row. Its rows are then left out
        of all training parts.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.data.targets import Target
    >>> [test.size for _, test in make_folds(5, Target(np.zeros((10, 1))), None)]
    [2, 2, 2, 2, 2]
    """
    check_cv(cv)
    n_rows = target.values.shape[0]
    codes = None if groups is None else group_codes(groups, n_rows)
    if not wanted:
        if groups is not None:
            warn("groups: nothing is chosen by cross-validation, so that they have no effect", UserWarning)
        return None
    budget = budget or Budget()
    rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights > 0)
    if is_whole(cv):
        if codes is not None:
            folds = _of_groups(int(cv), target, rows, codes[rows], budget)
        else:
            folds = _shuffled(int(cv), target, rows, strength, budget)
        return _without_untested_classes(folds, target, strength, warn_of_rare=True)
    if hasattr(cv, "split"):
        if groups is None and _takes_groups(cv):
            raise ValueError(
                f"cv: a {type(cv).__name__} divides groups of rows; give the group of each row, "
                "fit(..., groups=...)"
            )
        y = target.values[:, 0] if target.codes is None else target.codes
        splits = cv.split(np.zeros((n_rows, 1)), y, None if groups is None else group_labels(groups))
    else:
        if groups is not None:
            raise ValueError("groups: cv has the splits already; leave groups out, or give a number of folds")
        splits = iter(cv)
    kept = None if weights is None else weights > 0
    splits = budget.within_time(splits, "folds", 1)
    folds = [_checked(fold, n_rows, kept, number) for number, fold in enumerate(splits)]
    if not folds:
        raise ValueError(_NO_SPLIT)
    return _without_untested_classes(folds, target, strength)


def _takes_groups(cv: Any) -> bool:
    """Return whether a splitter declares, as those of scikit-learn do, that it takes groups."""
    routing = getattr(cv, "get_metadata_routing", None)
    return routing is not None and routing().split.requests.get("groups") is True


def check_cv(cv: Any) -> None:
    """Raise an error unless `cv` defines folds.

    Parameters
    ----------
    cv : object
        The value of the parameter.

    Raises
    ------
    TypeError, ValueError
        If it is none of a number of at least 2, a splitter and a list of splits.

    Examples
    --------
    >>> check_cv(5)
    """
    if is_whole(cv):
        if cv < 2:
            raise ValueError(f"cv: got {cv} folds; at least 2 are needed")
    elif isinstance(cv, _NO_SPLITS) or not (hasattr(cv, "split") or np.iterable(cv)):
        raise TypeError(
            f"cv: got {cv!r}; give a number of folds, a splitter, or a list of (train, test) row numbers"
        )
    elif isinstance(cv, (list, tuple, np.ndarray)):
        if not len(cv):
            raise ValueError(_NO_SPLIT)
        for number, fold in enumerate(cv):
            _row_numbers(fold, number)


def _shuffled(
    n_splits: int, target: Target, rows: NDArray[np.int64], strength: str, budget: Budget
) -> list[Fold]:
    if n_splits > max(rows.size, _USUAL):
        raise ValueError(f"cv: got {n_splits} folds for {rows.size} rows; give at most {rows.size}")
    codes = None if target.codes is None else target.codes[rows]
    most = rows.size if codes is None else int(np.bincount(codes).max())
    n_splits = min(n_splits, most)
    if n_splits < 2:
        raise ValueError(
            f"cross-validation needs more rows: n_samples={rows.size} leaves nothing to hold out. "
            f"Give {strength} a number"
        )
    if codes is None:
        from sklearn.model_selection import KFold

        splits = KFold(n_splits, shuffle=True, random_state=_SEED).split(rows)
    else:
        splits = _stratified(n_splits, rows, codes)
    return [(rows[train], rows[test]) for train, test in budget.within_time(splits, "folds", 1)]


def _of_groups(
    n_splits: int, target: Target, rows: NDArray[np.int64], groups: NDArray[np.intp], budget: Budget
) -> list[Fold]:
    """Divide groups into folds; of a classifier so that the classes are as even as they can be."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    n_groups = np.unique(groups).size
    if n_splits > max(n_groups, _USUAL) or n_groups < 2:
        raise ValueError(
            f"groups: got {pluralize(n_groups, 'group')} for {n_splits} folds, which need a group each; give "
            "fewer folds (cv), at least 2, or more groups"
        )
    n_splits = min(n_splits, n_groups)
    codes = None if target.codes is None else target.codes[rows]
    folds = None
    if codes is not None and int(np.bincount(codes).max()) >= n_splits:
        splitter = StratifiedGroupKFold(n_splits, shuffle=True, random_state=_SEED)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            folds = list(budget.within_time(splitter.split(rows, codes, groups), "folds", 1))
    if folds is None or not all(test.size for _, test in folds):
        # Without classes, or where folds of even classes would leave one without groups.
        folds = list(budget.within_time(GroupKFold(n_splits).split(rows, groups=groups), "folds", 1))
    return [(rows[train], rows[test]) for train, test in folds]


def _without_untested_classes(
    folds: list[Fold], target: Target, strength: str, *, warn_of_rare: bool = False
) -> list[Fold]:
    """Leave a class out of the training parts if one of them lacks it, and no other fold tests it.

    Held-out losses would compare nothing about that class but how well a model that has seen its rows keeps
    other rows apart from them, which the largest models do best. Without its rows all strengths give the same
    model of the class, and the strongest is chosen.
    """
    if target.codes is None or target.classes is None:
        return folds
    labels = target.classes.tolist()
    n_train, n_test = (
        np.array([np.bincount(target.codes[fold[part]], minlength=len(labels)) for fold in folds])
        for part in (0, 1)
    )
    counts = n_train[0] + n_test[0]
    is_compared = ((n_train > 0) & (n_test > 0)).any(axis=0) | (n_train > 0).all(axis=0)
    if warn_of_rare:
        _warn_of_rare_classes(len(folds), labels, np.where(is_compared, counts, 0))
    left_out = np.flatnonzero(~is_compared & n_train.any(axis=0))
    if not left_out.size:
        return folds
    listed = _format_classes([(labels[code], int(n_train[:, code].max())) for code in left_out])
    warn(
        f"cv: no fold has rows of the {listed} both to learn from and to test, so that cross-validation says "
        f"nothing about {'it' if left_out.size == 1 else 'them'}: no fold learns from these rows, and of "
        f"equal losses that of the largest {strength} is taken. Give {strength} a number, or merge or leave "
        "out rare classes",
        UserWarning,
    )
    kept = ((train, test, ~np.isin(target.codes[train], left_out)) for train, test in folds)
    return [(train[is_kept] if is_kept.any() else train, test) for train, test, is_kept in kept]


def _format_classes(classes: list[tuple[Any, int]]) -> str:
    listed = format_list(classes, _SHOWN, lambda item: f"{item[0]!r} ({pluralize(item[1], 'row')})")
    return f"{'class' if len(classes) == 1 else 'classes'} {listed}"


def _warn_of_rare_classes(n_splits: int, labels: list[Any], counts: NDArray[np.intp]) -> None:
    """Warn of classes with fewer rows than folds: models of some folds are not tested on them."""
    rare = [
        (label, count) for label, count in zip(labels, counts.tolist(), strict=True) if 0 < count < n_splits
    ]
    if not rare:
        return
    verb = "has" if len(rare) == 1 else "have"
    warn(
        f"cv: the {_format_classes(rare)} {verb} fewer rows than there are folds ({n_splits}), so that some "
        "folds have none of them to test. Merge or leave out rare classes, or give fewer folds",
        UserWarning,
    )


def _stratified(n_splits: int, rows: NDArray[np.int64], codes: NDArray[np.intp]) -> Any:
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=_SEED)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(rows, codes))


def _row_numbers(fold: Any, number: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows, or the masks, of a split as arrays; raise an error where no data has them."""
    try:
        train, test = map(np.asarray, fold)
    except (TypeError, ValueError):
        raise TypeError(f"cv: split {number} is no pair of (train, test) row numbers") from None
    for rows, name in ((train, "train"), (test, "test")):
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iub"):
            raise TypeError(f"cv: the {name} rows of split {number} are no list of row numbers")
        if not (rows.any() if rows.dtype == bool else rows.size):
            raise ValueError(f"cv: split {number} has no {name} rows")
        if rows.min() < 0:
            raise ValueError(
                f"cv: split {number} names the {name} row {rows.min()}; rows are numbered from 0"
            )
    return train, test


def _checked(fold: Any, n_rows: int, kept: NDArray[np.bool_] | None, number: int) -> Fold:
    parts = []
    for given, name in zip(_row_numbers(fold, number), ("train", "test"), strict=True):
        if given.dtype == bool and given.shape != (n_rows,):
            raise ValueError(
                f"cv: the {name} mask of split {number} has shape {given.shape}, expected ({n_rows},)"
            )
        rows = np.flatnonzero(given) if given.dtype == bool else given.astype(np.int64)
        if rows.max() >= n_rows:
            raise ValueError(f"cv: split {number} names rows outside 0..{n_rows - 1}")
        rows = rows if kept is None else rows[kept[rows]]
        if not rows.size:
            raise ValueError(f"cv: split {number} has no {name} rows of positive weight")
        parts.append(np.ascontiguousarray(rows))
    return parts[0], parts[1]
