"""Plots of subgraphs: the patterns of a model, and their occurrences in a graph."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data.columns import is_missing
from ..data.graph_records import LabelledGraph, is_molecule, one_graph
from ..data.molecules import can_draw, molecule
from ..formatting.numbers import format_percent
from ..formatting.text import pluralize, with_output
from ._display import (
    DOWN,
    UP,
    Display,
    annotate_empty,
    escape_mathtext,
    most_important,
    of_output,
    panels,
    pyplot,
    set_label,
    shade,
    shorten,
)
from .molecules import molecule_of_pattern, pixels

if TYPE_CHECKING:
    from ..results.pattern import Pattern

_COLUMNS = 4
_LABEL = 12  # characters of a node: half of them fit between an outer node and the end of the panel
_ONE_GRAPH = "give a graph, SMILES that rdkit reads, or a molecule of rdkit"
_PANEL, _PICTURE = (560, 420), (1000, 800)  # pixels: 200 for each inch of a panel of the default size


def _networkx() -> Any:
    try:
        import networkx as nx
    except ImportError as error:
        raise ImportError("drawings of graphs need networkx: pip install 'thresher[graph]'") from error
    return nx


def draw_graph(graph: LabelledGraph, ax: Any, colors: Any) -> None:
    """Draw a graph with its labels.

    Parameters
    ----------
    graph : LabelledGraph
        The graph.
    ax : matplotlib Axes
        The axes.
    colors : str or list of colour
        The colours of the nodes.
    """
    nx = _networkx()
    drawn = nx.Graph()
    drawn.add_nodes_from(range(len(graph.nodes)))
    drawn.add_edges_from(graph.edges)
    places = nx.kamada_kawai_layout(drawn) if len(graph.nodes) > 1 else dict.fromkeys(drawn, (0.0, 0.0))
    size = 380 if len(graph.nodes) <= 12 else max(60, 4000 // len(graph.nodes))
    nx.draw_networkx_edges(drawn, places, ax=ax, edge_color="#999999", width=1.5)
    nx.draw_networkx_nodes(drawn, places, ax=ax, node_color=colors, node_size=size, edgecolors="#666666")
    nodes = {v: shorten(str(label), _LABEL) for v, label in enumerate(graph.nodes)}
    labels = zip(graph.edges, graph.labels, strict=True)
    edges = {edge: shorten(str(label), _LABEL) for edge, label in labels if label != ""}
    font = 9 if size > 200 else 6
    nx.draw_networkx_labels(drawn, places, nodes, ax=ax, font_size=font)
    nx.draw_networkx_edge_labels(drawn, places, edges, ax=ax, font_size=font - 1, rotate=False)
    ax.margins(0.25)
    ax.set_axis_off()


def show_picture(ax: Any, picture: bytes) -> None:
    """Show a picture without axes.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes.
    picture : bytes
        PNG.
    """
    ax.imshow(pyplot().imread(io.BytesIO(picture)))
    ax.set_axis_off()


def effects_of_nodes(estimator: Any, graph: LabelledGraph, patterns: Iterable[Any]) -> NDArray[np.float64]:
    """Divide the coefficient of each pattern that occurs equally among the nodes that it covers.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    graph : LabelledGraph
        The graph.
    patterns : iterable of Pattern, graph or str
        The patterns; one without a coefficient counts as 1.

    Returns
    -------
    ndarray of shape (n_nodes,)
        The sums for each node.
    """
    unnamed = graph._replace(names=None)
    effects = np.zeros(len(graph.nodes))
    for pattern in patterns:
        covered = {node for place in estimator.matches([unnamed], pattern)[0] for node in place}
        coef = getattr(pattern, "coef", 0.0) or 1.0
        for node in covered:
            effects[node] += coef / len(covered)
    return effects


@dataclass(repr=False)
class SubgraphsDisplay(Display):
    """A model's subgraphs, each with its coefficient.

    Parameters
    ----------
    patterns : list of Pattern
        The patterns, the most important first.
    graphs : list of LabelledGraph
        Their graphs.
    effect : str, default="prediction"
        What the coefficients add up to.
    are_molecules : bool, default=False
        Whether the labels are those of molecules, which rdkit draws as structures.
    is_weighted : bool, default=False
        Whether training records had different weights, or may have had.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        The matplotlib objects.
    """

    patterns: list[Pattern]
    graphs: list[LabelledGraph]
    effect: str = "prediction"
    are_molecules: bool = False
    is_weighted: bool = False

    def _content(self) -> str:
        return pluralize(len(self.patterns), "subgraph")

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, max_patterns: int = 20, output: Any = None, ax: Any = None
    ) -> Self:
        """Draw a fitted estimator's patterns.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        max_patterns : int, default=20
            The most patterns to show.
        output : object, optional
            The class or target, where the model has several; all of them by default.
        ax : matplotlib Axes, optional
            Axes that the panels replace.

        Returns
        -------
        SubgraphsDisplay
            The plot.
        """
        check_is_fitted(estimator)
        found, effect = of_output(estimator, estimator.patterns_, output)
        patterns = most_important(found, max_patterns)
        vocabulary = estimator._fitted.view.vocabulary
        graphs = [vocabulary.graph(p.payload) for p in patterns]
        is_weighted = estimator._fitted.may_be_weighted
        are_molecules = vocabulary.is_chemical and can_draw()
        return cls(patterns, graphs, effect, are_molecules, is_weighted).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        SubgraphsDisplay
            The display itself.
        """
        columns = min(_COLUMNS, max(1, len(self.graphs)))
        rows = max(1, math.ceil(len(self.graphs) / columns))
        self.figure_, self.axes_ = panels(ax, rows, columns, (2.8 * columns, 2.6 * rows))
        for panel in self.axes_:
            panel.set_axis_off()
        if not self.graphs:
            annotate_empty(self.axes_[0], "patterns")
        for panel, pattern, graph in zip(self.axes_, self.patterns, self.graphs, strict=False):
            if self.are_molecules:
                show_picture(panel, pixels(molecule_of_pattern(graph), {}, _PANEL, is_pattern=True))
            else:
                draw_graph(graph, panel, "#eef3f8" if pattern.coef > 0 else "#fbeeea")
            numbers = f"{pattern.coef:+.3g}, {pattern.n_rows:,} ({format_percent(pattern.support)})"
            title = with_output(numbers, pattern.output)
            if pattern.smarts is not None:
                title = f"{shorten(pattern.text, 40)}\n{escape_mathtext(title)}"
                panel.set_title(title, fontsize=9, color=UP if pattern.coef > 0 else DOWN)
                continue
            panel.set_title(escape_mathtext(title), fontsize=9, color=UP if pattern.coef > 0 else DOWN)
        title = f"effect on the {self.effect}, and records that hold the subgraph"
        title += " (% of their weight)" * self.is_weighted
        width = int(self.figure_.get_figwidth() * 14)  # characters of this size
        if ax is None:
            self.figure_.suptitle(escape_mathtext(textwrap.fill(title, width)), fontsize=9)
        return self


@dataclass(repr=False)
class MatchDisplay(Display):
    """A graph with its nodes coloured by the contributions of the patterns.

    Parameters
    ----------
    graph : LabelledGraph
        The graph.
    node_effects : list of float
        The contribution of each node.
    molecule : rdkit Mol or None, default=None
        The molecule, if the graph is one.
    title : str, default=""
        The prediction, and what the colours mean.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    graph: LabelledGraph
    node_effects: list[float]
    molecule: Any = field(default=None, repr=False)
    title: str = ""

    def _content(self) -> str:
        return f"a graph of {pluralize(len(self.graph.nodes), 'node')}"

    @classmethod
    def from_estimator(
        cls, estimator: Any, graph: Any, *, pattern: Any = None, output: Any = None, ax: Any = None
    ) -> Self:
        """Draw a graph with the contributions to a fitted estimator's prediction.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        graph : graph
            In any form that ``fit`` takes.
        pattern : Pattern, graph or str, optional
            Colour only the occurrences of this pattern.
        output : object, optional
            The class or target whose patterns are shown, where the model has several; by default all.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        MatchDisplay
            The plot.
        """
        check_is_fitted(estimator)
        result = estimator._fitted
        name = None if output is None else result.output_names()[result.place_of(output)]
        if is_missing(graph):
            raise ValueError(f"graph is {graph!r}; {_ONE_GRAPH}")
        mol = molecule(graph, "graph", _ONE_GRAPH) if is_molecule(graph) else None
        charges = result.view.vocabulary.has_charges
        read = one_graph(graph if mol is None else mol, "graph", charges=charges)
        drawn = (
            [pattern] if pattern is not None else [p for p in estimator.patterns_ if name in (None, p.output)]
        )
        node_effects = effects_of_nodes(estimator, read, drawn)
        if pattern is None:
            (predicted,) = np.asarray(estimator.predict([graph])).tolist()
            said = predicted if isinstance(predicted, (str, bool, int, list)) else f"{predicted:.4g}"
            title = f"predicted: {said}; blue raises, red lowers the {estimator._effect()}"
        else:
            title = f"occurrences of {getattr(pattern, 'text', pattern)}"
        return cls(read, node_effects.tolist(), mol, title).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes.

        Returns
        -------
        MatchDisplay
            The display itself.
        """
        ax = self._draw_on(ax, (5, 4))
        colors = [shade(value, max(map(abs, self.node_effects), default=0.0)) for value in self.node_effects]
        if self.molecule is None:
            draw_graph(self.graph, ax, colors)
        else:
            lit = {v: color for v, color in enumerate(colors) if self.node_effects[v] != 0}
            show_picture(ax, pixels(self.molecule, lit, _PICTURE))
        set_label(ax.set_title, self.title, fontsize=9)
        return self
