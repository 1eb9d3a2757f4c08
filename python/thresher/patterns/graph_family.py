"""Records that are labelled graphs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .. import _native, parameters
from . import molecules
from .family import Family, Reading
from .graph_records import LabelledGraph, graphs_of, one_graph
from .pattern import Pattern
from .vocabulary import Vocabulary


class GraphVocabulary:
    """Labels of nodes and of edges.

    Parameters
    ----------
    nodes, edges : Vocabulary
        The labels.
    """

    def __init__(self, nodes: Vocabulary, edges: Vocabulary) -> None:
        self.nodes = nodes
        self.edges = edges

    @property
    def is_plain(self) -> bool:
        """Whether JSON can hold every label."""
        return self.nodes.is_plain and self.edges.is_plain

    @cached_property
    def words(self) -> tuple[list[str], list[str], str]:
        """Words for node labels, for edge labels, and what marks the number of a ring."""
        if molecules.are_labels(self.nodes.labels, self.edges.labels):
            atoms = [molecules.atom_text(str(label)) for label in self.nodes.labels]
            return atoms, [str(label) for label in self.edges.labels], ""
        nodes = [self.nodes.bare(k) or "*" for k in range(len(self.nodes))]
        edges = [self.edges.bare(k) for k in range(len(self.edges))]
        return nodes, [f"-{text}-" if text else "-" for text in edges], "&"

    def to_json(self) -> str:
        """Write the labels for the core.

        Returns
        -------
        str
            JSON.
        """
        return f'{{"vertices": {self.nodes.to_json()}, "edges": {self.edges.to_json()}}}'

    def graph(self, wire: Any) -> LabelledGraph:
        """Make the graph of a pattern.

        Parameters
        ----------
        wire : list
            As the document has it.

        Returns
        -------
        LabelledGraph
            Its nodes in the order of the pattern's.
        """
        nodes: dict[int, Any] = {}
        for u, v, a, _, b in wire:
            nodes[u], nodes[v] = self.nodes.labels[a], self.nodes.labels[b]
        edges = [(u, v) for u, v, *_ in wire]
        labels = [self.edges.labels[label] for _, _, _, label, _ in wire]
        return LabelledGraph([nodes[k] for k in sorted(nodes)], edges, labels)


class GraphFamily(Family):
    """Connected subgraphs."""

    format: ClassVar[str] = "thresher.graphs"
    called: ClassVar[str] = "subgraphs"
    limit: ClassVar[tuple[str, str]] = ("max_edges", "edges")

    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check the parameters that say which subgraphs there are.

        Parameters
        ----------
        params : mapping
            The estimator's parameters.

        Returns
        -------
        dict
            In the core's words.
        """
        return {
            "max_edges": parameters.whole("max_edges", params["max_edges"], 1),
            "min_support": parameters.whole("min_support", params["min_support"], 1),
        }

    def read(self, X: Any, owner: str) -> Reading:  # noqa: ARG002
        """Read training records.

        Parameters
        ----------
        X : list of graphs, str or path
            As :class:`GraphRegressor` takes them.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        Reading
            Records and vocabulary.
        """
        graphs = graphs_of(X)
        nodes = Vocabulary.of(label for graph in graphs for label in graph.nodes)
        edges = Vocabulary.of(label for graph in graphs for label in graph.labels)
        return pack(graphs, GraphVocabulary(nodes, edges))

    def read_like(
        self,
        X: Any,
        vocabulary: GraphVocabulary,
        matrix: Any,  # noqa: ARG002
        owner: str,  # noqa: ARG002
    ) -> Reading:
        """Read new records; labels that training did not see match nothing.

        Parameters
        ----------
        X : list of graphs, str or path
            As in training.
        vocabulary : GraphVocabulary
            The labels of training.
        matrix : None
            Graphs have no columns.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        Reading
            Records in the numbers of training.
        """
        return pack(graphs_of(X), vocabulary)

    def restore(self, alphabet: Any) -> GraphVocabulary:
        """Make the vocabulary of a saved model.

        Parameters
        ----------
        alphabet : mapping
            Labels of ``vertices`` and of ``edges``.

        Returns
        -------
        GraphVocabulary
            The same.
        """
        return GraphVocabulary(Vocabulary(alphabet["vertices"]), Vocabulary(alphabet["edges"]))

    def pattern(
        self,
        wire: Any,
        vocabulary: GraphVocabulary,
        language: Mapping[str, Any],  # noqa: ARG002
        **facts: Any,
    ) -> Pattern:
        """Put a subgraph into words.

        Parameters
        ----------
        wire : list
            The edges of its code.
        vocabulary : GraphVocabulary
            The labels.
        language : mapping
            Which subgraphs there are.
        **facts : object
            Coefficient, support and the like.

        Returns
        -------
        Pattern
            ``c:c-C(=O)``: SMARTS for molecules.
        """
        return Pattern(_native.pattern_text(json.dumps(wire), *vocabulary.words), len(wire), **facts)

    def parse(self, asked: Any, vocabulary: GraphVocabulary) -> Any:
        """Read a subgraph that a user names.

        Parameters
        ----------
        asked : graph, or str
            A connected graph in any form; text is read as SMARTS.
        vocabulary : GraphVocabulary
            The labels.

        Returns
        -------
        list
            The edges of its code.

        Raises
        ------
        ValueError
            If it is not connected, has no edge, or has a label that training did not see.
        """
        if isinstance(asked, str):
            graph = LabelledGraph(*molecules.query_parts(asked))
        else:
            graph = one_graph(asked, "pattern")
        for known, labels in ((vocabulary.nodes, graph.nodes), (vocabulary.edges, graph.labels)):
            strange = [label for label in labels if label not in known.place]
            if strange:
                raise ValueError(f"pattern: training saw no label {strange[0]!r}")
        nodes = [vocabulary.nodes.place[label] for label in graph.nodes]
        ends = zip(graph.edges, graph.labels, strict=True)
        edges = [(u, v, vocabulary.edges.place[label]) for (u, v), label in ends]
        return json.loads(_native.pattern_of_graph(nodes, edges))


def pack(graphs: list[LabelledGraph], vocabulary: GraphVocabulary) -> Reading:
    """Pack graphs for the core.

    Parameters
    ----------
    graphs : list of LabelledGraph
        The graphs.
    vocabulary : GraphVocabulary
        The labels; others match nothing.

    Returns
    -------
    Reading
        The records.

    Raises
    ------
    ValueError
        If an edge joins a node to itself, repeats another, or ends nowhere; the message
        says which.
    """
    nodes, edges = vocabulary.nodes, vocabulary.edges
    packed = _native.Records.graphs(
        vocabulary.to_json(),
        (_starts([g.nodes for g in graphs]), _numbers(nodes, [g.nodes for g in graphs])),
        (
            _starts([g.edges for g in graphs]),
            np.asarray([end for g in graphs for edge in g.edges for end in edge], dtype=np.int64),
            _numbers(edges, [g.labels for g in graphs]),
        ),
    )
    return Reading(packed, vocabulary, len(graphs))


def _starts(lists: list[list[Any]]) -> Any:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _numbers(vocabulary: Vocabulary, lists: list[list[Any]]) -> Any:
    place, other = vocabulary.place, len(vocabulary)
    return np.asarray([place.get(label, other) for labels in lists for label in labels], dtype=np.int64)
