"""Occurrences of patterns in graphs: methods of both graph estimators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ...data.graph_records import graphs_of
from ...validation import check, integer
from ._family import pack

if TYPE_CHECKING:
    from ...plotting import MatchDisplay, SubgraphsDisplay


def matches(self: Any, X: Any, pattern: Any, limit: int = 100) -> list[list[tuple[Any, ...]]]:
    """Find the occurrences of a pattern in graphs.

    Parameters
    ----------
    X : list of graphs
        As in :meth:`fit`.
    pattern : Pattern, graph or str
        One of ``patterns_``, or a connected graph in any form, or a text in the form of
        theirs (SMARTS for molecules). Wildcards are allowed for every model.
    limit : int, default=100
        The most occurrences to return for a graph.

    Returns
    -------
    list of list of tuple
        For each graph its occurrences: the nodes (atoms) in the order of the pattern's,
        as numbers, or as the node names of networkx. Occurrences on the same edges
        count once.

    Raises
    ------
    TypeError, ValueError
        If the graphs or the pattern cannot be read.
    """
    check_is_fitted(self)
    check("limit", limit, integer(1))
    document = self._fitted.view
    payload = self._payload_of(pattern)
    graphs = graphs_of(X)
    found = pack(graphs, document.vocabulary).records.occurrences(json.dumps(payload), limit)
    return [
        [tuple(nodes) if g.names is None else tuple(g.names[v] for v in nodes) for nodes in places]
        for g, places in zip(graphs, found, strict=True)
    ]


def plot_subgraphs(self: Any, *, max_patterns: int = 20, ax: Any = None) -> SubgraphsDisplay:
    """Draw the patterns with their coefficients.

    Parameters
    ----------
    max_patterns : int, default=20
        The most patterns to show, the most important first.
    ax : matplotlib Axes, optional
        Where to draw; the panels take its place.

    Returns
    -------
    SubgraphsDisplay
        The plot.

    Raises
    ------
    ImportError
        If matplotlib or networkx is not installed.
    """
    from ...plotting import SubgraphsDisplay

    return SubgraphsDisplay.from_estimator(self, max_patterns=max_patterns, ax=ax)


def plot_matches(self: Any, graph: Any, *, pattern: Any = None, ax: Any = None) -> MatchDisplay:
    """Draw a graph with its nodes coloured by their contributions to the prediction.

    The coefficient of each pattern that occurs is divided equally among the nodes that
    its occurrences cover; a node's colour shows the sum of its parts.

    Parameters
    ----------
    graph : graph
        The graph, in any form that :meth:`fit` takes; molecules are drawn by rdkit.
    pattern : Pattern, graph or str, optional
        A single pattern whose occurrences are coloured instead.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    MatchDisplay
        The plot.

    Raises
    ------
    ImportError
        If matplotlib, or networkx (rdkit for molecules), is not installed.
    """
    from ...plotting import MatchDisplay

    return MatchDisplay.from_estimator(self, graph, pattern=pattern, ax=ax)
