"""Additive models of step functions by enumeration: every segmentation of every column written out.

A column is the list of its bins with an order or none, bins of special codes, a bin of missing values or
none, and a direction. A segmentation is a tuple with the piece of each bin. For each combination of
segmentations the problem is convex and smooth, and Newton's method solves it; the least of these values is
the optimum. The lower bound is computed from the same lists: the largest gain of a column is the largest over
its segmentations.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

Vector = NDArray[np.float64]
Segmentation = tuple[int, ...]


@dataclass(frozen=True)
class Column:
    """The bins of one column and the bin of each row."""

    codes: NDArray[np.int64]
    n_bins: int
    ordered: bool
    missing: bool
    direction: int | str = 0
    n_special: int = 0

    @property
    def n_present(self) -> int:
        """Number of bins of numbers or categories."""
        return self.n_bins - self.missing - self.n_special if self.ordered else self.n_bins

    def n_number_pieces(self, pieces: Segmentation) -> int:
        """Number of pieces with numbers."""
        return int(max(pieces[: self.n_present], default=-1)) + 1

    def own_codes(self, pieces: Segmentation) -> list[bool]:
        """Whether each bin is that of a special code alone in its piece."""
        codes = range(self.n_present, self.n_present + self.n_special)
        return [k in codes and pieces.count(pieces[k]) == 1 for k in range(self.n_bins)]

    def segmentations(self) -> Iterator[Segmentation]:
        """Each grouping of the bins that the column allows but for weights and directions, once."""
        if not self.ordered:
            yield from _partitions(self.n_bins)
            return
        for jumps in itertools.product((0, 1), repeat=max(self.n_present - 1, 0)):
            pieces = tuple(np.cumsum((0, *jumps)).tolist()) if self.n_present else ()
            last = max(pieces, default=-1)
            for own in itertools.product((False, True), repeat=self.n_special):
                # The pool (missing values, and codes that count as missing) follows pieces of single codes.
                apart = last + sum(own) + 1
                places = {*range(last + 1), apart} if self.direction == 0 or last == 0 else {apart}
                n_pooled = self.n_special - sum(own)
                if not self.missing and n_pooled == 0:
                    places = {apart}  # there is no pool
                elif not self.missing and n_pooled == 1:
                    places -= {apart}  # the same as a piece of its own
                for pool in places:
                    number = itertools.count(last + 1)
                    of_codes = tuple(next(number) if alone else pool for alone in own)
                    yield (*pieces, *of_codes, *((pool,) if self.missing else ()))


CURVES = {"convex": 1, "concave": -1}


def has_trend(values: Vector, direction: int | str, tolerance: float = 1e-9) -> bool:
    """Whether values rise (1), fall (-1), do either ("auto"), rise then fall ("peak"), or the reverse.

    Those of "convex" functions have jumps that ascend, and of "concave" ones jumps that descend.
    """
    steps = np.diff(values)
    if direction in CURVES:
        return bool((CURVES[str(direction)] * np.diff(steps[np.abs(steps) > tolerance]) >= -tolerance).all())
    rises, falls = steps >= -tolerance, steps <= tolerance
    if direction == "auto":
        return bool(rises.all() or falls.all())
    if direction in ("peak", "valley"):
        first, then = (rises, falls) if direction == "peak" else (falls, rises)
        return any(first[:k].all() and then[k:].all() for k in range(len(steps) + 1))
    return bool(np.all(steps * direction >= -tolerance))


def _partitions(n: int) -> Iterator[Segmentation]:
    """Set partitions of n bins as restricted growth strings."""
    if n == 0:
        yield ()
        return
    for head in _partitions(n - 1):
        yield from ((*head, piece) for piece in range(max(head, default=-1) + 2))


@dataclass(frozen=True)
class Problem:
    """Rows, penalties and limits; y holds numbers, or -1 and 1."""

    columns: list[Column]
    y: Vector
    weights: Vector
    loss: str
    lambda0: float
    lambda2: float = 0.0
    ridge: float = 0.0
    min_weight: float = 0.0
    max_columns: int | None = None

    def bin_weights(self, column: Column) -> Vector:
        """Weight of the rows of each bin."""
        return np.bincount(column.codes, self.weights, column.n_bins)

    def allowed(self, column: Column) -> list[Segmentation]:
        """The segmentations whose pieces have the least weight; special codes need none and do not count.

        With a trend only pieces of numbers need it.
        """
        weights = self.bin_weights(column)
        if column.ordered:
            weights[column.n_present : column.n_present + column.n_special] = 0.0

        def is_allowed(pieces: Segmentation) -> bool:
            n = max(pieces) + 1
            exempt = np.where(column.own_codes(pieces), self.min_weight, weights)
            limited = n if column.direction == 0 else column.n_number_pieces(pieces)
            return n == 1 or np.bincount(pieces, exempt, n)[:limited].min() >= self.min_weight

        return [pieces for pieces in column.segmentations() if is_allowed(pieces)]

    # ------------------------------------------------------------------ the optimum

    def expansion(self, f: Vector) -> tuple[float, Vector, Vector]:
        """The summed loss, its slopes and its curvatures."""
        v, y = self.weights, self.y
        if self.loss == "squared":
            return float(0.5 * v @ (f - y) ** 2), v * (f - y), v.copy()
        if self.loss == "logistic":
            p = 1 / (1 + np.exp(y * f))
            return float(v @ np.logaddexp(0, -y * f)), -v * y * p, v * p * (1 - p)
        e = v * np.exp(-y * f)
        return float(e.sum()), -y * e, e

    def optimum(self) -> float:
        """The least objective over all combinations of segmentations."""
        allowed = [sorted(self.allowed(column), key=max) for column in self.columns]
        # Each bin its own piece contains every model, and no jump has a price.
        finest = [tuple(range(column.n_bins)) for column in self.columns]
        free = [replace(column, direction=0) for column in self.columns]
        floor = replace(self, columns=free, lambda0=0.0, lambda2=0.0)._fit(finest)[0]
        best = np.inf
        for combination in sorted(itertools.product(*allowed), key=lambda s: sum(map(max, s))):
            jumps = sum(map(max, combination))
            if floor + self.lambda0 * jumps >= best:
                break
            if self.max_columns is not None and sum(max(s) > 0 for s in combination) > self.max_columns:
                continue
            value, feasible = self._fit(list(combination))
            best = min(best, value) if feasible else best
        return best

    def _fit(self, combination: list[Segmentation]) -> tuple[float, bool]:
        """The least objective with given segmentations, and whether it keeps the directions.

        That with ordered jumps is the least over all sets of jumps that are equal to the one before.
        """
        design = [np.ones((len(self.y), 1))]
        penalty_weights, ties = [0.0], []
        for column, pieces in zip(self.columns, combination, strict=True):
            n, first = max(pieces) + 1, len(penalty_weights)
            if n == 1:
                continue
            of_bin = np.asarray(pieces)
            design.append((of_bin[column.codes][:, None] == np.arange(n)) * 1.0)
            penalty_weights += np.bincount(of_bin, self.bin_weights(column), n).tolist()
            ties.append((column, first, n, column.n_number_pieces(pieces)))
        X, w = np.hstack(design), self.ridge * np.asarray(penalty_weights)
        jumps = sum(max(pieces) for pieces in combination)
        equalities = []
        for column, first, _, numbers in ties:
            for k in range(first, first + numbers - 2):
                if column.direction in CURVES:
                    equalities.append(np.zeros(X.shape[1]))
                    equalities[-1][k : k + 3] = 1, -2, 1
        best = np.inf, False
        for size in range(len(equalities) + 1):
            for active in itertools.combinations(equalities, size):
                beta = self._newton(X, w, ties, null_space(np.asarray(active)) if active else None)
                feasible = all(has_trend(beta[a : a + numbers], c.direction) for c, a, _, numbers in ties)
                value = self._smooth(X, w, ties, beta)[0] + self.lambda0 * jumps
                if (not feasible, value) < (not best[1], best[0]):
                    best = value, feasible
            if best[1] and size == 0:
                break
        return best

    def _smooth(
        self, X: Vector, w: Vector, ties: list[tuple[Column, int, int, int]], beta: Vector
    ) -> tuple[float, Vector, Vector]:
        value, slope, curvature = self.expansion(X @ beta)
        gradient, hessian = X.T @ slope, X.T @ (X * curvature[:, None])
        if self.loss == "exponential":
            value += w @ (2 * np.cosh(beta) - 2)
            gradient, hessian = gradient + 2 * w * np.sinh(beta), hessian + np.diag(2 * w * np.cosh(beta))
        else:
            value += w @ beta**2
            gradient, hessian = gradient + 2 * w * beta, hessian + np.diag(2 * w)
        for column, first, n, _ in ties if self.lambda2 else ():
            # The jumps of categories are those between neighbours in the order of their values.
            inside = beta[first : first + n]
            order = np.arange(n) if column.ordered else np.argsort(inside)
            D = np.zeros((n - 1, len(beta)))
            D[np.arange(n - 1), first + order[1:]], D[np.arange(n - 1), first + order[:-1]] = 1, -1
            value += self.lambda2 * ((D @ beta) ** 2).sum()
            gradient, hessian = (
                gradient + 2 * self.lambda2 * D.T @ D @ beta,
                hessian + 2 * self.lambda2 * D.T @ D,
            )
        return float(value), gradient, hessian

    def _newton(
        self,
        X: Vector,
        w: Vector,
        ties: list[tuple[Column, int, int, int]],
        basis: Vector | None,
    ) -> Vector:
        """The minimiser, among the combinations of the columns of a basis if there is one."""
        beta = np.zeros(X.shape[1])
        value, gradient, hessian = self._smooth(X, w, ties, beta)
        for _ in range(60):
            if basis is None:
                step = np.linalg.lstsq(hessian, -gradient, rcond=1e-13)[0]
            else:
                reduced = basis.T @ hessian @ basis
                step = basis @ np.linalg.lstsq(reduced, -basis.T @ gradient, rcond=1e-13)[0]
            if -(gradient @ step) <= 1e-13 * (1 + abs(value)):  # twice what is left to gain
                break
            for halving in range(30):
                other = self._smooth(X, w, ties, beta + 0.5**halving * step)
                if other[0] < value:
                    break
            else:
                break
            done = value - other[0] <= 1e-13 * (1 + abs(value))
            beta = beta + 0.5**halving * step
            value, gradient, hessian = other
            if done:
                break
        return beta

    # ------------------------------------------------------------------ the lower bound

    def dual(self, f: Vector) -> float:
        """The lower bound at predictions, which first get their optimal intercept by bisection."""
        low, high = -60.0, 60.0
        for _ in range(70):  # then the ends differ by less than rounding
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.expansion(f + middle)[1].sum() > 0 else (middle, high)
        f = f + 0.5 * (low + high)
        value, theta, _ = self.expansion(f)
        gains = sorted((self.gain(column, theta) for column in self.columns), reverse=True)
        # The minimum of loss - theta f is at f, because theta is the slope there.
        return value - theta @ f - sum(gains[: self.max_columns])

    def gain(self, column: Column, theta: Vector) -> float:
        """The largest gain of a column: the smaller one of the bounds by ridge and by jumps."""
        g, w = np.bincount(column.codes, -theta, column.n_bins), self.bin_weights(column)
        best = np.inf
        if self.ridge > 0:
            kept = self.allowed(column) if column.ordered else column.segmentations()
            best = max(self._ridge_gain(column, pieces, g, w) for pieces in kept)
        is_ordered = column.ordered and column.n_present == column.n_bins
        if self.lambda2 > 0 and (column.n_bins == 1 or is_ordered):
            above = np.cumsum(g[::-1])[::-1][1:]
            above = above[above * (0 if isinstance(column.direction, str) else column.direction) >= 0]
            best = min(best, np.maximum(above**2 / (4 * self.lambda2) - self.lambda0, 0).sum())
        return best

    def _ridge_gain(self, column: Column, pieces: Segmentation, g: Vector, w: Vector) -> float:
        n = max(pieces) + 1
        G, W = np.bincount(pieces, g, n), self.ridge * np.bincount(pieces, w, n)
        u = np.divide(G, 2 * W, out=np.zeros(n), where=W > 0)
        # Convex functions are among those with a valley, concave ones among those with a peak.
        direction = {"convex": "valley", "concave": "peak"}.get(str(column.direction), column.direction)
        if not has_trend(u[: column.n_number_pieces(pieces)], direction, 0.0):
            return -np.inf  # merging the two pieces gains more
        if self.loss == "exponential":
            value = G * np.arcsinh(u) - 2 * W * (np.sqrt(1 + u**2) - 1)
        else:
            value = G * u / 2
        return float(value.sum() - self.lambda0 * (n - 1))
