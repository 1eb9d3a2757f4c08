"""``thresher predict --from-disk``: what a prediction in memory writes, whatever the batches."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher
from thresher.cli import main
from thresher.data import file_batches

N = 50


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": [f"00{k}" for k in range(N)],
            "age": np.where(np.arange(N) % 7 == 3, np.nan, np.arange(N)),
            "color": pd.Series(["red", "blue", None, "green", "red"] * (N // 5), dtype=object),
            "smoker": [True, False] * (N // 2),
            "noise": rng.normal(size=N),
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch, rows):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(file_batches, "_MAX_CELLS", 35)  # seven rows
    features = rows.drop(columns="id")
    target = rows["age"].fillna(0) + 9 * (rows["color"] == "red") + 3 * rows["smoker"]
    thresher.RuleRegressor(alpha=0.05).fit(features, target).to_json("rules.json")
    classes = np.where(target > 30, "high", "low")
    thresher.L0AdditiveClassifier(lambda0=0.5).fit(features, classes).to_json("card.json")
    rows.to_csv("all.csv", index=False)
    rows.to_parquet("all.parquet")
    for kind in ("csv", "parquet"):
        parts = tmp_path / kind
        parts.mkdir()
        for number, part in enumerate([rows[:13], rows[13:13], rows[13:]]):
            if kind == "csv":
                part[part.columns[:: 1 - 2 * (number == 2)]].to_csv(parts / f"{number}.csv", index=False)
            else:
                part.to_parquet(parts / f"{number}.parquet")
    return tmp_path


@pytest.mark.parametrize("model", ["rules.json", "card.json"])
@pytest.mark.parametrize("output", ["out.csv", "out.tsv", "out.parquet"])
@pytest.mark.parametrize("source", ["all.csv", "all.parquet", "csv", "parquet"])
def test_the_output_is_that_of_a_prediction_in_memory(folder, capsys, source, output, model):
    whole = "all.parquet" if "parquet" in source else "all.csv"
    assert main(["predict", model, whole, "--output", f"expected-{output}"]) == 0
    assert main(["predict", model, source, "--from-disk", "--output", output]) == 0
    assert f"50 rows written to {output}" in capsys.readouterr().out
    read = pd.read_parquet if output.endswith("parquet") else lambda path: path.read_text()
    expected, found = read(folder / f"expected-{output}"), read(folder / output)
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected)
    else:
        assert found == expected


def test_standard_input_and_output(folder, capsys, monkeypatch):
    assert main(["predict", "rules.json", "all.csv"]) == 0
    expected = capsys.readouterr().out
    for path in ("all.csv", "all.parquet"):
        content = io.BytesIO((folder / path).read_bytes())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
        assert main(["predict", "rules.json", "-", "--from-disk"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == N + 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / "all.csv").read_bytes())))
    assert main(["predict", "rules.json", "-", "--from-disk"]) == 0
    assert capsys.readouterr().out == expected


def test_what_is_refused(folder, capsys, rows):
    rows.assign(color=["red"] * 30 + ["pink"] + ["red"] * (N - 31)).to_csv("pink.csv", index=False)
    (folder / "mixed").mkdir()
    (folder / "mixed" / "a.csv").write_text("age,color\n1,red\n")
    pq.write_table(pa.table({"age": [1.0]}), folder / "mixed" / "b.parquet")
    (folder / "unlike").mkdir()
    (folder / "unlike" / "a.csv").write_text("age,color,smoker,noise\n1,red,True,1\n")
    (folder / "unlike" / "b.csv").write_text("age,colour,smoker,noise\n1,red,True,1\n")
    (folder / "empty").mkdir()
    (folder / "short.csv").write_text("age,color,smoker,noise\n" + "1,red,True,1\n" * 20 + "1,red\n")
    (folder / "out.csv").write_text("as it was")
    thresher.ItemsetRegressor(alpha=0.1).fit([{"a"}, {"b"}, {"a", "b"}], [0, 1, 2]).to_json("items.json")
    predict = ["predict", "rules.json"]
    refused = {
        "csv is a folder, not a file; fit, verify and predict read a folder with --from-disk": [
            *predict,
            "csv",
        ],
        "holds 'pink' in data row 31": [*predict, "pink.csv", "--from-disk", "--output", "out.csv"],
        "Parquet files and text files": [*predict, "mixed", "--from-disk"],
        "have different columns: only one of them has 'color', 'colour'": [*predict, "unlike", "--from-disk"],
        "has no Parquet or CSV file": [*predict, "empty", "--from-disk"],
        "short.csv, line 22: 2 cells": [*predict, "short.csv", "--from-disk"],
        "there is no file nowhere.csv": [*predict, "nowhere.csv", "--from-disk"],
        "is in the folder that is read": [*predict, "csv", "--from-disk", "--output", "csv/out.csv"],
        "--from-disk is for models of tables": ["predict", "items.json", "all.csv", "--from-disk"],
    }
    for message, arguments in refused.items():
        assert main(arguments) == 1
        assert message in capsys.readouterr().err
    assert (folder / "out.csv").read_text() == "as it was"


@pytest.mark.parametrize(
    "command", [["fit", "parquet", "--target", "age"], ["verify", "rules.json", "parquet"]]
)
def test_a_folder_without_the_option(folder, capsys, command):
    assert main(command) == 1
    assert "parquet is a folder, not a file; fit, verify and predict read a folder with --from-disk" in (
        capsys.readouterr().err
    )


def test_the_memory_is_that_of_a_batch(tmp_path):
    X = np.arange(3000.0).reshape(-1, 3)
    thresher.RuleRegressor(alpha=0.05, linear=False).fit(X, X[:, 0] > 500).to_json(tmp_path / "model.json")
    code = (
        "import resource, sys; from thresher.cli import main; main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for rows in (50_000, 300_000):
        part = tmp_path / "part.csv"
        part.write_text("x0,x1,x2\n" + "100.25,200.5,300.75\n" * rows)
        run = [sys.executable, "-c", code, "predict", str(tmp_path / "model.json"), str(part), "--from-disk"]
        done = subprocess.run([*run, "--output", str(tmp_path / "out.csv")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout.split()[-1]) * (1 if sys.platform == "darwin" else 1024))
    # In memory the difference is 170 MB; that of batches varies with the allocator.
    assert peaks[1] - peaks[0] < 100e6


@pytest.fixture
def typed(folder):
    """A table whose first batch, of seven rows, does not tell the types of its columns."""
    frame = pd.DataFrame(
        {
            "age": ["1.5"] * 8 + [""] * 8,
            "smoker": [""] * 8 + ["True", "false"] * 4,
            "zip": ["01067", "12"] * 8,
            "key": ["12"] * 15 + ["A1"],
            "id": ["12345678901234567890"] * 16,
            "count": ["", "7"] * 8,
            "share": ["1"] * 8 + ["1e-3"] * 8,
            "empty": [""] * 16,
            "color": ["red"] * 15 + ["NA"],
            "noise": ["007"] * 16,
        }
    )
    frame.to_csv("typed.csv", index=False)
    return folder


@pytest.mark.parametrize("more", [[], ["--from-disk"]])
@pytest.mark.parametrize("model", ["rules.json", "card.json"])
def test_parquet_has_the_types_that_are_read(typed, capsys, model, more):
    assert main(["predict", model, "typed.csv", "--output", "typed.parquet", *more]) == 0
    assert main(["predict", model, "typed.csv", "--output", "text.csv"]) == 0
    table = pq.read_table("typed.parquet")
    names = pd.read_csv("typed.csv").columns
    kinds = {name: str(table.schema.field(name).type) for name in names}
    assert kinds == {
        "age": "double",
        "smoker": "bool",
        "zip": "string",
        "key": "string",
        "id": "string",
        "count": "int64",
        "share": "double",
        "empty": "null",
        "color": "string",
        "noise": "int64",
    }
    assert table["smoker"].to_pylist() == [None] * 8 + [True, False] * 4
    assert table["share"].to_pylist() == [1.0] * 8 + [0.001] * 8
    assert table["count"].to_pylist() == [None, 7] * 8
    assert table["color"].to_pylist() == ["red"] * 15 + [None]
    capsys.readouterr()
    expected = pd.read_csv("text.csv")["prediction"]
    assert main(["predict", model, "typed.parquet", "--output", "again.csv"]) == 0
    again = pd.read_csv("again.csv")["prediction (thresher)"]
    assert capsys.readouterr().err == ""
    pd.testing.assert_series_equal(again, expected, check_names=False)


def test_batches_of_parquet_need_pyarrow(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["predict", "rules.json", "all.csv", "--output", "out.parquet", "--from-disk"]) == 1
    assert "Parquet files in batches need pyarrow: pip install pyarrow" in capsys.readouterr().err
