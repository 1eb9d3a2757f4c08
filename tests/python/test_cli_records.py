"""The command line on records: items, sequences of events, molecules, graphs as text."""

import csv
import io
import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest

from thresher import CertificateError, FormatError, ItemsetClassifier, load_model, write_gspan
from thresher.cli import commands as cli
from thresher.cli.models import KINDS

from .command_line import done, run
from .data import MOLECULES
from .pages import Page

BASKETS = [["beer", "nappies", "milk"], ["beer", "milk"], ["nappies"], ["beer", "nappies"], ["milk"]] * 8
RETURNS = ["yes", "no", "no", "yes", "no"] * 8
VISITS = [
    ["home", "cart", "pay"],
    ["home", "pay", "cart"],
    ["home"],
    ["cart", "pay"],
    ["pay", "home", "cart"],
] * 8
BUYS = [float("pay" in row and "cart" in row and row.index("cart") < row.index("pay")) for row in VISITS]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(f"c{k}", item, RETURNS[k], 1 + k % 2) for k, basket in enumerate(BASKETS) for item in basket]
    pd.DataFrame(rows, columns=["customer", "item", "returns", "w"]).to_csv("baskets.csv", index=False)
    pd.DataFrame({"customer": [f"c{k}" for k in range(40)] + ["c99"], "returns": [*RETURNS, "no"]}).to_csv(
        "customers.csv", index=False
    )
    wide = pd.DataFrame([{item: int(item in b) for item in ("beer", "nappies", "milk")} for b in BASKETS])
    wide.assign(id=[f"c{k}" for k in range(40)], returns=RETURNS).to_csv("wide.csv", index=False)
    clicks = [
        (k, page, f"2026-03-01T{9 + place:02d}:00:00", BUYS[k])
        for k, visit in enumerate(VISITS) for place, page in enumerate(visit)
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(clicks, columns=["user", "page", "at", "buys"])
    frame.iloc[rng.permutation(len(frame))].to_csv("clicks.csv", index=False)
    pd.DataFrame({"mol": [*MOLECULES * 3, "C1CC", None], "acid": ["yes", "no"] * 12 + ["no", "no"]}).to_csv(
        "molecules.csv", index=False
    )
    graphs = [(["a", "b"], [(0, 1)], ["x"]), (["a", "a"], [(0, 1)], ["x"])] * 6
    (tmp_path / "graphs.gspan").write_text(write_gspan(graphs, [1.5, 0.25] * 6))
    return tmp_path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


LONG = "--record customer --item item"


def test_item_sets_of_a_long_table(folder, capsys):
    out, err = done(
        capsys, f"fit baskets.csv --model itemsets {LONG} --target returns --alpha 0.02 -o m.json"
    )
    assert "beer and nappies" in out
    assert "fitting a classification" in err
    found = rows_of(done(capsys, f"predict m.json baskets.csv {LONG}")[0])
    assert list(found[0]) == ["customer", "prediction", "probability of no", "probability of yes"]
    assert [row["prediction"] for row in found] == RETURNS
    assert [row["customer"] for row in found] == [f"c{k}" for k in range(40)]
    assert "optimal among" in done(capsys, f"verify m.json baskets.csv {LONG} --target returns")[0]
    assert "beer and nappies" in done(capsys, "summary m.json --format csv")[0]
    done(
        capsys,
        f"fit baskets.csv --model itemsets {LONG} --target returns --weights w --alpha 0.02 --negations",
    )


def test_targets_in_a_second_table(folder, capsys):
    fit = f"fit baskets.csv --model itemsets {LONG} --targets customers.csv -t returns --alpha 0.02 -o m.json"
    out, err = done(capsys, fit)
    assert "beer and nappies" in out
    assert "1 record of customers.csv without a row in baskets.csv: empty sets" in err
    for target in ("", " --target returns"):  # the model keeps the name
        proof = f"verify m.json baskets.csv {LONG} --targets customers.csv{target}"
        assert "optimal among" in done(capsys, proof)[0]
    assert "rate" in done(capsys, f"patterns m.json baskets.csv {LONG} --targets customers.csv")[0]
    err = done(capsys, f"report m.json baskets.csv {LONG} --targets customers.csv -o r.html")[1]
    assert "no metrics" not in err


def test_records_that_two_files_write_in_two_ways_are_an_error(folder, capsys):
    visits = pd.DataFrame({"visitor": [f"{k:03d}" for k in range(95, 105)], "page": list("abcde") * 2})
    visits.to_csv("visits.csv", index=False)
    visits.assign(visitor=range(95, 105), buys=[0, 1] * 5).to_csv("buyers.csv", index=False)
    names = "visits.csv --record visitor --event page --targets buyers.csv"
    status, _, err = run(capsys, f"fit {names} --model sequences --target buys --alpha 0.1")
    assert status == 1
    assert "buyers.csv has the visitor '95', visits.csv '095': 5 records of the two files would not" in err
    own = "visits.csv --record visitor --event page"
    pd.read_csv("buyers.csv", dtype=str).assign(visitor=visits["visitor"]).to_csv("alike.csv", index=False)
    done(capsys, f"fit {own} --targets alike.csv --model sequences --target buys --alpha 0.1 -o m.json")
    assert "'95', visits.csv '095'" in run(capsys, f"predict m.json {names}")[2]


def test_item_sets_of_a_wide_table(folder, capsys):
    out, _ = done(capsys, "fit wide.csv --model itemsets --target returns --drop id --alpha 0.02 -o m.json")
    assert "beer and nappies" in out
    found = rows_of(done(capsys, "predict m.json wide.csv")[0])
    assert list(found[0])[:5] == ["beer", "nappies", "milk", "id", "returns"]
    assert [row["prediction"] for row in found] == RETURNS
    assert "optimal among" in done(capsys, "verify m.json wide.csv --target returns")[0]
    # The same model reads both forms.
    assert [
        row["prediction"] for row in rows_of(done(capsys, f"predict m.json baskets.csv {LONG}")[0])
    ] == RETURNS
    pd.read_csv("wide.csv")[["nappies", "beer"]].to_csv("less.csv", index=False)
    assert [row["prediction"] for row in rows_of(done(capsys, "predict m.json less.csv")[0])] == RETURNS
    pd.read_csv("wide.csv")[["nappies"]].to_csv("none.csv", index=False)
    assert "lacks the model's items 'beer'" in run(capsys, "predict m.json none.csv")[2]


def test_counts_of_items_are_presence_with_a_note_and_negative_codes_are_refused(folder, capsys):
    wide = pd.read_csv("wide.csv").drop(columns="id")
    fit = "fit counts.csv --model itemsets --target returns --alpha 0.02 -o m.json"
    wide.assign(beer=wide.beer * 2).to_csv("counts.csv", index=False)
    out, err = done(capsys, fit)
    assert "beer and nappies" in out
    assert "X holds 2 in column 'beer', data row 1: every number other than 0" in err
    found = rows_of(done(capsys, "predict m.json counts.csv")[0])
    assert [row["prediction"] for row in found] == RETURNS
    wide.assign(beer=-9).to_csv("counts.csv", index=False)
    for line in (fit, "predict m.json counts.csv"):
        err = run(capsys, line)[2]
        assert "Negative values in data passed to X: -9 (column 'beer', data row 1" in err
        assert ("--drop beer leaves it out" in err) == (line == fit)


@pytest.mark.parametrize("value", [0.5, -0.5, 2, -9, np.nan, np.inf, "x", True])
@pytest.mark.filterwarnings("ignore:X holds")
def test_cells_of_items_are_those_of_the_package(folder, capsys, value):
    wide = pd.read_csv("wide.csv").drop(columns="id")
    cells = wide.drop(columns="returns").astype({"beer": object})
    cells.loc[3, "beer"] = value
    cells.assign(returns=wide["returns"]).to_csv("cells.csv", index=False, na_rep="NA")
    status, _, err = run(capsys, "fit cells.csv --model itemsets -t returns --alpha 0.02 -o cells.json")
    if value is True:
        cells["beer"] = cells["beer"].astype(str)
    try:
        model = ItemsetClassifier(alpha=0.02).fit(cells.infer_objects(), wide["returns"])
    except (TypeError, ValueError):
        assert status == 1
        assert "'beer'" in err
        assert "data row 4" in err
    else:
        assert status == 0, err
        assert load_model("cells.json").summary().to_frame().equals(model.summary().to_frame())


CLICKS = "--record user --event page --time at"


def test_sequences_of_a_long_table(folder, capsys):
    out, _ = done(
        capsys,
        f"fit clicks.csv --model sequences {CLICKS} --target buys --task regression --alpha 0.01 -o m.json",
    )
    assert "cart -> pay" in out
    found = {
        row["user"]: float(row["prediction"])
        for row in rows_of(done(capsys, f"predict m.json clicks.csv {CLICKS}")[0])
    }
    assert [found[str(k)] > 0.5 for k in range(40)] == [buys > 0.5 for buys in BUYS]
    assert "optimal among" in done(capsys, f"verify m.json clicks.csv {CLICKS} --target buys")[0]
    split = rows_of(done(capsys, f"predict m.json clicks.csv {CLICKS} --session-gap 30min --output -")[0])
    assert list(split[0]) == ["user", "session", "at", "prediction"]
    assert len(split) == sum(map(len, VISITS))
    together = (
        f"fit clicks.csv --model sequences {CLICKS} --target buys --same-time set --alpha 0.05 --max-length 2"
    )
    assert "{" not in done(capsys, together)[0]


def test_molecules(folder, capsys):
    status, _, err = run(capsys, "fit molecules.csv --model graphs --smiles mol --target acid --alpha 0.01")
    assert status == 1
    assert "data row 25 is 'C1CC', which rdkit does not read" in err
    assert "--on-invalid skip" in err
    fit = "fit molecules.csv --model graphs --smiles mol -t acid --alpha 0.01 --on-invalid skip --charges"
    out, err = done(capsys, f"{fit} -o m.json")
    assert "log-odds of class 'yes'" in out
    assert "left out 2 rows that rdkit does not read: data rows 25, 26" in err
    assert load_model("m.json").charges
    found = rows_of(done(capsys, "predict m.json molecules.csv --smiles mol")[0])
    assert list(found[0])[:3] == ["mol", "acid", "prediction"]
    assert [row["prediction"] for row in found[-2:]] == ["", ""]
    assert {row["prediction"] for row in found[:-2]} <= {"yes", "no"}
    assert run(capsys, "predict m.json molecules.csv --smiles mol --on-invalid raise")[0] == 1
    assert "optimal among" in done(capsys, "verify m.json molecules.csv --smiles mol --target acid")[0]


def test_graphs_as_text(folder, capsys):
    _, err = done(
        capsys, "fit graphs.gspan --model graphs --alpha 0.01 -o m.json --wildcards both --max-edges 2"
    )
    assert "fitting a regression" in err
    found = rows_of(done(capsys, "predict m.json graphs.gspan")[0])
    assert list(found[0]) == ["graph", "prediction"]
    assert float(found[0]["prediction"]) > 1 > float(found[1]["prediction"])
    assert "optimal among" in done(capsys, "verify m.json graphs.gspan")[0]


@pytest.mark.parametrize("text", ["", "\n", "t # -1\n"])
def test_a_file_without_graphs_has_no_predictions(folder, capsys, text):
    done(capsys, "fit graphs.gspan --model graphs --alpha 0.01 -o m.json")
    (folder / "none.gspan").write_text(text)
    assert done(capsys, "predict m.json none.gspan") == ("graph,prediction\n", "")
    assert "none.gspan holds no graph" in run(capsys, "fit none.gspan --model graphs")[2]
    (folder / "table.csv").write_text("toxic,smiles\n1,CCO\n")
    assert "--smiles: name the column" in run(capsys, "fit table.csv --model graphs")[2]


def test_sessions_with_a_mark_between_them_are_one_sequence(folder, capsys):
    where = f"{CLICKS} --session-gap 30min"
    fit = f"fit clicks.csv --model sequences {where} --target buys --alpha 0.01 -o m.json"
    done(capsys, fit + " --gap-marker |")
    found = rows_of(done(capsys, "predict m.json clicks.csv")[0])
    assert "session" not in found[0]
    assert len({row["user"] for row in found}) == len(found)
    assert done(capsys, "verify m.json clicks.csv")[0].startswith("the certificate is verified")
    assert load_model("m.json")._fitted.record_options["gap_marker"] == "|"
    assert (
        "--gap-marker: 'home' is an event of the column 'page'" in run(capsys, fit + " --gap-marker home")[2]
    )
    without = fit.replace("--session-gap 30min", "")
    assert "say with --session-gap where one ends" in run(capsys, without + " --gap-marker |")[2]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fit clicks.csv --model sequences --target buys", "name its columns with --record and --event"),
        (
            "fit baskets.csv --model itemsets --record customer --target returns",
            "needs both --record and --item",
        ),
        ("fit baskets.csv --model itemsets --target returns", "holds 0 and 1"),
        ("fit baskets.csv --target returns --record customer", "--record is for --model itemsets, sequences"),
        (
            "fit baskets.csv --target returns --smiles item",
            "--smiles is for --model graphs; this is --model rules",
        ),
        (f"fit baskets.csv --model itemsets {LONG}", "--target: name the column"),
        (f"fit baskets.csv --model itemsets {LONG} --target nothing", "no such column 'nothing'"),
        (
            f"fit baskets.csv --model itemsets {LONG} --target item",
            "has 'beer' and 'nappies' in the column 'item'",
        ),
        (
            f"fit baskets.csv --model itemsets {LONG} --target returns --time w",
            "--time is for --model sequences",
        ),
        (f"fit baskets.csv --model itemsets {LONG} --target returns --keep w", "--keep is for tables"),
        (
            f"fit baskets.csv --model itemsets {LONG} --target returns --max-edges 2",
            "--max-edges is for --model graphs",
        ),
        (
            "fit baskets.csv --model itemsets --record who --item item --target returns",
            "no record column 'who'",
        ),
        (
            f"fit clicks.csv --model sequences {CLICKS} --session-gap 30 --target buys",
            "--session-gap: got '30'",
        ),
        (
            "fit clicks.csv --model sequences --record user --event page --session-gap 1h --target buys",
            "needs times",
        ),
        (
            "fit clicks.csv --model sequences --record user --event page --time page --target buys",
            "no date such as",
        ),
        ("fit wide.csv --model itemsets --target returns", "--drop id leaves it out"),
        (
            "fit wide.csv --model itemsets --target returns --targets customers.csv",
            "--targets is for a long table",
        ),
        ("fit molecules.csv --model graphs --target acid", "--smiles: name the column of SMILES"),
        ("fit graphs.gspan --model graphs --target yes", "the place of the value"),
        ("fit graphs.gspan --model graphs --weights 2", "graphs as text have no column of weights"),
        ("fit missing.gspan --model graphs", "there is no file missing.gspan"),
        ("fit graphs.gspan --model graphs --target 2", "has no value in any row"),
        ("fit missing.csv --model graphs --smiles mol --target acid", "there is no file missing.csv"),
        ("fit molecules.csv --model graphs --smiles mol --target acid --wildcards some", "give nodes, edges"),
    ],
)
def test_what_is_refused(folder, capsys, line, words):
    try:
        status, _, err = run(capsys, line)
    except SystemExit as exit_:
        status, err = exit_.code, capsys.readouterr().err
    assert status in (1, 2)
    assert words in err


def test_events_with_a_gap_in_the_file(folder, capsys):
    frame = pd.read_csv("clicks.csv", dtype=str)
    frame.loc[4, "page"] = None
    frame.to_csv("clicks.csv", index=False)
    err = run(capsys, f"fit clicks.csv --model sequences {CLICKS} --target buys")[2]
    assert "the column 'page' has no value in data row 5" in err
    frame.loc[4, "page"] = "NA"
    frame.to_csv("clicks.csv", index=False)
    err = run(capsys, f"fit clicks.csv --model sequences {CLICKS} --target buys")[2]
    assert "the column 'page' has 'NA' in data row 5, a word that is read as missing; rename it if" in err
    pd.DataFrame({"customer": ["null", "b"], "buys": [1, 0]}).to_csv("buyers.csv", index=False)
    err = run(capsys, f"fit baskets.csv --model itemsets {LONG} --targets buyers.csv -t buys")[2]
    assert "the column 'customer' has 'null' in data row 1, a word that is read as missing" in err


def test_the_help_of_one_model(capsys):
    for kind in KINDS:
        with pytest.raises(SystemExit) as exit_:
            cli.main(["fit", "--model", kind, "--help"])
        assert exit_.value.code == 0
        text = capsys.readouterr().out
        assert f"--model {kind}:" in text
        assert ("--smiles" in text) == (kind == "graphs")
        assert ("--record" in text) == (kind in ("itemsets", "sequences"))
        assert ("--bins" in text) == (kind in ("rules", "additive", "hierarchy"))
        words = " ".join(text.split())
        for form in ("uniform:N:", "intervals:DELTA:", "COLUMN=CUT,CUT (once", "midpoints: in every gap"):
            assert (form in words) == ("--bins" in text)
        assert not re.search(r"(?i)\ba (dict|list)\b(?! of)|uniform['\"]|\(True\) both", words)
    with pytest.raises(SystemExit):
        cli.main(["fit", "--help"])
    text = capsys.readouterr().out
    assert all(f"--model {kind}:" in text for kind in KINDS)


def test_reports_of_records(folder, capsys):
    done(
        capsys,
        "fit molecules.csv --model graphs --smiles mol -t acid --alpha 0.01 --on-invalid skip -o m.json",
    )
    done(capsys, "report m.json molecules.csv --smiles mol --target acid --group acid -o r.html")
    page = (folder / "r.html").read_text()
    assert '"drawing":[' in page
    assert "cannot be read as molecules" in page
    assert "By group" in page
    done(capsys, f"fit clicks.csv --model sequences {CLICKS} --target buys --alpha 0.01 -o s.json")
    done(capsys, f"report s.json clicks.csv {CLICKS} --target buys -o s.html")
    clicks = pd.read_csv("clicks.csv")
    clicks["plan"] = np.where(clicks["user"] % 4, "free", "pro")
    clicks.drop(columns="buys").to_csv("plans.csv", index=False)
    clicks[["user", "buys", "plan"]].drop_duplicates().to_csv("users.csv", index=False)
    for group, files in (("plan", "plans.csv"), ("user", "plans.csv"), ("plan", "clicks.csv")):
        done(capsys, f"report s.json {files} --targets users.csv --group {group} -o s.html")
        assert "By group" in (folder / "s.html").read_text()
    rows = Page(folder / "s.html").models[0]["reasons"]["rows"]
    visits = dict(zip([*range(40)], VISITS, strict=True))
    assert all(row["record"] == str(visits[int(row["name"])]) for row in rows)
    err = run(capsys, "report s.json clicks.csv --targets users.csv --group country -o s.html")[2]
    assert "--group: there is no column 'country'; there are 'user', 'page', 'at', 'buys', 'plan'" in err
    err = run(capsys, "report s.json clicks.csv --group page -o s.html")[2]
    assert "--group: the record '" in err
    assert "in the column 'page'" in err
    assert "no metrics" not in done(capsys, f"report s.json clicks.csv {CLICKS} -o s.html")[1]
    pd.read_csv("clicks.csv").drop(columns="buys").to_csv("bare.csv", index=False)
    err = done(capsys, f"report s.json bare.csv {CLICKS} -o s.html")[1]
    assert "no metrics, since bare.csv lacks 'buys', which the model predicts" in err
    status, _, err = run(capsys, "report m.json molecules.csv --smiles mol --compare s.json -o r.html")
    assert status == 1
    assert "different kinds" in err
    assert "needs rows" in run(capsys, "report m.json --target acid -o r.html")[2]


def test_parquet_of_records_has_the_types_that_are_read(folder, capsys):
    wide = pd.read_csv("wide.csv").assign(returns=np.arange(40) / 4)
    wide.to_csv("numbers.csv", index=False)
    done(capsys, "fit numbers.csv --model itemsets --drop id --target returns --alpha 0.01 -o m.json")
    done(capsys, "predict m.json numbers.csv -o p.parquet")
    assert pd.read_parquet("p.parquet")[[*wide.columns]].equals(wide)
    done(capsys, "predict m.json p.parquet")


def test_labels_are_texts_whatever_the_file(folder, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"user": rng.integers(0, 30, 300), "page": rng.integers(0, 4, 300)})
    frame["at"] = pd.Timestamp("2026-03-01") + pd.to_timedelta(rng.integers(0, 9999, 300), unit="min")
    frame["y"] = frame["user"].map(frame.groupby("user")["page"].min()).astype(float)
    frame.to_csv("numbers.csv", index=False)
    frame.to_parquet("numbers.parquet")
    places = "--record user --event page --time at --session-gap 2h"
    done(capsys, f"fit numbers.parquet --model sequences {places} --target y --alpha 0.01 -o m.json")
    assert all(isinstance(label, str) for label in load_model("m.json")._fitted.view.vocabulary.labels)
    texts = {done(capsys, f"predict m.json numbers.{kind} {places}")[0] for kind in ("csv", "parquet")}
    assert len(texts) == 1
    assert "optimal among" in done(capsys, f"verify m.json numbers.csv {places} --target y")[0]


def test_the_table_of_patterns(folder, capsys):
    done(
        capsys,
        "fit molecules.csv --model graphs --smiles mol -t acid --alpha 0.01 --on-invalid skip -o m.json",
    )
    assert "The rate of class 'yes'" in done(capsys, "patterns m.json molecules.csv --smiles mol -t acid")[0]
    done(capsys, "patterns m.json molecules.csv --smiles mol -t acid -o a.html")
    assert "<svg" in (folder / "a.html").read_text()
    done(capsys, "patterns m.json molecules.csv --smiles mol -t acid -o a.csv")
    assert list(pd.read_csv("a.csv").columns)[:4] == ["pattern", "smarts", "coef", "n_rows"]
    done(capsys, f"fit clicks.csv --model sequences {CLICKS} --target buys --alpha 0.01 -o s.json")
    assert "cart -> pay" in done(capsys, f"patterns s.json clicks.csv {CLICKS} -t buys -o -")[0]
    done(capsys, "fit graphs.gspan --model graphs --alpha 0.01 -o g.json")
    assert "The mean in the records" in done(capsys, "patterns g.json graphs.gspan")[0]
    molecules = pd.read_csv("molecules.csv")
    molecules.assign(mass=np.arange(len(molecules)) / 2).to_csv("molecules.csv", index=False)
    for line, words in [
        (
            "patterns m.json molecules.csv --smiles mol -t mass",
            "y holds the class '0.0', the model knows 'no', 'yes'; --target",
        ),
        ("patterns m.json molecules.csv --smiles mol -t acid -o a.xlsx", "cannot write '.xlsx'"),
        (
            f"patterns s.json clicks.csv {CLICKS} -t nothing",
            "name another column with --target, or a second table that has it with --targets",
        ),
    ]:
        assert words in run(capsys, line)[2]
    done(capsys, "fit wide.csv --drop id --target returns --alpha 0.1 -o r.json")
    assert (
        "has no patterns; summary prints its terms" in run(capsys, "patterns r.json wide.csv -t returns")[2]
    )


@pytest.mark.parametrize("command", ["patterns", "report"])
def test_no_command_overwrites_what_it_reads(folder, capsys, command):
    done(capsys, f"fit baskets.csv --model itemsets {LONG} --target returns --alpha 0.02 -o m.json")
    (folder / "link.csv").symlink_to("customers.csv")
    before = (folder / "customers.csv").read_text()
    for read, written in (("customers", "customers"), ("customers", "link"), ("link", "customers")):
        line = f"{command} m.json baskets.csv {LONG} --target returns --targets {read}.csv -o {written}.csv"
        status, _, err = run(capsys, line)
        assert (status, "would be lost" in err) == (1, True)
        assert (folder / "customers.csv").read_text() == before


def test_rows_of_molecules_that_cannot_be_read_count_from_1(folder, capsys):
    (folder / "none.csv").write_text("mol,y\nC1CC,1\nxyz,2\n")
    line = "fit none.csv --model graphs --smiles mol --target y --task regression --on-invalid skip"
    status, _, err = run(capsys, line)
    assert status == 1
    assert "such as data row 1 ('C1CC'), data row 2 ('xyz')" in err


def test_a_model_keeps_where_its_records_are(folder, capsys):
    pd.read_csv("clicks.csv").rename(columns={"at": "at (UTC)"}).to_csv("clicks.csv", index=False)
    line = "fit clicks.csv --model sequences --record user --event page --target buys --alpha 0.05 -o m.json"
    assert cli.main([*line.split(), "--time", "at (UTC)", "--session-gap", "30min"]) == 0
    capsys.readouterr()
    kept = {"record": "user", "event": "page", "time": "at (UTC)", "session_gap": "30min"}
    assert json.loads((folder / "m.json").read_text())["records"] == kept
    found = rows_of(done(capsys, "predict m.json clicks.csv")[0])
    assert list(found[0])[:2] == ["user", "session"]
    assert "optimal among" in done(capsys, "verify m.json clicks.csv")[0]
    assert "rate" in done(capsys, "patterns m.json clicks.csv")[0]
    done(capsys, "report m.json clicks.csv -o r.html")
    # Options of the call count more.
    whole = rows_of(done(capsys, "predict m.json clicks.csv --session-gap 9h")[0])
    assert len(whole) == len(VISITS) < len(found)
    model = load_model("m.json")
    assert json.loads(pickle.loads(pickle.dumps(model)).to_json())["records"] == kept
    assert "records" not in json.loads(model.fit([["a"], ["b"]] * 5, [0.0, 1.0] * 5).to_json())


def test_a_model_of_molecules_keeps_the_column_of_smiles(folder, capsys):
    fit = "fit molecules.csv --model graphs --smiles mol -t acid --alpha 0.01 --on-invalid skip -o m.json"
    done(capsys, fit)
    out, err = done(capsys, "predict m.json molecules.csv")
    assert len(rows_of(out)) == 26
    assert "no prediction for 2 of 26 records" in err
    assert "data row 25 ('C1CC'), data row 26 (missing)" in err
    pd.read_csv("molecules.csv").rename(columns={"mol": "smi"}).to_csv("other.csv", index=False)
    assert len(rows_of(done(capsys, "predict m.json other.csv --smiles smi")[0])) == 26
    assert "no SMILES column 'mol'" in run(capsys, "predict m.json other.csv")[2]
    assert "data row 25" in run(capsys, "patterns m.json molecules.csv --on-invalid raise")[2]
    out, _ = done(capsys, "patterns m.json molecules.csv --on-invalid skip")
    assert (
        "Left out 2 of 26 records, which rdkit does not read: data row 25 ('C1CC'), data row 26 (missing)."
        in out
    )
    err = run(capsys, "fit molecules.csv --model graphs -t acid")[2]
    assert "--smiles: name the column of SMILES of molecules.csv" in err
    done(capsys, "fit graphs.gspan --model graphs --alpha 0.01 -o g.json")
    assert "records" not in json.loads((folder / "g.json").read_text())


def test_a_model_of_a_long_table_reads_a_wide_one(folder, capsys):
    done(capsys, f"fit baskets.csv --model itemsets {LONG} --target returns --alpha 0.02 -o m.json")
    for file in ("baskets.csv", "wide.csv"):
        found = rows_of(done(capsys, f"predict m.json {file}")[0])
        assert [row["prediction"] for row in found] == RETURNS


@pytest.mark.parametrize("spoilt", [[], {}, {"record": 1}, {"odd": "x"}, {"record": ""}, "x"])
def test_damaged_options_of_records_are_refused(folder, capsys, spoilt):
    done(capsys, f"fit baskets.csv --model itemsets {LONG} --target returns --alpha 0.02 -o m.json")
    envelope = json.loads((folder / "m.json").read_text())
    with pytest.raises(FormatError, match="'records'"):
        load_model(json.dumps({**envelope, "records": spoilt}))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_blank_smiles_are_alike_in_every_file(folder, capsys, suffix):
    done(
        capsys,
        "fit molecules.csv --model graphs --smiles mol -t acid --alpha 0.01 --on-invalid skip -o m.json",
    )
    frame = pd.DataFrame({"mol": ["CCO", "", "  ", None]})
    getattr(frame, f"to_{suffix}")(f"blank.{suffix}", index=False)
    found = rows_of(done(capsys, f"predict m.json blank.{suffix}")[0])
    assert [row["prediction"] == "" for row in found] == [False, True, True, True]


def test_times_of_nanoseconds_and_other_dates(folder, capsys):
    frame = pd.read_csv("clicks.csv")
    frame["at"] += ".123456789Z"
    frame.to_csv("fine.csv", index=False)
    fit = "fit fine.csv --model sequences --record user --event page --time at --target buys --alpha 0.05"
    done(capsys, fit)
    frame["at"] = "1. March"
    frame.to_csv("fine.csv", index=False)
    _, _, err = run(capsys, fit)
    assert "holds '1. March' in data row 1, which is no date such as 2026-12-31 or 31.12.2026;" in err
    assert "write times as 2026-03-01T09:30" in err
    assert "pandas" not in err


def test_verify_names_the_options_that_the_fit_may_have_had(folder, capsys):
    done(capsys, f"fit clicks.csv --model sequences {CLICKS} --target buys --alpha 0.01 -o m.json")
    envelope = json.loads((folder / "m.json").read_text())
    del envelope["records"]  # as of a model that was fitted in Python
    (folder / "m.json").write_text(json.dumps(envelope))
    _, _, err = run(capsys, "verify m.json clicks.csv --record user --event page")
    assert "if the fit had --weights or --time or --session-gap or --same-time, give that too" in err
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=80), "w": rng.integers(1, 9, 80)})
    table.assign(y=table["x"] + rng.normal(size=80)).to_csv("t.csv", index=False)
    done(capsys, "fit t.csv -t y --weights w --alpha 0.01 -o t.json")
    envelope = json.loads((folder / "t.json").read_text())
    del envelope["records"]
    (folder / "t.json").write_text(json.dumps(envelope))
    _, _, err = run(capsys, "verify t.json t.csv")
    assert err.rstrip().endswith("; if the fit had --weights, give that too")
    done(capsys, "verify t.json t.csv --weights w")
    table = pd.read_csv("t.csv")
    with pytest.raises(CertificateError, match="if the fit had sample_weight, give it too"):
        load_model("t.json").verify(table[["x"]], table["y"])


# ------------------------------------------------------------------ a look at records


def looked(capsys, line):
    out, err = done(capsys, f"doctor {line}")
    return " ".join(out.split()), err


def test_doctor_looks_at_molecules(folder, capsys):
    smiles = ["CCO", "OCC", "c1ccccc1", "CC.[Na+]", "xx", "O", "CCN"] + [
        f"C1{'C' * k}1" for k in range(5, 20)
    ]
    pd.DataFrame({"smi": smiles, "y": [k % 2 for k in range(len(smiles))]}).to_csv("looked.csv", index=False)
    out, _ = looked(capsys, "looked.csv --smiles smi --target y")
    assert out.startswith("22 records; 1 to 20 atoms but hydrogen")
    assert "rdkit does not read 1 row: data row 5" in out
    assert "--on-invalid skip" in out
    assert "1 molecule stood in an earlier row, such as data row 2 of data row 1" in out
    assert "1 row of several molecules, such as salts: data row 4" in out
    assert "1 molecule without a bond, with no pattern: data row 6" in out
    plain, _ = looked(capsys, "looked.csv --target y")
    assert "holds molecules as SMILES" in plain
    assert "fit --model graphs --smiles" in plain
    many = [f"C{'C' * (k % 9)}(=O)N{'C' * (k // 9)}" for k in range(80)]
    pd.DataFrame({"my smi": many, "x": range(80), "y": [k % 2 for k in range(80)]}).to_csv(
        "many.csv", index=False
    )
    _, err = done(capsys, "fit many.csv --target y --alpha 0.1")
    assert (
        "left out 'my smi': it holds molecules as SMILES (--model graphs --smiles 'my smi' reads them)" in err
    )


def test_doctor_says_how_a_log_is_read(folder, capsys):
    users = [f"u{k % 90}" for k in range(900)]
    times = pd.date_range("2026-03-01", periods=900, freq="min")
    pd.DataFrame({"user": users, "page": "home", "at": times}).to_csv("log.csv", index=False)
    err = done(capsys, "doctor log.csv")[1]
    assert "an event of 'user', at the time 'at': --record user --time at --event COLUMN" in err
    assert "an event" not in "".join(done(capsys, "doctor log.csv --record user --event page --time at"))


def test_doctor_looks_at_logs_and_sets(folder, capsys):
    rows = [(f"v{k}", at, event) for k in range(60) for at, event in enumerate(["home", "abcd"[k % 4]])]
    rows += [(f"v{k}", 5, "paid") for k in range(0, 60, 2)]
    rows += [rows[3], rows[3]]
    log = pd.DataFrame(rows, columns=["who", "at", "what"]).assign(
        buys=lambda own: own["who"].str[1:].astype(int) % 2
    )
    log.to_csv("log.csv", index=False)
    where = "log.csv --record who --event what"
    out, err = looked(capsys, f"{where} --time at --target buys")
    copies = "2 rows with the record, event and time of an earlier one, such as data row 151 and 4"
    assert copies in err
    assert out.startswith("60 records; 2 to 4 events, in the middle 3; 6 different events")
    assert "'home' is in every record" in out
    assert "paid alone explains" in out
    assert copies in run(capsys, f"fit {where} --time at --model sequences --target buys --alpha 0.1")[2]
    assert copies not in looked(capsys, f"{where} --time at --same-time set")[1]
    assert looked(capsys, where)[0].startswith("60 records; ")
    wide = pd.DataFrame({"a": [1] * 30, "b": [0, 1] * 15, "y": [0, 1, 1] * 10})
    wide.to_csv("sets.csv", index=False)
    assert "'a' is in every record" in looked(capsys, "sets.csv --model itemsets --target y")[0]
    assert "vertices" in looked(capsys, "graphs.gspan --model graphs")[0]
    assert "--smiles needs a file of data" in run(capsys, "doctor --smiles smi")[2]


@pytest.mark.parametrize(
    ("data", "options"),
    [("baskets.csv", f"--model itemsets {LONG}"), ("wide.csv", "--model itemsets --drop id")],
)
def test_models_of_records_are_compared(folder, capsys, data, options):
    for name, alpha in (("a", 0.02), ("b", 0.1)):
        done(capsys, f"fit {data} {options} --target returns --alpha {alpha} -o {name}.json")
    out = done(capsys, f"compare a.json b.json {data}")[0]
    assert out.startswith("2 models; agreement of their predictions: ")
    pairs = rows_of(done(capsys, f"compare a.json b.json {data} --format csv")[0])
    assert [(row["model"], row["other"]) for row in pairs] == [("a", "b"), ("b", "a")]
