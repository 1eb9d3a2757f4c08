"""What the pattern estimators share: fitting, and the fitted attributes."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...data.inputs import Schema
from ...model_io.files import bad_model
from ...progress import with_callbacks
from ...results.convex_path import ModelPath, PatternPath
from ...results.pattern import Pattern
from ...results.pattern_document import PatternDocument
from .. import checks as parameters
from ..convex.base import ConvexModelBase
from .family import Family, Reading
from .prepare import Fitted, Job, finish, prepare

_ATTRIBUTES = (
    "patterns_",
    "intercept_",
    "alpha_",
    "path_",
    "certificate_",
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "n_iter_",
    "_fitted",
    "_path_index",
)


class PatternModelBase(ConvexModelBase):
    """Fit pattern models; the base of the estimators for item-sets, sequences and graphs."""

    _family: ClassVar[Family]
    _called: ClassVar[str] = "patterns"
    _extra_entries: ClassVar[frozenset[str]] = frozenset({"matrix"})
    _path: ClassVar[type[ModelPath]] = PatternPath
    _attributes: ClassVar[tuple[str, ...]] = _ATTRIBUTES
    _fitted: Fitted

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model and prove it optimal.

        Parameters
        ----------
        X : records
            As the class describes them, n_records of them.
        y : array-like of shape (n_records,) or (n_records, n_outputs)
            What to predict; several columns for regression only.
        sample_weight : array-like of shape (n_records,), optional
            How much each record counts. Weight 2 is the same as the record twice, weight 0
            as no record.

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
        X : records
            The records, as in :meth:`fit`.
        y : array-like of shape (n_records,) or (n_records, n_outputs)
            What to predict.
        alphas : array-like of shape (n_alphas,), optional
            The strengths; by default `n_alphas` from the smallest one without any
            pattern down to `alpha_min_ratio` of it, evenly on a log scale.
        sample_weight : array-like of shape (n_records,), optional
            How much each record counts.

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
        model, training = _native.fit_patterns(job.problem, job.params, n_jobs, classes, report)
        return finish(self, job, model, training)

    def _facts(self, fitted: Fitted, points: list[int]) -> dict[str, Any]:  # noqa: ARG002
        if not fitted.is_matrix:
            return {}
        labels = fitted.view.vocabulary.labels
        names = {"feature_names_in_": np.asarray(labels, dtype=object)} if fitted.named else {}
        return {"n_features_in_": len(labels), **names}

    @functools.cached_property
    def patterns_(self) -> list[Pattern]:
        """The patterns in use; put into words when first asked for, which takes as long as a small fit."""
        check_is_fitted(self)
        fitted = self._fitted
        classes = None if fitted.classes is None else fitted.classes.tolist()
        return fitted.view.patterns(self._path_index, fitted.output_names(), classes)

    def _extras(self) -> dict[str, Any]:
        return {"digits": None, "matrix": self._fitted.is_matrix}

    def _check_savable(self) -> None:
        if not self._fitted.view.vocabulary.is_plain:
            raise TypeError(
                "JSON holds no labels but text, numbers and truth values, and the records have others; "
                "give text, or use pickle"
            )

    def _pickled_vocabulary(self) -> Any:
        vocabulary = self._fitted.view.vocabulary
        return None if vocabulary.is_plain else vocabulary

    @classmethod
    def _open(cls, envelope: Mapping[str, Any], labels: Any) -> PatternDocument:
        text = json.dumps(envelope["model"])
        model = _native.PatternModel.from_json(cls._family.format, text)
        return PatternDocument(model, cls._family, labels)

    @classmethod
    def _rebuild(
        cls, document: Any, envelope: Mapping[str, Any], flat: bool, classes: Any, targets: Any
    ) -> Fitted:
        matrix = envelope["matrix"]
        if matrix not in ((True, False) if cls._family.of_matrices else (False,)):
            raise bad_model(f"matrix = {matrix!r}")
        named = matrix and bool(envelope["named"])
        return Fitted(document, named, flat, classes, targets, is_matrix=matrix)

    def _read(self, X: Any) -> Reading:
        """Read records to predict."""
        check_is_fitted(self)
        fitted = self._fitted
        labels = fitted.view.vocabulary
        schema = None
        if fitted.is_matrix:
            schema = Schema([str(label) for label in labels.labels], [None] * len(labels), fitted.named)
        return self._family.read_like(X, labels, schema, type(self).__name__)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Intercept and patterns added up; shape (n_records, n_outputs)."""
        records = self._read(X).records
        decision: NDArray[np.float64] = self._fitted.view.model.decision(records, self._path_index)
        return decision

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        # Of a matrix only what is 0 and what is not counts: its numbers say nothing else.
        for own in (tags.regressor_tags, tags.classifier_tags):
            if own is not None:
                own.poor_score = True
        return tags
