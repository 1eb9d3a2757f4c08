"""The base class of the two additive estimators."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...data.budget import Budget
from ...data.coded_tables import CodedTable
from ...data.frames import as_rows
from ...data.inputs import Table
from ...fit_warnings import warn
from ...formatting.text import format_names
from ...results import contributions
from ...results.explanation import Contribution
from ...results.l0_certificate import L0Certificate, l0_certificate
from ...results.score_card import OutputCard, ScoreCard
from ...results.shape_function import ShapeFunction, shapes_of
from ...results.summary import SummaryRow
from ...results.summary_rows import step_rows
from ...validation import numbers
from .. import _datasets, _reasons
from .._base import Estimator
from .._columns import exclude_of, refuse_codes_among_ranges, special_codes_of, trends_of
from .._cut_points import bins_of
from .._identifiers import warn_of_identifiers
from .._l0 import (
    choice_of,
    fit_path,
    l0_attributes,
    proof,
    strengths,
    warn_of_gap,
    warn_of_search,
)
from .._optimality import timed, verified
from .._plots import plot_path
from .._reading import intercepts_of
from .._tables import BYTES_OF_BINNED_ROWS, BinnedMemory, interpret, problem_of
from .._training import FitResult, PathRequest, TrainingData, one_or_all
from .._within_error import warn_if_within_error
from . import _scorecards
from ._bins_choice import MOST_BINS, fit_with_best_bins, n_bins_of
from ._chance import doubtful_columns, warn_of_chance, warn_of_tested_rows
from ._editing import edit_bins
from ._gap import hint_for_gap
from ._importance import drop_column_importance
from ._left_out import fit_without_doubtful, left_out_of, names_left_out
from ._parameters import RIDGE, RIDGES

if TYPE_CHECKING:
    from ...plotting.shapes import ShapesDisplay

_MEMORY = BinnedMemory(**BYTES_OF_BINNED_ROWS, column=4_000, row=30, most=15_000)
"""With 20,000 columns and 300 rows a column took 12 kB beside its cells."""


class AdditiveModel(Estimator):
    """Base class of sparse sums of step functions."""

    _term_noun: ClassVar[str] = "step"
    _size_limits: ClassVar[tuple[str, ...]] = ("max_steps", "max_columns")
    _read = _datasets.read
    _decision = _datasets.decision_values
    fit_path = fit_path  # type: ignore[assignment]
    drop_column_importance = drop_column_importance
    edit_bins = edit_bins
    binning_table = _scorecards.binning_table
    point_card = _scorecards.point_card
    _scored = _scorecards.scored
    reasons = _reasons.reasons
    _reason_terms = _reasons.of_bins
    plot_path = plot_path
    _path_measure: ClassVar[str] = "size of the column's function (sd over the rows)"
    shape_functions_: list[ShapeFunction]
    certificate_: L0Certificate
    left_out_: list[str]

    @property
    def bins_(self) -> Any:
        """The number of bins that was chosen, or ``bins`` as it was given."""
        check_is_fitted(self)
        return self._fitted.n_bins or self.bins

    def _faster(self) -> list[str]:
        fewer = "fewer bins" if isinstance(self.bins, Real) and self.bins <= 20 else "bins=20"
        return [fewer, *["gap_tol=None (without a proof)"] * (self.gap_tol is not None)]

    def _read_inputs(self, X: Any, budget: Budget) -> Table | CodedTable:
        if isinstance(X, CodedTable):
            refuse_codes_among_ranges(X, special_codes_of(self.special_codes, X))
            return X
        return _MEMORY.read(X, self.categorical_features, budget, self.exclude)

    def _core_parameters(self, inputs: Table | CodedTable, path: PathRequest | None) -> dict[str, Any]:
        same = ("max_steps", "max_columns", "min_bin_weight", "gap_tol", "max_swaps", "time_limit")
        ridge = self._ridges(path)
        return {
            **choice_of(self, path, len(ridge)),
            "ridge": ridge,
            **{name: getattr(self, name) for name in same},
            "loss": self.loss,
            "bins": bins_of(MOST_BINS if isinstance(self.bins, str) else self.bins, inputs),
            "special_codes": special_codes_of(self.special_codes, inputs),
            "exclude": exclude_of(self.exclude, inputs.names),
            "monotonic_cst": trends_of(self.monotonic_cst, inputs.names),
            "memory_limit": self.memory_limit,
        }

    def _parameters_of_fit(self, inputs: Table | CodedTable) -> dict[str, Any]:
        own = super()._parameters_of_fit(inputs)
        chosen = {"bins": bins_of(self._fitted.n_bins, inputs)} if self._fitted.n_bins else {}
        return {**own, **chosen, "exclude": [*own["exclude"], *self._fitted.left_out]}

    def _ridges(self, path: PathRequest | None) -> list[float]:
        """Return the ridge penalties to try."""
        if self.ridge is not None:
            return numbers("ridge", self.ridge, zero=True, hint="a number >= 0, or a list of them")
        is_chosen = path is None and (isinstance(self.lambda0, str) or np.size(self.lambda0) > 1)
        return list(RIDGES) if is_chosen else [RIDGE]

    def _warn(self, data: TrainingData, seconds: float) -> None:
        is_limited = self.max_steps is not None and isinstance(self.lambda0, Real)
        if is_limited and np.max(self.lambda0_) > self.lambda0:
            found = ", ".join(f"{value:.3g}" for value in np.atleast_1d(self.lambda0_))
            warn(
                f"max_steps: at lambda0={self.lambda0:g} the card has more than {self.max_steps} steps; this "
                f"one and its certificate are of lambda0={found}",
                ConvergenceWarning,
            )
        excluded = exclude_of(self.exclude, data.inputs.names)
        warn_of_tested_rows(self, data, excluded)
        excluded = [*excluded, *self._fitted.left_out]
        hardly_repeat = warn_of_identifiers(data.inputs, excluded, "Leave it out, as with exclude=[{name!r}]")
        is_choice = isinstance(self.lambda0, str) and not self.one_standard_error
        if not warn_of_chance(self, data, hardly_repeat) and is_choice:
            warn_if_within_error(self, "lambda0", self._size_limits[0])
        warn_of_search(self, data, seconds)
        warn_of_gap(self, hint_for_gap(self, excluded))

    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        problem = problem_of(data.inputs, data.target.values, data.weights, data.folds)

        def fit(data: TrainingData) -> tuple[Any, None]:
            payload, journal = data.payload, data.journal
            return _native.fit_additive(problem, payload, n_jobs, data.classes, report, journal), None

        fit_bins = partial(fit_with_best_bins, fit=fit) if isinstance(self.bins, str) else fit
        return fit_without_doubtful(data, fit_bins, self._doubtful(data))

    def _doubtful(self, data: TrainingData) -> list[int]:
        excluded = exclude_of(self.exclude, data.inputs.names)
        return doubtful_columns(self, data, excluded) if data.folds else []

    def _result_of(self, data: TrainingData, model: Any, training: Any) -> FitResult:
        """Assemble the result; what the core's part of the fit chose is no training data."""
        left_out, n_bins = training
        return replace(super()._result_of(data, model, None), left_out=left_out, n_bins=n_bins)

    @classmethod
    def _load_core(cls, text: str) -> _native.AdditiveModel:
        return _native.AdditiveModel.from_json(text)

    @classmethod
    def _interpret(
        cls,
        model: Any,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,  # noqa: ARG003
    ) -> dict[str, Any]:
        found = interpret(model, data, envelope)
        n_columns = len(found["schema"].names)
        return {**found, "left_out": left_out_of(envelope, n_columns), "n_bins": n_bins_of(envelope)}

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        points = result.points(path_index)
        features = result.document["features"]
        return {
            **l0_attributes(result, path_index, select, _n_steps),
            "ridge_": one_or_all([point["ridge"] for point in points]),
            "shape_functions_": shapes_of(features, points, result.output_names()),
            "n_nonzero_": one_or_all([_n_steps(point) for point in points]),
            "certificate_": l0_certificate(points),
            "left_out_": names_left_out(result),
        }

    def _used_columns(self) -> Collection[int]:
        return {
            shape["feature"] for point in self._fitted.points(self._path_index) for shape in point["shapes"]
        }

    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]:
        chosen = {"left_out": list(self._fitted.left_out), "n_bins": self._fitted.n_bins}
        return {**super()._saved_parts(all_points=all_points), **{k: v for k, v in chosen.items() if v}}

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _proof(self) -> str:
        told = proof(self, "ended at a limit, or its bins were edited")
        if not self.left_out_:
            return told
        return f"{told} Left out, since the held-out error is lower without: {format_names(self.left_out_)}."

    def _strengths(self) -> dict[str, Any]:
        return {**strengths(self), "ridge": self.ridge_}

    def _move(self) -> str:
        if self._fitted.document["loss"] == "logistic":
            return (
                "with all other columns fixed, no step function of a column lowers the second-order "
                "expansion of the loss"
            )
        if any(point["lambda2"] > 0 for point in self._fitted.points(self._path_index)):
            return "with all other columns fixed, the search found no better step function of a column"
        return "with all other columns fixed, no step function of a column lowers it"

    def _path_terms(self, which: int, places: list[int]) -> list[list[tuple[str, str, float]]]:
        fitted = self._fitted
        points = [fitted.point(which, place) for place in places]
        label = fitted.output_names()[which]
        cards = (shapes_of(fitted.document["features"], [point], [label]) for point in points)
        return [[("column", shape.feature_name, shape.importance) for shape in shapes] for shapes in cards]

    def _summary_rows(self) -> list[SummaryRow]:
        return step_rows(self.shape_functions_)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        table = self._table(X)
        added = self._fitted.model.contributions(table.columns, self._path_index)
        return contributions.of_steps(self.shape_functions_, added, table, self._fitted.output_names())

    def verify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, time_limit: float | None = None
    ) -> L0Certificate:
        """Compute the model's objective and its lower bound again, by code apart from the fit.

        All else that the model says of the training data is computed again and compared: the
        loss, the number of steps, the objective of the best constant, the weight of each piece,
        the means of the functions, the bound of each leaf of a tree, the cut points, and the
        limits of the parameters. Not checked,
        because the data do not determine them: the time, held-out scores, and whether the
        search ended before a limit.

        Parameters
        ----------
        X, y, sample_weight : as in fit
            The training data of the model.
        time_limit : float, optional
            Seconds for the proof and the reading of the data; by default there is no limit.

        Returns
        -------
        L0Certificate
            The new certificate.

        Raises
        ------
        CertificateError
            If a number differs: the data differ, the file was edited, or there is a defect.
        TypeError, ValueError
            If the data cannot be read.
        TimeoutError
            If the time is over before; the message says which outputs are confirmed.
        """

        def prove(table: Any, y: Any, weights: Any) -> L0Certificate:
            return l0_certificate(verified(self, table, y, weights, problem_of, _native.verify_additive))

        with timed(time_limit):
            return _datasets.verified_rows(self, X, y, sample_weight, prove)

    def score_card(self) -> ScoreCard:
        """Return the model as a score card with one line for each step.

        Returns
        -------
        ScoreCard
            Prints as text, shows as HTML in notebooks; ``to_frame()`` gives a data frame
            with the columns ``feature, condition, value, support``.
        """
        check_is_fitted(self)
        cards = tuple(
            OutputCard(label, start, tuple(s for s in self.shape_functions_ if s.output == label))
            for label, start in intercepts_of(self)
        )
        note = f"The sum of the lines that apply is the {self._effect()}."
        return ScoreCard(cards, note, self._fitted.may_be_weighted)

    def plot_shapes(self, *, output: Any = None, max_features: int = 20, ax: Any = None) -> ShapesDisplay:
        """Plot the step functions, the most important first.

        The axis of a column whose cut points are skewed is linear near 0 and logarithmic far from it.

        Parameters
        ----------
        output : object, optional
            The class or target, where the model has several; the first by default.
        max_features : int, default=20
            The most columns to draw, the most important first.
        ax : matplotlib Axes, optional
            Where to draw; the panels take its place.

        Returns
        -------
        ShapesDisplay
            The plot, with ``figure_`` and ``axes_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such output.
        """
        from ...plotting.shapes import ShapesDisplay

        check_is_fitted(self)
        return ShapesDisplay.from_estimator(self, output=output, max_features=max_features, ax=ax)

    def __sklearn_tags__(self) -> Any:
        """Declare the kinds of input for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _n_steps(point: Mapping[str, Any]) -> int:
    return int(point["n_nonzero"])
