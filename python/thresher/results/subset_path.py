"""Paths of best-subset models."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ..validation import check, integer
from .path import N_TERMS, Points, ScoredPath, check_strength, check_within, naming_arguments, nearest


class L0Path(ScoredPath):
    """Solutions along decreasing penalties, each with its own objective.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected`` and ``cv``.
    count : callable
        Returns the number of coefficients (or steps) of a point.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    lambda0 : ndarray of shape (n_points,)
        Penalty for each coefficient, decreasing for each `lambda2`.
    lambda2 : ndarray of shape (n_points,)
        Ridge penalty of linear models, penalty on squared jumps of cards.
    ridge : ndarray of shape (n_points,)
        Penalty on squared values of cards; 0 for linear models.
    objective : ndarray of shape (n_points,)
        Sum of losses + lambda0 * number of coefficients + lambda2 * sum of squares.
    loss : ndarray of shape (n_points,)
        Sum of losses.
    n_nonzero : ndarray of shape (n_points,)
        Number of non-zero coefficients.
    complete : ndarray of shape (n_points,)
        Whether the search converged before a limit.
    cv_mean, cv_se : ndarray of shape (n_points,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated.

    Notes
    -----
    For a model with several outputs each attribute is a list with one array for each
    output, since every output has its own path.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> path = L0Regressor().fit_path(X, X[:, 0] - 2 * X[:, 3], lambda0=[50, 5]).path_
    >>> path.lambda0.tolist(), path.n_nonzero.tolist(), path.at(5).n_nonzero_
    ([50.0, 5.0], [1, 2], 2)
    """

    _ridges: ClassVar[tuple[str, ...]] = ("lambda2", "ridge")

    def __init__(
        self,
        outputs: Sequence[Mapping[str, Any]],
        count: Callable[[Mapping[str, Any]], int],
        select: Callable[[list[int]], Any],
    ) -> None:
        super().__init__(outputs, select)
        self._count = count

    def _axis_of(self, points: Sequence[Mapping[str, Any]]) -> tuple[str, list[float]]:
        if any(point["lambda0"] > 0 for point in points):
            return "lambda0", [float(point["lambda0"]) for point in points]
        return N_TERMS, [float(self._count(point)) for point in points]

    @property
    def lambda0(self) -> Points:
        """Penalty for each coefficient."""
        return self._points(lambda point: point["lambda0"])

    @property
    def lambda2(self) -> Points:
        """Ridge penalty of linear models, penalty on squared jumps of cards."""
        return self._points(lambda point: point["lambda2"])

    @property
    def ridge(self) -> Points:
        """Penalty on the squared values of a card; 0 for linear models, whose ridge penalty is `lambda2`."""
        return self._points(lambda point: point.get("ridge", 0.0))

    @property
    def objective(self) -> Points:
        """Sum of losses and both penalties."""
        return self._points(lambda point: point["objective"])

    @property
    def loss(self) -> Points:
        """Sum of losses."""
        return self._points(lambda point: point["loss"])

    @property
    def n_nonzero(self) -> Points:
        """Number of non-zero coefficients."""
        return self._points(self._count)

    @property
    def complete(self) -> Points:
        """Whether the search converged before a limit."""
        return self._points(lambda point: point["complete"])

    def __repr__(self) -> str:
        """Return the class, the length and the ends of the path."""
        counts = [self._count(point) for output in self._outputs for point in output["points"]]
        return f"L0Path({len(self)} points, {min(counts)} to {max(counts)} coefficients)"

    @naming_arguments
    def at(
        self, lambda0: float | None = None, *, lambda2: float | None = None, n_nonzero: int | None = None
    ) -> Any:
        """Return the fitted estimator at a penalty, or with a number of coefficients.

        Parameters
        ----------
        lambda0 : float, optional
            Penalty for each coefficient. The nearest on the path is taken (on a log
            scale); of several models there the one of least objective.
        lambda2 : float, optional
            Ridge penalty, one of those on the path; by default that of the selected model.
        n_nonzero : int, optional
            Instead of `lambda0`: the most coefficients; the model of least loss
            with no more than these is taken.

        Returns
        -------
        estimator
            A fitted estimator of the same class; its penalties are ``lambda0_`` and ``lambda2_``. Of linear
            models ``max_nonzero`` is its size where the path has larger ones at these penalties.

        Raises
        ------
        ValueError
            If not exactly one of `lambda0` and `n_nonzero` is given, or a number is not allowed or beyond the
            ends of the path.
        """
        if (lambda0 is None) == (n_nonzero is None):
            raise ValueError("give either lambda0 or n_nonzero")
        if lambda2 is not None:
            lambda2 = check_strength("lambda2", lambda2, zero=True)
        paths = [(output["points"], self._indices_with(output, lambda2)) for output in self._outputs]
        if lambda0 is None:
            check("n_nonzero", n_nonzero, integer(0))
            return self._select([self._best_with_at_most(int(n_nonzero or 0), *path) for path in paths])
        wanted = check_strength("lambda0", lambda0, zero=True)
        known = [[points[k]["lambda0"] for k in candidates] for points, candidates in paths]
        check_within("lambda0", wanted, known, "give it to fit_path")
        return self._select([self._nearest(wanted, *path) for path in paths])

    @staticmethod
    def _indices_with(output: Mapping[str, Any], lambda2: float | None) -> list[int]:
        """Return the positions of the points with one `lambda2`, and the `ridge` of the selected one."""
        points = output["points"]
        selected = points[output["selected"]]
        wanted = selected["lambda2"] if lambda2 is None else lambda2
        found = [
            k
            for k, point in enumerate(points)
            if math.isclose(point["lambda2"], wanted) and point.get("ridge") == selected.get("ridge")
        ]
        if not found:
            known = sorted({point["lambda2"] for point in points})
            raise ValueError(f"lambda2: got {lambda2!r}; the path has {', '.join(map(str, known))}")
        return found

    @staticmethod
    def _nearest(lambda0: float, points: Sequence[Mapping[str, Any]], candidates: list[int]) -> int:
        values = [points[k]["lambda0"] for k in candidates]
        return min((candidates[k] for k in nearest(values, lambda0)), key=lambda k: points[k]["objective"])

    def _best_with_at_most(
        self, most: int, points: Sequence[Mapping[str, Any]], candidates: list[int]
    ) -> int:
        allowed = [k for k in candidates if self._count(points[k]) <= most]
        if not allowed:
            raise ValueError(f"n_nonzero: got {most!r}; no model of the path has so few coefficients")
        return min(allowed, key=lambda k: points[k]["loss"])
