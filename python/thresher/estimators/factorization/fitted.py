"""What a fitted factorization machine can be asked."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...data.encode import column_names, decide, encode_rows, schema_of
from ...data.frames import as_rows
from ...data.inputs import Schema
from ...formatting.numbers import format_count
from ...plotting.interactions import InteractionsDisplay
from ...results import contributions
from ...results.explanation import Contribution
from ...results.interactions import Interactions
from ...results.summary import SummaryRow
from ...results.summary_rows import coefficient_rows, interaction_rows
from .._reading import intercepts_of
from ..checks import whole
from ..core.base import Saved

_LIMIT = 10_000_000
"""The most interactions that are listed unless more are asked for."""
_SUMMARY_LIMIT = 10_000
"""The most interactions in a summary, the strongest ones."""


class FittedMachine(Saved):
    """Questions to a fitted machine: factors, interactions, pictures, files."""

    _found: dict[int, Interactions]

    def _decision(self, X: Any) -> NDArray[np.float64]:
        """Predictions or scores; shape (n_rows, n_outputs)."""
        check_is_fitted(self)
        fitted = self._fitted
        found: NDArray[np.float64] = decide(
            fitted.model, X, fitted.schema, type(self).__name__, self._path_index
        )
        return found

    @property
    def column_names_(self) -> list[str]:
        """Names of the rows of ``factors_``: numbers by column, categories as ``column=level``."""
        check_is_fitted(self)
        return column_names(self._fitted.document)

    @property
    def signs_(self) -> NDArray[np.float64]:
        """Signs of the components, of shape (rank,) or (n_outputs, rank)."""
        check_is_fitted(self)
        signs = np.asarray([output["signs"] for output in self._fitted.document["outputs"]], dtype=np.float64)
        return np.asarray(signs[0] if len(signs) == 1 else signs)

    @property
    def factors_(self) -> list[NDArray[np.float64]]:
        """One array of shape (n_columns, rank) an order; several outputs come first."""
        check_is_fitted(self)
        wire = self._fitted.document
        height = len(self.column_names_) + wire["ones"]
        factors = []
        for order in range(len(wire["orders"])):
            stack = np.zeros((len(self._path_index), height, len(wire["outputs"][0]["signs"])))
            for output, point in enumerate(self._path_index):
                entries = self._fitted.point(output, point)["factors"][order]
                if entries:
                    rows, components, values = zip(*entries, strict=True)
                    stack[output, list(rows), list(components)] = values
            factors.append(stack[0] if len(stack) == 1 else stack)
        return factors

    @property
    def n_interactions_(self) -> int | NDArray[np.int64]:
        """How many interactions are in use; one number an output where there are several."""
        check_is_fitted(self)
        counts = [self._fitted.model.count(o, point, 2**40) for o, point in enumerate(self._path_index)]
        return counts[0] if len(counts) == 1 else np.asarray(counts)

    @property
    def interactions_(self) -> Interactions:
        """The interactions in use, the strongest first; of several outputs one after the other."""
        return self.get_interactions()

    def get_interactions(self, limit: int = _LIMIT) -> Interactions:
        """List the interactions in use.

        Parameters
        ----------
        limit : int, default=10,000,000
            The most of an output; a model with more is refused.

        Returns
        -------
        Interactions
            The strongest first, with ``to_frame`` and ``to_matrix``. Of the all-subsets
            model those of two and three features.

        Raises
        ------
        ValueError
            If there are more than `limit`.
        """
        check_is_fitted(self)
        limit = int(whole("limit", limit, 1) or 1)
        if limit not in self._found:
            self._found[limit] = self._list(limit)
        return self._found[limit]

    def _list(self, limit: int) -> Interactions:
        model, names = self._fitted.model, self.column_names_
        parts = [model.interactions(output, point, limit) for output, point in enumerate(self._path_index)]
        if len(parts) == 1:
            weights, components, columns = parts[0]
            return Interactions(weights, components, columns, names)
        outputs = [
            label
            for label, part in zip(self._fitted.output_names(), parts, strict=True)
            for _ in range(len(part[2]))
        ]
        return Interactions(
            np.concatenate([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]),
            [columns for part in parts for columns in part[2]],
            names,
            outputs,
        )

    _term_noun: ClassVar[str] = "term"

    _sum_phrase: ClassVar[str] = "Each coefficient times its column or product of columns, added up, is"

    def _n_listed(self) -> int:
        counts = np.atleast_1d(self.n_interactions_)
        return min(int(counts.sum()), _SUMMARY_LIMIT) if counts.max() <= _LIMIT else 0

    def _proof(self) -> str:
        chosen = [self._fitted.point(output, point) for output, point in enumerate(self._path_index)]
        ended = "converged" if all(point["converged"] for point in chosen) else "stopped before it converged"
        left_out = int(np.sum(self.n_interactions_)) - self._n_listed()
        rest = f" {format_count(left_out)} weaker interactions are not listed." if left_out else ""
        return (
            f"The problem is not convex and no bound is proved: the fit {ended} after {self.n_iter_} epochs, "
            f"objective {np.sum(np.asarray(self.objective_)):.6g}.{rest}"
        )

    def _linear(self) -> list[tuple[Any, list[tuple[int, float]]]]:
        points = zip(self._path_index, self._fitted.output_names(), strict=True)
        return [(label, self._fitted.point(o, point)["coef"]) for o, (point, label) in enumerate(points)]

    def _summary_rows(self) -> list[SummaryRow]:
        names, rows = self.column_names_, []
        for label, coef in self._linear():
            rows += coefficient_rows(((names[column], value) for column, value in coef), label)
        listed = self._n_listed()
        return rows + interaction_rows(self.interactions_[:listed] if listed else ())

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        fitted, names = self._fitted, self.column_names_
        rows = encode_rows(X, fitted.schema, type(self).__name__)
        parts = [contributions.of_sparse(coef, names, rows, label) for label, coef in self._linear()]
        if np.max(self.n_interactions_) <= _LIMIT:
            parts.append(contributions.of_interactions(self.interactions_, rows))
        listed = contributions.joined(*parts)
        rest = "all other terms of the factors"
        return contributions.joined(
            listed, contributions.remainder(listed, intercepts_of(self), self._decision(X), rest)
        )

    def plot_interactions(
        self, *, kind: str = "matrix", max_features: int = 20, output: Any = None, ax: Any = None
    ) -> InteractionsDisplay:
        """Draw the strongest pairs.

        Parameters
        ----------
        kind : {"matrix", "network"}, default="matrix"
            A matrix of coloured weights, or features on a circle with a line for each
            pair, as thick as it is strong.
        max_features : int, default=20
            The most features, those of the strongest pairs.
        output : object, optional
            The class or target, where the model has several; the first by default.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        InteractionsDisplay
            With ``ax_`` and ``figure_``.

        Raises
        ------
        ValueError
            If there is no such output or kind, or no pair is in use.
        ImportError
            If matplotlib is not installed.
        """
        check_is_fitted(self)
        return InteractionsDisplay.from_estimator(
            self, kind=kind, max_features=max_features, output=output, ax=ax
        )

    @staticmethod
    def _read_core(text: str) -> Any:
        return _native.FmModel.from_json(text)

    @staticmethod
    def _schema(wire: Any, named: bool) -> Schema:
        return schema_of(wire, named)
