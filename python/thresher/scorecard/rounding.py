"""Whole points with a small largest error of a row.

A card adds a base and one value of each column. Column j rounds its values p to floor(p + t_j): the order
of the values is kept, equal values have equal points, and the errors fill an interval [low_j, high_j]. The
error of a row is then at most

    max(|e + sum_j low_j|, |e + sum_j high_j|),

with e the error of the base, and the bound is attained by the row of the worst bins. Only the order of t_j
among the fractional parts of the values matters, so that a column of m bins has at most m choices. The
narrowest interval leaves the largest gap between neighbouring fractional parts (on a circle) outside: its
width is at most 1 - 1/m, where ordinary rounding may need all of 1.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

_LEAST_GAIN = 1e-9  # points: differences below are due to the rounding of sums


@dataclass(frozen=True)
class Rounding:
    """Whole points of a card.

    Parameters
    ----------
    base : int
        The base points.
    points : tuple of tuple of int
        The points of each bin, column by column.
    max_error : float
        The largest absolute difference between the whole and the exact points of a row.
    """

    base: int
    points: tuple[tuple[int, ...], ...]
    max_error: float


@dataclass(frozen=True)
class _Choice:
    """A way to round a column: fractional parts from `up` on are rounded up, others down."""

    low: float
    high: float
    up: float

    def points(self, values: Sequence[float]) -> tuple[int, ...]:
        """Round the values of the column."""
        return tuple(math.floor(value) + (value - math.floor(value) >= self.up) for value in values)


def round_points(base: float, values: Sequence[Sequence[float]]) -> Rounding:
    """Round the points of a card to whole numbers.

    From the narrowest interval of each column on, and from ordinary rounding, single columns change their
    choice as long as the bound on the error of a row decreases; the better end is the result.

    Parameters
    ----------
    base : float
        The exact base points.
    values : sequence of sequence of float
        The exact points of each bin, column by column.

    Returns
    -------
    Rounding
        The whole points, and the bound: at most ``(1 + sum of (1 - 1/m_j)) / 2`` with m_j the number of bins
        of column j, less in general, and never more than that of ordinary rounding.

    Examples
    --------
    >>> found = round_points(0.0, [[0.4, 1.4, 5.4]])  # ordinary rounding: off by 0.4
    >>> found.base, found.points, round(found.max_error, 9)
    (0, ((0, 1, 5),), 0.4)
    >>> found = round_points(0.5, [[0.25, 0.75], [2.25, 2.75]])
    >>> found.max_error
    0.5
    """
    choices = [_choices(column) for column in values]
    narrowest = [min(of_column, key=lambda choice: choice.high - choice.low) for of_column in choices]
    ordinary = [next((c for c in of_column if -c.low < 0.5 <= c.up), of_column[-1]) for of_column in choices]
    starts = (_improved(base, choices, start) for start in (narrowest, ordinary))
    bound, chosen = min(starts, key=lambda found: found[0])
    points = tuple(choice.points(column) for choice, column in zip(chosen, values, strict=True))
    return Rounding(_best_base(base, chosen), points, bound)


def _improved(
    base: float, choices: Sequence[Sequence[_Choice]], start: Sequence[_Choice]
) -> tuple[float, list[_Choice]]:
    """Change the choices of single columns while the bound decreases; it ends, as there are finitely many."""
    chosen, best, is_done = list(start), _bound(base, start), False
    while not is_done:
        is_done = True
        for column, of_column in enumerate(choices):
            others = [*chosen[:column], *chosen[column + 1 :]]
            bounds = [_bound(base, [*others, choice]) for choice in of_column]
            least = min(range(len(of_column)), key=bounds.__getitem__)
            if bounds[least] < best - _LEAST_GAIN:
                chosen[column], best, is_done = of_column[least], bounds[least], False
    return best, chosen


def _choices(values: Sequence[float]) -> list[_Choice]:
    parts = sorted({value - math.floor(value) for value in values})
    found = [_Choice(-below, 1.0 - above, above) for below, above in itertools.pairwise(parts)]
    return [*found, _Choice(-parts[-1], -parts[0], math.inf)]


def _best_base(base: float, chosen: Sequence[_Choice]) -> int:
    """Return the whole number that centres the errors of the rows."""
    middle = (sum(choice.low for choice in chosen) + sum(choice.high for choice in chosen)) / 2
    return round(base - middle)


def _bound(base: float, chosen: Sequence[_Choice]) -> float:
    error = _best_base(base, chosen) - base
    low, high = sum(choice.low for choice in chosen), sum(choice.high for choice in chosen)
    return max(abs(error + low), abs(error + high))
