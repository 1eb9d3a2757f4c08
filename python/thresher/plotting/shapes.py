"""Plot of step functions."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from ..formatting.numbers import format_value
from ..formatting.quoting import quote_category
from ..formatting.text import format_level, pluralize
from ..results.shape_function import ShapeFunction
from ..results.skewed_axis import axis_ends, from_axis, linear_width, skewed_ticks, to_axis
from ._display import (
    GREY,
    UP,
    Display,
    annotate_empty,
    escape_mathtext,
    name_of_output,
    panels,
    set_label,
    shorten,
)

_ACROSS = 3  # panels in a row
_FEW = 3  # bars whose labels seldom stand upright below the panel, where they need room
_SPACING = 0.22  # distance between the points of special codes, as a fraction of the range
_POINTS_A_LETTER, _POINTS_A_LINE = 5.0, 9.0  # width and height of the labels of bars, at 8 points
_MOST_LINES = 3  # of the label of a bar that stands upright
_LETTERS_AN_INCH = 12  # of the label beside all panels, at 9 points


@dataclass(repr=False)
class ShapesDisplay(Display):
    """Step functions in several panels with a common scale.

    Parameters
    ----------
    shapes : list of ShapeFunction
        The functions.
    ranges : list of (float, float)
        Training range of each column of numbers; unused for categories.
    label : str
        The name of the sum of the functions.
    cuts : list of sequence of float, default=()
        The candidate cut points of each column, most of them at quantiles. Where these show a skewed column,
        its axis is logarithmic far from 0.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        The matplotlib objects.
    """

    shapes: list[ShapeFunction]
    ranges: list[tuple[float, float]]
    label: str = ""
    cuts: Sequence[Sequence[float]] = ()

    def _content(self) -> str:
        return pluralize(len(self.shapes), "column")

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, output: Any = None, max_features: int = 20, ax: Any = None
    ) -> Self:
        """Draw a fitted estimator's functions.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        output : object, optional
            The class or target, where the model has several; the first by default.
        max_features : int, default=20
            The most columns to draw, the most important first.
        ax : matplotlib Axes, optional
            Axes that the panels replace.

        Returns
        -------
        ShapesDisplay
            The matplotlib objects.

        Raises
        ------
        ValueError
            If there is no such output.
        """
        chosen = name_of_output(estimator, output)
        shapes = [shape for shape in estimator.shape_functions_ if shape.output == chosen][:max_features]
        features = estimator._fitted.document["features"]
        ranges = [
            (features[s.feature_index].get("lower", 0.0), features[s.feature_index].get("upper", 1.0))
            for s in shapes
        ]
        label = estimator._effect(chosen)
        cuts = [features[s.feature_index].get("cuts", ()) for s in shapes]
        return cls(shapes, ranges, label, cuts).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ShapesDisplay
            The display itself.
        """
        across = max(1, min(_ACROSS, len(self.shapes)))
        down = max(1, math.ceil(len(self.shapes) / across))
        has_labels = any(s.steps[0].categories is not None and len(s.steps) > _FEW for s in self.shapes)
        size = (3.6 * across, (3.6 if has_labels else 2.7) * down)
        self.figure_, self.axes_ = panels(ax, down, across, size, sharey=True)
        for panel in self.axes_[max(1, len(self.shapes)) :]:
            panel.set_visible(False)
        if not self.shapes:
            annotate_empty(self.axes_[0], "steps")
        cuts = self.cuts or [()] * len(self.shapes)
        for panel, shape, ends, own in zip(self.axes_, self.shapes, self.ranges, cuts, strict=False):
            panel.axhline(0.0, color=GREY, linewidth=0.6)
            if shape.steps[0].categories is None:
                _draw_numbers(panel, shape, ends, linear_width(own, *ends))
            else:
                _draw_categories(panel, shape)
            panel.set_title(shorten(shape.feature_name, 30), fontsize=10)
            panel.spines[["top", "right"]].set_visible(False)
        label = f"added to the {self.label}"
        if ax is None:
            label = textwrap.fill(label, int(_LETTERS_AN_INCH * size[1]))
            self.figure_.supylabel(escape_mathtext(label), fontsize=9)
        else:
            set_label(self.axes_[0].set_ylabel, label, fontsize=9)
        return self


def _draw_numbers(ax: Any, shape: ShapeFunction, ends: tuple[float, float], width: float | None) -> None:
    from matplotlib.ticker import MaxNLocator

    known = [step for step in shape.steps if not math.isnan(step.lower)]
    cuts = [step.upper for step in known[:-1]]
    ends = axis_ends(*ends, cuts, width)
    if width is not None:
        ax.set_xscale("asinh", linear_width=width)
        ax.set_xticks(skewed_ticks(*ends, width))
        ax.minorticks_off()
    edges = [ends[0], *cuts, ends[1]]
    ax.stairs([step.value for step in known], edges, color=UP, linewidth=1.8, baseline=None)
    others = [(format_value(code), step.value) for step in shape.steps for code in step.codes]
    others += [("missing", step.value) for step in shape.steps if step.missing]
    first, last = to_axis(ends, width).tolist()
    length = (last - first) or 1.0
    for k, (text, value) in enumerate(others):
        place = float(from_axis(last + (0.12 + _SPACING * k) * length, width))
        ax.plot([place], [value], "o", color=UP, markersize=5)
        ax.annotate(text, (place, value), (0, 6), textcoords="offset points", ha="center", fontsize=8)
    if others:
        if width is None:
            ticks, slack = MaxNLocator(5).tick_values(*ends), 0.02 * length
            ax.set_xticks([tick for tick in ticks if first - slack <= tick <= last + slack])
        right = last + (0.28 + _SPACING * (len(others) - 1)) * length
        ax.set_xlim(*from_axis([first - 0.04 * length, right], width))


def _draw_categories(ax: Any, shape: ShapeFunction) -> None:
    texts = [
        ", ".join(
            [
                *(quote_category(format_level(level)) for level in step.categories or ()),
                *(["missing"] if step.missing else []),
            ]
        )
        for step in shape.steps
    ]
    ax.bar(range(len(texts)), [step.value for step in shape.steps], color=UP, width=0.6)
    points = 72 * ax.get_window_extent().width / ax.figure.dpi / len(texts)  # between two bars
    width = int(points / _POINTS_A_LETTER)
    lines = [textwrap.wrap(text, max(width, 1), break_long_words=False) for text in texts]
    if all(len(own) <= _MOST_LINES and max(map(len, own), default=0) < width for own in lines):
        names = [escape_mathtext("\n".join(own)) for own in lines]
        ax.set_xticks(range(len(names)), names, fontsize=8)
        return
    labelled = range(0, len(texts), math.ceil(_POINTS_A_LINE / points))
    ax.set_xticks(labelled, [shorten(texts[k], 18) for k in labelled], fontsize=8, rotation=90)
