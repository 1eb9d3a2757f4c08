"""Cut points by column."""

import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from thresher import (
    HierarchicalRuleRegressor,
    L0AdditiveRegressor,
    RuleRegressor,
    load_model,
)
from thresher.cli import main
from thresher.export.build import formula_of

from .exported import records, run_c, run_javascript, run_python

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"age": RNG.uniform(0, 80, 300), "income": RNG.normal(size=300), "home": ["own", "rent"] * 150}
)
Y = np.where(X["age"] > 40, 2.0, 0.0) + X["income"] + (X["home"] == "own")
MODELS = [
    RuleRegressor(alpha=0.05, max_features=1),
    HierarchicalRuleRegressor(alpha=0.05),
    L0AdditiveRegressor(lambda0=2.0),
]


def cuts_of(model):
    return {f["name"]: f.get("cuts") for f in model._fitted.document["features"]}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_dict_is_as_a_list_of_all_columns(model):
    by_name = model.set_params(bins={"age": [18, 40, 65]}).fit(X, Y)
    found, answers = cuts_of(by_name), by_name.predict(X)
    assert found["age"] == [18, 40, 65]
    assert len(found["income"]) >= 11
    by_list = model.set_params(bins=[[18, 40, 65], None, None]).fit(X, Y)
    assert cuts_of(by_list) == found
    np.testing.assert_array_equal(by_list.predict(X), answers)
    by_place = model.set_params(bins={0: np.array([18, 40, 65]), "income": None}).fit(X, Y)
    assert cuts_of(by_place) == found
    again = load_model_text(by_place)
    assert again.bins["income"] is None
    np.testing.assert_array_equal(again.predict(X), answers)


def load_model_text(model):
    return type(model).from_json(model.to_json())


def test_batches_and_files(tmp_path):
    model = RuleRegressor(alpha=0.05, max_features=1, bins={"age": [18, 40], "income": [0.0]}).fit(X, Y)
    frame = pl.from_pandas(X.assign(y=Y))
    batched = RuleRegressor(alpha=0.05, max_features=1, bins={"age": [18, 40], "income": [0.0]})
    batched.fit([frame[:100], frame[100:]], "y")
    np.testing.assert_allclose(batched.predict(X), model.predict(X))
    model.to_json(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").bins == model.bins


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("bins", "error", "words"),
    [
        ({}, ValueError, "bins: got an empty dict; give"),
        ({"none": [1.0]}, ValueError, "bins: there is no column 'none'; the columns are 'age'"),
        ({7: [1.0]}, ValueError, "bins: there is no column 7; X has 3 columns"),
        ({"age": [1.0], 0: [2.0]}, ValueError, "bins: column 'age' is given twice"),
        ({"age": 8}, TypeError, "bins: got 8 for column 'age'; a dict has cut points"),
        ({"age": "auto"}, TypeError, "bins: got 'auto' for column 'age'; a dict has cut points"),
        ({"age": [40, 18]}, ValueError, "bins: the cuts of column 'age' must be sorted"),
        ({"age": [np.nan]}, ValueError, "bins: the cuts of column 'age' must be finite"),
        ({"home": [1.0]}, ValueError, "got cuts for 'home', which is categorical"),
    ],
)
def test_wrong_dicts_are_named(model, bins, error, words):
    with pytest.raises(error, match=words):
        model.set_params(bins=bins).fit(X, Y)


TENTHS = RNG.integers(0, 10, 300) / 10
STEP = np.where(TENTHS > 0.3, 2.0, 0.0) + np.where(TENTHS > 0.7, 1.0, 0.0) + RNG.normal(0, 0.1, 300)
ROUNDED = {
    "float32": lambda x: pd.DataFrame({"x": x.astype("float32")}),
    "as float64": lambda x: pd.DataFrame({"x": x.astype("float32").astype(float)}),
    "float16": lambda x: pd.DataFrame({"x": x.astype("float16")}),
    "Float32": lambda x: pd.DataFrame({"x": pd.array(x, dtype="Float32")}),
    "arrow": lambda x: pa.table({"x": pa.array(x, pa.float32())}),
    "polars": lambda x: pl.DataFrame({"x": pl.Series(x, dtype=pl.Float32)}),
    "batches": lambda x: [pl.DataFrame({"x": pl.Series(part, dtype=pl.Float32)}) for part in np.split(x, 3)],
}


FITTED_FROM = [
    pytest.param(model, kind, id=f"{type(model).__name__}-{kind}")
    for model in MODELS
    for kind in ROUNDED
    if kind != "batches" or not isinstance(model, HierarchicalRuleRegressor)  # which reads no batches
]


@pytest.mark.parametrize(("model", "kind"), FITTED_FROM)
def test_a_rounded_number_is_not_above_the_cut_point_that_is_written_like_it(model, kind):
    """0.3 in 32 bits is 0.30000001192092896, and 0.7 is 0.699999988079071."""
    rows, plain = ROUNDED[kind](TENTHS), pd.DataFrame({"x": TENTHS})
    model = clone(model).set_params(bins={"x": [0.3, 0.5, 0.7]})
    if isinstance(model, RuleRegressor):
        model.set_params(linear=False)  # its values are the rounded ones
    model.fit(rows, STEP)
    moved = [0.3001, 0.5, 0.7003] if kind == "float16" else [0.30000002, 0.5, 0.7]
    assert cuts_of(model)["x"] == moved
    assert model.bins == {"x": [0.3, 0.5, 0.7]}
    wanted = model.predict(plain)
    assert len(np.unique(wanted[(TENTHS > 0.2) & (TENTHS < 0.5)])) == 2
    np.testing.assert_array_equal(model.predict(rows), wanted)
    model.verify(rows, STEP)
    again = clone(model).set_params(bins={"x": moved}).fit(rows, STEP)
    assert cuts_of(again)["x"] == moved


def test_exports_have_the_moved_cut_point(tmp_path):
    model = L0AdditiveRegressor(lambda0=2.0, bins={"x": [0.3]}).fit(ROUNDED["float32"](TENTHS), STEP)
    frame = pd.DataFrame({"x": [0.3, float(np.float32(0.3)), 0.4]})
    wanted = model.predict(frame)
    assert wanted[0] == wanted[1] < wanted[2]
    found = [run_python(model.to_python(), records(frame))]
    found.append(run_javascript(model.to_javascript(), records(frame), tmp_path))
    found.append(run_c(model.to_c(), formula_of(model), records(frame), tmp_path))
    for answers in found:
        np.testing.assert_allclose([row["prediction"] for row in answers], wanted)
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("data", connection)
        rows = connection.execute(model.to_sql(dialect="sqlite", keep="index")).fetchall()
    np.testing.assert_allclose([row[1] for row in sorted(rows)], wanted)


def test_cut_points_of_other_columns_stay_as_they_are():
    """Whole numbers are those of 32 bits too, and a column of 64 bits may hold both numbers."""
    frame = pd.DataFrame({"age": RNG.integers(0, 9, 300), "both": np.where(TENTHS < 0.5, 0.3, 0.7)})
    model = RuleRegressor(alpha=0.05, bins={"age": [4.3, 6.1], "both": [0.3]}).fit(frame, STEP)
    assert cuts_of(model) == {"age": [4.3, 6.1], "both": [0.3]}


def test_the_command_line(tmp_path, capsys):
    rows, out = tmp_path / "rows.csv", tmp_path / "model.json"
    X.assign(y=Y).to_csv(rows, index=False)
    fit = ["fit", str(rows), "--target", "y", "--alpha", "0.05", "--max-features", "1", "-o", str(out)]
    assert main([*fit, "--bins", "age=18,40", "--bins", "income=0"]) == 0
    assert cuts_of(load_model(out)) == {"age": [18, 40], "income": [0], "home": None}
    assert main([*fit, "--bins", "8"]) == 0
    assert len(cuts_of(load_model(out))["age"]) == 7
    capsys.readouterr()
    for text in ("age=", "age=a", "=3"):
        with pytest.raises(SystemExit):
            main([*fit, "--bins", text])
        assert f"got '{text}'; give" in capsys.readouterr().err


@pytest.mark.parametrize("disk", [[], ["--from-disk"]], ids=["memory", "disk"])
def test_the_command_line_reads_columns_of_32_bits(tmp_path, disk):
    rows, out = tmp_path / "rows.parquet", tmp_path / "model.json"
    ROUNDED["float32"](TENTHS).assign(y=STEP).to_parquet(rows)
    fit = ["fit", str(rows), "--target", "y", "--model", "additive", "--lambda0", "2", "-o", str(out)]
    assert main([*fit, "--bins", "x=0.3", *disk]) == 0
    model = load_model(out)
    assert cuts_of(model) == {"x": [0.30000002]}
    assert main(["verify", str(out), str(rows), *disk]) == 0
