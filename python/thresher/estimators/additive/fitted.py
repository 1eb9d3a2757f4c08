"""What a fitted additive model can be asked."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from ...plotting.shapes import ShapesDisplay
from ...results import contributions
from ...results.explanation import Contribution
from ...results.points import point_card
from ...results.score_card import OutputCard, PointCard, ScoreCard
from ...results.summary import SummaryRow
from ...results.summary_rows import step_rows
from .._reading import intercepts_of
from ..checks import whole
from ..core.prepare import weights_of
from .base import AdditiveBase


class FittedAdditive(AdditiveBase):
    """Questions to a fitted model: its step functions, a score card, reasons."""

    _term_noun: ClassVar[str] = "step"

    def _move(self) -> str:
        return "no change of the step function of one whole column improves it"

    def _summary_rows(self) -> list[SummaryRow]:
        return step_rows(self.shape_functions_)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        table = self._table(X)
        added = self._fitted.model.contributions(table.columns, self._path_index)
        return contributions.of_steps(self.shape_functions_, added, table, self._fitted.output_names())

    def score_card(self) -> ScoreCard:
        """Give the model as a score card: one line a step.

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
        return ScoreCard(cards, f"The sum of the lines that apply is the {self._effect()}.")

    def point_card(self, X: Any, y: Any, sample_weight: Any = None, *, max_points: int = 10) -> PointCard:
        """Give the model as a score card of whole points.

        The scale is the one of least loss on the rows given, out of 200 with at most
        `max_points` for a step; the constant is fitted anew. The lowest step of each
        column has 0 points.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The rows to choose by, such as those of training.
        max_points : int, default=10
            The most points of a step.

        Returns
        -------
        PointCard
            With ``loss`` (of the points) and ``exact_loss`` (of the model) on these rows.

        Raises
        ------
        TypeError, ValueError
            If the data cannot be read, `max_points` is no whole number >= 1, or the
            model has several outputs.
        """
        table = self._table(X)
        target = self._read_target(y, table.n_rows, self._fitted)
        weights = weights_of(
            self.get_params(deep=False), target, sample_weight, table.n_rows, type(self).__name__
        )
        if len(self._path_index) != 1 or target.values.shape[1] != 1:
            raise ValueError("a card of whole points is for one output; the model has several")
        [parts] = self._fitted.model.contributions(table.columns, self._path_index)
        return point_card(
            self.shape_functions_,
            parts,
            intercepts_of(self)[0][1],
            self._fitted.document["loss"],
            target.values[:, 0],
            weights,
            whole("max_points", max_points, 1) or 1,
            self._effect(),
            self._table,
        )

    def plot_shapes(self, *, output: Any = None, max_features: int = 20, ax: Any = None) -> ShapesDisplay:
        """Draw the step functions, the most important first.

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
            With ``figure_`` and ``axes_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such output, or no column is in use.
        """
        check_is_fitted(self)
        return ShapesDisplay.from_estimator(self, output=output, max_features=max_features, ax=ax)
