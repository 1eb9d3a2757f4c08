"""What the page computes, run by node: the same as the estimators compute."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher.reports._render import format_fraction

from .exported import KINDS, fitted, rows_for
from .pages import Page

N_ROWS = 10_000
SCORES = """given.rows.map((values) => {
    const found = Report.score(Report.scores[0], page.models[0].form.fields, values);
    return found.error ? null : [].concat(found.probabilities || found.decision);
})"""
REASONS = """page.models[0].reasons.rows.map((row) => page.models[0].outputs.map((_, output) => {
    const { base, found, total, decision } = Report.reasons(page.models[0].reasons, row, output);
    return { base, total, decision, values: found.map((f) => f.difference) };
}))"""


def fields_of(frame, page):
    """The values of the form's fields, row by row."""
    names = [field["name"] for field in page.models[0]["form"]["fields"]]
    plain = frame[names].astype(object).where(frame[names].notna(), None)
    return [[v.item() if isinstance(v, np.generic) else v for v in row] for row in plain.to_numpy().tolist()]


@pytest.mark.parametrize(
    "kind", ["rules-logistic", "rules-three", "card-logistic", "hierarchy", "machine-logistic", "linear"]
)
def test_the_form_predicts_as_the_model_does(kind, tmp_path):
    """Ten thousand rows with missing values, unseen categories, and numbers on cut points."""
    model = t.load_model(fitted(kind).to_json())
    if hasattr(model, "handle_unknown"):
        model.set_params(handle_unknown="missing")
    model.report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    rows = rows_for(model, N_ROWS)
    if kind in ("machine-logistic", "linear"):
        rows = rows.fillna({name: 0.5 for name in rows.columns if rows[name].dtype == float})
    wanted = model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)[:, None]
    got = page.run(SCORES, tmp_path, {"rows": fields_of(rows, page)})
    np.testing.assert_allclose(np.asarray(got, dtype=float), wanted, rtol=0, atol=1e-9)
    assert np.ptp(wanted) > 0


def test_ticks_that_may_be_years_have_no_commas(tmp_path):
    fitted("linear").report(tmp_path / "page.html")
    ticks = [[1900, 1925, 2000], [1000, 9999], [0, 1000, 2000], [5000, 10000], [1000.5, 2000]]
    written = "given.map((ticks) => ticks.map(Report.tick_format(ticks)).join(' '))"
    assert Page(tmp_path / "page.html").run(written, tmp_path, ticks) == [
        "1900 1925 2000",
        "1000 9999",
        "0 1,000 2,000",
        "5,000 10,000",
        "1,001 2,000",
    ]


def test_a_fraction_is_rounded_alike_in_the_template_and_the_scripts(tmp_path):
    """105 of 400 rows are 26.3 % everywhere, also as a sum that ends in 26.249999999999996 %."""
    fitted("linear").report(tmp_path / "page.html")
    given = [k / 400 - rest for k in range(1, 401) for rest in (0, 4e-17)]
    scripts = Page(tmp_path / "page.html").run("given.map(Report.percent)", tmp_path, given)
    exact = [(Decimal(k) / 4).quantize(Decimal("0.1"), ROUND_HALF_UP) for k in range(1, 401) for _ in (0, 1)]
    assert [Decimal(text.removesuffix("%")) for text in scripts] == exact
    assert [format_fraction(value) for value in given] == [f"{each}%" for each in exact]


def test_the_form_refuses_what_the_model_refuses(tmp_path):
    model = fitted("rules-refuse")
    model.report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    fields = page.models[0]["form"]["fields"]
    start = [field["start"] for field in fields]
    colour = next(k for k, field in enumerate(fields) if field["name"] == "colour")
    assert not fields[colour]["has_other"]
    unseen = [*start[:colour], "never seen", *start[colour + 1 :]]
    assert page.run(SCORES, tmp_path, {"rows": [start, unseen]})[1] is None


def test_items_are_ticked(tmp_path):
    baskets = [["milk", "bread"], ["milk"], ["bread", "it's"], ["it's", "milk", "bread"], []] * 20
    y = [2.0 * ("milk" in b and "bread" in b) - ("it's" not in b) for b in baskets]
    model = t.ItemsetRegressor(alpha=0.001, negations=True).fit(baskets, y)
    model.report(tmp_path / "page.html", baskets, y)
    page = Page(tmp_path / "page.html")
    names = [field["name"] for field in page.models[0]["form"]["fields"]]
    got = page.run(SCORES, tmp_path, {"rows": [[name in basket for name in names] for basket in baskets]})
    np.testing.assert_allclose(np.ravel(got), model.predict(baskets), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "rules-empty"])
def test_reasons_add_up_to_the_decision(kind, tmp_path):
    model = fitted(kind)
    rows = rows_for(model, 60, unknown=False)
    if "machine" in kind or "linear" in kind:
        known = 0.5 + KINDS[kind][2].get("offset", 0.0)
        rows = rows.fillna({name: known for name in rows.columns if rows[name].dtype == float})
    model.report(tmp_path / "page.html", rows, rows=20)
    page = Page(tmp_path / "page.html")
    decision = model.decision_function(rows) if hasattr(model, "decision_function") else model.predict(rows)
    decision = np.asarray(decision).reshape(len(rows), -1)
    places = [row["row"] for row in page.models[0]["reasons"]["rows"]]
    found = page.run(REASONS, tmp_path)
    assert len(found) == 20
    largest = np.nanmax(np.abs(rows.select_dtypes("number").to_numpy()))  # whose part others are added to
    for place, outputs in zip(places, found, strict=True):
        for wanted, each in zip(decision[place], outputs, strict=True):
            assert each["decision"] == wanted
            close = pytest.approx(wanted, rel=1e-10, abs=max(1e-10, 1e-16 * largest))
            assert each["total"] == close
            assert each["base"] + sum(each["values"]) == close
    for output in range(decision.shape[1]):  # the base is the mean decision over the rows
        assert found[0][output]["base"] == pytest.approx(decision[:, output].mean(), rel=1e-9, abs=1e-9)


def test_tables_are_sorted_and_searched(tmp_path):
    t.L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0]).report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    columns = {
        "term": ["age > 30", "bmi <= 25 and age > 30", "smoker = yes"],
        "kind": ["rule", "rule", "linear"],
        "coef": [0.5, -2.0, 1.0],
        "n_rows": [10, None, 30],
        "output": [0, 1, 1],
    }
    asked = [
        ({"text": "AGE 30"}, [0, 1]),
        ({"text": "age bmi"}, [1]),
        ({"kind": "linear"}, [2]),
        ({"output": "1"}, [1, 2]),
        ({"sort": "coef", "descending": True}, [1, 2, 0]),
        ({"sort": "n_rows", "descending": True}, [2, 0, 1]),
        ({"sort": "n_rows", "descending": False}, [0, 2, 1]),
        ({"sort": "term", "descending": False}, [0, 1, 2]),
        ({"text": "nothing"}, []),
        ({"text": " "}, [0, 1, 2]),
        ({"text": "3"}, [0, 1]),  # of words that begin with it
        ({"text": "moker"}, [2]),  # nothing begins with it
        ({"text": "bmi <= 25"}, [1]),
        ({"text": "(["}, []),
    ]
    given = {"columns": columns, "asked": [question for question, _ in asked]}
    got = page.run("given.asked.map((question) => Report.select(given.columns, question))", tmp_path, given)
    assert got == [places for _, places in asked]


def test_a_search_finds_columns_whose_names_have_spaces(tmp_path):
    t.L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0]).report(tmp_path / "page.html")
    terms = ["col 3 > 1.5", "col 13 > 0.342", "col 5 > 3.1", "mean_col 3 = \u8d64", "col 2 > 3 and col 3 < 2"]
    searched = ["col 3", "col  3.", "3 col 5", "\u8d64", "342"]
    got = Page(tmp_path / "page.html").run(
        "given[1].map((text) => Report.select({ term: given[0] }, { text }))", tmp_path, [terms, searched]
    )
    assert got == [[0, 3, 4], [2], [2], [3], [1]]


def test_numbers_are_written_for_people(tmp_path):
    t.L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0]).report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    numbers = [0, 1, -1.5, 0.000123456, 1234.567, 1e-9, -2e12, None]
    texts = page.run("given.map((x) => Report.number(x))", tmp_path, numbers)
    assert texts == ["0", "1", "−1.5", "0.0001235", "1,235", "1.000e−9", "−2.000e+12", "–"]
    values = [2019, -9999, 1234.5678, 1e15, 0]
    assert page.run("given.map(Report.value)", tmp_path, values) == [
        "2019",
        "−9999",
        "1,234.6",
        "1.0000e+15",
        "0",
    ]
    assert page.run("given.map(Report.percent)", tmp_path, [0, 0.5, 0.1234, 1e-5, None]) == [
        "0%", "50%", "12.3%", "<0.1%", "–",
    ]  # fmt: skip
    for low, high in [(0, 1), (-3.7, 12.2), (1e-8, 3e-8), (1e9, 1e9 + 7), (2, 2)]:
        ticks = page.run("Report.ticks(given[0], given[1])", tmp_path, [low, high])
        assert 1 <= len(ticks) <= 10
        assert all(low - 1e-9 * abs(low) <= tick <= high + 1e-9 * abs(high) for tick in ticks)


EVENTS = ["login", "search", "cart", "x, y", "a -> b", 'say "hi"', "7", 7]
EVENTS_OF = """given.map((text) => {
    const fields = page.models[0].form.fields, read = Report.events(fields[0], text);
    return { unknown: [...read.unknown], found: Report.score(Report.scores[0], fields, [text]) };
})"""


def test_classes_and_categories_are_written_as_in_python(tmp_path):
    X = np.arange(40.0)[:, None]
    t.RuleRegressor(alpha=0.1).fit(X, X[:, 0]).report(tmp_path / "page.html")
    labels = Page(tmp_path / "page.html").run("[false, true, 'false', 3].map(Report.label)", tmp_path)
    assert labels == ["False", "True", "false", "3"]


def test_the_form_of_sequences_predicts_as_the_model_does(tmp_path):
    r = np.random.default_rng(0)
    records = [
        [{EVENTS[k], EVENTS[r.integers(8)]} if r.random() < 0.3 else EVENTS[k] for k in r.integers(0, 8, n)]
        for n in r.integers(1, 7, 400)
    ]
    y = [("cart" in map(str, own)) + ("7" in own) - 0.5 * (7 in own) + ("x, y" in own) for own in records]
    model = t.SequenceRegressor(alpha=0.02, max_length=3).fit(records, y)
    model.report(tmp_path / "page.html", records, y)
    page, vocabulary = Page(tmp_path / "page.html"), model._fitted.view.vocabulary
    [field] = page.models[0]["form"]["fields"]
    assert field["start"] == model.summary().rows[0].term
    words = dict(zip(vocabulary.labels, map(vocabulary.text, range(len(vocabulary))), strict=True))
    texts = [
        [f"{{{', '.join(map(words.get, own))}}}" if isinstance(own, set) else words[own] for own in record]
        for record in records
    ]
    for between in (" -> ", "\n"):
        found = page.run(EVENTS_OF, tmp_path, [between.join(own) for own in texts])
        assert [own["found"]["prediction"] for own in found] == model.predict(records).tolist()
    [unseen, unended, empty] = page.run(EVENTS_OF, tmp_path, ["cart -> nothing", "cart ->", ""])
    assert unseen["unknown"] == ["nothing"]
    assert unended["found"]["prediction"] == model.predict([["cart"]])[0]
    assert empty["found"]["prediction"] == model.intercept_
    assert "Write the events of a record" in page.text


def test_explained_sequences_have_the_names_of_their_records(tmp_path):
    log = pd.DataFrame({"user": [7, 7, 8, 8, 9, 7], "page": list("abbaab"), "at": [0, 1, 0, 1, 0, 99]})
    made = t.sequences_from_table(log, record="user", event="page", time="at", session_gap=10)
    y = [float("b" in sequence) for sequence in made]
    model = t.SequenceRegressor(alpha=0.01).fit(made, y)
    for given, names in (
        (made, ["7, session 0", "7, session 1", "8, session 0", "9, session 0"]),
        (made[[1, 2]], ["7, session 1", "8, session 0"]),
        (list(made), [None] * 4),
    ):
        model.report(tmp_path / "page.html", given)
        rows = Page(tmp_path / "page.html").models[0]["reasons"]["rows"]
        assert sorted(str(row.get("name")) for row in rows) == list(map(str, names))
    model.report(tmp_path / "page.html", [["a", "b"] * 100])
    [row] = Page(tmp_path / "page.html").models[0]["reasons"]["rows"]
    assert row["record"].endswith("', 'a', …")


def test_the_form_of_letters_takes_a_text(tmp_path):
    r = np.random.default_rng(0)
    records = ["".join(r.choice(list("ACGT"), 12)) for _ in range(300)]
    y = np.where(["GC" in own for own in records], "yes", "no")
    model = t.SequenceClassifier(alpha=0.02, contiguous=True, max_length=3).fit(records, y)
    model.report(tmp_path / "page.html")
    given = [*records[:40], "ACGXGC", "A"]
    found = Page(tmp_path / "page.html").run(EVENTS_OF, tmp_path, given)
    wanted = model.predict_proba(given)[:, 1]
    np.testing.assert_allclose([own["found"]["probabilities"][1] for own in found], wanted, rtol=1e-12)
    assert found[40]["unknown"][-1] == "X"


def test_a_page_of_graphs_says_why_it_has_no_form(tmp_path):
    graphs = [([0, 1], [(0, 1, "a")]), ([0, 0], [(0, 1, "a")])] * 10
    t.GraphClassifier(alpha=0.05).fit(graphs, [1, 0] * 10).report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert page.models[0]["form"] is None
    assert "There is no form for graphs" in page.text
