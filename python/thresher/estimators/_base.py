"""The base of every estimator: the steps of a fit, the fitted attributes, predictions.

A fit goes through five steps, :meth:`Estimator._fit`. A family of models implements these methods:

========================= ==========================================================
``_read_inputs``          the training rows or records, checked
``_read_target``          the training targets, checked (the mixins of regressors and classifiers)
``_core_parameters``      the parameters as the core expects them
``_parameters_of_fit``    those with which the model was fitted, for queries about it
``_doubtful``             columns without which strengths are compared as well
``_run_core``             one call of the core
``_result_of``            what the core gives, with what the model's document says
``_load_core``            the compiled model of a file
``_interpret``            columns and cut points, read from the model's document
``_fitted_attributes``    the fitted attributes of this family
``_strengths``            the parameters of the selected point
``_decision``             intercept and terms added up, for new rows
``_used_columns``         the columns that the terms need, of a table
``_compared_columns``     those whose categories they tell apart
``_faster``               what makes a fit take less time, beyond the parameters as they are
``_warn``                 warnings about the fit
``_summary_rows``         the terms, for ``summary()``
``_contributions``        what each term adds for given rows, for ``explain()``
``_reason_terms``         what may be a reason, for ``reasons()`` where a family has it
``_as_rows``              a single row as a table, for the same
``_proof``                a sentence about what was proved
========================= ==========================================================
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .. import threads
from ..data.alignment import warn_if_reordered
from ..data.budget import GRACE, Budget
from ..data.class_weights import training_weights
from ..data.folds import make_folds
from ..data.held_memory import naming_held_memory
from ..data.other_forms import refuse_names_of_columns
from ..data.row_blocks import in_row_blocks
from ..data.target_names import names_of_targets
from ..data.targets import Target
from ..garbage import uncollected
from ..model_io import persistence
from ..progress import CallbackSupportMixin, Progress
from ..results.explanation import Contribution
from ..results.summary import SummaryRow
from ..validation import Parameter
from . import _export, _fitting, _monitoring, _predictions, _reading, _saving
from ._constant_outputs import warn_of_constant_outputs
from ._empty_comparison import warn_if_empty
from ._identifiers import warn_of_compositions, warn_of_dates, warn_of_spellings
from ._parameters import count_support
from ._training import (
    FitResult,
    GivenRows,
    Inputs,
    PathRequest,
    TrainingData,
    budget_of,
    chooses_by_folds,
    is_cross_validated,
    one_or_all,
)


class Estimator(CallbackSupportMixin, BaseEstimator, ABC):
    """Base class of all estimators."""

    _parameters: ClassVar[Mapping[str, Parameter]]
    _task: ClassVar[str]
    _row_noun: ClassVar[str] = "rows"
    _has_poor_score: ClassVar[bool] = False
    _term_noun: ClassVar[str] = "rule"
    _path_measure: ClassVar[str] = "effect (coefficient × sd of the term)"  # of a term, in a plot of the path
    _sum_phrase: ClassVar[str] = "The sum of the effects that apply is"
    _extra_entries: ClassVar[frozenset[str]] = frozenset()
    _fitted: FitResult
    _path_index: list[int]

    fit = _fitting.fit
    fit_path = _fitting.fit_path

    def _fit(
        self,
        rows: GivenRows,
        path: PathRequest | None = None,
        journal: Path | None = None,
        searches: Any = None,
    ) -> Self:
        """Run the five steps of a fit; the estimator is unchanged before the fourth."""
        n_jobs = self._validate()
        data = self._read(rows, budget_of(self, rows.y, path), path)
        data = replace(data, journal=journal, searches=searches)
        for name in ("y", "sample_weight", "groups"):
            warn_if_reordered(rows.X, getattr(rows, name), name)
        result, seconds = self._solve(data, n_jobs)
        self._set_attributes(result, result.selected())
        if result.schema is not None:
            warn_of_dates(self, result.schema)
        warn_of_compositions(result)
        warn_of_spellings(result.classes)
        self._warn(data, seconds)
        if path is None:
            warn_if_empty(self, data)
        warn_of_constant_outputs(self)
        return self

    # ------------------------------------------------------------------ 1. validate

    def _validate(self) -> int:
        """Check the parameters as far as possible without data; return the number of threads."""
        for name, value in self.get_params(deep=False).items():
            self._parameters[name].check(name, value)
        return threads.resolve(self.n_jobs)

    # ------------------------------------------------------------------ 2. read

    def _read(self, rows: GivenRows, budget: Budget, path: PathRequest | None = None) -> TrainingData:
        """Check the data, and convert data and parameters for the core."""
        X, y, sample_weight, groups = rows
        if y is None:
            owner = type(self).__name__
            raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
        refuse_names_of_columns(X, y, "y")
        refuse_names_of_columns(X, sample_weight, "sample_weight")
        refuse_names_of_columns(X, groups, "groups")
        inputs = self._read_inputs(X, budget)
        parameters = self._core_parameters(inputs, path)
        budget.check_time("after X had been read")
        target = self._read_target(y, inputs.n_rows, budget=budget)
        budget.check_time("after y had been read", GRACE / 2)
        weights = self._weights(target, sample_weight, inputs.n_rows)
        count_support(parameters, weights, inputs.n_rows, self._row_noun)
        folds = None
        if "cv" in self._parameters:
            wanted = is_cross_validated(parameters)
            strength = "alpha" if "alpha" in self._parameters else "lambda0"
            folds = make_folds(
                self.cv, target, weights, groups=groups, wanted=wanted, strength=strength, budget=budget
            )
        names = names_of_targets(y, target)
        return TrainingData(inputs, target, names, weights, folds, parameters, budget)

    @abstractmethod
    def _read_inputs(self, X: Any, budget: Budget) -> Inputs:
        """Check training rows or records within the limits of a fit."""

    @abstractmethod
    def _core_parameters(self, inputs: Any, path: PathRequest | None) -> dict[str, Any]:
        """Return the parameters as the core expects them; refuse what does not fit the inputs."""

    def _parameters_of_fit(self, inputs: Any) -> dict[str, Any]:
        """Return those with which the model was fitted, for queries about it."""
        return self._core_parameters(inputs, PathRequest(None))

    def _doubtful(self, data: TrainingData) -> list[int]:  # noqa: ARG002
        """List the columns without which a comparison of strengths is made as well."""
        return []

    @abstractmethod
    def _read_target(
        self, y: Any, n_rows: int, fitted: FitResult | None = None, *, budget: Budget | None = None
    ) -> Target:
        """Check the target values, against the fitted model if there is one."""

    def _weights(self, target: Target, sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
        """Check row weights and multiply them by those of the classes."""
        class_weight = getattr(self, "class_weight", None)
        owner, noun = type(self).__name__, self._row_noun
        return training_weights(target, sample_weight, class_weight, n_rows, owner, noun)

    # ------------------------------------------------------------------ 3. solve

    def _solve(self, data: TrainingData, n_jobs: int) -> tuple[FitResult, float]:
        """Run the core on checked data; return the result and the seconds since the fit began."""
        progress = Progress(self, self.verbose)
        with progress.running(), naming_held_memory(data.budget):
            rest = replace(data, parameters=data.budget.rest(data.parameters))
            model, training = self._run_core(rest, n_jobs, progress.report)
        return self._result_of(data, model, training), data.budget.seconds

    @abstractmethod
    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        """Fit; return the compiled model and, if later queries need it, the core's training data."""

    @uncollected()
    def _result_of(self, data: TrainingData, model: Any, training: Any) -> FitResult:
        """Assemble the result of a fit."""
        found = self._interpret(model, data, {}, None)
        return FitResult(model, training=training, **data.facts(), **found)

    @classmethod
    @abstractmethod
    def _interpret(
        cls, model: Any, data: TrainingData | None, envelope: Mapping[str, Any], vocabulary: Any
    ) -> dict[str, Any]:
        """Return the fields of :class:`FitResult` that follow from the model.

        The arguments are the training data after a fit, or the file's envelope (with a
        pickle's vocabulary) after loading.
        """

    # ------------------------------------------------------------------ 4. set attributes

    @uncollected()
    def _set_attributes(self, result: FitResult, path_index: list[int]) -> None:
        """Drop the attributes of an earlier fit and set those of this one, all at once."""
        points = result.points(path_index)
        select = functools.partial(type(self)._at, self.get_params(deep=False), result)
        fresh: dict[str, Any] = {
            "_fitted": result,
            "_path_index": list(path_index),
            "intercept_": one_or_all([float(point["intercept"]) for point in points]),
            **self._fitted_attributes(result, path_index, select),
        }
        if result.schema is not None:
            fresh["n_features_in_"] = len(result.schema.names)
            if result.schema.named:
                fresh["feature_names_in_"] = np.asarray(result.schema.names, dtype=object)
        if result.classes is not None:
            fresh["classes_"] = result.sorted_classes
            if len(result.classes) == 2:
                fresh["pos_label_"] = result.classes.tolist()[1]
        for name in [name for name in self.__dict__ if name.endswith("_") or name in fresh]:
            del self.__dict__[name]
        self.__dict__.update(fresh)

    @abstractmethod
    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        """Return the attributes of this family; `select` creates estimators at other points."""

    @classmethod
    def _at(cls, params: Mapping[str, Any], result: FitResult, path_index: list[int]) -> Self:
        """Create the fitted estimator at one point for each output."""
        estimator = cls._holding(params, result, path_index)
        if len(path_index) == 1:
            estimator.set_params(**estimator._strengths())
        return estimator

    @classmethod
    def _holding(cls, params: Mapping[str, Any], result: FitResult, path_index: list[int]) -> Self:
        """Create the same with the parameters as they are."""
        estimator = cls(**params)
        estimator._set_attributes(result, path_index)
        return estimator

    _chooses_by_folds = chooses_by_folds

    def _strengths(self) -> dict[str, Any]:
        """Return the parameters with which a fit gives the selected point."""
        return {"alpha": self.alpha_}

    # ------------------------------------------------------------------ 5. warn

    @abstractmethod
    def _warn(self, data: TrainingData, seconds: float) -> None:
        """Warn of a fit that a limit ended."""

    # ------------------------------------------------------------------ predictions

    _table = _predictions.table
    _table_as_given = _predictions.table_as_given
    _excluded_columns = _predictions.excluded_columns
    _finite_decision = _predictions.finite_decision

    def _used_columns(self) -> Collection[int]:
        """Return the positions of the columns that the model needs."""
        return range(self.n_features_in_)

    def _compared_columns(self) -> Collection[int]:
        """Return the positions of the columns whose categories some term tells apart."""
        return self._used_columns()

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Add up intercept and terms; shape (n_rows, n_outputs)."""
        return self._decision_of(self._table(X).columns)

    def _decision_of(self, columns: Sequence[Any]) -> NDArray[np.float64]:
        """Do the same for the columns of rows that are read."""
        model, points = self._fitted.model, self._path_index
        return in_row_blocks(columns, lambda block: model.decision(block, points))

    # ------------------------------------------------------------------ reading a model

    summary = _reading.summary
    explain = _reading.explain
    report = _reading.report
    monitor = _monitoring.monitor
    _scored = _monitoring.scored

    def _constants(self) -> list[float]:
        """Return the constant of each output, to which its terms are added."""
        return [float(point["intercept"]) for point in self._fitted.points(self._path_index)]

    @abstractmethod
    def _summary_rows(self) -> list[SummaryRow]:
        """List the terms of the fitted model in the order in which they are shown."""

    @abstractmethod
    def _contributions(self, X: Any) -> list[list[Contribution]]:
        """Return the contribution of each term to the decision value, row by row."""

    def _as_rows(self, X: Any) -> Any:
        """Convert a single row to a table of one row."""
        return X

    def _proof(self) -> str:
        """Return a sentence about what was proved of the model."""
        return f"Certificate: {self.certificate_}."

    def _html_repr(self) -> str:
        diagram = super()._html_repr() if hasattr(super(), "_html_repr") else ""
        return diagram + (self.summary()._repr_html_() if self.__sklearn_is_fitted__() else "")

    to_javascript = _export.to_javascript
    to_sql = _export.to_sql
    to_python = _export.to_python
    to_c = _export.to_c
    to_onnx = _export.to_onnx
    to_excel = _export.to_excel
    to_pmml = _export.to_pmml

    # ------------------------------------------------------------------ files and pickles

    to_json = _saving.to_json
    _saved_parts = _saving.saved_parts
    _chosen_points = _saving.chosen_points
    _restore = _saving.restore
    _check_restored = _saving.check_restored

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Load a model.

        Parameters
        ----------
        source : str or Path
            The text, or the path of a file.

        Returns
        -------
        estimator
            The fitted estimator with its parameters.

        Raises
        ------
        FormatError
            If the text is truncated or edited, has another version, or holds a model for another task.
        FileNotFoundError
            If there is no such file.
        """
        return persistence.load_as(cls, source)

    @classmethod
    @abstractmethod
    def _load_core(cls, text: str) -> Any:
        """Load a compiled model; the core validates the text."""

    def _check_savable(self) -> None:
        """Raise an error if JSON cannot represent the model."""

    def _pickled_vocabulary(self) -> Any:
        """Return the part of the state that JSON cannot represent."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a pickle: parameters and the JSON."""
        return persistence.state_of(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state from a pickle."""
        persistence.restore_state(self, state)

    # ------------------------------------------------------------------ scikit-learn's interface

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the estimator is fitted."""
        return "_fitted" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """Declare the kinds of input for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
