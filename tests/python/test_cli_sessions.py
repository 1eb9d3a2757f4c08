"""The command line on long tables whose records are cut into sessions, and beside tables of records."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from .command_line import done, run

LONG = "--model sequences --record user --event page --time at --session-gap 30min"


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """Return the clicks of 20 visitors in three sessions each; the second one of a visitor buys."""
    monkeypatch.chdir(tmp_path)
    rows = [
        (f"u{user}", page, f"2026-0{session + 1}-28T23:50", step, session)
        for user in range(20) for session in range(3)
        for step, page in enumerate(["home", "cart", "pay"] if session == 1 else ["home", "pay", "cart"])
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["user", "page", "at", "step", "session_number"])
    frame["at"] = pd.to_datetime(frame["at"]) + pd.to_timedelta(15 * frame.pop("step"), unit="min")
    frame["buys"] = (frame["session_number"] == 1) * 1.0
    frame["month"] = "month " + (frame["session_number"] + 1).astype(str)
    frame["w"] = 1.0 + frame["session_number"]
    frame = frame.drop(columns="session_number").iloc[np.random.default_rng(0).permutation(len(frame))]
    frame.to_csv("clicks.csv", index=False)
    return frame


def test_each_session_has_a_target_and_a_weight_of_its_own(visits, capsys):
    fit = f"fit clicks.csv {LONG} --target buys --weights w --groups user --n-alphas 5 -o m.json"
    out, err = done(capsys, fit)
    assert "cart -> pay" in out
    assert "left out" not in err
    found = pd.read_csv(StringIO(done(capsys, "predict m.json clicks.csv")[0]))
    assert len(found) == 60
    assert list(found)[:4] == ["user", "session", "at", "prediction"]
    begun = visits.assign(session=visits["month"].str[-1].astype(int) - 1).groupby(["user", "session"])["at"]
    times = [begun.min()[row.user, row.session] for row in found.itertuples()]
    assert pd.to_datetime(found["at"]).tolist() == times
    assert ((found["prediction"] > 0.5) == (found["session"] == 1)).all()
    assert "optimal among" in done(capsys, "verify m.json clicks.csv")[0]


@pytest.mark.parametrize("is_number", [False, True])
def test_the_beginning_of_a_session_has_the_type_of_the_times(visits, capsys, is_number):
    if is_number:
        visits["at"] = (visits["at"] - visits["at"].min()) / pd.Timedelta("1min")
    visits.to_parquet("clicks.parquet")
    gap = LONG.replace("30min", "30") if is_number else LONG
    done(capsys, f"fit clicks.parquet {gap} --target buys --alpha 0.01 -o m.json")
    done(capsys, "predict m.json clicks.parquet -o found.parquet")
    found = pd.read_parquet("found.parquet")
    assert found["at"].dtype.kind == visits["at"].dtype.kind
    assert sorted(found["at"]) == sorted(visits.groupby(["user", "month"])["at"].min())


def test_sessions_without_a_target_are_left_out(visits, capsys):
    visits.assign(buys=visits["buys"].where(visits["month"] != "month 3")).to_csv("gaps.csv", index=False)
    err = done(capsys, f"fit gaps.csv {LONG} --target buys --alpha 0.01 -o m.json")[1]
    assert "left out 20 sessions without a value of 'buys'" in err


def test_a_session_with_two_values_is_refused(visits, capsys):
    visits.loc[visits.index == 3, "buys"] = 0.0
    visits.to_csv("two.csv", index=False)
    err = run(capsys, f"fit two.csv {LONG} --target buys")[2]
    assert "session 1 of the record 'u0' has 0.0 and 1.0" in err or "has 1.0 and 0.0" in err
    assert "a session has one, in all of its rows" in err


@pytest.mark.parametrize("by", ["--period month", "--period at --by month"])
def test_each_session_has_a_period_of_its_own(visits, capsys, by):
    done(capsys, f"fit clicks.csv {LONG} --target buys --alpha 0.01 -o m.json")
    found = pd.read_csv(StringIO(done(capsys, f"monitor m.json clicks.csv clicks.csv {by} --format csv")[0]))
    assert found["count"].tolist() == [60, 20, 20, 20]
    assert found["event_rate"].tolist() == pytest.approx([1 / 3, 0, 1, 0])
    if "--by" in by:  # sessions that go on after midnight belong to the month in which they began
        assert found["period"].tolist() == ["reference", "2026-01", "2026-02", "2026-03"]


def test_a_record_in_one_sequence_has_one_value(visits, capsys):
    err = run(capsys, f"fit clicks.csv {LONG} --gap-marker | --target buys")[2]
    assert "a record has one, in all of its rows, or in its row of a second table: --targets" in err
    assert "session" not in err


def test_columns_of_a_second_table_stand_beside_predictions(visits, capsys):
    owners = pd.DataFrame({"user": [f"u{k}" for k in range(18, -1, -1)] + ["u99"]})
    owners.assign(actual=["1.50", *["0"] * 19], city="x").to_csv("owners.csv", index=False)
    without = LONG.replace(" --session-gap 30min", "")
    done(capsys, f"fit clicks.csv {LONG} --target buys --alpha 0.01 -o sessions.json")
    visits.assign(buys=(visits["user"] > "u4") * 1.0).to_csv("visitors.csv", index=False)
    done(capsys, f"fit visitors.csv {without} --target buys --alpha 0.01 -o visitors.json")
    out, err = done(capsys, "predict visitors.json clicks.csv --targets owners.csv")
    found = pd.read_csv(StringIO(out), dtype=str)
    assert list(found)[:4] == ["user", "actual", "city", "prediction"]
    assert found["user"].tolist() == [*owners["user"], "u19"]
    assert found["actual"].tolist()[:2] == ["1.50", "0"]
    assert found["actual"].isna().tolist() == [False] * 20 + [True]
    assert found["prediction"].notna().all()
    assert "1 record of owners.csv without a row in clicks.csv: empty sequences" in err
    plain = pd.read_csv(StringIO(done(capsys, "predict visitors.json clicks.csv")[0]), dtype=str)
    both = plain.merge(found, on="user")
    assert both["prediction_x"].tolist() == both["prediction_y"].tolist()
    cut = pd.read_csv(StringIO(done(capsys, "predict sessions.json clicks.csv --targets owners.csv")[0]))
    assert list(cut)[:5] == ["user", "session", "at", "actual", "city"]
    assert len(cut) == 61
    assert cut["at"].isna().tolist() == (cut["user"] == "u99").tolist()


def test_a_second_table_is_for_long_ones(visits, capsys):
    items = pd.DataFrame({"a": [1, 0] * 20, "b": [0, 0, 1, 1] * 10, "y": [1.0, 0.0] * 20})
    items.to_csv("wide.csv", index=False)
    long = [(k, name, row["y"]) for k, row in items.iterrows() for name in "ab" if row[name]]
    pd.DataFrame(long, columns=["id", "item", "y"]).to_csv("long.csv", index=False)
    done(capsys, "fit long.csv --model itemsets --record id --item item --target y --alpha 0.1 -o m.json")
    err = run(capsys, "predict m.json wide.csv --targets clicks.csv")[2]
    assert "--targets is for a long table, with a row for each item; wide.csv lacks 'id'" in err
    err = run(capsys, "predict m.json long.csv --targets clicks.csv")[2]
    assert "no record column 'id'" in err
    done(capsys, "fit wide.csv --model rules --target y --alpha 0.1 -o r.json")
    err = run(capsys, "predict r.json wide.csv --targets clicks.csv")[2]
    assert "--targets is for --model itemsets, sequences" in err


def test_models_of_different_sessions_are_not_shown_on_the_same_records(visits, capsys):
    without = LONG.replace(" --session-gap 30min", "")
    for name, options in (("cut", LONG), ("whole", without), ("marked", f"{LONG} --gap-marker |")):
        visits.assign(buys=(visits["user"] > "u4") * 1.0).to_csv("visitors.csv", index=False)
        done(capsys, f"fit visitors.csv {options} --target buys --alpha 0.01 -o {name}.json")
    for names, found in (
        (("cut", "whole"), "'cut' was fitted with --session-gap 30min, 'whole' with no --session-gap"),
        (("cut", "marked"), "'cut' was fitted with no --gap-marker, 'marked' with --gap-marker |"),
    ):
        first, other = (f"{name}.json" for name in names)
        for command in (
            f"compare {first} {other} visitors.csv",
            f"report {first} visitors.csv --compare {other} -o r.html",
        ):
            status, _, err = run(capsys, command)
            assert status == 2
            assert f"{found}: they read different data" in err
    done(capsys, "compare cut.json cut.json visitors.csv")
    done(capsys, "compare cut.json whole.json visitors.csv --session-gap 1h")
    done(capsys, "report cut.json visitors.csv --compare marked.json -o r.html --gap-marker x")
