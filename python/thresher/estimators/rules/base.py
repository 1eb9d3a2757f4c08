"""What the two rule estimators share: parameters, fitting, and the fitted attributes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ... import validation as parameters
from ...data.inputs import Table, read_like
from ...model_io.envelope import digits_of
from ...progress import with_callbacks
from ...results.convex_path import ModelPath, RulePath
from ...results.rule import active_rules
from ...results.rule_document import Document
from ...results.rule_groups import groups_of
from ..convex.base import ConvexModelBase
from .prepare import Fitted, Job, finish, prepare

_ATTRIBUTES = (
    "rules_",
    "groups_",
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


class RuleModelBase(ConvexModelBase):
    """Fit rule models; the base of :class:`RuleRegressor` and :class:`RuleClassifier`."""

    _called: ClassVar[str] = "rules"
    _path: ClassVar[type[ModelPath]] = RulePath
    _attributes: ClassVar[tuple[str, ...]] = _ATTRIBUTES

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

    def _launch(self, job: Job, n_jobs: int, classes: Any, report: Any) -> Fitted:
        [(model, training)] = _native.fit([job.problem], job.params, n_jobs, classes, report)
        return finish(job, model, training)

    def _facts(self, fitted: Fitted, points: list[int]) -> dict[str, Any]:
        document = fitted.document
        linear = document.linear(points)
        rules = active_rules(document, points, fitted.labels())
        facts: dict[str, Any] = {
            "rules_": rules,
            "groups_": groups_of(rules),
            "linear_coef_": linear[0] if len(points) == 1 else linear,
            "n_features_in_": len(document.features),
        }
        if fitted.named:
            facts["feature_names_in_"] = np.asarray(document.names, dtype=object)
        return facts

    def _extras(self) -> dict[str, Any]:
        return {"digits": [sorted(texts.items()) for texts in self._fitted.document.digits.shown]}

    @classmethod
    def _open(cls, envelope: Mapping[str, Any], labels: Any) -> Document:  # noqa: ARG003
        document = Document(_native.Model.from_json(json.dumps(envelope["model"])))
        if envelope["digits"] is not None:
            document.digits = digits_of(envelope["digits"], document.features)
        return document

    @classmethod
    def _rebuild(
        cls, document: Any, envelope: Mapping[str, Any], flat: bool, classes: Any, targets: Any
    ) -> Fitted:
        return Fitted(document, bool(envelope["named"]), flat, classes, targets)

    def _table(self, X: Any) -> Table:
        """Read rows to predict."""
        check_is_fitted(self)
        schema = self._fitted.document.schema(self._fitted.named)
        return read_like(X, schema, type(self).__name__, self.memory_limit)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Intercept, linear terms and rules added up; shape (n_rows, n_outputs)."""
        table = self._table(X)
        decision: NDArray[np.float64] = self._fitted.document.model.decision(table.columns, self._points)
        return decision

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags
