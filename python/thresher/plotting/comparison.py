"""Plots of the similarity of models, and of the stability of terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import pluralize
from ._display import DOWN, UP, Display, legend_above, set_label, shorten

_WIDTH = 58  # characters in a line of a rule


@dataclass(repr=False)
class SimilarityDisplay(Display):
    """Similarities of models as a matrix.

    Parameters
    ----------
    names : list of str
        The models.
    similarity : ndarray of shape (n_models, n_models)
        The similarity of the terms of the model of a row with those of a column.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    names: list[str]
    similarity: NDArray[np.float64]

    def _content(self) -> str:
        return pluralize(len(self.names), "model")

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        SimilarityDisplay
            The display itself.
        """
        size = len(self.names)
        ax = self._draw_on(ax, (2.4 + 0.7 * size, 1.6 + 0.6 * size))
        ax.imshow(self.similarity, cmap="Blues", vmin=0.0, vmax=1.0)
        for (row, column), value in np.ndenumerate(self.similarity):
            text = "-" if np.isnan(value) else f"{value:.2f}"
            ax.text(column, row, text, ha="center", va="center", color="white" if value > 0.6 else "black")
        labels = [shorten(name, 24) for name in self.names]
        ax.set_xticks(range(size), labels, rotation=30, ha="right")
        ax.set_yticks(range(size), labels)
        title = "mean similarity of the terms of a row with the closest of a column"
        set_label(ax.set_title, title, fontsize=9)
        ax.tick_params(length=0)
        return self


@dataclass(repr=False)
class StabilityDisplay(Display):
    """How often resampled rows find each term again, as bars.

    Parameters
    ----------
    texts : list of str
        The terms.
    frequencies : list of float
        The fraction of the resampled models with a similar term.
    coefs : list of float
        The coefficients, whose sign gives the colour.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    texts: list[str]
    frequencies: list[float]
    coefs: list[float]

    def _content(self) -> str:
        return pluralize(len(self.texts), "term")

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        StabilityDisplay
            The display itself.
        """
        labels, n_lines = self._wrap(self.texts, _WIDTH)
        ax = self._draw_on(ax, (9, 1.0 + (0.17 + 0.15 * n_lines) * max(len(labels), 2)))
        places = np.arange(len(self.texts))[::-1]
        raises = np.asarray(self.coefs) > 0
        for rows, color, label in ((raises, UP, "raises the prediction"), (~raises, DOWN, "lowers it")):
            if rows.any():
                ax.barh(
                    places[rows], np.asarray(self.frequencies)[rows], color=color, height=0.65, label=label
                )
        if len(raises):
            legend_above(ax)
        ax.set_yticks(places, labels, fontsize=8)
        ax.set_xlim(0.0, 1.0)
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        ax.set_xlabel("found again in models of half of the rows")
        self._keep_bottom_line(ax)
        return self
