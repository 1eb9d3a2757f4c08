"""What a fitted additive model can be asked."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ...data.frames import as_rows
from ...plotting.score_card import ShapesDisplay
from ...results.explain import Contribution, Explanation
from ...results.points import point_card
from ...results.score_card import Card, PointCard, ScoreCard
from ...results.shapes import cell, value_text
from ..checks import whole
from ..core.prepare import weights_of
from .base import AdditiveBase


class FittedAdditive(AdditiveBase):
    """Questions to a fitted model: its step functions, a score card, reasons."""

    def _intercepts(self) -> list[float]:
        return [
            self._fitted.point(output, point)["intercept"] for output, point in enumerate(self._path_index)
        ]

    def score_card(self) -> ScoreCard:
        """Give the model as a score card: one line a step.

        Returns
        -------
        ScoreCard
            Prints as text, shows as HTML in notebooks; ``to_frame()`` gives a data frame
            with the columns ``feature, condition, value, support``.
        """
        check_is_fitted(self)
        intercepts = self._intercepts()
        cards = [
            Card(label, start, tuple(s for s in self.shape_functions_ if s.output == label))
            for label, start in zip(self._fitted.output_names(), intercepts, strict=True)
        ]
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
            self._intercepts()[0],
            self._fitted.document["loss"],
            target.values[:, 0],
            weights,
            whole("max_points", max_points, 1) or 1,
            self._effect(),
            self._table,
        )

    def explain(self, X: Any) -> Explanation | list[Explanation]:
        """Tell which steps make up a prediction.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_features), or array of shape (n_features,)
            The rows; one row may be a row of a pandas frame too.

        Returns
        -------
        Explanation or list of Explanation
            One for a single row, a list for several; prints as a sum.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        X = as_rows(X)
        table = self._table(X)
        model = self._fitted.model
        parts = model.contributions(table.columns, self._path_index)
        decision, predictions = model.decision(table.columns, self._path_index), self.predict(X)
        labels = self._fitted.output_names()
        starts = list(zip(labels, self._intercepts(), strict=True))
        found = []
        for row in range(table.n_rows):
            terms = []
            for shape in self.shape_functions_:
                value = float(parts[labels.index(shape.output)][row, shape.feature_index])
                seen = cell(table.columns[shape.feature_index], row)
                step = shape.step_of(seen)
                text = value_text(shape.feature_name, seen) + (
                    f" ({step.text})" if step else ", taken as the mean"
                )
                terms.append(Contribution(text, value, "step", shape.output))
            terms.sort(key=lambda term: -abs(term.value))
            totals = list(zip(labels, decision[row].tolist(), strict=True))
            found.append(Explanation(_plain(predictions[row]), totals, starts, terms))
        return found[0] if len(found) == 1 else found

    def plot_shapes(self, *, output: Any = None, max_columns: int = 12) -> ShapesDisplay:
        """Draw the step functions, the most important first.

        Parameters
        ----------
        output : object, optional
            The class or target, where the model has several; the first by default.
        max_columns : int, default=12
            The most columns to draw.

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
        return ShapesDisplay.from_estimator(self, output=output, max_columns=max_columns)


def _plain(prediction: Any) -> Any:
    return prediction.tolist() if hasattr(prediction, "tolist") else prediction
