"""The command line on files as people have them: codes with leading zeros, spaces, decimal commas, dates."""

import sqlite3
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thresher import (
    GraphRegressor,
    ItemsetRegressor,
    L0AdditiveClassifier,
    RuleClassifier,
    RuleRegressor,
    SequenceClassifier,
    compare_models,
    examine,
    load_model,
)
from thresher.cli import commands as cli
from thresher.cli.columns import split_target
from thresher.cli.task import guess_task
from thresher.data.budget import Budget
from thresher.data.table_files import read_table
from thresher.progress import Progress

from .data import MOLECULES

N = 60
CODES = [("01067", "01099", "80331")[k % 3] for k in range(N)]
ILL = ["yes" if code == "01067" else "no" for code in CODES]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    status = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def done(capsys, *arguments):
    status, out, err = run(capsys, *arguments)
    assert status == 0, err
    return out, err


def write(name, **columns):
    pd.DataFrame(columns).to_csv(name, index=False)


def read(folder, *cells):
    (folder / "c.csv").write_text("c,d\n" + "".join(f"{cell},1\n" for cell in cells))
    return read_table(folder / "c.csv")["c"].tolist()


# ------------------------------------------------------------------ leading zeros


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["01067", "80331"], ["01067", "80331"]),
        (["007", "7", ""], ["007", "7", None]),
        (["00", "12"], ["00", "12"]),
        ([" 01 ", "2"], [" 01 ", "2"]),
        (["0", "10"], [0.0, 10.0]),
        (["0.5", "-0.5"], [0.5, -0.5]),
        (["1e05", "0"], [100000.0, 0.0]),
        (["007", "0.5"], [7.0, 0.5]),
        (["-07", "07"], [-7.0, 7.0]),
        (["08:30", "09:15"], ["08:30", "09:15"]),
        (["08", "x"], ["08", "x"]),
    ],
)
def test_digits_with_leading_zeros_stay_text(folder, cells, expected):
    assert read(folder, *cells) == expected


def test_the_reader_may_say_what_a_column_is(folder):
    read(folder, "007", "8")
    assert read_table("c.csv", numbers={"c"})["c"].tolist() == [7.0, 8.0]
    assert read_table("c.csv", text={"c"}, numbers={"c"})["c"].tolist() == ["007", "8"]


@pytest.mark.parametrize("model", ["rules", "additive"])
def test_postal_codes_are_categories(capsys, folder, model):
    write("d.csv", plz=CODES, ill=ILL)
    strength = ["--alpha", 0.01] if model == "rules" else ["--lambda0", 0.5]
    out, err = done(capsys, "fit", "d.csv", "-t", "ill", "--model", model, *strength, "-o", "m.json")
    assert "'plz' is used as text because of leading zeros such as '01067'" in err
    assert "01067" in out
    # A new file without any leading zero holds text too, since the model has text.
    write("new.csv", plz=["80331", "80331"])
    assert "no" in done(capsys, "predict", "m.json", "new.csv")[0]
    assert "no" in done(capsys, "predict", "m.json", "new.csv", "--from-disk")[0]
    done(capsys, "verify", "m.json", "d.csv")
    sql = done(capsys, "export", "m.json", "--to", "sql", "--table", "t")[0]
    with sqlite3.connect(":memory:") as base:
        pd.read_csv("d.csv", dtype=str).to_sql("t", base, index=False)
        assert all(None not in row for row in base.execute(sql).fetchall())
    assert "holds leading zeros such as '01067'" in done(capsys, "doctor", "d.csv")[0]


def test_numbers_of_a_model_stay_numbers(capsys):
    write("d.csv", age=list(range(N)), price=[float(k > 30) for k in range(N)])
    done(capsys, "fit", "d.csv", "-t", "price", "--task", "regression", "--alpha", 0.01, "-o", "m.json")
    write("new.csv", age=["007", "40"])
    out, _ = done(capsys, "predict", "m.json", "new.csv")
    assert [float(line.split(",")[-1]) > 0.5 for line in out.splitlines()[1:]] == [False, True]


def test_targets_are_read_as_the_model_has_them(capsys):
    write("d.csv", x=[k % 3 for k in range(N)], y=["01" if k % 3 else "10" for k in range(N)])
    done(capsys, "fit", "d.csv", "-t", "y", "--alpha", 0.01, "-o", "m.json")
    assert load_model("m.json").classes_.tolist() == ["01", "10"]
    write("half.csv", x=[0, 1], y=["10", "10"])
    done(capsys, "report", "m.json", "half.csv", "-o", "r.html")
    done(capsys, "fit", "d.csv", "-t", "y", "--task", "regression", "--alpha", 0.01, "-o", "r.json")
    done(capsys, "verify", "r.json", "d.csv")


# ------------------------------------------------------------------ spaces


def test_texts_keep_their_spaces(folder):
    assert read(folder, "a ", " b", "  ", " NA ") == ["a ", " b", None, None]
    assert read(folder, " 1 ", "2 ") == [1.0, 2.0]
    assert read(folder, " true", "False ") == [True, False]
    (folder / "h.csv").write_text(" a , b\n1,x\n")
    assert read_table("h.csv").names == ["a", "b"]


def test_sql_finds_categories_with_spaces(capsys):
    kinds = [("gym", "other ", "other")[k % 3] for k in range(N)]
    write("d.csv", kind=kinds, ill=["yes" if kind == "other " else "no" for kind in kinds])
    _, err = done(capsys, "fit", "d.csv", "-t", "ill", "--alpha", 0.01, "-o", "m.json")
    assert "'kind' has categories that differ in spaces alone: 'other ' and 'other'" in err
    assert "spells categories in two ways: 'other ' and 'other'" in done(capsys, "doctor", "d.csv")[0]
    done(capsys, "predict", "m.json", "d.csv", "-o", "p.csv")
    found = pd.read_csv("p.csv")
    assert (found["prediction"] == found["ill"]).all()
    # What the command line and pandas read is the same.
    model = RuleClassifier(alpha=0.01).fit(pd.read_csv("d.csv")[["kind"]], pd.read_csv("d.csv")["ill"])
    assert (model.predict(pd.read_csv("d.csv")[["kind"]]) == found["prediction"]).all()
    sql = done(capsys, "export", "m.json", "--to", "sql", "--table", "t")[0]
    with sqlite3.connect(":memory:") as base:
        pd.read_csv("d.csv").to_sql("t", base, index=False)
        assert all(None not in row for row in base.execute(sql).fetchall())


@pytest.mark.filterwarnings("always:y has classes that differ")
def test_classes_that_differ_in_spaces_are_named(capsys):
    write("d.csv", x=[k % 3 for k in range(N)], ill=["no", "yes", "yes "] * 20)
    err = done(capsys, "fit", "d.csv", "-t", "ill", "--alpha", 0.1)[1]
    assert err.count("y has classes that differ in spaces or case alone: 'yes', 'yes '") == 1


# ------------------------------------------------------------------ molecules


def test_molecules_keep_the_target(capsys):
    table = {"mol": [*(f" {text}" for text in MOLECULES * 3), "C1CC"], "acid": [*["yes", "no"] * 12, "no"]}
    write("d.csv", **table)
    fit = ("fit", "d.csv", "--model", "graphs", "--smiles", "mol", "-t", "acid", "--alpha", 0.01)
    done(capsys, *fit, "--on-invalid", "skip", "-o", "m.json")
    done(capsys, "verify", "m.json", "d.csv", "--smiles", "mol")
    done(capsys, "patterns", "m.json", "d.csv", "--smiles", "mol")
    _, err = done(capsys, "report", "m.json", "d.csv", "--smiles", "mol", "-o", "r.html")
    assert "no metrics" not in err


# ------------------------------------------------------------------ many classes


def test_a_class_for_each_row_is_refused_at_once(capsys):
    write(
        "d.csv", x=[k % 7 for k in range(N)], id=[f"A{k}" for k in range(N)], n=[float(k) for k in range(N)]
    )
    status, _, err = run(capsys, "fit", "d.csv", "-t", "id")
    assert status == 1
    assert "the target 'id' has 60 different values in 60 rows" in err
    assert "give another --target" in err
    status, _, err = run(capsys, "fit", "d.csv", "-t", "n", "--drop", "id", "--task", "classification")
    assert "--task regression predicts numbers" in err
    X = pd.read_csv("d.csv")
    with pytest.raises(ValueError, match=r"y holds 60 classes in 60 rows, such as 'A0'.*another target"):
        L0AdditiveClassifier(lambda0=5).fit(X[["x"]], X["id"])
    with pytest.raises(ValueError, match="for numbers fit a RuleRegressor"):
        RuleClassifier().fit(X[["x"]], X["n"].astype(int))
    RuleClassifier(alpha=0.1).fit(X[["x"]], X["id"].str[-1])  # 10 classes


def test_the_clock_is_looked_at_once_classes_are_read(monkeypatch):
    seen = []
    monkeypatch.setattr(Budget, "check_time", lambda _self, progress, _grace=0.1: seen.append(progress))
    RuleClassifier(alpha=0.1).fit(np.arange(40.0)[:, None], ["a", "b"] * 20)
    assert "after y had been read" in seen


# ------------------------------------------------------------------ dates and decimal commas


def test_dates_are_no_odd_numbers(capsys):
    days = [f"{1 + k % 28:02d}.0{1 + k % 9}.2024" for k in range(N)]
    write("d.csv", **{"date of application": days}, x=[k % 5 for k in range(N)], ill=ILL)
    _, err = done(capsys, "fit", "d.csv", "-t", "ill", "--alpha", 0.1, "--keep", "date of application")
    assert "date of application" not in err
    assert "holds dates, such as '01.01.2024'" in done(capsys, "doctor", "d.csv")[0]
    for target in (np.array(days, dtype=object), np.array(["2024-01-05"] * N, dtype="datetime64[ns]")):
        with pytest.raises(
            ValueError, match=r"^the target 'when' holds dates such as '.*2024.*'; predict a num"
        ):
            guess_task(target, "when")
    assert guess_task(np.array(["2024", "2025 A"] * 9, dtype=object)) == "classification"


def test_a_cell_that_is_no_number_is_in_the_same_row_for_all(capsys):
    write("d.csv", w=["12kg" if k == 10 else k % 7 for k in range(N)], ill=ILL)
    assert (
        "because of '12kg' in data row 11; " in done(capsys, "fit", "d.csv", "-t", "ill", "--alpha", 0.1)[1]
    )
    assert "holds numbers as text, and '12kg' in data row 11\n" in done(capsys, "doctor", "d.csv")[0]


def test_a_table_all_of_whose_columns_are_left_out_says_why(capsys):
    days = pd.date_range("2024-01-01", periods=N)
    write("d.csv", share=[f"{k / 7:.3f}%" for k in range(N)], day=days, ill=ILL)
    status, _, err = run(capsys, "fit", "d.csv", "-t", "ill")
    assert status == 1
    assert (
        "error: there is no column left to predict 'ill' from: left out 'share': it holds numbers, but "
        in err
    )
    assert "because of '0.000%' in data row 1; correct such cells" in err
    assert ". left out 'day': it holds dates such as '2024-01-01'" in err
    pd.DataFrame({"day": days, "ill": ILL}).to_parquet("d.parquet")
    _, _, err = run(capsys, "fit", "d.parquet", "-t", "ill", "--from-disk")
    assert "no column left to predict 'ill' from: left out 'day': it holds dates such as '2024-01-01'" in err


def test_decimal_commas_are_named(capsys):
    write("d.csv", x=[f"{k % 5},5" for k in range(N)], ill=ILL)
    _, err = done(capsys, "fit", "d.csv", "-t", "ill", "--alpha", 0.1)
    assert "'x' is used as text because of numbers with a decimal comma such as '0,5'; write a dec" in err
    out, _ = done(capsys, "doctor", "d.csv")
    assert "holds numbers with a decimal comma such as '0,5'" in out
    assert "write a decimal point" in out
    assert "such cells" not in out


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["1.159,38", "3,5", "7"], "numbers with a decimal comma such as '1.159,38'"),
        (["1,159.38", "3.5", "7"], "'1,159.38' in row 0"),
        (["1,159", "3", "7"], "'1,159' in row 0"),
        (["1,159", "0,159", "7"], "numbers with a decimal comma such as '0,159'"),
        (["4,5", "3", "x"], "'4,5' in row 0"),
    ],
)
def test_commas_that_are_not_decimal(cells, found):
    table = pd.DataFrame({"c": cells * 20})
    advice = [finding for finding in examine(table).findings if finding.column == "c"]
    assert found in advice[0].found


def test_a_column_that_is_left_out_says_why(folder):
    write("d.csv", id=[f"{k:05d}" for k in range(120)], y=[float(k % 2) for k in range(120)], x=range(120))
    notes = split_target(read_table("d.csv"), "y").notes
    found = "left out 'id': 120 different texts in 120 rows; they are text because of leading zeros such as"
    assert notes == [f"{found} '00000'; write numbers without them (--keep id uses it)"]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("{},5", "text because of numbers with a decimal comma such as '1,5'; write a decimal point"),
        ("{},000", "text because of '1,000' in data row 1; correct such cells or leave them empty"),
        ("{}%", "text because of '1%' in data row 1; correct such cells or leave them empty"),
        (">{}", None),
    ],
)
def test_a_column_of_numbers_that_is_left_out_says_which_cells_to_mend(folder, text, note):
    write(
        "d.csv",
        x=[text.format(k + 1) for k in range(120)],
        y=[float(k % 2) for k in range(120)],
        z=range(120),
    )
    [found] = split_target(read_table("d.csv"), "y").notes
    if note is None:
        assert found == "left out 'x': 120 different texts in 120 rows (--keep x uses it)"
    else:
        assert found.startswith(f"left out 'x': it holds numbers, but is {note}")
        assert "--keep" not in found


# ------------------------------------------------------------------ messages


def test_options_of_the_other_task(capsys):
    write("d.csv", x=[k % 7 for k in range(N)], price=[k % 5 + 0.5 for k in range(N)])
    fit = ("fit", "d.csv", "-t", "price", "--model", "additive")
    _, _, err = run(capsys, *fit, "--pos-label", "x")
    assert err.endswith("--pos-label is for classes; this is a regression (--task chooses)\n")
    _, _, err = run(capsys, *fit, "--balanced")
    assert "--balanced is for classes; this is a regression" in err
    _, _, err = run(capsys, *fit, "--task", "classification")
    assert "the target holds numbers such as 0.5, which are no classes; name the column of classes" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scorecard", "m.json", "--pdo", "abc"), "argument --pdo: got 'abc'; give a number"),
        (("report", "m.json", "-o", "r.html", "--rows", "1.5"), "--rows: got '1.5'; give a whole number"),
        (("demo", "--n-jobs", "all"), "--n-jobs: got 'all'; give a whole number"),
    ],
)
def test_options_that_are_no_numbers(capsys, arguments, message):
    with pytest.raises(SystemExit):
        cli.main(arguments)
    assert message in capsys.readouterr().err


def test_commands_in_notes_can_be_pasted():
    texts = [f"T{k}" for k in range(120)]
    write("d.csv", **{"at (UTC)": texts}, x=[k % 7 for k in range(120)], y=range(120))
    assert split_target(read_table("d.csv"), "y").notes == [
        "left out 'at (UTC)': 120 different texts in 120 rows (--keep 'at (UTC)' uses it)"
    ]


def test_lines_of_progress_are_readable(caplog):
    progress = Progress(RuleRegressor(), 0)
    with caplog.at_level("INFO", logger="thresher"):
        progress._log("path", 1, 1, "1 patterns, relative gap -1.1e-14")
        progress._log("path", 1, 1, "11 patterns, relative gap 1.1e-14")
    assert [record.getMessage() for record in caplog.records] == [
        "path 1/1: 1 pattern, relative gap 0",
        "path 1/1: 11 patterns, relative gap 1.1e-14",
    ]


def test_events_that_the_model_does_not_know_are_told():
    model = SequenceClassifier(alpha=0.05).fit([["reviews", "cart"], ["help"]] * 20, ["yes", "no"] * 20)
    with pytest.warns(UserWarning, match="no event of these records was in training.*'r'.*lists of them"):
        model.predict(["reviews", "cart"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict([["reviews"], ["new"], []])
        model.predict([[]])


def test_a_pattern_of_a_molecule_needs_a_bond():
    model = GraphRegressor(alpha=0.05).fit(MOLECULES * 3, np.arange(24.0))
    with pytest.raises(ValueError, match="got 'C'; a pattern is a connected graph with at least one bond"):
        model.price("C")


def test_models_of_a_table_are_compared(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((200, 2)), columns=["age", "bmi"]).assign(home=list("ab") * 100)
    frame["ill"] = np.where((frame["age"] > 0.5) & (frame["home"] == "a"), "yes", "no")
    frame.to_csv("data.csv", index=False)
    for name, more in (("rules", ()), ("other", ("--drop", "bmi"))):
        fit = ("fit", "data.csv", "-t", "ill", "--alpha", 0.02, *more, "-o", f"{name}.json")
        assert run(capsys, *fit)[0] == 0
    status, out, err = run(capsys, "compare", "rules.json", "other.json", "data.csv")
    assert (status, err) == (0, "")
    wanted = compare_models({name: load_model(f"{name}.json") for name in ("rules", "other")}, frame)
    assert out.strip() == str(wanted)
    status, _, err = run(capsys, "compare", "rules.json", "data.csv")
    assert (status, err) == (2, "thresher: error: give two or more models, then the file of rows\n")
    status, _, err = run(capsys, "compare", "rules.json", "data.csv", "data.csv")
    assert status == 1
    assert "data.csv: not a valid thresher model" in err
    frame["ill"] = np.where(frame["age"] > 0.9, "never", frame["ill"])
    frame.to_csv("three.csv", index=False)
    assert run(capsys, "fit", "three.csv", "-t", "ill", "--alpha", 0.02, "-o", "three.json")[0] == 0
    status, _, err = run(capsys, "compare", "rules.json", "three.json", "data.csv")
    assert status == 1
    assert err.startswith("thresher: error: 'rules' has the classes 'no', 'yes', 'three'")
    ItemsetRegressor(alpha=0.1).fit([["a"], ["b"]] * 5, [0.0, 1.0] * 5).to_json("items.json")
    for models in (("rules.json", "items.json"), ("items.json", "rules.json")):
        status, _, err = run(capsys, "compare", *models, "data.csv")
        assert status == 2
        assert "read different data; give models of one kind" in err


@pytest.mark.filterwarnings("default:ordered categories")
@pytest.mark.parametrize("write", ["pandas", "polars"])
@pytest.mark.parametrize("options", [(), ("--from-disk",)], ids=["read at once", "in batches"])
def test_ordered_categories_of_a_parquet_file_are_told(capsys, write, options):
    answers = ["no", "maybe", "yes"] * 20
    frame = pd.DataFrame({"q": pd.Categorical(answers, ["no", "maybe", "yes"], ordered=True)})
    frame = frame.assign(z=pd.Categorical(answers), x=range(60), y=np.arange(60) % 7)
    if write == "polars":
        pl.from_pandas(frame).with_columns(
            pl.Series("q", answers, pl.Enum(frame["q"].cat.categories))
        ).write_parquet("q.parquet")
    else:
        frame.to_parquet("q.parquet")
    assert cli.main(["fit", "q.parquet", "--target", "y", "--alpha", "1", *options]) == 0
    assert "the order of 'q' is not used" in capsys.readouterr().err
    assert cli.main(["doctor", "q.parquet", "--target", "y"]) == 0
    assert "has ordered categories" in capsys.readouterr().out
    assert cli.main(["fit", "q.parquet", "--target", "q", "--alpha", "1"]) == 0
    assert "note: 'q' has ordered categories, whose order is not used" in capsys.readouterr().err
