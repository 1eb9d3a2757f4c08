"""Exports of a rule model, a hierarchy and a score card at work: each answers as predict does.

``THRESHER_ROWS=1000000`` scores more rows.
"""

import ctypes
import json
import operator
import os
import re
import sqlite3
import subprocess
from functools import cache

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest

import thresher as t

from .deployment import CODES, NUMBERS, loans, new_loans
from .exported import cut_points
from .test_scorecard import event_probability

N_ROWS = int(os.environ.get("THRESHER_ROWS", "20000"))
TYPES = {"home": "VARCHAR", "employed": "BOOLEAN"}
CHUNK = 100_000  # rows that a program in another language gets at a time
MODELS = {
    "rules": t.RuleClassifier(alpha=0.003, max_features=2, handle_unknown="missing"),
    "small": t.RuleClassifier(max_rules=6, max_features=2, bins=8, handle_unknown="missing"),
    "hierarchy": t.HierarchicalRuleClassifier(
        alpha=0.005, loss="logistic", tol=0.01, handle_unknown="missing", bins=6
    ),
    "card": t.L0AdditiveClassifier(
        lambda0=4.0, pos_label="bad", special_codes=CODES, handle_unknown="missing"
    ),
}
pytestmark = pytest.mark.slow


@cache
def training():
    X, z = loans(4000, 0)
    return X, np.where(np.random.default_rng(1).random(4000) < 1 / (1 + np.exp(-z)), "bad", "good")


@cache
def scored(name):
    """A model, new rows, which of them have a number on or beside a cut point, and what the model answers."""
    X, y = training()
    model = MODELS[name].fit(X, y)
    used = {X.columns[place] for place in model._used_columns()}
    cuts = {column: cut_points(model) if column in used else [] for column in NUMBERS}
    rows, is_on_cut = new_loans(N_ROWS, 2, cuts)
    answers = model._finite_decision(rows)[:, 0], event_probability(model, rows), model.predict(rows)
    return model, rows, is_on_cut, answers


def check(found, wanted, *, rtol=0.0):
    """Compare sums of terms, probabilities of the event, and predictions of all rows."""
    decision, probability, prediction = (np.asarray(each) for each in found)
    np.testing.assert_allclose(decision.astype(float), wanted[0], rtol=rtol, atol=rtol)
    np.testing.assert_allclose(probability.astype(float), wanted[1], rtol=1e-12, atol=1e-300)
    np.testing.assert_array_equal(prediction.astype(str), wanted[2].astype(str))


def records(rows):
    plain = rows.astype(object).where(rows.notna(), None)
    return plain.to_dict("records")


def select(connection, statement):
    """The rows of a statement in the order of their key, by column."""
    done = connection.execute(statement)
    header = [column[0] for column in done.description]
    return pd.DataFrame(done.fetchall(), columns=header).sort_values("id", ignore_index=True)


@cache
def database(kind, name):
    """The new rows as a table of a database."""
    rows = scored(name)[1]
    keyed = rows.rename_axis("id").reset_index()
    if kind == "sqlite":
        connection = sqlite3.connect(":memory:")
        keyed.to_sql("loans", connection, index=False)
        return connection
    connection = duckdb.connect(":memory:")
    connection.register("keyed", keyed)
    columns = ", ".join(f"{column} {TYPES.get(column, 'DOUBLE')}" for column in rows)
    connection.execute(f"CREATE TABLE loans (id INTEGER, {columns})")
    connection.execute("INSERT INTO loans SELECT * FROM keyed")
    return connection


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
@pytest.mark.parametrize("name", MODELS)
def test_sql(name, kind):
    model, _, _, wanted = scored(name)
    found = select(database(kind, name), model.to_sql("loans", dialect=kind, keep="id"))
    last = f"probability of {model.pos_label_}"
    check((found["decision"], found[last], found["prediction"]), wanted)


@pytest.mark.parametrize("name", MODELS)
def test_python(name):
    model, rows, _, wanted = scored(name)
    module = {}
    exec(model.to_python(), module)
    assert sorted(module["CLASSES"]) == model.classes_.tolist()
    assert module["CLASSES"][1] == model.pos_label_
    answers = [module["score"](row) for row in records(rows)]
    parts = [(one["decision"], one["probabilities"][1], one["prediction"]) for one in answers]
    check(zip(*parts, strict=True), wanted)


def onnx_answers(graph, rows):
    """The outputs of a graph by name."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    missing = {entry.key: entry.value for entry in graph.metadata_props}["missing text"]
    feeds = {}
    for value in session.get_inputs():
        cells = rows[value.name]
        if value.type == "tensor(string)":
            feeds[value.name] = cells.where(cells.notna(), missing).to_numpy(dtype=object)[:, None]
        else:
            feeds[value.name] = cells.astype(float).to_numpy()[:, None]
    names = [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(None, feeds), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_onnx(name):
    model, rows, _, wanted = scored(name)
    found = onnx_answers(model.to_onnx(), rows)
    probabilities, decision = found["probabilities"], found["decision"][:, 0]
    np.testing.assert_allclose(probabilities, model.predict_proba(rows), rtol=1e-12, atol=1e-300)
    sign = -1 if model.pos_label_ == model.classes_[0] else 1  # as decision_function
    check((sign * decision, probabilities[:, ::sign][:, 1], found["prediction"]), wanted)


def javascript_answers(script, rows, folder):
    """What the function of a script returns for each row."""
    (folder / "score.js").write_text(script, encoding="utf-8")
    main = (
        "const { score } = require('./score.js');"
        "const rows = JSON.parse(require('fs').readFileSync('rows.json'));"
        "console.log(JSON.stringify(rows.map(score)));"
    )
    answers = []
    for first in range(0, N_ROWS, CHUNK):
        chunk = records(rows.iloc[first : first + CHUNK])
        (folder / "rows.json").write_text(json.dumps(chunk), encoding="utf-8")
        done = subprocess.run(["node", "-e", main], cwd=folder, capture_output=True, text=True, check=True)
        answers += json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("name", MODELS)
def test_javascript(name, tmp_path):
    model, rows, _, wanted = scored(name)
    answers = javascript_answers(model.to_javascript(), rows, tmp_path)
    parts = [(np.ravel(a["decision"])[0], a["probabilities"][1], a["prediction"]) for a in answers]
    check(zip(*parts, strict=True), wanted)


def c_answers(script, rows, folder, n_probabilities):
    """Decisions, probabilities and codes; NumPy lays out an array of `struct score_row` as C does."""
    loop = f"""
    void score_rows(const struct score_row *rows, long n, double *decision, double *probability, int *code) {{
      for (long k = 0; k < n; k++)
        code[k] = score(rows + k, decision + k, probability + {n_probabilities} * k);
    }}"""
    (folder / "score.c").write_text(script + loop, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-ffp-contract=off", "-shared", "-fPIC"]
    library = folder / "score.so"
    subprocess.run(["gcc", *flags, str(folder / "score.c"), "-o", str(library), "-lm"], check=True)
    body = re.search(r"struct score_row \{(.*?)\};", script, re.DOTALL)[1]
    fields = re.findall(r'(double|const char \*)\s*(\w+); /\* "(\w+)"', body)
    packed = np.zeros(N_ROWS, dtype=[(own, "f8" if kind == "double" else "u8") for kind, own, _ in fields])
    texts = {text: ctypes.c_char_p(text.encode()) for text in set(rows["home"].dropna())}
    for kind, own, column in fields:
        if kind == "double":
            packed[own] = rows[column].astype(float)
        else:
            places = {text: ctypes.cast(each, ctypes.c_void_p).value for text, each in texts.items()}
            packed[own] = [places.get(cell, 0) for cell in rows[column]]
    decision, probability = np.empty(N_ROWS), np.empty((N_ROWS, n_probabilities))
    code = np.empty(N_ROWS, dtype=np.intc)
    address = [each.ctypes.data_as(ctypes.c_void_p) for each in (packed, decision, probability, code)]
    ctypes.CDLL(str(library)).score_rows(address[0], ctypes.c_long(N_ROWS), *address[1:])
    return decision, probability, code


@pytest.mark.parametrize("name", MODELS)
def test_c(name, tmp_path):
    model, rows, _, wanted = scored(name)
    decision, probability, code = c_answers(model.to_c(), rows, tmp_path, 2)
    check((decision, probability[:, 1], model._fitted.classes[code]), wanted)


# ---------------------------------------------------------------------- points


def numbers_of(text):
    return [float(each) for each in re.findall(r"-?\d[\d.]*", text)]


def names_of(text):
    """The categories of ``= own`` or ``in {own, 'with family, paying'}``."""
    listed = re.findall(r"""'[^']*'|"[^"]*"|[^,{}\s][^,{}]*""", text.removeprefix("in ").removeprefix("= "))
    return [each[1:-1] if each[0] in "'\"" else each.strip() for each in listed]


COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def holds(text, name, cells):
    """Of which cells a printed line holds, by its text alone."""
    text, _, apart = text.partition(", not ")
    values = cells.astype(float) if name in NUMBERS else cells.map(str, na_action="ignore")
    found = np.zeros(len(cells), dtype=bool)
    for part in text.removeprefix(f"{name} ").split(" or "):
        if part == "missing":
            found |= cells.isna().to_numpy()
        elif part.startswith(("= ", "in {")):
            found |= values.isin(numbers_of(part) if name in NUMBERS else names_of(part)).to_numpy()
        elif between := re.fullmatch(rf"(\S+) (<=?) {name} (<=?) (\S+)", part):
            low, below_low, below_high, high = between.groups()
            found |= (
                COMPARED[below_low](float(low), values) & COMPARED[below_high](values, float(high))
            ).to_numpy()
        elif limit := re.fullmatch(r"([<>]=?) (\S+)", part):
            found |= COMPARED[limit[1]](values, float(limit[2])).to_numpy()
        else:
            found |= values.isin(numbers_of(part)).to_numpy()  # a code beside missing values
    return found & ~values.isin(numbers_of(apart)).to_numpy() if apart else found


@pytest.mark.parametrize("whole", [True, False])
def test_printed_points_are_the_score(whole):
    model, rows, is_on_cut, _ = scored("card")
    card = model.scaled_card(whole=whole)
    scores = card.score(rows)
    plain = rows[~is_on_cut].reset_index(drop=True)  # printed ends are short: they separate training rows
    plain["home"] = plain["home"].where(plain["home"] != "a boat", None)
    printed = card.columns()
    total = np.full(len(plain), card.base_points)
    for name in {own.feature_name for own in card.bins}:
        times = np.zeros(len(plain), dtype=int)
        lines = zip(printed["feature"], printed["bin"], printed["points"], strict=True)
        for text, points in ((text, points) for feature, text, points in lines if feature == name):
            own = holds(text, name, plain[name])
            times += own
            total = total + points * own
        assert (times == 1).all(), f"a row is in {times.max()} printed bins of {name}"
    np.testing.assert_allclose(total, scores[~is_on_cut], atol=1e-9)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", ["python", "javascript", "c", "onnx", "sqlite", "duckdb"])
def test_exported_points_are_the_score(kind, whole, tmp_path):
    model, rows, _, _ = scored("card")
    card = model.scaled_card(whole=whole)
    if kind == "python":
        module = {}
        exec(card.to_python(), module)
        answers = [module["score"](row) for row in records(rows)]
    elif kind == "javascript":
        answers = javascript_answers(card.to_javascript(), rows, tmp_path)
    elif kind == "c":
        score, probability, code = c_answers(card.to_c(), rows, tmp_path, 1)
        assert not code.any()
        answers = [{"score": a, "probability": b} for a, b in zip(score, probability[:, 0], strict=True)]
    elif kind == "onnx":
        found = onnx_answers(card.to_onnx(), rows)
        assert {values.shape for values in found.values()} == {(N_ROWS, 1)}
        found = {name: values[:, 0] for name, values in found.items()}
        answers = pd.DataFrame(found).to_dict("records")
    else:
        found = select(database(kind, "card"), card.to_sql("loans", dialect=kind, keep="id"))
        answers = found.drop(columns="id").to_dict("records")
    assert {tuple(answer) for answer in answers} == {("score", "probability")}
    scores = card.score(rows)
    np.testing.assert_allclose([a["score"] for a in answers], scores, rtol=0 if whole else 1e-12)
    probabilities = [a["probability"] for a in answers]
    np.testing.assert_allclose(probabilities, card.probability(scores), rtol=1e-12)
