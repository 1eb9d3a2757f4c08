"""The scripts of a report in headless Chromium; `make test-browser` names it by BROWSER."""

import os

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import sync_playwright

import thresher as t

RNG = np.random.default_rng(0)
HOSTILE = "</script><img src=x onerror=window.pwned=1>"
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, 600).astype(float),
        HOSTILE: RNG.normal(26, 4, 600),
        "color": RNG.choice(["red", "green", "blue"], 600),
    }
)
FRAME.loc[::9, HOSTILE] = np.nan
SIGNAL = (
    2.0 * ((FRAME["age"] > 50) & (FRAME["color"] == "red")) + 0.03 * FRAME["age"] + RNG.normal(0, 0.5, 600)
)
LABELS = np.where(np.median(SIGNAL) < SIGNAL, "yes", "no")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ["BROWSER"], args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def rules():
    return t.RuleClassifier(alpha=0.008, max_features=2, handle_unknown="missing").fit(FRAME, LABELS)


@pytest.fixture
def open_page(browser, tmp_path):
    """Write a report and open it; afterwards nothing may have complained, and nothing was loaded."""
    opened = []

    def opener(write, **options):
        write(tmp_path / "page.html")
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        complaints, requests = [], []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_function("document.documentElement.dataset.ready === 'yes'", timeout=20_000)
        opened.append((page, complaints, requests))
        return page

    yield opener
    for page, complaints, requests in opened:
        assert complaints == []
        assert set(requests) == {page.url}  # also where it was loaded again
        assert page.evaluate("window.pwned") is None
        assert page.locator("img").count() == 0
        page.close()


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def widest(page):
    """The elements that reach beyond the right edge, for the message."""
    return page.evaluate(
        "[...document.querySelectorAll('body *')]"
        ".filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)"
        ".map((e) => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 30)).slice(0, 8)"
    )


def models():
    y = np.digitize(SIGNAL, np.quantile(SIGNAL, [0.3, 0.7]))
    whole = FRAME.fillna(26.0)
    numbers = whole[["age", HOSTILE]]
    baskets = [
        {color, "old" if age > 50 else "young"}
        for age, color in zip(FRAME["age"], FRAME["color"], strict=True)
    ]
    return {
        "path": (t.RuleRegressor(max_features=2, n_alphas=12, cv=3), FRAME, SIGNAL),
        "card": (t.L0AdditiveClassifier(lambda0=1.0), FRAME, y),
        "hinge": (t.HierarchicalRuleClassifier(alpha=0.01, loss="squared_hinge"), FRAME, LABELS),
        "linear": (t.L0Regressor(lambda0=1.0), numbers, SIGNAL),
        "machine": (t.FactorizationMachineClassifier(rank=2, max_iter=30), whole, LABELS),
        "items": (t.ItemsetClassifier(alpha=0.01), baskets, LABELS),
        "sequences": (t.SequenceRegressor(alpha=0.05), ["ab", "ba", "aab"] * 40, [1.0, 0.0, 2.0] * 40),
        "targets": (t.RuleRegressor(alpha=0.05), FRAME, np.column_stack([SIGNAL, -SIGNAL])),
    }


@pytest.mark.parametrize("kind", models())
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.filterwarnings("ignore")
def test_every_kind_is_drawn(open_page, kind, width):
    model, X, y = models()[kind]
    model.fit(X, y)
    page = open_page(lambda path: model.report(path, X, y), viewport={"width": width, "height": 800})
    assert page.locator("[data-part]:empty").count() == 0
    assert page.locator(".error").count() == 0
    assert page.evaluate("[...document.querySelectorAll('th')].every((e) => e.textContent.trim())")
    assert overflow(page) == 0, widest(page)
    unlabelled = page.evaluate(
        "[...document.querySelectorAll('input, select')].filter((e) => !e.labels || !e.labels.length).length"
    )
    assert unlabelled == 0
    charts = page.locator("svg[role=img]")
    assert charts.count() > 0
    assert all(charts.nth(k).get_attribute("aria-label") for k in range(charts.count()))
    drawn = page.evaluate("[...document.querySelectorAll('svg')].map((e) => e.outerHTML).join()")
    assert "NaN" not in drawn
    assert "Infinity" not in drawn


def test_terms_are_searched_sorted_and_filtered_by_the_keyboard(open_page, rules):
    page = open_page(lambda path: rules.report(path, FRAME, LABELS))
    rows = page.locator("#m0 table.terms tbody tr")
    assert rows.count() == len(rules.summary().rows)
    page.get_by_placeholder("words of a term").focus()
    page.keyboard.type("red")
    wanted = [row for row in rules.summary().rows if "red" in row.term]
    assert 0 < rows.count() == len(wanted)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    heading = page.locator("#m0 table.terms th[data-name=support]")
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"


def test_the_form_shows_the_prediction(open_page, rules):
    page = open_page(lambda path: rules.report(path, FRAME, LABELS))
    form = page.locator("[data-part=form]")
    form.get_by_role("spinbutton", name="age").fill("64")
    form.get_by_role("spinbutton", name=HOSTILE).fill("")
    form.locator(".fields").get_by_label("color").select_option(label="red")
    row = pd.DataFrame({"age": [64.0], HOSTILE: [np.nan], "color": ["red"]})
    shown = float(form.locator(".result .big").inner_text())
    assert shown == pytest.approx(rules.predict_proba(row)[0, 1], abs=1e-4)
    form.locator(".fields").get_by_label("color").select_option(label="(another category)")
    unseen = rules.predict_proba(row.assign(color="purple"))[0, 1]
    assert float(form.locator(".result .big").inner_text()) == pytest.approx(unseen, abs=1e-4)
    assert form.locator("figure svg").count() == 1


@pytest.mark.parametrize("width", [1280, 360])
def test_the_form_of_sequences_reads_events(open_page, width):
    visits = [[str(event) for event in RNG.choice(["login", "cart", HOSTILE], 5)] for _ in range(200)]
    bought = np.array([own.count("cart") for own in visits], dtype=float)
    model = t.SequenceRegressor(alpha=0.02, max_length=2).fit(visits, bought)
    page = open_page(
        lambda path: model.report(path, visits, bought), viewport={"width": width, "height": 800}
    )
    assert overflow(page) == 0, widest(page)
    form = page.locator("[data-part=form]")
    form.get_by_label("Events").fill(f"cart -> cart\n{HOSTILE} -> tea")
    wanted = model.predict([["cart", "cart", HOSTILE, "tea"]])[0]
    assert float(form.locator(".result .big").inner_text()) == pytest.approx(wanted, abs=1e-4)
    assert "In no pattern of the model: tea" in form.locator(".result").inner_text()
    form.get_by_role("button", name="Start again").click()
    assert form.get_by_label("Events").input_value() == model.summary().rows[0].term


def test_what_is_no_number_has_no_prediction(open_page, rules):
    page = open_page(lambda path: rules.report(path, FRAME, LABELS))
    form = page.locator("[data-part=form]")
    age = form.get_by_role("spinbutton", name="age")
    age.fill("")
    age.press_sequentially("1e400")
    assert age.get_attribute("aria-invalid") == "true"
    assert form.locator(".result").inner_text().startswith("age: what was typed is not a number")
    age.fill("50")
    assert age.get_attribute("aria-invalid") == "false"
    assert form.locator(".result .big").count() == 1


def test_a_row_is_explained_and_taken_into_the_form(open_page, rules):
    page = open_page(lambda path: rules.report(path, FRAME, LABELS, rows=[17, 40]))
    reasons = page.locator("[data-part=reasons]")
    reasons.locator("select").first.select_option(index=1)
    assert "row 41" in reasons.locator(".result").inner_text()
    wanted = rules.predict_proba(FRAME.iloc[[40]])[0, 1]
    assert float(reasons.locator(".big").inner_text()) == pytest.approx(wanted, abs=1e-4)
    reasons.get_by_role("button", name="Take this row into the form").click()
    assert float(page.locator("[data-part=form] .big").inner_text()) == pytest.approx(wanted, abs=1e-4)


def test_the_slider_walks_along_the_path(open_page):
    model = t.RuleRegressor(max_features=2, n_alphas=12, cv=3).fit(FRAME, SIGNAL)
    page = open_page(lambda path: model.report(path))
    slider = page.locator("[data-part=path] input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    assert "No terms" in page.locator("[data-part=path]").inner_text()
    page.keyboard.press("End")
    last = model.path_.at(model.path_.alphas[-1])
    assert f"{len(last.summary().rows)} term" in page.locator("[data-part=path] [role=status]").inner_text()
    assert "term" in slider.get_attribute("aria-valuetext")


def contrast(one, other):
    """The contrast of two colours as WCAG 2 has it."""

    def light(color):
        parts = [float(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([light(one), light(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(open_page, rules, scheme):
    page = open_page(lambda path: rules.report(path, FRAME, LABELS), color_scheme=scheme)
    style = "(selector, name) => getComputedStyle(document.querySelector(selector))[name]"
    paper = page.evaluate(f"({style})('body', 'backgroundColor')")
    for selector, name in [
        ("body", "color"),
        (".muted", "color"),
        ("nav a", "color"),
        ("svg text", "fill"),
        ("summary", "color"),
    ]:
        assert contrast(paper, page.evaluate(f"({style})('{selector}', '{name}')")) >= 4.5, selector


def test_a_page_of_a_hundred_rules_is_ready_in_half_a_second(open_page, tmp_path):
    X = pd.DataFrame(RNG.normal(size=(4000, 20)), columns=[f"a column of the bank {j}" for j in range(20)])
    signal = sum((X.iloc[:, j] > 0) * (X.iloc[:, j + 1] > 0.5) for j in range(10)) + RNG.normal(size=4000)
    y = np.where(signal > np.median(signal), "bad", "good")
    model = t.RuleClassifier(max_features=2, bins=8, alpha=0.004).fit(X, y)
    assert len(model.rules_) >= 100
    page = open_page(lambda path: model.report(path, X, y))
    busy = "performance.getEntriesByType('navigation')[0]"
    milliseconds = []
    for _ in range(5):  # the least: other work on the machine takes time too
        page.reload()
        milliseconds.append(page.evaluate(f"{busy}.domContentLoadedEventEnd - {busy}.responseEnd"))
    assert min(milliseconds) < 500


def test_the_page_prints(open_page, rules, tmp_path):
    page = open_page(lambda path: rules.report(path, FRAME, LABELS))
    assert len(page.pdf(format="A4")) > 20_000
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert not page.locator("[data-part=form]").is_visible()
    assert page.locator("table.terms").is_visible()
    page.set_viewport_size({"width": 688, "height": 1000})  # A4 between the margins
    assert overflow(page) == 0, widest(page)


BROKEN_WORDS = """[...document.querySelectorAll(".compare tbody th")].flatMap((cell) =>
    [...cell.textContent.matchAll(/\\S+/g)].filter((word) => {
        const range = document.createRange();
        range.setStart(cell.firstChild, word.index);
        range.setEnd(cell.firstChild, word.index + word[0].length);
        return range.getClientRects().length > 1;
    }).map((word) => word[0]))"""


def test_compared_models_keep_their_colors_and_print(open_page, rules):
    hinge = t.HierarchicalRuleClassifier(alpha=0.01, loss="squared_hinge").fit(FRAME, LABELS)
    found = {"hinge": hinge} | {f"rules {k}": rules for k in range(7)}
    page = open_page(lambda path: t.report(path, found, FRAME, LABELS))
    head = page.evaluate("[...document.querySelectorAll('.compare thead th .key')].map((e) => e.className)")
    assert len(set(head)) == len(found)
    key = "(e) => [e.textContent, e.querySelector('i').className.replace(/ (over|under)/, '')]"
    legends = [
        dict(page.evaluate(f"[...{legend}.children].map({key})"))
        for legend in (f"document.querySelectorAll('#comparison .legend')[{k}]" for k in range(3))
    ]
    assert [len(legend) for legend in legends] == [8, 7, 8]  # the hinge loss has no probabilities
    colors = dict(zip(found, head, strict=True))
    assert all(colors[name] == style for legend in legends for name, style in legend.items())
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 688, "height": 1000})
    assert page.evaluate(BROKEN_WORDS) == []
    assert overflow(page) == 0, widest(page)


@pytest.mark.parametrize("width", [1280, 360])
def test_a_score_card_is_drawn_and_scores_in_points(open_page, width):
    model = t.L0AdditiveClassifier(lambda0=1.0, pos_label="yes", special_codes={"age": [-9]}).fit(
        FRAME, LABELS
    )
    card = model.scaled_card()
    page = open_page(lambda path: card.report(path, FRAME, LABELS), viewport={"width": width, "height": 800})
    assert page.locator("[data-part]:empty").count() == 0
    assert page.locator(".error").count() == 0
    assert overflow(page) == 0, widest(page)
    assert page.locator("[data-part=bands] figure").count() == 2
    form = page.locator("[data-part=form]")
    form.get_by_role("spinbutton", name="age").fill("64")
    form.get_by_role("spinbutton", name=HOSTILE).fill("")
    form.locator(".fields").get_by_label("color").select_option(label="red")
    row = pd.DataFrame({"age": [64.0], HOSTILE: [np.nan], "color": ["red"]})
    assert form.locator(".result .big").inner_text() == f"{card.score(row)[0]}"
    assert "probability of yes" in form.locator(".result").inner_text()
    reasons = page.locator("[data-part=reasons]")
    chosen = int(reasons.locator(".result .muted").first.inner_text().split()[-1]) - 1
    assert reasons.locator(".big").inner_text() == f"{card.score(FRAME.iloc[[chosen]])[0]}"


@pytest.mark.parametrize("width", [1280, 400])
def test_rates_by_group_follow_the_cutoff(open_page, width):
    model = t.L0AdditiveClassifier(lambda0=3.0, pos_label="yes").fit(FRAME[["age", "color"]], LABELS)
    page = open_page(
        lambda path: model.scaled_card().report(path, FRAME, LABELS, group="color"),
        viewport={"width": width, "height": 900},
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    table = page.locator("[data-part=cutoff] table").nth(1)
    assert table.locator("tbody tr").count() == 4
    before = table.inner_text()
    page.locator("[data-part=cutoff] input[type=range]").press("End")
    assert table.inner_text() != before
    last = table.locator("tbody tr").last.inner_text().split("\t")
    assert [last[0], last[2]] == ["all rows", "100%"]


def test_the_slider_of_best_subsets_counts_terms(open_page):
    model = t.RuleClassifier(max_rules=3, ridge=0.1, max_features=1, bins=4, cv=3).fit(FRAME[["age"]], LABELS)
    page = open_page(model.report)
    label = page.locator("[data-part=path] label").last.inner_text()
    assert label.startswith("Number of terms (")
    assert "penalty" not in label
