"""Plot of the regularisation path."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..formatting.text import pluralize
from ..results.convex_path import is_subset_path
from ..results.subset_certificate import n_terms_of
from ._display import GREY, UP, Display, escape_mathtext, pyplot, shorten

_NAMED = 7  # terms with a label in the plot
_Curve = tuple[str, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]


@dataclass(repr=False)
class PathDisplay(Display):
    """The effects of all terms along the regularisation path.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        The strengths.
    effects : ndarray of shape (n_alphas, n_terms)
        Coefficients times the term's standard deviation.
    names : list of str
        The terms.
    chosen : float
        The strength of the estimator, or its number of terms.
    curve : (label, alphas or n_terms, mean, se) or None
        Held-out loss, or the criterion (se None).
    title : str
        The output, where there are several.
    n_terms : ndarray of shape (n_alphas,) or None
        Numbers of terms of a path of best subsets, on the axis in place of the strengths.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        The matplotlib objects.
    """

    alphas: NDArray[np.float64]
    effects: NDArray[np.float64]
    names: list[str]
    chosen: float
    curve: _Curve | None = None
    title: str = ""
    n_terms: NDArray[np.int_] | None = None

    def _content(self) -> str:
        points = pluralize(len(self.alphas), "alpha" if self.n_terms is None else "subset")
        return f"{points}, {pluralize(len(self.names), 'term')}"

    @property
    def _axis(self) -> NDArray[Any]:
        return self.alphas if self.n_terms is None else self.n_terms

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
        payload = estimator._fitted.outputs[which]
        alphas = np.asarray([point["alpha"] for point in payload["points"]])
        chosen = payload["points"][estimator._path_index[which]]
        n_terms, at = None, chosen["alpha"]
        if is_subset_path(payload):
            n_terms, at = np.asarray([n_terms_of(point) for point in payload["points"]]), n_terms_of(chosen)
        names, effects = _path_effects(estimator, which)
        curve: _Curve | None = None
        if payload["cv"] is not None:
            cv = payload["cv"]
            curve = (
                "held-out loss",
                np.asarray(cv["strengths"]),
                np.asarray(cv["mean"]),
                np.asarray(cv["se"]),
            )
        elif payload.get("criterion") is not None:
            curve = (
                payload["criterion"]["name"].upper(),
                alphas if n_terms is None else n_terms,
                np.asarray(payload["criterion"]["values"]),
                None,
            )
        title = "" if len(labels) == 1 else str(labels[which])
        return cls(alphas, effects, names, at, curve, title, n_terms).plot(ax=ax)

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
            rows = 1 if self.curve is None else 2
            heights = [2.2, 1][:rows]
            options = {"height_ratios": heights}
            self.figure_, axes = plt.subplots(
                rows, 1, figsize=(8.5, 3.4 * rows), sharex=True, gridspec_kw=options, layout="constrained"
            )
            self.axes_ = list(np.ravel(axes))
        else:
            self.figure_, self.axes_ = ax.figure, [ax]
        self._draw_effects(self.axes_[0])
        if len(self.axes_) > 1 and self.curve is not None:
            self._draw_curve(self.axes_[1])
        last = self.axes_[-1]
        if self.n_terms is not None:
            last.set_xlabel("number of terms")
            last.xaxis.get_major_locator().set_params(integer=True)
            return self
        last.set_xscale("log")
        last.set_xlabel("alpha (weaker penalty to the right)")
        if not last.xaxis_inverted():
            last.invert_xaxis()
        return self

    def _draw_effects(self, ax: Any) -> None:
        marker = "o" if len(self.alphas) == 1 else None  # a single point has no line
        order = np.argsort(-np.abs(self.effects).max(axis=0, initial=0.0)).tolist()
        cycle = pyplot().rcParams["axes.prop_cycle"].by_key()["color"]
        for rank, term in enumerate(order):
            color = cycle[rank % len(cycle)] if rank < _NAMED else "#bbbbbb"
            label = shorten(self.names[term], 48) if rank < _NAMED else None
            ax.plot(
                self._axis,
                self.effects[:, term],
                color=color,
                marker=marker,
                label=label,
                lw=1.6 if label else 0.7,
                zorder=3 if label else 1,
            )
        ax.axvline(self.chosen, color=GREY, ls="--", lw=1)
        ax.axhline(0, color="#dddddd", lw=0.8, zorder=0)
        if self.n_terms is None:
            ax.set_xscale("log")
        ax.set_ylabel("effect (coefficient × sd of the term)")
        ax.set_title(escape_mathtext(self.title))
        if len(order):
            ax.legend(fontsize=7, frameon=False, loc="best")

    def _draw_curve(self, ax: Any) -> None:
        label, alphas, mean, se = self.curve  # type: ignore[misc]
        ax.plot(alphas, mean, color=UP, marker="o" if len(alphas) == 1 else None)
        if se is not None:
            ax.fill_between(alphas, mean - se, mean + se, color=UP, alpha=0.2, lw=0)
        ax.axvline(self.chosen, color=GREY, ls="--", lw=1, label=f"chosen: {self.chosen:.3g}")
        ax.set_ylabel(label)
        ax.legend(fontsize=7, frameon=False)


def _path_effects(estimator: Any, which: int) -> tuple[list[str], NDArray[np.float64]]:
    """Return the terms, and the coefficient times the standard deviation of each, point by point."""
    points = estimator._path_terms(which)
    columns: dict[tuple[str, str], int] = {}
    for kind, name, _ in itertools.chain(*points):
        columns.setdefault((kind, name), len(columns))
    effects = np.zeros((len(points), len(columns)))
    for row, terms in enumerate(points):
        for kind, name, effect in terms:
            effects[row, columns[kind, name]] = effect
    return [name for _, name in columns], effects
