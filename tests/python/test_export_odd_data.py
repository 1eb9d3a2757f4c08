"""Every export of models whose names and categories mean something in the target's language."""

import warnings

import numpy as np
import openpyxl
import pandas as pd
import pytest

import thresher as t
from thresher.export.build import formula_of
from thresher.export.excel import write_excel

from . import test_export_pmml, test_export_sql
from .exported import agree, expected, records, run_c, run_javascript, run_onnx, run_python
from .spreadsheet import CellError, Sheets
from .test_export_excel import answer_of

NUMBERS = [
    "class",
    "int",
    "a-b",
    "a_b",
    "a b",
    "1st",
    "=1+1",
    "A1",
    "%s\\n${x}*/ //",
    "<&>]]>\"'`",
    "__proto__",
    "constructor",
    "score",
    "row",
    "NULL",
    "tab\there",
    "☃é" + "x" * 200,
]
TEXTS = ["kind", "toString", "def"]
LEVELS = [
    *(
        "=cmd()",
        "*",
        "?",
        "~",
        "a",
        "A",
        "a ",
        " a",
        "\\",
        "\\n",
        "%d",
        "null",
        "NaN",
        "TRUE",
        "1",
        "1.0",
        "é",
    ),
    *("e\u0301", "O'Neil", '"', "☃", "x" * 300, "__proto__", "two\nlines", "--", "${y}", "??/", "<b>&amp;"),
]
CODES = {"class": [-9.0, 7.0], "A1": [0.0], "=1+1": [1e300]}


def data(n_rows, seed, levels=LEVELS):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(-4, 5, n_rows) / 2 for name in NUMBERS})
    for name, codes in CODES.items():
        frame[name] = np.where(rng.random(n_rows) < 0.2, rng.choice(codes, n_rows), frame[name])
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    for name in TEXTS:
        cells = rng.choice(np.array(levels, dtype=object), n_rows)
        frame[name] = np.where(rng.random(n_rows) < 0.05, None, cells)
    return frame


def effect_of(value):
    return (sum(map(ord, str(value))) % 7) - 3.0


def target(frame, seed=0):
    rng = np.random.default_rng(seed)
    total = sum((frame[name].fillna(3) > 0).to_numpy(float) for name in NUMBERS)
    total += sum(np.array([effect_of(value) for value in frame[name]]) for name in TEXTS)
    return total + rng.normal(0, 0.2, len(frame))


MODELS = {
    "card": t.L0AdditiveRegressor(lambda0=0.3, special_codes=CODES, handle_unknown="missing"),
    "card of classes": t.L0AdditiveClassifier(lambda0=0.2, handle_unknown="error"),
    "rules": t.RuleRegressor(alpha=0.02, max_features=1, handle_unknown="missing"),
    "rules of classes": t.RuleClassifier(alpha=0.005, max_features=1, handle_unknown="error"),
    "one column": t.L0AdditiveRegressor(lambda0=0.3, handle_unknown="missing"),
    "no terms": t.L0AdditiveRegressor(lambda0=1e9),
    "no rules": t.RuleClassifier(alpha=1e3),
    "no rules of the first class": t.RuleClassifier(alpha=1e3, pos_label='"yes"; --'),
}


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    """A model, rows to score and what it answers."""
    X, rows = data(500, 0), data(60, 1, [*LEVELS, "never seen", "b"])
    X, rows = (X[["kind"]], rows[["kind"]]) if request.param == "one column" else (X, rows)
    y = target(data(500, 0))
    model = MODELS[request.param]
    if hasattr(model, "predict_proba"):
        y = np.array(["it's 'no'", '"yes"; --'])[(y > np.median(y)).astype(int)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
        return model, rows, expected(model, rows)


def test_python(case):
    model, rows, wanted = case
    agree(wanted, run_python(model.to_python(), records(rows)))


def test_javascript(case, tmp_path):
    model, rows, wanted = case
    agree(wanted, run_javascript(model.to_javascript(), records(rows), tmp_path))


def test_c(case, tmp_path):
    model, rows, wanted = case
    agree(wanted, run_c(model.to_c(), formula_of(model), records(rows), tmp_path))


def test_onnx(case):
    model, rows, wanted = case
    agree(wanted, run_onnx(model.to_onnx(), formula_of(model), rows))


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_sql(case, dialect, monkeypatch):
    model, rows, wanted = case
    monkeypatch.setattr(test_export_sql, "TYPES", dict.fromkeys(TEXTS, "VARCHAR"))
    agree(wanted, getattr(test_export_sql, f"run_{dialect}")(model, rows, dialect))


def test_pmml(case):
    model, rows, wanted = case
    test_export_pmml.agree(wanted, test_export_pmml.answers(model, records(rows)))


def test_workbook(case, tmp_path):
    model, rows, wanted = case
    formula = formula_of(model)
    write_excel(formula, tmp_path / "model.xlsx", records(rows)[:20])
    sheets = Sheets(openpyxl.load_workbook(tmp_path / "model.xlsx"))
    n_columns = len(formula.columns)
    head = [cell.value for cell in sheets.book["Table"][1]][n_columns:]
    for number, one in enumerate(wanted[:20], start=2):
        cells = sheets.book["Table"][number][n_columns:]
        try:
            values = [sheets.cell("Table", cell.coordinate) for cell in cells]
            found = answer_of(dict(zip(head, values, strict=True)), model) if values[0] != "" else "blank"
        except CellError:
            found = None
        if found != "blank":
            agree([one], [found], exact=False)
