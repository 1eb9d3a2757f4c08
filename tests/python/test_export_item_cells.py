"""Cells that exported code reads as absent items or missing numbers: every way to write 0, and NaN."""

import json
import shutil
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thresher

duckdb = pytest.importorskip("duckdb")
ITEMS = pd.DataFrame({"a": [1, 0] * 20, "b": [0, 0, 1, 1] * 10})
ABSENT = ["0", "0.00", "0.0", "-0.0", "", "false", "NaN"]
PRESENT = ["1", "1.00", "10", "true", "0.000001", "-1"]


@pytest.fixture(scope="module")
def model():
    return thresher.ItemsetRegressor(alpha=0.05, max_items=1).fit(ITEMS, [1.0, 0.0] * 20)


@pytest.mark.parametrize("dialect", ["ansi", "duckdb", "postgresql", "sqlite"])
def test_texts_of_flags_in_sql(model, dialect):
    rows = duckdb.connect()
    rows.execute("create table data (a varchar, b varchar)")
    rows.executemany("insert into data values (?, '0')", [[text] for text in ABSENT + PRESENT])
    code = model.to_sql("data", dialect="duckdb" if dialect == "sqlite" else dialect)
    expected = np.repeat(model.predict([set(), {"a"}]), [len(ABSENT), len(PRESENT)])
    np.testing.assert_allclose([row[-1] for row in rows.execute(code).fetchall()], expected, rtol=1e-12)


def test_decimals_in_sql(model):
    rows = duckdb.connect()
    rows.execute("create table data as select 0::decimal(5,2) a, 0 b union all select 1::decimal(5,2), 0")
    found = [row[-1] for row in rows.execute(model.to_sql("data", dialect="duckdb")).fetchall()]
    np.testing.assert_allclose(sorted(found), model.predict([set(), {"a"}]), rtol=1e-12)


def test_texts_of_flags_in_python(model):
    space = {}
    exec(model.to_python(), space)
    expected = np.repeat(model.predict([set(), {"a"}]), [len(ABSENT), len(PRESENT)])
    found = [space["score"]({"a": text, "b": "0"})["prediction"] for text in ABSENT + PRESENT]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="'a' holds 'yes'; give 1 or 0"):
        space["score"]({"a": "yes"})


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_texts_of_flags_in_javascript(model, tmp_path):
    calls = f"const rows = {json.dumps([{'a': text, 'b': '0'} for text in ABSENT + PRESENT])};"
    script = tmp_path / "score.mjs"
    script.write_text(
        model.to_javascript() + calls + "console.log(JSON.stringify(rows.map(r => score(r).prediction)))"
    )
    found = subprocess.run(["node", script], capture_output=True, text=True, check=True).stdout
    expected = np.repeat(model.predict([set(), {"a"}]), [len(ABSENT), len(PRESENT)])
    np.testing.assert_allclose(json.loads(found), expected, rtol=1e-12)


def test_nan_in_parquet_is_missing(tmp_path):
    rows = pl.DataFrame({"a": [1.0, float("nan"), 0.0], "b": [0.0, 0.0, 1.0]})
    rows.write_parquet(tmp_path / "rows.parquet")
    X = pd.DataFrame({"a": [1.0, 0.0, np.nan, 0.0] * 10, "b": [0.0, 0.0, 1.0, 1.0] * 10})
    model = thresher.RuleRegressor(alpha=0.05, max_features=1, linear=False).fit(X, [1.0, 0, 0, 0] * 10)
    code = model.to_sql("rows", dialect="duckdb").replace('"rows"', f"'{tmp_path}/rows.parquet'")
    found = [row[-1] for row in duckdb.sql(code).fetchall()]
    np.testing.assert_allclose(found, model.predict(rows), rtol=1e-12)


def test_onnx_of_sets_has_an_input_for_each_item():
    ort = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(0)
    flags = pd.DataFrame(rng.random((60, 4)) < 0.5, columns=["milk", "it's", "bread", "tea"])
    sets = [set(flags.columns[row]) for row in flags.to_numpy()]
    y = 2.0 * (flags["milk"] & ~flags["bread"]) + flags["tea"]
    model = thresher.ItemsetRegressor(alpha=0.01, max_items=2, negations=True).fit(sets, y)
    session = ort.InferenceSession(model.to_onnx().SerializeToString())
    names = [value.name for value in session.get_inputs()]
    assert {"milk", "bread", "tea"} <= set(names) <= set(flags.columns)
    found = session.run(None, {name: flags[[name]].to_numpy(float) for name in names})[0]
    np.testing.assert_array_equal(found.ravel(), model.predict(sets))
