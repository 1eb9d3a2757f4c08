"""The labels of graphs, and graphs of these labels for the core."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from ... import _native
from ...data import graph_text, molecules, smarts
from ...data.graph_records import LabelledGraph
from ...data.graph_text import ANY_EDGE, ANY_NODE, GraphLabels
from ...data.molecules import Atom
from ...data.records import PackedRecords


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
