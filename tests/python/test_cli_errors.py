"""The command line refuses early, and speaks of the file and of its own options."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import FormatError, ItemsetRegressor, RuleRegressor, load_model
from thresher.cli import commands as cli
from thresher.cli.parameters import _bytes as reader_of_bytes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 60), "color": rng.choice(["red", "blue"], 60)})
    frame["price"] = 3.0 * (frame["age"] > 50) + rng.normal(0, 0.1, 60)
    frame.to_csv("d.csv", index=False)
    frame.assign(day=pd.Timestamp("2024-01-01")).to_parquet("dates.parquet")
    frame.assign(day=pd.Timestamp("2024-01-01").date()).to_parquet("days.parquet")
    RuleRegressor(alpha=0.05).fit(frame[["age", "color"]], frame["price"]).to_json("m.json")
    ItemsetRegressor(alpha=0.05).fit([["a", "b"], ["c"]] * 9, [1.0, 0.0] * 9).to_json("items.json")
    (tmp_path / "header.csv").write_text("age,color,price\n")
    (tmp_path / "latin.csv").write_bytes("age,color,price\n1,grün,2\n".encode("latin-1"))
    frame.loc[2, "price"] = None
    frame.astype({"age": float}).assign(age=lambda f: f["age"].where(f.index != 4, np.inf)).to_csv(
        "infinite.csv", index=False
    )
    return tmp_path


FIT = ("fit", "d.csv", "-t", "price")
DATES = ("fit", "dates.parquet", "-t", "price", "--keep", "day")
DAYS = ("fit", "days.parquet", "-t", "price", "--keep", "day")
SEQUENCES = (*FIT, "--model", "sequences", "--record", "color", "--event", "color")
PREDICT = ("predict", "m.json", "d.csv", "-o")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*FIT, "-o", "no/m.json"), "--output: there is no folder no; make it first"),
        ((*FIT, "-o", "."), "--output: . is a folder; give the name of a file"),
        ((*FIT, "-o", "./d.csv"), "--output: d.csv is read and would be lost; give another name"),
        ((*PREDICT, "d.csv"), "--output: d.csv is read and would be lost"),
        (("predict", "items.json", "d.csv"), "the file lacks the model's items 'a'"),
        (("verify", "items.json", "d.csv"), "--target: name the column that the model predicts"),
        (
            ("report", "m.json", "d.csv", "--compare", "items.json", "-o", "r.html"),
            "an ItemsetRegressor reads records, not tables; use it from Python",
        ),
        ((*PREDICT, "no/p.csv"), "--output: there is no folder no"),
        ((*PREDICT, "p.xlsx"), "--output: cannot write '.xlsx' files; end the name on .csv"),
        (DATES, "column 'day' holds dates or durations; turn it into num"),
        (DATES, "or leave it out (--drop)"),
        (DAYS, "column 'day' holds dates or durations"),
        ((*DAYS, "--model", "l0", "--drop", "color"), "column 'day' holds dates or durations"),
        (("fit", "header.csv", "-t", "price"), "header.csv names 3 columns and has no row below them"),
        (("fit", "latin.csv", "-t", "price"), "latin.csv is no text in UTF-8"),
        (("summary", "dates.parquet"), "not a valid thresher model: dates.parquet is no UTF-8 text"),
        (("fit", "infinite.csv", "-t", "price"), "column 'age' holds an infinite value in data row 5"),
        (("predict", "m.json", "infinite.csv"), "column 'age' holds an infinite value in data row 5"),
        ((*FIT, "--model", "l0"), "column 'color' must be numeric but holds"),
        ((*FIT, "--model", "l0"), "in data row 1; turn it into numbers or leave it out (--drop)"),
    ],
)
def test_refusals(folder, capsys, arguments, message):
    assert cli.main(list(arguments)) == 1
    assert message in capsys.readouterr().err
    assert not (folder / "p.xlsx").exists()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--alpha", "x"), "argument --alpha: got 'x'; give 'cv', 'bic', 'ebic' or a number > 0"),
        (("--lambda0", "x"), "argument --lambda0: got 'x'; give 'cv' or a number >= 0"),
        (("--bins", "few"), "argument --bins: got 'few'; give a number of quantile bins, uniform:N, "),
        (("--bins", "age=30", "--bins", "auto"), "--bins: give either the cut points of columns, or one"),
        (("--bins", "auto", "--bins", "age=30"), "--bins: give either the cut points of columns, or one"),
        (("--order", "2.5"), "argument --order: got '2.5'; give a whole number >= 2 and <= 6 or 'all'"),
        (("--memory-limit", "5XB"), "got '5XB'; give bytes, such as 500000000, 500MB or 2GiB, or none"),
        (("--drop", "--drop"), "--drop: expected at least one argument; a value that begins with a hyphen"),
        (("--drop", "--drop"), "a hyphen follows an equals sign: --drop=--name\n"),
        (("--weights", "--weights"), "--weights: expected one argument; a value that begins with a hyphen"),
    ],
)
def test_usage(folder, capsys, option, message):
    with pytest.raises(SystemExit):
        cli.main([*FIT, *option])
    assert message in capsys.readouterr().err


def test_a_limit_of_memory_has_a_unit():
    assert [reader_of_bytes(text) for text in ("100MB", "1.5 kb", "2GiB", "3g", "2e9", "7B", "none")] == [
        10**8, 1500, 2**31, 3 * 10**9, 2e9, 7, None,
    ]  # fmt: skip


def test_unknown_arguments_have_one_remedy(folder, capsys):
    for line, message in [
        ("fit d.csv -t price --modle rules", "unknown argument --modle; did you mean --model? thresher fit"),
        ("report m.json m.json d.csv -o r.html", "unknown argument d.csv; further models follow --compare; "),
        ("predict m.json d.csv p.csv", "unknown argument p.csv; thresher predict --help lists all"),
    ]:
        with pytest.raises(SystemExit):
            cli.main(line.split())
        assert message in capsys.readouterr().err


def test_drop_leaves_dates_out(folder):
    assert cli.main(["fit", "dates.parquet", "-t", "price", "--drop", "day", "--alpha", "0.1"]) == 0


@pytest.mark.parametrize("more", [[], ["--from-disk"]])
def test_predictions_of_predictions_have_free_names(folder, more):
    for source, output in [("d.csv", "1.csv"), ("1.csv", "2.csv"), ("2.csv", "3.csv"), ("3.csv", "4.csv")]:
        assert cli.main(["predict", "m.json", source, "-o", output, *more]) == 0
    added = list(pd.read_csv("4.csv").columns)[3:]
    assert added == [
        "prediction",
        *(f"prediction ({name})" for name in ("thresher", "thresher 2", "thresher 3")),
    ]


def test_tabs(folder):
    assert cli.main([*PREDICT, "p.tsv"]) == 0
    assert list(pd.read_csv("p.tsv", sep="\t").columns) == ["age", "color", "price", "prediction"]


CELLS = ["001,red,1.50,1234567890123456701,NA,FALSE", " 2,,,7,,true", '003,"a, ""b""",1e3,8,x,False']


def test_cells_come_back_as_they_are(folder, capsys):
    header = "age,color,x,big,note,flag"
    (folder / "z.csv").write_text("\n".join([header, *CELLS]) + "\n")
    assert cli.main(["predict", "m.json", "z.csv"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.rsplit(",", 1)[0] for line in printed] == [header, *CELLS]
    assert cli.main(["predict", "m.json", "z.csv", "-o", "p.csv"]) == 0
    assert (folder / "p.csv").read_text().splitlines() == printed
    whole = pd.DataFrame({"age": [2**53 + 1, 30], "color": ["red", None]})
    whole.to_parquet("whole.parquet")
    assert cli.main(["predict", "m.json", "whole.parquet", "-o", "p.parquet"]) == 0
    assert pd.read_parquet("p.parquet")["age"].tolist() == whole["age"].tolist()


def test_patterns_are_printed(folder, capsys):
    assert cli.main(["summary", "items.json"]) == 0
    assert "records" in capsys.readouterr().out
    assert cli.main(["summary", "items.json", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("term,kind,")


@pytest.mark.parametrize("text", ["", " ", "null", "true", "[]", "{}"])
def test_texts_that_are_no_model(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for read in (RuleRegressor.from_json, load_model):
        with pytest.raises(FormatError):
            read(text)
    with pytest.raises(FileNotFoundError):
        load_model("nullify.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--alpha", "-1"), "--alpha: got -1;"),
        (("--max-features", "0"), "--max-features: got 0"),
        (("--model", "additive", "--max-features", "3"), "--max-features is for --model rules"),
        (("--model", "additive", "--task", "regression", "--lambda0", "-1"), "--lambda0: got -1"),
        (("--model", "itemsets", "--alpha", "-1"), "--alpha: got -1;"),
        (("--model", "additive", "--points", "0"), "--points: got 0; give a whole number >= 1\n"),
    ],
)
def test_options_are_refused_before_data_are_read(folder, capsys, options, message):
    assert cli.main(["fit", "no such file.csv", "-t", "price", *options]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "note:" not in err


def test_an_option_of_classes_waits_for_the_task(folder, capsys):
    assert cli.main(["fit", *FIT[1:], "--balanced", "--alpha", "0.1"]) == 1
    assert "--balanced is for classes; this is a regression" in capsys.readouterr().err


def test_an_interrupted_process_ends_at_once(monkeypatch, capsys):
    """Its own process does not free tables and models first; a caller of ``main`` goes on."""

    def interrupted(arguments):
        print("so far")
        raise KeyboardInterrupt

    ended = []
    monkeypatch.setattr("thresher.cli.commands._summary", interrupted)
    monkeypatch.setattr("os._exit", ended.append)
    assert cli.main(["summary", "m.json"]) == 130
    assert ended == []
    monkeypatch.setattr("sys.argv", ["thresher", "summary", "m.json"])
    assert cli.main() == 130
    assert ended == [130]
    assert capsys.readouterr().err == "thresher: interrupted\n" * 2


@pytest.mark.parametrize("module", [True, False])
def test_ctrl_c_during_the_imports_is_one_line(tmp_path, module):
    (tmp_path / "sklearn.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"
    )
    script = tmp_path / "thresher"
    script.write_text("from thresher.cli import main\nmain()\n")
    started = ["-m", "thresher"] if module else [str(script)]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    found = subprocess.run([sys.executable, *started, "fit"], env=environment, capture_output=True, text=True)
    assert found.stderr == "thresher: interrupted\n"
    assert found.returncode != 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--model fm --order 9", "--order: got 9; give a whole number from 2 to 6, or 'all' (all subsets)"),
        ("--cv 1", "--cv: got 1 folds; at least 2 are needed"),
        ("--monotonic-cst a=peak", "--monotonic-cst: got 'peak' for column 'a'; give 1 (rising)"),
        ("--bins a=2,1", "--bins: the cuts of column 'a' must be sorted and differ; got 2 before 1"),
        ("--bins uniform:1", "--bins uniform:N: got 1; give a whole number"),
        (
            "--model additive --bins 1",
            "65000, uniform:N, intervals:DELTA, COLUMN=CUT,CUT, or midpoints (between",
        ),
        ("--max-features 0", "--max-features: got 0; give 'auto' or a whole number >= 1, or none\n"),
        (
            "--penalty l1 --ridge 3",
            "--ridge: got 3; it is for best subsets: give --penalty l0, or leave ridge out",
        ),
        ("--model fm --solver adagrad", "give --penalty none, or --solver psgd"),
        (
            "--model additive --lambda0 -2",
            "--lambda0: got -2; give 'cv' or a number > 0 (the penalty for a step)\n",
        ),
        ("--model l0 --lambda0 -2", "--lambda0: got -2; give 'cv' or a number >= 0\n"),
        ("--model additive --ridge -2", "--ridge: got -2; give a number >= 0, or none\n"),
        ("--model hierarchy --alpha -1", "--alpha: got -1; give 'cv' or a number > 0\n"),
    ],
)
def test_options_that_do_not_go_together_are_refused_before_data_are_read(capsys, options, message):
    assert cli.main(["fit", "no.csv", "--target", "y", *options.split()]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "d.csv"), "--target: name the column to predict"),
        ((*FIT, "--drop", "price"), "--drop: 'price' is the target, which is no column to predict from"),
        ((*FIT, "--model", "sequences"), "name its columns with --record and --event (and --time)"),
        ((*SEQUENCES, "--session-gap", "5min"), "--session-gap needs times; name their column with --time"),
        (
            (*SEQUENCES, "--time", "age", "--session-gap", "30mins"),
            "--session-gap: got '30mins'; give a number",
        ),
        ((*SEQUENCES, "--time", "age", "--session-gap=-5min"), "--session-gap: got '-5min'; give a number"),
        ((*SEQUENCES, "--time", "age", "--session-gap=-5"), "--session-gap: got '-5'; give a number that is"),
        (
            ("monitor", "m.json", "d.csv", "d.csv", "--by", "week"),
            "--by needs dates; name their column with --p",
        ),
        ((*FIT, "--max-features", "0"), "--max-features: got 0"),
        ((*FIT, "--time-limit", "0"), "--time-limit: got 0; give a number of seconds > 0"),
        (("verify", "m.json", "d.csv", "--time-limit", "0"), "--time-limit: got 0"),
    ],
)
def test_a_wrong_command_line_has_a_status_of_its_own(folder, capsys, arguments, message):
    assert cli.main(list(arguments)) == 2
    assert message in capsys.readouterr().err


def test_a_full_disk_of_standard_output_is_named(folder):
    with Path("/dev/full").open("wb") as full:
        found = subprocess.run(
            [sys.executable, "-m", "thresher", "summary", "m.json"], stdout=full, stderr=subprocess.PIPE
        )
    assert found.returncode == 1
    assert found.stderr == b"thresher: error: cannot write standard output: no space left on device\n"


def test_a_word_for_an_option_lists_what_is_allowed_once(capsys):
    with pytest.raises(SystemExit):
        cli.main(["fit", "no.csv", "--target", "y", "--max-rules", "x"])
    assert "--max-rules: got 'x'; give a whole number >= 1, or none\n" in capsys.readouterr().err


def test_columns_that_options_name_are_looked_for_in_the_file(folder, capsys):
    assert cli.main(["fit", "d.csv", "--target", "price", "--bins", "zz=3"]) == 1
    assert "--bins: there is no column 'zz'" in capsys.readouterr().err
