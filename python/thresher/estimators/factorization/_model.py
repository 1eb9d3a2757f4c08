"""The base class of the two factorization machines."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...cluster import without_client
from ...data.budget import Budget
from ...data.compressed import Compressed
from ...data.encode import (
    column_names,
    decide,
    encode,
    encode_rows,
    less_centers,
    read_rows,
    refuse_unknown,
    schema_of,
)
from ...data.fit_rows import without_unused_categories
from ...data.frames import as_rows
from ...data.inputs import Table
from ...fit_warnings import warn
from ...progress import with_callbacks
from ...results import contributions
from ...results.explanation import Contribution
from ...results.interactions import Interactions
from ...results.machine_path import FmPath
from ...results.machine_rows import EncodedFeatures, encoded_rows, interaction_rows, note_of_unlisted
from ...results.machine_terms import MAX_LISTED_SIZE, factor_arrays, has_larger_products, lower_terms
from ...results.summary import SummaryRow
from ...validation import check, integer
from .._base import Estimator
from .._reading import intercepts_of
from .._resumed import fit_resumable
from .._training import FitResult, GivenRows, PathRequest, TrainingData, one_or_all
from ._batches import read_batch
from ._held_out import held_out_rows
from ._interactions import all_interactions, interactions_of_columns
from ._messages import TIME_IS_OVER, lost_digits, messages, sum_phrase
from ._parameters import core_parameters, strength_of
from ._starts import start_of

if TYPE_CHECKING:
    from ...plotting.interactions import InteractionsDisplay

_PATH = np.geomspace(100.0, 0.01, 17)  # default path, as multiples of alpha
_STRENGTHS = ("alpha", "l2_linear", "l2_factors")  # parameters whose values may be chosen
_LIMIT = 10_000_000
"""The default limit on the number of interactions in a list."""


class MachineModel(Estimator):
    """Base class of factorization machines."""

    _found: dict[int, Interactions]

    @without_client
    @with_callbacks
    def fit_path(
        self,
        X: Any,
        y: ArrayLike,
        *,
        alphas: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        checkpoint: str | Path | None = None,
    ) -> Self:
        """Fit a model at each of several regularisation strengths without selecting one.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Target values.
        alphas : array-like of shape (n_points,), optional
            The strengths; by default 17 from 100 times the parameter `alpha` (0.01, for classes
            0.003, where that is "cv") down to a hundredth of it.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row.
        checkpoint : str or Path, optional
            A folder for the results of finished steps, as in :meth:`fit`.

        Returns
        -------
        estimator
            The estimator with ``path_`` set; ``path_.at(alpha)`` gives a fitted
            estimator. Its own predictions are those of the last model of the path.

        Raises
        ------
        TypeError, ValueError, MemoryError, OSError
            As in :meth:`fit`.
        """
        strengths = strength_of(self) * _PATH if alphas is None else alphas
        fit_resumable(self, GivenRows(X, y, sample_weight), PathRequest(strengths), checkpoint)
        return self

    def _learn_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Update the model by one pass over the rows, in the five steps of a fit."""
        n_jobs = self._validate()
        budget = Budget.of_fit(self.time_limit, self.memory_limit, n_jobs)
        data = read_batch(self, X, y, classes, sample_weight, budget)
        result, _ = self._solve(data, n_jobs)
        result = replace(result, n_rows=0, is_weighted=None)  # of all batches, which are not remembered
        self._set_attributes(result, result.selected())
        if not self._is_complete():
            warn(TIME_IS_OVER, ConvergenceWarning)
        return self

    def _read(self, rows: GivenRows, budget: Budget, path: PathRequest | None = None) -> TrainingData:
        data = super()._read(rows, budget, path)
        table: Any = data.inputs
        if isinstance(table, Table):
            table = without_unused_categories(table, data.weights)
        start = start_of(self, table, data) if path is None else None
        data = replace(data, inputs=encode(table))
        folds = held_out_rows(self, data) if self.early_stopping else data.folds
        return replace(data, folds=folds, start=start)

    def _read_inputs(self, X: Any, budget: Budget) -> Table | Compressed:
        return read_rows(X, self.categorical_features, budget)

    def _core_parameters(self, inputs: Any, path: PathRequest | None) -> dict[str, Any]:  # noqa: ARG002
        return core_parameters(self, int(check_random_state(self.random_state).randint(2**31 - 1)), path)

    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        rows, y = data.inputs.data, data.target.values
        options = (data.payload, data.weights, data.folds, data.start, n_jobs, data.classes)
        return _native.fit_fm(rows, y, *options, report, data.journal), None

    @classmethod
    def _load_core(cls, text: str) -> _native.FmModel:
        return _native.FmModel.from_json(text)

    @classmethod
    def _interpret(
        cls,
        model: Any,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,  # noqa: ARG003
    ) -> dict[str, Any]:
        document = json.loads(model.to_json())
        named = bool(envelope["named"]) if data is None else data.inputs.named
        return {"document": document, "schema": schema_of(document, named)}

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        given = {"l2_linear": self.l2_linear, "l2_factors": self.l2_factors}
        points = [given | point for point in result.points(path_index)]
        coef = np.zeros((len(points), sum(len(levels or [0]) for levels in result.schema.levels)))
        for row, point in zip(coef, points, strict=True):
            for column, value in point["coef"]:
                row[column] = value
        return {
            "_found": {},
            "rank_": result.document["language"]["rank"],
            **{f"{k}_": one_or_all([p[k] for p in points]) for k in ("objective", *_STRENGTHS)},
            "coef_": coef[0] if len(points) == 1 else coef,
            "n_iter_": max(point["n_iter"] for point in points),
            "path_": FmPath(
                result.outputs, lambda output, point: result.model.count(output, point, 2**40), select
            ),
        }

    def _strengths(self) -> dict[str, Any]:
        return {"n_interactions": None, **{name: getattr(self, f"{name}_") for name in _STRENGTHS}}

    def _is_complete(self) -> bool:
        return all(point["complete"] for point in self._fitted.points(self._path_index))

    def _warn(self, data: TrainingData, seconds: float) -> None:  # noqa: ARG002
        points = self._fitted.points(self._path_index)
        compared = [output["cv"] for output in self._fitted.outputs if output["cv"]]
        for message in messages(data.parameters, points, compared, self.n_features_in_):
            warn(message, ConvergenceWarning)
        for message in lost_digits(self.column_names_, self._fitted.document["language"]):
            warn(message, UserWarning)

    def _decision(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        result, owner = self._fitted, type(self).__name__
        used = self._used_columns
        refuse_unknown(X, result.schema, owner, self.handle_unknown, used)
        found: NDArray[np.float64] = decide(result.model, X, result.schema, owner, self._path_index, used)
        return found

    def _used_columns(self) -> Collection[int]:
        widths = [1 if levels is None else len(levels) for levels in self._fitted.schema.levels]
        feature_of = np.repeat(np.arange(len(widths)), widths).tolist()
        used: set[int] = set()
        for point in self._fitted.points(self._path_index):
            used.update(column for column, value in point["coef"] if value != 0)
            for entries in point["factors"]:
                used.update(row for row, _, value in entries if value != 0)
        return {feature_of[column] for column in used if column < len(feature_of)}  # after them: constants

    @property
    def column_names_(self) -> list[str]:
        """Names of the rows of ``factors_``: names of numeric columns, categories as ``column=level``."""
        check_is_fitted(self)
        return column_names(self._fitted.document)

    @property
    def centers_(self) -> NDArray[np.float64]:
        """What is subtracted from each column before coefficients and factors multiply it."""
        check_is_fitted(self)
        centers = self._fitted.document["language"].get("centers")
        return np.asarray(centers or [0.0] * len(self.column_names_), dtype=np.float64)

    def _subtracted(self) -> dict[int, float]:
        """Return the centers other than 0, by columns."""
        centers = self.centers_
        return {int(j): float(centers[j]) for j in np.flatnonzero(centers)}

    @property
    def signs_(self) -> NDArray[np.float64]:
        """Signs of the components, of shape (rank,) or (n_outputs, rank)."""
        check_is_fitted(self)
        points = self._fitted.points(self._path_index)
        return np.asarray(one_or_all([point["signs"] for point in points]), dtype=np.float64)

    @property
    def factors_(self) -> list[NDArray[np.float64]]:
        """One array of shape (n_columns, rank) or (n_outputs, n_columns, rank) for each order."""
        check_is_fitted(self)
        language, width = self._fitted.document["language"], len(self.column_names_)
        return factor_arrays(self._fitted.points(self._path_index), language, width)

    @property
    def n_interactions_(self) -> int | NDArray[np.int64]:
        """The number of interactions, one for each output where there are several."""
        check_is_fitted(self)
        counts = [self._fitted.model.count(o, point, 2**40) for o, point in enumerate(self._path_index)]
        return counts[0] if len(counts) == 1 else np.asarray(counts)

    @property
    def interactions_(self) -> Interactions:
        """The interactions, output by output, those of the largest standardised coefficients first."""
        return self.get_interactions()

    def get_interactions(self, limit: int = _LIMIT) -> Interactions:
        """List the interactions of the model.

        Parameters
        ----------
        limit : int, default=10,000,000
            The most interactions of an output; a model with more is an error.

        Returns
        -------
        Interactions
            The interactions, those of the largest standardised coefficients first, so that units do not
            decide their order, with ``to_frame`` and ``to_matrix``.
            For the all-subsets model those of two and three features.

        Raises
        ------
        ValueError
            If there are more than `limit`.
        """
        check_is_fitted(self)
        check("limit", limit, integer(1))
        if limit not in self._found:
            self._found[limit] = all_interactions(self, limit)
        return self._found[limit]

    _term_noun: ClassVar[str] = "term"

    def _faster(self) -> list[str]:
        is_compared = isinstance(self.alpha, str) and self.penalty is not None
        return ["a number for alpha"] * is_compared + ["a smaller rank"] * (self.rank != 1)

    @property
    def _sum_phrase(self) -> str:  # type: ignore[override]
        return sum_phrase(self.column_names_, self._subtracted())

    def _proof(self) -> str:
        chosen = [self._fitted.point(output, point) for output, point in enumerate(self._path_index)]
        ended = "converged" if all(point["converged"] for point in chosen) else "stopped before it converged"
        if not self._is_complete():
            ended = "was ended by time_limit"
        rest = note_of_unlisted(np.atleast_1d(self.n_interactions_), _LIMIT)
        if has_larger_products(chosen, self._fitted.document["language"]["orders"], self._features().place):
            rest += f" Products of more than {MAX_LISTED_SIZE} columns are not listed."
        return (
            f"The problem is not convex and no bound is proved: the fit {ended} after {self.n_iter_} passes, "
            f"objective {np.sum(np.asarray(self.objective_)):.6g}.{rest}"
        )

    def _lower_terms(self) -> list[tuple[Any, float, list[tuple[int, float]]]]:
        """Return the label, the constant and the slopes of each output."""
        orders, width = self._fitted.document["language"]["orders"], len(self.column_names_)
        points = zip(self._fitted.output_names(), self._fitted.points(self._path_index), strict=True)
        return [(label, *lower_terms(point, orders, width)) for label, point in points]

    def _constants(self) -> list[float]:
        return [constant for _, constant, _ in self._lower_terms()]

    def _features(self) -> EncodedFeatures:
        schema = self._fitted.schema
        return EncodedFeatures(schema.names, [levels and len(levels) for levels in schema.levels])

    def _summary_rows(self) -> list[SummaryRow]:
        features, rows = self._features(), list[SummaryRow]()
        if np.max(self.n_interactions_) <= _LIMIT:
            rows += interaction_rows(self.interactions_, features)
        for label, _, slopes in self._lower_terms():
            rows += encoded_rows(slopes, self.column_names_, features, label)
        return rows

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        fitted, names = self._fitted, self.column_names_
        rows = encode_rows(X, fitted.schema, type(self).__name__, self._used_columns)
        if centers := self._subtracted():
            rows = less_centers(rows, centers)
        parts = [
            contributions.of_sparse(slopes, names, rows, label, centers)
            for label, _, slopes in self._lower_terms()
        ]
        if np.max(counts := self.n_interactions_) <= _LIMIT:
            of_columns = interactions_of_columns(self, _LIMIT, int(np.sum(counts)), rows.shape[0])
            parts.append(contributions.of_interactions(of_columns, rows))
        listed = contributions.concatenate_rows(*parts)
        rest = "all other terms of the factors"
        return contributions.concatenate_rows(
            listed, contributions.remainder(listed, intercepts_of(self), self._decision(X), rest)
        )

    def plot_interactions(
        self, *, kind: str = "matrix", max_features: int = 20, output: Any = None, ax: Any = None
    ) -> InteractionsDisplay:
        """Plot the standardised coefficients of the strongest pairs of features.

        Parameters
        ----------
        kind : {"matrix", "network"}, default="matrix"
            A matrix of coloured coefficients, or features on a circle with a line for
            each pair, whose width shows the coefficient.
        max_features : int, default=20
            The most features, those of the strongest pairs.
        output : object, optional
            The class or target, where the model has several; the first by default.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        InteractionsDisplay
            The plot, with ``ax_`` and ``figure_``.

        Raises
        ------
        ValueError
            If there is no such output or kind.
        ImportError
            If matplotlib is not installed.
        """
        from ...plotting.interactions import InteractionsDisplay

        check_is_fitted(self)
        return InteractionsDisplay.from_estimator(
            self, kind=kind, max_features=max_features, output=output, ax=ax
        )

    def __sklearn_tags__(self) -> Any:
        """Declare the kinds of input for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
