"""Subgraphs in one line, read back: labels of every kind, wildcards, texts that are none."""

import json

import numpy as np
import pytest

from oracle import graphs
from thresher import GraphRegressor, _native

ODD = [
    *["", "*", "~", "a b", "a-b", '"', "(", "&1", "\\", "ü", "1", "1e-07"],
    1,
    -1,
    1e-7,
    (1, "x"),
    "(1, 'x')",
]


@pytest.mark.parametrize("wildcards", [False, "nodes", "edges", True])
@pytest.mark.parametrize(
    ("nodes", "kinds"), [(ODD, ["x"]), (["a"], ODD), (ODD, ODD), ([""], [""]), (ODD, [""])]
)
def test_every_text_is_read_back(nodes, kinds, wildcards):
    rng = np.random.default_rng(0)
    X = [graphs.random_graph(rng, nodes, kinds) for _ in range(100)]
    model = GraphRegressor(alpha=0.5, max_edges=2, wildcards=wildcards).fit(X, rng.normal(size=100))
    document = model._fitted.view
    place, kind = document.vocabulary.nodes.place, document.vocabulary.edges.place
    place[None] = kind[None] = None
    seen = {}
    for own, edges, labels in sorted({p for record in X for p in graphs.subgraphs(record, 3)}, key=repr)[::7]:
        for open_nodes, _, open_labels in list(graphs.left_open((own, edges, labels), wildcards))[:20]:
            ends = [(u, v, kind[label]) for (u, v), label in zip(edges, open_labels, strict=True)]
            wire = json.loads(_native.pattern_of_graph([place[label] for label in open_nodes], ends))
            text = document.pattern(wire).text
            assert document.family.parse(text, document.vocabulary, document.language) == wire, text
            assert seen.setdefault(text, wire) == wire
    assert seen


@pytest.mark.parametrize(
    "text",
    ["", "a-x-", "a-x", "a x b", "a-x-b)", "a(-x-b", "a&1-x-b", "a-x-&1", "a-x-b-&1", "a(b)", '"a-x-b'],
)
def test_texts_that_are_no_subgraph(text):
    model = GraphRegressor(alpha=0.1).fit([(["a", "b"], [(0, 1)], ["x"]), (["a"], [])] * 4, [1.0, 0.0] * 4)
    with pytest.raises(ValueError, match="is not a subgraph at"):
        model.price(text)
    with pytest.raises(ValueError, match="no label 'q'"):
        model.price("a-x-q")
    with pytest.raises(ValueError, match="at least one edge"):
        model.price("a")
