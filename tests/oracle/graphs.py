"""Every connected subgraph of some small graphs, written out, and matching by trying every map.

A graph is (node labels, edges, edge labels). A pattern is a graph in a form that all its
copies share: the least over the orders of its nodes. A label of a pattern that is None is a
wildcard, which any label matches.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from oracle.patterns import Kind, Problem, problem_of

Graph = tuple[tuple[Any, ...], tuple[tuple[int, int], ...], tuple[Any, ...]]


@functools.cache
def form(graph: Graph) -> Graph:
    """The least copy of a graph."""
    nodes, edges, labels = graph
    best: Any = None
    ranks = sorted(map(repr, nodes))
    for place in itertools.permutations(range(len(nodes))):
        if any(ranks[to] != repr(nodes[v]) for v, to in enumerate(place)):
            continue  # labels ascend in the least copy
        moved = sorted(
            (min(place[u], place[v]), max(place[u], place[v]), label)
            for (u, v), label in zip(edges, labels, strict=True)
        )
        names = [None] * len(nodes)
        for v, to in enumerate(place):
            names[to] = nodes[v]
        key = repr(moved)
        if best is None or key < best[0]:
            ends, kinds = tuple((u, v) for u, v, _ in moved), tuple(label for *_, label in moved)
            best = key, (tuple(names), ends, kinds)
    return best[1]  # type: ignore[no-any-return]


def part(graph: Any, chosen: tuple[int, ...]) -> Graph | None:
    """The graph of some of the edges, if it is connected."""
    nodes, edges, labels = graph
    kept = sorted({v for k in chosen for v in edges[k]})
    reached = {kept[0]}
    for _ in kept:
        for k in chosen:
            if reached & set(edges[k]):
                reached |= set(edges[k])
    if len(reached) < len(kept):
        return None
    place = {v: number for number, v in enumerate(kept)}
    ends = tuple((place[edges[k][0]], place[edges[k][1]]) for k in chosen)
    return tuple(nodes[v] for v in kept), ends, tuple(labels[k] for k in chosen)


def left_open(graph: Graph, wildcards: Any) -> set[Graph]:
    """The graph with wildcards in every way that is allowed."""
    nodes, edges, labels = graph

    def choices(of: tuple[Any, ...], allowed: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return list(itertools.product(*([label, None] if wildcards in allowed else [label] for label in of)))

    pairs = itertools.product(choices(nodes, (True, "nodes")), choices(labels, (True, "edges")))
    return {(own, edges, kinds) for own, kinds in pairs}


def subgraphs(graph: Any, max_edges: int, wildcards: Any = False) -> set[Graph]:
    """Every connected subgraph of 1 to `max_edges` edges."""
    n = len(graph[1])
    sets = (c for size in range(1, max_edges + 1) for c in itertools.combinations(range(n), size))
    parts = (part(graph, chosen) for chosen in sets)
    return {form(q) for p in parts if p is not None for q in left_open(p, wildcards)}


@functools.cache
def occurs(pattern: Graph, record: Graph) -> bool:
    """Whether some map of nodes keeps edges, and labels but wildcards."""
    nodes, edges, labels = pattern
    own = {frozenset(edge): label for edge, label in zip(record[1], record[2], strict=True)}
    wanted = list(zip(edges, labels, strict=True))
    return any(
        all(nodes[v] in (None, record[0][to]) for v, to in enumerate(place))
        and all(label in (None, own.get(frozenset((place[u], place[v])), ...)) for (u, v), label in wanted)
        and all(frozenset((place[u], place[v])) in own for u, v in edges)
        for place in itertools.permutations(range(len(record[0])), len(nodes))
    )


def frozen(record: Any) -> Graph:
    """The same, hashable."""
    nodes, edges, labels = record
    return tuple(nodes), tuple(edges), tuple(labels)


def shown(pattern: Any, alphabet: Any) -> Graph:
    """A document's pattern as this file has it."""
    nodes: dict[int, Any] = {}
    for u, v, a, _, b in pattern:
        nodes[u], nodes[v] = (None if k is None else alphabet["vertices"][k] for k in (a, b))
    labels = tuple(None if e[3] is None else alphabet["edges"][e[3]] for e in pattern)
    return form((tuple(nodes[k] for k in sorted(nodes)), tuple((e[0], e[1]) for e in pattern), labels))


def random_graph(rng: np.random.Generator, nodes: list[Any], labels: list[Any]) -> Any:
    """A graph that may be empty, disconnected, or a single node."""
    n = int(rng.integers(0, 6))
    pairs = list(itertools.combinations(range(n), 2))
    share = rng.uniform(0.2, 0.7)
    edges = [pair[:: int(rng.choice([-1, 1]))] for pair in pairs if rng.random() < share][:7]
    order = rng.permutation(len(edges))
    return (
        [nodes[k] for k in rng.integers(len(nodes), size=n)],
        [edges[k] for k in order],
        [labels[k] for k in rng.integers(len(labels), size=len(edges))],
    )


def graph_problem(seed: int) -> Problem:
    """A random database of graphs: unlabelled, empty, repeated, with unseen labels in new ones.

    Every fifth has wildcards, and fewer and smaller patterns: with them there are many.
    """
    rng = np.random.default_rng(seed)
    wildcards: Any = ["nodes", "edges", True][seed // 5 % 3] if seed % 5 == 0 else False
    n = int(rng.integers(2, 12 if wildcards else 16))
    nodes = [[""], ["a", "b"], [0, 1, 5], ["C", "O"]][seed % 4]
    labels: list[Any] = [[""], [1, 2], ["-", "="]][seed % 3]
    records = [random_graph(rng, nodes, labels) for _ in range(n)]
    if seed % 11 == 0:
        records = [records[0]] * n
    if seed % 7 == 0:
        records[-1] = records[0]
    fresh = [random_graph(rng, [*nodes, "new"], [*labels, "new"]) for _ in range(5)]
    most = int(rng.integers(1, 4 if wildcards else 5))
    kept = sorted({p for record in records for p in subgraphs(record, most, wildcards)}, key=repr)
    kind = Kind(kept, lambda p: len(p[1]), lambda p, record: occurs(p, frozen(record)), listed=False)
    language = {"max_edges": most, "wildcards": wildcards}
    return problem_of(seed, rng, "Graph", records, fresh, kind, language)
