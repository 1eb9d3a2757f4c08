"""The command line on a stranger's files."""

import gzip
import json
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import RuleRegressor, load_model
from thresher.cli import commands as cli
from thresher.cli import doctor
from thresher.cli.columns import split_target
from thresher.cli.demo_data import DATA, load_case, tictactoe_boards
from thresher.cli.notes import notes_on
from thresher.data.frames import Columns
from thresher.data.table_files import read_table

N = 240


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": [f"P-{k}" for k in range(N)],
            "age": rng.integers(20, 80, N),
            "color": rng.choice(["red", "blue", "green"], N),
            "code": rng.choice(["1", "2"], N),
        }
    )
    frame["price"] = 3.0 * (frame["age"] > 50) + (frame["color"] == "red") + rng.normal(0, 0.1, N)
    frame["ill"] = np.where(frame["price"] > 2, "yes", "no")
    frame.loc[::15, "age"] = np.nan
    frame.loc[3, "ill"] = None
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_parquet(tmp_path / "data.parquet")
    with gzip.open(tmp_path / "data.csv.gz", "wt") as file:
        frame.to_csv(file, index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    status = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
def test_fit_rules_predict_verify(folder, capsys, name):
    status, out, err = run(
        capsys, "fit", name, "--target", "ill", "--drop", "price", "-o", "m.json", "--max-features", 2
    )
    assert status == 0, err
    assert "log-odds of class 'yes'" in out
    assert "optimal among" in out
    assert "left out 1 row without a value of 'ill'" in err
    assert "left out 'id': 240 different texts" in err
    assert "fitting a classification" in err
    status, rules, _ = run(capsys, "summary", "m.json")
    assert status == 0
    assert rules.splitlines()[:3] == out.splitlines()[:3]
    status, _, _ = run(capsys, "predict", "m.json", name, "-o", "out.csv")
    written = pd.read_csv("out.csv")
    assert list(written.columns)[-3:] == ["prediction", "probability of no", "probability of yes"]
    assert (written["prediction"] == written["ill"]).mean() > 0.9
    status, out, err = run(capsys, "verify", "m.json", name, "--target", "ill")
    assert (status, err) == (0, "note: left out 1 row without a value of 'ill'\n")
    assert out.startswith("the certificate is verified: optimal among")


def test_regression_is_detected(folder, capsys):
    status, out, err = run(
        capsys, "fit", "data.csv", "-t", "price", "--drop", "ill", "-o", "m.json", "--max-features", 2
    )
    assert status == 0
    assert "fitting a regression" in err
    assert "is the prediction." in out
    assert type(load_model(folder / "m.json")).__name__ == "RuleRegressor"
    status, out, _ = run(capsys, "predict", "m.json", "data.csv")
    assert out.splitlines()[0] == "id,age,color,code,price,ill,prediction"
    assert len(out.splitlines()) == N + 1
    status, out, _ = run(capsys, "summary", "m.json", "--format", "csv")
    assert out.splitlines()[0].startswith("term,kind,coef,support,n_rows,importance")
    first = out.splitlines()[1].split(",")
    assert (first[:2], float(first[2])) == (["(intercept)", "intercept"], load_model("m.json").intercept_)
    for form, mark in (("html", "<table>"), ("markdown", "|---:|"), ("latex", "\\toprule")):
        status, out, _ = run(capsys, "summary", "m.json", "--format", form)
        assert mark in out


def test_predict_needs_the_columns_that_the_model_uses(folder, capsys):
    options = ["--drop", "ill", "--drop", "id", "--alpha", 0.2]
    assert run(capsys, "fit", "data.csv", "-t", "price", *options, "-o", "m.json")[0] == 0
    frame = pd.read_csv("data.csv")
    frame[["age", "color"]].to_csv("without_code.csv", index=False)
    assert run(capsys, "predict", "m.json", "data.csv", "-o", "all.csv")[0] == 0
    assert run(capsys, "predict", "m.json", "without_code.csv", "-o", "one.csv")[0] == 0
    assert pd.read_csv("one.csv")["prediction"].equals(pd.read_csv("all.csv")["prediction"])
    frame[["color", "code"]].to_csv("rest.csv", index=False)
    status, _, err = run(capsys, "predict", "m.json", "rest.csv")
    assert status == 1
    assert "the file lacks the model's columns 'age'" in err
    frame.rename(columns={"age": "AGE"}).to_csv("spelled.csv", index=False)
    err = run(capsys, "predict", "m.json", "spelled.csv")[2]
    assert "columns 'age'; 'AGE' is 'age' of training but for spaces, case or leading zeros" in err


def test_numbers_as_classes_and_codes(folder, capsys):
    frame = pd.read_csv("data.csv")
    frame.assign(ill=(frame["ill"] == "yes").astype(int)).to_csv("n.csv", index=False)
    options = [
        "--alpha",
        0.02,
        "--bins",
        4,
        "--no-linear",
        "--balanced",
        "--drop",
        "price",
        "--categorical",
        "code",
    ]
    status, _, err = run(capsys, "fit", "n.csv", "-t", "ill", "-o", "m.json", *options)
    assert status == 0, err
    model = load_model("m.json")
    assert model.classes_.tolist() == [0, 1]
    assert model.class_weight == "balanced"
    assert (model.linear_coef_ == 0).all()
    status, _, err = run(capsys, "verify", "m.json", "n.csv", "--target", "ill")
    assert status == 0, err


@pytest.mark.parametrize("noise", [0.1, 30.0])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_column_that_is_the_model_is_named_where_the_model_explains_much(folder, capsys, task, noise):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    y = X["b"] + noise * rng.normal(size=300)
    y = y if task == "regression" else np.where(y > 0, "yes", "no")
    X.assign(y=y).to_csv("t.csv", index=False)
    fit = ("fit", "t.csv", "-t", "y", "--task", task, "--model", "l0", "--lambda0", 0.01, "--max-nonzero", 1)
    status, _, err = run(capsys, *fit)
    assert status == 0, err
    assert ("% of what the model says: is it known before the prediction" in err) == (noise < 1)


def test_verify_and_report_find_the_target_by_the_name_that_the_model_keeps(folder, capsys):
    pd.read_csv("data.csv")[["age", "color", "price"]].to_csv("small.csv", index=False)
    assert run(capsys, "fit", "small.csv", "-t", "price", "-o", "m.json", "--alpha", 0.05)[0] == 0
    status, out, err = run(capsys, "verify", "m.json", "data.csv")  # which has further columns
    assert (status, err) == (0, "")
    assert out.startswith("the certificate is verified: ")
    status, _, err = run(capsys, "report", "m.json", "data.csv", "-o", "r.html")
    assert (status, "no metrics" in err) == (0, False)


def test_verify_does_not_take_another_column_for_the_target(folder, capsys):
    small = pd.read_csv("data.csv")[["age", "color", "price"]]
    small.to_csv("small.csv", index=False)
    small.rename(columns={"price": "cost"}).to_csv("renamed.csv", index=False)
    assert run(capsys, "fit", "small.csv", "-t", "price", "-o", "m.json", "--alpha", 0.05)[0] == 0
    status, out, err = run(capsys, "verify", "m.json", "renamed.csv")
    assert (status, out) == (1, "")
    assert "the model predicts 'price', which the file lacks; its other columns: 'cost'" in err
    assert "name the target with --target" in err
    status, _, err = run(capsys, "report", "m.json", "renamed.csv", "-o", "r.html")
    assert status == 0
    assert "no metrics, since renamed.csv lacks 'price', which the model predicts; if" in err
    assert run(capsys, "verify", "m.json", "renamed.csv", "-t", "cost")[0] == 0


def test_verify_says_which_column_it_takes_where_the_model_keeps_no_name(folder, capsys):
    small = pd.read_csv("data.csv")[["age", "color", "price"]]
    small.to_csv("small.csv", index=False)
    RuleRegressor(alpha=0.05).fit(small[["age", "color"]], small["price"].to_numpy()).to_json("m.json")
    status, _, err = run(capsys, "verify", "m.json", "small.csv")
    assert status == 0
    assert err == "note: takes 'price' for the target, the only column that the model does not know\n"
    status, _, err = run(capsys, "verify", "m.json", "data.csv")
    assert status == 1
    assert "--target: name the column that the model predicts; candidates: " in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "absent.csv", "-t", "y"], "there is no file absent.csv"),
        (["fit", "data.csv", "-t", "y"], "there is no target column 'y'; the file has 'id', 'age'"),
        (["fit", "data.csv", "-t", "ill", "--weights", "w"], "there is no weights column 'w'"),
        (["fit", "data.csv", "-t", "ill", "--alpha", "-1"], "alpha: got -1;"),
        (["fit", "data.csv", "-t", "ill", "--loss", "squared"], "loss: got 'squared'"),
        (["fit", "data.csv", "-t", "price", "--balanced"], "--balanced is for classes"),
        (["fit", "empty.csv", "-t", "y"], "empty.csv is empty"),
        (["fit", "ragged.csv", "-t", "a"], "ragged.csv, line 3: 1 cell, but the header has 2 names"),
        (["summary", "data.csv"], "not a valid thresher model"),
        (["summary", "absent.json"], "absent.json"),
        (["predict", "good.json", "other.csv"], "the file lacks the model's columns 'age'"),
        (["verify", "good.json", "changed.csv", "-t", "price"], "certificate"),
    ],
)
def test_refusals(folder, capsys, arguments, message):
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (folder / "other.csv").write_text("a,b\n1,2\n")
    if "good.json" in arguments:
        frame = pd.read_csv("data.csv")[["age", "price"]]
        frame.to_csv("good.csv", index=False)
        frame.assign(price=frame["price"][::-1].to_numpy()).to_csv("changed.csv", index=False)
        run(capsys, "fit", "good.csv", "-t", "price", "--alpha", 0.05, "-o", "good.json")
    status, out, err = run(capsys, *arguments)
    assert status == (2 if ": got " in message else 1)
    assert out == ""
    assert err.splitlines()[-1].startswith("thresher: error: ")
    assert message in err


def test_wrong_usage():
    with pytest.raises(SystemExit) as stop:
        cli.main(["fit"])
    assert stop.value.code == 2


def test_doctor_lists_the_packages_of_every_extra():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    for extra in extras.keys() - {"dev", "docs"}:
        for package in extras[extra]:
            assert re.split("[>=<]", package)[0] in doctor._OPTIONAL


def test_doctor(capsys):
    status, out, _ = run(capsys, "doctor")
    assert status == 0
    assert "trial fit" in out
    assert "verified: optimal" in out


def test_as_a_module():
    found = subprocess.run(
        [sys.executable, "-m", "thresher", "--version"], capture_output=True, text=True, timeout=60
    )
    assert found.stdout.startswith("thresher ")


def test_tictactoe_boards():
    boards, winner = tictactoe_boards()
    assert boards.shape == (958, 9)
    assert (winner == "x wins").sum() == 626


def test_demo_data():
    for name in DATA:
        case = load_case(name)
        assert case.dependence in case.X.names
    with pytest.raises(ValueError, match="data: got 'wine'; give one of breast-cancer"):
        load_case("wine")


@pytest.mark.slow
@pytest.mark.parametrize("data", DATA)
def test_demo(folder, capsys, data):
    status, out, err = run(capsys, "demo", "--data", data, "--out", folder / "demo")
    assert status == 0, err
    assert "verified in" in out
    assert "gradient boosting" in out
    assert {path.name for path in (folder / "demo").iterdir()} >= {
        "model.json",
        "path.png",
        "rules.png",
        "rules.html",
    }
    assert json.loads((folder / "demo" / "model.json").read_text())["format"] == "thresher.estimator"
    if data == "tictactoe":
        assert "1.000  this model" in out


def test_score_card(folder, capsys):
    fit = ["fit", "data.csv", "-t", "ill", "--drop", "price", "--model", "additive"]
    status, out, err = run(capsys, *fit, "--max-steps", 4, "-o", "m.json")
    assert status == 0, err
    assert "log-odds of class 'yes'" in out
    assert "(intercept)" in out
    status, card, _ = run(capsys, "summary", "m.json")
    assert card.splitlines()[:2] == out.splitlines()[:2]
    status, card, _ = run(capsys, "summary", "m.json", "--format", "csv")
    assert card.splitlines()[0] == "term,kind,coef,support,importance,feature"
    status, _, _ = run(capsys, "predict", "m.json", "data.csv", "-o", "out.csv")
    written = pd.read_csv("out.csv")
    assert list(written.columns)[-1] == "probability of yes"
    assert (written["prediction"] == written["ill"]).mean() > 0.8
    status, points, err = run(capsys, *fit, "--max-steps", 4, "--points", 5)
    assert status == 0, err
    assert points.startswith("Add up the points")
    assert "The probability of class 'yes' at each sum of points." in points


def test_few_coefficients(folder, capsys):
    frame = pd.read_csv("data.csv")[["age", "price"]].dropna()
    frame.to_csv("n.csv", index=False)
    status, out, err = run(
        capsys, "fit", "n.csv", "-t", "price", "--model", "l0", "--lambda0", 1, "-o", "m.json"
    )
    assert status == 0, err
    assert "  age\n" in out
    assert run(capsys, "summary", "m.json", "--format", "csv")[1].splitlines()[0] == "term,kind,coef"
    assert run(capsys, "predict", "m.json", "n.csv")[1].splitlines()[0] == "age,price,prediction"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "l0", "--alpha", 1], "this is --model l0"),
        (["--lambda0", 1], "--lambda0 is for --model additive, l0; this is --model rules"),
        (["--model", "l0", "--points", 3], "--points is for --model additive"),
        (
            ["--model", "additive", "--task", "regression", "--loss", "logistic"],
            "loss: got 'logistic'; give 'squared'",
        ),
        (["--model", "l0"], "turn it into numbers or leave it out (--drop)"),
        (
            ["--model", "fm", "--categorical", "age", "--max-features", 2],
            "--max-features is for --model rules;",
        ),
        (["--model", "rules", "--rho", 1.5], "--rho is for --model hierarchy; this is --model rules"),
        (["--task", "regression", "--balanced"], "--balanced is for classes"),
    ],
)
def test_options_of_another_model(folder, capsys, options, message):
    target = "price" if "regression" in options else "ill"
    status, _, err = run(capsys, "fit", "data.csv", "-t", target, *options)
    assert status == (1 if options == ["--model", "l0"] else 2)
    assert message in err


def test_rules_with_all_their_subsets(folder, capsys):
    fit = ["fit", "data.csv", "-t", "ill", "--drop", "price", "--model", "hierarchy", "--alpha", 0.002]
    status, out, err = run(capsys, *fit, "--bins", "uniform:4", "-o", "m.json")
    assert status == 0, err
    assert "score of class 'yes'" in out
    assert run(capsys, "summary", "m.json")[1] == out.removesuffix("written to m.json\n")
    status, out, err = run(capsys, "verify", "m.json", "data.csv", "-t", "ill")
    assert status == 0, err
    assert out.startswith("the certificate is verified: optimal among")
    assert run(capsys, "predict", "m.json", "data.csv")[0] == 0


@pytest.mark.parametrize(("model", "solver"), [("hierarchy", "mirror_descent"), ("fm", "fista")])
def test_a_solver_of_each_model(folder, capsys, model, solver):
    pd.read_csv("data.csv")[["age", "price"]].dropna().to_csv("n.csv", index=False)
    fit = ["fit", "n.csv", "-t", "price", "--model", model, "--alpha", 0.1, "--tol", 0.1, "-o", "m.json"]
    status, _, err = run(capsys, *fit, "--solver", solver)
    assert status == 0, err
    assert load_model("m.json").solver == solver


def test_interactions(folder, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd")).assign(side=["l", "r"] * 100)
    frame.assign(y=2 * frame.a * frame.c).to_csv("n.csv", index=False)
    fit = ["fit", "n.csv", "-t", "y", "--model", "fm", "--alpha", 0.1, "--max-iter", 300]
    status, out, err = run(capsys, *fit, "-o", "m.json")
    assert status == 0, err
    assert "  a x c\n" in out
    status, table, _ = run(capsys, "summary", "m.json", "--format", "csv")
    assert table.splitlines()[0] == "term,kind,coef,order"
    assert run(capsys, "predict", "m.json", "n.csv")[1].splitlines()[0] == "a,b,c,d,side,y,prediction"
    assert run(capsys, *fit, "--seed", 1, "--order", 3, "--refit")[0] == 0


def test_score_cards_are_verified(folder, capsys):
    run(capsys, "fit", "data.csv", "-t", "ill", "--model", "additive", "--max-steps", 2, "-o", "m.json")
    status, out, err = run(capsys, "verify", "m.json", "data.csv", "-t", "ill")
    assert status == 0, err
    assert out.startswith("the certificate is verified: no model has an objective below")


def test_a_linear_model_is_verified(folder, capsys):
    frame = pd.read_csv("data.csv")[["age", "price"]].dropna()
    frame.to_csv("n.csv", index=False)
    given = ("--model", "l0", "--lambda0", 1, "--lambda2", 1, "--gap-tol", 0)
    run(capsys, "fit", "n.csv", "-t", "price", *given, "-o", "m.json")
    status, out, _ = run(capsys, "verify", "m.json", "n.csv", "-t", "price")
    assert status == 0
    assert "verified: optimal" in out


def test_machines_have_no_certificate(folder, capsys):
    frame = pd.read_csv("data.csv")[["age", "price"]].dropna()
    frame.to_csv("n.csv", index=False)
    run(capsys, "fit", "n.csv", "-t", "price", "--model", "fm", "--alpha", 1, "-o", "m.json")
    status, _, err = run(capsys, "verify", "m.json", "n.csv", "-t", "price")
    assert status == 1
    assert "has no certificate; all models but these machines have one" in err


def table(folder, header, rows):
    (folder / "t.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return "t.csv"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "{};5",
            "the target 'y' holds numbers with a decimal comma such as '0,5'; write a decimal point; --task",
        ),
        ("{};000,000", "cells most of which look like numbers, but not '0,000,000' in data row 1"),
        ("", "the column 'y' has no value in any row"),
    ],
)
def test_targets_that_are_almost_numbers(folder, capsys, target, message):
    rows = [f'{k % 7},"{target.format(k).replace(";", ",")}"' for k in range(40)]
    status, _, err = run(capsys, "fit", table(folder, "x,y", rows), "-t", "y")
    assert status == 1
    assert message in err


def test_a_cell_that_makes_a_column_text_is_named(folder, capsys):
    rows = [f"{'unknown' if k == 3 else k % 7},{k % 7 > 3:d}" for k in range(40)]
    status, _, err = run(capsys, "fit", table(folder, "x,y", rows), "-t", "y", "--alpha", 0.1)
    assert status == 0
    assert (
        "'x' is used as text because of 'unknown' in data row 4; correct such cells or leave them empty"
        in err
    )


def test_columns_without_a_name_are_named_by_their_place(folder, capsys):
    rows = [f"{k % 7},{k % 5},,{k % 7 + 0.5}" for k in range(40)]
    name = table(folder, ",, ,y", rows)
    assert run(capsys, "fit", name, "-t", "y", "--alpha", 0.1, "-o", "m.json")[0] == 0
    status, out, _ = run(capsys, "predict", "m.json", name)
    assert status == 0
    assert out.startswith("column 1,column 2,column 3,y,prediction\n0,0,,0.5,")


def test_two_numbers_that_are_not_whole_are_no_classes(folder, capsys):
    rows = [f"{k % 7},{1.5 + (k % 7 > 3)}" for k in range(40)]
    status, _, err = run(capsys, "fit", table(folder, "x,y", rows), "-t", "y", "--alpha", 0.1)
    assert status == 0
    assert "fitting a regression" in err


def test_many_columns_are_read_in_linear_time(folder):
    names = [f"c{k}" for k in range(30_000)]
    file = table(folder, ",".join(names), [",".join(["1"] * len(names))] * 3)
    start = time.process_time()
    training = split_target(read_table(file), "c0")
    assert len(training.X.names) == len(names) - 1
    assert time.process_time() - start < 5


def test_a_fit_names_what_would_mislead_it(folder, capsys):
    frame = pd.read_csv(folder / "data.csv")
    frame.loc[::7, "age"] = -9999
    frame["row"] = np.arange(N)
    frame["copy"] = np.where(frame["ill"].eq("yes"), "y", "n")
    frame.drop(columns=["id", "price"]).to_csv("marks.csv", index=False)
    arguments = ("--target", "ill", "--alpha", 0.05)
    status, _, err = run(capsys, "fit", "marks.csv", *arguments)
    assert status == 0
    assert "note: 'age' is -9999 in 35 rows, far from all other values: " in err
    assert "note: 'row' " in err
    assert "note: 'copy' " in err
    status, _, err = run(
        capsys, "fit", "marks.csv", "--target", "ill", "--model", "additive", "--special-codes", "age=-9999"
    )
    assert status == 0
    assert "note: 'age'" not in err
    assert "note: 'row' " in err
    status, _, err = run(capsys, "fit", "data.csv", *arguments, "--exclude", "price")
    assert status == 2
    assert err.endswith("--drop leaves columns out of any model\n")


def test_a_fit_names_ids_dates_and_categories_that_it_takes_as_columns(folder, capsys):
    rng = np.random.default_rng(0)
    frame = pd.read_csv(folder / "data.csv")[["age", "ill"]]
    days = pd.date_range("2024-01-01", periods=100)[rng.integers(0, 100, N)].strftime("%Y-%m-%d")
    frame = frame.assign(
        ill=rng.choice(["yes", "no"], N),
        account_id=rng.permutation(10**6)[:N],
        customerId=rng.integers(0, 150, N),
        opened=days,
        street=[f"s{k}" for k in rng.integers(0, 80, N)],
        weight=rng.integers(1, 4, N),
    )
    frame.to_csv("names.csv", index=False)
    frame.to_parquet("names.parquet")
    for name, more in (("names.csv", ()), ("names.parquet", ("--from-disk",))):
        status, _, err = run(capsys, "fit", name, "--target", "ill", "--alpha", 0.5, *more)
        assert status == 0, err
        notes = [line for line in err.splitlines() if line.startswith("note: ")]
        assert any("'account_id' names the rows" in line and "(--drop account_id)" in line for line in notes)
        assert any("'customerId' names the rows" in line and "--groups customerId" in line for line in notes)
        assert any("left out 'opened': it holds dates" in line for line in notes)
        assert all("--keep opened" in line for line in notes if "'opened'" in line)
        assert any("'street' has" in line and "(--drop street)" in line for line in notes)
        assert any("'weight' looks like weights" in line and "--weights weight" in line for line in notes)
    dropped = ("--drop", "account_id", "customerId", "opened", "street", "weight")
    assert "opened" not in run(capsys, "fit", "names.csv", "-t", "ill", "--alpha", 0.5, *dropped)[2]
    assert "note: '" not in run(capsys, "fit", "names.csv", "-t", "ill", "--alpha", 0.5, *dropped)[2]
    kept = run(capsys, "fit", "names.csv", "-t", "ill", "--alpha", 0.5, "--keep", "opened")[2]
    assert "'opened'" not in kept


def test_doctor_speaks_of_rows_and_options_of_the_command_line(folder, capsys):
    frame = pd.read_csv(folder / "data.csv").drop(columns=["price"])
    pd.concat([frame, frame.iloc[[4]]]).to_csv("twice.csv", index=False)
    out = run(capsys, "doctor", "twice.csv", "--target", "ill")[1]
    out = " ".join(out.split())
    assert "1 row is an exact copy of others, such as data row 241 of data row 5" in out
    assert "leave it out (--drop): names" in out


def test_a_large_table_is_looked_at_in_a_part_of_its_rows():
    debt = np.where(np.arange(30_000) % 10 == 0, -9999.0, np.arange(30_000) % 97)
    X = Columns(["debt", "weight"], [debt, np.arange(30_000) % 3 + 1.0])
    first, *notes = notes_on(X, np.arange(30_000) % 2)
    assert first == "the next lines are about 10,000 of the 30,000 rows"
    assert any(note.startswith("'debt' is -9999 in 1000 rows") for note in notes)
    assert any(note.startswith("'weight' looks like weights by its name: if these are") for note in notes)
    assert notes_on(Columns(["x"], [np.sin(np.arange(30_000.0))]), np.arange(30_000) % 2) == []
