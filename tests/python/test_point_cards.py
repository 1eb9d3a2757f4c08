"""Cards of few whole points: probabilities, tables, reasons and code."""

import itertools
import sqlite3

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.calibration import CalibrationDisplay

from thresher import L0AdditiveClassifier, L0AdditiveRegressor

from .exported import records, run_javascript, run_python
from .pages import Page


def patients(seed, n=500):
    """Numbers with a special code and missing values, categories, and whether a patient is ill."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "pressure": rng.normal(120, 15, n).round(),
            "smokes": rng.choice(["no", "yes", "once"], n),
        }
    )
    z = 1.2 * (X["age"] > 60) + 0.8 * (X["pressure"] > 130) + 0.9 * (X["smokes"] == "yes") - 1.5
    X.loc[rng.random(n) < 0.1, "age"] = -1
    X.loc[rng.random(n) < 0.1, "pressure"] = np.nan
    return X, np.where(rng.random(n) < expit(z), "ill", "well")


def card_of(seed=0, max_points=5, **params):
    X, y = patients(seed)
    given = {"lambda0": 4.0, "pos_label": "ill", "special_codes": {"age": [-1]}, **params}
    model = L0AdditiveClassifier(**given).fit(X, y)
    return model.point_card(X, y, max_points=max_points), model, X, y


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("pos_label", ["ill", "well"])
def test_probabilities_follow_from_the_points(loss, pos_label):
    card, model, X, y = card_of(loss=loss, pos_label=pos_label)
    points = card.score(X)
    decision = card.cards[0].intercept + card.scale * points
    expected = expit(decision * (2 if loss == "exponential" else 1))
    np.testing.assert_allclose(card.probability(points), expected, rtol=1e-12)
    place = model.classes_.tolist().index(pos_label)
    found = card.predict_proba(X)
    np.testing.assert_allclose(found[:, place], expected, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert card.event == pos_label
    if loss == "logistic":  # the constant is refitted: the mean probability is the share of the event
        assert found[:, place].mean() == pytest.approx((y == pos_label).mean(), abs=1e-6)
    assert np.abs(found - model.predict_proba(X)).mean() < 0.1


@pytest.mark.parametrize("far", [-1, 7.5, np.nan, 99])
def test_probabilities_are_those_of_sums_that_the_card_has(far):
    card, *_ = card_of()
    sums = card.point_table().points
    within = np.arange(sums[0], sums[-1] + 1)  # also sums that no row can have
    assert (np.diff(card.probability(within)) > 0).all()
    said = (
        f"^score: got {far}; the sums of points of this card are whole numbers from {sums[0]} to {sums[-1]}$"
    )
    with pytest.raises(ValueError, match=said):
        card.probability([sums[0], far])


def test_the_table_has_each_sum_of_points_that_a_row_can_have():
    card, _, X, _ = card_of()
    table = card.point_table()
    sums = sorted({int(sum(each)) for each in itertools.product(*card.points)})
    assert table.points == sums
    assert set(card.score(X)) <= set(sums)
    assert table.probabilities == card.probability(sums).tolist() == sorted(table.probabilities)
    frame = table.to_frame()
    assert frame.columns.tolist() == ["points", "probability"]
    assert len(table) == len(frame) == len(sums)
    first, heading, line, *_ = str(table).splitlines()
    assert first == "The probability of class 'ill' at each sum of points."
    assert heading.split() == ["points", "probability"]
    assert line.split() == ["0", f"{table.probabilities[0]:.1%}"]
    assert "class_weight" in str(card_of(class_weight="balanced")[0].point_table())


def test_every_bin_that_is_scored_has_a_line_in_points():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"lab": rng.integers(3, 18, 999).astype(float), "ward": rng.choice(["a", "b"], 999)})
    y = rng.random(999) < 0.15 + 0.4 * (X["lab"] > 9) + 0.3 * (X["ward"] == "b")
    model = L0AdditiveClassifier(lambda0=9, special_codes={"lab": [-1]}, handle_unknown="missing").fit(X, y)
    card = model.point_card(X, y, max_points=5)
    frame = card.to_frame().set_index("bin")
    rows = pd.DataFrame({"lab": [5.0, np.nan, 15.0, -1.0], "ward": ["a", "b", "other", None]})
    bins = [
        ["lab <= 9, not -1", "ward = a"],
        ["lab missing or -1", "ward = b"],
        ["lab > 9", "ward missing"],
        ["lab missing or -1", "ward missing"],
    ]
    assert card.score(rows).tolist() == [frame.loc[texts, "points"].sum() for texts in bins]
    assert frame.loc["lab missing or -1", "points"] > 0
    for text in (str(card), card.to_markdown(), card.to_latex(), card._repr_html_()):
        assert "lab missing or -1" in text.replace("$-$", "-")
        assert "ward missing" in text


def test_the_column_of_points_holds_nothing_else():
    card, *_ = card_of()
    first, heading, *lines, _, _ = str(card).splitlines()
    assert heading.split() == ["points", "bin", "support"]
    assert f"= {card.cards[0].intercept:.4g} + {card.scale:.4g} * points" in first
    starts = [line.split()[0] for line in lines]
    found = [int(start) for start in starts if start not in {"age", "pressure", "smokes"}]
    assert found == [points for column in card.points for points in column]


def test_a_card_without_steps_has_one_probability():
    card, *_, y = card_of(lambda0=1e4)
    assert card.point_table().points == [0]
    assert card.point_table().probabilities == pytest.approx([(y == "ill").mean()], abs=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_exports_have_points_and_probabilities(loss, tmp_path):
    card, _, X, _ = card_of(loss=loss, handle_unknown="missing", lambda0=2.0)
    rows = pd.concat([X[:50], pd.DataFrame([{"age": 7.0, "pressure": -1.0, "smokes": "often"}])])
    rows = rows.reset_index(drop=True)
    score = card.score(rows)
    wanted = np.column_stack([score, card.probability(score)])
    scripts = [run_python(card.to_python(), records(rows))]
    scripts.append(run_javascript(card.to_javascript(), records(rows), tmp_path))
    for found in scripts:
        np.testing.assert_allclose([[row["score"], row["probability"]] for row in found], wanted)
    with sqlite3.connect(":memory:") as connection:
        rows.to_sql("data", connection)
        cursor = connection.execute(card.to_sql(dialect="sqlite", keep="index", reasons=1))
        assert [column[0] for column in cursor.description][:3] == ["index", "score", "probability"]
        np.testing.assert_allclose([row[1:3] for row in sorted(cursor.fetchall())], wanted)
    assert "score" in card.to_c()
    assert "<Scorecard" in card.to_pmml(rows)
    card.to_excel(tmp_path / "card.xlsx", rows)
    assert (tmp_path / "card.xlsx").stat().st_size


def test_a_card_in_points_has_reasons_and_bands():
    card, model, X, y = card_of()
    reasons = card.reasons(X, 2)
    highest = X.iloc[[int(card.score(X).argmax())]]
    assert card.reasons(highest, 3).columns()["reason_1"][0] in X.columns
    np.testing.assert_array_equal(reasons.columns()["score"], card.score(X))
    bands = card.bands(X, y, bands=3)
    assert sum(bands.columns()["count"]) == len(X)
    assert card.binning_table(X, y).iv.keys() == model.binning_table(X, y).iv.keys()
    assert card.monitor(X, X).total.psi == 0


def test_a_later_fit_leaves_the_card_as_it_is():
    card, model, X, y = card_of()
    before = card.predict_proba(X)
    model.set_params(pos_label="well", special_codes=None).fit(X[["pressure"]], y)
    np.testing.assert_array_equal(card.predict_proba(X), before)


def test_columns_of_a_frame_are_found_by_name():
    card, _, X, _ = card_of()
    other = X[["smokes", "pressure", "age"]].assign(more=1.0)
    np.testing.assert_array_equal(card.score(other), card.score(X))


def test_cards_of_numbers_have_no_probabilities():
    X, y = patients(0)
    card = L0AdditiveRegressor(lambda0=1.0).fit(X, y == "ill").point_card(X, y == "ill")
    assert card.score(X).dtype.kind == "i"
    for ask in (card.point_table, card.to_sql, lambda: card.predict_proba(X), lambda: card.report("x.html")):
        with pytest.raises(ValueError, match="this one predicts a number"):
            ask()


@pytest.mark.parametrize("pos_label", ["ill", "well"])
def test_cards_name_the_columns_of_their_probabilities(pos_label):
    points, model, X, y = card_of(pos_label=pos_label)
    for card in (points, model.scaled_card()):
        assert card.classes_.tolist() == ["ill", "well"]
        assert card.pos_label_ == pos_label
        place = card.classes_.tolist().index(card.pos_label_)
        chance = card.predict_proba(X)[:, place]
        np.testing.assert_allclose(chance, card.probability(card.score(X)))
        display = CalibrationDisplay.from_predictions(y, chance, pos_label=card.pos_label_)
        assert np.corrcoef(display.prob_true, display.prob_pred)[0, 1] > 0.8
    of_number = L0AdditiveRegressor(lambda0=1.0).fit(X, y == "ill").point_card(X, y == "ill")
    assert not hasattr(of_number, "classes_")


def test_a_report_scores_in_the_page_as_the_card_does(tmp_path):
    card, _, X, y = card_of(handle_unknown="missing")
    card.report(tmp_path / "card.html", X, y, group="smokes")
    page = Page(tmp_path / "card.html")
    assert f"{card.scale:.4g} * points" in page.text
    assert "Loss on the rows for which the points were chosen" in page.text
    names = [field["name"] for field in page.models[0]["form"]["fields"]]
    rows = X[names].head(50)
    values = rows.astype(object).where(rows.notna(), None).values.tolist()
    answers = page.run(
        "given.map((row) => Report.score(Report.scores[0], page.models[0].form.fields, row))",
        tmp_path,
        values,
    )
    assert [answer["score"] for answer in answers] == card.score(X.head(50)).tolist()
    wanted = card.probability(card.score(X.head(50)))
    np.testing.assert_allclose([answer["probability"] for answer in answers], wanted, rtol=1e-12)


def test_a_card_that_predicts_a_number_prints_in_every_form():
    X = np.arange(60.0)[:, None] % 10
    card = L0AdditiveRegressor(lambda0=0.5).fit(X, X[:, 0] > 4).point_card(X, X[:, 0] > 4, max_points=5)
    forms = (str(card), repr(card), card.text(), card.to_markdown(), card.to_latex(), card._repr_html_())
    assert all("Loss of the model" in form for form in forms)
    for name in ("classes_", "pos_label_", "event"):
        with pytest.raises(AttributeError, match="a card that predicts a number has no classes"):
            getattr(card, name)


def test_cards_say_where_supports_and_rates_are_of_weighted_rows():
    card, model, X, y = card_of(class_weight="balanced")
    said = "Support is the fraction of the weight of the rows."
    for table in (card, model.scaled_card(), model.score_card(), model.summary()):
        assert said in str(table)
        assert said in table.to_markdown()
    assert "The predicted rates are those of the rows as class_weight weighs them" in str(card.bands(X, y))
    monitored = {"y_reference": y, "y_new": y}
    assert "The predictions are those of the rows as class_weight weighs them" in str(
        card.monitor(X, X, **monitored)
    )
    assert "class_weight" not in str(card.monitor(X, X))
    plain, model, X, y = card_of()
    for table in (plain, model.scaled_card(), model.score_card(), plain.bands(X, y)):
        assert "weigh" not in str(table)
    model.fit(X, y, sample_weight=np.where(y == "ill", 2.0, 1.0))
    assert said in str(model.score_card())
    assert said in str(model.scaled_card())
