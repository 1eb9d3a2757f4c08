"""Validation of sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import LARGEST_WHOLE
from .alignment import to_array
from .numeric import to_floats

_LEAST = 1e-12
"""The least weight above 0, relative to the largest: of a row of this weight sums keep four digits."""


def are_counts(weights: NDArray[np.float64] | None) -> bool:
    """Return whether row weights are numbers of equal rows, as a fit takes them.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,) or None
        The weights of all rows: whether those of some rows count depends on the others.

    Returns
    -------
    bool
        Whether they are whole numbers with an exact sum, and those above 0 are not all equal.

    Examples
    --------
    >>> (
    ...     are_counts(np.array([2.0, 1.0, 0.0])),
    ...     are_counts(np.array([2.0, 0.5])),
    ...     are_counts(np.array([7.0, 7.0])),
    ... )
    (True, False, False)
    """
    if weights is None:
        return False
    positive = weights[weights > 0]
    is_whole = (positive == np.round(positive)).all() and positive.sum() <= LARGEST_WHOLE
    return bool(is_whole and (positive != positive[:1]).any())


def are_different(weights: NDArray[np.float64] | None) -> bool:
    """Return whether rows count differently, by weights above 0 that are not all equal.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,) or None
        Row weights; None: 1.

    Returns
    -------
    bool
        Whether two of those above 0 differ.

    Examples
    --------
    >>> are_different(np.array([2.0, 0.0, 2.0])), are_different(np.array([1.0, 2.0]))
    (False, True)
    """
    return weights is not None and np.unique(weights[weights > 0]).size > 1


def effective_rows(weights: NDArray[np.float64], counts_rows: bool) -> float:
    """Return the number of rows that weighted rows are worth.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Row weights, not all 0.
    counts_rows : bool
        Whether they are numbers of equal rows, by :func:`are_counts`.

    Returns
    -------
    float
        Their sum if they are; else ``(sum w)^2 / sum w^2``, the number of rows of equal weight whose mean
        would vary as much.

    Examples
    --------
    >>> effective_rows(np.array([2.0, 2.0]), True), effective_rows(np.array([2.0, 2.0, 0.0]), False)
    (4.0, 2.0)
    """
    if counts_rows:
        return float(weights.sum())
    relative = weights / weights.max()  # squares of large or small weights are no numbers
    return float(relative.sum() ** 2 / (relative @ relative))


def weight_of_bins(
    codes: NDArray[np.intp], n_bins: int, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Add up the weights of the rows of each bin.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Positions of bins.
    n_bins : int
        The number of bins.
    weights : ndarray of shape (n_rows,) or None
        Row weights; None: 1.

    Returns
    -------
    ndarray of shape (n_bins,)
        The sums.

    Examples
    --------
    >>> weight_of_bins(np.array([0, 2, 2]), 4, None).tolist()
    [1.0, 0.0, 2.0, 0.0]
    """
    return np.bincount(codes, weights=weights, minlength=n_bins).astype(np.float64)


def half_a_row(weights: NDArray[np.float64] | None, counts_rows: bool) -> float:
    """Return the weight of half a row, which takes the place of an empty cell.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,) or None
        Row weights; None: 1.
    counts_rows : bool
        Whether they are numbers of equal rows.

    Returns
    -------
    float
        0.5 without weights, and of numbers of equal rows; else half of the mean of the positive weights.

    Examples
    --------
    >>> half_a_row(np.array([0.0, 1.0, 3.0]), True), half_a_row(np.array([0.0, 1.0, 3.0]), False)
    (0.5, 1.0)
    """
    if weights is None or counts_rows:
        return 0.5
    return 0.5 * float(weights[weights > 0].mean())


def first_text(values: Any) -> tuple[int, Any] | None:
    """Find the first weight that is no number.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        The weights.

    Returns
    -------
    (int, object) or None
        Its row and what it is; None if each is a number or missing, or they are no list of weights.

    Examples
    --------
    >>> first_text([1.5, "low", "2"])
    (1, 'low')
    """
    for row, value in enumerate(np.asarray(to_array(values), dtype=object).ravel().tolist()):
        try:
            float(np.nan if value is None else value)
        except (TypeError, ValueError):
            return row, value
    return None


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
        If the shape is wrong, a weight is negative, NaN or infinite, all are 0, or they are too large to be
        added up, or of sizes too far apart.

    Examples
    --------
    >>> row_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if sample_weight is None:
        return None
    try:
        weights = to_floats(to_array(sample_weight))
    except (TypeError, ValueError):
        text = first_text(sample_weight)
        found = "must hold" if text is None else f"holds {text[1]!r} in row {text[0]}; give"
        raise ValueError(f"sample_weight {found} one number for each row") from None
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
    check_sizes(weights, "sample_weight")
    return weights


def n_of_weight(weights: NDArray[np.float64] | None, n_rows: int) -> int:
    """Count the rows of weight above 0.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,) or None
        Row weights; None where all are 1.
    n_rows : int
        The number of rows.

    Returns
    -------
    int
        The rows that count.

    Examples
    --------
    >>> n_of_weight(np.array([2.0, 0.0]), 2), n_of_weight(None, 2)
    (1, 2)
    """
    return n_rows if weights is None else int(np.count_nonzero(weights > 0))


def check_sizes(weights: NDArray[np.float64], name: str) -> None:
    """Raise an error if the sum of the weights, or a positive one relative to the largest, is out of range.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        The weights, none of them negative.
    name : str
        What they are, for messages.

    Raises
    ------
    ValueError
        If they are too large to be added up, or of sizes too far apart.
    """
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise ValueError(f"{name}: the weights sum to {total}: divide them by their mean")
    largest, smallest = int(weights.argmax()), int(np.where(weights > 0, weights, np.inf).argmin())
    if weights[smallest] < _LEAST * weights[largest]:
        raise ValueError(
            f"{name} is {weights[smallest]:g} in row {smallest} and {weights[largest]:g} in row "
            f"{largest}: rows of less than {_LEAST:g} of the largest weight are lost in sums over all rows; "
            "give 0 to rows that shall not count, and weights of similar sizes to the others"
        )
