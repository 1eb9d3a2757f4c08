"""The base class of the estimators for item-sets, sequences and graphs."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import _native
from ..data.budget import Budget
from ..data.records import PackedRecords, require_records
from ..data.schema import Schema
from ..data.weights import row_weights
from ..fit_warnings import warn
from ..formatting.numbers import read_count
from ..model_io.files import bad_model
from ..results import contributions
from ..results.certificate import Certificate
from ..results.convex_path import PatternPath
from ..results.equivalents import MOST_PATTERNS, equivalents_note
from ..results.explanation import Contribution
from ..results.pattern import Pattern
from ..results.pattern_table import PatternTable
from ..results.pattern_view import PatternView
from ..results.price import Price
from ..results.subset_certificate import SubsetCertificate
from ..results.summary import SummaryRow
from ..results.summary_rows import by_importance, frame_of_patterns, pattern_rows
from ..validation import Parameter, number
from . import _optimality as optimality
from . import _pattern_features, _reasons, _shared
from . import _pattern_statistics as pattern_statistics
from ._base import Estimator
from ._convex import (
    convex_attributes,
    fit_options,
    path_terms,
    strengths,
    warn_of_limits,
)
from ._parameters import convex_parameters
from ._pattern_family import Family
from ._penalty_choice import fit_small_model
from ._plots import plot_path
from ._training import FitResult, PathRequest, TrainingData

if TYPE_CHECKING:
    from ..plotting import PatternsDisplay


def pattern_parameters(part: str, losses: Iterable[str]) -> dict[str, Parameter]:
    """Declare the parameters of the pattern estimators; `part` is the unit of a pattern's size."""
    return {
        **convex_parameters("pattern", "record", losses),
        "penalty_growth": Parameter(
            (number(0, closed="left"),),
            f"Increase of a pattern's penalty factor for each {part} beyond the first, >= 0. 0: L1 norm.",
        ),
        "sparse_output": Parameter(
            ("boolean",),
            """Whether :meth:`transform` returns a sparse array; a data frame chosen by ``set_output`` is
            always dense.""",
        ),
    }


class PatternModel(TransformerMixin, Estimator):
    """Base class of sparse sums of patterns; the family defines records and patterns."""

    _family: ClassVar[Family]
    _candidate_noun: ClassVar[str] = "patterns"
    _size_limit: ClassVar[str] = "max_patterns"  # the parameter that limits all terms together
    _row_noun: ClassVar[str] = "records"
    _term_noun: ClassVar[str] = "pattern"
    _extra_entries: ClassVar[frozenset[str]] = frozenset({"matrix"})
    _has_poor_score: ClassVar[bool] = True  # a matrix is reduced to zero and non-zero
    certificate_: Certificate | SubsetCertificate

    fit = _shared.fit
    fit_path = _shared.fit_path

    def _faster(self) -> list[str]:
        return ["shorter patterns", "a larger min_support"]

    def _read_inputs(self, X: Any, budget: Budget) -> PackedRecords:
        return self._family.read(X, type(self).__name__, budget)

    def _core_parameters(self, inputs: PackedRecords, path: PathRequest | None) -> dict[str, Any]:  # noqa: ARG002
        language = self._family.language(self.get_params(deep=False))
        return {"fit": {**fit_options(self, path), "max_patterns": self.max_patterns}, "language": language}

    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        problem = _problem(data.inputs, data.target.values, data.weights, data.folds)

        def fit(data: TrainingData) -> tuple[Any, Any]:
            payload, journal = data.payload, data.journal
            return _native.fit_patterns(
                problem, payload, n_jobs, data.classes, report, journal, data.searches
            )

        return fit_small_model(self, data, fit)

    @classmethod
    def _load_core(cls, text: str) -> _native.PatternModel:
        return _native.PatternModel.from_json(cls._family.format, text)

    @classmethod
    def _interpret(
        cls,
        model: _native.PatternModel,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,
    ) -> dict[str, Any]:
        if data is None:
            matrix, named = envelope["matrix"], bool(envelope["named"])
            if matrix not in ((True, False) if cls._family.of_matrices else (False,)):
                raise bad_model(f"matrix = {matrix!r}")
        else:
            vocabulary = data.inputs.vocabulary
            matrix, named = data.inputs.is_matrix, data.inputs.feature_names is not None
        view, schema = PatternView(model, cls._family, vocabulary), None
        if matrix:
            labels = [str(label) for label in view.vocabulary.labels]
            schema = Schema(labels, [None] * len(labels), named)
        return {"document": view.payload, "schema": schema, "view": view}

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        return {
            **convex_attributes(result, path_index, self._candidate_noun),
            "path_": PatternPath(result.outputs, select),
        }

    @functools.cached_property
    def patterns_(self) -> list[Pattern]:
        """The patterns in use; created at the first access, which may take as long as a small fit."""
        check_is_fitted(self)
        result = self._fitted
        classes = None if result.classes is None else result.classes.tolist()
        patterns: list[Pattern] = result.view.patterns(self._path_index, result.output_names(), classes)
        return patterns

    def _chosen_points(self) -> dict[str, Any]:
        found: dict[str, Any] = self._fitted.view.saved(self._path_index)
        return found

    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]:
        is_matrix = self._fitted.schema is not None
        return {**super()._saved_parts(all_points=all_points), "matrix": is_matrix}

    def _check_savable(self) -> None:
        if not self._fitted.view.vocabulary.is_plain:
            raise TypeError(
                "JSON can hold labels that are text, numbers or booleans, and the records have others; "
                "convert them to text, or use pickle"
            )

    def _pickled_vocabulary(self) -> Any:
        vocabulary = self._fitted.view.vocabulary
        return None if vocabulary.is_plain else vocabulary

    def _read_like(self, X: Any, *, every_column: bool = False) -> PackedRecords:
        """Read records for prediction; a frame of items may lack columns that no pattern uses."""
        check_is_fitted(self)
        result, used = self._fitted, None if every_column else self._used_columns
        return self._family.read_like(X, result.view.vocabulary, result.schema, type(self).__name__, used)

    def _used_columns(self) -> Collection[int]:
        return {item for p in self.patterns_ for item in (*p.payload["present"], *p.payload["absent"])}

    def _records(self, X: Any) -> _native.Records:
        return self._read_like(X).records

    def _decision(self, X: Any) -> NDArray[np.float64]:
        records = self._records(X)
        decision: NDArray[np.float64] = self._fitted.model.decision(records, self._path_index)
        return decision

    def _activations(self, X: Any) -> Any:
        """Return the indicator of each pattern for each record, a sparse array."""
        records = self._records(X)
        return self._fitted.view.activations(records, self._path_index)

    transform = _pattern_features.transform
    get_feature_names_out = _pattern_features.get_feature_names_out
    reasons = _reasons.reasons
    _reason_terms = _reasons.of_patterns

    def _summary_rows(self) -> list[SummaryRow]:
        return by_importance(pattern_rows(self.patterns_))

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        return contributions.of_indicators(self.patterns_, self._activations(X), "pattern")

    def _proof(self) -> str:
        noun, rows = self._term_noun, self._row_noun
        return super()._proof() + equivalents_note(self.patterns_, MOST_PATTERNS, noun, rows)

    def get_patterns(self) -> Any:
        """Return the patterns as a data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            From pandas where it is installed, else polars. Columns:
            ``pattern`` (text), ``size``, ``coef``, ``support`` (fraction of the
            training weight), ``n_rows`` (training records), one ``n_rows_<class>`` for each
            class, and ``importance`` (|coef| sqrt(s (1 - s)), s the support), the most important
            first; of molecules also ``smarts``. With several outputs ``output`` comes first.
        """
        check_is_fitted(self)
        return frame_of_patterns(self.patterns_, several_outputs=len(self._path_index) > 1)

    def pattern_table(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PatternTable:
        """Compare records with and without each pattern: the rate of a class, or the mean of the target.

        Parameters
        ----------
        X : records
            As in :meth:`fit`. In records of training, for which the patterns were chosen, the differences are
            larger than in new ones, and intervals and p-values far too good; the printed table says so.
        y : array-like of shape (n_records,) or (n_records, n_outputs)
            Their targets.
        sample_weight : array-like of shape (n_records,), optional
            Their weights. Rates, means and odds are then weighted, and intervals are those of as
            many equal records as vary as much (of whole weights, of as many as their sum); numbers of records
            stay counts, without those of weight 0, and there are no p-values.

        Returns
        -------
        PatternTable
            The patterns, the most important first, with coefficient, number of records (also by class), and
            rate or mean with an interval of 95 %; as columns (``to_frame``) also recall, odds ratio and
            Fisher's p-value of classes. For molecules it has SMARTS and, where rdkit is installed, drawings.

        Raises
        ------
        TypeError, ValueError
            If the data cannot be read.
        """
        check_is_fitted(self)
        records = self._read_like(X)
        require_records(records.n_rows, self._row_noun)
        occurs = self._fitted.view.activations(records.records, self._path_index)
        target = self._read_target(y, records.n_rows, self._fitted)
        weights = row_weights(sample_weight, records.n_rows)
        table = pattern_statistics.table_of(
            self.patterns_, occurs, target, self._fitted.output_names(), weights, self._fitted.n_rows
        )
        return table if len(table) else replace(table, footer=self.summary().note)

    def _candidate(self, payload: Any, **attributes: Any) -> Pattern:
        pattern: Pattern = self._fitted.view.pattern(payload, **attributes)
        return pattern

    def _beyond_language(self, candidate: Pattern) -> str:
        (name, counted), language = self._family.limit, self._fitted.view.language
        beyond = optimality.over_limit(name, getattr(self, name), candidate.size, counted)
        return beyond or self._family.exclusion(candidate.payload, language)

    def _complemented(self, output: Any) -> list[Any] | None:  # noqa: ARG002
        return None  # the absence of a pattern does not imply another pattern

    def _warn(self, data: TrainingData, seconds: float) -> None:
        warn_of_limits(self, data, seconds)
        if read_count(self._fitted.document["n_candidates"]) == 0:
            why = f"min_support={self.min_support:g}"
            why = self._family.without_candidates if self.min_support == 1 else why
            warn(
                f"X: there is no candidate pattern ({why}), and all records get the same answer",
                ConvergenceWarning,
            )

    near_ties = optimality.near_ties
    _path_terms = path_terms
    _strengths = strengths
    plot_path = plot_path

    def price(self, pattern: Any, output: Any = None) -> Price:
        """Explain why a pattern is in the model or not.

        Parameters
        ----------
        pattern : Pattern, the text of one of ``patterns_``, or as the class describes its patterns
            The pattern to examine.
        output : object, optional
            The class or target, where the model has several; a :class:`Pattern` of the
            model has its own.

        Returns
        -------
        Price
            The pattern's correlation with the residual, the threshold for entering the
            model, and the largest possible gain; prints as a sentence. `min_support` is
            compared with ``n_rows``, as in the fit, and not with the weighted ``support``.

        Raises
        ------
        ValueError
            If the pattern cannot be read, or the training data are not available.
        TypeError
            If `pattern` is of another type.
        """
        optimality.training_of(self)
        given = isinstance(pattern, Pattern)
        which = self._fitted.place_of(pattern.output if output is None and given else output)
        return optimality.price_of(self, which, self._own_form(self._payload_of(pattern)))

    def _own_form(self, payload: Any) -> Any:
        """Return a pattern as the model lists it, where it does: a graph has several equivalent texts."""
        canonical = self._fitted.view.family.canonical
        form = canonical(payload)
        return next((own.payload for own in self.patterns_ if canonical(own.payload) == form), payload)

    def _payload_of(self, pattern: Any) -> Any:
        """Return the payload of a pattern of the model (or its text), or of any other pattern."""
        if isinstance(pattern, str):
            pattern = next((own for own in self.patterns_ if own.text == pattern), pattern)
        if isinstance(pattern, Pattern):
            return pattern.payload
        document = self._fitted.view
        return document.family.parse(pattern, document.vocabulary, document.language)

    def verify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, time_limit: float | None = None
    ) -> Certificate | SubsetCertificate:
        """Prove what the certificate says again by an independent search.

        Parameters
        ----------
        X, y, sample_weight : records and array-like
            The training data of the model.
        time_limit : float, optional
            Seconds for the proof and the reading of the data; by default there is no limit.

        Returns
        -------
        Certificate or SubsetCertificate
            The new certificate.

        Raises
        ------
        CertificateError
            If the check fails: the data differ, the file was edited, or there is a defect.
        TypeError, ValueError
            If the data cannot be read.
        TimeoutError
            If the time is over before; the message says which outputs are confirmed.
        """
        with optimality.timed(time_limit):
            records = self._read_like(X, every_column=True)
            require_records(records.n_rows, self._row_noun)
            view = self._fitted.view
            unseen = view.family.unseen(X, view.vocabulary)
            prove = _native.verify_patterns
            return optimality.verify_by(self, records, y, sample_weight, _problem, prove, unseen)

    def plot_patterns(self, *, max_patterns: int = 20, output: Any = None, ax: Any = None) -> PatternsDisplay:
        """Plot the patterns as a table: coefficient and support in each class.

        Parameters
        ----------
        max_patterns : int, default=20
            The most patterns to show, the most important first.
        output : object, optional
            The class or target, where the model has several; all of them by default.
        ax : matplotlib Axes, optional
            Where to draw; the two panels take its place.

        Returns
        -------
        PatternsDisplay
            The plot.

        Raises
        ------
        ValueError
            If there is no such output.
        ImportError
            If matplotlib is not installed.
        """
        from ..plotting import PatternsDisplay

        return PatternsDisplay.from_estimator(self, max_patterns=max_patterns, output=output, ax=ax)


def _problem(inputs: PackedRecords, values: Any, weights: Any, folds: Any) -> _native.PatternProblem:
    return _native.PatternProblem(inputs.records, values, weights, folds)
