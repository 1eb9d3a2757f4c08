"""What estimators over a table share that keep one compiled model: the fit, files and pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import threads
from ..files import write
from ..inputs import Schema, Table, read_like
from ..progress import CallbackSupportMixin, Progress, logging_lines
from ..targets import Target
from ..text import Digits
from . import saving
from .fitted import Fitted
from .prepare import Job


class Saved(CallbackSupportMixin, BaseEstimator):
    """Keep what a fit left, in attributes, files and pickles."""

    _fitted: Fitted
    _points: list[int]

    @staticmethod
    def _read_core(text: str) -> Any:
        raise NotImplementedError

    @staticmethod
    def _schema(wire: Mapping[str, Any], named: bool) -> Schema:
        raise NotImplementedError

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        raise NotImplementedError

    def _replace(self, fitted: Fitted, points: list[int], attributes: Mapping[str, Any]) -> None:
        """Drop the attributes of an earlier fit and set those of this one."""
        fresh: dict[str, Any] = {
            "_fitted": fitted,
            "_points": list(points),
            "n_features_in_": len(fitted.schema.names),
            **attributes,
        }
        if fitted.schema.named:
            fresh["feature_names_in_"] = np.asarray(fitted.schema.names, dtype=object)
        if fitted.classes is not None:
            fresh["classes_"] = fitted.classes
        for name in [name for name in self.__dict__ if name.endswith("_") or name in ("_fitted", "_points")]:
            del self.__dict__[name]
        self.__dict__.update(fresh)

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the model as JSON: coefficients, parameters and classes.

        Parameters
        ----------
        path : str or Path, optional
            A file to write as well.

        Returns
        -------
        str
            The text; :meth:`from_json` reads it back to the same predictions, bit by bit.
        """
        check_is_fitted(self)
        text = saving.dump(self)
        if path is not None:
            write(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Read a model.

        Parameters
        ----------
        source : str or Path
            The text, or the path of a file.

        Returns
        -------
        estimator
            Fitted, with the parameters it was fitted with.

        Raises
        ------
        FormatError
            If the text is truncated, edited, of another version, or a model for
            another task.
        FileNotFoundError
            If there is no such file.
        """
        return saving.load_as(cls, source)

    def __getstate__(self) -> dict[str, Any]:
        """Give what a pickle holds: parameters and the JSON."""
        return saving.state_of(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a pickle holds."""
        saving.restore_state(self, state)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a model."""
        return "_fitted" in self.__dict__

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

    _task: ClassVar[str]

    def _prepare(self, X: Any, y: Any, sample_weight: Any, penalties: Any) -> Job:
        raise NotImplementedError

    def _fit_core(self, job: Job, n_jobs: int, report: Any) -> Any:
        raise NotImplementedError

    def _digits(self, job: Job, wire: Mapping[str, Any]) -> Digits | None:  # noqa: ARG002
        """Choose how cuts are shown."""
        return None

    def _read_target(self, y: Any, n_rows: int) -> Target:
        raise NotImplementedError

    def _warn(self) -> None:
        raise NotImplementedError

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
        self._warn()
        return self

    def _table(self, X: Any) -> Table:
        """Read rows to predict."""
        check_is_fitted(self)
        return read_like(X, self._fitted.schema, type(self).__name__, self.memory_limit)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Predictions or scores; shape (n_rows, n_outputs)."""
        table = self._table(X)
        decision: NDArray[np.float64] = self._fitted.model.decision(table.columns, self._points)
        return decision
