"""The regularisation path of convex models."""

from __future__ import annotations

from typing import Any

from .path import Points, ScoredPath, check_within, nearest, strength


class ModelPath(ScoredPath):
    """Solutions along decreasing regularisation strengths, each with its duality gap.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected``, ``cv`` and ``criterion``.
    select : callable
        Creates a fitted estimator from one point for each output.
    """

    @property
    def alphas(self) -> Points:
        """The strengths, decreasing."""
        return self._points(lambda point: point["alpha"])

    @property
    def objective(self) -> Points:
        """Mean loss + alpha * penalty at each strength."""
        return self._points(lambda point: point["primal"])

    @property
    def relative_gap(self) -> Points:
        """The duality gap over all rules, relative to the objective."""
        return self._points(lambda point: point["relative_gap"])

    @property
    def n_iter(self) -> Points:
        """Number of iterations of the solver."""
        return self._points(lambda point: point["n_iter"])

    @property
    def complete(self) -> Points:
        """Whether the gap `tol` was reached."""
        return self._points(lambda point: point["complete"])

    @property
    def cv_alphas(self) -> Points:
        """The strengths that were cross-validated."""
        return self._scores("strengths")

    @property
    def criterion(self) -> Points:
        """BIC or EBIC at each strength."""
        return self._scores("values", of="criterion")

    def __repr__(self) -> str:
        """Return the class, the length and the ends of the path."""
        low, high = self._ends("alpha")
        return f"{type(self).__name__}({len(self)} strengths from {high:.4g} to {low:.4g})"

    def at(self, alpha: float) -> Any:
        """Return the fitted estimator at a regularisation strength.

        Parameters
        ----------
        alpha : float
            The strength; the nearest on the path is taken (on a log scale).

        Returns
        -------
        estimator
            A fitted estimator of the same class; its ``alpha_`` is the strength.

        Raises
        ------
        ValueError
            If `alpha` is not > 0, or beyond the ends of the path.
        """
        wanted = strength("alpha", alpha)
        paths = [[point["alpha"] for point in output["points"]] for output in self._outputs]
        hint = "call fit_path with a smaller alpha_min_ratio, with other alphas, or without a limit on terms"
        check_within("alpha", wanted, paths, hint)
        return self._select([nearest(alphas, wanted)[0] for alphas in paths])


class RulePath(ModelPath):
    """Solutions along decreasing regularisation strengths, each with its duality gap.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected``, ``cv`` and ``criterion``.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The strengths, decreasing.
    objective : ndarray of shape (n_alphas,)
        Mean loss + alpha * penalty.
    relative_gap : ndarray of shape (n_alphas,)
        The duality gap over all rules, relative to the objective.
    n_rules : ndarray of shape (n_alphas,)
        Rules with a coefficient other than 0.
    n_iter : ndarray of shape (n_alphas,)
        Number of iterations of the solver.
    complete : ndarray of shape (n_alphas,)
        Whether the gap `tol` was reached.
    cv_mean, cv_se : ndarray of shape (n_alphas,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated.
    criterion : ndarray of shape (n_alphas,) or None
        BIC or EBIC, where it selected the strength.

    Notes
    -----
    For a model with several outputs each attribute is a list with one array for each
    output, since every output has its own path.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> path = RuleRegressor(linear=False).fit_path(X, (X[:, 0] > 9) * 1.0, alphas=[0.2, 0.1]).path_
    >>> path.alphas.tolist(), path.at(0.1).alpha_
    ([0.2, 0.1], 0.1)
    """

    @property
    def n_rules(self) -> Points:
        """Number of rules with a non-zero coefficient."""
        return self._points(lambda point: len(point["terms"]))


class PatternPath(ModelPath):
    """Solutions along decreasing regularisation strengths, each with its duality gap.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected``, ``cv`` and ``criterion``.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The strengths, decreasing.
    objective : ndarray of shape (n_alphas,)
        Mean loss + alpha * penalty.
    relative_gap : ndarray of shape (n_alphas,)
        The duality gap over all patterns, relative to the objective.
    n_patterns : ndarray of shape (n_alphas,)
        Patterns with a coefficient other than 0.
    n_iter : ndarray of shape (n_alphas,)
        Number of iterations of the solver.
    complete : ndarray of shape (n_alphas,)
        Whether the gap `tol` was reached.
    cv_mean, cv_se : ndarray of shape (n_alphas,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated.
    criterion : ndarray of shape (n_alphas,) or None
        BIC or EBIC, where it selected the strength.

    Notes
    -----
    For a model with several outputs each attribute is a list with one array for each
    output, since every output has its own path.

    Examples
    --------
    >>> from thresher import ItemsetRegressor
    >>> model = ItemsetRegressor().fit_path([{"a"}, {"b"}, {"a", "b"}], [1.0, 0.0, 1.0], alphas=[0.1])
    >>> model.path_.n_patterns.tolist()
    [1]
    """

    @property
    def n_patterns(self) -> Points:
        """Number of patterns with a non-zero coefficient."""
        return self._points(lambda point: len(point["terms"]))
