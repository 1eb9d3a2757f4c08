"""What the paths of models share: one solution a penalty, for each output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Points = Any  # an ndarray of shape (n_points,), or a list of them


class Path:
    """Solutions along a penalty; the base of the paths of every kind of model.

    Parameters
    ----------
    outputs : sequence of mapping
        What the core wrote: ``points`` and ``selected`` of each output.
    select : callable
        Makes a fitted estimator from one point for each output.
    """

    def __init__(self, outputs: Sequence[Mapping[str, Any]], select: Callable[[list[int]], Any]) -> None:
        self._outputs = outputs
        self._select = select

    def _each(self, take: Callable[[Mapping[str, Any]], Any]) -> Any:
        arrays = [take(output) for output in self._outputs]
        return arrays[0] if len(arrays) == 1 else arrays

    def _points(self, take: Callable[[Mapping[str, Any]], Any]) -> Points:
        return self._each(lambda output: np.asarray([take(point) for point in output["points"]]))

    def _ends(self, name: str) -> tuple[float, float]:
        """Return the least and the largest penalty of a path."""
        values = [point[name] for output in self._outputs for point in output["points"]]
        return min(values), max(values)

    def __len__(self) -> int:
        """Count the points (of the longest path)."""
        return max(len(output["points"]) for output in self._outputs)


class ScoredPath(Path):
    """Solutions that may have been cross-validated.

    Parameters
    ----------
    outputs : sequence of mapping
        What the core wrote: ``points``, ``selected`` and ``cv`` of each output.
    select : callable
        Makes a fitted estimator from one point for each output.
    """

    def _scores(self, name: str, of: str = "cv") -> Points:
        """Return a column of what ranks the points; None where nothing did."""
        return self._each(lambda output: None if output[of] is None else np.asarray(output[of][name]))

    @property
    def cv_mean(self) -> Points:
        """Mean held-out loss over the folds."""
        return self._scores("mean")

    @property
    def cv_se(self) -> Points:
        """Its standard error."""
        return self._scores("se")


def strength(name: str, value: float, *, zero: bool = False) -> float:
    """Check the strength of a penalty that a user asks for.

    Parameters
    ----------
    name : str
        Its name.
    value : float
        What was given.
    zero : bool, default=False
        Whether 0 is one.

    Returns
    -------
    float
        The strength.

    Raises
    ------
    ValueError
        If it is not finite and > 0 (or 0, where that is one).

    Examples
    --------
    >>> strength("alpha", 1)
    1.0
    """
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
        raise ValueError(f"{name}: got {value!r}; give a finite number {'>=' if zero else '>'} 0")
    return float(value)


def nearest(values: Sequence[float], wanted: float) -> list[int]:
    """Find the strengths nearest to one, on a log scale.

    Parameters
    ----------
    values : sequence of float
        Strengths of a path.
    wanted : float
        The strength to look for.

    Returns
    -------
    list of int
        Positions of the nearest, one or equals.

    Examples
    --------
    >>> nearest([1.0, 10.0, 100.0], 20.0)
    [1]
    """
    known = np.asarray(values, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(known == wanted, 0.0, np.abs(np.log(known) - np.log(wanted)))
    return [int(place) for place in np.flatnonzero(distance == distance.min())]


def beyond(wanted: float, end: float) -> bool:
    """Return whether a strength lies below the end of a path, by more than rounding.

    Parameters
    ----------
    wanted, end : float
        Strengths.

    Returns
    -------
    bool
        True if `wanted` < `end`.

    Examples
    --------
    >>> beyond(0.1, 0.2), beyond(0.2 * (1 - 1e-12), 0.2)
    (True, False)
    """
    return wanted < end * (1 - 1e-9)


def check_within(name: str, wanted: float, paths: Sequence[Sequence[float]], hint: str) -> None:
    """Refuse a strength beyond the ends of a path.

    Parameters
    ----------
    name : str
        The strength's name.
    wanted : float
        What was asked for.
    paths : sequence of sequence of float
        The strengths of each output. Where one begins later than another, its first model
        stands for every stronger penalty.
    hint : str
        What to do instead.

    Raises
    ------
    ValueError
        If it lies beyond the ends.

    Examples
    --------
    >>> check_within("alpha", 0.5, [[1.0, 0.1]], "fit_path with it")
    """
    low, high = max(map(min, paths)), max(map(max, paths))
    if beyond(wanted, low) or beyond(high, wanted):
        raise ValueError(f"{name}: got {wanted:g}; the path goes from {high:g} to {low:g}; {hint}")
