"""Partial dependence of the prediction on one column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data.columns import Column, column_position
from ..data.weights import are_different, row_weights
from ..formatting.text import format_level, pluralize
from ._display import GREY, Display, set_label, shorten


@dataclass(repr=False)
class DependenceDisplay(Display):
    """Partial dependence of the prediction on one column.

    The weighted average over the rows of f with the column set to each value in turn
    (Friedman's partial dependence); for a numeric column exact at every value, since f
    is piecewise linear between the model's cut points.

    Parameters
    ----------
    name : str
        The column.
    values : list of float or str
        The values of the column; for a numeric column both sides of every cut point.
    averages : ndarray of shape (n_values, n_outputs)
        The averages, in units of the target or of the decision function.
    labels : list
        The outputs' labels.
    deciles : ndarray or None
        The column's deciles, shown as ticks; None for a categorical column.
    effect : str
        The name of the averaged quantity.
    is_weighted : bool, default=False
        Whether rows of different weights were averaged.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    name: str
    values: list[Any]
    averages: NDArray[np.float64]
    labels: list[Any]
    deciles: NDArray[np.float64] | None
    effect: str = "prediction"
    is_weighted: bool = False

    def _content(self) -> str:
        return f"{self.name} at {pluralize(len(self.values), 'value')}"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        feature: str | int,
        *,
        X: Any = None,
        sample_weight: Any = None,
        output: Any = None,
        ax: Any = None,
    ) -> Self:
        """Plot the partial dependence of a fitted estimator on a column.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        feature : str or int
            The column's name or position.
        X : array or frame of shape (n_rows, n_features), optional
            The rows to average over; by default training rows with the weights of the fit.
        sample_weight : array-like of shape (n_rows,), optional
            The weights of the rows of `X`; equal by default.
        output : object, optional
            The class or target, where the model has several; all of them by default.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        DependenceDisplay
            The plot.

        Raises
        ------
        ValueError
            If there is no such column or output, no rows to average over, or `sample_weight` is invalid.
        """
        check_is_fitted(estimator)
        document = estimator._fitted.view
        position = column_position(feature, document.names, "feature")
        columns, weights = _rows(estimator, X, sample_weight)
        values, deciles = _grid(estimator, position, columns[position], weights)
        averages = _averages(estimator, position, columns, weights, values)
        shown = values
        if isinstance(columns[position], tuple):
            shown = ["missing" if value is None else format_level(value) for value in values]
        labels, effect = estimator._fitted.output_names(), estimator._effect()
        if output is not None:
            which = estimator._fitted.place_of(output)
            labels, averages = [labels[which]], averages[:, [which]]
            effect = estimator._effect(labels[0])
        display = cls(
            document.names[position], shown, averages, labels, deciles, effect, are_different(weights)
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        DependenceDisplay
            The display itself.
        """
        ax = self._draw_on(ax, (6.5, 4))
        for column, label in enumerate(self.labels):
            if self.deciles is None:
                width = 0.8 / len(self.labels)
                places = np.arange(len(self.values)) + (column - (len(self.labels) - 1) / 2) * width
                ax.bar(places, self.averages[:, column], width=width * 0.9, label=shorten(str(label), 40))
            else:
                ax.plot(self.values, self.averages[:, column], lw=1.8, label=shorten(str(label), 40))
        if self.deciles is None:
            texts = [shorten(str(value), 22) for value in self.values]
            steep = sum(map(len, texts)) > 50
            ax.set_xticks(
                np.arange(len(texts)), texts, rotation=25 if steep else 0, ha="right" if steep else "center"
            )
            ax.axhline(0, color="#444444", lw=0.8)
        else:
            ax.plot(
                self.deciles,
                np.zeros(self.deciles.size),
                "|",
                color=GREY,
                ms=9,
                transform=ax.get_xaxis_transform(),
                clip_on=False,
            )
        if len(self.labels) > 1:
            ax.legend(frameon=False, fontsize=8)
        set_label(ax.set_xlabel, self.name)
        set_label(ax.set_ylabel, f"{'weighted ' * self.is_weighted}average {self.effect}")
        ax.spines[["top", "right"]].set_visible(False)
        return self


def _rows(estimator: Any, X: Any, sample_weight: Any) -> tuple[Sequence[Column], NDArray[np.float64] | None]:
    """Return the rows to average over and their weights, None where they are equal."""
    if X is not None:
        table = estimator._table(X, every_column=True)
        return table.columns, row_weights(sample_weight, table.n_rows)
    if sample_weight is not None:
        raise ValueError("plot_dependence: sample_weight belongs to the rows of X; give X as well")
    if estimator._fitted.sample is None:
        raise ValueError(
            "plot_dependence: this model was loaded and has no rows; give X, rows to average over"
        )
    columns, weights = estimator._fitted.sample
    return columns, weights


def _grid(
    estimator: Any, position: int, column: Column, weights: NDArray[np.float64] | None
) -> tuple[list[Any], NDArray[np.float64] | None]:
    """Return the evaluation points: levels, or both sides of every cut point of the model."""
    feature = estimator._fitted.view.features[position]
    if isinstance(column, tuple):
        levels: list[Any] = list(feature["levels"])
        return [*levels, None] if feature["missing"] else levels, None
    codes = [code["value"] for code in feature.get("special", ())]
    is_present = ~(np.isnan(column) | np.isin(column, codes))
    if weights is not None:
        is_present &= weights > 0
    present = column[is_present]
    ends = (
        [feature["lower"], feature["upper"]]
        if not present.size
        else [float(present.min()), float(present.max())]
    )
    cuts = {
        end
        for rule in estimator.rules_
        for condition in rule.conditions
        if condition.feature_index == position
        for end in (condition.lower, condition.upper)
        if ends[0] <= end < ends[1]
    }
    values = [
        ends[0],
        *(value for cut in sorted(cuts) for value in (cut, math.nextafter(cut, math.inf))),
        ends[1],
    ]
    return values, _deciles(present, np.ones(present.size) if weights is None else weights[is_present])


def _deciles(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least values up to which there are 0, 10, ..., 100 % of the weight; none of no values."""
    if not values.size:
        return np.zeros(0)
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    places = np.searchsorted(total, np.arange(11) * total[-1] / 10)
    found: NDArray[np.float64] = values[order[np.minimum(places, values.size - 1)]]
    return found


def _averages(
    estimator: Any,
    position: int,
    columns: Sequence[Column],
    weights: NDArray[np.float64] | None,
    values: Sequence[Any],
) -> NDArray[np.float64]:
    changed = list(columns)
    averages = []
    for value in values:
        column = columns[position]
        if isinstance(column, tuple):
            code = -1 if value is None else 0
            changed[position] = (
                np.full(column[0].size, code, dtype=np.int32),
                [] if value is None else [value],
            )
        else:
            changed[position] = np.full(column.size, float(value))
        averages.append(np.average(estimator._decision_of(changed), axis=0, weights=weights))
    return np.asarray(averages)
