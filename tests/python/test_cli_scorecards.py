"""Score cards in points on the command line."""

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import CertificateError, L0AdditiveClassifier, ScaledCard, load_model
from thresher.cli import commands as cli

from .test_cli import run
from .test_scorecard import loans


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Rows of training and new rows, a model and its card."""
    folder = tmp_path_factory.mktemp("cards")
    frame, y = loans(500)
    frame = frame.drop(columns=["one", "empty"]).assign(
        bad=np.where(y == "bad", "yes", "no"), month=np.where(np.arange(500) < 250, "2024-01", "2024-02")
    )
    frame.to_csv(folder / "loans.csv", index=False)
    frame.assign(bad=frame["bad"].where(frame["month"] == "2024-01")).to_csv(folder / "new.csv", index=False)
    return folder


@pytest.fixture
def folder(files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    if not (files / "model.json").exists():
        fit = ["fit", "loans.csv", "-t", "bad", "--drop", "month", "--model", "additive", "--lambda0", 2]
        assert run(capsys, *fit, "--handle-unknown", "missing", "-o", "model.json")[0] == 0
        assert run(capsys, "scorecard", "model.json", "--base", "lowest", "-o", "card.json")[0] == 0
    return files


def test_scorecard_prints_and_writes(folder, capsys):
    status, out, err = run(
        capsys, "scorecard", "model.json", "--pdo", 40, "--base-odds", 10, "--high-score", "high_risk",
        "--exact", "--output", "other.json",
    )  # fmt: skip
    assert status == 0, err
    assert "odds of class 'yes' to class 'no' are 10:1; 40 points more double them" in out
    assert "written to other.json" in err
    card = ScaledCard.from_json("other.json")
    assert str(card) == out.strip()
    assert not card.whole
    status, again, _ = run(capsys, "scorecard", "other.json")
    assert again == out
    status, table, _ = run(capsys, "scorecard", "card.json", "--format", "csv")
    assert table.splitlines()[0] == "feature,bin,points,support,lower,upper"
    assert len(table.splitlines()) == 1 + len(ScaledCard.from_json("card.json").columns()["bin"])
    status, text, _ = run(capsys, "scorecard", "model.json", "--output", "-")
    assert json.loads(text)["format"] == "thresher.scaled_card"


def test_predict_writes_reasons(folder, capsys):
    status, _, err = run(capsys, "predict", "card.json", "loans.csv", "--reasons", 2, "-o", "scores.csv")
    assert status == 0, err
    written = pd.read_csv("scores.csv")
    card = ScaledCard.from_json("card.json")
    found = card.reasons(pd.read_csv("loans.csv"), 2).reasons
    for k in range(2):
        expected = [text or "" for text in found[:, k].tolist()]
        assert written[f"reason {k + 1}"].fillna("").tolist() == expected
    for arguments, message in (
        (("model.json", "--reasons", 2), "--reasons is for cards in points"),
        (("card.json", "--reasons", -1), "n: got -1"),
    ):
        status, _, err = run(capsys, "predict", arguments[0], "loans.csv", *arguments[1:])
        assert status == 1
        assert message in err


def test_predict_writes_scores(folder, capsys):
    status, _, err = run(capsys, "predict", "card.json", "loans.csv", "-o", "scores.csv")
    assert status == 0, err
    card, written = load_model("card.json"), pd.read_csv("scores.csv")
    names = card.model.feature_names_in_
    assert written["score"].tolist() == card.score(written[names]).tolist()
    np.testing.assert_allclose(written["probability of yes"], card.probability(written["score"]), rtol=1e-5)
    assert "prediction" not in written


def test_export_writes_the_card(folder, capsys):
    status, out, _ = run(capsys, "export", "card.json", "--to", "sql", "--table", "loans", "--keep", "month")
    assert status == 0
    assert out.strip() == ScaledCard.from_json("card.json").to_sql("loans", keep="month").strip()
    status, out, _ = run(capsys, "export", "card.json", "--to", "python")
    assert out.strip() == ScaledCard.from_json("card.json").to_python().strip()
    assert run(capsys, "export", "card.json", "--to", "excel", "-o", "card.xlsx")[0] == 0
    status, _, err = run(capsys, "export", "card.json", "--to", "c")
    assert status == 1
    assert "a score card in points has sql, python, pmml, excel" in err


def test_monitor_prints_columns_and_periods(folder, capsys):
    status, out, err = run(
        capsys, "monitor", "card.json", "loans.csv", "new.csv", "--target", "bad", "--period", "month"
    )
    assert status == 0, err
    card, old, new = load_model("card.json"), pd.read_csv("loans.csv"), pd.read_csv("new.csv")
    names = card.model.feature_names_in_
    wanted = card.monitor(
        old[names], new[names], y_reference=old["bad"], y_new=new["bad"], period=new["month"]
    )
    assert out.strip() == f"{wanted}\n\n{wanted.periods}"
    status, table, _ = run(capsys, "monitor", "card.json", "loans.csv", "new.csv", "--format", "csv")
    assert table.splitlines()[1].startswith("reference,500")
    assert table.splitlines()[2].startswith("new,500")
    status, _, err = run(capsys, "monitor", "card.json", "loans.csv", "new.csv", "--weights", "age")
    assert status == 0, err


def test_monitor_takes_the_target_that_the_card_keeps(folder, capsys):
    files = ("card.json", "loans.csv", "new.csv")
    assert run(capsys, "monitor", *files) == run(capsys, "monitor", *files, "--target", "bad")
    pd.read_csv("new.csv").drop(columns="bad").to_csv("bare.csv", index=False)
    status, _, err = run(capsys, "monitor", "card.json", "loans.csv", "bare.csv")
    assert status == 0
    assert "note: no AUC, Gini and KS, since bare.csv lacks 'bad', which the card predicts" in err


@pytest.mark.parametrize(
    ("by", "periods"),
    [("month", ["2024-01", "2024-02", "2024-03"]), ("quarter", ["2024Q1"]), ("year", ["2024"])],
)
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%dT09:00:00"])
def test_periods_of_dates(folder, capsys, by, periods, form):
    days = pd.Timestamp("2024-01-30") + pd.to_timedelta(np.arange(500) % 2 * 40, unit="D")
    pd.read_csv("new.csv").assign(day=days.strftime(form)).to_csv("days.csv", index=False)
    monitor = ("monitor", "card.json", "loans.csv", "days.csv", "--period", "day")
    status, out, err = run(capsys, *monitor, "--by", by, "--format", "csv")
    assert status == 0, err
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["reference", *periods]
    status, _, err = run(capsys, *monitor)
    assert "note: 'day' holds dates, and each is a period; --by month (or quarter, year)" in err


def test_periods_that_are_no_dates(folder, capsys):
    monitor = ("monitor", "card.json", "loans.csv", "new.csv")
    _, _, err = run(capsys, *monitor, "--period", "month", "--by", "year")
    assert "--by: the column 'month' has '2024-01' in data row 1; dates are written 2026-12-31" in err
    assert "--by needs dates; name their column with --period" in run(capsys, *monitor, "--by", "year")[2]


def test_columns_are_excluded(folder, capsys):
    fit = ["fit", "loans.csv", "-t", "bad", "--model", "additive", "--lambda0", 2, "-o", "without.json"]
    status, _, err = run(capsys, *fit, "--exclude", "month", "age")
    assert status == 0, err
    model = load_model("without.json")
    assert model.exclude == ["month", "age"]
    assert not {"month", "age"} & {shape.feature_name for shape in model.shape_functions_}
    frame = pd.read_csv("loans.csv").drop(columns=["month", "age", "bad"])
    frame.to_csv("narrow.csv", index=False)
    assert run(capsys, "predict", "without.json", "narrow.csv", "-o", "narrow-out.csv")[0] == 0
    status, _, err = run(capsys, *fit, "--exclude", "agee")
    assert status == 1
    assert "exclude: there is no column 'agee'" in err


def test_the_help_lists_the_trends(capsys):
    with pytest.raises(SystemExit):
        cli.main(["fit", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    words = ('"auto"', '"peak"', '"valley"', '"convex"', '"concave"')
    assert all(word in shown.partition("--monotonic-cst")[2] for word in words)


def test_a_card_has_a_report(folder, capsys):
    compare = ["--compare", "model.json"]
    status, _, err = run(capsys, "report", "card.json", "loans.csv", "-t", "bad", "-o", "c.html", *compare)
    assert status == 0, err
    page = (folder / "c.html").read_text(encoding="utf-8")
    assert "Base points" in page
    assert "Bands of the score" in page


def test_a_report_takes_weights(folder, capsys):
    fit = ["report", "model.json", "loans.csv", "-t", "bad", "--weights", "age", "-o", "page.html"]
    status, _, err = run(capsys, *fit)
    assert status == 0, err
    assert "by its weight" in (folder / "page.html").read_text(encoding="utf-8")
    status, _, err = run(capsys, *fit[:2], "--weights", "age", "-o", "page.html")
    assert status == 1
    assert "--weights needs rows" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scorecard", "card.json", "--pdo", 30], "is a card in points already"),
        (["scorecard", "card.json", "--exact"], "is a card in points already"),
        (["scorecard", "model.json", "--pdo", 0], "--pdo: got 0.0"),
        (["scorecard", "model.json", "--base-odds", -1], "--base-odds: got -1.0"),
        (["scorecard", "rules.json"], "a RuleClassifier has no points"),
        (["scorecard", "model.json", "-o", "model.json"], "would be lost"),
        (["monitor", "model.json", "loans.csv", "new.csv"], "is no card in points"),
        (
            ["monitor", "card.json", "loans.csv", "new.csv", "--target", "good"],
            "there is no target column 'good'",
        ),
        (
            ["monitor", "card.json", "loans.csv", "new.csv", "--period", "day"],
            "there is no period column 'day'",
        ),
    ],
)
def test_wrong_use_is_explained(folder, capsys, arguments, words):
    if "rules.json" in arguments and not (folder / "rules.json").exists():
        fit = ["fit", "loans.csv", "-t", "bad", "--max-features", 1, "--alpha", 0.05, "-o", "rules.json"]
        assert run(capsys, *fit)[0] == 0
    status, _, err = run(capsys, *arguments)
    assert status == 1
    assert words in err


def test_a_card_in_points_has_a_report_with_rows(folder, capsys):
    for more in ([], ["loans.csv"], ["loans.csv", "--target", "bad", "--compare", "model.json"]):
        status, _, err = run(capsys, "report", "card.json", *more, "--output", "points.html")
        assert status == 0, err
    status, _, err = run(capsys, "export", "card.json", "--to", "sql", "-o", "card.sql")
    assert status == 0, err


def labels(folder):
    frame = pd.read_csv(folder / "loans.csv")
    return frame, frame["bad"]


def test_bins_prints_the_binning_table(folder, capsys):
    frame, y = labels(folder)
    model = load_model("model.json")
    status, out, err = run(capsys, "bins", "model.json", "loans.csv")
    assert status == 0, err
    assert out.strip() == str(model.binning_table(frame[model.feature_names_in_], y))
    weights = 1 + np.arange(len(frame)) % 3
    frame.assign(weight=weights).to_csv("weighted.csv", index=False)
    status, out, err = run(
        capsys, "bins", "model.json", "weighted.csv", "--weights", "weight", "--format", "csv"
    )
    assert status == 0, err
    expected = model.binning_table(frame[model.feature_names_in_], y, weights).columns()
    assert out.splitlines()[0] == ",".join(expected)
    assert len(out.splitlines()) == 1 + len(expected["bin"])


def test_bins_of_edits(folder, tmp_path, capsys):
    frame, y = labels(folder)
    model = load_model("model.json")
    used = model.shape_functions_[0].feature_name
    bins, edited = tmp_path / "bins.json", tmp_path / "edited.json"
    bins.write_text(json.dumps({used: None}))
    status, out, err = run(capsys, "bins", "model.json", "loans.csv", "--edit", bins, "-o", edited)
    assert status == 0, err
    expected = model.edit_bins(frame[model.feature_names_in_], y, {used: None})
    assert out.strip() == str(expected)
    assert "written to" in err
    X = frame[model.feature_names_in_]
    assert load_model(edited).decision_function(X).tolist() == expected.model.decision_function(X).tolist()
    status, out, _ = run(capsys, "bins", "model.json", "loans.csv", "--edit", bins, "-o", "-")
    assert json.loads(out) == json.loads(edited.read_text())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[1, 2]", "give a JSON object of columns to their bins"),
        ("{}", "give a dict of a column to its bins"),
        ('{"nowhere": [1]}', "there is no column 'nowhere'"),
        ('{"age": ["young"]}', "age"),
        ('{"age": {"a": 1}}', "age"),
    ],
)
def test_bad_edits_are_refused(folder, tmp_path, capsys, text, message):
    bins, edited = tmp_path / "bins.json", tmp_path / "edited.json"
    bins.write_text(text)
    status, out, err = run(capsys, "bins", "model.json", "loans.csv", "--edit", bins, "-o", edited)
    assert status == 1
    assert message in err
    assert not out
    assert not edited.exists()


def test_importances_are_those_of_the_model(folder, capsys):
    frame, y = labels(folder)
    model = load_model("model.json")
    status, out, err = run(capsys, "importances", "model.json", "loans.csv", "--time-limit", 20)
    assert status == 0, err
    found = model.drop_column_importance(frame[model.feature_names_in_], y, time_limit=20)
    assert out.strip() == str(found)


def test_bands_of_a_card(folder, capsys):
    frame, y = labels(folder)
    card = load_model("card.json")
    X = frame[card.model.feature_names_in_]
    status, out, err = run(capsys, "bands", "card.json", "loans.csv", "--bands", 4)
    assert status == 0, err
    assert out.strip() == str(card.bands(X, y, bands=4))
    status, out, err = run(capsys, "bands", "card.json", "loans.csv", "--between", 100, 200)
    assert status == 0, err
    assert out.strip() == str(card.bands(X, y, bands=[100.0, 200.0]))
    X.to_csv("rows.csv", index=False)
    status, out, err = run(capsys, "bands", "card.json", "rows.csv")
    assert status == 0, err
    assert "note: no event rates" in err
    assert out.strip() == str(card.bands(X))


def test_commands_for_cards_refuse_other_models(folder, capsys):
    for arguments, message in (
        (("bins", "card.json", "loans.csv"), "give the model that it comes from"),
        (("bins", "model.json", "loans.csv", "-o", "x.json"), "--output writes a model with other bins"),
        (("importances", "model.json", "loans.csv", "--gap-tol", -1), "--gap-tol: got -1"),
        (("bands", "model.json", "loans.csv"), "is no card in points"),
        (("bands", "card.json", "loans.csv", "--between", 5, 5), "ascending"),
        (("bands", "card.json", "loans.csv", "--bands", 1), "bands: got 1"),
    ):
        status, _, err = run(capsys, *arguments)
        assert status == 1, arguments
        assert message in err


def test_predict_of_no_rows_writes_the_header(folder, capsys):
    (folder / "none.csv").write_text((folder / "loans.csv").read_text().splitlines()[0] + "\n")
    for model, more in (("card.json", ["score"]), ("model.json", ["prediction", "probability of no"])):
        for option in ([], ["--from-disk"]):
            status, out, err = run(capsys, "predict", model, "none.csv", *option)
            assert status == 0, err
            assert len(out.splitlines()) == 1
            for name in (*more, "probability of yes"):
                assert name in out.strip().split(",")
    (folder / "few.csv").write_text("age\n")
    assert run(capsys, "predict", "card.json", "few.csv")[0] == 1


def test_predict_writes_all_digits_where_they_are_asked_for(folder, capsys):
    model = load_model("model.json")
    frame = pd.read_csv("loans.csv")
    exact = model.predict_proba(frame[list(model.feature_names_in_)])[:, 1]
    assert run(capsys, "predict", "model.json", "loans.csv", "-o", "short.csv")[0] == 0
    assert not np.array_equal(pd.read_csv("short.csv")["probability of yes"], exact)
    assert run(capsys, "predict", "model.json", "loans.csv", "--exact", "-o", "exact.csv")[0] == 0
    with Path("exact.csv").open() as file:
        read = [float(row["probability of yes"]) for row in csv.DictReader(file)]
    assert read == exact.tolist()
    assert run(capsys, "predict", "model.json", "loans.csv", "-o", "exact.parquet")[0] == 0
    assert np.array_equal(pd.read_parquet("exact.parquet")["probability of yes"], exact)


def test_reasons_are_no_more_than_columns_and_have_codes(folder, capsys):
    card = ScaledCard.from_json("card.json")
    name = card.bins[0].feature_name
    (folder / "codes.json").write_text(json.dumps({name: {"any": "R01", "missing": "R02"}}))
    status, _, err = run(
        capsys, "predict", "card.json", "loans.csv", "--reasons", 99, "--codes", "codes.json", "-o", "r.csv"
    )
    assert status == 0, err
    found = pd.read_csv("r.csv")
    assert [c for c in found if c.startswith("reason")] == [f"reason {k + 1}" for k in range(len(card.bins))]
    assert "R01" in found["reason 1"].to_numpy() or "R01" in found["reason 2"].to_numpy()
    assert run(capsys, "predict", "card.json", "loans.csv", "--codes", "codes.json")[0] == 1
    (folder / "codes.json").write_text(json.dumps({name: {"odd": "R01"}}))
    status, _, err = run(capsys, "predict", "card.json", "loans.csv", "--reasons", 2, "--codes", "codes.json")
    assert status == 1
    assert "give 'any', 'missing' or a special code" in err


def test_cards_are_verified_and_summarised(folder, capsys):
    status, out, err = run(capsys, "verify", "card.json", "loans.csv")
    assert status == 0, err
    assert out.startswith("verified: ")
    assert "the points are those of the model" in out
    assert run(capsys, "summary", "card.json")[1] == run(capsys, "scorecard", "card.json")[1]
    status, _, err = run(capsys, "verify", "card.json", "new.csv")
    assert status == 1


def test_other_points_are_not_verified():
    frame, y = loans(300)
    card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(frame, y).scaled_card()
    assert card.verify(frame, y).relative_gap >= 0
    first = tuple(value + 40 * (k == 0) for k, value in enumerate(card.points[0]))
    with pytest.raises(CertificateError, match="the points are not those of the model"):
        replace(card, points=(first, *card.points[1:])).verify(frame, y)
    with pytest.raises(ValueError, match=r"cannot write '.csv' files; end the name on .xlsx"):
        card.to_excel("card.csv")


@pytest.mark.parametrize("command", ["fit", "scorecard", "bins"])
def test_the_file_is_written_before_anything_is_printed(folder, command, monkeypatch):
    (folder / "bins.json").write_text('{"age": null}')
    arguments = {
        "fit": ["fit", "loans.csv", "-t", "bad", "--model", "additive", "--lambda0", "2", "--drop", "month"],
        "scorecard": ["scorecard", "model.json"],
        "bins": ["bins", "model.json", "loans.csv", "--edit", "bins.json"],
    }[command]
    path = folder / f"piped {command}.json"

    def broken(*values, file=None, **_):
        if file is not sys.stderr:
            raise BrokenPipeError

    monkeypatch.setattr("builtins.print", broken)
    cli.main([*arguments, "-o", str(path)])
    assert path.exists()
