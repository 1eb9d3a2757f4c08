"""Score cards in points as files and as code."""

import contextlib
import itertools
import json
import sqlite3
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import pytest

from contract.mutants import Mutator
from thresher import FormatError, ScaledCard, load_model

from .exported import case, cut_points, fitted, records, rows_for
from .spreadsheet import Sheets
from .test_export_sql import ROW, create
from .test_files import faults
from .test_scorecard import fitted as loan_model
from .test_scorecard import new_rows

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "cards").glob("*.json"))

CARDS = [
    {},
    {"base": "lowest", "high_score": "high_risk"},
    {"base": "spread", "pdo": 50.0},
    {"whole": False, "base_score": 0.5},
]


def scores_or_none(card, rows):
    """The score of each row, None where the card refuses it; only the columns in use are given."""
    rows = rows.iloc[:, sorted(card.model._used_columns())]
    unseen = rows.isin(["never seen", 99]).any(axis=1).to_numpy()
    found = np.full(len(rows), None)
    found[~unseen] = card.score(rows[~unseen]).tolist()
    for k in np.flatnonzero(unseen):
        with contextlib.suppress(ValueError):
            found[k] = card.score(rows.iloc[[k]])[0]
    return found.tolist()


@cache
def card_of(kind, place):
    """A card of a model with awkward names and categories, and rows with unseen levels and missing values."""
    model = fitted(kind)
    card = model.scaled_card(**CARDS[place])
    rows = rows_for(model, 250, seed=7)
    assert cut_points(model)
    return card, rows, scores_or_none(card, rows)


# handle_unknown="error" refuses unseen levels, "missing" takes them for missing values
KINDS = ["card-logistic", "card-two-missing"]


@pytest.fixture(autouse=True)
def _more_kinds(monkeypatch):
    import thresher as t

    from . import exported

    more = (t.L0AdditiveClassifier, {**exported._CARD, "handle_unknown": "missing"}, {"n_classes": 2})
    monkeypatch.setitem(exported.KINDS, "card-two-missing", more)


@pytest.mark.parametrize("place", range(len(CARDS)))
@pytest.mark.parametrize("kind", KINDS)
def test_python_is_the_score(kind, place):
    card, rows, wanted = card_of(kind, place)
    module = {}
    exec(card.to_python(), module)
    found = []
    for row in records(rows):
        try:
            answer = module["score"](row)
            assert answer["probability"] == pytest.approx(float(card.probability(answer["score"])), rel=1e-12)
            found.append(answer["score"])
        except ValueError:
            found.append(None)
    assert found == wanted
    assert (None in found) == (kind == "card-logistic")


@pytest.mark.parametrize("dialect", ["ansi", "sqlite"])
@pytest.mark.parametrize("place", range(len(CARDS)))
@pytest.mark.parametrize("kind", KINDS)
def test_sqlite_is_the_score(kind, place, dialect):
    card, rows, wanted = card_of(kind, place)
    with sqlite3.connect(":memory:") as connection:
        create(lambda text, given: connection.execute(text, given or []), rows)
        done = connection.execute(card.to_sql("a table", dialect=dialect, keep=ROW))
        assert [column[0] for column in done.description] == [ROW, "score", "probability"]
        check(card, done.fetchall(), wanted, is_exact=card.whole or dialect == "sqlite")


@pytest.mark.parametrize("place", range(len(CARDS)))
@pytest.mark.parametrize("kind", KINDS)
def test_duckdb_is_the_score(kind, place):
    card, rows, wanted = card_of(kind, place)
    with duckdb.connect(":memory:") as connection:
        create(lambda text, given: connection.execute(text, given or []), rows)
        done = connection.execute(card.to_sql("a table", dialect="duckdb", keep=[ROW]))
        check(card, done.fetchall(), wanted, is_exact=True)


def check(card, rows, wanted, *, is_exact):
    assert len(rows) == len(wanted)
    for row, score, risk in rows:
        if wanted[row] is None:
            assert score is None
            assert risk is None
            continue
        assert score == (wanted[row] if is_exact else pytest.approx(wanted[row], rel=1e-12))
        assert risk == pytest.approx(float(card.probability(wanted[row])), rel=1e-9)


@pytest.mark.parametrize("place", range(2))
def test_the_workbook_is_the_score(place, tmp_path):
    card, rows, _ = card_of("card-logistic", place)
    rows = rows[rows["colour"].ne("")].head(40)  # an empty cell is a missing value, not a text
    rows = rows.where(~rows.isin(["never seen", 99]), None)
    card.to_excel(tmp_path / "card.xlsx", rows)
    sheets = Sheets(openpyxl.load_workbook(tmp_path / "card.xlsx"))
    head = [cell.value for cell in sheets.book["Table"][1]]
    column, risk = head.index("score"), head.index("probability")
    compared = 0
    for number, score in enumerate(scores_or_none(card, rows), start=2):
        value = sheets.cell("Table", sheets.book["Table"][number][column].coordinate)
        if value != "":
            compared += 1
            assert value == score
            value = sheets.cell("Table", sheets.book["Table"][number][risk].coordinate)
            assert value == pytest.approx(float(card.probability(score)), rel=1e-12)
    assert compared > 30


@pytest.mark.parametrize("params", CARDS, ids=str)
def test_files_restore_the_card(params, tmp_path):
    model, _, _ = loan_model()
    card, rows = model.scaled_card(**params), new_rows()
    text = card.to_json(tmp_path / "card.json")
    sources = (text, tmp_path / "card.json", str(tmp_path / "card.json"))
    for source, read in itertools.product(sources, (ScaledCard.from_json, load_model)):
        again = read(source)
        assert type(again) is ScaledCard
        assert again.to_json() == text
        assert again.score(rows).tolist() == card.score(rows).tolist()
        assert again.score(rows).dtype == card.score(rows).dtype
        assert str(again) == str(card)
        assert again.to_python() == card.to_python()
        assert repr(again.reasons(rows).columns()) == repr(card.reasons(rows).columns())
    assert json.loads(text)["points"][0]["feature"] == card.bins[0].feature_name


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_cards_of_earlier_versions_score_the_same(path):
    """Files that a release wrote are read for ever, with the same points."""
    content = json.loads(path.read_text(encoding="utf-8"))
    card = load_model(json.dumps(content["card"]))
    rows = pd.DataFrame(**content["rows"]).astype(dict.fromkeys(["weight", "length in cm", "ω"], float))
    assert [float(score).hex() for score in card.score(rows)] == content["scores"]
    assert len(set(content["scores"])) > 5
    assert not faults(content["card"], "scaled_card-1.json")


@pytest.mark.parametrize("params", CARDS, ids=str)
def test_the_published_schema_describes_cards(params):
    content = json.loads(loan_model()[0].scaled_card(**params).to_json())
    assert not faults(content, "scaled_card-1.json")
    assert not faults(json.loads(content["model"]), "estimator-1.json")
    content["points"][0]["points"] = "12"
    assert faults(content, "scaled_card-1.json")


def edited(change):
    content = json.loads(loan_model()[0].scaled_card().to_json())
    change(content)
    return json.dumps(content)


def _scaling(**values):
    return lambda content: content["scaling"].update(values)


def _points(value):
    return lambda content: content["points"][0]["points"].__setitem__(0, value)


EDITS = {
    "format": lambda c: c.update(format="thresher.estimator"),
    "no format": lambda c: c.pop("format"),
    "version": lambda c: c.update(version=2),
    "more": lambda c: c.update(more=1),
    "less": lambda c: c.pop("whole"),
    "library": lambda c: c.update(library=1),
    "whole": lambda c: c.update(whole=1),
    "not whole": lambda c: c.update(whole=False),
    "pdo": _scaling(pdo=0),
    "another pdo": _scaling(pdo=21.0),
    "pdo as text": _scaling(pdo="20"),
    "pdo as a list": _scaling(pdo=[20]),
    "another base score": _scaling(base_score=601.0),
    "another direction": _scaling(high_score="high_risk"),
    "no direction": lambda c: c["scaling"].pop("high_score"),
    "scaling": lambda c: c.update(scaling=[20, 600, 50]),
    "base": lambda c: c.update(base_points=c["base_points"] + 1),
    "base half": lambda c: c.update(base_points=c["base_points"] + 0.5),
    "base text": lambda c: c.update(base_points="500"),
    "base true": lambda c: c.update(base_points=True),
    "a point more": lambda c: c["points"][0]["points"].__setitem__(0, c["points"][0]["points"][0] + 1),
    "half a point": _points(0.5),
    "null points": _points(None),
    "points near the largest number": lambda c: c.update(whole=False, base_points=1e308),
    "pdo near the largest number": _scaling(pdo=1.7e308),
    "huge points": _points(10**400),
    "points as text": lambda c: c["points"][0].update(points="12"),
    "too few points": lambda c: c["points"][0]["points"].pop(),
    "another column": lambda c: c["points"][0].update(feature="one"),
    "columns in another order": lambda c: c["points"].reverse(),
    "a column less": lambda c: c["points"].pop(),
    "points as a number": lambda c: c.update(points=3),
    "points as numbers": lambda c: c.update(points=[1] * len(c["points"])),
    "max_error": lambda c: c.update(max_error=0.0),
    "max_error null": lambda c: c.update(max_error=None),
    "model": lambda c: c.update(model=json.loads(c["model"])),
    "model as a path": lambda c: c.update(model=__file__),
    "a card as the model": lambda c: c.update(model=json.dumps(c)),
    "model null": lambda c: c.update(model=None),
    "model truncated": lambda c: c.update(model=c["model"][:-5]),
    "a model of another class": lambda c: c.update(model=case("card")[0].to_json()),
    "a model of three classes": lambda c: c.update(model=case("card-exponential")[0].to_json()),
    "another model": lambda c: c.update(model=loan_model(400, 3)[0].to_json()),
}


@pytest.mark.parametrize("name", EDITS)
def test_edited_files_are_refused(name):
    text = edited(EDITS[name])
    with pytest.raises(FormatError, match="not a valid thresher model"):
        ScaledCard.from_json(text)


def test_files_with_another_byte_are_refused_or_whole():
    text = edited(lambda content: None)
    head = text[: text.index('"model"')]
    r, n_read = np.random.default_rng(1), 0
    for _ in range(400):
        place = int(r.integers(len(head)))
        changed = text[:place] + str(r.choice(list('0123456789-.eE"[]{},: tn'))) + text[place + 1 :]
        try:
            card = ScaledCard.from_json(changed)
        except FormatError:
            continue
        n_read += 1
        assert ScaledCard.from_json(card.to_json()).points == card.points
        exact = card.model.scaled_card(whole=False, **card.scaling.__dict__).score(new_rows(20))
        assert np.abs(card.score(new_rows(20)) - exact).max() <= card.max_error + 1e-5
    assert n_read < 100


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_damage_of_every_kind(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    mutator, rows, n_refused = Mutator(content["card"]), pd.DataFrame(**content["rows"]), 0
    rows = rows.astype(dict.fromkeys(["weight", "length in cm", "ω"], float))
    for seed in range(400):
        try:
            card = load_model(mutator.mutant(seed).decode())
        except (FormatError, UnicodeDecodeError, OSError):  # what does not begin like JSON is a file's name
            n_refused += 1
            continue
        assert load_model(card.to_json()).to_json() == card.to_json()
        str((card, card.reasons(rows), card.monitor(rows, rows)))
        card.to_python()
    assert 200 < n_refused < 400


def test_damaged_files_are_refused(tmp_path):
    text = edited(lambda content: None)
    assert ScaledCard.from_json(text)
    r = np.random.default_rng(0)
    for _ in range(60):
        end = int(r.integers(1, len(text)))
        with pytest.raises(FormatError):
            ScaledCard.from_json(text[:end])
    for bad in ("[]", "{}", "null", '{"format": NaN}', loan_model()[0].to_json()):
        with pytest.raises(FormatError):
            ScaledCard.from_json(bad)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{")
    with pytest.raises(FormatError):
        ScaledCard.from_json(tmp_path / "bytes")
    with pytest.raises(FileNotFoundError):
        ScaledCard.from_json(tmp_path / "none.json")
