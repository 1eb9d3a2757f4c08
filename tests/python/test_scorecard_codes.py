"""Score cards in points of columns with special codes."""

import sqlite3

import numpy as np
import pandas as pd
import pytest

from thresher import L0AdditiveClassifier, ScaledCard

CODES = {"income": [-9999, 998], "age": [-1, -7]}


def loans(seed, n=400):
    """Columns with codes, of which -7 does not occur, and classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"age": rng.integers(18, 75, n).astype(float), "income": rng.lognormal(3.6, 0.5, n).round(1)}
    )
    z = 1.0 * (X.age < 30) - (X.income > 45) - 0.5
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    for column, code, effect in [("income", -9999, 2), ("income", 998, 0), ("age", -1, 2)]:
        rows = rng.random(n) < 0.1
        X.loc[rows, column] = code
        z[rows] += effect * rng.choice([-1, 1])
    X["home"] = rng.choice(["own", "rent"], n)
    return X, rng.random(n) < 1 / (1 + np.exp(-z))


def points_by_hand(card, row):
    """The score of a row, from the texts that a person reads."""
    total = card.base_points
    for own, points in zip(card.bins, card.points, strict=True):
        value, name = row[own.feature_name], own.feature_name
        texts = dict(zip(own.texts, points, strict=True))
        apart = [text for text in texts if text.startswith(f"{name} missing")]
        assert len(apart) == 1
        if value != value or value is None:
            total += texts[apart[0]]
        elif isinstance(value, str):
            total += next(points for text, points in texts.items() if value in text)
        elif value in CODES[name]:
            total += texts.get(f"{name} = {value:g}", texts[apart[0]])
            assert f"{name} = {value:g}" in texts or f"{value:g}" in apart[0]
        else:
            lower, upper = own.ends()
            total += next(p for p, low, high in zip(points, lower, upper, strict=True) if low < value <= high)
    return total


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("whole", [True, False])
def test_points_by_hand_score_sql_and_python(seed, whole):
    X, y = loans(seed)
    model = L0AdditiveClassifier(lambda0=1.0, special_codes=CODES).fit(X, y)
    card = model.scaled_card(whole=whole)
    new, _ = loans(seed + 100)
    new.loc[:5, "age"] = -7
    scores = card.score(new)
    by_hand = [points_by_hand(card, row) for row in new.to_dict("records")]
    np.testing.assert_allclose(scores, by_hand, atol=1e-9)
    module = {}
    exec(card.to_python(), module)
    rows = [{k: None if v != v else v for k, v in row.items()} for row in new.to_dict("records")]
    np.testing.assert_allclose([module["score"](row)["score"] for row in rows], scores, atol=1e-9)
    with sqlite3.connect(":memory:") as connection:
        new.rename_axis("id").reset_index().to_sql("loans", connection, index=False)
        found = pd.read_sql(card.to_sql("loans", dialect="sqlite", keep="id"), connection)
    np.testing.assert_allclose(found.sort_values("id")["score"], scores, atol=1e-9)
    if not whole:
        np.testing.assert_allclose(card.predict_proba(new), model.predict_proba(new), atol=1e-9)
    assert (ScaledCard.from_json(card.to_json()).score(new) == scores).all()


def test_codes_have_lines_in_tables_and_are_no_best_reference():
    X, y = loans(0)
    model = L0AdditiveClassifier(lambda0=1.0, special_codes=CODES).fit(X, y)
    card = model.scaled_card()
    frame = card.to_frame()
    table = model.binning_table(X, y).to_frame()
    for own in card.bins:
        for code in own.special:
            line = table[table["bin"] == f"{own.feature_name} = {code:g}"]
            assert int(line["count"].iloc[0]) == (X[own.feature_name] == code).sum()
            lines = frame[frame["bin"] == f"{own.feature_name} = {code:g}"]
            assert lines[["lower", "upper"]].isna().all(axis=None)
    assert any(own.special for own in card.bins)
    reasons = card.reasons(X)
    best = sum(max(points[: own.n_known]) for own, points in zip(card.bins, card.points, strict=True))
    # Costs are against the best number or category: what a code gains beyond it costs nothing.
    lost = np.nansum(reasons.points, axis=1)
    assert (lost >= best + card.base_points - card.score(X) - 1e-9).all()


def test_each_code_has_a_line_with_the_points_of_the_bin_that_it_shares(tmp_path):
    rng = np.random.default_rng(2)
    x = rng.normal(600, 80, 2000).round()
    z = 1.0 * (x > 620)
    drawn = rng.random(2000)
    for low, code, effect in [(0.1, -9999, 2.0), (0.2, -9998, 2.0), (0.3, -9997, 0.5)]:
        rows = (drawn >= low) & (drawn < low + 0.05)
        x[rows], z[rows] = code, effect
    x[drawn > 0.97] = np.nan
    y = rng.random(2000) < 1 / (1 + np.exp(-z))
    X = pd.DataFrame({"bureau": x})
    codes = [-9999, -9998, -9997, -1]
    card = L0AdditiveClassifier(lambda0=3.0, special_codes=codes).fit(X, y).scaled_card()
    [own] = card.bins
    assert len(own.as_missing) > 1
    table = card.binning_table(X, y)
    frame = table.to_frame().set_index("bin")
    assert frame["count"].sum() == 2000
    scores = dict(zip(X["bureau"], card.score(X) - card.base_points, strict=True))
    for code in codes[:3]:
        rows, line = x == code, frame.loc[f"bureau = {code}"]
        assert (line["count"], line["event_rate"]) == (rows.sum(), y[rows].mean())
        woe = np.log(np.sum(rows & ~y) / np.sum(~y)) - np.log(np.sum(rows & y) / np.sum(y))
        assert line["woe"] == pytest.approx(woe)
        assert line["points"] == scores[code]
    assert frame.loc["bureau = -1", "count"] == 0
    assert frame.loc["bureau = -1", "points"] == frame.loc["bureau missing", "points"]
    assert frame.loc["bureau missing", "count"] == np.isnan(x).sum()
    assert "  bureau = -9998 " in str(table)
    path = tmp_path / "card.html"
    card.report(path, X, y)
    page = path.read_text().split('<table class="points many">')[1].split("</table>")[0]
    for code in codes:
        assert f'<th scope="row">bureau = {code}</th>' in page


def test_a_code_of_a_reason_is_a_text():
    X, y = loans(0)
    card = L0AdditiveClassifier(lambda0=1.0, special_codes=CODES).fit(X, y).scaled_card()
    for code in (None, np.nan, " ", 3):
        with pytest.raises(ValueError, match="codes: column 'age' has the code"):
            card.reasons(X, codes={"age": code})
    with pytest.raises(TypeError, match="codes: got list; give a dict"):
        card.reasons(X, codes=["age"])
