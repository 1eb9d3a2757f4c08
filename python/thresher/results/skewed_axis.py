"""Axes of skewed numbers, which are linear near 0 and logarithmic far from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .shape_function import drawn_ends

_INNER = (0.05, 0.95)  # quantiles between which the numbers are many
_NARROW = 0.2  # fraction of an axis: steps and bars within it are too close together to be told apart
_APART = 0.13  # fraction of an axis, between two of its ticks
_FEW = 8  # numbers that say too little about the shape of a distribution


def linear_width(numbers: ArrayLike, low: float, high: float) -> float | None:
    """Return the distance from 0 up to which the axis of some numbers is linear.

    Parameters
    ----------
    numbers : array-like of shape (n,)
        The numbers, or cut points at quantiles of them. Zeros, which may be most of a column, do not count.
    low, high : float
        The ends of the axis.

    Returns
    -------
    float or None
        A quantile of the absolute numbers: the 5 % quantile, or that of the fraction on the side of 0 with
        fewer numbers. None if the whole axis is linear, as nine tenths of the numbers take more than a fifth
        of it.

    Examples
    --------
    >>> linear_width(range(100), 0.0, 99.0), linear_width(range(1, 101), 0.0, 1e6)
    (None, 5.95)
    """
    values = np.asarray(numbers, dtype=float)
    values = values[np.isfinite(values) & (values != 0)]
    if values.size < _FEW:
        return None
    first, last = np.quantile(values, _INNER)
    if last - first > _NARROW * (high - low):
        return None
    n_below = int(np.count_nonzero(values < 0))
    level = max(_INNER[0], min(n_below, values.size - n_below) / values.size)
    width = float(np.quantile(np.abs(values), level))
    # Numbers within the linear part are no better told apart than on a linear axis.
    return width if width < _NARROW * max(abs(low), abs(high)) else None


def to_axis(numbers: ArrayLike, width: float | None) -> NDArray[np.float64]:
    """Return the positions of numbers on an axis that is linear up to a distance from 0.

    Parameters
    ----------
    numbers : array-like
        The numbers.
    width : float or None
        The distance; None for an axis that is linear everywhere.

    Returns
    -------
    ndarray
        The positions.
    """
    values = np.asarray(numbers, dtype=float)
    return values if width is None else np.arcsinh(values / width)


def from_axis(positions: ArrayLike, width: float | None) -> NDArray[np.float64]:
    """Return the numbers at some positions of an axis, the inverse of `to_axis`.

    Parameters
    ----------
    positions : array-like
        The positions.
    width : float or None
        The distance from 0 up to which the axis is linear.

    Returns
    -------
    ndarray
        The numbers.
    """
    values = np.asarray(positions, dtype=float)
    return values if width is None else width * np.sinh(values)


def axis_ends(low: float, high: float, cuts: Sequence[float], width: float | None) -> tuple[float, float]:
    """Return the ends of an axis on which each step has a width.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number.
    cuts : sequence of float
        The cut points.
    width : float or None
        The distance from 0 up to which the axis is linear.

    Returns
    -------
    (float, float)
        The ends.
    """
    if width is None:
        return drawn_ends(low, high, cuts)
    first, last = to_axis([low, high], width)
    start, _ = drawn_ends(float(first), float(last), to_axis(cuts, width).tolist())
    return (float(from_axis(start, width)) if start < first else low), high


def skewed_ticks(low: float, high: float, width: float) -> list[float]:
    """Return powers of ten, and 0, with which the axis of skewed numbers is labelled.

    Parameters
    ----------
    low, high : float
        The ends of the axis.
    width : float
        The distance from 0 up to which it is linear.

    Returns
    -------
    list of float
        The ticks.

    Examples
    --------
    >>> skewed_ticks(-100.0, 20_000.0, 5.0)
    [-100.0, 0.0, 100.0, 1000.0, 10000.0]
    """
    first, last = to_axis([low, high], width)
    powers = np.arange(np.ceil(np.log10(width)), np.floor(np.log10(max(-low, high))) + 1)
    found = [0.0]
    for number in (10.0**powers).tolist():
        if to_axis(number, width) - to_axis(found[-1], width) > _APART * (last - first):
            found.append(number)
    ticks = {*found, *(-number for number in found)}
    return [tick for tick in sorted(ticks) if low <= tick <= high]
