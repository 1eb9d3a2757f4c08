"""Where features are cut: Algorithms 3 and 4 of Safe RuleFit, between all neighbours, in equal widths.

A row of integer weight w stands for w copies of the row, here literally: the values are
repeated before anything is computed; weights that are all the same are 1, since a multiple
of the weights means the same. Missing values (NaN) and rows of weight 0 are left out.

References
----------
Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by Meta Safe
Screening", appendix B.2. The index of Algorithm 3 is the rank q n / M of the sorted
values (the paper prints q / n).
"""

from __future__ import annotations

import itertools
import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def repeated(values: Floats, weights: Floats | None) -> list[float]:
    """The values in ascending order, each as often as its integer weight says."""
    out: list[float] = []
    if weights is not None and len(set(weights[weights > 0])) == 1:
        weights = (weights > 0).astype(float)
    for i, x in enumerate(values):
        if math.isnan(x):
            continue
        copies = 1.0 if weights is None else float(weights[i])
        if copies != int(copies):
            raise ValueError("the oracle repeats rows: weights must be whole numbers")
        out.extend([float(x)] * int(copies))
    return sorted(out)


def shortest(low: float, target: float, high: float) -> float:
    """The number c of fewest digits with low <= c < high nearest to the target, the lower one on a tie."""
    for digits in range(1, 18):
        nearest = (Context(digits, r).plus(Decimal(target)) for r in (ROUND_FLOOR, ROUND_CEILING))
        fitting = [(abs(float(c) - target), float(c)) for c in nearest if low <= float(c) < high]
        if fitting:
            return min(fitting)[1] + 0.0
    raise AssertionError("17 digits are enough for every number")


def between(a: float, b: float) -> float:
    """A cut between a < b, `x <= cut` below: in the middle half of the gap, unless both ends are whole."""
    middle = a + (b - a) / 2 if math.isinf(a + b) else (a + b) / 2
    target = middle if middle < b else a
    if a.is_integer() and b.is_integer():
        return shortest(a, target, b)
    quarter = (b - a) / 4
    return shortest(min(a + quarter, target), target, max(b - quarter, math.nextafter(target, math.inf)))


def midpoints(values: Floats, weights: Floats | None = None) -> list[float]:
    """A cut between every two neighbouring distinct values."""
    if weights is not None:
        values = values[weights > 0]
    distinct = sorted({float(x) for x in values if not math.isnan(x)})
    return [between(a, b) for a, b in itertools.pairwise(distinct)]


def quantiles(values: Floats, bins: int, weights: Floats | None = None) -> list[float]:
    """Algorithm 3: cuts near the q / M quantiles, q = 1 .. M - 1."""
    x = repeated(values, weights)
    distinct = sorted(set(x))
    if len(distinct) <= bins:
        return [between(a, b) for a, b in itertools.pairwise(distinct)]
    n, cuts = len(x), set()
    for q in range(1, bins):
        lower = x[q * n // bins - 1]
        upper = x[-(-q * n // bins) - 1]
        if lower != upper:
            cuts.add(between(lower, upper))
            continue
        below = max((v for v in distinct if v < lower), default=None)
        above = min((v for v in distinct if v > lower), default=None)
        # The nearer distinct neighbour; at equal distances that whose cut has about q n / M values below it.
        if below is None or above is None:
            is_lower = above is None
        elif abs((above - lower) - (lower - below)) <= 1.2e-7 * max(abs(below), abs(above)):
            n_before, n_upto = sum(v < lower for v in x), sum(v <= lower for v in x)
            is_lower = q * n - n_before * bins <= n_upto * bins - q * n
        else:
            is_lower = lower - below < above - lower
        if is_lower:
            assert below is not None
            cuts.add(between(below, lower))
        else:
            assert above is not None
            cuts.add(between(lower, above))
    return sorted(cuts)


def intervals(values: Floats, delta: float, weights: Floats | None = None) -> list[float]:
    """Algorithm 4: between sorted neighbours more than delta * range apart."""
    if weights is not None:
        values = values[weights > 0]
    x = sorted(float(v) for v in values if not math.isnan(v))
    if not x:
        return []
    limit = delta * (x[-1] - x[0])
    pairs = itertools.pairwise(x)
    return sorted({between(a, b) for a, b in pairs if b - a > limit})


def uniform(values: Floats, bins: int) -> list[float]:
    """Near the bounds of equal parts of the range; between the neighbours where several bounds are."""
    x = sorted({float(v) for v in values if not math.isnan(v)})
    if not x:
        return []
    bounds = [x[0] * (1 - k / bins) + x[-1] * (k / bins) for k in range(1, bins)]
    found = []
    for a, b in itertools.pairwise(x):
        inside = [bound for bound in bounds if a <= bound < b]
        if inside:
            found.append(shortest(a, inside[0], b) if len(inside) == 1 else between(a, b))
    return found
