"""The command ``thresher monitor`` for models that are no cards in points."""

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from thresher import load_model, write_gspan

from .command_line import done, run
from .data import MOLECULES


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.normal(size=240), "b": rng.normal(size=240), "city": ["x", "y", "z"] * 80})
    rows["worth"] = np.where(rows["a"] > 0, 2.0, 0.0) + rows["b"]
    rows["kind"] = np.where(rows["worth"] > 1, "high", np.where(rows["worth"] < -0.5, "low", "middle"))
    rows.to_csv("old.csv", index=False)
    new = rows.assign(a=rows["a"] + 1, month=["2025-01", "2025-02"] * 120)
    new.loc[:9, "city"] = "new"
    new.to_csv("new.csv", index=False)
    new.drop(columns=["worth", "kind"]).to_csv("bare.csv", index=False)
    items = pd.DataFrame((rng.random((120, 3)) < 0.5).astype(int), columns=list("pqr"))
    items.assign(y=2 * items["p"] + items["q"] * items["r"], m=["2024-02", "2024-01"] * 60).to_csv(
        "items.csv", index=False
    )
    clicks = [(k, place, page) for k in range(60) for place, page in enumerate("abc" if k % 3 else "ba")]
    clicks = pd.DataFrame(clicks, columns=["id", "at", "page"])
    clicks.assign(buys=(clicks["id"] % 3 > 0).astype(float)).to_csv("clicks.csv", index=False)
    clicks.to_csv("later.csv", index=False)
    pd.DataFrame({"mol": [*MOLECULES * 3, "C1CC"], "mass": np.arange(3 * len(MOLECULES) + 1.0) % 5}).to_csv(
        "molecules.csv", index=False
    )
    return tmp_path


@pytest.mark.parametrize(
    "model", ["rules --alpha 0.05", "hierarchy --alpha 0.05", "fm --alpha 0.01", "additive"]
)
def test_models_of_tables(folder, capsys, model):
    unknown = "" if model.startswith("fm") else "--handle-unknown missing "
    done(capsys, f"fit old.csv --target worth --drop kind --model {model} {unknown}-o m.json")
    out, _ = done(capsys, "monitor m.json old.csv new.csv --period month")
    X = {name: pd.read_csv(f"{name}.csv") for name in ("old", "new")}
    own = load_model("m.json")
    found = own.monitor(X["old"], X["new"], y_reference="worth", y_new="worth", period="month")
    assert out == f"{found}\n\n{found.values}\n\n{found.periods}\n"
    table = pd.read_csv(StringIO(done(capsys, "monitor m.json old.csv new.csv --format csv")[0]))
    assert table["psi"].tolist() == pytest.approx([0.0, found.psi])
    assert (
        "no observed values, since bare.csv lacks 'worth', which the model predicts"
        in done(capsys, "monitor m.json old.csv bare.csv")[1]
    )


@pytest.mark.parametrize("options", ["--alpha 0.05", "--model additive --lambda0 2"])
def test_a_class_of_several(folder, capsys, options):
    done(capsys, f"fit old.csv --target kind --drop worth {options} --handle-unknown missing -o m.json")
    assert (
        "--class: name one of the outputs of the model: 'high', 'low', 'middle'"
        in run(capsys, "monitor m.json old.csv new.csv")[2]
    )
    assert "--class: got 'other'; name one" in run(capsys, "monitor m.json old.csv new.csv --class other")[2]
    out, _ = done(capsys, "monitor m.json old.csv new.csv --class high")
    X = {name: pd.read_csv(f"{name}.csv") for name in ("old", "new")}
    found = load_model("m.json").monitor(X["old"], X["new"], y_reference="kind", y_new="kind", output="high")
    assert out.startswith(f"{found}\n")


def test_models_of_records(folder, capsys):
    done(capsys, "fit items.csv --model itemsets --target y --drop m --alpha 0.02 -o i.json")
    out, _ = done(capsys, "monitor i.json items.csv items.csv --period m")
    assert [line.split()[0] for line in out.splitlines()[-3:]] == ["reference", "2024-01", "2024-02"]
    long = "--record id --event page --time at"
    done(capsys, f"fit clicks.csv --model sequences --target buys {long} --alpha 0.02 -o s.json")
    out, err = done(capsys, "monitor s.json clicks.csv later.csv")
    assert "b -> a" in out
    assert "no observed values, since later.csv lacks 'buys'" in err
    assert (
        "--period: the record '0' has 0.0 and 1.0 in the column 'at' (data row 2); a record has one"
        in run(capsys, "monitor s.json clicks.csv later.csv --period at")[2]
    )
    done(
        capsys,
        "fit molecules.csv --model graphs --smiles mol --target mass --alpha 0.1 --on-invalid skip -o g.json",
    )
    n = 3 * len(MOLECULES)
    assert done(capsys, "monitor g.json molecules.csv molecules.csv")[0].startswith(
        f"{n} new rows beside {n} of"
    )
    assert (
        "rdkit does not read"
        in run(capsys, "monitor g.json molecules.csv molecules.csv --on-invalid raise")[2]
    )


def test_graphs_as_text_have_their_first_value_for_a_target(folder, capsys):
    graphs = [(["a", "b"], [(0, 1)], ["x"]), (["a", "a"], [(0, 1)], ["x"])] * 6
    (folder / "old.gspan").write_text(write_gspan(graphs, [1.5, 0.25] * 6))
    (folder / "new.gspan").write_text(write_gspan(graphs))
    done(capsys, "fit old.gspan --model graphs --alpha 0.01 -o m.json")
    out, _ = done(capsys, "monitor m.json old.gspan new.gspan --format csv")
    observed = pd.read_csv(StringIO(out))["mean"]
    assert observed.isna().tolist() == [False, True]


def test_records_of_standard_input_may_lack_a_target(folder, capsys, monkeypatch):
    long = "--record id --event page --time at"
    done(capsys, f"fit clicks.csv --model sequences --target buys {long} --alpha 0.02 -o s.json")
    with Path("later.csv").open() as later:
        monkeypatch.setattr("sys.stdin", later)
        _, err = done(capsys, "monitor s.json clicks.csv -")
    assert "no observed values, since standard input lacks 'buys'" in err


def test_targets_of_records_in_tables_of_their_own(folder, capsys):
    clicks = pd.read_csv("clicks.csv")
    outcome = clicks.groupby("id")["buys"].first().reset_index()
    outcome.to_csv("visitors.csv", index=False)
    outcome.assign(buys=1 - outcome["buys"]).to_csv("late.csv", index=False)
    long = "--record id --event page --time at"
    fit = (
        f"fit later.csv --model sequences --target buys --targets visitors.csv {long} --alpha 0.02 -o s.json"
    )
    done(capsys, fit)
    both = "monitor s.json later.csv later.csv --format csv --targets visitors.csv"
    found = pd.read_csv(StringIO(done(capsys, f"{both} late.csv")[0]))
    assert found["event_rate"].tolist() == pytest.approx([2 / 3, 1 / 3])
    out, err = done(capsys, both)
    assert "no observed values, since later.csv lacks 'buys'" in err
    assert pd.read_csv(StringIO(out))["event_rate"].isna().tolist() == [False, True]
    assert "--targets: give the table of" in run(capsys, f"{both} late.csv late.csv")[2]
    done(capsys, "fit old.csv --target worth --drop kind --alpha 0.05 --handle-unknown missing -o m.json")
    assert (
        "--targets is for --model itemsets, sequences"
        in run(capsys, "monitor m.json old.csv new.csv --targets old.csv")[2]
    )


def test_a_card_has_one_output_and_periods_name_rows_of_the_file(folder, capsys):
    done(capsys, "fit old.csv --target worth --drop kind --model additive --handle-unknown missing -o m.json")
    assert (
        "--class: got 'worth'; name one of the outputs of the model: it has one output"
        in run(capsys, "monitor m.json old.csv new.csv --class worth")[2]
    )
    assert (
        "in data row 1; give dates such as"
        in run(capsys, "monitor m.json old.csv new.csv --period city --by month")[2]
    )


def test_records_whose_outcome_is_not_known_yet_count(folder, capsys):
    long = "--record id --event page --time at"
    clicks = pd.read_csv("clicks.csv")
    outcome = clicks.groupby("id")["buys"].first().reset_index()
    outcome.to_csv("visitors.csv", index=False)
    outcome[outcome["id"] < 40].to_csv("some.csv", index=False)
    clicks.assign(buys=clicks["buys"].where(clicks["id"] < 40)).to_csv("gaps.csv", index=False)
    done(capsys, f"fit clicks.csv --model sequences --target buys {long} --alpha 0.02 -o s.json")
    rate = outcome["buys"][:40].mean()
    for line in ("clicks.csv gaps.csv", "clicks.csv later.csv --targets visitors.csv some.csv"):
        out, err = done(capsys, f"monitor s.json {line} --format csv")
        found = pd.read_csv(StringIO(out))
        assert found["count"].tolist() == [60, 60], err
        assert found["event_rate"][1] == pytest.approx(rate)
        assert "left out" not in err
    wide = pd.read_csv("items.csv")
    wide.assign(y=wide["y"].where(wide.index < 50)).to_csv("wide.csv", index=False)
    done(capsys, "fit items.csv --model itemsets --target y --drop m --alpha 0.02 -o i.json")
    found = pd.read_csv(StringIO(done(capsys, "monitor i.json items.csv wide.csv --format csv")[0]))
    assert found["count"].tolist() == [120, 120]
    assert found["mean"][1] == pytest.approx(wide["y"][:50].mean())


def test_periods_of_records_in_long_tables(folder, capsys):
    long = "--record id --event page --time at"
    done(capsys, f"fit clicks.csv --model sequences --target buys {long} --alpha 0.02 -o s.json")
    clicks = pd.read_csv("clicks.csv")
    month = np.where(clicks["id"] % 2, "2026-02", "2026-01")
    clicks.assign(month=month).to_csv("months.csv", index=False)
    owners = clicks[["id", "buys"]].drop_duplicates()
    owners.to_csv("old_owners.csv", index=False)
    owners.assign(day=np.where(owners["id"] % 2, "2026-02-03", "2026-01-05")).iloc[::-1].to_csv(
        "owners.csv", index=False
    )
    bare = clicks.drop(columns="buys")
    bare.to_csv("bare.csv", index=False)
    months, _ = done(capsys, "monitor s.json clicks.csv months.csv --period month --format csv")
    days, _ = done(
        capsys,
        "monitor s.json bare.csv bare.csv --targets old_owners.csv owners.csv --period day --by month "
        "--format csv",
    )
    assert pd.read_csv(StringIO(months))["period"].tolist() == ["reference", "2026-01", "2026-02"]
    assert pd.read_csv(StringIO(months))["count"].tolist() == [60, 30, 30]
    pd.testing.assert_frame_equal(pd.read_csv(StringIO(days)), pd.read_csv(StringIO(months)))
    err = run(capsys, "monitor s.json clicks.csv months.csv --period week")[2]
    assert "--period: there is no column 'week'; there are 'id', 'at', 'page'" in err


@pytest.mark.filterwarnings("always:no event of these records")
def test_files_without_rows_and_unknown_events_are_named_without_python(folder, capsys):
    long = "--record id --event page --time at"
    done(capsys, f"fit clicks.csv --model sequences --target buys {long} --alpha 0.02 -o s.json")
    later = pd.read_csv("later.csv")
    later.iloc[:0].to_csv("empty.csv", index=False)
    later.assign(page="page " + later["page"]).to_csv("renamed.csv", index=False)
    err = run(capsys, "monitor s.json clicks.csv empty.csv")[2]
    assert "the file of new rows has no rows; give the rows to compare" in err
    out, err = done(capsys, "monitor s.json clicks.csv renamed.csv")
    assert "events such as 'page b', training had 'a', 'b', 'c'\n" in err
    assert "New rows with events that training did not see: 60 (100%): page b, page a, page c." in out
