"""Fitting and its results, for every estimator with a certificate over all its candidates."""

from __future__ import annotations

import functools
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ... import _native, threads
from ...formatting.text import with_article
from ...model_io.envelope import answers_of
from ...progress import Progress, logging_lines
from ...results.certificate import certificate_of, limits_met, warn_if_incomplete
from ...results.convex_path import ModelPath
from ...results.model_document import ModelDocument
from ..tasks import Predicting
from .state import Fitted


class ConvexModelBase(TransformerMixin, Predicting):
    """Fit, select, prove, save: what does not depend on what the candidates are."""

    _called: ClassVar[str]
    _saved_as: ClassVar[str]
    _path: ClassVar[type[ModelPath]]
    _attributes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _launch(self, job: Any, n_jobs: int, classes: Any, report: Any) -> Fitted:
        """Run the core on a checked job."""

    @abstractmethod
    def _facts(self, fitted: Any, points: list[int]) -> dict[str, Any]:
        """Give the attributes that only this kind of model has."""

    @abstractmethod
    def _extras(self) -> dict[str, Any]:
        """Give what a saved model holds beside what all have: how to show it as before."""

    @classmethod
    @abstractmethod
    def _open(cls, envelope: Mapping[str, Any], labels: Any) -> ModelDocument:
        """Read the document of a saved model; `labels` is from :meth:`_pickled_vocabulary`."""

    @classmethod
    @abstractmethod
    def _rebuild(
        cls, document: Any, envelope: Mapping[str, Any], flat: bool, classes: Any, targets: Any
    ) -> Fitted:
        """Make a model of a document and what is saved beside it."""

    def _run(self, make_job: Callable[[], Any]) -> Self:
        n_jobs = threads.resolve(self.n_jobs)
        progress = Progress(self, self.verbose if isinstance(self.verbose, int) else 0)
        job = make_job()
        classes = None if job.target.classes is None else job.target.classes.tolist()
        with logging_lines(0 if progress.bar is not None else self.verbose):
            try:
                progress.begin()
                fitted = self._launch(job, n_jobs, classes, progress.report)
                progress.end()
            finally:
                progress.release()
        self._install(fitted, fitted.view.selected())
        self._warn(progress.seconds)
        return self

    def _warn(self, seconds: float) -> None:
        params = self.get_params(deep=False)
        limits = limits_met(params, seconds, "max_iter", self.n_iter_ >= self.max_iter)
        warn_if_incomplete(self.certificate_, "alpha", limits)

    def _install(self, fitted: Any, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        document = fitted.view
        chosen = [document.point(output, point) for output, point in enumerate(points)]
        alphas = np.asarray([point["alpha"] for point in chosen])
        intercepts = document.intercepts(points)
        single = len(points) == 1
        at = functools.partial(type(self)._at, self.get_params(deep=False), fitted)
        fresh: dict[str, Any] = {
            "_fitted": fitted,
            "_path_index": list(points),
            "intercept_": float(intercepts[0]) if single else intercepts,
            "alpha_": float(alphas[0]) if single else alphas,
            "path_": self._path(document.outputs, at),
            "certificate_": certificate_of(chosen, document.n_candidates, self._called),
            "n_iter_": max(1, *(point["n_iter"] for point in chosen)),
            **self._facts(fitted, points),
        }
        if fitted.classes is not None:
            fresh["classes_"] = fitted.classes
        for name in self._attributes:
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

    def _training(self) -> Any:
        check_is_fitted(self)
        if self._fitted.training is None:
            raise ValueError(
                "the training data are not here: a model that was loaded, pickled or copied has the "
                f"{self._called} alone. Ask the estimator that was fitted, or fit again"
            )
        return self._fitted.training

    def _output(self, output: Any) -> int:
        labels = self._fitted.output_names()
        if len(labels) == 1:
            return 0
        if output in labels:
            return int(labels.index(output))
        raise ValueError(
            f"output: got {output!r}; the model has several, name one of {', '.join(map(repr, labels))}"
        )

    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]:
        fitted = self._fitted
        if all_points:
            model = json.loads(fitted.view.model.to_json(all_points=True))
            for output, point in zip(model["outputs"], self._path_index, strict=True):
                output["selected"] = point
        else:
            model = fitted.view.saved(self._path_index)
        return {
            "named": fitted.named,
            "flat": fitted.flat,
            "targets": fitted.target_names,
            "model": model,
            **self._extras(),
        }

    def _restore(
        self, envelope: Mapping[str, Any], classes: NDArray[Any] | None = None, vocabulary: Any = None
    ) -> None:
        document = self._open(envelope, vocabulary)
        if document.task != self._task:
            raise _native.FormatError(
                f"not a valid thresher model for {with_article(type(self).__name__)}: "
                f"it is for {document.task}"
            )
        if classes is None and document.classes is not None:
            classes = np.asarray(document.classes)
        targets, flat = answers_of(envelope, document.task, len(document.outputs), classes)
        self._install(self._rebuild(document, envelope, flat, classes, targets), document.selected())
