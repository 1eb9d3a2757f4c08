"""Paths of hierarchical models along decreasing strengths alpha."""

from __future__ import annotations

from .path import AlphaPath, Points


class HierarchyPath(AlphaPath):
    """Solutions along decreasing alpha, each with its own certificate.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected`` and ``cv``.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    alphas : ndarray of shape (n_points,)
        The strengths, decreasing.
    objective, relative_gap : ndarray of shape (n_points,)
        Mean loss + alpha / 2 times the squared penalty, and the relative duality gap.
    n_rules, n_hull, n_iter : ndarray of shape (n_points,)
        Rules, conjunctions in the working set, Newton steps.
    cv_alphas, cv_mean, cv_se : ndarray of shape (n_strengths,) or None
        Strengths that were cross-validated, held-out scores and standard errors.

    Notes
    -----
    For a model with several outputs each attribute is a list with one array for each output.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import HierarchicalRuleRegressor
    >>> X = np.arange(40.0)[:, None] % 8
    >>> path = HierarchicalRuleRegressor().fit_path(X, X[:, 0] > 4, alphas=[0.25, 0.0025]).path_
    >>> path.alphas.tolist(), bool((path.relative_gap <= 1e-6).all())
    ([0.25, 0.0025], True)
    """

    @property
    def objective(self) -> Points:
        """Mean loss + alpha / 2 times the squared penalty."""
        return self._points(lambda point: point["primal"])

    @property
    def relative_gap(self) -> Points:
        """The relative duality gap over the whole lattice."""
        return self._points(lambda point: point["relative_gap"])

    @property
    def n_rules(self) -> Points:
        """Number of rules with a non-zero coefficient."""
        return self._points(lambda point: len(point["terms"]))

    @property
    def n_hull(self) -> Points:
        """Number of conjunctions in the working set."""
        return self._points(lambda point: len(point["hull"]))

    @property
    def n_iter(self) -> Points:
        """Number of Newton steps."""
        return self._points(lambda point: point["n_iter"])

    def __repr__(self) -> str:
        """Return the class, the length and the ends of the path."""
        low, high = self._ends("alpha")
        return f"HierarchyPath({len(self)} strengths from {high:.4g} to {low:.4g})"
