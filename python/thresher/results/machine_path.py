"""Paths of factorization machines along the regularisation strength."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .path import AlphaPath, Points


class FmPath(AlphaPath):
    """Factorization machines along the strengths, each from the same initial factors.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected`` and ``cv``.
    count : callable
        Returns the number of interactions of a point of an output.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    alphas : ndarray of shape (n_points,)
        The strengths, in the order given.
    objective : ndarray of shape (n_points,)
        Mean loss + all penalties.
    loss : ndarray of shape (n_points,)
        Mean loss.
    n_interactions : ndarray of shape (n_points,)
        Number of interactions.
    converged : ndarray of shape (n_points,)
        Whether the fit converged before a limit.

    cv_alphas : ndarray of shape (n_compared,) or None
        The strengths that a cross-validation compared, decreasing; None without one.
    cv_mean, cv_se : ndarray of shape (n_compared,) or None
        Their held-out loss over the folds, its mean and standard error.

    Notes
    -----
    For a model with several outputs each attribute is a list with one array for each output.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import FactorizationMachineRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 6))
    >>> model = FactorizationMachineRegressor(rank=4, max_iter=300)
    >>> path = model.fit_path(X, X[:, 0] * X[:, 3], alphas=[0.01, 10.0]).path_
    >>> path.n_interactions[1], path.at(0.01).interactions_[0].text
    (np.int64(0), 'x0 x x3')
    """

    _may_be_zero = True

    def __init__(
        self,
        outputs: Sequence[Mapping[str, Any]],
        count: Callable[[int, int], int],
        select: Callable[[list[int]], Any],
    ) -> None:
        super().__init__(outputs, select)
        self._count = count

    @property
    def objective(self) -> Points:
        """Mean loss and all penalties."""
        return self._points(lambda point: point["objective"])

    @property
    def loss(self) -> Points:
        """Mean loss."""
        return self._points(lambda point: point["loss"])

    @property
    def converged(self) -> Points:
        """Whether the fit converged before a limit."""
        return self._points(lambda point: point["converged"])

    @property
    def n_interactions(self) -> Points:
        """Number of interactions."""
        counts = [
            np.asarray([self._count(k, point) for point in range(len(output["points"]))])
            for k, output in enumerate(self._outputs)
        ]
        return counts[0] if len(counts) == 1 else counts

    def __repr__(self) -> str:
        """Return the class, the length and the ends of the path."""
        low, high = self._ends("alpha")
        return f"FmPath({len(self)} points, alpha {high:g} to {low:g})"
