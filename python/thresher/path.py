"""The whole path of models, from the empty one to the richest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .convex.document import ModelDocument

_ROUNDING = 1e-9  # relative; two strengths this close are the same

Points = Any  # an ndarray of shape (n_alphas,), or a list of them


class ModelPath:
    """Solutions along decreasing penalty strengths; the base of the paths of every kind of model.

    Parameters
    ----------
    document : ModelDocument
        The model with all its points.
    select : callable
        Makes a fitted estimator from one point for each output.
    """

    def __init__(self, document: ModelDocument, select: Callable[[list[int]], Any]) -> None:
        self._document = document
        self._select = select

    def _points(self, take: Callable[[Any], Any]) -> Any:
        return self._each(lambda output: np.asarray([take(point) for point in output["points"]]))

    def _each(self, take: Callable[[Any], Any]) -> Any:
        arrays = [take(output) for output in self._document.outputs]
        return arrays[0] if len(arrays) == 1 else arrays

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
        """Rounds of the solver."""
        return self._points(lambda point: point["n_iter"])

    @property
    def complete(self) -> Points:
        """Whether the gap asked for was reached."""
        return self._points(lambda point: point["complete"])

    @property
    def cv_alphas(self) -> Points:
        """The strengths that were cross-validated."""
        return self._each(lambda output: None if output["cv"] is None else np.asarray(output["cv"]["alphas"]))

    @property
    def cv_mean(self) -> Points:
        """Mean held-out loss over the folds, at `cv_alphas`."""
        return self._each(lambda output: None if output["cv"] is None else np.asarray(output["cv"]["mean"]))

    @property
    def cv_se(self) -> Points:
        """Its standard error."""
        return self._each(lambda output: None if output["cv"] is None else np.asarray(output["cv"]["se"]))

    @property
    def criterion(self) -> Points:
        """BIC or EBIC at each strength."""
        return self._each(
            lambda output: None if output["criterion"] is None else np.asarray(output["criterion"]["values"])
        )

    def __len__(self) -> int:
        """Count the strengths (of the longest path)."""
        return max(len(output["points"]) for output in self._document.outputs)

    def __repr__(self) -> str:
        """Say where the path begins and ends."""
        ends = [
            (output["points"][0]["alpha"], output["points"][-1]["alpha"]) for output in self._document.outputs
        ]
        high, low = max(end[0] for end in ends), min(end[1] for end in ends)
        return f"{type(self).__name__}({len(self)} strengths from {high:.4g} to {low:.4g})"

    def at(self, alpha: float) -> Any:
        """Give the fitted estimator at a strength.

        Parameters
        ----------
        alpha : float
            The strength. The nearest on the path is taken (on a log scale); above
            the first, the first, whose model is the same for every larger strength.

        Returns
        -------
        estimator
            A fitted estimator of the same class; its ``alpha_`` says which strength
            it has.

        Raises
        ------
        ValueError
            If `alpha` is not > 0, or below the end of the path.
        """
        if not math.isfinite(alpha) or alpha <= 0:
            raise ValueError(f"alpha: got {alpha!r}; give a finite number > 0")
        return self._select([self._nearest(output["points"], alpha) for output in self._document.outputs])

    @staticmethod
    def _nearest(points: list[Any], alpha: float) -> int:
        alphas = np.asarray([point["alpha"] for point in points])
        if alpha < alphas.min() * (1 - _ROUNDING):
            raise ValueError(
                f"alpha: got {alpha:g}, the path ends at {alphas.min():g}; fit_path with a smaller "
                "alpha_min_ratio, with the alphas wanted, or without max_rules"
            )
        return int(np.argmin(np.abs(np.log(alphas) - math.log(alpha))))


class RulePath(ModelPath):
    """Solutions along decreasing penalty strengths, each with its own gap.

    Parameters
    ----------
    document : ModelDocument
        The model with all its points.
    select : callable
        Makes a fitted estimator from one point for each output.

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
        Rounds of the solver.
    complete : ndarray of shape (n_alphas,)
        Whether the gap asked for was reached.
    cv_mean, cv_se : ndarray of shape (n_alphas,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated.
    criterion : ndarray of shape (n_alphas,) or None
        BIC or EBIC, where one was asked for.

    Notes
    -----
    Of a model with several outputs each attribute is a list with one array an output:
    every output has a path of its own.

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
        """How many rules have a coefficient."""
        return self._points(lambda point: len(point["rules"]))


class PatternPath(ModelPath):
    """Solutions along decreasing penalty strengths, each with its own gap.

    Parameters
    ----------
    document : ModelDocument
        The model with all its points.
    select : callable
        Makes a fitted estimator from one point for each output.

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
        Rounds of the solver.
    complete : ndarray of shape (n_alphas,)
        Whether the gap asked for was reached.
    cv_mean, cv_se : ndarray of shape (n_alphas,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated.
    criterion : ndarray of shape (n_alphas,) or None
        BIC or EBIC, where one was asked for.

    Notes
    -----
    Of a model with several outputs each attribute is a list with one array an output:
    every output has a path of its own.

    Examples
    --------
    >>> from thresher import ItemsetRegressor
    >>> model = ItemsetRegressor().fit_path([{"a"}, {"b"}, {"a", "b"}], [1.0, 0.0, 1.0], alphas=[0.1])
    >>> model.path_.n_patterns.tolist()
    [1]
    """

    @property
    def n_patterns(self) -> Points:
        """How many patterns have a coefficient."""
        return self._points(lambda point: len(point["patterns"]))
