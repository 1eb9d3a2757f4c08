"""Pages and bands of score cards in points."""

import dataclasses
import re

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.base import clone

import thresher as t

from .pages import HOSTILE, Page
from .test_scorecard import event_probability, fitted, loans, new_rows

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("high_score", ["low_risk", "high_risk"])
@pytest.mark.parametrize("weighted", [False, True])
def test_bands_by_loops(high_score, weighted):
    model, X, y = fitted()
    card = model.scaled_card(high_score=high_score)
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float) if weighted else np.ones(len(y))
    found = card.bands(X, y, w if weighted else None, bands=5)
    columns, score = found.columns(), card.score(X)
    assert 2 <= len(columns["band"]) <= 5
    seen = np.zeros(2)
    totals = np.array([w[y == "bad"].sum(), w[y == "good"].sum()])
    sign = 1 if high_score == "high_risk" else -1
    starts = [
        sign * low if sign > 0 else sign * high
        for low, high in zip(columns["lower"], columns["upper"], strict=True)
    ]
    assert starts == sorted(starts, reverse=True)
    for k, (low, high) in enumerate(zip(columns["lower"], columns["upper"], strict=True)):
        inside = (low < score) & (score <= high)
        events, others = w[inside & (y == "bad")].sum(), w[inside & (y == "good")].sum()
        seen += events, others
        assert columns["count"][k] == pytest.approx(events + others)
        assert columns["share"][k] == pytest.approx((events + others) / w.sum())
        assert (columns["events"][k], columns["non_events"][k]) == pytest.approx((events, others))
        assert columns["event_rate"][k] == pytest.approx(events / (events + others))
        risk = event_probability(card, X)
        assert columns["predicted"][k] == pytest.approx(np.average(risk[inside], weights=w[inside]))
        assert columns["cumulative_events"][k] == pytest.approx(seen[0] / totals[0])
        assert columns["cumulative_non_events"][k] == pytest.approx(seen[1] / totals[1])
        assert columns["ks"][k] == pytest.approx(seen[0] / totals[0] - seen[1] / totals[1])
    wanted = sk.roc_auc_score(y == "bad", sign * score, sample_weight=w)
    assert found.ranking.auc == pytest.approx(wanted)
    assert max(columns["ks"]) <= found.ranking.ks + 1e-12
    assert f"KS {found.ranking.ks:.3f}" in str(found)


def test_bands_of_given_scores_without_classes_and_of_one_class():
    model, X, y = fitted()
    card = model.scaled_card()
    score = card.score(X)
    found = card.bands(X, bands=[int(score.min()) - 1, 500, 1000]).columns()
    assert found["count"] == [0, (score <= 500).sum(), (score > 500).sum(), 0]
    assert "events" not in found
    one = card.bands(X, np.full(len(y), "good"))
    assert one.ranking is None
    assert str(one)
    single = card.bands(X[:1], y[:1])
    assert single.columns()["band"] == ["every score"]
    for bad in (1, [500, 400], [np.nan], "ten", [[1], [1, 2]], [[400, 500]]):
        with pytest.raises((TypeError, ValueError), match="bands"):
            card.bands(X, bands=bad)


def test_a_rounded_difference_of_zero_has_no_sign():
    model, X, y = fitted()
    card = model.scaled_card()
    weights = np.random.default_rng(1).uniform(0.1, 1, size=len(y))
    found = card.bands(X, y, weights)
    last = {**found.bands, "ks": [*found.bands["ks"][:-1], -1e-16]}
    assert "-0.000" not in str(dataclasses.replace(found, bands=last))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    model, X, y = fitted()
    card = model.scaled_card()
    path = tmp_path_factory.mktemp("card") / "card.html"
    card.report(path, X.assign(month="x"), y, group="month", title="A card")
    return card, Page(path)


def test_the_page_shows_points_and_bands(page):
    card, found = page
    _, X, y = fitted()
    table = found.source.split('<table class="points many">')[1].split("</table>")[0]
    lines = [re.findall(r"<t[hd][^>]*>([^<]*)<", line) for line in table.split("<tr")[2:]]
    shown = {line[0]: line[1:] for line in lines if len(line) > 4}
    binned = card.binning_table(X, y).columns()
    for own, points in zip(card.bins, card.points, strict=True):
        for text, number in zip(own.texts, points, strict=True):
            cells = shown[text.replace("<", "&lt;").replace(">", "&gt;")]
            assert cells[0].replace("\u2212", "-") == f"{number:+,.0f}"
            k = list(zip(binned["feature"], binned["bin"], strict=True)).index((own.feature_name, text))
            assert cells[2] == f"{binned['count'][k]:,.0f}"
    bands = found.models[0]["bands"]["table"]
    assert bands["count"] == card.bands(X, y).columns()["count"]
    assert "Scores" in found.text
    assert "At 600 the odds of class 'good' to class 'bad' are 50:1" in found.text
    assert "histogram" not in found.models[0]["curves"]["parts"][0]


def test_the_page_scores_as_the_card_does(page, tmp_path):
    card, found = page
    rows = new_rows(60).astype(object)
    rows = rows.where(rows.notna(), None)
    fields = found.models[0]["form"]["fields"]
    given = [
        [(OTHER if row[f["name"]] == "castle" else row[f["name"]]) for f in fields]
        for row in rows.to_dict("records")
    ]
    answers = found.run(
        "given.map((v) => Report.score(Report.scores[0], page.models[0].form.fields, v))", tmp_path, given
    )
    used = new_rows(60)
    assert [answer["score"] for answer in answers] == card.score(used).tolist()
    np.testing.assert_allclose([a["probability"] for a in answers], event_probability(card, used), rtol=1e-12)


OTHER = "\u0001other"


def test_reasons_of_the_page_add_up_to_the_score(page):
    card, found = page
    _, X, _ = fitted()
    data = found.models[0]["reasons"]
    score = card.score(X)
    for row in data["rows"]:
        assert row["decision"] == [score[row["row"]]]
        total = data["intercepts"][0] + sum(value for _, value, *_ in row["parts"])
        assert total == pytest.approx(score[row["row"]])


def test_steps_are_counted_alike_everywhere(page, tmp_path):
    card, _ = page
    model = card.model
    steps = "1 step" if model.n_nonzero_ == 1 else f"{model.n_nonzero_} steps"
    t.report(tmp_path / "both.html", {"card": card, "model": model})
    found = Page(tmp_path / "both.html")
    n_bins = sum(len(own.texts) for own in card.bins)
    sizes = f"{steps} ({n_bins} bins)", f"{steps} ({len(model.summary())} pieces)"
    assert " ".join(("Size", *sizes)) in found.text
    assert all(found.text.count(size) == 2 for size in sizes)  # in the comparison and in its own part
    assert found.models[1]["terms"]["noun"] == "piece"


def test_steps_are_counted_along_the_path(tmp_path):
    X = np.arange(120.0)[:, None]
    model = t.L0AdditiveRegressor(cv=3).fit(X, np.searchsorted([30, 70], X[:, 0]))
    model.report(tmp_path / "page.html")
    (own,) = Page(tmp_path / "page.html").models[0]["path"]["outputs"]
    assert own["points"][own["selected"]]["size"] == "2 steps"
    assert model.n_nonzero_ == 2


def test_pages_of_few_rows_matrices_and_odd_names(tmp_path):
    model, X, y = fitted()
    card = model.scaled_card(whole=False, high_score="high_risk")
    card.report(tmp_path / "a.html")
    assert Page(tmp_path / "a.html").models[0]["bands"] is None
    card.report(tmp_path / "b.html", X[:1], y[:1])
    card.report(tmp_path / "c.html", X, sample_weight=np.arange(len(X)))
    assert "events" not in Page(tmp_path / "c.html").models[0]["bands"]["table"]
    t.report(tmp_path / "d.html", {"points": card, "model": model}, X, y)
    compared = Page(tmp_path / "d.html")
    assert compared.metrics(0)["AUC"] == compared.metrics(1)["AUC"]
    numbers = X[["age", "income"]].to_numpy()
    plain = t.L0AdditiveClassifier(lambda0=1.0).fit(numbers, y).scaled_card()
    plain.report(tmp_path / "e.html", numbers, y)
    odd = loans()[0].rename(columns={"age": HOSTILE, "home": "two\nlines", "income": "missing"})
    hostile = t.L0AdditiveClassifier(lambda0=1.0, pos_label="bad").fit(odd, y).scaled_card()
    hostile.report(tmp_path / "f.html", odd, y)
    page = Page(tmp_path / "f.html")
    assert "img" not in page.tags
    assert "'missing' missing" in page.text


def test_the_page_lists_the_parameters_of_the_fit_not_what_it_chose(tmp_path):
    model, X, y = fitted()
    chosen = clone(model).set_params(lambda0="cv", ridge=None).fit(X, y)
    card = chosen.scaled_card()
    assert card.model.lambda0 == "cv"
    assert card.model.lambda0_ == chosen.lambda0_
    card.report(tmp_path / "card.html", X, y)
    listed = Page(tmp_path / "card.html").text.split("Parameters that differ")[1][:200]
    assert "lambda0" not in listed
    assert "ridge" not in listed
    before = card.score(X).tolist()
    chosen.set_params(lambda0=50.0).fit(X, y)
    assert card.score(X).tolist() == before
