"""Score cards in points on the command line."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from thresher import CertificateError, ScaledCard, load_model
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
        assert written[f"reason_{k + 1}"].fillna("").tolist() == expected
    assert f"note: Reasons for a higher probability of class {card.event!r}" in err
    _, out, err = run(capsys, "predict", "card.json", "loans.csv", "--reasons", 1, "--adverse", "low")
    low = card.reasons(pd.read_csv("loans.csv"), 1, adverse="low").reasons[:, 0]
    assert [line.rpartition(",")[2] for line in out.splitlines()[1:]] == [text or "" for text in low]
    assert f"note: Reasons for a lower probability of class {card.event!r}" in err
    for arguments, message in (
        (("model.json", "--reasons", 2), "--reasons is for cards in points"),
        (("card.json", "--reasons", -1), "--reasons: got -1"),
    ):
        status, _, err = run(capsys, "predict", arguments[0], "loans.csv", *arguments[1:])
        assert status == (2 if ": got " in message else 1)
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
    card = ScaledCard.from_json("card.json")
    status, out, _ = run(capsys, "export", "card.json", "--to", "python")
    assert out.strip() == card.to_python().strip()
    assert run(capsys, "export", "card.json", "--to", "excel", "-o", "card.xlsx")[0] == 0
    for kind, text in (("javascript", card.to_javascript()), ("c", card.to_c()), ("pmml", card.to_pmml())):
        assert run(capsys, "export", "card.json", "--to", kind)[1] == text
    assert run(capsys, "export", "card.json", "--to", "onnx", "-o", "card.onnx")[0] == 0


@pytest.mark.parametrize("kind", ["sql", "python", "javascript"])
def test_exported_code_has_reasons(folder, capsys, tmp_path, kind):
    (tmp_path / "codes.json").write_text('{"income": {"any": "R01", "missing": "R02"}}')
    export = ("export", "card.json", "--to", kind)
    options = ("--reasons", 3, "--reference", "mean", "--codes", tmp_path / "codes.json")
    write = getattr(ScaledCard.from_json("card.json"), f"to_{kind}")
    codes = {"income": "R01", ("income", None): "R02"}
    assert run(capsys, *export, *options)[1] == write(reasons=3, reference="mean", codes=codes)
    for more in (options[4:], ("--reasons", 0, *options[4:])):
        assert "--codes belongs to --reasons" in run(capsys, *export, *more)[2]
    assert "--reasons is for --to sql, python, javascript and pmml; this is --to c" in run(
        capsys, "export", "card.json", "--to", "c", "--reasons", 2
    )[2]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*whole numbers count as")
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
    assert out.strip() == f"{wanted}\n\n{wanted.values}\n\n{wanted.periods}"
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
    assert "note: no AUC, Gini and KS, since bare.csv lacks 'bad', which the model predicts" in err


@pytest.mark.parametrize(
    ("by", "periods"),
    [
        ("week", [f"2024-W{week:02d}" for week in range(5, 11)]),
        ("month", ["2024-01", "2024-02", "2024-03"]),
        ("quarter", ["2024Q1"]),
        ("year", ["2024"]),
    ],
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
    assert "note: 'day' holds dates, and each is a period; --by month (or week, quarter, year)" in err


def test_periods_that_are_no_dates(folder, capsys):
    monitor = ("monitor", "card.json", "loans.csv", "new.csv")
    _, _, err = run(capsys, *monitor, "--period", "bad", "--by", "year")
    assert "--by: the column 'bad' has 'no' in data row 1; give dates such as 2026-12-31" in err
    status, out, err = run(capsys, *monitor, "--period", "month", "--by", "year", "--format", "csv")
    assert status == 0, err
    assert out.splitlines()[2].startswith("2024,500")
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
    assert status == 2
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
    assert status == (2 if ": got " in words else 1)
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
        ("{}", "--edit: got {}; give a dict with the bins of columns"),
        ('{"nowhere": [1]}', "there is no column 'nowhere'"),
        ('{"age": [-1e9]}', "are on one side of -1e+09; remove it\n"),
        ('{"age": 5}', "--edit: got 5 for column 'age'; give a list of cut points, such as [18, 40], or n"),
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


@pytest.mark.parametrize("model", ["model.json", "card.json"])
def test_edits_with_exchanged_classes_are_refused(folder, tmp_path, capsys, model):
    frame = pd.read_csv("loans.csv")
    frame.assign(bad=frame["bad"].map({"yes": "no", "no": "yes"})).to_csv(tmp_path / "other.csv", index=False)
    (tmp_path / "bins.json").write_text('{"age": [40]}')
    status, _, err = run(capsys, "bins", model, tmp_path / "other.csv", "--edit", tmp_path / "bins.json")
    assert status == 1
    assert "give the training rows" in err


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
        (("bins", "model.json", "loans.csv", "--base", "lowest"), "--base is for --edit"),
        (("bins", "model.json", "loans.csv", "-o", "x.json"), "--output writes a model with other bins"),
        (("importances", "model.json", "loans.csv", "--gap-tol", -1), "--gap-tol: got -1"),
        (("bands", "model.json", "loans.csv"), "no card in points; write one"),
        (("bands", "card.json", "loans.csv", "--between", 5, 5), "ascending"),
        (("bands", "card.json", "loans.csv", "--bands", 1), "bands: got 1"),
    ):
        status, _, err = run(capsys, *arguments)
        assert status == (2 if ": got " in message or message.startswith("--") else 1), arguments
        assert message in err


def test_a_card_is_verified_and_printed(folder, capsys, tmp_path):
    status, out, err = run(capsys, "verify", "card.json", "loans.csv")
    assert status == 0, err
    assert out.startswith("the certificate is verified: ")
    assert "the points are those of the model" in out
    status, out, _ = run(capsys, "summary", "card.json")
    assert out.strip() == str(ScaledCard.from_json("card.json"))
    other = pd.read_csv("loans.csv")
    other["bad"] = other["bad"].map({"yes": "no", "no": "yes"})
    other.to_csv(tmp_path / "other.csv", index=False)
    status, _, err = run(capsys, "verify", "card.json", tmp_path / "other.csv")
    assert status == 1
    assert "error" in err


def test_a_card_whose_points_are_edited_is_refused(folder):
    frame, y = labels(folder)
    card = load_model("card.json")
    X = frame[card.model.feature_names_in_]
    assert card.verify(X, y).primal == card.model.verify(X, y).primal
    points = [[card.points[0][0] + 40, *card.points[0][1:]], *card.points[1:]]
    claimed = ScaledCard(card.model, card.scaling, card.whole, card.base_points, points)
    edited = ScaledCard.from_json(claimed.to_json())  # with the largest error of these points
    with pytest.raises(CertificateError, match="the points are not those of the model"):
        edited.verify(X, y)


def test_predictions_have_all_their_digits_where_asked(folder, capsys, tmp_path):
    card, rows = load_model("card.json"), pd.read_csv("loans.csv")
    exact = card.probability(card.score(rows[card.model.feature_names_in_]))
    for options, path in ((["--exact"], tmp_path / "a.csv"), ([], tmp_path / "a.parquet")):
        assert run(capsys, "predict", "card.json", "loans.csv", *options, "-o", path)[0] == 0
        found = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        np.testing.assert_array_equal(found["probability of yes"], exact)
    assert run(capsys, "predict", "card.json", "loans.csv", "-o", tmp_path / "b.csv")[0] == 0
    short = pd.read_csv(tmp_path / "b.csv")["probability of yes"]
    np.testing.assert_allclose(short, exact, rtol=1e-5)
    assert (short != exact).any()


def test_bins_of_a_card_in_points_are_edited(folder, capsys, tmp_path):
    name = load_model("card.json").bins[0].feature_name
    (tmp_path / "bins.json").write_text(json.dumps({name: None}))
    edit = ("bins", "card.json", "loans.csv", "--edit", tmp_path / "bins.json", "-o", tmp_path / "new.json")
    assert run(capsys, *edit, "--base", "spread")[0] == 0
    assert load_model(tmp_path / "new.json").base_points == 0
    status, out, err = run(capsys, *edit)
    assert status == 0, err
    assert out.splitlines()[:3] == run(capsys, "bins", "model.json", *edit[2:5])[1].splitlines()[:3]
    card = load_model(tmp_path / "new.json")
    assert name not in [own.feature_name for own in card.bins]
    assert card.scaling == load_model("card.json").scaling
    assert {min(points) for points in card.points} == {0}  # as in the card
    assert run(capsys, "verify", tmp_path / "new.json", "loans.csv")[0] == 0
    assert "points" in run(capsys, "bins", "card.json", "loans.csv", "--format", "csv")[1]
    importances = run(capsys, "importances", "card.json", "loans.csv")
    assert importances == run(capsys, "importances", "model.json", "loans.csv")
    for model in ("card.json", "model.json"):
        assert "--base is for --edit" in run(capsys, "bins", model, "loans.csv", "--base", "lowest")[2]


def test_pmml_and_workbooks_hold_rows_and_reasons(folder, capsys, tmp_path):
    (tmp_path / "codes.json").write_text('{"income": {"any": "R01", "missing": "R02"}}')
    reasons = ("--reasons", 2, "--reference", "mean", "--codes", tmp_path / "codes.json")
    status, out, err = run(capsys, "export", "card.json", "--to", "pmml", "--data", "new.csv", *reasons)
    assert status == 0, err
    card = load_model("card.json")
    X = pd.read_csv("new.csv")[card.model.feature_names_in_]
    codes = {"income": "R01", ("income", None): "R02"}
    assert out == card.to_pmml(X, n=2, reference="mean", codes=codes)
    status, out, err = run(capsys, "export", "model.json", "--to", "pmml", "--data", "new.csv")
    assert out == load_model("model.json").to_pmml(X)
    book = ("--to", "excel", "--data", "new.csv", "-o", tmp_path / "a.xlsx")
    assert run(capsys, "export", "model.json", *book)[0] == 0
    for options, words in (
        (("--to", "pmml", "--reasons", 2), "--reasons is for cards in points"),
        (("--to", "sql", "--data", "new.csv"), "--data is for --to pmml and excel; this is --to sql"),
        (
            ("--to", "excel", "--reference", "mean", "-o", "b.xlsx"),
            "--reference is for --to sql, python, javascript and pmml; this is --to excel",
        ),
    ):
        assert words in run(capsys, "export", "model.json", *options)[2]


def test_a_model_of_two_classes_is_monitored_without_points(folder, capsys):
    frame, new = pd.read_csv("loans.csv"), pd.read_csv("new.csv")
    model = load_model("model.json")
    wanted = model.monitor(frame, new, y_reference="bad", y_new="bad")
    status, out, err = run(capsys, "monitor", "model.json", "loans.csv", "new.csv", "--target", "bad")
    assert status == 0, err
    assert out.startswith(str(wanted))


def test_monitor_has_the_options_of_the_package(folder, capsys):
    options = ("--bins", 4, "--thresholds", 0.001, 0.002, "--target", "bad")
    status, out, err = run(capsys, "monitor", "card.json", "loans.csv", "new.csv", *options)
    assert status == 0, err
    assert "stable: index < 0.001, large shift: index >= 0.002" in out
    files = ("card.json", "loans.csv", "new.csv")
    assert "--thresholds" in run(capsys, "monitor", *files, "--thresholds", 2, 1)[2]
    assert "--bins" in run(capsys, "monitor", *files, "--bins", 1)[2]


@pytest.mark.parametrize("model", ["card.json", "model.json"])
@pytest.mark.parametrize("options", [[], ["--from-disk"]])
def test_no_rows_have_an_empty_result(folder, capsys, tmp_path, model, options):
    whole = tmp_path / "whole.csv"
    assert run(capsys, "predict", model, "loans.csv", "-o", whole)[0] == 0
    empty = tmp_path / "empty.csv"
    empty.write_text((folder / "loans.csv").read_text().splitlines()[0] + "\n")
    status, _, err = run(capsys, "predict", model, empty, *options, "-o", tmp_path / "out.csv")
    assert status == 0, err
    assert (tmp_path / "out.csv").read_text().splitlines() == whole.read_text().splitlines()[:1]
    empty.write_text("nothing\n")
    status, _, err = run(capsys, "predict", model, empty, *options, "-o", tmp_path / "none.csv")
    assert status == 1
    assert not (tmp_path / "none.csv").exists()


def test_reasons_have_texts_and_no_more_columns_than_the_card(folder, capsys, tmp_path):
    card = load_model("card.json")
    name = card.bins[0].feature_name
    codes, path = tmp_path / "codes.json", tmp_path / "a.csv"
    codes.write_text(json.dumps({name: {"any": "R1", "missing": "R2"}}))
    predict = ["predict", "card.json", "loans.csv", "--reasons", 99]
    status, _, err = run(capsys, *predict, "--codes", codes, "-o", path)
    assert status == 0, err
    found = pd.read_csv(path)
    named = [column for column in found if column.startswith("reason_")]
    assert len(named) == len(card.bins)
    expected = card.reasons(pd.read_csv("loans.csv"), len(card.bins), codes={name: "R1", (name, None): "R2"})
    texts = [[text or "" for text in row] for row in expected.reasons.tolist()]
    assert found[named].fillna("").to_numpy().tolist() == texts
    odd, unknown = (json.dumps({name: {key: "x"}}) for key in ("odd", "5"))
    for text, message in (
        ("[1]", "give a JSON object"),
        (odd, "has the key 'odd'"),
        (unknown, f"error: --codes: 5.0 is no special code of column {name!r}"),
    ):
        codes.write_text(text)
        status, _, err = run(capsys, *predict, "--codes", codes, "-o", tmp_path / "b.csv")
        assert status == 1
        assert message in err
    status, _, err = run(capsys, "predict", "card.json", "loans.csv", "--codes", codes)
    assert "--codes belongs to --reasons; give their number" in err


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


def test_workbooks_have_the_suffix_of_workbooks(folder, tmp_path):
    for written in (load_model("card.json"), load_model("model.json")):
        with pytest.raises(ValueError, match=r"cannot write '.csv' files; end the name on .xlsx"):
            written.to_excel(tmp_path / "card.csv")


def test_a_model_of_numbers_is_monitored(folder, capsys, tmp_path):
    frame = pd.read_csv("loans.csv").assign(cost=np.arange(500.0) % 50)
    frame["cost"] += frame["age"].fillna(0)
    costs, new = tmp_path / "costs.csv", tmp_path / "new.csv"
    frame.to_csv(costs, index=False)
    frame.assign(cost=frame["cost"].where(frame["month"] == "2024-01")).to_csv(new, index=False)
    fit = ["fit", costs, "-t", "cost", "--drop", "month", "bad", "--model", "additive", "--lambda0", 2000]
    assert run(capsys, *fit, "-o", tmp_path / "cost.json")[0] == 0
    status, out, err = run(capsys, "monitor", tmp_path / "cost.json", costs, new, "--period", "month")
    assert status == 0, err
    model = load_model(tmp_path / "cost.json")
    X = frame[model.feature_names_in_]
    late = pd.read_csv(new)
    found = model.monitor(X, X, y_reference=frame["cost"], y_new=late["cost"], period=frame["month"])
    assert out.strip() == f"{found}\n\n{found.values}\n\n{found.periods}"
    refused = run(capsys, "bands", tmp_path / "cost.json", costs)[2]
    assert "holds an L0AdditiveRegressor" in refused
    assert "thresher monitor compares rows" in refused


@pytest.mark.filterwarnings("ignore:.*whole numbers count as")
def test_files_with_a_header_alone_are_monitored_and_banded(folder, capsys, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_text((folder / "new.csv").read_text().splitlines()[0] + "\n")
    for more in ((), ("--period", "month"), ("--period", "month", "--by", "year"), ("--weights", "age")):
        status, out, err = run(capsys, "monitor", "card.json", "loans.csv", empty, *more, "--format", "csv")
        assert status == 0, err
        assert out.splitlines()[2].startswith("new,0")
        assert "no rows" in out
    status, out, err = run(capsys, "bands", "card.json", empty)
    assert status == 0, err
    assert "every score" in out
    status, _, err = run(capsys, "monitor", "card.json", empty, "new.csv")
    assert status == 1
    assert "has no row below" in err


@pytest.mark.filterwarnings("default")
def test_rows_without_a_date_or_a_weight_are_left_out(folder, capsys, tmp_path):
    frame = pd.read_csv("new.csv").assign(weight=1.0, day="08/2024")
    frame.loc[3, "weight"] = frame.loc[4, "day"] = None
    frame.loc[5, "day"] = "11/2023"
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    files = ("card.json", tmp_path / "gaps.csv", tmp_path / "gaps.csv")
    options = ("--period", "day", "--weights", "weight", "--format", "csv")
    status, out, err = run(capsys, "monitor", *files, *options)
    assert status == 0, err
    assert "the weight of new rows is missing in 1 of 500 rows, the first of which is data row 4" in err
    assert "period is missing in 1 of 500 new rows, the first of which is data row 5" in err
    counts = [line.split(",")[:2] for line in out.splitlines()[1:]]
    assert counts[:2] == [["reference", "499.0"], ["11/2023", "1.0"]]
    assert counts[-1] == ["08/2024", "497.0"]
    status, out, err = run(capsys, "monitor", *files, *options, "--by", "quarter")
    assert [line.split(",")[0] for line in out.splitlines()[2:]] == ["2023Q4", "2024Q1", "2024Q2", "2024Q3"]
