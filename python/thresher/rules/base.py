"""What the two rule estimators share: parameters, fitting, and the fitted attributes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import _native, parameters, threads
from ..certificate import certificate_of
from ..inputs import Table, read_like
from ..path import RulePath
from ..progress import CallbackSupportMixin, Progress, logging_lines, with_callbacks
from ..rule import active_rules
from ..targets import Target
from .prepare import Fitted, Job, finish, prepare

_ATTRIBUTES = (
    "rules_",
    "intercept_",
    "linear_coef_",
    "alpha_",
    "path_",
    "certificate_",
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "n_iter_",
    "_fitted",
    "_points",
)


class RuleModelBase(CallbackSupportMixin, TransformerMixin, BaseEstimator):
    """Fit rule models; the base of :class:`RuleRegressor` and :class:`RuleClassifier`."""

    _task: ClassVar[str]
    _fitted: Fitted
    _points: list[int]

    def _read_target(self, y: Any, n_rows: int, fitted: Fitted | None = None) -> Target:
        """Check what is to be predicted."""
        raise NotImplementedError

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model and prove it optimal.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table: NumPy, pandas, polars, pyarrow, scipy.sparse or nested lists.
            NaN, None and NA are missing; text, truth values and categorical dtypes
            are categories (see `categorical_features`).
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict; several columns for regression only.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts. Weight 2 is the same as the row twice, weight 0
            as no row.

        Returns
        -------
        estimator
            Itself, fitted. When anything fails it stays as it was.

        Raises
        ------
        TypeError, ValueError
            If data or parameters are not as they must be.
        MemoryError
            If `memory_limit` is too small for the data.

        Warns
        -----
        ConvergenceWarning
            If a limit came before the gap asked for; the model is the best so far,
            and ``certificate_`` holds its true gap.
        """
        return self._run(lambda: prepare(self, X, y, sample_weight))

    @with_callbacks
    def fit_path(self, X: Any, y: Any, alphas: Any = None, sample_weight: Any = None) -> Self:
        """Fit the whole path of strengths and select nothing.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict.
        alphas : array-like of shape (n_alphas,), optional
            The strengths; by default `n_alphas` from the smallest one without any
            term down to `alpha_min_ratio` of it, evenly on a log scale.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, with ``path_`` filled; ``path_.at(alpha)`` gives a fitted estimator. Its
            own predictions are those of the path's last model.

        Raises
        ------
        TypeError, ValueError, MemoryError
            As in :meth:`fit`.
        """
        return self._run(lambda: prepare(self, X, y, sample_weight, parameters.path_alphas(alphas)))

    def _run(self, make_job: Any) -> Self:
        n_jobs = threads.resolve(self.n_jobs)
        progress = Progress(self, self.verbose if isinstance(self.verbose, int) else 0)
        job: Job = make_job()
        classes = None if job.target.classes is None else job.target.classes.tolist()
        with logging_lines(0 if progress.bar is not None else self.verbose):
            try:
                progress.begin()
                [(model, training)] = _native.fit([job.problem], job.params, n_jobs, classes, progress.report)
                progress.end()
            finally:
                progress.release()
        fitted = finish(job, model, training)
        self._install(fitted, fitted.document.selected())
        self._warn_if_incomplete()
        return self

    def _warn_if_incomplete(self) -> None:
        certificate = self.certificate_
        if not certificate.complete:
            warnings.warn(
                f"stopped at a relative gap of {certificate.relative_gap:.2g} (asked for: "
                f"{certificate.tol:.2g}): the model is the best found so far, and no model is better by more "
                "than that. Raise time_limit, memory_limit or max_iter, or tol",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        document, labels = fitted.document, fitted.labels()
        chosen = [document.point(output, point) for output, point in enumerate(points)]
        alphas = np.asarray([point["alpha"] for point in chosen])
        intercepts, linear = document.intercepts(points), document.linear(points)
        single = len(points) == 1
        fresh: dict[str, Any] = {
            "_fitted": fitted,
            "_points": list(points),
            "rules_": active_rules(document, points, labels),
            "intercept_": float(intercepts[0]) if single else intercepts,
            "linear_coef_": linear[0] if single else linear,
            "alpha_": float(alphas[0]) if single else alphas,
            "path_": RulePath(
                document, functools.partial(type(self)._at, self.get_params(deep=False), fitted)
            ),
            "certificate_": certificate_of(chosen, document.n_candidates),
            "n_features_in_": len(document.features),
            "n_iter_": max(1, *(point["n_iter"] for point in chosen)),
        }
        if fitted.named:
            fresh["feature_names_in_"] = np.asarray(document.names, dtype=object)
        if fitted.classes is not None:
            fresh["classes_"] = fitted.classes
        for name in _ATTRIBUTES:
            self.__dict__.pop(name, None)
        self.__dict__.update(fresh)

    @classmethod
    def _at(cls, params: Mapping[str, Any], fitted: Fitted, points: list[int]) -> Self:
        """Make the fitted estimator of one point for each output."""
        estimator = cls(**params)
        estimator._install(fitted, points)
        if isinstance(estimator.alpha_, float):
            estimator.set_params(alpha=estimator.alpha_)
        return estimator

    def _table(self, X: Any) -> Table:
        """Read rows to predict."""
        check_is_fitted(self)
        schema = self._fitted.document.schema(self._fitted.named)
        return read_like(X, schema, type(self).__name__, self.memory_limit)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Intercept, linear terms and rules added up; shape (n_rows, n_outputs)."""
        table = self._table(X)
        return self._fitted.document.model.decision(table.columns, self._points)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags
