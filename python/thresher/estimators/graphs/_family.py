"""Records that are labelled graphs, and connected subgraphs as their patterns."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from ... import _native
from ...data import graph_text, molecules, smarts
from ...data.budget import Budget
from ...data.graph_records import LabelledGraph, graphs_of, one_graph
from ...data.graph_text import ANY_EDGE, ANY_NODE, GraphLabels
from ...data.molecules import Atom
from ...data.records import PackedRecords
from ...results.pattern import Pattern
from .._parameters import count_of
from .._pattern_family import Family

_WILDCARDS = {"nodes": (True, False), "edges": (False, True)}


class GraphVocabulary:
    """Labels of nodes and of edges.

    Parameters
    ----------
    nodes, edges : GraphLabels
        The labels.
    """

    def __init__(self, nodes: GraphLabels, edges: GraphLabels) -> None:
        self.nodes = nodes
        self.edges = edges
        self._words: dict[bool, tuple[list[str], list[str], str]] = {}

    @property
    def is_plain(self) -> bool:
        """Whether JSON can hold every label."""
        return self.nodes.is_plain and self.edges.is_plain

    @functools.cached_property
    def is_chemical(self) -> bool:
        """Whether the labels are those of molecules, so that patterns are shown as SMARTS."""
        return molecules.are_labels(self.nodes.labels, self.edges.labels)

    @functools.cached_property
    def has_charges(self) -> bool:
        """Whether the labels of atoms tell their charges."""
        return molecules.have_charges(self.nodes.labels)

    def words(self, language: Mapping[str, Any]) -> tuple[list[str], list[str], str]:
        """Return the texts of the labels.

        Parameters
        ----------
        language : mapping
            The limits of the pattern language.

        Returns
        -------
        nodes, edges : list of str
            A text for each label.
        ring : str
            The prefix of a ring number.
        """
        any_node = bool(language["wildcards"]["vertices"])
        if any_node not in self._words:
            if self.is_chemical:
                self._words[any_node] = self._smarts_words(smarts.atom_text)
            else:
                self._words[any_node] = graph_text.words(self.nodes, self.edges, any_node)
        return self._words[any_node]

    def _smarts_words(self, write: Callable[[Atom], str]) -> tuple[list[str], list[str], str]:
        """Return the texts of the labels of molecules."""
        atoms = [atom for atom in map(molecules.atom_of, self.nodes.labels) if atom is not None]
        return [write(atom) for atom in atoms], [str(label) for label in self.edges.labels], ""

    def smarts(self, payload: Any) -> str | None:
        """Write a pattern as SMARTS that matches the molecules in which it occurs, and no others.

        Parameters
        ----------
        payload : list
            The entry of the document.

        Returns
        -------
        str or None
            The SMARTS; None where the labels are not those of molecules.
        """
        if not self.is_chemical:
            return None
        return _native.pattern_text(json.dumps(payload), *self._smarts_words(smarts.atom_smarts))

    def read(self, text: str, language: Mapping[str, Any]) -> LabelledGraph:
        """Parse the text of a subgraph.

        Parameters
        ----------
        text : str
            A pattern's text; for molecules any SMARTS of symbols and bonds.
        language : mapping
            The limits of the pattern language.

        Returns
        -------
        LabelledGraph
            The subgraph; None for wildcards.

        Raises
        ------
        ValueError
            If the text cannot be parsed.
        """
        if self.is_chemical:
            return LabelledGraph(*smarts.query_parts(text, charges=self.has_charges))
        any_node = language["wildcards"]["vertices"]
        return LabelledGraph(*graph_text.read(text, self.nodes, self.edges, any_node))

    def to_json(self) -> str:
        """Serialise the labels for the core.

        Returns
        -------
        str
            JSON.
        """
        return f'{{"vertices": {self.nodes.to_json()}, "edges": {self.edges.to_json()}}}'

    def graph(self, payload: Any) -> LabelledGraph:
        """Create the graph of a pattern.

        Parameters
        ----------
        payload : list
            The entry of the document.

        Returns
        -------
        LabelledGraph
            The graph, with its nodes in the order of the pattern's; ``*`` and ``~`` are
            the labels of wildcards.
        """
        nodes: dict[int, Any] = {}
        for u, v, a, _, b in payload:
            for node, label in ((u, a), (v, b)):
                nodes[node] = ANY_NODE if label is None else self.nodes.labels[label]
        edges = [(u, v) for u, v, *_ in payload]
        labels = [ANY_EDGE if label is None else self.edges.labels[label] for *_, label, _ in payload]
        return LabelledGraph([nodes[k] for k in sorted(nodes)], edges, labels)


class GraphFamily(Family):
    """Connected subgraphs."""

    format: ClassVar[str] = "thresher.graphs"
    limit: ClassVar[tuple[str, str]] = ("max_edges", "edges")

    def language(self, params: Mapping[str, Any], n_rows: int) -> dict[str, Any]:
        """Return the limits of a subgraph as the core expects them."""
        nodes, edges = _WILDCARDS.get(params["wildcards"], (bool(params["wildcards"]),) * 2)
        return {
            "max_edges": params["max_edges"],
            "min_support": count_of(params["min_support"], n_rows, "records"),
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
            of ``Pattern.text``, SMARTS for molecules.
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
            graph = _graph_of(pattern, vocabulary.has_charges)
            signs = ANY_NODE, ANY_EDGE
        if not graph.edges:
            edge = (
                "edge (a bond)"
                if molecules.are_labels(vocabulary.nodes.labels, vocabulary.edges.labels)
                else "edge"
            )
            raise ValueError(f"pattern: got {pattern!r}; a pattern has at least one {edge}")
        nodes = _places(vocabulary.nodes, graph.nodes, signs[0])
        edges = _places(vocabulary.edges, graph.labels, signs[1])
        ends = [(u, v, label) for (u, v), label in zip(graph.edges, edges, strict=True)]
        return _smallest_code(nodes, ends)


def _graph_of(pattern: Any, charges: bool) -> LabelledGraph:
    """Read a pattern that is no text; a part of a molecule need not be one that can be sanitised."""
    if not hasattr(pattern, "GetAtoms"):
        return one_graph(pattern, "pattern", charges=charges)
    if molecules.is_query(pattern):
        raise ValueError("pattern: got a query of rdkit; give its SMARTS, as text")
    return LabelledGraph(*molecules.parts(pattern, charges=charges))


def _smallest_code(nodes: list[int | None], edges: list[tuple[int, int, int | None]]) -> Any:
    return json.loads(_native.pattern_of_graph(nodes, edges))


def _places(vocabulary: GraphLabels, labels: list[Any], sign: Any) -> list[int | None]:
    """Return the numbers of a pattern's labels; None for a wildcard, written `sign`."""
    places = [vocabulary.place.get(label) for label in labels]
    for label, place in zip(labels, places, strict=True):
        if place is None and label != sign:
            raise ValueError(f"pattern: training saw no label {label!r}")
    return places


def pack(graphs: list[LabelledGraph], vocabulary: GraphVocabulary) -> PackedRecords:
    """Pack graphs for the core.

    Parameters
    ----------
    graphs : list of LabelledGraph
        The graphs.
    vocabulary : GraphVocabulary
        The labels; others match only wildcards.

    Returns
    -------
    PackedRecords
        The records.

    Raises
    ------
    ValueError
        If an edge is a loop, a duplicate, or has an unknown node; the message names it.
    """
    ends = chain.from_iterable(chain.from_iterable(graph.edges for graph in graphs))
    nodes, labels = [graph.nodes for graph in graphs], [graph.labels for graph in graphs]
    packed = _native.Records.graphs(
        vocabulary.to_json(),
        (_starts(nodes), _numbers(vocabulary.nodes, nodes)),
        (
            _starts([graph.edges for graph in graphs]),
            np.fromiter(ends, dtype=np.int64),
            _numbers(vocabulary.edges, labels),
        ),
    )
    return PackedRecords(packed, vocabulary, len(graphs))


def _starts(lists: list[list[Any]]) -> Any:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _numbers(vocabulary: GraphLabels, lists: list[list[Any]]) -> Any:
    place = defaultdict(lambda: len(vocabulary), vocabulary.place)
    return np.fromiter(map(place.__getitem__, chain.from_iterable(lists)), dtype=np.int64)
