"""Bins whose best values break a trend, and the cut points that are left when they are merged."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TRENDS = {
    "increasing": "rise",
    "decreasing": "fall",
    "monotone": "only rise or only fall",
    "peak": "rise and then fall",
    "valley": "fall and then rise",
}
"""What the values of a trend must do."""


def groups_of_trend(values: Floats, weights: Floats, trend: str) -> list[int]:
    """Merge neighbouring bins until their means follow a trend, by pooling adjacent violators.

    Parameters
    ----------
    values, weights : ndarray of shape (n_bins,)
        The best value of each bin, and its weight.
    trend : str
        The trend. Of two directions that which the values break least is taken, and of all turning points
        the same.

    Returns
    -------
    list of int
        The number of bins of each merged one; all are 1 where the values follow the trend, or it is none of
        these.

    Examples
    --------
    >>> groups_of_trend(np.array([3.0, 4.0, 1.0, 5.0]), np.ones(4), "increasing")
    [3, 1]
    """
    if trend not in TRENDS:
        return [1] * len(values)
    merged: list[tuple[float, float, int]] = []
    rising: list[bool] = []  # whether the value rises to the next merged bin
    directions = [*_rises(values, trend).tolist(), True]
    for value, weight, direction in zip(values.tolist(), weights.tolist(), directions, strict=True):
        merged.append((value, weight, 1))
        while rising and (merged[-1][0] - merged[-2][0]) * (1 if rising[-1] else -1) < 0:
            (first, w, n), (last, v, m) = merged.pop(-2), merged.pop()
            merged.append(((w * first + v * last) / (w + v), w + v, n + m))
            rising.pop()
        rising.append(direction)
    return [n for _, _, n in merged]


def _rises(values: Floats, trend: str) -> NDArray[np.bool_]:
    """Return for each pair of neighbours whether the value is to rise, in the way that is broken least."""
    steps = np.diff(values)
    turns = np.arange(steps.size + 1)[:, None] > np.arange(steps.size)  # row k: the first k steps
    rises = {
        "increasing": turns[-1:],
        "decreasing": turns[:1],
        "monotone": turns[[0, -1]],
        "peak": turns,
        "valley": ~turns,
    }[trend]
    wrong = np.where(rises, steps < 0, steps > 0)
    found: NDArray[np.bool_] = rises[np.argmin((wrong * np.abs(steps)).sum(axis=1))]
    return found


def merges(cuts: Sequence[float], kept: Collection[float]) -> str:
    """Name the bins that are merged, counted from 1, where some cut points are left.

    Examples
    --------
    >>> merges([10, 20, 30, 40, 50], [10, 40])
    '2 to 4, 5 to 6'
    """
    ends = [k + 1 for k, cut in enumerate(cuts) if cut in kept]
    groups = itertools.pairwise([0, *ends, len(cuts) + 1])
    return ", ".join(f"{start + 1} to {end}" for start, end in groups if end - start > 1)
