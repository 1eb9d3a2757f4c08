"""Plot of the regularisation path."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..formatting.text import pluralize
from ..results.path_axis import PathAxis, PathScores, axis_of, scores_of
from ._display import GREY, UP, Display, pyplot, set_label, shorten

_NAMED = 7  # terms with a label in the plot
_LABEL = 32  # characters in a line beside the axis
_WIDTH = 10.5  # inches: two of them for the names beside the lines


@dataclass(repr=False)
class PathDisplay(Display):
    """The effects of all terms along the regularisation path.

    Parameters
    ----------
    axis : PathAxis
        The points: their strengths or numbers of terms, and the chosen one.
    effects : ndarray of shape (n_points, n_terms)
        The size of each term.
    names : list of str
        The terms.
    scores : PathScores or None
        Held-out loss, or the criterion.
    title : str
        The output, where there are several.
    measure : str
        What the effects are.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        The matplotlib objects.
    """

    axis: PathAxis
    effects: NDArray[np.float64]
    names: list[str]
    scores: PathScores | None = None
    title: str = ""
    measure: str = "effect"

    def _content(self) -> str:
        point = {"alpha": "alpha", "lambda0": "model"}.get(self.axis.name, "subset")
        return f"{pluralize(len(self.axis.values), point)}, {pluralize(len(self.names), 'term')}"

    @property
    def chosen(self) -> float:
        """The strength of the estimator, or its number of terms."""
        return self.axis.values[self.axis.selected]

    @classmethod
    def from_estimator(cls, estimator: Any, *, output: Any = None, ax: Any = None) -> Self:
        """Draw a fitted estimator's path.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        output : object, optional
            The class or target, where there are several; the first by default.
        ax : matplotlib Axes, optional
            Axes for the effects; by default a new figure with the held-out loss too.

        Returns
        -------
        PathDisplay
            The plot.
        """
        check_is_fitted(estimator)
        labels = estimator._fitted.output_names()
        which = 0 if output is None else estimator._fitted.place_of(output)
        axis = axis_of(estimator.path_, which, estimator._path_index[which])
        names, effects = _path_effects(estimator, which, axis.places)
        scores = scores_of(estimator._fitted.outputs[which], axis)
        title = "" if len(labels) == 1 else str(labels[which])
        return cls(axis, effects, names, scores, title, estimator._path_measure).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        PathDisplay
            The display itself.
        """
        plt = pyplot()
        if ax is None:
            rows = 1 if self.scores is None else 2
            heights = [2.2, 1][:rows]
            options = {"height_ratios": heights}
            self.figure_, axes = plt.subplots(
                rows, 1, figsize=(_WIDTH, 3.4 * rows), sharex=True, gridspec_kw=options, layout="constrained"
            )
            self.axes_ = list(np.ravel(axes))
        else:
            self.figure_, self.axes_ = ax.figure, [ax]
        self._draw_effects(self.axes_[0])
        if len(self.axes_) > 1 and self.scores is not None:
            self._draw_scores(self.axes_[1], self.scores)
        last = self.axes_[-1]
        if self.axis.is_size:
            last.set_xlabel("number of terms")
            last.xaxis.get_major_locator().set_params(integer=True)
            return self
        self._scale(last)
        last.set_xlabel(f"{self.axis.name} (weaker penalty to the right)")
        if not last.xaxis_inverted():
            last.invert_xaxis()
        return self

    def _scale(self, ax: Any) -> None:
        """Make the axis of strengths logarithmic; a strength of 0 is beside the smallest other."""
        least = min((value for value in self.axis.values if value > 0), default=1.0)
        ax.set_xscale("symlog", linthresh=least) if 0 in self.axis.values else ax.set_xscale("log")

    def _draw_effects(self, ax: Any) -> None:
        marker = "o" if len(self.axis.values) == 1 else None  # a single point has no line
        order = np.argsort(-np.abs(self.effects).max(axis=0, initial=0.0)).tolist()
        cycle = pyplot().rcParams["axes.prop_cycle"].by_key()["color"]
        for rank, term in enumerate(order):
            color = cycle[rank % len(cycle)] if rank < _NAMED else "#bbbbbb"
            label = shorten(self.names[term], 48) if rank < _NAMED else None
            ax.plot(
                self.axis.values,
                self.effects[:, term],
                color=color,
                marker=marker,
                label=label,
                lw=1.6 if label else 0.7,
                zorder=3 if label else 1,
            )
        ax.axvline(self.chosen, color=GREY, ls="--", lw=1)
        ax.axhline(0, color="#dddddd", lw=0.8, zorder=0)
        if not self.axis.is_size:
            self._scale(ax)
        ax.set_ylabel(textwrap.fill(self.measure, _LABEL))
        set_label(ax.set_title, self.title)
        if marker is not None:
            note = f"the model at its only {self.axis.name}: fit_path fits a path of many"
            ax.annotate(note, (0.02, 0.02), xycoords="axes fraction", fontsize=8, color=GREY)
        if len(order):
            ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))

    def _draw_scores(self, ax: Any, scores: PathScores) -> None:
        mean = np.asarray(scores.mean)
        ax.plot(scores.x, mean, color=UP, marker="o" if len(mean) == 1 else None)
        if scores.se is not None:
            se = np.asarray(scores.se)
            ax.fill_between(scores.x, mean - se, mean + se, color=UP, alpha=0.2, lw=0)
        ax.axvline(self.chosen, color=GREY, ls="--", lw=1, label=f"chosen: {self.chosen:.3g}")
        ax.set_ylabel(scores.name)
        ax.legend(fontsize=7, frameon=False)


def _path_effects(estimator: Any, which: int, places: list[int]) -> tuple[list[str], NDArray[np.float64]]:
    """Return the terms, and the size of each, point by point."""
    points = estimator._path_terms(which, places)
    columns: dict[tuple[str, str], int] = {}
    for kind, name, _ in itertools.chain(*points):
        columns.setdefault((kind, name), len(columns))
    effects = np.zeros((len(points), len(columns)))
    for row, terms in enumerate(points):
        for kind, name, effect in terms:
            effects[row, columns[kind, name]] = effect
    return [name for _, name in columns], effects
