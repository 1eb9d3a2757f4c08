"""The best values of step functions whose pieces are given: a convex problem, solved by Newton's method."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from ...results.line_fit import margin_loss, shorten_step

Floats = NDArray[np.float64]

_TOLERANCE = 1e-13  # of the Newton decrement, relative to the objective
_MOST_ITERATIONS = 200
_LARGEST_KEY = 2**32  # of a cell, beyond which keys are numbered anew
_SMALLEST_EIGENVALUE = 1e-13  # relative to the largest: below it a direction changes nothing


@dataclass(frozen=True)
class Refit:
    """The best values of given pieces.

    Parameters
    ----------
    intercept : float
        The intercept.
    values : tuple of ndarray of shape (n_pieces,)
        The values of the pieces of each column; their weighted mean over the rows is 0.
    loss : float
        The sum of the losses.
    penalty : float
        The ridge penalty.
    """

    intercept: float
    values: tuple[Floats, ...]
    loss: float
    penalty: float


@dataclass(frozen=True)
class RefitProblem:
    """Rows, responses and penalties of a model.

    Parameters
    ----------
    loss : {"squared", "logistic", "exponential"}
        The loss.
    y : ndarray of shape (n_rows,)
        Responses; classes as -1 and 1.
    weights : ndarray of shape (n_rows,)
        Row weights.
    ridge : float
        Penalty on squared values, for a row of weight 1.
    """

    loss: str
    y: Floats
    weights: Floats
    ridge: float

    def solve(
        self, pieces: Sequence[NDArray[np.intp]], curves: Sequence[tuple[int, int]] | None = None
    ) -> Refit:
        """Find the best intercept and values.

        Minimises ``sum_i v_i loss(y_i, b + sum_j u_j[c_ij]) + ridge sum_j sum_k W_jk r(u_jk)``, with c the
        pieces, W their weights and r(u) = u^2, for the exponential loss 2 cosh(u) - 2. The means of the
        functions then go into the intercept.

        Parameters
        ----------
        pieces : sequence of ndarray of shape (n_rows,)
            The piece of each row, column by column; every piece has a row of positive weight.
        curves : sequence of (int, int), optional
            For each column 1 if the jumps of its values must ascend (a convex function), -1 if they must
            descend, 0 if they are free; and the number of its pieces that this is about, the first ones.

        Returns
        -------
        Refit
            The best values.
        """
        cells, pieces, constant = self._cells(pieces)
        found = cells._solve(pieces, curves or [(0, 0)] * len(pieces))
        return replace(found, loss=found.loss + constant)

    def loss_of(self, f: Floats) -> float:
        """Return the sum of the losses of decision values."""
        return self._loss(f)[0]

    def _cells(
        self, pieces: Sequence[NDArray[np.intp]]
    ) -> tuple[RefitProblem, list[NDArray[np.intp]], float]:
        """Merge the rows with the same pieces (and class); numbers have their mean, and a constant loss."""
        is_number = self.loss == "squared"
        key = np.zeros(len(self.y), dtype=np.int64) if is_number else (self.y > 0).astype(np.int64)
        for codes in pieces:
            key = key * (int(codes.max()) + 1) + codes
            if key.max() > _LARGEST_KEY:
                key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        weights = np.bincount(cell, self.weights).astype(np.float64)
        y, constant = self.y[first], 0.0
        if is_number:
            y = np.bincount(cell, self.weights * self.y) / weights
            constant = 0.5 * float(self.weights @ (self.y - y[cell]) ** 2)
        return replace(self, y=y, weights=weights), [codes[first] for codes in pieces], constant

    def _solve(self, pieces: Sequence[NDArray[np.intp]], curves: Sequence[tuple[int, int]]) -> Refit:
        design = _Design(pieces, len(self.y))
        weights = design.sums(self.weights)
        x = self._newton(design, weights, _Coordinates(design, curves))
        loss, penalty = self._loss(design.predictions(x))[0], self._penalty(x, weights)[0]
        intercept, values = float(x[0]), []
        for own in design.slices:
            mean = float(np.average(x[own], weights=weights[own]))
            intercept += mean
            values.append(x[own] - mean)
        return Refit(intercept, tuple(values), loss, penalty)

    def _newton(self, design: _Design, weights: Floats, coordinates: _Coordinates) -> Floats:
        """Minimise; each step decreases a convex objective, and the last ones converge quadratically."""
        u = np.zeros(design.size)

        def objective(point: Floats) -> float:
            x = coordinates.values(point)
            return self._loss(design.predictions(x))[0] + self._penalty(x, weights)[0]

        current = objective(u)
        for _ in range(_MOST_ITERATIONS):
            x = coordinates.values(u)
            _, slope, curvature = self._loss(design.predictions(x))
            _, own_slope, own_curvature = self._penalty(x, weights)
            gradient = design.sums(slope) + own_slope
            hessian = design.products(curvature) + np.diag(own_curvature)
            step, decrement = coordinates.step(hessian, gradient, u)
            if decrement <= _TOLERANCE * max(1.0, abs(current)):
                break
            u, current = shorten_step(objective, u, step, current, decrement)
        return coordinates.values(u)

    def _loss(self, f: Floats) -> tuple[float, Floats, Floats]:
        """Return the sum of the losses, and their first and second derivatives."""
        y, w = self.y, self.weights
        if self.loss == "squared":
            return 0.5 * float(w @ (y - f) ** 2), w * (f - y), w
        values, slopes, curvatures = margin_loss(self.loss, y * f)
        return float(w @ values), w * y * slopes, w * curvatures

    def _penalty(self, x: Floats, weights: Floats) -> tuple[float, Floats, Floats]:
        """Return the ridge penalty of the values, and its derivatives; the intercept has none."""
        u, scale = x.copy(), self.ridge * weights
        u[0] = scale[0] = 0.0
        if self.loss == "exponential":
            with np.errstate(over="ignore"):
                return float(scale @ (2 * np.cosh(u) - 2)), 2 * scale * np.sinh(u), 2 * scale * np.cosh(u)
        return float(scale @ u**2), 2 * scale * u, 2 * scale


class _Design:
    """A column of ones and an indicator of each piece, for each row, without the matrix as a whole."""

    def __init__(self, pieces: Sequence[NDArray[np.intp]], n_rows: int) -> None:
        sizes = [int(codes.max()) + 1 for codes in pieces]
        ends = np.cumsum([1, *sizes]).tolist()
        self.slices = [slice(start, end) for start, end in itertools.pairwise(ends)]
        ones = np.zeros((n_rows, 1), dtype=np.intp)
        own = [codes + part.start for codes, part in zip(pieces, self.slices, strict=True)]
        self.places, self.size = np.column_stack([ones, *own]), ends[-1]

    def predictions(self, x: Floats) -> Floats:
        """Return the sum of the values of each row."""
        found: Floats = x[self.places].sum(axis=1)
        return found

    def sums(self, values: Floats) -> Floats:
        """Add up a value of each row in each piece."""
        found = np.zeros(self.size)
        for own in self.places.T:
            found += np.bincount(own, values, minlength=self.size)
        return found

    def products(self, values: Floats) -> Floats:
        """Add up a value of each row in each pair of pieces."""
        found: Floats = np.diag(self.sums(values))
        own = [codes - part.start for codes, part in zip(self.places.T[1:], self.slices, strict=True)]
        found[0, 1:] = found[1:, 0] = np.diag(found)[1:]
        for (j, first), (k, second) in itertools.combinations(enumerate(self.slices), 2):
            n, m = first.stop - first.start, second.stop - second.start
            block = np.bincount(own[j] * m + own[k], values, minlength=n * m).reshape(n, m)
            found[first, second], found[second, first] = block, block.T
        return found


class _Coordinates:
    """Coordinates of the values, in which the order of the jumps of a column is a matter of signs.

    The values of such a column are ``u_0 + u_1 k + u_2 (k - 1) + ... + u_k``: u_1 is the first jump, and the
    others are the differences of jumps.
    """

    def __init__(self, design: _Design, curves: Sequence[tuple[int, int]]) -> None:
        self.basis = np.eye(design.size)
        lower, upper = np.full(design.size, -np.inf), np.full(design.size, np.inf)
        for own, (sign, n) in zip(design.slices, curves, strict=True):
            if sign and n > 2:
                place = np.arange(n)
                hinges = np.maximum(0, place[:, None] - place[None, :] + 1).astype(np.float64)
                hinges[:, 0] = 1.0
                ordered = slice(own.start, own.start + n)
                self.basis[ordered, ordered] = hinges
                bounds = lower if sign > 0 else upper
                bounds[own.start + 2 : own.start + n] = 0.0
        self.is_bounded = bool(np.isfinite(lower).any() or np.isfinite(upper).any())
        self.lower, self.upper = lower, upper

    def values(self, u: Floats) -> Floats:
        """Return the values of the pieces."""
        return self.basis @ u if self.is_bounded else u

    def step(self, hessian: Floats, gradient: Floats, u: Floats) -> tuple[Floats, float]:
        """Return the best step for the quadratic of a Hessian and a gradient, and its Newton decrement."""
        if not self.is_bounded:
            step: Floats = np.linalg.lstsq(hessian, -gradient, rcond=None)[0].astype(np.float64)
            return step, -float(gradient @ step)
        slope = self.basis.T @ gradient
        scales, axes = np.linalg.eigh(self.basis.T @ hessian @ self.basis)
        kept = scales > _SMALLEST_EIGENVALUE * scales[-1]
        roots, axes = np.sqrt(scales[kept]), axes[:, kept]
        matrix, target = roots[:, None] * axes.T, -(axes.T @ slope) / roots
        found = lsq_linear(matrix, target, (self.lower - u, self.upper - u), method="bvls", tol=1e-15)
        return found.x, -float(slope @ found.x)
