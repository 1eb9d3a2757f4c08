"""Solutions for rising strengths C."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

_ROUNDING = 1e-9  # relative; two strengths this close are the same

Points = Any  # an ndarray of shape (n_points,), or a list of them


class HierarchyPath:
    """Solutions along rising C, each with its own certificate.

    Parameters
    ----------
    outputs : sequence of mapping
        What the core wrote: ``points``, ``selected`` and ``cv`` of each output.
    select : callable
        Makes a fitted estimator from one point for each output.

    Attributes
    ----------
    C, alphas : ndarray of shape (n_points,)
        Strengths, and 1 / (C times the sum of the weights).
    objective, relative_gap : ndarray of shape (n_points,)
        Mean loss + alpha / 2 times the squared penalty, and its proven gap.
    n_rules, n_hull, n_iter : ndarray of shape (n_points,)
        Rules, conjunctions in the working set, Newton steps.
    cv_C, cv_mean, cv_se : ndarray of shape (n_strengths,) or None
        Strengths that were cross-validated, held-out scores and standard errors.

    Notes
    -----
    Of a model with several outputs each attribute is a list with one array an output.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import HierarchicalRuleRegressor
    >>> X = np.arange(40.0)[:, None] % 8
    >>> path = HierarchicalRuleRegressor().fit_path(X, X[:, 0] > 4, C=[0.1, 10]).path_
    >>> path.C.tolist(), bool((path.relative_gap <= 1e-6).all())
    ([0.1, 10.0], True)
    """

    def __init__(self, outputs: Sequence[Mapping[str, Any]], select: Callable[[list[int]], Any]) -> None:
        self._outputs = outputs
        self._select = select

    def _each(self, take: Callable[[Mapping[str, Any]], Any]) -> Any:
        arrays = [take(output) for output in self._outputs]
        return arrays[0] if len(arrays) == 1 else arrays

    def _points(self, take: Callable[[Mapping[str, Any]], Any]) -> Points:
        return self._each(lambda output: np.asarray([take(point) for point in output["points"]]))

    def _cv(self, name: str) -> Points:
        return self._each(lambda output: None if output["cv"] is None else np.asarray(output["cv"][name]))

    @property
    def C(self) -> Points:
        """Strengths, rising."""
        return self._points(lambda point: point["c"])

    @property
    def alphas(self) -> Points:
        """1 / (C times the sum of the weights)."""
        return self._points(lambda point: point["alpha"])

    @property
    def objective(self) -> Points:
        """Mean loss + alpha / 2 times the squared penalty."""
        return self._points(lambda point: point["primal"])

    @property
    def relative_gap(self) -> Points:
        """Proven relative gap over the whole lattice."""
        return self._points(lambda point: point["relative_gap"])

    @property
    def n_rules(self) -> Points:
        """Rules with a coefficient."""
        return self._points(lambda point: len(point["rules"]))

    @property
    def n_hull(self) -> Points:
        """Conjunctions in the working set."""
        return self._points(lambda point: len(point["hull"]))

    @property
    def n_iter(self) -> Points:
        """Newton steps."""
        return self._points(lambda point: point["n_iter"])

    @property
    def cv_C(self) -> Points:
        """Strengths that were cross-validated."""
        return self._cv("c")

    @property
    def cv_mean(self) -> Points:
        """Mean held-out score over the folds."""
        return self._cv("mean")

    @property
    def cv_se(self) -> Points:
        """Its standard error."""
        return self._cv("se")

    def __len__(self) -> int:
        """Count the strengths (of the longest path)."""
        return max(len(output["points"]) for output in self._outputs)

    def __repr__(self) -> str:
        """Say where the path begins and ends."""
        ends = [(output["points"][0]["c"], output["points"][-1]["c"]) for output in self._outputs]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        return f"HierarchyPath({len(self)} strengths from {low:.4g} to {high:.4g})"

    def at(self, C: float) -> Any:
        """Give the fitted estimator at a strength.

        Parameters
        ----------
        C : float
            The strength; the nearest on the path is taken (on a log scale).

        Returns
        -------
        estimator
            A fitted estimator of the same class; its ``C_`` says which strength it has.

        Raises
        ------
        ValueError
            If `C` is not > 0 or beyond the ends of the path.
        """
        if not (math.isfinite(C) and C > 0):
            raise ValueError(f"C: got {C!r}; give a finite number > 0")
        return self._select([self._nearest(output["points"], C) for output in self._outputs])

    @staticmethod
    def _nearest(points: Sequence[Mapping[str, Any]], strength: float) -> int:
        values = np.asarray([point["c"] for point in points])
        if not values[0] * (1 - _ROUNDING) <= strength <= values[-1] * (1 + _ROUNDING):
            raise ValueError(
                f"C: got {strength:g}, the path goes from {values[0]:g} to {values[-1]:g}; fit_path with it"
            )
        return int(np.argmin(np.abs(np.log(values) - math.log(strength))))
