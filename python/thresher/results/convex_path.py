"""The regularisation path of convex models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..formatting.text import pluralize
from ..validation import check, integer
from .path import N_TERMS, AlphaPath, Points, naming_arguments
from .subset_certificate import n_terms_of


class ModelPath(AlphaPath):
    """Solutions along decreasing regularisation strengths, or best subsets of 0, 1, 2 and more terms.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected``, ``cv`` and ``criterion``.
    select : callable
        Creates a fitted estimator from one point for each output.
    """

    _hint = "call fit_path with a smaller alpha_min_ratio, with other alphas, or without a limit on terms"

    @property
    def n_terms(self) -> Points:
        """Number of terms, linear ones included."""
        return self._points(n_terms_of)

    @property
    def objective(self) -> Points:
        """Mean loss + alpha * penalty at each strength; of best subsets mean loss + ridge penalty."""
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
        """The strengths that were cross-validated; None for best subsets."""
        return self._per_output(lambda _: None) if self._is_subset else super().cv_alphas

    @property
    def cv_n_terms(self) -> Points:
        """The numbers of terms that were cross-validated; None for L1 solutions."""
        if not self._is_subset:
            return self._per_output(lambda _: None)
        return self._per_output(
            lambda output: None if output["cv"] is None else np.asarray(output["cv"]["strengths"], dtype=int)
        )

    @property
    def criterion(self) -> Points:
        """BIC or EBIC at each strength."""
        return self._scores("values", of="criterion")

    def __repr__(self) -> str:
        """Return the class, the length and the ends of the path."""
        if self._is_subset:
            low, high = self._counts()
            sizes = pluralize(low, "term") if low == high else f"{low} to {high} terms"
            return f"{type(self).__name__}({pluralize(len(self), 'subset')} of {sizes})"
        lowest, highest = self._ends("alpha")
        return f"{type(self).__name__}({len(self)} strengths from {highest:.4g} to {lowest:.4g})"

    @property
    def _is_subset(self) -> bool:
        """Whether the points are best subsets, not L1 solutions."""
        return self._outputs[0]["points"][0].get("subset") is not None

    def _axis_of(self, points: Sequence[Mapping[str, Any]]) -> tuple[str, list[float]]:
        if self._is_subset:
            return N_TERMS, [float(n_terms_of(point)) for point in points]
        return super()._axis_of(points)

    def _counts(self) -> tuple[int, int]:
        """Return the smallest and the largest number of terms."""
        counts = [n_terms_of(point) for output in self._outputs for point in output["points"]]
        return min(counts), max(counts)

    @naming_arguments
    def at(self, alpha: float | None = None, *, n_terms: int | None = None) -> Any:
        """Return the fitted estimator at a regularisation strength, or with a number of terms.

        Parameters
        ----------
        alpha : float, optional
            The strength; the nearest on the path is taken (on a log scale). A path of best subsets has none.
        n_terms : int, optional
            Instead of `alpha`: the most terms, linear ones included. The largest model with no more than
            these is taken, of several the one of the weakest penalty, for each output by itself. A path that
            ends before gives its last model. The ridge penalty of a best subset is that of the path, which is
            not chosen for this size: a fit with ``max_rules`` chooses both.

        Returns
        -------
        estimator
            A fitted estimator of the same class; its ``alpha_`` is the strength.

        Raises
        ------
        ValueError
            If not exactly one of `alpha` and `n_terms` is given, `alpha` is beyond the ends of the path or
            given for a path of best subsets, or `n_terms` is not a whole number or less than every model has.
        """
        if (alpha is None) == (n_terms is None):
            raise ValueError("give either alpha or n_terms")
        if alpha is None:
            check("n_terms", n_terms, integer(0))
            return self._select(self._with_terms(int(n_terms or 0)))
        if self._is_subset:
            low, high = self._counts()
            raise ValueError(
                f"alpha: got {alpha!r}; a path of best subsets has a model for each number of terms: "
                f"give n_terms={low} to {high}"
            )
        return super().at(alpha)

    def _with_terms(self, most: int) -> list[int]:
        """Return the positions of the largest models with no more than some terms."""
        counts = [[n_terms_of(point) for point in output["points"]] for output in self._outputs]
        least = max(map(min, counts))
        if most < least:
            raise ValueError(f"n_terms: got {most}; every model of the path has {least} terms or more")
        return [max((n, k) for k, n in enumerate(of_output) if n <= most)[1] for of_output in counts]


class RulePath(ModelPath):
    """Solutions along decreasing regularisation strengths, or best subsets of 0, 1, 2 and more terms.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected``, ``cv`` and ``criterion``.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The strengths, decreasing; of best subsets the price of a term at which each was found.
    objective : ndarray of shape (n_alphas,)
        Mean loss + alpha * penalty; of best subsets mean loss + ridge penalty.
    relative_gap : ndarray of shape (n_alphas,)
        The duality gap over all rules, relative to the objective. Of best
        subsets that of the selected one; the others have no lower bound but 0.
    n_rules : ndarray of shape (n_alphas,)
        Rules with a coefficient other than 0.
    n_terms : ndarray of shape (n_alphas,)
        Rules and linear terms.
    n_iter : ndarray of shape (n_alphas,)
        Number of iterations of the solver.
    complete : ndarray of shape (n_alphas,)
        Whether the gap `tol` was reached; of best subsets whether the search ended before the time limit.
    cv_mean, cv_se : ndarray of shape (n_alphas,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated. Far from the best strength it is estimated by the first folds.
    cv_alphas, cv_n_terms : ndarray or None
        The strengths, or the numbers of terms of best subsets, that were cross-validated.
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
    """Solutions along decreasing regularisation strengths, or best subsets of 0, 1, 2 and more terms.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected``, ``cv`` and ``criterion``.
    select : callable
        Creates a fitted estimator from one point for each output.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The strengths, decreasing; of best subsets the price of a term at which each was found.
    objective : ndarray of shape (n_alphas,)
        Mean loss + alpha * penalty; of best subsets mean loss + ridge penalty.
    relative_gap : ndarray of shape (n_alphas,)
        The duality gap over all patterns, relative to the objective. Of best
        subsets that of the selected one; the others have no lower bound but 0.
    n_patterns : ndarray of shape (n_alphas,)
        Patterns with a coefficient other than 0.
    n_terms : ndarray of shape (n_alphas,)
        The same.
    n_iter : ndarray of shape (n_alphas,)
        Number of iterations of the solver.
    complete : ndarray of shape (n_alphas,)
        Whether the gap `tol` was reached; of best subsets whether the search ended before the time limit.
    cv_mean, cv_se : ndarray of shape (n_alphas,) or None
        Held-out loss over the folds, its mean and standard error, where the path
        was cross-validated. Far from the best strength it is estimated by the first folds.
    cv_alphas, cv_n_terms : ndarray or None
        The strengths, or the numbers of terms of best subsets, that were cross-validated.
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
