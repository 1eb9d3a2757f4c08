"""Tables of every kind become the same columns."""

import importlib.util

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from thresher import RuleClassifier, RuleRegressor
from thresher.data.columns import to_categorical
from thresher.data.frames import Columns
from thresher.data.inputs import Schema, read, read_like
from thresher.data.table_files import read_table, write_table
from thresher.formatting.numbers import format_count, shortest_decimal
from thresher.results.cut_labels import CutLabels

NUMBERS = np.array([[1.0, 2.0], [np.nan, 4.0], [5.0, 6.0]])


def codes(table, column):
    found, levels = table.columns[column]
    return [None if code < 0 else levels[code] for code in found.tolist()]


@pytest.mark.parametrize(
    "X",
    [
        NUMBERS,
        np.asfortranarray(NUMBERS),
        NUMBERS.astype(np.float32),
        NUMBERS.astype(object),
        [[1.0, 2.0], [None, 4.0], [5.0, 6.0]],
        pd.DataFrame(NUMBERS, columns=["a", "b"]),
        pd.DataFrame({"a": pd.array([1, None, 5], dtype="Int64"), "b": [2, 4, 6]}),
        pd.DataFrame({"a": pd.array([1.0, None, 5.0], dtype="Float32"), "b": [2, 4, 6]}),
        pd.DataFrame({"a": [1, pd.NA, 5], "b": [2, 4, 6]}, dtype=object),
        pl.DataFrame({"a": [1, None, 5], "b": [2, 4, 6]}),
        pl.DataFrame({"a": [1.0, float("nan"), 5.0], "b": [2, 4, 6]}),
        pa.table({"a": [1, None, 5], "b": [2, 4, 6]}),
    ],
    ids=str,
)
def test_numbers_of_every_kind(X):
    table = read(X)
    np.testing.assert_array_equal(np.column_stack(table.columns), NUMBERS)
    assert all(column.dtype == np.float64 and column.flags.c_contiguous for column in table.columns)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_zeros_are_zeros(make):
    table = read(make(np.array([[0.0, 1.0], [2.0, 0.0]])))
    np.testing.assert_array_equal(np.column_stack(table.columns), [[0, 1], [2, 0]])


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pd.Series(["u", "v", None]), ["u", "v"]),
        (pd.Series(["u", "v", None], dtype="string"), ["u", "v"]),
        (pd.Series(["u", "v", None], dtype="category"), ["u", "v"]),
        (pd.Series(pd.Categorical(["u", "v", None], categories=["v", "u"])), ["v", "u"]),
        (pd.Series([True, False, None], dtype="boolean"), [False, True]),
        (pd.Series([True, False, None], dtype=object), [False, True]),
        (pl.Series(["u", "v", None]), ["u", "v"]),
        (pl.Series(["u", "v", None], dtype=pl.Categorical), ["u", "v"]),
        (pl.Series(["u", "v", None], dtype=pl.Enum(["v", "u"])), ["v", "u"]),
        (pl.Series([True, False, None]), [False, True]),
    ],
    ids=str,
)
def test_categories_of_every_kind(column, levels):
    frame = pd.DataFrame({"c": column}) if isinstance(column, pd.Series) else pl.DataFrame({"c": column})
    table = read(frame)
    assert table.columns[0][1] == levels
    assert codes(table, 0) == [column[0], column[1], None]


def test_numbers_named_as_categories():
    X = np.array([[3.0, 1.5], [1.0, 2.5], [np.nan, 1.5]])
    for chosen in ([0], [True, False], np.array([True, False]), [-2]):
        table = read(X, categorical=chosen)
        assert codes(table, 0) == [3, 1, None]
        assert table.columns[0][1] == [1, 3]
        assert isinstance(table.columns[1], np.ndarray)
    frame = pd.DataFrame(X, columns=["code", "x"])
    assert codes(read(frame, categorical=["code"]), 0) == [3, 1, None]


def test_text_array_and_nested_lists():
    assert codes(read(np.array([["a", "b"], ["c", "d"]])), 1) == ["b", "d"]
    table = read([["a", 1.5], ["b", None]])
    assert codes(table, 0) == ["a", "b"]
    np.testing.assert_array_equal(table.columns[1], [1.5, np.nan])


def test_names_are_kept_and_made():
    assert read(NUMBERS).names == ["x0", "x1"]
    assert read(pd.DataFrame(NUMBERS)).feature_names is None
    assert read(pd.DataFrame(NUMBERS, columns=["a b", "ω"])).names == ["a b", "ω"]


def test_equal_values_are_one_level_at_predict_time():
    schema = Schema(["c"], [[False, True]], named=False)
    table = read_like(np.array([[1.0], [0.0], [np.nan]]), schema, "Model")
    assert codes(table, 0) == [True, False, None]
    assert table.columns[0][1] == [False, True]


def test_unknown_levels_follow_the_known_ones():
    found, levels = to_categorical(np.array(["z", "b", "a"], dtype=object), "c", ["b", "z"])
    assert levels == ["b", "z", "a"]
    assert found.tolist() == [1, 0, 2]


def test_polars_and_pandas_give_the_same_model():
    rng = np.random.default_rng(0)
    data = {"a": rng.normal(size=60), "c": rng.choice(["u", "v", "w"], 60)}
    y = (data["a"] > 0) + 2.0 * (data["c"] == "v")
    models = [RuleRegressor(alpha=0.05).fit(make(data), y) for make in (pd.DataFrame, pl.DataFrame, pa.table)]
    texts = [model.to_json() for model in models]
    strip = [text.split('"outputs"')[1].split('"seconds"')[0] for text in texts]
    assert strip[0] == strip[1] == strip[2]
    np.testing.assert_array_equal(
        models[0].predict(pl.DataFrame(data)), models[1].predict(pd.DataFrame(data))
    )


def test_missing_values_are_silent_in_linear_terms_and_intervals():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    x[::8] = np.nan
    y = np.where(np.isnan(x), 3.0, np.where(x > 0, 1.0, 0.0))
    model = RuleRegressor(alpha=0.01, linear=False).fit(x[:, None], y)
    found = model.predict([[np.nan], [1.0], [-1.0]])
    assert found[0] > 2.5
    assert abs(found[1] - 1) < 0.3
    assert abs(found[2]) < 0.3


def test_unused_columns_may_hold_unknown_categories():
    frame = pd.DataFrame({"x": np.arange(40.0), "c": ["u", "v"] * 20})
    model = RuleRegressor(alpha=0.1).fit(frame, np.arange(40.0) > 20)
    assert model.predict(pd.DataFrame({"x": [3.0], "c": ["new"]})).shape == (1,)


def test_files_round_trip(tmp_path):
    text = np.array(["a", None, "c"], dtype=object)
    table = Columns(["x", "c"], [np.array([1.0, np.nan, 3.5]), text])
    for name in ("t.csv", "t.parquet"):
        write_table(tmp_path / name, table)
        again = read_table(tmp_path / name)
        assert again.names == ["x", "c"]
        np.testing.assert_array_equal(again["x"], [1.0, np.nan, 3.5])
        assert again["c"].tolist()[0] == "a"


def test_csv_dialects(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\ufeffname;size\nanna;1,5\nbob;?\n", encoding="utf-8")
    table = read_table(path)
    assert table.names == ["name", "size"]
    assert table["size"].tolist() == ["1,5", None]
    path.write_text("a\tb\n1\tNA\n2\t3e2\n")
    np.testing.assert_array_equal(read_table(path)["b"], [np.nan, 300.0])
    assert read_table(path, text={"a"})["a"].tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("low", "cut", "high", "text"),
    [
        (30, 30.5, 31, "30"),
        (17, 17.5, 18, "17"),
        (0.123, 0.555, 0.987, "0.6"),
        (-np.inf, 5.0, 9, "5"),
        (-3, -2.5, -2, "-3"),
        (1000000, 1000000.5, 1000001, "1000000"),
        (0.1, 0.10000000000000002, 0.10000000000000003, "0.1"),
        (-1e-9, 0.0, 1e-9, "0"),
        (1.5e300, 1.75e300, 2e300, "1.7e+300"),
    ],
)
def test_shortest_cut_that_keeps_rows_apart(low, cut, high, text):
    shown = shortest_decimal(low, cut, high)
    assert shown == text
    assert low <= float(shown) < high


def test_shown_cuts_keep_the_training_rows_apart():
    rng = np.random.default_rng(1)
    values = rng.lognormal(size=200)
    cuts = np.sort(rng.choice(values, 40, replace=False)) * (1 + 1e-9)
    digits = CutLabels.from_values([values], [cuts.tolist()])
    for cut in cuts.tolist():
        np.testing.assert_array_equal(values <= cut, values <= float(digits.show(0, cut)))


def test_count_writes_large_numbers():
    assert format_count(102_033_445_566) == "102,033,445,566"
    assert format_count(10**400) == "1.0e+400"


def test_object_labels_and_nullable_targets():
    X = np.arange(20.0)[:, None]
    labels = pd.Series(["a"] * 10 + ["b"] * 10, dtype="string")
    assert RuleClassifier(alpha=0.01).fit(X, labels).predict(X[:1]).tolist() == ["a"]
    numbers = pd.Series(range(20), dtype="Int64")
    assert RuleRegressor(alpha=0.01).fit(X, numbers).predict(X[:1]).dtype == np.float64
    truths = pd.Series([True] * 10 + [False] * 10)
    assert RuleClassifier(alpha=0.01).fit(X, truths).classes_.dtype == bool


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_parquet_by_every_library(tmp_path, monkeypatch, library):
    values = [np.array([1.5, np.nan]), np.array(["a", None], dtype=object), np.array([True, False])]
    write_table(tmp_path / "usual.parquet", Columns(["n", "t", "b"], values))
    find_spec = importlib.util.find_spec
    others = {"polars", "pyarrow"} - {library}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in others else find_spec(name))
    write_table(tmp_path / "one.parquet", Columns(["n", "t", "b"], values))
    for name in ("usual.parquet", "one.parquet"):
        table = read_table(tmp_path / name)
        np.testing.assert_array_equal(table["n"], values[0])
        assert table["t"].tolist() == ["a", None]
        assert table["b"].tolist() == [True, False]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="Parquet files need polars or pyarrow: pip install"):
        read_table(tmp_path / "one.parquet")
