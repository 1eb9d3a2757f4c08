"""Messages of the package in the words of the command line."""

import argparse
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from thresher.cli.commands import _parser as parser
from thresher.cli.messages import in_file, reworded

from .test_cli import run


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("max_features: got 0; give more", "--max-features: got 0; give more"),
        ("Leave it out, as with exclude=['a b'], turn dates", "Leave it out (--drop 'a b'), turn dates"),
        ("leave it out, as with exclude=['k']", "leave it out (--drop k)"),
        ("give categorical_features=['a', 'b c']", "give --categorical a 'b c'"),
        ("name it in categorical_features to use it", "name it in --categorical to use it"),
        ("fit with a smaller min_bin_weight", "fit with a smaller --min-bin-weight"),
        (
            "for prices fit with penalty='l1', or alpha=0.25",
            "for prices fit with --penalty l1, or --alpha 0.25",
        ),
        ("it has 3 columns, and max_features=2", "it has 3 columns, and --max-features 2"),
        ("give linear=False", "give --no-linear"),
        ("give special_codes=None", "give no --special-codes"),
        ("or look at the table with thresher.examine", "or look at the table with thresher doctor"),
        (
            "column 'max_features' holds 'alpha=3' in row 1",
            "column 'max_features' holds 'alpha=3' in data row 2",
        ),
        ("column 'k' holds 'see row 1' in row 2", "column 'k' holds 'see row 1' in data row 3"),
        (
            "column \"it's row 1\", record 1, the item's row 0",
            "column \"it's row 1\", data row 2, the item's data row 1",
        ),
        ("sample_weight is -1.0 in row 0", "the weight is -1.0 in data row 1"),
        ("a loss of 3 with bins and alpha", "a loss of 3 with bins and alpha"),
        ("column 'c' holds 'Some or None' in row 0", "column 'c' holds 'Some or None' in data row 1"),
        (
            "column 'last sample_weight used' holds 'set min_support, or leave it out'",
            "column 'last sample_weight used' holds 'set min_support, or leave it out'",
        ),
        (
            "alphas: got 'give alpha=1, or None'; give one, or None",
            "--alphas: got 'give alpha=1, or None'; give one, or none",
        ),
        (
            "codes: 5.0 is no code; it has 1. Give (name, None) for missing values",
            '--codes: 5.0 is no code; it has 1. The key of missing values is "missing"',
        ),
        ("model.set_params(handle_unknown='missing')", "--handle-unknown missing"),
    ],
)
def test_parameters_become_options(message, wanted):
    assert reworded(message, np.arange(5)) == wanted


def test_only_fit_can_drop_columns():
    message = "turn it into numbers or leave it out"
    assert reworded(message, np.arange(5), of_fit=True) == f"{message} (--drop)"
    assert reworded(message, np.arange(5)) == "turn it into numbers"
    period = "period is missing in every row; leave it out, or give the period of each row"
    assert reworded(period, np.arange(5)) == period


def test_help_names_options_and_values_as_they_are_typed():
    (commands,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    options = {name: command._option_string_actions for name, command in commands.choices.items()}
    assert "--warm-start" not in options["fit"]
    for name, command in commands.choices.items():
        known = options[name].keys() | options["fit"].keys()
        for action in command._actions:
            text = action.help or ""
            assert set(re.findall(r"--[a-z][a-z0-9-]*[a-z0-9]", text)) <= known, (name, text)
            assert not re.search(r"`|_\b|\b(None|True|False|dict)\b", text), (name, text)
    helps = {action.dest: action.help for action in commands.choices["fit"]._actions}
    assert helps["wildcards"].endswith("start with a small value. (default: none)")
    assert "nodes, edges, both, none" in helps["wildcards"]
    assert (
        helps["memory_limit"]
        == "The most memory of the fit: 500MB, 2GiB, or a number of bytes. (default: none)"
    )
    assert "--penalty l0" in helps["ridge"]
    assert helps["positive"].endswith("(default: no)")


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "data.csv", "-t", "il"),
        ("fit", "data.csv", "-t", "Ill "),
        ("fit", "data.csv", "-t", "age", "--weights", "il"),
        ("fit", "data.csv", "-t", "age", "--drop", "il"),
        ("fit", "data.csv", "-t", "il", "--model", "sequences", "--record", "age", "--event", "ill"),
        ("doctor", "data.csv", "-t", "ilt"),
    ],
    ids=" ".join,
)
def test_a_missing_column_is_answered_by_the_one_of_similar_spelling(
    tmp_path, capsys, monkeypatch, arguments
):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"age": range(20), "ill": [0, 1] * 10}).to_csv("data.csv", index=False)
    status, _, err = run(capsys, *arguments)
    assert status == 1
    assert "(did you mean 'ill'?)" in err


def test_a_warning_is_shown_once(capsys):
    shown = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: shown.append(str(message))
        with in_file(np.arange(9)):
            for row, more in ((3, " (and 2 further rows)"), (1, ""), (3, " (and 2 further rows)")):
                text = f"column 'h' holds 'new' in row {row}, a category that training did not see{more}"
                warnings.warn(text, stacklevel=1)
            warnings.warn("column 'h' holds 'x' in row 1, a category that training did not see", stacklevel=1)
            for _ in range(3):
                warnings.warn("something else in row 4", stacklevel=1)
    assert shown == [
        "column 'h' holds 'new' in data row 4, a category that training did not see (and 2 further rows)",
        "column 'h' holds 'x' in data row 2, a category that training did not see",
        "something else in data row 5",
    ]


@pytest.mark.filterwarnings("always::UserWarning")
def test_a_report_names_new_categories_once(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(200).round(2), "h": rng.choice(list("uvw"), 200)})
    frame["y"] = 2.0 * (frame["h"] == "u") + frame["a"]
    frame.to_csv(tmp_path / "old.csv", index=False)
    frame.loc[[3, 50, 70], "h"] = "new"
    frame.to_csv(tmp_path / "new.csv", index=False)
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    fit = ["fit", tmp_path / "old.csv", "-t", "y", "--model", "additive", "--lambda0", 1, "-o", model]
    assert run(capsys, *fit)[0] == 0
    report = ["report", model, tmp_path / "new.csv", "--handle-unknown", "warn", "-o", page]
    status, _, err = run(capsys, *report)
    assert status == 0, err
    assert err.count("holds 'new'") == 1
    assert "in data row 4, a category that training did not see (and 2 further rows" in err


def test_many_items_are_no_fault_for_a_machine(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, n = np.random.default_rng(0), 900
    items = np.char.add("i", rng.integers(1, 80, n).astype(str))
    pd.DataFrame({"item": items, "age": rng.normal(40, 9, n), "stars": rng.integers(1, 6, n)}).to_csv(
        "ratings.csv", index=False
    )
    fit = ["fit", "ratings.csv", "-t", "stars", "--task", "regression", "--alpha", 5]
    doctor = ["doctor", "ratings.csv", "-t", "stars"]
    for command in (fit, doctor):
        _, out, err = run(capsys, *command, "--model", "fm")
        assert "categories" not in out + err
        _, out, err = run(capsys, *command, "--model", "rules")
        assert "--model fm takes many users or items" in " ".join((out + err).split())


def test_doctor_tells_how_ratings_are_read(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, n = np.random.default_rng(0), 2000
    ratings = pd.DataFrame({"user": rng.integers(1, 150, n), "item": rng.integers(1, 80, n)})
    ratings.assign(stars=rng.integers(1, 6, n)).to_csv("ratings.csv", index=False)
    for more in ([], ["--model", "fm"]):
        status, out, err = run(capsys, "doctor", "ratings.csv", "-t", "stars", *more)
        assert status == 0, err
        assert "--model fm --categorical user item learns" in " ".join(out.split())
    assert "no findings" in run(capsys, "doctor", "ratings.csv", "-t", "stars", "--model", "rules")[1]
    plain = pd.DataFrame({"age": rng.integers(18, 80, n), "home": rng.choice(["own", "rent"], n)})
    plain.assign(ill=rng.random(n) < 0.5).to_csv("plain.csv", index=False)
    for model in ("fm", "rules", "additive", "l0", "hierarchy"):
        status, _, err = run(capsys, "doctor", "plain.csv", "-t", "ill", "--model", model)
        assert (status, err) == (0, "")


def test_words_that_are_read_as_missing_are_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": rng.choice(["job", "n/a", "none yet"], 300), "home": ["own", ""] * 150})
    frame["h"] = np.where(rng.random(300) < 0.1, "?", "7")
    frame["y"] = np.where((frame["job"] == "n/a") ^ (rng.random(300) < 0.1), "bad", "good")
    frame.loc[:1, "job"] = ["NA ", " n/a"]
    frame.to_csv("data.csv", index=False)
    count = int(frame["job"].str.strip().isin(["n/a", "NA"]).sum())
    wanted = f"read as missing: {count} cells of 'job' (n/a, NA); exported models do not know"
    for command in ("fit data.csv -t y --alpha 0.02 -o m.json", "doctor data.csv"):
        status, _, err = run(capsys, *command.split())
        assert status == 0
        assert err.count("read as missing") == 1
        assert wanted in err
    frame.to_parquet("data.parquet")
    for more in ("data.csv -t y --drop job", "data.csv -t y --exclude job", "data.parquet -t y"):
        assert "read as missing" not in run(capsys, *f"fit {more} --alpha 0.02".split())[2]
    texts = run(capsys, "export", "m.json", "--to", "python", "--handle-unknown", "missing")[1]
    made = {}
    exec(texts, made)
    assert made["score"]({"job": "n/a"}) == made["score"]({"job": None})


def test_advice_of_doctor_is_in_the_words_of_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"km run": rng.integers(5, 30, 300).astype(float), "b": rng.normal(size=300)})
    frame.loc[:30, "km run"], frame.loc[31:60, "km run"], frame.loc[:9, "b"] = -9999, 9999, -9999
    frame["rank"] = pd.Categorical(rng.choice(list("abc"), 300), ordered=True)
    frame["income"] = 10.0 ** rng.normal(0, 1.5, 300)
    frame["inf"] = np.where(rng.random(300) < 0.01, np.inf, frame["b"])
    frame.to_parquet("data.parquet")
    for target in ("income", "rank"):
        status, out, err = run(capsys, "doctor", "data.parquet", "-t", target)
        assert status == 0
        assert "--special-codes 'km run=-9999,9999' b=-9999\n" in out
        assert "leave its cells empty, or give --special-codes (--model" in " ".join(out.split())
        assert not re.search(r"pandas|NaN|special_codes|='|\w_\w", out)
        assert "options in the advice are those of thresher fit" in err
        assert ("--loss huber" in out) == (target == "income")
