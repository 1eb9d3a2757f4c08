"""What all best-subset estimators share: fitting, the path, files and pickles."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import threads
from ..files import write
from ..inputs import Schema, Table, read_like
from ..progress import CallbackSupportMixin, Progress, logging_lines, with_callbacks
from ..targets import Target
from ..text import Digits
from . import saving
from .path import L0Path
from .prepare import Job


@dataclass(frozen=True)
class Fitted:
    """What a fit leaves, apart from the choice of the point.

    Parameters
    ----------
    model : object
        The compiled model, with ``to_json`` and ``decision``.
    wire : dict
        Its document.
    schema : Schema
        The columns.
    flat : bool
        Whether the target had one dimension.
    classes : ndarray or None
        The labels of a classifier.
    targets : list of str or None
        Names of several targets.
    digits : Digits or None
        How cuts are shown, where the model has cuts.
    """

    model: Any
    wire: dict[str, Any]
    schema: Schema
    flat: bool
    classes: NDArray[Any] | None
    targets: list[str] | None
    digits: Digits | None = None

    def labels(self) -> list[Any]:
        """Give a label for each output.

        Returns
        -------
        list
            Classes, or names or numbers of the targets; ``[None]`` for a single output.
        """
        outputs = len(self.wire["outputs"])
        if outputs == 1:
            return [None]
        if self.classes is not None:
            return list(self.classes.tolist())
        return self.targets or list(range(outputs))

    def meaning(self) -> str:
        """Name the decision.

        Returns
        -------
        str
            The prediction of numbers, or the log-odds of a class.
        """
        if self.classes is None:
            return "prediction"
        if len(self.classes) > 2:
            return "decision of its class; the largest wins"
        half = "half the " if self.wire["loss"] == "exponential" else ""
        return f"{half}log-odds of class {self.classes.tolist()[1]!r}"

    def point(self, output: int, point: int) -> dict[str, Any]:
        """Look up a solution.

        Parameters
        ----------
        output, point : int
            Positions.

        Returns
        -------
        dict
            As the core wrote it.
        """
        found: dict[str, Any] = self.wire["outputs"][output]["points"][point]
        return found


class L0Base(CallbackSupportMixin, BaseEstimator):
    """Fit best-subset models; the base of all ``L0`` estimators.

    A subclass says how to check and pack data (`_prepare`), how to fit (`_fit_core`), how to
    read a model (`_read_core`), how many terms a point has (`_count`) and which attributes
    follow from the chosen points (`_attributes`).
    """

    _task: ClassVar[str]
    _fitted: Fitted
    _points: list[int]

    def _prepare(self, X: Any, y: Any, sample_weight: Any, penalties: Any) -> Job:
        raise NotImplementedError

    def _fit_core(self, job: Job, n_jobs: int, report: Any) -> Any:
        raise NotImplementedError

    @staticmethod
    def _read_core(text: str) -> Any:
        raise NotImplementedError

    @staticmethod
    def _count(point: Mapping[str, Any]) -> int:
        raise NotImplementedError

    @staticmethod
    def _schema(wire: Mapping[str, Any], named: bool) -> Schema:
        raise NotImplementedError

    def _digits(self, job: Job, wire: Mapping[str, Any]) -> Digits | None:  # noqa: ARG002
        """Choose how cuts are shown."""
        return None

    def _attributes(self, fitted: Fitted, points: list[int]) -> dict[str, Any]:
        raise NotImplementedError

    def _read_target(self, y: Any, n_rows: int) -> Target:
        raise NotImplementedError

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table: NumPy, pandas, polars, pyarrow, scipy.sparse or nested lists.
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
            If `time_limit` came before the search ended, or the classes are separated
            so that the loss has no minimum.
        """
        return self._run(lambda: self._prepare(X, y, sample_weight, None))

    @with_callbacks
    def fit_path(self, X: Any, y: Any, lambda0: Any = None, sample_weight: Any = None) -> Self:
        """Fit the whole path of penalties and select nothing.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict.
        lambda0 : array-like of shape (n_points,), optional
            The penalties; by default a path from the smallest one of an empty model
            downwards.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, with ``path_`` filled; ``path_.at(lambda0)`` gives a fitted estimator.
            Its own predictions are those of the path's last model.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`fit`.
        """
        return self._run(lambda: self._prepare(X, y, sample_weight, (lambda0,)))

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

    def _warn(self) -> None:
        chosen = [self._fitted.point(output, point) for output, point in enumerate(self._points)]
        if not all(point["complete"] for point in chosen):
            warnings.warn(
                "time_limit: the time was over before the search ended; the model is the best found so far. "
                "Give more time, a larger lambda0 or fewer columns",
                ConvergenceWarning,
                stacklevel=5,
            )
        if any(point.get("separated") for point in chosen):
            warnings.warn(
                "the model separates the classes of the training rows, so its loss has no minimum: the "
                "coefficients are those under a ridge of 1e-8 of the weights. Give lambda2 > 0 to choose the "
                "ridge yourself",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        chosen = [fitted.point(output, point) for output, point in enumerate(points)]
        fresh: dict[str, Any] = {
            "_fitted": fitted,
            "_points": list(points),
            "lambda0_": one_or_all([point["lambda0"] for point in chosen]),
            "lambda2_": one_or_all([point["lambda2"] for point in chosen]),
            "objective_": one_or_all([point["objective"] for point in chosen]),
            "intercept_": one_or_all([point["intercept"] for point in chosen]),
            "n_features_in_": len(fitted.schema.names),
            "path_": L0Path(
                fitted.wire["outputs"],
                self._count,
                functools.partial(type(self)._at, self.get_params(deep=False), fitted),
            ),
            **self._attributes(fitted, points),
        }
        if fitted.schema.named:
            fresh["feature_names_in_"] = np.asarray(fitted.schema.names, dtype=object)
        if fitted.classes is not None:
            fresh["classes_"] = fitted.classes
        for name in [name for name in self.__dict__ if name.endswith("_") or name in ("_fitted", "_points")]:
            del self.__dict__[name]
        self.__dict__.update(fresh)

    @classmethod
    def _at(cls, params: Mapping[str, Any], fitted: Fitted, points: list[int]) -> Self:
        """Make the fitted estimator of one point for each output."""
        estimator = cls(**params)
        estimator._install(fitted, points)
        if len(points) == 1 and params["lambda0"] is not None:
            estimator.set_params(lambda0=estimator.lambda0_, lambda2=estimator.lambda2_)
        return estimator

    def _table(self, X: Any) -> Table:
        """Read rows to predict."""
        check_is_fitted(self)
        return read_like(X, self._fitted.schema, type(self).__name__, self.memory_limit)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Predictions or scores; shape (n_rows, n_outputs)."""
        table = self._table(X)
        decision: NDArray[np.float64] = self._fitted.model.decision(table.columns, self._points)
        return decision

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


def one_or_all(values: list[Any]) -> Any:
    """Give the value of a single output, or an array of those of several.

    Parameters
    ----------
    values : list
        One an output.

    Returns
    -------
    object or ndarray of shape (n_outputs,)
        The value or the values.

    Examples
    --------
    >>> one_or_all([0.5])
    0.5
    """
    return values[0] if len(values) == 1 else np.asarray(values)
