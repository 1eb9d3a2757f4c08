"""Logs of events, and tables that look like them: `thresher doctor` says how the first are read."""

import numpy as np
import pandas as pd
import pytest

from thresher.cli.commands import main

N = 600


def days(rng, n=N, form="%Y-%m-%d"):
    """Dates in order."""
    return (pd.Timestamp("2025-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 300, n)), "D")).strftime(
        form
    )


def seconds(rng, n=N):
    """Times in order."""
    return pd.Timestamp("2025-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 10**7, n)), "s")


def codes(rng, letter, n_kinds, n=N):
    return [f"{letter}{number:03d}" for number in rng.integers(1, n_kinds + 1, n)]


def sales(rng):
    product = rng.choice(["bread", "milk", "eggs", "tea"], N)
    frame = {"date": days(rng), "store": codes(rng, "S", 30), "product": product, "units": rng.poisson(9, N)}
    return frame, "units"


def sales_of_numbered_articles(rng):
    frame = {"day": days(rng, form="%d.%m.%Y"), "filiale": rng.integers(1, 60, N)}
    return {**frame, "artikel": codes(rng, "A", 40), "menge": rng.integers(1, 100, N)}, "menge"


def patients(rng):
    frame = {"patient": [f"P{row:04d}" for row in range(N)], "admitted": days(rng)}
    return {**frame, "ward": rng.choice(["A", "B", "C"], N), "ill": rng.choice(["yes", "no"], N)}, "ill"


def visits_of_patients(rng):
    frame = {"patient_id": rng.integers(1, 120, N), "date": days(rng), "pressure": rng.normal(120, 9, N)}
    return {**frame, "clinic": rng.choice(["eye", "ear", "skin"], N)}, "pressure"


def flights(rng):
    frame = {"date": days(rng), "carrier": rng.choice([*"abcdefghijklmn"], N), "origin": codes(rng, "K", 40)}
    return {**frame, "destination": codes(rng, "K", 40), "delay": rng.normal(5, 20, N).round()}, "delay"


def weather(rng):
    frame = {"station": codes(rng, "W-", 25), "day": days(rng), "sky": rng.choice(["sun", "rain", "fog"], N)}
    return {**frame, "temperature": rng.normal(10, 8, N).round(1)}, "temperature"


def loans(rng):
    frame = {"issued": days(rng), "purpose": rng.choice(["car", "house", "study"], N)}
    return {**frame, "zip": rng.integers(1000, 1040, N), "default": rng.choice(["yes", "no"], N)}, "default"


def houses(rng):
    frame = {"sold": days(rng), "district": rng.choice([f"district {k}" for k in range(20)], N)}
    return {**frame, "kind": rng.choice(["flat", "house"], N), "price": rng.normal(300, 50, N)}, "price"


def reviews(rng):
    frame = {"user": rng.integers(1, 99, N), "item": rng.integers(1, 70, N), "date": days(rng)}
    return {**frame, "stars": rng.integers(1, 6, N)}, "stars"


def meters(rng):
    frame = {"meter": codes(rng, "M", 50), "read": days(rng), "tariff": rng.choice(["day", "night"], N)}
    return {**frame, "kWh": rng.gamma(2.0, 5.0, N).round(2)}, "kWh"


def employees(rng):
    frame = {"hired": days(rng), "team": rng.choice([*"ABCDEFGHIJKL"], N), "post": rng.choice(["x", "y"], N)}
    return {**frame, "left": rng.choice(["yes", "no"], N)}, "left"


def rides(rng):
    frame = {"pickup": seconds(rng), "from_zone": rng.integers(1, 60, N), "to_zone": rng.integers(1, 60, N)}
    return {**frame, "payment": rng.choice(["card", "cash"], N), "fare": rng.gamma(3.0, 5.0, N)}, "fare"


@pytest.fixture
def noted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def of(frame, *options):
        pd.DataFrame(frame).to_csv("table.csv", index=False)
        assert main(["doctor", "table.csv", *options]) == 0
        return capsys.readouterr().err

    return of


@pytest.mark.parametrize(
    "table",
    [
        *(sales, sales_of_numbered_articles, patients, visits_of_patients, flights, weather),
        *(loans, houses, reviews, meters, employees, rides),
    ],
)
def test_a_table_that_looks_like_a_log_is_none(table, noted):
    frame, target = table(np.random.default_rng(0))
    assert "this is a log" not in noted(frame)
    assert "this is a log" not in noted(frame, "-t", target)


LOG = "if each row is an event of {!r}, this is a log: "
LOG += "thresher doctor table.csv --record {} --event {} --time {} "


def test_clicks_are_a_log(noted):
    rng = np.random.default_rng(0)
    frame = {
        "session": codes(rng, "", 80),
        "page": rng.choice(["home", "cart", "pay"], N),
        "at": seconds(rng),
    }
    assert LOG.format("session", "session", "page", "at") in noted(frame)
    shuffled = pd.DataFrame(frame).sample(frac=1.0, random_state=0)
    assert "this is a log" not in noted(shuffled)


def test_a_fit_says_that_a_table_is_a_log(noted, capsys):
    rng = np.random.default_rng(0)
    frame = {
        "session": codes(rng, "", 80),
        "page": rng.choice(["home", "cart", "pay"], N),
        "at": seconds(rng),
    }
    noted({**frame, "buys": np.where(np.unique(frame["session"], return_inverse=True)[1] % 2, "yes", "no")})
    assert main(["fit", "table.csv", "--target", "buys", "--alpha", "0.1"]) == 0
    assert LOG.format("session", "session", "page", "at") in capsys.readouterr().err
    assert main(["fit", "table.csv", "--target", "buys", "--alpha", "0.1", "--model", "rules"]) == 0
    assert "this is a log" not in capsys.readouterr().err


def test_events_of_records_with_a_target_are_a_log_in_any_order(noted):
    rng = np.random.default_rng(0)
    case = rng.integers(1, 100, N)
    frame = {"case": case, "step": rng.choice([*"abcde"], N), "when": days(rng), "cost": rng.normal(size=N)}
    frame["late"] = np.where(case % 3, "yes", "no")
    frame["colour"] = np.where(case % 2, "red", "blue")
    shuffled = pd.DataFrame(frame).sample(frac=1.0, random_state=0)
    assert LOG.format("case", "case", "step", "when") in noted(shuffled, "-t", "late")
    frame["late"] = rng.choice(["yes", "no"], N)
    assert "this is a log" not in noted(frame, "-t", "late")


def test_a_log_of_a_record_after_another_is_in_order(noted):
    rng = np.random.default_rng(0)
    frame = {"user": codes(rng, "u", 60), "action": rng.choice(["open", "buy", "leave"], N), "day": days(rng)}
    assert LOG.format("user", "user", "action", "day") in noted(
        pd.DataFrame(frame).sort_values(["user", "day"])
    )
