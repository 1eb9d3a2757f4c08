"""Common parts of the plots: colours, short texts, and the base class."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from ..formatting.text import leave_out_middle, shorten_conditions, wrap_conjunction

UP, DOWN, GREY = "#2b7bba", "#c8553d", "#777777"
_WORD = 30  # characters of a word of a label: two inches, which the smallest panel has


class Display(ABC):
    """Base class of the plots."""

    figure_: Any
    ax_: Any

    @abstractmethod
    def _content(self) -> str: ...

    def _draw_on(self, ax: Any, size: tuple[float, float]) -> Any:
        """Return the axes to draw on: those given, or those of a new figure of a size in inches."""
        if ax is None:
            _, ax = pyplot().subplots(figsize=size, layout="constrained")
        self.figure_, self.ax_ = ax.figure, ax
        return ax

    @staticmethod
    def _keep_bottom_line(ax: Any) -> None:
        """Hide the lines around horizontal bars but the one below, and the marks of their texts."""
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)

    @staticmethod
    def _wrap(texts: Iterable[str], width: int) -> tuple[list[str], int]:
        """Break conditions into lines for a plot; return the number of lines of the longest one too.

        A condition has about two lines at most.
        """
        shown = (shorten_conditions(text, 2 * width, _shortened) for text in texts)
        labels = [escape_mathtext("\n".join(wrap_conjunction(text, width))) for text in shown]
        return labels, max((label.count("\n") + 1 for label in labels), default=1)

    def __repr__(self) -> str:
        """Return the number of items that are drawn."""
        return f"{type(self).__name__}({self._content()})"


def pyplot() -> Any:
    """Import matplotlib.

    Returns
    -------
    module
        ``matplotlib.pyplot``.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'thresher[plot]'") from error
    return plt


def escape_mathtext(text: Any) -> str:
    r"""Escape the dollars of a text, between which matplotlib would typeset a formula.

    Parameters
    ----------
    text : object
        A name or label.

    Returns
    -------
    str
        The text with escaped dollars.

    Examples
    --------
    >>> print(escape_mathtext("a $5 voucher"))
    a \$5 voucher
    """
    return str(text).replace("$", "\\$")


def set_label(setter: Callable[..., Any], text: str, **options: Any) -> None:
    """Set a label or a title that stays within the figure: in several lines, long words shortened.

    Parameters
    ----------
    setter : callable
        A method of axes, such as ``ax.set_xlabel``.
    text : str
        The label.
    **options : object
        Properties of the text.
    """
    setter(" ".join(shorten(word, _WORD) for word in text.split(" ")), wrap=True, **options)


def shade(value: float, most: float) -> tuple[float, float, float]:
    """Mix the colour of positive or negative effects with white.

    Parameters
    ----------
    value : float
        An effect.
    most : float
        The largest absolute effect.

    Returns
    -------
    (float, float, float)
        Red, green and blue: white for 0, the stronger the larger the effect.

    Examples
    --------
    >>> shade(0.0, 1.0)
    (1.0, 1.0, 1.0)
    """
    if most == 0 or value == 0:
        return 1.0, 1.0, 1.0
    full = [int((UP if value > 0 else DOWN)[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    part = 0.25 + 0.55 * abs(value) / most
    red, green, blue = (1 - part * (1 - channel) for channel in full)
    return red, green, blue


_SET = re.compile(r"(?<= in \{)(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[^{}])*(?=\})")
_LEVEL = re.compile(r"(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|(?!, ).)+?(?=, |$)")


def shorten_sets(text: str, width: int) -> str:
    """Leave out the last categories of the sets of a condition that is too long; the first always stays.

    Parameters
    ----------
    text : str
        A condition.
    width : int
        The largest number of characters, where that can be had.

    Returns
    -------
    str
        The condition, with the number of categories that are left out.

    Examples
    --------
    >>> shorten_sets("home in {own, rent, with 'family, paying', other}", 28)
    'home in {own, rent, +2}'
    """
    found = list(_SET.finditer(text))
    levels = [[level.strip() for level in _LEVEL.findall(each[0])] for each in found]
    shown = [len(each) for each in levels]
    while len(_with_sets(text, found, levels, shown)) > width and max(shown, default=1) > 1:
        shown[int(max(range(len(shown)), key=shown.__getitem__))] -= 1
    return _with_sets(text, found, levels, shown)


def _with_sets(text: str, found: list[re.Match[str]], levels: list[list[str]], shown: list[int]) -> str:
    parts, end = [], 0
    for each, categories, n in zip(found, levels, shown, strict=True):
        rest = [f"+{len(categories) - n}"] if n < len(categories) else []
        parts += [text[end : each.start()], ", ".join([*categories[:n], *rest])]
        end = each.end()
    return "".join([*parts, text[end:]])


def shorten(text: str, width: int = 62) -> str:
    """Shorten a text that is too long for a plot: sets by whole categories, then in its middle.

    Parameters
    ----------
    text : str
        Any text.
    width : int, default=62
        The largest number of characters.

    Returns
    -------
    str
        The text, escaped by :func:`escape_mathtext`, with an ellipsis in place of the omitted part.

    Examples
    --------
    >>> shorten("abcdefgh", 5), shorten("home in {own, rent, other}", 20)
    ('ab…gh', 'home in {own, +2}')
    """
    return escape_mathtext(_shortened(text, width))


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else leave_out_middle(shorten_sets(text, width), width)


def panels(
    ax: Any, rows: int, columns: int, size: tuple[float, float], **options: Any
) -> tuple[Any, list[Any]]:
    """Create the axes of a plot of several panels.

    Parameters
    ----------
    ax : matplotlib Axes or None
        Axes that the panels replace; None: a new figure.
    rows, columns : int
        The shape of the grid of panels.
    size : (float, float)
        Size of a new figure, in inches.
    **options : object
        ``sharex``, ``sharey``, ``width_ratios`` and ``height_ratios``.

    Returns
    -------
    figure : matplotlib Figure
        The figure.
    axes : list of matplotlib Axes
        The panels, row by row.
    """
    if ax is None:
        figure, axes = pyplot().subplots(
            rows, columns, figsize=size, squeeze=False, layout="constrained", **options
        )
        return figure, list(axes.flat)
    ratios = {name: options.pop(name) for name in ("width_ratios", "height_ratios") if name in options}
    ax.set_axis_off()
    grid = ax.get_subplotspec().subgridspec(rows, columns, **ratios)
    return ax.figure, list(grid.subplots(squeeze=False, **options).flat)


def name_of_output(estimator: Any, output: Any) -> Any:
    """Return the name of the output to plot.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    output : object
        The class or target; None for the first.

    Returns
    -------
    object
        The class or target; None where there is one output.

    Raises
    ------
    ValueError
        If there is no such output.
    """
    fitted = estimator._fitted
    return fitted.output_names()[0 if output is None else fitted.place_of(output)]


def of_output(estimator: Any, terms: Iterable[Any], output: Any) -> tuple[list[Any], str]:
    """Select the terms of an output, and name their sum.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    terms : iterable
        Its terms, which have an ``output``.
    output : object
        The class or target; None for all.

    Returns
    -------
    terms : list
        Those of the output, in their order.
    effect : str
        What they add up to.

    Raises
    ------
    ValueError
        If there is no such output.
    """
    if output is None:
        return list(terms), estimator._effect()
    label = name_of_output(estimator, output)
    return [term for term in terms if term.output == label], estimator._effect(label)


def annotate_empty(ax: Any, noun: str) -> None:
    """Write into empty axes what there is none of.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes.
    noun : str
        What the model has none of.
    """
    box = {"facecolor": "white", "edgecolor": "none"}
    where = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    ax.text(0.5, 0.5, f"no {noun}", color=GREY, bbox=box, **where)


def most_important(terms: Iterable[Any], limit: int) -> list[Any]:
    """Select the terms of largest importance.

    Parameters
    ----------
    terms : iterable of Rule or Pattern
        Terms with an importance.
    limit : int
        The largest number of terms.

    Returns
    -------
    list
        The most important first; the sort is stable.
    """
    return sorted(terms, key=lambda term: -term.importance)[:limit]


def legend_above(ax: Any) -> None:
    """Put the legend above the axes, where it hides no point, and above long labels to their left.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes, with labels of what is drawn.
    """
    ax.legend(fontsize=7.5, frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
