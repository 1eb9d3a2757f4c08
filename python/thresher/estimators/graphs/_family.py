"""Records that are labelled graphs, and connected subgraphs as their patterns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

from ... import _native
from ...data import molecules
from ...data.budget import Budget
from ...data.graph_records import LabelledGraph, graphs_of, pattern_graph
from ...data.graph_text import ANY_EDGE, ANY_NODE, GraphLabels
from ...data.records import PackedRecords
from ...formatting.text import pluralize
from ...results.pattern import Pattern
from .._pattern_family import Family
from ._vocabulary import GraphVocabulary, pack

_WILDCARDS = {"nodes": (True, False), "edges": (False, True)}


class GraphFamily(Family):
    """Connected subgraphs."""

    format: ClassVar[str] = "thresher.graphs"
    limit: ClassVar[tuple[str, str]] = ("max_edges", "edges")
    without_candidates: ClassVar[str] = "no record has an edge or bond"

    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the limits of a subgraph as the core expects them."""
        nodes, edges = _WILDCARDS.get(params["wildcards"], (bool(params["wildcards"]),) * 2)
        return {
            "max_edges": params["max_edges"],
            "min_support": params["min_support"],
            "wildcards": {"vertices": nodes, "edges": edges},
        }

    def read(self, X: Any, owner: str, budget: Budget) -> PackedRecords:  # noqa: ARG002
        """Read training records.

        Parameters
        ----------
        X : list of graphs, str or path
            As :class:`GraphRegressor` takes them.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        PackedRecords
            Records and vocabulary.
        """
        graphs = graphs_of(X, budget=budget)
        nodes = GraphLabels.of(chain.from_iterable(graph.nodes for graph in graphs))
        edges = GraphLabels.of(chain.from_iterable(graph.labels for graph in graphs))
        return pack(graphs, GraphVocabulary(nodes, edges))

    def read_like(
        self,
        X: Any,
        vocabulary: GraphVocabulary,
        matrix: Any,  # noqa: ARG002
        owner: str,  # noqa: ARG002
        used: Any = None,  # noqa: ARG002
    ) -> PackedRecords:
        """Read new records; labels unknown from training match only wildcards.

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
        used : None
            Graphs have no columns.

        Returns
        -------
        PackedRecords
            Records encoded with the vocabulary of training.
        """
        return pack(graphs_of(X, charges=vocabulary.has_charges), vocabulary)

    def restore(self, alphabet: Any) -> GraphVocabulary:
        """Create the vocabulary of a saved model.

        Parameters
        ----------
        alphabet : mapping
            Labels of ``vertices`` and of ``edges``.

        Returns
        -------
        GraphVocabulary
            The vocabulary.
        """
        return GraphVocabulary(GraphLabels(alphabet["vertices"]), GraphLabels(alphabet["edges"]))

    def size(self, payload: Any) -> int:
        """Return the number of edges.

        Parameters
        ----------
        payload : list
            The edges of its code.

        Returns
        -------
        int
            Number of edges.
        """
        return len(payload)

    def pattern(
        self,
        payload: Any,
        vocabulary: GraphVocabulary,
        language: Mapping[str, Any],
        **attributes: Any,
    ) -> Pattern:
        """Create a pattern with the text of a subgraph.

        Parameters
        ----------
        payload : list
            The edges of its code.
        vocabulary : GraphVocabulary
            The labels.
        language : mapping
            The limits of the pattern language.
        **attributes : object
            Coefficient, support and the like.

        Returns
        -------
        Pattern
            The pattern, with a text such as ``c:c-C(=O)~*``, and for molecules its SMARTS.
        """
        text = _native.pattern_text(json.dumps(payload), *vocabulary.words(language))
        return Pattern(text, self.size(payload), smarts=vocabulary.smarts(payload), **attributes)

    def canonical(self, payload: Any) -> Any:
        """Return the smallest code of a subgraph.

        Parameters
        ----------
        payload : list
            The edges of one of its codes.

        Returns
        -------
        list
            The edges of its smallest code, where labels are ordered by their numbers.
        """
        labels: dict[int, int | None] = {}
        for u, v, a, _, b in payload:
            labels |= {u: a, v: b}
        nodes = [labels[node] for node in sorted(labels)]
        return _smallest_code(nodes, [(u, v, label) for u, v, _, label, _ in payload])

    def parse(self, pattern: Any, vocabulary: GraphVocabulary, language: Mapping[str, Any]) -> Any:
        """Parse a subgraph given by a user.

        Parameters
        ----------
        pattern : graph, or str
            A connected graph in any form, with the wildcards ``*`` and ``~`` as labels
            of nodes and edges (unless training had such labels); or a text in the form
            of ``Pattern.text``, SMARTS for molecules. An atom without a charge is neutral.
        vocabulary : GraphVocabulary
            The labels.
        language : mapping
            The limits of the pattern language.

        Returns
        -------
        list
            The edges of its code.

        Raises
        ------
        ValueError
            If it is not connected, has no edge, or has a label unknown from training.
        """
        if isinstance(pattern, str):
            graph = vocabulary.read(pattern, language)
            signs: tuple[Any, Any] = None, None
        else:
            graph = _graph_of(pattern, vocabulary)
            signs = ANY_NODE, ANY_EDGE
        node, edge = ("atom", "bond") if vocabulary.is_chemical else ("node", "edge")
        if not graph.edges:
            raise ValueError(
                f"pattern: got {pattern!r}; a pattern is a connected graph with at least one {edge}, and "
                f"this has {pluralize(len(graph.nodes), node)} and no {edge}"
            )
        nodes = _places(vocabulary.nodes, graph.nodes, signs[0], node)
        edges = _places(vocabulary.edges, graph.labels, signs[1], edge)
        ends = [(u, v, label) for (u, v), label in zip(graph.edges, edges, strict=True)]
        return _smallest_code(nodes, ends)


def _graph_of(pattern: Any, vocabulary: GraphVocabulary) -> LabelledGraph:
    """Read a pattern that is no text; a part of a molecule need not be one that can be sanitised."""
    charges = vocabulary.has_charges
    if not hasattr(pattern, "GetAtoms"):
        graph = pattern_graph(pattern)
        if not (charges and vocabulary.is_chemical):
            return graph
        return graph._replace(nodes=[_with_charge(label) for label in graph.nodes])
    if molecules.is_query(pattern):
        raise ValueError("pattern: got a query of rdkit; give its SMARTS, as text")
    return LabelledGraph(*molecules.parts(pattern, charges=charges))


def _with_charge(label: Any) -> Any:
    """Return the label of a neutral atom for a symbol alone; any other label, and a wildcard, as it is."""
    atom = None if label == ANY_NODE else molecules.atom_of(label)
    return label if atom is None or atom.charge is not None else atom._replace(charge=0).label


def _smallest_code(nodes: list[int | None], edges: list[tuple[int, int, int | None]]) -> Any:
    return json.loads(_native.pattern_of_graph(nodes, edges))


def _places(vocabulary: GraphLabels, labels: list[Any], sign: Any, noun: str) -> list[int | None]:
    """Return the numbers of a pattern's labels; None for a wildcard, whose text is `sign`."""
    return [
        None
        if label == sign and label not in vocabulary.place
        else vocabulary.number_of(label, f"{noun} with the label")
        for label in labels
    ]
