"""What estimators over a table share that keep one compiled model: the fit, files and pickles."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ... import threads
from ...data.inputs import Schema, Table, read_like
from ...formatting.text import with_article
from ...model_io.envelope import answers_of, digits_of
from ...model_io.files import bad_model
from ...progress import Progress, logging_lines
from ...results.cut_labels import CutLabels
from ..tasks import Predicting
from .fitted import Fitted
from .prepare import Job


class Saved(Predicting):
    """Keep what a fit left, in attributes, files and pickles."""

    _fitted: Fitted

    @staticmethod
    @abstractmethod
    def _read_core(text: str) -> Any: ...

    @staticmethod
    @abstractmethod
    def _schema(wire: Mapping[str, Any], named: bool) -> Schema: ...

    @abstractmethod
    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""

    def _replace(self, fitted: Fitted, points: list[int], attributes: Mapping[str, Any]) -> None:
        """Drop the attributes of an earlier fit and set those of this one."""
        fresh: dict[str, Any] = {
            "_fitted": fitted,
            "_path_index": list(points),
            "n_features_in_": len(fitted.schema.names),
            **attributes,
        }
        if fitted.schema.named:
            fresh["feature_names_in_"] = np.asarray(fitted.schema.names, dtype=object)
        if fitted.classes is not None:
            fresh["classes_"] = fitted.classes
        for name in [
            name for name in self.__dict__ if name.endswith("_") or name in ("_fitted", "_path_index")
        ]:
            del self.__dict__[name]
        self.__dict__.update(fresh)

    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]:
        fitted, outputs = self._fitted, []
        for output, point in zip(fitted.document["outputs"], self._path_index, strict=True):
            if all_points:
                outputs.append({**output, "selected": point})
            else:
                scores = {"cv": None} if "cv" in output else {}
                outputs.append({**output, "selected": 0, "points": [output["points"][point]], **scores})
        digits = fitted.digits
        return {
            "named": fitted.schema.named,
            "flat": fitted.flat,
            "targets": fitted.targets,
            "digits": None if digits is None else [sorted(texts.items()) for texts in digits.shown],
            "model": {**fitted.document, "outputs": outputs},
        }

    def _restore(
        self,
        envelope: Mapping[str, Any],
        classes: NDArray[Any] | None = None,
        vocabulary: Any = None,  # noqa: ARG002
    ) -> None:
        model = self._read_core(json.dumps(envelope["model"]))
        wire = json.loads(model.to_json())
        if wire["task"] != self._task:
            raise bad_model(
                f"it is for {wire['task']}, {with_article(type(self).__name__)} is for {self._task}"
            )
        if classes is None and wire["classes"] is not None:
            classes = np.asarray(wire["classes"])
        targets, flat = answers_of(envelope, wire["task"], len(wire["outputs"]), classes)
        schema = self._schema(wire, bool(envelope["named"]))
        digits = None if envelope["digits"] is None else digits_of(envelope["digits"], wire["features"])
        fitted = Fitted(model, wire, schema, flat, classes, targets, digits)
        self._install(fitted, [output["selected"] for output in wire["outputs"]])

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class CompiledBase(Saved):
    """Fit models of the core.

    A subclass says how to check and pack data (`_prepare`), how to fit (`_fit_core`), how to
    read a model (`_read_core`), what to warn of (`_warn`) and which attributes follow from the
    chosen points (`_install`).
    """

    @abstractmethod
    def _prepare(self, X: Any, y: Any, sample_weight: Any, penalties: Any) -> Job: ...

    @abstractmethod
    def _fit_core(self, job: Job, n_jobs: int, report: Any) -> Any: ...

    def _digits(self, job: Job, wire: Mapping[str, Any]) -> CutLabels | None:  # noqa: ARG002
        """Choose how cuts are shown."""
        return None

    @abstractmethod
    def _warn(self, seconds: float) -> None: ...

    def _run(self, make_job: Any) -> Self:
        n_jobs = threads.resolve(self.n_jobs)
        progress = Progress(self, self.verbose if isinstance(self.verbose, int) else 0)
        job: Job = make_job()
        with logging_lines(0 if progress.bar is not None else self.verbose):
            try:
                progress.begin()
                model = self._fit_core(job, n_jobs, progress.report)
                progress.end()
            finally:
                progress.release()
        wire = json.loads(model.to_json())
        schema = self._schema(wire, job.table.feature_names is not None)
        target, digits = job.target, self._digits(job, wire)
        fitted = Fitted(model, wire, schema, target.flat, target.classes, job.target_names, digits)
        self._install(fitted, [output["selected"] for output in wire["outputs"]])
        self._warn(progress.seconds)
        return self

    def _table(self, X: Any) -> Table:
        """Read rows to predict."""
        check_is_fitted(self)
        return read_like(X, self._fitted.schema, type(self).__name__, self.memory_limit)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Predictions or scores; shape (n_rows, n_outputs)."""
        table = self._table(X)
        decision: NDArray[np.float64] = self._fitted.model.decision(table.columns, self._path_index)
        return decision
