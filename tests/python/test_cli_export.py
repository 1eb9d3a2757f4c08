"""``thresher export``: a model file as code."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import onnx
import openpyxl
import pandas as pd
import pytest

from thresher import ItemsetRegressor, RuleClassifier, SequenceRegressor
from thresher.cli import commands as cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = pd.DataFrame({"age": np.arange(80.0), "colour": ["red", "blue"] * 40})
    y = np.where((X["age"] > 30) & (X["colour"] == "red"), "yes", "no")
    model = RuleClassifier(alpha=0.01).fit(X, y)
    model.to_json("model.json")
    X.rename_axis("id").reset_index().to_csv("data.csv", index=False)
    return model, X


def run(capsys, *arguments):
    status = cli.main(["export", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_sql_on_standard_output_and_in_a_file(folder, capsys):
    model, X = folder
    options = ("--to", "sql", "--table", "the data", "--keep", "id", "--dialect", "sqlite")
    status, out, err = run(capsys, "model.json", *options)
    assert (status, err) == (0, "")
    assert out == model.to_sql("the data", dialect="sqlite", keep="id")
    assert run(capsys, "model.json", *options, "-o", "score.sql")[1] == "written to score.sql\n"
    with sqlite3.connect(":memory:") as connection:
        X.rename_axis("id").reset_index().to_sql("the data", connection, index=False)
        found = connection.execute(Path("score.sql").read_text(encoding="utf-8")).fetchall()
    assert [row[1] for row in sorted(found)] == model.predict(X).tolist()
    assert (
        '"my schema"."t"'
        in run(capsys, "model.json", "--to", "sql", "--table", "t", "--schema", "my schema")[1]
    )


def test_every_format_has_a_file(folder, capsys):
    model, _ = folder
    texts = {
        "python": model.to_python(),
        "javascript": model.to_javascript(),
        "c": model.to_c(),
        "pmml": model.to_pmml(),
    }
    for kind, text in texts.items():
        assert run(capsys, "model.json", "--to", kind)[1] == text
    assert run(capsys, "model.json", "--to", "onnx", "-o", "model.onnx")[0] == 0
    onnx.checker.check_model(onnx.load("model.onnx"))
    assert run(capsys, "model.json", "--to", "excel", "-o", "model.xlsx", "--rows", 7)[0] == 0
    assert openpyxl.load_workbook("model.xlsx")["Table"].max_row == 8


def test_a_model_may_come_from_a_pipe(folder):
    with Path("model.json").open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "thresher", "export", "-", "--to", "python"],
            stdin=file,
            capture_output=True,
            check=True,
        )
    assert done.stdout.decode() == folder[0].to_python()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "c", "--table", "t"), "--table is for --to sql; this is --to c"),
        (("--to", "sql", "--rows", "3"), "--rows is for --to excel; this is --to sql"),
        (("--to", "excel", "--rows", "0", "-o", "a.xlsx"), "--rows: got 0; give at least 1"),
        (
            ("--to", "excel", "--rows", "5", "-o", "a.xlsx", "--data", "data.csv"),
            "--rows: the sheet has the rows of --data; leave one of the two out",
        ),
        (("--to", "onnx"), "--to onnx writes a binary file; name it with --output"),
        (("--to", "sql", "-o", "model.json"), "model.json is read and would be lost"),
        (("--to", "sql", "-o", "no/such.sql"), "there is no folder no"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(folder, capsys, arguments, message):
    status, out, err = run(capsys, "model.json", *arguments)
    assert (status, out) == (2 if message.startswith("--") else 1, "")
    assert message in err
    json.loads(Path("model.json").read_text(encoding="utf-8"))


def test_models_of_records(folder, capsys):
    ItemsetRegressor(alpha=0.01).fit([{"a"}, {"a", "b"}, {"b"}, set()] * 9, [1.0, 2.0, 0.0, 0.0] * 9).to_json(
        "items.json"
    )
    assert run(capsys, "items.json", "--to", "python")[0] == 0
    SequenceRegressor(alpha=0.01).fit(["ab", "ba"] * 20, [1.0, 0.0] * 20).to_json("words.json")
    assert run(capsys, "words.json", "--to", "python")[0] == 0
    status, _, err = run(capsys, "words.json", "--to", "sql")
    assert status == 1
    assert "a SequenceRegressor reads sequences, which are no columns" in err
    assert "Use --to python or --to javascript, or thresher predict" in err
    assert run(capsys, "words.json", "--to", "excel", "-o", "e.excel")[2] == err


@pytest.mark.parametrize("dialect", ["ansi", "sqlite", "duckdb"])
@pytest.mark.parametrize("items", [["it's", "basket", "c d"], ["3", "4", "05"]])
def test_sql_of_item_sets_of_a_long_table_reads_a_long_table(folder, capsys, dialect, items):
    rng = np.random.default_rng(0)
    rows = [(f"b{k}", item, k) for k in range(60) for item in items if rng.random() < 0.6] * 2
    table = pd.DataFrame(rows, columns=["basket", "event name", "y"])
    table.sample(frac=1, random_state=0).to_csv("long.csv", index=False)
    options = ["--record", "basket", "--item"]
    fit = ["fit", "long.csv", "--model", "itemsets", "--target", "y", "--task", "regression", *options]
    assert cli.main([*fit, "event name", "--alpha", "0.1", "-o", "i.json"]) == 0
    assert cli.main(["predict", "i.json", "long.csv", "-o", "answers.csv"]) == 0
    capsys.readouterr()
    status, code, err = run(capsys, "i.json", "--to", "sql", "--table", "long", "--dialect", dialect)
    assert status == 0
    assert "the statement reads a long table as that of the fit" in err
    if dialect == "duckdb":
        connection = duckdb.connect()
        connection.register("long", table)
    else:
        connection = sqlite3.connect(":memory:")
        table.to_sql("long", connection, index=False)
    found = {row[0]: row[1] for row in connection.execute(code).fetchall()}
    answers = pd.read_csv("answers.csv", dtype={"basket": str}).set_index("basket")
    assert len(set(answers["prediction"])) > 1
    assert found == pytest.approx(answers["prediction"].to_dict(), rel=1e-9)
    kept = run(capsys, "i.json", "--to", "sql", "--table", "long", "--dialect", dialect, "--keep", "y")[1]
    assert sorted(row[0] for row in connection.execute(kept).fetchall()) == sorted(set(table["y"]))
    connection.close()
