"""Subgraphs: the exhaustive oracle, every form of input, matching, drawings, the authors' numbers."""

import json
import os
import pickle
import sys
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import GraphMatcher
from rdkit import Chem
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from oracle import compare, graphs, patterns
from thresher import (
    GraphClassifier,
    GraphRegressor,
    read_gspan,
    write_gspan,
)

from .data import EDGE_KIND, EDGE_SUM, EDGES, GRAPHS, IS_ACID, MOLECULES

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("THRESHER_DATA", ROOT.parent / "shared" / "data"))


@compare.seeds(size=50)
def test_optimal_over_all_subgraphs(seeds):
    wrong = [m for seed in seeds for m in patterns.check(graphs.graph_problem(seed), graphs.shown)]
    assert not wrong, "\n".join(wrong)


def as_networkx(record):
    nodes, edges, labels = record
    graph = nx.Graph()
    graph.add_nodes_from((v, {"label": label}) for v, label in enumerate(nodes))
    graph.add_edges_from((u, v, {"label": label}) for (u, v), label in zip(edges, labels, strict=True))
    return graph


def fits(own, wanted):
    """Whether a label of a graph fits that of a pattern."""
    return wanted["label"] in (None, own["label"])


@pytest.mark.parametrize("language", [{"max_edges": 6}, {"max_edges": 3, "wildcards": True}])
def test_matches_are_those_of_networkx(language):
    model = GraphRegressor(alpha=0.003, closed=False, **language).fit(GRAPHS, EDGE_SUM)
    assert len(model.patterns_) > 20
    open_ends = sum(None in edge for pattern in model.patterns_ for edge in pattern.payload)
    assert (open_ends > 0) == ("wildcards" in language)
    for k, pattern in enumerate(model.patterns_):
        wire, alphabet = pattern.payload, json.loads(model.to_json())["model"]["features"]
        small = as_networkx(graphs.shown(wire, alphabet))
        places = model.matches(GRAPHS, pattern, limit=10_000)
        for record, found in zip(GRAPHS, places, strict=True):
            maps = GraphMatcher(as_networkx(record), small, fits, fits).subgraph_monomorphisms_iter()
            wanted = set()
            for m in maps:
                back = {p: v for v, p in m.items()}
                wanted.add(frozenset(frozenset((back[u], back[v])) for u, v in small.edges))
            got = {frozenset(frozenset((f[u], f[v])) for u, v, *_ in wire) for f in found}
            assert got == wanted
            assert len(found) == len(wanted)
        held = model.transform(GRAPHS)[:, [k]].toarray().ravel() > 0
        assert held.tolist() == [bool(found) for found in places]


def test_every_form_of_input_is_the_same_model(tmp_path):
    text = write_gspan(GRAPHS, EDGE_SUM)
    (tmp_path / "graphs.gspan").write_text(text)
    forms = [
        GRAPHS,
        [list(record) for record in GRAPHS],
        [as_networkx(record) for record in GRAPHS],
        read_gspan(text)[0],
        text,
        tmp_path / "graphs.gspan",
        str(tmp_path / "graphs.gspan"),
    ]
    np.testing.assert_allclose([float(v[0]) for v in read_gspan(text)[1]], EDGE_SUM)
    wanted = GraphRegressor(alpha=0.02).fit(GRAPHS, EDGE_SUM)
    for X in forms:
        model = GraphRegressor(alpha=0.02).fit(X, EDGE_SUM)
        assert [(p.text, p.coef) for p in model.patterns_] == [(p.text, p.coef) for p in wanted.patterns_]
        np.testing.assert_array_equal(model.predict(X), wanted.predict(GRAPHS))


def test_attributes_that_are_not_read_are_named():
    rings = [nx.cycle_graph(n) for n in (3, 4, 5, 6)]
    for ring in rings:
        nx.set_node_attributes(ring, "C", "label")
        nx.set_node_attributes(ring, 1, "charge")
        nx.set_edge_attributes(ring, 2.0, "weight")
    model = GraphRegressor(alpha=0.1)
    told = "attributes of nodes and edges that are not used: 'charge', 'weight'; labels are the attribute"
    with pytest.warns(UserWarning, match=told) as found:
        model.fit(rings, [0.0, 1.0, 0.0, 1.0])
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(rings)
        model.fit([nx.Graph(ring.edges) for ring in rings], [0.0, 1.0, 0.0, 1.0])


def test_odd_graphs():
    single, empty, apart = (["a"], []), ([], []), (["a", "a", "b", "b"], [(0, 1), (2, 3)])
    model = GraphRegressor(alpha=0.01).fit([single, empty, apart, apart], [0.0, 0.0, 1.0, 1.0])
    assert model.predict([single, empty, apart]) == pytest.approx([0.02, 0.02, 0.98], abs=0.01)
    assert model.patterns_[0].text in ("a-a", "b-b")
    assert len(model.patterns_[0].equivalents) == 0
    none = GraphRegressor(alpha=0.01).fit([single, empty], [0.0, 1.0])
    assert none.patterns_ == []
    assert none.certificate_.n_candidates == 0
    unlabelled = GraphClassifier(alpha=0.01).fit([nx.path_graph(4), nx.cycle_graph(4)] * 3, [0, 1] * 3)
    assert unlabelled.predict([nx.cycle_graph(4), nx.star_graph(5)]).tolist() == [1, 0]
    assert unlabelled.patterns_[0].text == "*&1-*-*-*-&1"
    assert unlabelled.patterns_[0].size == 4


def test_labels_may_be_anything_hashable():
    records = [([(1, 2), "a"], [(0, 1)], [None]), ([(1, 2), 3.5], [(0, 1)], [True])] * 4
    model = GraphRegressor(alpha=0.01).fit(records, [0.0, 1.0] * 4)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict(records), again.predict(records))
    with pytest.raises(TypeError, match="JSON can hold labels that are"):
        model.to_json()


def test_labels_that_training_did_not_see_match_nothing():
    model = GraphRegressor(alpha=0.01).fit(GRAPHS, EDGE_SUM)
    strange = [(["q"] * len(r[0]), r[1], r[2]) for r in GRAPHS]
    np.testing.assert_array_equal(model.predict(strange), np.full(60, model.intercept_))
    assert not model.transform([(r[0], r[1], [9] * len(r[1])) for r in GRAPHS]).nnz


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ("C", TypeError, "not a list of graphs"),
        ([], ValueError, "0 sample"),
        (nx.path_graph(3), TypeError, "not a list of graphs"),
        ([(["a"], []), 3], TypeError, "record 1 is 'int'"),
        ([(["a"], []), (["a"], [(0, 0)])], ValueError, "graph 1: edge 0 joins vertex 0 to itself"),
        ([(["a"], []), (["a", "a"], [(0, 1), (1, 0)])], ValueError, "graph 1: edge 1 joins vertices 1 and 0"),
        ([(["a"], []), (["a"], [(0, 3)])], ValueError, "graph 1: edge 0 ends at vertex 3"),
        ([(["a"], []), (["a", "a"], [(0, -1)])], ValueError, "numbered from 0"),
        ([(["a"], []), (["a", "a"], [("x", 1)])], TypeError, "pairs of node numbers"),
        ([(["a"], []), (["a", "a"], [(0, 1)], [])], ValueError, "1 edges and 0 edge labels"),
        ([(["a"], []), (["a", float("nan")], [(0, 1)])], ValueError, "record 1 holds nan"),
        ([(["a"], []), nx.DiGraph([(0, 1)])], TypeError, "directed"),
        ("t # 0\nv 0 C\ne 0 1 -", ValueError, "line 3"),
        ("no graphs\n", ValueError, "line 1"),
    ],
    ids=[
        "text",
        "no records",
        "one graph",
        "number as a record",
        "loop",
        "edge twice",
        "node that is not there",
        "negative node",
        "nodes by name",
        "labels too few",
        "NaN as a label",
        "directed",
        "gSpan with a gap",
        "not gSpan",
    ],
)
def test_input_that_is_refused(X, error, words):
    model = GraphRegressor(alpha=0.1).fit(GRAPHS, EDGE_SUM)
    before = model.to_json()
    with pytest.raises(error, match=words):
        model.fit(X, [1.0, 2.0])
    assert model.to_json() == before


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_edges": 0}, "max_edges"),
        ({"max_edges": 33}, "max_edges"),
        ({"min_support": 0}, "min_support"),
        ({"wildcards": "vertices"}, "wildcards: got 'vertices'; give False, 'nodes', 'edges', or True"),
        ({"wildcards": 1}, "wildcards: got 1; give"),
        ({"wildcards": None}, "wildcards: got None; give"),
    ],
)
def test_parameters_that_are_refused(parameters, words):
    with pytest.raises((TypeError, ValueError), match=words):
        GraphRegressor(**parameters).fit(GRAPHS, EDGE_SUM)


@pytest.mark.parametrize("strategy", ["working_set", "screening", "column_generation"])
@pytest.mark.parametrize(
    "estimator", [GraphRegressor(), GraphClassifier(), GraphClassifier(loss="squared_hinge")]
)
def test_threads_change_nothing(estimator, strategy):
    y = EDGE_SUM if isinstance(estimator, GraphRegressor) else EDGE_KIND
    model = clone(estimator).set_params(strategy=strategy, n_alphas=10, cv=3)
    assert len({compare.timeless(model.set_params(n_jobs=n).fit(GRAPHS, y)) for n in (1, 2, 4)}) == 1


def test_several_classes_are_one_against_the_rest():
    labels = np.where(EDGES < 2, "few", np.where(EDGES < 5, "some", "many"))
    model = GraphClassifier(alpha=0.01, tol=1e-9).fit(GRAPHS, labels)
    for k, label in enumerate(model.classes_):
        own = GraphClassifier(alpha=0.01, tol=1e-9).fit(GRAPHS, labels == label)
        got, wanted = model.decision_function(GRAPHS)[:, k], own.decision_function(GRAPHS)
        np.testing.assert_allclose(got, wanted, atol=1e-3)
    assert model.verify(GRAPHS, labels).complete
    np.testing.assert_allclose(model.predict_proba(GRAPHS).sum(axis=1), 1.0)


def test_cross_validation_path_and_words():
    model = GraphClassifier(n_alphas=20).fit(GRAPHS, EDGE_KIND)
    assert model.path_.cv_mean is not None
    assert model.score(GRAPHS, EDGE_KIND) > 0.7
    assert list(model.get_patterns().columns)[:2] == ["pattern", "size"]
    assert list(model.get_feature_names_out()) == [p.text for p in model.patterns_]
    path = GraphClassifier(n_alphas=20).fit_path(GRAPHS, EDGE_KIND).path_
    assert path.relative_gap.max() <= 1e-6
    [first, *_] = model.explain(GRAPHS[:2])
    total = sum(part.value for part in first.contributions) + model.intercept_
    assert total == pytest.approx(first.decision)


def test_prices_and_near_ties():
    model = GraphRegressor(alpha=0.02).fit(GRAPHS, EDGE_SUM)
    for pattern in model.patterns_:
        assert model.price(pattern).in_model
    asked = (["a", "b"], [(0, 1)], ["x"])
    assert model.price(asked).ratio == pytest.approx(model.price(as_networkx(asked)).ratio)
    assert all(tie.ratio <= 1.001 for tie in model.near_ties(0.5))
    for bad, words in [
        ((["a", "q"], [(0, 1)], ["x"]), 'no node with the label "q"; it saw "a", "b"'),
        ((["a"], []), "at least one edge"),
        ((["a", "a", "b", "b"], [(0, 1), (2, 3)], ["x", "x"]), "several parts"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.price(bad)
    with pytest.raises(NotFittedError):
        GraphRegressor().matches(GRAPHS, asked)


def test_drawings():
    model = GraphClassifier(alpha=0.02).fit(GRAPHS, EDGE_KIND)
    assert len(model.plot_patterns(max_patterns=5).axes_) >= min(5, len(model.patterns_))
    shown = model.plot_matches(GRAPHS[3])
    wanted = model.decision_function([GRAPHS[3]])[0] - model.intercept_
    assert sum(shown.node_effects) == pytest.approx(wanted)
    one = model.plot_matches(as_networkx(GRAPHS[3]), pattern=model.patterns_[0])
    assert len(one.node_effects) == len(GRAPHS[3][0])


def test_molecules():
    X = MOLECULES * 4
    model = GraphClassifier(alpha=0.005).fit(X, np.tile(IS_ACID, 4))
    assert model.predict(MOLECULES).tolist() == IS_ACID.tolist()
    mols = [Chem.MolFromSmiles(s) for s in MOLECULES]
    np.testing.assert_array_equal(model.decision_function(mols), model.decision_function(MOLECULES))
    for pattern in model.patterns_:
        query = Chem.MolFromSmarts(pattern.text)
        held = [mol.HasSubstructMatch(query) for mol in mols]
        np.testing.assert_array_equal([bool(m) for m in model.matches(mols, pattern)], held)
        assert model.price(pattern.text).in_model
    for asked, error, words in [
        ("C.C", ValueError, "with at least one bond, and this has 2 atoms and no bond"),
        ("[Hg]~*", ValueError, 'training saw no atom with the label "Hg"; it saw "C"'),
        (None, TypeError, "^pattern: got None; give one of patterns_ or its text, SMARTS"),
        (3, TypeError, "^pattern: got 3; give one of patterns_ or its text, SMARTS"),
    ]:
        with pytest.raises(error, match=words):
            model.price(asked)
    shown = model.plot_matches("CC(=O)O")
    assert len(shown.node_effects) == 4
    with pytest.raises(ValueError, match="record 1 is 'C1CC', which rdkit does not read"):
        model.predict(["C", "C1CC"])
    with pytest.raises(ValueError, match="does not read"):
        model.price("((")


def test_molecules_without_rdkit(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(ImportError, match=r"thresher\[chem\]"):
        GraphClassifier(alpha=0.1).fit(MOLECULES, IS_ACID)


def test_drawings_without_networkx(monkeypatch):
    model = GraphClassifier(alpha=0.02).fit(GRAPHS, EDGE_KIND)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"thresher\[graph\]"):
        model.plot_patterns()


AUTHORS = [
    ("cpdb", 3, 97.7339, 175.321970438),
    ("bergstrom", 3, 1672.0605, 91636.812561),
    ("bergstrom", 4, 1672.0605, 54930.195971),
    ("bergstrom", 5, 1672.0605, 44592.924344),
]


@pytest.mark.parametrize(("name", "max_edges", "first", "last"), AUTHORS)
def test_the_authors_objectives(name, max_edges, first, last):
    file = DATA / f"spp_{name}.gspan"
    if not file.exists():
        pytest.skip(f"needs {file.name}, which is not part of the repository")
    records, values = read_gspan(file)
    y = np.array([float(v[0]) for v in values])
    if name == "cpdb":
        model = GraphClassifier(loss="squared_hinge", max_edges=max_edges).fit_path(records, y)
    else:
        model = GraphRegressor(max_edges=max_edges).fit_path(records, y)
    path = model.path_
    assert path.alphas[0] * len(y) == pytest.approx(first, rel=1e-6)
    assert path.objective[-1] * len(y) == pytest.approx(last, rel=1e-6)
    assert path.relative_gap.max() <= 1e-6


def test_patterns_are_known_by_their_text():
    import networkx as nx

    graphs, y = [], []
    for k in range(40):
        graph = nx.path_graph(3 + k % 2)
        nx.set_node_attributes(graph, {v: "ab"[(v + k) % 2] for v in graph}, "label")
        graphs.append(graph)
        y.append(float(k % 2))
    model = GraphRegressor(alpha=0.01, max_edges=3).fit(graphs, y)
    first = model.patterns_[0]
    assert model.price(first.text).in_model
    assert model.matches(graphs[:3], first.text) == model.matches(graphs[:3], first)


@pytest.mark.parametrize("graph", [(None, [(0, 1)]), (["C"], None), ("CC", "CO")])
def test_parts_that_are_no_lists(graph):
    with pytest.raises(TypeError, match="record 0 is"):
        GraphRegressor().fit([graph] * 4, [1.0, 2, 3, 4])


def test_text_that_is_not_read_back_is_not_written():
    graph = (["C", "O"], [(0, 1)], ["="])
    for label in ("a\nv 7 X", "a  b", " a", "a\tb", "a\u2028b"):
        for record in (([label, "O"], *graph[1:]), (*graph[:2], [label])):
            with pytest.raises(ValueError, match=r"record 1 has the label .* white space"):
                write_gspan([graph, record])
    for value in ("a b", "", "1\nt # 7", [1, "a b"]):
        with pytest.raises(ValueError, match=r"values: got .* white space"):
            write_gspan([graph], [value])
    with pytest.raises(ValueError, match="values: got 1 for 2 graphs"):
        write_gspan([graph, graph], [1])
    text = write_gspan([(["C", "two words"], [(0, 1)], [""])], [["1", "2.5"]])
    graphs, values = read_gspan(text)
    assert (graphs[0].nodes, graphs[0].labels, values) == (["C", "two words"], [""], [["1", "2.5"]])
    assert write_gspan(graphs, values) == text
