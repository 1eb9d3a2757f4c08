"""Subgraphs in one line, and back: ``a&1-x-b(~*)-y-c-x-&1``.

Nodes are printed as their labels, ``*`` where any label matches; edges as ``-label-``, as ``-``
where no edge has a label, and as ``~`` where any label matches. Branches stand in parentheses, and
``&1`` at both ends of an edge that closes a ring.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .vocabulary import Vocabulary

ANY_NODE, ANY_EDGE = "*", "~"
_WORD = r'"(?:[^"\\]|\\.)*"|[^\s"()&~-]+'
_NODE, _RING = re.compile(_WORD), re.compile(r"&%?(\d+)")
_EDGE = {False: re.compile(rf"~|-({_WORD})-"), True: re.compile(r"~|-()")}


class GraphLabels(Vocabulary):
    """Labels of nodes or of edges, quoted where the text would be ambiguous.

    Parameters
    ----------
    labels : sequence of hashable
        The labels.

    Examples
    --------
    >>> labels = GraphLabels(["C", "*", "a-b"])
    >>> [labels.text(number) for number in range(3)]
    ['C', '"*"', '"a-b"']
    """

    ambiguous = re.compile(r'^$|[\s"()\[\]&*~-]')


def words(nodes: GraphLabels, edges: GraphLabels, any_node: bool) -> tuple[list[str], list[str], str]:
    """Return the texts of labels that :func:`read` parses.

    Parameters
    ----------
    nodes, edges : GraphLabels
        The labels.
    any_node : bool
        Whether nodes may be wildcards; unlabelled nodes then have another text.

    Returns
    -------
    nodes, edges : list of str
        A text for each label.
    ring : str
        The prefix of a ring number.
    """
    bare = nodes.labels == [""] and not any_node
    lines = ["-"] if edges.labels == [""] else [f"-{edges.text(k)}-" for k in range(len(edges))]
    return [ANY_NODE] if bare else [nodes.text(k) for k in range(len(nodes))], lines, "&"


def read(
    text: str, nodes: GraphLabels, edges: GraphLabels, any_node: bool
) -> tuple[list[Any], list[tuple[int, int]], list[Any]]:
    r"""Parse the text of a subgraph.

    Parameters
    ----------
    text : str
        As :class:`Pattern` prints it.
    nodes, edges : GraphLabels
        The labels; others are read as text.
    any_node : bool
        As in :func:`words`.

    Returns
    -------
    nodes : list of label or None
        A label for each node; None for a wildcard.
    edges : list of (int, int)
        Positions of both ends.
    labels : list of label or None
        A label for each edge.

    Raises
    ------
    ValueError
        If the text is not a subgraph; the message gives the position.

    Examples
    --------
    >>> read('C(-"x y"-N)~*', GraphLabels(["C", "N"]), GraphLabels([1, "x y"]), True)
    (['C', 'N', None], [(0, 1), (0, 2)], ['x y', None])
    """
    return _Reader(text, nodes, edges, any_node).read()


class _Reader:
    """The state of the parser."""

    def __init__(self, text: str, nodes: GraphLabels, edges: GraphLabels, any_node: bool) -> None:
        self.text, self.at = text.strip(), 0
        self.known = nodes.known, edges.known
        self.signs = {ANY_NODE: "" if nodes.labels == [""] and not any_node else None}
        self.edge = _EDGE[edges.labels == [""]]
        self.nodes: list[Any] = []
        self.ends: list[tuple[int, int]] = []
        self.labels: list[Any] = []

    def read(self) -> tuple[list[Any], list[tuple[int, int]], list[Any]]:
        rings: dict[str, int] = {}
        branches: list[int] = []
        last = self._node()
        while self.at < len(self.text):
            if self._take("("):
                branches.append(last)
            elif branches and self._take(")"):
                last = branches.pop()
            elif (ring := self._match(_RING)) is not None:
                rings[ring[1]] = last
            else:
                label = self._label(self.known[1], {ANY_EDGE: None}, self._match(self.edge), 1)
                ring = self._match(_RING)
                to = self._node() if ring is None else rings.pop(ring[1], None)
                if to is None:
                    raise self._syntax_error()
                self.ends.append((last, to))
                self.labels.append(label)
                last = to if ring is None else last
        if branches or rings:
            raise self._syntax_error()
        return self.nodes, self.ends, self.labels

    def _node(self) -> int:
        self.nodes.append(self._label(self.known[0], self.signs, self._match(_NODE), 0))
        return len(self.nodes) - 1

    def _label(self, known: Mapping[str, Any], signs: Mapping[str, Any], found: Any, group: int) -> Any:
        """Return the label of a text."""
        if found is None:
            raise self._syntax_error()
        if found[0] in signs:
            return signs[found[0]]
        word = found[group]
        return known.get(word, json.loads(word) if word.startswith('"') else word)

    def _match(self, form: re.Pattern[str]) -> re.Match[str] | None:
        found = form.match(self.text, self.at)
        self.at = self.at if found is None else found.end()
        return found

    def _take(self, sign: str) -> bool:
        there = self.text.startswith(sign, self.at)
        self.at += len(sign) * there
        return there

    def _syntax_error(self) -> ValueError:
        rest = repr(self.text[self.at :]) if self.at < len(self.text) else "its end"
        return ValueError(
            f"pattern: {self.text!r} is not a subgraph at {rest}; write it as the model's patterns are, or "
            "give a graph"
        )
