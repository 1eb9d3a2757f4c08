"""Molecules: SMARTS against rdkit, charges, invalid SMILES, drawings, the table of patterns."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rdkit import Chem
from rdkit.Chem import Descriptors
from sklearn.base import clone
from sklearn.model_selection import KFold

from thresher import FormatError, GraphClassifier, GraphRegressor
from thresher.data import molecules as labels_of_molecules
from thresher.data import smarts

from .molecules import smiles

SMILES = smiles(300)
MOLS = [Chem.MolFromSmiles(s) for s in SMILES]
MASS = np.array([Descriptors.MolWt(m) for m in MOLS]) / 100
TRAIN, TEST = slice(0, 150), slice(150, None)


@pytest.mark.parametrize("charges", [False, True])
@pytest.mark.parametrize(
    "language", [{"max_edges": 6}, {"max_edges": 3, "wildcards": True}], ids=["labels", "wildcards"]
)
def test_smarts_match_the_molecules_of_the_pattern_alone(language, charges):
    model = GraphRegressor(alpha=0.0005, charges=charges, closed=False, **language).fit(
        SMILES[TRAIN], MASS[TRAIN]
    )
    assert len(model.patterns_) > 60
    assert set(model.get_patterns()["smarts"]) == {pattern.smarts for pattern in model.patterns_}
    occurs = model.transform(SMILES).toarray() > 0
    for k, pattern in enumerate(model.patterns_):
        query = Chem.MolFromSmarts(pattern.smarts)
        assert occurs[:, k].tolist() == [m.HasSubstructMatch(query) for m in MOLS], pattern.smarts
        for other in pattern.equivalents:
            asked = Chem.MolFromSmarts(other.smarts)
            found = [m.HasSubstructMatch(asked) for m in MOLS]
            assert [bool(places) for places in model.matches(SMILES, other, limit=1)] == found


@pytest.mark.parametrize("charges", [False, True])
def test_the_smarts_and_the_text_of_a_pattern_are_read_again(charges):
    model = GraphRegressor(alpha=0.003, charges=charges, max_edges=4).fit(SMILES, MASS)
    for pattern in model.patterns_:
        assert model.price(pattern.smarts).in_model
        assert model.price(pattern.text).in_model
        found, wanted = model.matches(MOLS[:20], pattern.smarts), model.matches(MOLS[:20], pattern)
        assert [sorted(map(sorted, f)) for f in found] == [sorted(map(sorted, w)) for w in wanted]


def test_every_element_has_smarts_of_its_own():
    table = Chem.GetPeriodicTable()
    for number, symbol in enumerate(labels_of_molecules.ELEMENTS, start=1):
        assert table.GetElementSymbol(number) == symbol
        atom = labels_of_molecules.atom_of(symbol)
        assert atom.number == number
        query = Chem.MolFromSmarts(smarts.atom_smarts(atom))
        for other in (number, 1 + number % 118):
            mol = Chem.RWMol()
            mol.AddAtom(Chem.Atom(other))
            mol.UpdatePropertyCache(strict=False)
            Chem.FastFindRings(mol)
            assert mol.HasSubstructMatch(query) == (other == number), symbol
        is_ambiguous = symbol.lower() in {"b", "c", "n", "o", "p", "s"}
        text = f"[{symbol}]~*" if is_ambiguous else f"[#{number}]~*"
        assert smarts.query_parts(text)[0] == [symbol, None]


def test_charges_are_part_of_the_labels_if_wanted():
    X = ["CN", "C[NH3+]", "CCN", "CC[NH3+]"] * 5
    y = [0.0, 1.0, 0.0, 1.0] * 5
    blind = GraphRegressor(alpha=0.01).fit(X, y)
    assert blind.patterns_ == []
    model = GraphRegressor(alpha=0.01, charges=True).fit(X, y)
    assert model.predict(X) == pytest.approx(y, abs=0.05)
    pattern = model.patterns_[0]
    assert (pattern.text, pattern.smarts) == ("N-C", "[N+0]-[C+0]")
    assert model.price("[N+]C").term.text in ("[N+]-C", "C-[N+]")
    assert model.price((["N+1", "C"], [(0, 1)], ["-"])).term.text in ("[N+]-C", "C-[N+]")
    assert model.matches(["CC", "CN"], (["*", "C"], [(0, 1)], ["-"])) != [[], []]
    assert model.price("[N+0]-C").term.smarts in ("[N+0]-[C+0]", "[C+0]-[N+0]")
    assert model.price(Chem.MolFromSmiles("C[NH3+]")).term.text in ("[N+]-C", "C-[N+]")
    for again in (pickle.loads(pickle.dumps(model)), GraphRegressor.from_json(model.to_json())):
        assert again.charges
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert [p.smarts for p in again.patterns_] == [p.smarts for p in model.patterns_]
    assert model.verify(X, y).complete


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("[N+]-C", "has a charge, which is not part of the labels of this model; fit with charges=True"),
        ("[CH3]-C", "has a condition that is not in labels"),
        ("[13C]-C", "has a condition that is not in labels"),
        ("[#6]-C", "or several labels"),
        ("[C,N]-C", "or several labels"),
        ("[$(C=O)]-C", "has a condition that is not in labels"),
        ("C!-C", "the bond !- has a condition that is not in labels"),
        ("C@C", "the bond @ has a condition that is not in labels"),
        ("[A]-C", "the atom A"),
        ("C/C=C/C", "asks for stereochemistry"),
        ("C[C@](N)O", "asks for stereochemistry"),
        ("C-C.C-C", "several parts"),
        ("C", "at least one bond"),
        ("", "at least one bond"),
        ("[U]-C", 'no atom with the label "U"'),
        ("not smarts", "does not read"),
    ],
)
def test_smarts_that_ask_for_more_are_refused(pattern, words):
    model = GraphRegressor(alpha=0.05).fit(SMILES[:60], MASS[:60])
    with pytest.raises(ValueError, match=words):
        model.price(pattern)


@pytest.mark.parametrize("pattern", ["C=C", "CC=CC", "cc", "c:c", "[#0]-c", "[H]C", "[Rh]$[Rh]", "[Na]C"])
def test_smarts_of_symbols_and_bonds_are_read(pattern):
    X = [*SMILES, "[Na]C", "[Rh]$[Rh]"]
    term = GraphRegressor(alpha=0.05).fit(X, np.arange(len(X)) % 2).price(pattern).term
    query = Chem.MolFromSmarts(term.smarts)
    assert term.n_rows == sum(Chem.MolFromSmiles(s).HasSubstructMatch(query) for s in X) > 0


def test_explicit_hydrogen_and_kekulized_molecules_are_what_they_are():
    hydrogens = [Chem.AddHs(Chem.MolFromSmiles(s)) for s in ["CCO", "CCN", "CO", "CN"]] * 5
    model = GraphRegressor(alpha=0.01).fit(hydrogens, [1.0, 0.0, 1.0, 0.0] * 5)
    assert {p.smarts for p in model.patterns_} <= {"[H]-O", "O-[H]", "O-C", "N-C", "[H]-N", "N-[H]"}
    for pattern in [*model.patterns_, *model.patterns_[0].equivalents]:
        query = Chem.MolFromSmarts(pattern.smarts)
        assert sum(m.HasSubstructMatch(query) for m in hydrogens) == pattern.n_rows == 10


def test_labels_of_no_molecule_have_no_smarts():
    for nodes, edge in [(["a", "b"], "-"), (["C", "x"], "-"), (["C", "O"], ""), (["C", "O"], "single")]:
        model = GraphRegressor(alpha=0.01).fit([(nodes, [(0, 1)], [edge]), (nodes, [])] * 4, [1.0, 0.0] * 4)
        assert model.patterns_[0].smarts is None
        assert model.price(model.patterns_[0].text).in_model


# ------------------------------------------------------------------ invalid molecules

BAD = ["C1CC", None, float("nan"), "c1cccc1", "C(C)(C)(C)(C)C", pd.NA, "nonsense"]


def spoilt(X, places):
    """Insert invalid records."""
    found = list(X)
    for k, place in enumerate(places):
        found.insert(place, BAD[k % len(BAD)])
    return found


PLACES = [0, 3, 10, 17, 40, 63]
SPOILT = spoilt(SMILES[:60], PLACES)
KEPT = [row for row in range(len(SPOILT)) if row not in PLACES]
KIND = np.where(MASS[:60] > np.median(MASS[:60]), "heavy", "light")


def widened(values, fill):
    found = np.full(len(SPOILT), fill, dtype=np.asarray(values).dtype)
    found[KEPT] = values
    return found


@pytest.mark.parametrize(
    "form", [list, np.asarray, pd.Series, pl.Series, lambda y: pd.DataFrame({"y": y, "z": y})]
)
def test_a_fit_skips_invalid_molecules(form):
    y = widened(MASS[:60], np.nan if form is np.asarray else 0.0)
    weights = widened(np.linspace(1, 2, 60), 0.0)
    model = GraphRegressor(alpha=0.01, on_invalid="skip")
    with pytest.warns(
        UserWarning, match=r"left out 6 of 66 .*record 0 \('C1CC'\), record 3 \(missing\).* and 1 more"
    ):
        model.fit(SPOILT, form(y), sample_weight=form(weights) if form in (list, np.asarray) else weights)
    assert model.invalid_rows_.tolist() == PLACES
    wanted = GraphRegressor(alpha=0.01).fit(
        SMILES[:60], pd.DataFrame(form(y)).to_numpy()[KEPT].squeeze(), sample_weight=np.linspace(1, 2, 60)
    )
    assert [(p.text, p.coef) for p in model.patterns_] == [(p.text, p.coef) for p in wanted.patterns_]
    got = model.predict(SPOILT)
    assert np.isnan(got[PLACES]).all()
    np.testing.assert_array_equal(got[KEPT], wanted.predict(SMILES[:60]))
    assert model.verify(SPOILT, form(y), weights).complete
    score = wanted.score(SMILES[:60], np.asarray(form(y))[KEPT], np.linspace(1, 2, 60))
    assert model.score(SPOILT, form(y), weights) == pytest.approx(score)
    holed = y.copy()
    holed[KEPT[10]] = np.nan
    with pytest.raises(ValueError, match=rf"^Input y contains NaN. \(first in row {KEPT[10]}; "):
        model.score(SPOILT, form(holed))


def test_the_positions_of_skipped_molecules_are_kept(tmp_path):
    y = widened(MASS[:60], 0.0)
    model = GraphRegressor(alpha=0.01, on_invalid="skip")
    with pytest.warns(UserWarning, match="left out 6"):
        model.fit(SPOILT, y, checkpoint=tmp_path)
    copies = [
        pickle.loads(pickle.dumps(model)),
        GraphRegressor.from_json(model.to_json()),
        clone(model).fit(SPOILT, y, checkpoint=tmp_path),
        model.path_.at(model.alpha_),
    ]
    for copy in copies:
        assert copy.invalid_rows_.tolist() == PLACES
        assert copy.invalid_rows_.dtype == model.invalid_rows_.dtype
    envelope = json.loads(model.to_json())
    for rows in (3, [-1], [True], [1 << 63], [2, 2], ["1"]):
        with pytest.raises(FormatError, match="'invalid_rows' must"):
            GraphRegressor.from_json(json.dumps({**envelope, "invalid_rows": rows}))
    assert "invalid_rows" not in GraphRegressor(alpha=0.1).fit(SMILES[:60], MASS[:60]).to_json()


@pytest.mark.parametrize(
    "labels", [KIND, (KIND == "heavy"), (KIND == "heavy").astype(int), [*KIND[:-20], *["odd"] * 20]]
)
def test_a_classifier_answers_nan(labels):
    y = widened(np.asarray(labels), labels[0])
    model = GraphClassifier(alpha=0.02, on_invalid="skip")
    with pytest.warns(UserWarning, match="left out 6"):
        model.fit(SPOILT, y)
    wanted = GraphClassifier(alpha=0.02).fit(SMILES[:60], labels)
    for method in ("predict", "predict_proba", "decision_function", "predict_log_proba"):
        got, clean = getattr(model, method)(SPOILT), getattr(wanted, method)(SMILES[:60])
        assert got.shape == (66, *clean.shape[1:])
        assert pd.isna(got[PLACES]).all()
        assert got[KEPT].tolist() == clean.tolist()
    assert model.predict(SMILES[:60]).dtype == wanted.predict(SMILES[:60]).dtype
    occurs = model.transform(SPOILT).toarray()
    assert np.isnan(occurs[PLACES]).all()
    np.testing.assert_array_equal(occurs[KEPT], wanted.transform(SMILES[:60]).toarray())
    assert np.isnan(model.set_output(transform="pandas").transform(SPOILT).to_numpy()[PLACES]).all()
    explained = model.explain(SPOILT)
    assert explained[0].contributions == ()
    assert "nan" in str(explained[0])
    assert model.counts(SPOILT).shape == (66, len(model.patterns_))
    assert model.matches(SPOILT, model.patterns_[0])[0] == []
    assert np.isnan(model.decision_function(["C1CC", None])).all()
    assert model.transform(["C1CC"]).shape == (1, len(model.patterns_))


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_blank_smiles_are_invalid(blank):
    with pytest.raises(ValueError, match=r"record 1 is .*an empty text"):
        GraphRegressor(alpha=0.05).fit(["CC", blank], [1.0, 2.0])
    model = GraphRegressor(alpha=0.01, on_invalid="skip").fit(SMILES[:60], MASS[:60])
    assert np.isnan(model.predict([blank, "CC"])).tolist() == [True, False]


def test_molecules_are_perceived_again():
    model = GraphRegressor(alpha=0.001).fit(["c1ccccc1", "C1CCCCC1", "C=CC=C"] * 5, [1.0, 0.0, 0.0] * 5)
    benzene = Chem.MolFromSmiles("c1ccccc1")
    kekulised, flagged = Chem.Mol(benzene), Chem.Mol(benzene)
    Chem.Kekulize(kekulised, clearAromaticFlags=True)
    Chem.Kekulize(flagged)
    raw = Chem.MolFromSmiles("C1=CC=CC=C1", sanitize=False)
    forms = [benzene, kekulised, flagged, raw, "C1=CC=CC=C1"]
    assert np.ptp(model.predict(forms)) == 0
    assert model.predict(forms)[0] > 0.9
    assert kekulised.GetBondWithIdx(0).GetBondType() != Chem.BondType.AROMATIC  # a copy was sanitised
    nitro = Chem.MolFromSmiles("CN(=O)=O", sanitize=False)
    charged = GraphRegressor(alpha=0.01, charges=True).fit(["C[N+](=O)[O-]", "CN"] * 5, [1.0, 0.0] * 5)
    assert np.ptp(charged.predict([nitro, "C[N+](=O)[O-]"])) == 0


def test_queries_and_impossible_molecules_are_invalid():
    query, broken = Chem.MolFromSmarts("[C,N]~O"), Chem.MolFromSmiles("C(C)(C)(C)(C)C", sanitize=False)
    model = GraphRegressor(alpha=0.01, on_invalid="skip").fit(SMILES[:60], MASS[:60])
    assert np.isnan(model.predict([query, "CC", broken])).tolist() == [True, False, True]
    for bad, words in ((query, "a query"), (broken, "cannot sanitise")):
        with pytest.raises(ValueError, match=f"record 1 is .*{words}"):
            GraphRegressor(alpha=0.05).fit(["CC", bad], [1.0, 2.0])
    with pytest.raises(ValueError, match="pattern: got a query"):
        model.price(Chem.MolFromSmarts("CO"))


def test_any_bond_is_no_bond_of_smiles():
    with pytest.raises(
        ValueError, match=r"record 1 is 'C~C', whose ~ is any bond of SMARTS, the language of pat"
    ):
        GraphRegressor(alpha=0.05).fit(["CC", "C~C"], [1.0, 2.0])
    model = GraphRegressor(alpha=0.01, on_invalid="skip").fit(SMILES[:60], MASS[:60])
    assert np.isnan(model.predict(["CC", "C~O", "CO the name~of it"])).tolist() == [False, True, False]


def test_folds_of_all_records_are_those_of_the_kept():
    rows = np.arange(66)
    folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    masks = [(rows % 3 != k, rows % 3 == k) for k in range(3)]
    place = {row: k for k, row in enumerate(KEPT)}
    own = [tuple([place[r] for r in part if r in place] for part in fold) for fold in folds]
    y = widened(MASS[:60], 0.0)
    wanted = GraphRegressor(cv=own, n_alphas=8).fit(SMILES[:60], MASS[:60])
    for cv in (folds, masks, iter(folds)):
        model = GraphRegressor(cv=cv, n_alphas=8, on_invalid="skip")
        with pytest.warns(UserWarning, match="left out"):
            model.fit(SPOILT, y)
        assert model.alpha_ == wanted.alpha_
        assert model.cv is cv
    with pytest.warns(UserWarning, match="left out"):
        GraphRegressor(cv=KFold(3), n_alphas=8, on_invalid="skip").fit(SPOILT, y)


def test_invalid_molecules_are_errors_by_default():
    model = GraphRegressor(alpha=0.05, on_invalid="skip").fit(SMILES[:60], MASS[:60])
    assert model.invalid_rows_.size == 0
    before = model.to_json()
    for bad, words in [("C1CC", "record 1 is 'C1CC', which rdkit does not read"), (None, "record 1 is None")]:
        with pytest.raises(ValueError, match=words):
            GraphRegressor(alpha=0.05).fit(["CC", bad], [1.0, 2.0])
    with pytest.raises(ValueError, match="all 3 records are invalid"):
        model.fit(BAD[:3], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="X has 66 records, y has 60"):
        model.fit(SPOILT, MASS[:60])
    with pytest.raises(ValueError, match="first in row 3;"):
        model.fit([None, "C", "CC", "CO"], [1.0, 2.0, 3.0, np.nan])
    with pytest.raises(TypeError, match="record 1 is 'int'"):
        model.fit(["CC", 3], [1.0, 2.0])
    with pytest.raises(ValueError, match="on_invalid"):
        GraphRegressor(on_invalid="ignore").fit(SMILES[:60], MASS[:60])
    assert model.to_json() == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(SPOILT)


def test_counts_are_those_of_the_occurrences():
    model = GraphRegressor(alpha=0.02).fit(SMILES[:60], MASS[:60])
    found = model.counts(SMILES[:60])
    assert ((found > 0) == (model.transform(SMILES[:60]).toarray() > 0)).all()
    for k, pattern in enumerate(model.patterns_):
        query = Chem.MolFromSmarts(pattern.smarts)
        if pattern.size == 1:
            wanted = [len(m.GetSubstructMatches(query)) for m in MOLS[:60]]
            assert found[:, k].tolist() == wanted
    assert model.counts(SMILES[:60], limit=1).max() == 1
    empty = GraphRegressor(alpha=100.0).fit(SMILES[:60], MASS[:60])
    assert empty.counts(SMILES[:3]).shape == (3, 0)
    assert json.loads(empty.to_json())["params"]["charges"] is False


@pytest.mark.parametrize("charges", [False, True])
def test_a_pattern_of_the_model_in_another_order_is_in_the_model(charges):
    X, y = ["CO", "CC", "CBr", "CN"] * 6, ["t", "s", "s", "s"] * 6
    model = GraphClassifier(alpha=0.01, max_edges=2, charges=charges).fit(X, y)
    own = model.patterns_[0]
    graph = (["O", "C"], [(0, 1)], ["-"])  # an atom without a charge is neutral
    for given in ("CO", "OC", "C-O", graph, own.text, own.smarts, own, Chem.MolFromSmiles("CO")):
        assert str(model.price(given)).startswith(f"'{own.text}' is in the model")


def test_a_graph_in_another_order_is_in_the_model():
    X = [(["b", "a", "c"], [(0, 1), (1, 2)], ["x", "y"]), (["a", "a"], [(0, 1)], ["x"])] * 9
    model = GraphRegressor(alpha=0.01, wildcards=True).fit(X, [1.0, 0.0] * 9)
    for own in model.patterns_:
        graph = model._fitted.view.vocabulary.graph(own.payload)
        n = len(graph.nodes)
        turned = graph.nodes[::-1], [(n - 1 - v, n - 1 - u) for u, v in graph.edges], graph.labels
        assert str(model.price(turned)).startswith(f"'{own.text}' is in the model")
