"""Patterns of subgraphs: their texts, wildcards, and how these are found, shown, saved and proved."""

import json
import pickle

import numpy as np
import pytest
from rdkit import Chem

from oracle import compare, graphs
from thresher import FormatError, GraphClassifier, GraphRegressor, _native, load_model

from .data import EDGE_KIND, EDGE_SUM, GRAPHS, IS_ACID, MOLECULES

PAIRS = [(["O", x, "O"], [(0, 1), (1, 2)], ["-", "-"]) for x in "CNPS"]
LONE = [(["O", x, x], [(0, 1), (1, 2)], ["-", "-"]) for x in "CNPS"]


def test_wildcards_say_in_one_pattern_what_labels_say_in_many():
    X, y = PAIRS + LONE, [1.0] * 4 + [0.0] * 4
    model = GraphRegressor(alpha=0.01, wildcards=True).fit(X, y)
    [pattern] = model.patterns_
    assert (pattern.text, pattern.size, pattern.n_rows) == ("O-*-O", 2, 4)
    assert any("~" in other.text for other in pattern.equivalents)
    assert model.verify(X, y).complete
    assert len(GraphRegressor(alpha=0.01).fit(X, y).patterns_) > 1
    # Labels that training did not see match a wildcard, and nothing else.
    both = [(0, 1), (1, 2)]
    fresh = [(["O", "Xe", "O"], both, ["-", "-"]), (["O", "C", "O"], both, ["-", "?"])]
    assert model.transform(fresh).toarray().tolist() == [[1.0], [0.0]]
    assert model.matches(fresh, "O~*~O") == [[(0, 1, 2)], [(0, 1, 2)]]
    assert model.matches(fresh, (["O", "*"], [(0, 1)], ["~"])) == [[(0, 1), (2, 1)]] * 2


def test_patterns_without_needless_wildcards_are_shown():
    model = GraphRegressor(alpha=0.003, max_edges=2, wildcards=True).fit(GRAPHS, EDGE_SUM)
    document = model._fitted.view
    for pattern in model.patterns_:
        own = [bool(places) for places in model.matches(GRAPHS, pattern)]
        graph = document.vocabulary.graph(pattern.payload)
        for k, label in enumerate(graph.nodes):
            for other in "abc" if label == "*" else "":
                nodes = [*graph.nodes[:k], other, *graph.nodes[k + 1 :]]
                found = model.matches(GRAPHS, (nodes, graph.edges, graph.labels))
                assert [bool(places) for places in found] != own


def test_wildcards_are_priced_where_there_are_some():
    model = GraphRegressor(alpha=0.01, wildcards="nodes").fit(GRAPHS, EDGE_SUM)
    for pattern in model.patterns_:
        assert model.price(pattern.text).in_model
    assert "*" in " ".join(model.get_feature_names_out())
    with pytest.raises(
        ValueError, match="the label of one edge is a wildcard, and this model has none there"
    ):
        model.price("a~b")
    with pytest.raises(ValueError, match="the label of one vertex is a wildcard"):
        GraphRegressor(alpha=0.01).fit(GRAPHS, EDGE_SUM).price("*-x-b")


def test_models_with_wildcards_are_saved(tmp_path):
    model = GraphClassifier(alpha="bic", max_edges=3, wildcards=True).fit(GRAPHS, EDGE_KIND)
    assert any(None in edge for pattern in model.patterns_ for edge in pattern.payload)
    file = tmp_path / "model.json"
    model.to_json(file)
    for again in (load_model(file), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.decision_function(GRAPHS), model.decision_function(GRAPHS))
        assert [p.text for p in again.patterns_] == [p.text for p in model.patterns_]
        assert again.verify(GRAPHS, EDGE_KIND).complete
    wire = json.loads(model.to_json())
    wire["model"]["language"].pop("wildcards")
    with pytest.raises(FormatError, match="is a wildcard"):
        load_model(json.dumps(wire))


def test_drawings_of_wildcards():
    model = GraphRegressor(alpha=0.01, max_edges=3, wildcards=True).fit(GRAPHS, EDGE_SUM)
    shown = model.plot_patterns()
    assert "*" in {text.get_text() for ax in shown.axes_ for text in ax.texts}
    assert len(model.plot_matches(GRAPHS[3]).node_effects) == len(GRAPHS[3][0])


def test_molecules_with_wildcards():
    X = MOLECULES * 4
    model = GraphClassifier(alpha=0.005, max_edges=3, wildcards=True).fit(X, np.tile(IS_ACID, 4))
    mols = [Chem.MolFromSmiles(s) for s in [*MOLECULES, "FC(=O)OF", "[Si]C#N"]]
    texts = {p.text for own in model.patterns_ for p in (own, *own.equivalents)}
    assert any("~" in text for text in texts)
    assert any("*" in text for text in texts)
    for text in [*sorted(texts), "*~*", "c~*-O", "O=*-*"]:
        held = [mol.HasSubstructMatch(Chem.MolFromSmarts(text)) for mol in mols]
        assert [bool(places) for places in model.matches(mols, text)] == held, text
    assert len(model.plot_matches("CC(=O)O", pattern="O=*-*").node_effects) == 4


def test_an_atom_of_no_element_is_no_wildcard():
    X = ["*CC", "*CO", "CCC", "OCC"] * 3
    model = GraphClassifier(alpha=0.01).fit(X, [True, True, False, False] * 3)
    [pattern] = model.patterns_
    assert pattern.text == "[#0]-C"
    assert model.price("[#0]-C").in_model
    assert [bool(places) for places in model.matches(["CC", "*C"], "*-C")] == [True, True]
    assert [bool(places) for places in model.matches(["CC", "*C"], "[#0]-C")] == [False, True]


def test_threads_and_strategies_change_nothing():
    language = {"alpha": "bic", "n_alphas": 10, "max_edges": 3, "wildcards": True}
    documents, objectives = {}, []
    for strategy in ("working_set", "screening", "column_generation"):
        for n in (1, 4):
            model = GraphRegressor(n_jobs=n, strategy=strategy, **language).fit(GRAPHS, EDGE_SUM)
            document = compare.timeless(model)
            assert documents.setdefault(strategy, document) == document
            objectives.append(model.path_.objective)
    np.testing.assert_allclose(objectives, [objectives[0]] * 6, rtol=1e-5)


def test_cross_validation_with_wildcards():
    model = GraphRegressor(n_alphas=8, cv=3, max_edges=2, wildcards="nodes").fit(GRAPHS, EDGE_SUM)
    assert model.path_.cv_mean is not None
    assert model.certificate_.complete
    assert model.score(GRAPHS, EDGE_SUM) > GraphRegressor(alpha=1.0).fit(GRAPHS, EDGE_SUM).score(
        GRAPHS, EDGE_SUM
    )


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
    with pytest.raises(ValueError, match='no node with the label "q"'):
        model.price("a-x-q")
    with pytest.raises(ValueError, match="at least one edge"):
        model.price("a")
