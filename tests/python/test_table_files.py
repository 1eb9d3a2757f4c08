"""Tables in files: CSV in its dialects, and Parquet by every library."""

import importlib.util

import numpy as np
import pytest

from thresher.data.frames import Columns
from thresher.data.table_files import read_table, write_table


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


@pytest.mark.parametrize("words", [("True", "False"), ("true", "false"), ("TRUE", "FALSE")])
def test_a_file_holds_truth_values(tmp_path, words):
    (tmp_path / "t.csv").write_text(f"a,b,c\n{words[0]},{words[1]},x\n{words[1]},,{words[0]}\n")
    table = read_table(tmp_path / "t.csv")
    assert table["a"].tolist() == [True, False]
    assert table["b"].tolist() == [False, None]
    assert table["c"].tolist() == ["x", words[0]]
    assert read_table(tmp_path / "t.csv", text={"a"})["a"].tolist() == list(words)
