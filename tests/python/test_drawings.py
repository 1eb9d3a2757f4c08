"""Drawings of molecules and the table of patterns: what is drawn, where, and the observed rates."""

import html
import io
import re
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from matplotlib import image
from rdkit import Chem
from scipy import stats

from thresher import (
    GraphClassifier,
    GraphRegressor,
    ItemsetClassifier,
    ItemsetRegressor,
    SequenceClassifier,
    load_model,
    write_gspan,
)
from thresher.data.graph_records import LabelledGraph
from thresher.plotting.molecules import draw_molecule, draw_pattern, molecule_of_pattern, pixels
from thresher.results.intervals import mean_interval, rate_interval

from .data import EDGE_SUM, GRAPHS
from .molecules import smiles

SMILES = smiles(120, seed=3)
SIZE = np.array([Chem.MolFromSmiles(s).GetNumAtoms() for s in SMILES], dtype=float)
KIND = np.where(SIZE > 10, "large", "small")
PRESENTATION = {
    "d", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "cx", "cy", "rx", "ry", "x",
    "y", "font-size", "font-family",
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return GraphClassifier(alpha=0.01, charges=True, on_invalid="skip").fit(SMILES, KIND)


def test_patterns_are_drawn_as_structures(model):
    vocabulary = model._fitted.view.vocabulary
    for pattern in model.patterns_:
        graph = vocabulary.graph(pattern.payload)
        mol = molecule_of_pattern(graph)
        assert mol.GetNumAtoms() == len(graph.nodes)
        query = Chem.MolFromSmarts(pattern.smarts)
        assert mol.HasSubstructMatch(query) or "!" in pattern.smarts
        root = ET.fromstring(draw_pattern(graph, pattern.text).svg())
        assert root.get("aria-label") == pattern.text
        for part in root:
            assert part.tag.rpartition("}")[2] in ("path", "ellipse", "text")
            assert set(part.attrib) <= PRESENTATION


@pytest.mark.parametrize(
    "text", [*SMILES[:30], "", "C", "[Na+].[Cl-]", "c1ccccc1", "[2H]C([2H])[2H]", "*c1ccccc1"]
)
def test_every_molecule_can_be_drawn(text):
    mol = Chem.MolFromSmiles(text)
    before = mol.ToBinary()
    colors = dict.fromkeys(range(min(3, mol.GetNumAtoms())), (1.0, 0.5, 0.5))
    drawing = draw_molecule(mol, colors, text)
    assert mol.ToBinary() == before
    assert len(re.findall("<ellipse", drawing.svg())) == len(colors)
    assert "style" not in drawing.svg()
    assert drawing.payload()["label"] == text
    ET.fromstring(drawing.svg())


def test_aromatic_atoms_without_aromatic_bonds_have_small_letters():
    def letters(nodes, edges, labels):
        drawing = draw_pattern(LabelledGraph(nodes, edges, labels))
        return sorted(text for tag, _, text in drawing.parts if tag == "text")

    assert letters(["c", "C"], [(0, 1)], ["-"]) == ["c"]
    assert letters(["c", "n+1"], [(0, 1)], ["-"]) == ["+", "c", "n"]
    assert letters(["c", "c"], [(0, 1)], [":"]) == []
    assert letters(["c", "c", "N"], [(0, 1), (1, 2)], [":", "-"]) == ["N"]


def test_no_bond_covers_the_sign_of_a_charge():
    graph = LabelledGraph(["N-1", "N+1"], [(0, 1)], ["="])
    drawn = image.imread(io.BytesIO(pixels(molecule_of_pattern(graph), {}, (560, 420), is_pattern=True)))
    is_ink = (drawn[..., :3] < 0.9).any(axis=(0, 2))
    assert np.sum(np.diff(is_ink.astype(int)) == 1) == 5  # two atoms, their signs and the bond
    parts = draw_pattern(graph).parts
    [minus] = [float(own["x"]) for tag, own, text in parts if tag == "text" and text == "\u2212"]
    [bond] = [own["d"] for tag, own, _ in parts if tag == "path"]
    starts = [float(x) for x in re.findall(r"M([0-9.]+),", bond)]
    assert min(starts) > minus + 5  # the width of a minus of 8 pixels


def test_molecules_in_odd_states_can_be_drawn():
    kekulized = Chem.MolFromSmiles("c1ccccc1C")
    Chem.Kekulize(kekulized, clearAromaticFlags=True)
    unsanitized = Chem.MolFromSmiles("c1cccc1", sanitize=False)
    with_hydrogen = Chem.AddHs(Chem.MolFromSmiles("CO"))
    for mol in (kekulized, unsanitized, with_hydrogen):
        assert "<path" in draw_molecule(mol, {0: (1.0, 0.0, 0.0)}).svg()
    odd = LabelledGraph(["*", "C", "*"], [(0, 1), (1, 2)], ["~", "!-!=!#!:!$"])
    assert draw_pattern(odd, "<&>").svg().count("&lt;&amp;&gt;") == 1


def test_plots_draw_structures_for_molecules_and_circles_for_other_graphs(model, monkeypatch):
    assert model.plot_patterns(max_patterns=3).are_molecules
    shown = model.plot_matches("CC[N+](=O)[O-]")
    assert len(shown.node_effects) == 5
    plain = GraphRegressor(alpha=0.02).fit(GRAPHS, EDGE_SUM).plot_patterns(max_patterns=3)
    assert not plain.are_molecules
    assert plain.figure_.get_suptitle() != ""
    monkeypatch.setattr("thresher.plotting.graphs.can_draw", lambda: False)
    assert not model.plot_patterns(max_patterns=3).are_molecules


def test_atoms_are_coloured_by_the_patterns_of_one_class():
    labels = np.where(SIZE < 8, "small", np.where(SIZE < 12, "medium", "large"))
    model = GraphClassifier(alpha=0.02).fit(SMILES, labels)
    for k, label in enumerate(model.classes_):
        effects = model.plot_matches(SMILES[0], output=label).node_effects
        wanted = model.decision_function(SMILES[:1])[0, k] - model.intercept_[k]
        assert sum(effects) == pytest.approx(wanted)


# ------------------------------------------------------------------ the table of patterns


def test_rates_are_those_of_the_records(model):
    table = model.pattern_table([*SMILES, "C1CC"], [*KIND, "small"])
    n = len(SMILES)
    note = f"\nLeft out 1 of {n + 1} records, which rdkit does not read: record {n} ('C1CC').\n"
    assert note in str(table)
    assert html.escape(note.strip()) in table.to_html()
    assert "Left out" not in str(model.pattern_table(SMILES, KIND))
    occurs = model.transform(SMILES).toarray() > 0
    is_small = KIND == "small"
    columns = table.columns()
    assert list(columns) == ["pattern", "smarts", "coef", "n_rows", "n_rows_large", "n_rows_small", "rate",
                             "lower", "upper", "rate_without", "recall", "odds_ratio", "p_value"]  # fmt: skip
    place = {p.text: k for k, p in enumerate(model.patterns_)}
    for row, text in enumerate(columns["pattern"]):
        inside = occurs[:, place[text]]
        assert columns["n_rows"][row] == inside.sum() == model.patterns_[place[text]].n_rows
        assert columns["n_rows_small"][row] == (inside & is_small).sum()
        assert columns["rate"][row] == pytest.approx(is_small[inside].mean())
        assert columns["rate_without"][row] == pytest.approx(is_small[~inside].mean())
        wanted = stats.binomtest(int(is_small[inside].sum()), int(inside.sum())).proportion_ci(
            method="wilson"
        )
        assert (columns["lower"][row], columns["upper"][row]) == pytest.approx((wanted.low, wanted.high))
        assert columns["smarts"][row] == model.patterns_[place[text]].smarts
        assert columns["recall"][row] == pytest.approx(inside[is_small].mean())
        cells = [[(inside & is_small).sum(), (inside & ~is_small).sum()],
                 [(~inside & is_small).sum(), (~inside & ~is_small).sum()]]  # fmt: skip
        test = stats.fisher_exact(cells)
        assert columns["p_value"][row] == pytest.approx(test.pvalue)
        assert columns["odds_ratio"][row] == pytest.approx(test.statistic)
    importances = [row.pattern.importance for row in table.rows]
    assert importances == sorted(importances, reverse=True)
    assert list(table.to_frame().columns) == list(columns)
    assert "The rate of class 'small'" in str(table)
    assert "in all 120 records" in str(table)
    assert table.to_markdown().count("\n") > len(table)
    assert "tabular" in table.to_latex()


def test_a_table_of_records_with_weights_says_so():
    records, labels = [{"a"}, {"b"}, {"a", "b"}, set()] * 5, ["x", "y", "x", "y"] * 4 + ["y", "x", "y", "x"]
    weights = np.arange(20) % 3
    model = ItemsetClassifier(alpha=0.01, max_items=1).fit(records, labels)
    table = model.pattern_table(records, labels, weights)
    assert str(table).startswith("The weighted rate of class ")
    assert "support is the fraction of their weight" in str(table)
    fractions = np.average(model.transform(records).toarray(), axis=0, weights=weights)
    expected = {pattern.text: own for pattern, own in zip(model.patterns_, fractions, strict=True)}
    assert dict(zip(*map(table.columns().get, ("pattern", "support")), strict=True)) == pytest.approx(
        expected
    )
    equal = model.pattern_table(records, labels, [2.0] * 20)
    assert "support" not in equal.columns()
    assert "weight" not in str(equal)


def test_weights_of_whole_numbers_are_equal_records():
    records, labels = [{"a"}, {"b"}, {"a", "b"}, set()] * 5, ["x", "y", "x", "y"] * 4 + ["y", "x", "y", "x"]
    counts = np.arange(20) % 3
    repeated = [records[k] for k in np.repeat(np.arange(20), counts)]
    model = ItemsetClassifier(alpha=0.01, max_items=1).fit(records, labels)
    weighted = model.pattern_table(records, labels, sample_weight=counts).columns()
    equal = model.pattern_table(repeated, np.repeat(labels, counts)).columns()
    for name in ("pattern", "rate", "lower", "upper", "rate_without", "recall", "odds_ratio"):
        assert (
            weighted[name] == pytest.approx(equal[name])
            if name != "pattern"
            else weighted[name] == equal[name]
        )
    assert set(weighted["p_value"]) == {None}
    zeros = np.where(counts > 0, 1.0, 0.0)
    left = [k for k in range(20) if zeros[k]]
    kept = model.pattern_table([records[k] for k in left], [labels[k] for k in left]).columns()
    without = model.pattern_table(records, labels, zeros)
    for name in ("n_rows", "n_rows_x", "n_rows_y", "rate", "lower", "upper"):
        assert without.columns()[name] == pytest.approx(kept[name])
    assert f"in all {len(left)} records" in str(without)
    by_fit = ItemsetClassifier(alpha=0.01, max_items=1).fit(records, labels, zeros)
    shown = by_fit.pattern_table(records, labels, zeros).columns()
    assert {p.text: p.n_rows for p in by_fit.patterns_} == dict(
        zip(shown["pattern"], shown["n_rows"], strict=True)
    )
    sizes = np.arange(20.0)
    numbers = ItemsetRegressor(alpha=0.01).fit(records, sizes)
    means, plain = (numbers.pattern_table(records, sizes, w).columns() for w in (np.full(20, 3.0), None))
    for name in ("mean", "lower", "upper"):
        assert means[name] == pytest.approx(plain[name])
    means, plain = (numbers.pattern_table(*own).columns() for own in (
        (records, sizes, counts), (repeated, np.repeat(sizes, counts))
    ))  # fmt: skip
    for name in ("mean", "lower", "upper"):
        assert means[name] == pytest.approx(plain[name])
    nothing = model.pattern_table(records[:2], labels[:2], [0.0, 1.0]).columns()
    assert None in nothing["rate"]
    with pytest.raises(ValueError, match="sample_weight"):
        model.pattern_table(records, labels, [-1.0] * 20)


def test_odds_without_divisor_are_infinite_or_none():
    model = ItemsetClassifier(alpha=0.01, max_items=1).fit([{"a"}, set()] * 5, [1, 0] * 5)
    row = model.pattern_table([{"a"}, set()] * 5, [1, 0] * 5).columns()
    assert row["odds_ratio"] == [np.inf]
    assert row["recall"] == [1.0]
    row = model.pattern_table([{"a"}, {"a"}], [1, 1]).columns()
    assert row["odds_ratio"] == [None]
    assert row["p_value"] == [1.0]


def test_means_are_those_of_the_records():
    model = GraphRegressor(alpha=0.2).fit(SMILES, SIZE)
    columns = model.pattern_table(SMILES, SIZE).columns()
    occurs = model.transform(SMILES).toarray() > 0
    place = {p.text: k for k, p in enumerate(model.patterns_)}
    for row, text in enumerate(columns["pattern"]):
        values = SIZE[occurs[:, place[text]]]
        assert columns["mean"][row] == pytest.approx(values.mean())
        if values.size > 1:
            low, high = stats.t.interval(0.95, values.size - 1, values.mean(), stats.sem(values))
            if values.std() > 0:
                assert (columns["lower"][row], columns["upper"][row]) == pytest.approx((low, high))


def test_the_page_has_drawings_of_patterns_and_examples(model):
    table = model.pattern_table(SMILES, KIND)
    page = table.to_html("Alerts <1>")
    assert page.count("<svg") == 2 * len(table)
    assert "Alerts &lt;1&gt;" in page
    assert "<th>SMARTS</th>" in page
    assert "td:nth-child(3)::before{content:'SMARTS'}" in page
    assert "td:nth-child(9)::before{content:'example'}" in page
    ET.fromstring(table.rows[0].drawings[1])
    as_mols = model.pattern_table([Chem.MolFromSmiles(s) for s in SMILES], KIND)
    assert [r.present for r in as_mols.rows] == [r.present for r in table.rows]
    assert model.pattern_table(iter(SMILES), pd.Series(KIND)).columns() == table.columns()


def test_what_always_comes_with_a_pattern_is_grey():
    nitro = ["C[N+](=O)[O-]", "c1ccccc1[N+](=O)[O-]", "CC[N+](=O)[O-]"] * 4
    others = ["CCO", "c1ccccc1", "CCN", "CC(=O)O"] * 4
    records, labels = nitro + others, ["alert"] * 12 + ["none"] * 16
    model = GraphClassifier(alpha=0.01, charges=True, pos_label="alert").fit(records, labels)
    [pattern] = model.patterns_
    table = model.pattern_table(records, labels)
    [row] = table.rows
    assert "<th>drawing, grey: always with it</th>" in table.to_html()
    assert row.whole.n_rows == row.pattern.n_rows == 12
    drawn = ET.fromstring(row.drawings[0])
    assert drawn.get("aria-label").startswith(f"{pattern.text}, grey: ")
    grey = [each.text for each in drawn if each.tag.endswith("text") and each.get("fill") == "#9a9a9a"]
    letters = [each.text for each in drawn if each.tag.endswith("text")]
    assert "O" in grey
    assert letters.count("O") == 2 * grey.count("O")
    assert "N" not in grey
    alone = GraphClassifier(alpha=0.01, charges=True, closed=False).fit(records, labels)
    assert "grey" not in alone.pattern_table(records, labels).to_html()


def test_tables_of_other_records():
    plain = GraphRegressor(alpha=0.02).fit(GRAPHS, EDGE_SUM).pattern_table(GRAPHS, EDGE_SUM)
    assert "<svg" not in plain.to_html()
    assert "smarts" not in plain.columns()
    sequences = SequenceClassifier(alpha=0.01, max_length=2).fit(
        [["a", "b"], ["b"], ["c", "a"]] * 5, ["x", "y", "z"] * 5
    )
    several = sequences.pattern_table([["a", "b"], ["b"], ["c"]], ["x", "y", "z"])
    assert next(iter(several.columns())) == "output"
    assert "[x]" in str(several)
    targets = np.column_stack([[1.0, 2.0, 3.0] * 5, [0.0, 1.0, 0.0] * 5])
    items = ItemsetRegressor(alpha=0.01).fit([{"a"}, {"b"}, {"a", "b"}] * 5, targets)
    table = items.pattern_table([{"a"}, {"b"}], [[1.0, 2.0], [3.0, 4.0]])
    assert None in table.columns()["lower"]
    one = items.pattern_table([set()], [[1.0, 2.0]])
    assert set(one.columns()["n_rows"]) == {0}
    assert str(one)
    empty = ItemsetRegressor(alpha=100.0).fit([{"a"}, {"b"}] * 5, [1.0, 2.0] * 5)
    assert len(empty.pattern_table([{"a"}], [1.0])) == 0
    assert "pattern" in str(empty.pattern_table([{"a"}], [1.0]))


def test_what_a_table_refuses(model):
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.pattern_table(SMILES, KIND[:-1])
    with pytest.raises(ValueError, match="'huge'"):
        model.pattern_table(SMILES[:1], ["huge"])
    with pytest.raises(ValueError, match="all 2 records are invalid"):
        model.pattern_table(["C1CC", None], ["small", "large"])


def test_intervals_at_their_ends():
    assert rate_interval(0.0, 1)[0] == 0.0
    assert rate_interval(1.0, 5)[1] == 1.0
    assert mean_interval(np.array([1.0])) is None
    assert mean_interval(np.zeros(0)) is None


# ------------------------------------------------------------------ reports


def test_reports_draw_molecules(model, tmp_path):
    X = ["C1CC", *SMILES]
    model.report(tmp_path / "r.html", X, ["small", *KIND], rows=[1, 5])
    page = (tmp_path / "r.html").read_text()
    assert '"drawing":[{' in page
    assert page.count('"drawings":[{') == 2
    assert '"row":1,' in page
    assert "1 further row cannot be read as a molecule and is left out." in page
    with pytest.raises(ValueError, match="row 0 cannot be read"):
        model.report(tmp_path / "r.html", X, rows=[0])
    with pytest.raises(ValueError, match="the rows 0 to 120"):
        model.report(tmp_path / "r.html", X, rows=[121])
    with pytest.raises(ValueError, match="none of its 2 records"):
        model.report(tmp_path / "r.html", ["C1CC", None])
    first = page
    model.report(tmp_path / "r.html", [Chem.MolFromSmiles(s) for s in SMILES], KIND)
    assert "object at 0x" not in (tmp_path / "r.html").read_text()
    model.to_json(tmp_path / "m.json")
    load_model(tmp_path / "m.json").report(tmp_path / "r.html", X, ["small", *KIND], rows=[1, 5])
    assert '"drawing":[{' in (tmp_path / "r.html").read_text()
    assert len(first) < 600_000


def test_reports_without_rdkit(model, tmp_path, monkeypatch):
    graphs = model._graphs(SMILES).graphs
    monkeypatch.setitem(sys.modules, "rdkit", None)
    model.report(tmp_path / "r.html", graphs, KIND)
    assert '"drawing":[' not in (tmp_path / "r.html").read_text()
    assert "<svg" not in model.pattern_table(graphs, KIND).to_html()


def test_reports_of_graphs_as_text(tmp_path):
    text = write_gspan(GRAPHS)
    model = GraphRegressor(alpha=0.02).fit(text, EDGE_SUM)
    model.report(tmp_path / "r.html", text, EDGE_SUM)
    assert f"Shown on {len(GRAPHS)} rows" in (tmp_path / "r.html").read_text()
