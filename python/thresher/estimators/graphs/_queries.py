"""Occurrences of patterns in graphs: methods of both graph estimators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ...data.valid_graphs import ValidGraphs
from ...validation import check, integer
from ._vocabulary import pack

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
        count once; an invalid record has none.

    Raises
    ------
    TypeError, ValueError
        If the graphs or the pattern cannot be read.
    """
    check_is_fitted(self)
    check("limit", limit, integer(1))
    payload, found = self._payload_of(pattern), self._graphs(X)
    listed: list[list[tuple[Any, ...]]] = [[] for _ in range(found.n_records)]
    for row, graph, places in zip(
        found.rows, found.graphs, _occurrences(self, found, payload, limit), strict=True
    ):
        listed[row] = [
            tuple(nodes) if graph.names is None else tuple(graph.names[v] for v in nodes) for nodes in places
        ]
    return listed


def _occurrences(estimator: Any, found: ValidGraphs, payload: Any, limit: int) -> list[list[list[int]]]:
    """Find the occurrences of a pattern in the graphs that could be read."""
    if not found.graphs:
        return []
    packed = pack(found.graphs, estimator._fitted.view.vocabulary)
    return packed.records.occurrences(json.dumps(payload), limit)


def counts(self: Any, X: Any, limit: int = 1000) -> NDArray[np.float64]:
    """Count the occurrences of each pattern in each graph.

    Parameters
    ----------
    X : list of graphs
        As in :meth:`fit`.
    limit : int, default=1000
        The number at which the occurrences in a graph are no longer counted.

    Returns
    -------
    ndarray of shape (n_records, n_patterns)
        The numbers of occurrences, in the order of ``patterns_``; those on the same edges count once.
        NaN for invalid records.

    Raises
    ------
    TypeError, ValueError
        As in :meth:`predict`.
    """
    check_is_fitted(self)
    check("limit", limit, integer(1))
    found = self._graphs(X)
    columns = [
        list(map(len, _occurrences(self, found, pattern.payload, limit))) for pattern in self.patterns_
    ]
    numbers = np.asarray(columns, dtype=np.float64).reshape(len(columns), len(found.graphs)).T
    scattered: NDArray[np.float64] = found.scatter(numbers)
    return scattered


def plot_patterns(
    self: Any, *, max_patterns: int = 20, output: Any = None, ax: Any = None
) -> SubgraphsDisplay:
    """Draw the patterns with their coefficients; those of molecules as structures, where rdkit is installed.

    Parameters
    ----------
    max_patterns : int, default=20
        The most patterns to show, the most important first.
    output : object, optional
        The class or target, where the model has several; all of them by default.
    ax : matplotlib Axes, optional
        Where to draw; the panels take its place.

    Returns
    -------
    SubgraphsDisplay
        The plot.

    Raises
    ------
    ValueError
        If there is no such output.
    ImportError
        If matplotlib, or networkx (for graphs other than molecules), is not installed.
    """
    from ...plotting import SubgraphsDisplay

    return SubgraphsDisplay.from_estimator(self, max_patterns=max_patterns, output=output, ax=ax)


def plot_matches(
    self: Any, graph: Any, *, pattern: Any = None, output: Any = None, ax: Any = None
) -> MatchDisplay:
    """Draw a graph with its nodes coloured by their contributions to the prediction.

    The coefficient of each pattern that occurs is divided equally among the nodes that
    its occurrences cover; a node's colour shows the sum of its parts.

    Parameters
    ----------
    graph : graph
        The graph, in any form that :meth:`fit` takes; molecules are drawn by rdkit.
    pattern : Pattern, graph or str, optional
        A single pattern whose occurrences are coloured instead.
    output : object, optional
        The class or target whose patterns are shown, where the model has several; by default all.
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

    return MatchDisplay.from_estimator(self, graph, pattern=pattern, output=output, ax=ax)
