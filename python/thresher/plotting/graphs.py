"""Plots of subgraphs: the patterns of a model, and their occurrences in a graph."""

from __future__ import annotations

import io
import math
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data.graph_records import LabelledGraph, one_graph
from ..formatting.numbers import format_percent
from ..formatting.text import pluralize
from ._display import DOWN, GREY, UP, Display, escape_mathtext, most_important, panels, pyplot

if TYPE_CHECKING:
    from ..results.pattern import Pattern

_COLUMNS = 4


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
    nodes = {v: escape_mathtext(label) for v, label in enumerate(graph.nodes)}
    edges = {
        e: escape_mathtext(label) for e, label in zip(graph.edges, graph.labels, strict=True) if label != ""
    }
    font = 9 if size > 200 else 6
    nx.draw_networkx_labels(drawn, places, nodes, ax=ax, font_size=font)
    nx.draw_networkx_edge_labels(drawn, places, edges, ax=ax, font_size=font - 1, rotate=False)
    ax.margins(0.25)
    ax.set_axis_off()


@dataclass(repr=False)
class SubgraphsDisplay(Display):
    """A model's subgraphs, each with its coefficient.

    Parameters
    ----------
    patterns : list of Pattern
        The patterns, the most important first.
    graphs : list of LabelledGraph
        Their graphs.
    effect : str
        What the coefficients add up to.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        The matplotlib objects.
    """

    patterns: list[Pattern]
    graphs: list[LabelledGraph]
    effect: str = "prediction"

    def _content(self) -> str:
        return pluralize(len(self.patterns), "subgraph")

    @classmethod
    def from_estimator(cls, estimator: Any, *, max_patterns: int = 20, ax: Any = None) -> Self:
        """Draw a fitted estimator's patterns.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        max_patterns : int, default=20
            The most patterns to show.
        ax : matplotlib Axes, optional
            Axes that the panels replace.

        Returns
        -------
        SubgraphsDisplay
            The plot.
        """
        check_is_fitted(estimator)
        patterns = most_important(estimator.patterns_, max_patterns)
        vocabulary = estimator._fitted.view.vocabulary
        return cls(patterns, [vocabulary.graph(p.payload) for p in patterns], estimator._effect()).plot(ax=ax)

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
        for ax in self.axes_:
            ax.set_axis_off()
        for ax, pattern, graph in zip(self.axes_, self.patterns, self.graphs, strict=False):
            draw_graph(graph, ax, "#eef3f8" if pattern.coef > 0 else "#fbeeea")
            title = f"{pattern.coef:+.3g}, {pattern.n_rows:,} ({format_percent(pattern.support)})"
            title = title if pattern.output is None else f"[{pattern.output}] {title}"
            ax.set_title(escape_mathtext(title), fontsize=9, color=UP if pattern.coef > 0 else DOWN)
        title = f"effect on the {self.effect}, and records that hold the subgraph"
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

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        The matplotlib objects.
    """

    graph: LabelledGraph
    node_effects: list[float]
    molecule: Any = field(default=None, repr=False)

    def _content(self) -> str:
        return f"a graph of {pluralize(len(self.graph.nodes), 'node')}"

    @classmethod
    def from_estimator(cls, estimator: Any, graph: Any, *, pattern: Any = None, ax: Any = None) -> Self:
        """Draw a graph with the contributions to a fitted estimator's prediction.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator.
        graph : graph
            In any form that ``fit`` takes.
        pattern : Pattern, graph or str, optional
            Colour only the occurrences of this pattern.
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        MatchDisplay
            The plot.
        """
        check_is_fitted(estimator)
        read = one_graph(graph, "graph")
        unnamed = read._replace(names=None)
        node_effects = np.zeros(len(read.nodes))
        for drawn in estimator.patterns_ if pattern is None else [pattern]:
            covered = {node for place in estimator.matches([unnamed], drawn)[0] for node in place}
            coef = getattr(drawn, "coef", 0.0) or 1.0
            for node in covered:
                node_effects[node] += coef / len(covered)
        mol = None
        if isinstance(graph, str) or hasattr(graph, "GetAtoms"):
            from ..data.molecules import molecule

            mol = molecule(graph, "graph")
        return cls(read, node_effects.tolist(), mol).plot(ax)

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
        plt = pyplot()
        if ax is None:
            _, ax = plt.subplots(figsize=(5, 4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        colors = [_shade(value, max(map(abs, self.node_effects), default=0.0)) for value in self.node_effects]
        if self.molecule is None:
            draw_graph(self.graph, ax, colors)
        else:
            ax.imshow(self._picture(colors))
            ax.set_axis_off()
        return self

    def _picture(self, colors: list[tuple[float, float, float]]) -> Any:
        """Draw the molecule by rdkit, with coloured atoms and bonds."""
        from rdkit.Chem.Draw import rdMolDraw2D

        plt = pyplot()
        lit = {v: color for v, color in enumerate(colors) if self.node_effects[v] != 0}
        bonds = {
            b.GetIdx(): lit[b.GetBeginAtomIdx()]
            for b in self.molecule.GetBonds()
            if b.GetBeginAtomIdx() in lit and b.GetEndAtomIdx() in lit
        }
        drawer = rdMolDraw2D.MolDraw2DCairo(1000, 800)
        rdMolDraw2D.PrepareAndDrawMolecule(
            drawer,
            self.molecule,
            highlightAtoms=list(lit),
            highlightBonds=list(bonds),
            highlightAtomColors=lit,
            highlightBondColors=bonds,
        )
        drawer.FinishDrawing()
        return plt.imread(io.BytesIO(drawer.GetDrawingText()))


def _shade(value: float, most: float) -> tuple[float, float, float]:
    """Return white for 0, the colour of positive or negative effects for the largest value."""
    from matplotlib.colors import to_rgb

    full = np.asarray(to_rgb(UP if value > 0 else DOWN if value < 0 else GREY))
    part = 0.0 if most == 0 or value == 0 else 0.25 + 0.55 * abs(value) / most
    r, g, b = 1 - part * (1 - full)
    return float(r), float(g), float(b)
