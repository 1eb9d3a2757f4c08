"""What the two additive estimators share: fitting, and the fitted attributes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import _native, threads
from ..folds import make_folds
from ..inputs import Table, read, read_like
from ..l0.path import L0Path
from ..progress import CallbackSupportMixin, Progress, logging_lines, with_callbacks
from ..targets import Target, apply_class_weight, check_classes_remain, row_weights
from ..text import Digits
from .document import Document
from .settings import check
from .shapes import shapes_of

_ATTRIBUTES = (
    "shape_functions_",
    "intercept_",
    "lambda0_",
    "lambda2_",
    "n_nonzero_",
    "path_",
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "n_iter_",
    "_fitted",
    "_points",
)


@dataclass(frozen=True)
class Fitted:
    """What a fit leaves, apart from the choice of the point.

    Parameters
    ----------
    document : Document
        The model.
    named : bool
        Whether the columns have the user's names.
    flat : bool
        Whether the target had one dimension.
    classes : ndarray or None
        The labels of a classifier.
    """

    document: Document
    named: bool
    flat: bool
    classes: NDArray[Any] | None

    def labels(self) -> list[Any]:
        """Give a label for each output.

        Returns
        -------
        list
            Classes, or numbers of the targets; ``[None]`` for a single output.
        """
        outputs = len(self.document.outputs)
        if outputs == 1:
            return [None]
        return list(range(outputs)) if self.classes is None else list(self.classes.tolist())


class AdditiveBase(CallbackSupportMixin, BaseEstimator):
    """Fit additive models; the base of both estimators."""

    _task: ClassVar[str]
    _fitted: Fitted
    _points: list[int]

    def _read_target(self, y: Any, n_rows: int, fitted: Fitted | None = None) -> Target:
        """Check what is to be predicted."""
        raise NotImplementedError

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table: NumPy, pandas, polars, pyarrow, scipy.sparse or nested lists.
            NaN, None and NA are missing; text, truth values and categorical dtypes
            are categories (see `categorical_features`).
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict; several columns for regression only.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts, as given: weight 2 is the same as the row
            twice, weight 0 as no row.

        Returns
        -------
        estimator
            Itself, fitted. When anything fails it stays as it was.

        Raises
        ------
        TypeError, ValueError
            If data or parameters are not as they must be.

        Warns
        -----
        ConvergenceWarning
            If the time limit came before the search ended.
        """
        return self._run(X, y, sample_weight, None, path=False)

    @with_callbacks
    def fit_path(self, X: Any, y: Any, lambda0: Any = None, sample_weight: Any = None) -> Self:
        """Fit the whole path of prices and select nothing.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict.
        lambda0 : array-like of shape (n_points,), optional
            Prices of a step; by default 40 from the smallest without any step down
            to a thousandth of it, evenly on a log scale.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, with ``path_`` filled; ``path_.at(lambda0)`` gives a fitted
            estimator. Its own predictions are those of the path's last model.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`fit`.
        """
        return self._run(X, y, sample_weight, lambda0, path=True)

    def _run(self, X: Any, y: Any, sample_weight: Any, lambda0: Any, *, path: bool) -> Self:
        params, owner = self.get_params(deep=False), type(self).__name__
        n_jobs = threads.resolve(params["n_jobs"])
        progress = Progress(self, params["verbose"] if isinstance(params["verbose"], int) else 0)
        if y is None:
            raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
        table = read(X, categorical=params["categorical_features"])
        text = check(params, self._task, table.names, lambda0, path=path)
        target = self._read_target(y, table.n_rows)
        weights = self._weights(target, sample_weight, table.n_rows)
        chosen_by_folds = '"kind": "cv"' in text
        folds = make_folds(params["cv"], target, weights) if chosen_by_folds else None
        problem = _native.Problem(table.columns, table.names, target.values, weights, folds)
        classes = None if target.classes is None else target.classes.tolist()
        with logging_lines(0 if progress.bar is not None else params["verbose"]):
            try:
                progress.begin()
                model = _native.fit_additive(problem, text, n_jobs, classes, progress.report)
                progress.end()
            finally:
                progress.release()
        document = Document(model)
        cuts = [{cut for o in document.outputs for p in o["points"] for s in p["shapes"] if s["feature"] == j
                 for cut in s["cuts"]} for j in range(len(table.columns))]
        document.digits = Digits.from_values(table.numeric(), cuts)
        self._install(
            Fitted(document, table.feature_names is not None, target.flat, target.classes), document.selected()
        )
        if not all(point["complete"] for point in document.chosen(self._points)):
            warnings.warn(
                "the time was over before the search ended: the model is the best found so far. Raise time_limit",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    def _weights(self, target: Target, sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
        owner = type(self).__name__
        weights = row_weights(sample_weight, n_rows)
        check_classes_remain(target, weights, owner)
        weights = apply_class_weight(getattr(self, "class_weight", None), target, weights)
        check_classes_remain(target, weights, owner)
        if target.classes is None and (n_rows if weights is None else int((weights > 0).sum())) < 2:
            raise ValueError(f"n_samples=1: a {owner} needs at least 2 rows (of positive weight)")
        return weights

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        document = fitted.document
        chosen = document.chosen(points)

        def each(values: list[Any]) -> Any:
            return values[0] if len(values) == 1 else np.asarray(values)

        fresh: dict[str, Any] = {
            "_fitted": fitted,
            "_points": list(points),
            "shape_functions_": shapes_of(document, points, fitted.labels()),
            "intercept_": each([point["intercept"] for point in chosen]),
            "lambda0_": each([point["lambda0"] for point in chosen]),
            "lambda2_": each([point["lambda2"] for point in chosen]),
            "n_nonzero_": each([point["n_nonzero"] for point in chosen]),
            "path_": L0Path(
                document.outputs,
                lambda point: int(point["n_nonzero"]),
                functools.partial(type(self)._at, self.get_params(deep=False), fitted),
            ),
            "n_features_in_": len(document.features),
            "n_iter_": max(len(output["points"]) for output in document.outputs),
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
        if isinstance(estimator.lambda0_, float):
            estimator.set_params(lambda0=estimator.lambda0_, lambda2=estimator.lambda2_)
        return estimator

    def _table(self, X: Any) -> Table:
        """Read rows to predict."""
        check_is_fitted(self)
        return read_like(X, self._fitted.document.schema(self._fitted.named), type(self).__name__)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Intercept and step functions added up; shape (n_rows, n_outputs)."""
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
