"""Plots of the interactions of a factorization machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import pluralize
from ..validation import check, integer, words
from ._display import DOWN, GREY, UP, Display, annotate_empty, name_of_output, set_label, shorten

_INCH = 0.065  # width of a character of 8 points


@dataclass(repr=False)
class InteractionsDisplay(Display):
    """The coefficients of pairs of features.

    Parameters
    ----------
    names : list of str
        The features.
    weights : ndarray of shape (n, n)
        The coefficients of the pairs, symmetric.
    kind : {"matrix", "network"}
        The kind of plot.
    title : str, default=""
        The title.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    names: list[str]
    weights: NDArray[np.float64]
    kind: str
    title: str = ""

    def _content(self) -> str:
        return f"{self.kind} of {pluralize(len(self.names), 'feature')}"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        kind: str = "matrix",
        max_features: int = 20,
        output: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw a fitted estimator's strongest pairs.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        kind : {"matrix", "network"}, default="matrix"
            The kind of plot.
        max_features : int, default=20
            The largest number of features.
        output : object, optional
            The class or target, where the model has several; the first by default.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        InteractionsDisplay
            The matplotlib objects.

        Raises
        ------
        ValueError
            If there is no such output or kind.
        """
        check("kind", kind, words("matrix", "network"))
        check("max_features", max_features, integer(2))
        chosen = name_of_output(estimator, output)
        pairs = [i for i in estimator.interactions_ if len(i.column_indices) == 2 and i.output == chosen]
        features: dict[int, str] = {}
        kept = []
        for pair in pairs:
            fresh = {
                c: n
                for c, n in zip(pair.column_indices, pair.feature_names, strict=True)
                if c not in features
            }
            if len(features) + len(fresh) <= max_features:
                features.update(fresh)
                kept.append(pair)
        order = sorted(features)
        weights = np.zeros((len(order), len(order)))
        for pair in kept:
            i, j = (order.index(column) for column in pair.column_indices)
            weights[i, j] = weights[j, i] = pair.standardized_coef
        title = f"{len(kept)} of {len(pairs)} pairs" if len(kept) < len(pairs) else f"{len(pairs)} pairs"
        title += "" if chosen is None else f", {chosen}"
        return cls([features[c] for c in order], weights, kind, title).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        InteractionsDisplay
            The display itself.
        """
        size = max(4.5, 0.28 * len(self.names) + 2.5)
        across = size + 0.8
        if self.kind == "network":
            across = size = size + 2 * self._label_length()
        ax = self._draw_on(ax, (across, size))
        if not self.names:
            annotate_empty(ax, "pairs of features")
        elif self.kind == "matrix":
            self._matrix(ax)
        else:
            self._network(ax)
        set_label(ax.set_title, self.title, fontsize=10, loc="left" if self.kind == "network" else "center")
        return self

    def _label_length(self) -> float:
        """Estimate the width of the longest name of a network, in inches."""
        return _INCH * max((len(shorten(name, 24)) for name in self.names), default=0)

    def _matrix(self, ax: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("weights", [DOWN, "#ffffff", UP])
        most = float(np.abs(self.weights).max()) or 1.0
        image = ax.imshow(self.weights, cmap=colours, vmin=-most, vmax=most)
        places, names = range(len(self.names)), [shorten(name, 24) for name in self.names]
        ax.set_xticks(places, names, rotation=90, fontsize=8)
        ax.set_yticks(places, names, fontsize=8)
        ax.set_xticks(np.arange(len(names) - 1) + 0.5, minor=True)
        ax.set_yticks(np.arange(len(names) - 1) + 0.5, minor=True)
        ax.grid(which="minor", color="#eeeeee", linewidth=0.6)
        ax.tick_params(which="both", length=0)
        ax.spines[:].set_visible(False)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.7)
        bar.set_label("standardised coefficient of the product", fontsize=9)
        bar.outline.set_visible(False)

    def _network(self, ax: Any) -> None:
        n = len(self.names)
        angles = np.pi / 2 - 2 * np.pi * (np.arange(n) + 0.5) / n  # no label is vertical
        x, y = np.cos(angles), np.sin(angles)
        most = float(np.abs(self.weights).max()) or 1.0
        for i in range(n):
            for j in (np.flatnonzero(self.weights[i, i + 1 :]) + i + 1).tolist():
                fraction = abs(self.weights[i, j]) / most
                colour = UP if self.weights[i, j] > 0 else DOWN
                ax.plot(
                    x[[i, j]],
                    y[[i, j]],
                    color=colour,
                    linewidth=1.2 + 4 * fraction,
                    alpha=0.65 + 0.25 * fraction,
                )
        ax.plot(x, y, "o", color=GREY, markersize=5, zorder=3)
        for name, angle, px, py in zip(self.names, angles, x, y, strict=True):
            turn = math.degrees(angle)
            left = math.cos(angle) < -1e-9
            ax.text(
                1.06 * px,
                1.06 * py,
                shorten(name, 24),
                fontsize=8,
                rotation=turn + 180 if left else turn,
                rotation_mode="anchor",
                ha="right" if left else "left",
                va="center",
            )
        inches = ax.get_window_extent().width / ax.figure.dpi
        limit = 1.1 * inches / max(inches - 2 * self._label_length(), 0.3 * inches)
        ax.set_xlim(-limit, limit)
        ax.set_ylim(-limit, limit)
        ax.set_aspect("equal")
        ax.axis("off")
        ax.plot([], [], color=UP, label="positive")
        ax.plot([], [], color=DOWN, label="negative")
        ax.legend(frameon=False, fontsize=8, loc="lower left")
