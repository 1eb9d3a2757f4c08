"""Reasons of score cards in exported code: those of ``card.reasons``, row by row."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

from thresher import L0AdditiveClassifier

from .exported import records, run_javascript, run_python

CODES = {"income": [-9999, 998], 'the "age"': [-1, -7]}
TEXTS = {
    'the "age"': "R01 it's the age",
    "income": "R02 <money>",
    "debt": "R02 <money>",
    "home": "R03",
    ("income", -9999): "R09",
    ("income", None): "R10 no income",
    ('the "age"', -7): "R02 <money>",
    ("home", None): "R10 no income",
}


def loans(seed, n):
    """Rows with special codes, missing values and, in "home", a category that training does not see."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        'the "age"': rng.integers(18, 75, n).astype(float),
        "income": rng.lognormal(3.6, 0.5, n).round(1),
        "debt": rng.integers(0, 5, n).astype(float),
        "twin": rng.integers(0, 5, n).astype(float),
        "flag": rng.random(n) < 0.4,
    }).astype({"flag": object})  # fmt: skip
    z = (X['the "age"'] < 30) * 1.0 - (X.income > 45) + 0.6 * (X.debt > 2) + 0.6 * (X.twin > 2) - 1.0
    for column, code, effect in [
        ("income", -9999, 2), ("income", 998, 0), ('the "age"', -1, 2), ("income", np.nan, 1),
        ("debt", np.nan, -1), ("twin", np.nan, 1), ("flag", None, 1),
    ]:  # fmt: skip
        rows = rng.random(n) < 0.1
        X.loc[rows, column] = code
        z[rows] += effect
    X["home"] = rng.choice(["own", "rent", "it's", None], n)
    z += 0.8 * (X["home"] == "rent")
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-z)), "bad", "good")


def new_rows(seed, n):
    X, _ = loans(seed, n)
    rng = np.random.default_rng(seed)
    X.loc[rng.random(n) < 0.1, "home"] = "never seen"
    X.loc[rng.random(n) < 0.05, 'the "age"'] = -7
    return X


def card_of(seed, handle_unknown, high_score="low_risk", whole=True):
    X, y = loans(seed, 800)
    model = L0AdditiveClassifier(
        lambda0=1.5, special_codes=CODES, pos_label="bad", handle_unknown=handle_unknown,
        categorical_features=["flag", "home"],
    ).fit(X, y)  # fmt: skip
    return model.scaled_card(pdo=20 if seed else 2, high_score=high_score, whole=whole)


def expected(card, X, n, **options):
    """The reasons of the package, None for a row that it refuses."""
    refused = np.zeros(len(X), dtype=bool)
    if card.model.handle_unknown == "error":
        refused = (X["home"] == "never seen").to_numpy()
    found = card.reasons(X[~refused], n, **options)
    rows = [
        [(text, points) for text, points in zip(texts, costs, strict=True) if text is not None]
        for texts, costs in zip(found.reasons.tolist(), found.points.tolist(), strict=True)
    ]
    answers = iter(rows)
    return [None if each else next(answers) for each in refused]


def of_objects(answers):
    return [
        None if row is None else [(each["reason"], each["points"]) for each in row["reasons"]]
        for row in answers
    ]


def of_table(frame, n):
    found = []
    for row in frame.sort_values("id").to_dict("records"):
        pairs = [(row[f"reason_{k + 1}"], row[f"points_{k + 1}"]) for k in range(n)]
        named = [pair for pair in pairs if isinstance(pair[0], str)]
        assert all(points != points or points is None for _, points in pairs[len(named) :])
        found.append(None if row["score"] != row["score"] else named)
    return found


def by_sqlite(code, X):
    with sqlite3.connect(":memory:") as connection:
        X.rename_axis("id").reset_index().to_sql("loans", connection, index=False)
        return pd.read_sql(code, connection)


def by_duckdb(code, X):
    rows = X.rename_axis("id").reset_index().astype({"home": object})
    with duckdb.connect(":memory:") as connection:
        connection.register("loans", rows)
        return connection.sql(code).df()


SETTINGS = [
    (0, "missing", "low_risk", True, "best", None),
    (1, "missing", "low_risk", True, "best", TEXTS),
    (2, "error", "high_risk", True, "mean", TEXTS),
    (3, "missing", "high_risk", False, "best", TEXTS),
    (4, "error", "low_risk", False, "mean", None),
    (5, "missing", "low_risk", True, "rows", TEXTS),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [1, 7])
@pytest.mark.parametrize(("seed", "unknown", "high", "whole", "reference", "texts"), SETTINGS)
def test_exported_reasons_are_those_of_the_package(seed, unknown, high, whole, reference, texts, n, tmp_path):
    card = card_of(seed, unknown, high, whole)
    assert {own.feature_name for own in card.bins} >= set(CODES)
    X = new_rows(seed + 50, 2000)
    if reference == "rows":
        reference = loans(seed + 70, 90)[0]
    options = {"reference": reference, "codes": texts}
    wanted = expected(card, X, n, **options)
    named = [row for row in wanted if row]
    assert any(len(row) == min(n, 3) for row in named)
    if n == 7 and seed == 0:
        ties = [len(row) > len({points for _, points in row}) for row in named]
        assert sum(ties) > 20
    rows = records(X)
    assert of_objects(run_python(card.to_python(reasons=n, **options), rows)) == wanted
    assert of_objects(run_javascript(card.to_javascript(reasons=n, **options), rows, tmp_path)) == wanted
    for dialect, run in [("sqlite", by_sqlite), ("duckdb", by_duckdb), ("ansi", by_duckdb)]:
        code = card.to_sql("loans", dialect=dialect, keep="id", reasons=n, **options)
        assert of_table(run(code, X), n) == wanted, dialect


def test_no_reasons_are_the_default_and_wrong_ones_are_refused():
    card = card_of(0, "missing")
    assert card.to_sql() == card.to_sql(reasons=0)
    assert "reason" not in card.to_sql()
    assert "reason" not in card.to_python()
    assert "reason" not in card.to_javascript()
    for write in (card.to_sql, card.to_python, card.to_javascript):
        with pytest.raises(ValueError, match="reasons"):
            write(reasons=-1)
        with pytest.raises(ValueError, match="there is no column 'nowhere'"):
            write(reasons=2, codes={"nowhere": "R"})
        with pytest.raises(ValueError, match="reference"):
            write(reasons=2, reference="worst")


@pytest.mark.filterwarnings("ignore")
def test_a_card_without_columns_has_no_reasons(tmp_path):
    X = pd.DataFrame({"x": np.arange(40.0)})
    card = L0AdditiveClassifier(lambda0=1e6).fit(X, np.arange(40) % 3 == 0).scaled_card()
    assert not card.bins
    rows = records(X)
    assert run_python(card.to_python(reasons=2), rows)[0]["reasons"] == []
    assert run_javascript(card.to_javascript(reasons=2), rows, tmp_path)[0]["reasons"] == []
    for dialect, run in [("sqlite", by_sqlite), ("duckdb", by_duckdb)]:
        found = run(card.to_sql("loans", dialect=dialect, keep="id", reasons=2), X.assign(home="own"))
        assert found[["reason_1", "points_2"]].isna().all().all()
