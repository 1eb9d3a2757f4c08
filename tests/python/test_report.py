"""Reports: what the page says, and what it never does."""

import hashlib
import html
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import logit
from scipy.stats import ks_2samp
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.svm import LinearSVC

import thresher as t
from thresher.cli import commands as cli
from thresher.reports._metrics import regression_metrics
from thresher.reports._plain_words import plain_words
from thresher.results import machine_rows
from thresher.results.certificate import Certificate
from thresher.results.l0_certificate import L0Certificate
from thresher.results.subset_certificate import SubsetCertificate

from .data import FRAME, Y
from .pages import HOSTILE, Page

LABELS = np.where(np.median(Y) < Y, "high", "low")
CONVEX = Certificate(1.0, 0.9999997, 3e-07, 3e-07, 1e-6, 1326, 812, 7, 0.21, True)
SUBSET = SubsetCertificate(0.1, 0.06, 0.04, 0.4, 0.1, True, 10, 482000, 10003094, 41, 1.1, True)
CARD = L0Certificate(4300.0, 4253.0, 4600.0, 10.0, 0.1, True)


@pytest.fixture(scope="module")
def classifier():
    return t.RuleClassifier(alpha=0.01, max_features=2, pos_label="high").fit(FRAME, LABELS)


@pytest.fixture(scope="module")
def page(classifier, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    classifier.report(path, FRAME, LABELS, group="color", title="A model of labels")
    return Page(path)


def close(text, value):
    """Whether a number of the page is a value, to the digits shown."""
    shown = float(text.replace("−", "-").replace(",", ""))
    return shown == pytest.approx(value, abs=6e-5, rel=6e-4)


def test_the_page_is_one_file_that_loads_nothing(page):
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not any(name.startswith("on") or name == "style" or name == "src" for name in attributes)
        assert not str(attributes.get("href", "#")).startswith(("http", "//", "javascript"))
    policy = next(each["content"] for tag, each in page.elements if each.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert policy.count("'sha256-") == 1 + sum(not kind for kind, _ in page.scripts)
    assert "http://" not in page.source.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page.source


def test_the_page_can_be_read_by_a_machine(page):
    assert page.tags.count("h1") == 1
    assert ("html", {"lang": "en"}) in page.elements
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(ids) == len(set(ids))
    anchors = {each["href"][1:] for tag, each in page.elements if tag == "a"}
    assert anchors <= set(ids)
    assert page.tags.count("caption") == page.tags.count("table")
    assert all("scope" in each for tag, each in page.elements if tag == "th")
    assert {"main", "nav", "header", "footer"} <= set(page.tags)


def test_the_head_says_what_the_model_is(classifier, page):
    assert "A model of labels" in page.text
    sentence = str(classifier.certificate_)
    assert sentence[1:] in page.text
    assert "the log-odds of class 'high'" in page.text
    assert "alpha 0.01" in page.text
    assert "Training rows 300" in page.text
    assert "max_iter" not in page.text
    assert hashlib.sha256(classifier.to_json().encode()).hexdigest() in page.text


def test_the_head_promises_no_proof_that_the_model_lacks(tmp_path):
    model = t.RuleClassifier(max_rules=3, max_features=2, alpha=0.01).fit(FRAME, LABELS)
    model.report(tmp_path / "page.html")
    assert "proof of optimality" not in Page(tmp_path / "page.html").text


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        (CONVEX, "There are 1,326 possible rules about these columns, and whichever of them one takes"),
        (CONVEX, "is at most a millionth lower than here."),
        (
            replace(CONVEX, relative_gap=0.0123, candidate_noun="patterns"),
            "at most about 1.2 % lower than here.",
        ),
        (replace(CONVEX, candidate_noun="patterns"), "There are 1,326 possible patterns, and"),
        (replace(CONVEX, is_relaxed=True), "their effects were relaxed."),
        (SUBSET, "Whichever rule of the model one replaces by another of the 482,000 possible rules"),
        (SUBSET, "No model that costs as much has an objective lower by more than about 40 %."),
        (replace(SUBSET, is_swap_optimal=False), "Another rule in the place of one of the model may lower"),
        (replace(SUBSET, dual=0.0, relative_gap=1.0), "How much lower it is for other models that cost"),
        (CARD, "Whichever bins of these columns one takes, with whatever values, the objective"),
        (CARD, "is at most about 1.1 % lower than here, if at all."),
        (replace(CARD, dual=4300.0, term_noun="coefficient"), "whatever coefficients, the objective"),
        (replace(CARD, dual=-np.inf), "Nothing is proved about other models"),
        (None, "Nothing is proved about other models"),
    ],
)
def test_what_is_proved_in_plain_words(certificate, said):
    assert said in plain_words(certificate)
    assert "eld-out rows" in plain_words(certificate)


def test_the_proof_of_a_saved_model_is_what_its_file_says(classifier, page, tmp_path):
    saved = t.RuleClassifier.from_json(classifier.to_json())
    machine = t.FactorizationMachineClassifier(rank=2, max_iter=5).fit(FRAME[["age in years"]], LABELS)
    t.report(tmp_path / "page.html", {"saved": saved, "fitted": classifier, "machine": machine}, FRAME)
    caveat = (
        "As the model itself says: thresher verify , or verify in Python, checks it with the training rows."
    )
    assert Page(tmp_path / "page.html").text.count(caveat) == 1
    assert caveat not in page.text


@pytest.mark.filterwarnings("ignore")
def test_every_page_has_plain_words(classifier, tmp_path):
    card = t.L0AdditiveClassifier(lambda0=1.0).fit(FRAME, LABELS)
    numbers = FRAME[["age in years"]]
    machine = t.FactorizationMachineClassifier(rank=2, max_iter=5).fit(numbers, LABELS)
    t.report(tmp_path / "page.html", {"rules": classifier, "points": card.scaled_card(), "machine": machine})
    found = Page(tmp_path / "page.html").text.split("In plain words. ")[1:]
    assert [text.split()[0] for text in found] == ["There", "Whichever", "Nothing"]


def test_weights_of_classes_are_named(tmp_path):
    model = t.RuleClassifier(alpha=0.01, max_features=2, class_weight="balanced").fit(FRAME, LABELS)
    said = "The probabilities are those of the rows as class_weight weighs them, not of the population."
    assert said in str(model.summary())
    model.to_json(tmp_path / "m.json")
    loaded = t.RuleClassifier.from_json(tmp_path / "m.json")
    loaded.report(tmp_path / "page.html", FRAME, LABELS)
    assert said in Page(tmp_path / "page.html").text
    assert said not in str(t.RuleClassifier(alpha=0.01, max_features=2).fit(FRAME, LABELS).summary())


def test_the_head_names_the_target_where_it_has_a_name(tmp_path):
    for y, name in [(pd.Series(Y, name="<price>"), "&lt;price&gt;"), (pd.Series(Y), None)]:
        t.RuleRegressor(alpha=0.1, max_features=1).fit(FRAME, y).report(tmp_path / "page.html")
        source = (tmp_path / "page.html").read_text(encoding="utf-8")
        found = re.search(r"<dt>Target</dt>\s*<dd>(.*?)</dd>", source)
        assert (found and found[1].strip()) == name


def test_metrics_are_those_of_scikit_learn(classifier, page):
    truth = LABELS == "high"
    chance = classifier.predict_proba(FRAME)[:, classifier.classes_.tolist().index("high")]
    predicted = classifier.predict(FRAME) == "high"
    wanted = {
        "AUC": sk.roc_auc_score(truth, chance),
        "KS": ks_2samp(chance[truth], chance[~truth]).statistic,
        "Log-loss": sk.log_loss(truth, chance),
        "Brier score": sk.brier_score_loss(truth, chance),
        "Accuracy": sk.accuracy_score(truth, predicted),
        "Balanced accuracy": sk.balanced_accuracy_score(truth, predicted),
        "Precision": sk.precision_score(truth, predicted),
        "Recall": sk.recall_score(truth, predicted),
    }
    found = page.metrics()
    for name, value in wanted.items():
        assert close(found[name], value), name
    assert found["Rows"] == "300"
    low, high = map(float, found["AUC, 95 % interval"].split(" to "))
    assert low < wanted["AUC"] < high
    line = LogisticRegression(C=np.inf, tol=1e-8).fit(logit(chance)[:, None], truth)
    assert close(found["Calibration intercept"], line.intercept_[0])
    assert close(found["Calibration slope"], line.coef_[0, 0])
    assert "take the rows as independent" in page.text
    [curves] = page.models[0]["curves"]["parts"]
    assert curves["auc"] == pytest.approx(wanted["AUC"], rel=1e-12)
    assert curves["ks"]["value"] == pytest.approx(wanted["KS"], rel=1e-12)
    fpr, tpr = curves["roc"]
    assert np.trapezoid(tpr, fpr) == pytest.approx(wanted["AUC"], abs=0.01)
    assert sum(part["n"] for part in curves["lift"]) == 300
    assert curves["lift"][-1]["capture"] == pytest.approx(1)
    shared = pd.Series(truth).groupby(chance).transform("mean")  # rows of equal score have no order
    top = shared.to_numpy()[np.argsort(-chance, kind="stable")[:30]]
    assert curves["lift"][0]["lift"] == pytest.approx(top.mean() / truth.mean())
    assert sum(part["events"] for part in curves["lift"]) == pytest.approx(truth.sum())
    assert sum(part["n"] * part["observed"] for part in curves["calibration"]) == pytest.approx(truth.sum())
    assert all(part["low"] <= part["observed"] <= part["high"] for part in curves["calibration"])


def test_metrics_of_a_regression_and_of_its_groups(model, tmp_path):
    groups = np.where(FRAME["smoker"], "smokes", "does not")
    model.report(tmp_path / "page.html", FRAME, Y, group=groups)
    page = Page(tmp_path / "page.html")
    predicted = model.predict(FRAME)
    assert "AUC" not in page.text  # the notes explain what is shown
    found = page.metrics()
    assert close(found["R²"], sk.r2_score(Y, predicted))
    assert close(found["Root mean squared error"], sk.root_mean_squared_error(Y, predicted))
    assert close(found["Mean absolute error"], sk.mean_absolute_error(Y, predicted))
    assert close(found["Median absolute error"], sk.median_absolute_error(Y, predicted))
    table = page.source.split('<caption class="sr">Metrics by group')[1].split("</table>")[0]
    for name in ("smokes", "does not"):
        member = groups == name
        row = table.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0]
        cells = [cell.split("<")[0] for cell in row.split('<td class="n">')[1:]]
        assert cells[0] == str(member.sum())
        assert close(cells[1], Y[member].mean())
        assert close(cells[4], sk.root_mean_squared_error(Y[member], predicted[member]))


def group_lines(page):
    table = page.source.split('aria-label="Metrics by ')[1].split("</table>")[0]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", line) for line in table.split("<tr")[2:]]


@pytest.mark.parametrize("task", ["two", "three", "numbers"])
def test_a_weight_is_the_number_of_equal_rows(task, tmp_path):
    r = np.random.default_rng(3)
    X = pd.DataFrame({"a": r.normal(size=150), "b": r.integers(0, 4, 150)})
    y = X["a"] + 0.3 * X["b"] + r.normal(size=150)
    if task != "numbers":
        y = np.digitize(y, [0.4] if task == "two" else [0.0, 1.0])
    kind = t.L0AdditiveRegressor if task == "numbers" else t.L0AdditiveClassifier
    model = kind(lambda0=3.0).fit(X, y)
    weights = r.integers(0, 4, 150)
    repeated = np.repeat(np.arange(150), weights)
    model.report(tmp_path / "a.html", X, y, sample_weight=weights, group="b")
    model.report(tmp_path / "b.html", X.iloc[repeated], np.asarray(y)[repeated], group="b")
    weighted, plain = Page(tmp_path / "a.html"), Page(tmp_path / "b.html")
    assert "by its weight" in weighted.text
    own, other = weighted.metrics(), plain.metrics()
    assert close(own.pop("Weight"), len(repeated))
    assert own.pop("Rows") == str((weights > 0).sum())
    assert other.pop("Rows") == str(len(repeated))
    assert own == other
    own, other = (group_lines(page) for page in (weighted, plain))
    assert [[line[0], *line[3:]] for line in own] == [[line[0], *line[2:]] for line in other]
    found, wanted = (page.models[0]["curves"]["parts"] for page in (weighted, plain))
    for own, other in zip(found, wanted, strict=True):
        if "auc" in own:
            assert own["auc"] == pytest.approx(other["auc"])
            assert own["ks"]["value"] == pytest.approx(other["ks"]["value"])
            assert own["histogram"]["yes"] == pytest.approx(other["histogram"]["yes"], abs=2e-5)
            columns = ("predicted", "observed")
            for part, same in zip(own["calibration"], other["calibration"], strict=True):
                assert [part[c] for c in columns] == pytest.approx([same[c] for c in columns])
        else:
            assert own["histogram"]["counts"] == pytest.approx(other["histogram"]["counts"])


def test_several_classes_have_a_curve_each(tmp_path):
    y = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))
    fitted = t.L0AdditiveClassifier(lambda0=2.0).fit(FRAME, y)
    fitted.report(tmp_path / "page.html", FRAME, y)
    page = Page(tmp_path / "page.html")
    chances = fitted.predict_proba(FRAME)
    for k, part in enumerate(page.models[0]["curves"]["parts"]):
        assert part["auc"] == pytest.approx(sk.roc_auc_score(y == k, chances[:, k]), rel=1e-12)
    areas = [sk.roc_auc_score(y == k, chances[:, k]) for k in range(3)]
    assert close(page.metrics()["Mean AUC, one against the rest"], np.mean(areas))
    assert close(page.metrics()["Log-loss"], sk.log_loss(y, chances))


def test_a_class_without_rows_has_no_curve(classifier, tmp_path):
    few = FRAME[LABELS == "low"].head(20)
    classifier.report(tmp_path / "page.html", few, ["low"] * 20)
    page = Page(tmp_path / "page.html")
    assert "no row" in page.models[0]["curves"]["parts"][0]["missing"]
    assert page.metrics()["AUC"] == "–"


def test_the_path_holds_the_models_of_the_path(tmp_path):
    fitted = t.RuleRegressor(max_features=2, n_alphas=60, cv=3).fit(FRAME, Y)
    fitted.report(tmp_path / "page.html")
    path = Page(tmp_path / "page.html").models[0]["path"]
    [own] = path["outputs"]
    assert 2 <= len(own["points"]) <= 41
    for point in [own["points"][0], own["points"][own["selected"]], own["points"][-1]]:
        here = fitted.path_.at(point["strength"])
        terms = {row.term: row.coef for row in here.summary().rows}
        assert point["n_terms"] == len(terms)
        assert point["intercept"] == pytest.approx(here.intercept_)
        for number, coef, _ in point["terms"]:
            assert coef == pytest.approx(terms[path["terms"][number][1]], rel=1e-5)
    assert own["points"][own["selected"]]["strength"] == pytest.approx(fitted.alpha_)
    assert min(own["curve"]["mean"]) == pytest.approx(fitted.path_.cv_mean.min())


@pytest.mark.parametrize(
    "model",
    [t.L0Regressor(lambda0=None, max_nonzero=2), t.RuleRegressor(max_rules=2, penalty="l0", max_features=1)],
)
def test_a_path_by_size_is_said_to_be_one(model, tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 3))
    model.fit(X, X[:, 0] - X[:, 1]).report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert page.models[0]["path"]["outputs"][0]["axis"] == "number of terms"
    assert "The model of each number of terms; the slider chooses one" in page.text


def test_a_model_without_a_path_shows_the_strengths_that_were_compared(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 3))
    fitted = t.FactorizationMachineRegressor(rank=2, cv=2).fit(X, X[:, 0] * X[:, 1])
    fitted.report(tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    [own] = page.models[0]["path"]["outputs"]
    assert own["curve"]["x"] == fitted.path_.cv_alphas.tolist()
    assert own["points"][0]["strength"] == fitted.alpha_
    assert "the slider" not in page.text
    fitted.set_params(alpha=0.1).fit(X, X[:, 0] * X[:, 1]).report(tmp_path / "page.html")
    assert Page(tmp_path / "page.html").models[0]["path"] is None


def test_shapes_are_the_sums_of_terms_of_one_column(tmp_path):
    fitted = t.L0AdditiveRegressor(lambda0=0.5).fit(FRAME, Y)
    fitted.report(tmp_path / "page.html", FRAME, Y)
    [shapes] = Page(tmp_path / "page.html").models[0]["shapes"]
    known = {shape.feature_name: shape for shape in fitted.shape_functions_}
    assert {shape["name"] for shape in shapes} == set(known)
    for shape in shapes:
        own = known[shape["name"]]
        for x0, y0, x1, y1 in shape.get("pieces", []):
            value = own.step_of((x0 + x1) / 2).value
            assert y0 == y1 == pytest.approx(value, rel=1e-12)
        for level, value in zip(shape.get("levels", []), shape.get("values", []), strict=True):
            assert value == pytest.approx(own.step_of({"True": True, "False": False}.get(level, level)).value)
        if shape.get("density"):
            total = sum(shape["density"])
            assert total == pytest.approx(1, abs=1e-3) or "levels" in shape


def test_a_piece_around_a_special_code_has_the_value_of_the_piece(tmp_path):
    x = np.arange(-5.0, 6.0).repeat(20)
    X, y = pd.DataFrame({"debt": x}), np.where(x == 0, 5.0, np.abs(x) < 3)
    for fitted in (
        t.L0AdditiveRegressor(lambda0=0.5, special_codes=[0.0], bins={"debt": [-2.5, 2.5]}),
        t.RuleRegressor(alpha=0.01, max_features=1, special_codes=[0.0], bins={"debt": [-2.5, 2.5]}),
    ):
        fitted.fit(X, y).report(tmp_path / "page.html", X, y)
        [[shape]] = Page(tmp_path / "page.html").models[0]["shapes"]
        at_one, at_four = (
            next(y0 for x0, y0, x1, _ in shape["pieces"] if x0 < value <= x1) for value in (1.0, 4.0)
        )
        apart = dict(shape["apart"])
        wanted = np.diff(fitted.predict(pd.DataFrame({"debt": [4.0, 1.0, 0.0]})))
        np.testing.assert_allclose([at_one - at_four, apart["0"] - at_one], wanted)


@pytest.mark.parametrize(
    "model",
    [t.RuleRegressor(alpha=0.02, max_features=1, linear=False), t.L0AdditiveRegressor(lambda0=0.5)],
    ids=["rules", "card"],
)
@pytest.mark.parametrize(("first", "step"), [(9007199254740984.0, 1.0), (1e9, 2.0**-23), (0.0, 5e-324)])
def test_columns_with_fewer_numbers_than_bars(model, first, step, tmp_path):
    steps = np.arange(200) % 8
    X, y = pd.DataFrame({"contract": first + step * steps}), (steps > 3) * 1.0
    fitted = model.fit(X, y)
    fitted.report(tmp_path / "page.html", X, y)
    [[shape]] = Page(tmp_path / "page.html").models[0]["shapes"]
    assert np.sum(shape["density"]) == pytest.approx(1)
    assert np.count_nonzero(shape["density"]) == 8
    low, high = (y0 for _, y0, _, _ in shape["pieces"])
    assert low < high


def test_too_many_categories_are_drawn_by_their_effects(tmp_path):
    jobs = [f"job{k:02d}" for k in range(50)]
    X = pd.DataFrame({"job": np.repeat(jobs, np.arange(50, 0, -1))})
    number = X["job"].str[3:].astype(int)
    y = np.where(number % 10 == 3, 2.0, np.where(number == 7, -1.0, 0.0))
    fitted = t.L0AdditiveRegressor(lambda0=0.5).fit(X, y)
    fitted.report(tmp_path / "page.html", X, y)
    [[shape]] = Page(tmp_path / "page.html").models[0]["shapes"]
    assert shape["levels"] == ["job00 and 43 others", "job03 and 4 others", "job07"]
    known = [fitted.shape_functions_[0].step_of(job).value for job in ("job00", "job03", "job07")]
    assert shape["values"] == pytest.approx(known)
    assert shape["density"] == pytest.approx([np.mean(y == value) for value in (0, 2, -1)])
    assert shape["omitted"] == 0


@pytest.mark.parametrize("is_given", [True, False], ids=["rows", "none"])
def test_skewed_columns_have_a_logarithmic_axis(is_given, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"amount": np.exp(rng.normal(8, 1.6, 1000)), "age": rng.integers(18, 90, 1000)})
    y = (X["amount"] > 1000) * 1.0 + (X["amount"] > 20_000) + (X["age"] > 40) + rng.normal(0, 0.1, 1000)
    fitted = t.L0AdditiveRegressor(lambda0=1).fit(X, y)
    fitted.report(tmp_path / "page.html", *([X, y] if is_given else []))
    page = Page(tmp_path / "page.html")
    amount, age = sorted(page.models[0]["shapes"][0], key=lambda shape: shape["name"] == "age")
    assert age["linear_width"] is None
    ends = [amount["pieces"][0][0], *(piece[2] for piece in amount["pieces"])]
    given = {"numbers": ends, "width": amount["linear_width"]}
    expression = "given.numbers.map((x) => Report.to_axis(x, given.width))"
    positions = np.array(page.run(expression, tmp_path, given))
    assert (np.diff(positions) > 0.2 * (positions[-1] - positions[0])).all()
    given["numbers"] = positions.tolist()
    assert page.run(expression.replace("to_", "from_"), tmp_path, given) == pytest.approx(ends)
    ticks = page.run(f"Report.skewed_ticks({ends[0]}, {ends[-1]}, given.width)", tmp_path, given)
    assert ticks == [1000, 10_000, 100_000]
    assert page.run("Report.skewed_ticks(-500, 2000, 50)", tmp_path) == [-100, 0, 100, 1000]
    assert [field["linear_width"] for field in page.models[0]["form"]["fields"]] == [
        amount["linear_width"],
        None,
    ]
    if is_given:
        assert np.max(amount["density"]) < 0.1


def test_a_step_that_holds_for_one_representable_number(tmp_path):
    first = 9007199254740990.0
    X, y = pd.DataFrame({"contract": first + np.arange(200) % 3}), (np.arange(200) % 3 == 1) * 1.0
    t.L0AdditiveRegressor(lambda0=0.5).fit(X, y).report(tmp_path / "page.html", X, y)
    [[shape]] = Page(tmp_path / "page.html").models[0]["shapes"]
    heights = {x1: y0 for _, y0, x1, _ in shape["pieces"]}
    assert heights[first + 1] == max(heights.values()) > heights[first + 2]


def test_errors_that_are_large_and_equal(tmp_path):
    X, y = np.arange(40.0)[:, None], np.full(40, 1e18)
    t.RuleRegressor(alpha=0.1).fit(X, np.zeros(40)).report(tmp_path / "page.html", X, y)
    errors = Page(tmp_path / "page.html").models[0]["curves"]["parts"][0]["histogram"]
    assert errors["low"] < 1e18 < errors["high"]
    assert sum(errors["counts"]) == 40


def test_names_are_escaped_wherever_they_stand(tmp_path):
    frame = FRAME.rename(columns={"age in years": HOSTILE, "smoker": "__proto__"})
    frame["color"] = frame["color"] + HOSTILE
    y = np.where(np.median(Y) < Y, HOSTILE, "low" + HOSTILE)
    fitted = t.RuleClassifier(alpha=0.005, max_features=2).fit(frame, y)
    others = {HOSTILE: t.L0AdditiveClassifier(lambda0=1.0).fit(frame, y)}
    fitted.report(
        tmp_path / "page.html", frame, y, group=frame["color"].rename(HOSTILE), title=HOSTILE, compare=others
    )
    page = Page(tmp_path / "page.html")
    assert "img" not in page.tags
    assert page.tags.count("script") == len(page.scripts) == 14
    assert HOSTILE in page.text
    assert HOSTILE in page.models[0]["names"]
    assert "<!--" not in page.source
    baskets = [{HOSTILE, "b"}, {"b"}, {HOSTILE}] * 20
    items = t.ItemsetRegressor(alpha=0.01).fit(baskets, [2.0, 0.0, 1.0] * 20)
    items.report(tmp_path / "items.html", baskets, [2.0, 0.0, 1.0] * 20)
    assert "img" not in Page(tmp_path / "items.html").tags


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "array", "sparse", "lists"])
def test_rows_come_in_every_form(kind, tmp_path):
    numbers = FRAME[["age in years", "bmi"]].fillna(20.0)
    plain = numbers.to_numpy()
    forms = {
        "pandas": lambda: numbers,
        "polars": lambda: pl.from_pandas(numbers),
        "arrow": lambda: pl.from_pandas(numbers).to_arrow(),
        "array": lambda: plain,
        "sparse": lambda: sparse.coo_array(plain),
        "lists": plain.tolist,
    }
    X = forms[kind]()
    fitted = t.RuleRegressor(alpha=0.05).fit(X, Y)
    fitted.report(tmp_path / "page.html", X, Y, rows=[0, 299])
    page = Page(tmp_path / "page.html")
    rows = page.models[0]["reasons"]["rows"]
    assert [row["predicted"] for row in rows] == [[value] for value in fitted.predict(X)[[0, 299]].tolist()]
    if kind in ("pandas", "polars", "arrow"):
        known = FRAME[["age in years", "bmi", "color"]].assign(bmi=20.0)
        frame = {"pandas": known, "polars": pl.from_pandas(known)}.get(kind, pl.from_pandas(known).to_arrow())
        fitted.report(
            tmp_path / "page.html", frame, Y, group="color"
        )  # a column that the model does not know
        assert "blue" in Page(tmp_path / "page.html").text


def test_the_form_makes_up_no_range_and_takes_what_the_model_takes(classifier, tmp_path):
    linear = t.L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0])
    linear.report(tmp_path / "linear.html")
    page = Page(tmp_path / "linear.html")
    assert page.models[0]["form"]["fields"][0]["is_known"] is False
    assert "An empty field is a missing value" not in page.text
    assert "Support: " not in page.text
    classifier.report(tmp_path / "rules.html")
    page = Page(tmp_path / "rules.html")
    assert all(field["is_known"] for field in page.models[0]["form"]["fields"] if field["kind"] == "number")
    assert "An empty field is a missing value" in page.text
    assert "Support: " in page.text


def test_explained_rows_have_their_values(tmp_path):
    frame = FRAME[["color", "bmi", "smoker"]]  # a category comes first
    y = (frame["color"] == "red") * 2.0 + frame["smoker"] + frame["bmi"].isna()
    fitted = t.L0AdditiveRegressor(lambda0=0.1).fit(frame, y)
    fitted.report(tmp_path / "page.html", frame, y, rows=[0, 7, 299])
    [page] = Page(tmp_path / "page.html").models
    assert page["names"] == ["color", "bmi", "smoker"]
    for row in page["reasons"]["rows"]:
        wanted = frame.iloc[row["row"]].tolist()
        assert row["values"] == [None if value != value else value for value in wanted]
    records = ["ab", "ba", "aab"] * 20
    words = t.SequenceRegressor(alpha=0.05).fit(records, [1.0, 0.0, 2.0] * 20)
    words.report(tmp_path / "page.html", np.array(records), rows=[2])
    [row] = Page(tmp_path / "page.html").models[0]["reasons"]["rows"]
    assert row["record"] == "aab"


@pytest.mark.parametrize("cuts", [[2015.0, 2019.0], [100001.0, 100003.0], [-1e308, 1e308], [0.0, 1.0]])
def test_a_number_starts_within_its_range(cuts, tmp_path):
    low, high = cuts
    X = np.array([low, high]).repeat(40)[:, None]
    t.L0AdditiveRegressor(lambda0=0.1, bins={"x0": [low / 2 + high / 2]}).fit(X, X[:, 0] > low).report(
        tmp_path / "page.html"
    )
    [field] = Page(tmp_path / "page.html").models[0]["form"]["fields"]
    assert field["low"] <= field["start"] <= field["high"]


@pytest.mark.parametrize("n_rows", [1, 2])
def test_a_few_rows_are_enough(classifier, model, n_rows, tmp_path):
    classifier.report(tmp_path / "page.html", FRAME.head(n_rows), LABELS[:n_rows], group="color")
    assert Page(tmp_path / "page.html").metrics()["Rows"] == str(n_rows)
    model.report(tmp_path / "page.html", FRAME.head(n_rows), Y[:n_rows], group="color")
    assert Page(tmp_path / "page.html").metrics()["Rows"] == str(n_rows)


def test_groups_of_numbers_and_of_many_labels(model, tmp_path):
    model.report(tmp_path / "page.html", FRAME, Y, group="age in years")
    source = Page(tmp_path / "page.html").source
    table = source.split('<caption class="sr">Metrics by age in years')[1].split("</table>")[0]
    assert table.count("<tr") == 1 + 4 + 1
    model.report(tmp_path / "page.html", FRAME, Y, group=[f"branch {k % 40}" for k in range(300)])
    page = Page(tmp_path / "page.html")
    assert "(16 smaller groups)" in page.text
    model.report(tmp_path / "page.html", FRAME, group=["a", None, "b"] * 100)
    assert "(missing)" in Page(tmp_path / "page.html").text


@pytest.mark.parametrize(
    "numbers", [1e5 + np.arange(100) / 1000, 1e9 + np.arange(100) / 100, 1 + np.arange(100) * 1e-9]
)
def test_quarters_of_close_numbers_are_four_groups(numbers, model, tmp_path):
    model.report(tmp_path / "page.html", FRAME[:100], Y[:100], group=numbers)
    lines = table_of(Page(tmp_path / "page.html"), "Metrics by group")
    assert [line[1] for line in lines[1:]] == ["25", "25", "25", "25", "100"]


@pytest.mark.parametrize(("value", "n_rows"), [(0.1, 3), (1 / 3, 7), (1e8 + 0.1, 6)])
def test_a_constant_target_has_no_r2(value, n_rows):
    truth = np.full(n_rows, value)
    found = dict(regression_metrics(truth, truth + 0.1 * np.arange(n_rows)))
    assert found["R²"] is None


def table_of(page, caption):
    table = page.source.split(f'<caption class="sr">{caption}</caption>')[1].split("</table>")[0]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", line) for line in table.split("<tr")[1:]]


def test_data_sets_side_by_side(classifier, tmp_path):
    half = np.arange(len(FRAME)) % 3 > 0
    weights = np.linspace(1, 2, int(half.sum()))
    sets = {"train": (FRAME[half], LABELS[half], weights), "test": (FRAME[~half], LABELS[~half])}
    other = t.RuleClassifier(alpha=0.05, max_features=1, pos_label="high").fit(FRAME, LABELS)
    t.report(tmp_path / "sets.html", {"a": classifier, "b": other}, sets, group="color")
    classifier.report(tmp_path / "train.html", *sets["train"][:2], sample_weight=weights)
    classifier.report(tmp_path / "test.html", *sets["test"], group="color")
    both, train, test = (Page(tmp_path / f"{name}.html") for name in ("sets", "train", "test"))
    found = table_of(both, "Metrics")
    assert found[0] == ["Metric", "train", "test"]
    own = {line[0]: line[1] for line in table_of(train, "Metrics")[1:]}
    assert {line[0]: line[1] for line in found[1:]} == own
    own = {line[0]: line[1] for line in table_of(test, "Metrics")[1:]}
    assert {line[0]: line[2] for line in found[1:] if line[0] in own} == own
    assert table_of(both, "Metrics by color") == table_of(test, "Metrics by color")
    assert (
        f"Shown on {(~half).sum()} rows that were given with their targets. These are those of test"
        in both.text
    )
    assert f"metrics are also shown on train ({half.sum()} rows)." in both.text
    model = t.RuleRegressor(alpha=0.05, max_features=1).fit(FRAME, np.column_stack([Y, -Y]))
    pairs = {
        name: (FRAME[rows], np.column_stack([Y, -Y])[rows]) for name, rows in (("one", half), ("two", ~half))
    }
    model.report(tmp_path / "targets.html", pairs)
    assert table_of(Page(tmp_path / "targets.html"), "Metrics of 1")[0] == ["1", "one", "two"]


@pytest.mark.parametrize(
    ("sets", "others", "message"),
    [
        ({}, {}, "X: got an empty dict; give data sets by name"),
        ({"a": FRAME}, {}, r"X: the data set 'a' is no tuple \(X, y\)"),
        ({"a": (FRAME, LABELS)}, {"y": LABELS}, "y: given beside a dict of data sets"),
        ({"a": (None, LABELS), "b": (FRAME, LABELS)}, {}, "'a'"),
        (
            {"a": (FRAME, LABELS[1:]), "b": (FRAME, LABELS)},
            {},
            "^the data set 'a': Found input variables with",
        ),
        (
            {"a": (FRAME, LABELS), "b": (FRAME, LABELS[1:])},
            {},
            "^the data set 'b': Found input variables with",
        ),
    ],
)
def test_bad_data_sets_are_named(classifier, tmp_path, sets, others, message):
    with pytest.raises((TypeError, ValueError), match=message):
        classifier.report(tmp_path / "page.html", sets, **others)
    assert not list(tmp_path.iterdir())


def test_categories_that_could_be_misread_are_quoted_in_the_table_of_columns(tmp_path):
    X = pd.DataFrame({"home": ["a, b", "own and let", "plain", "plain"] * 20, "n": np.arange(80.0)})
    t.RuleRegressor(alpha=0.05).fit(X, X["n"]).report(tmp_path / "page.html", X.head(3))
    table = Page(tmp_path / "page.html").source.split("Columns of training and of the given rows")[1]
    row = html.unescape(table.split('<th scope="row">home</th>')[1].split("</tr>")[0])
    assert "<td>'a, b', 'own and let', plain</td>" in row
    assert "<td>'a, b' most often</td>" in row


def test_classifiers_and_regressions_are_not_compared(classifier, model, tmp_path):
    both = "'RuleClassifier' is a classifier and 'RuleRegressor' a regression; compare models of one task"
    for data in ((), (FRAME,), (FRAME, LABELS)):
        with pytest.raises(ValueError, match=f"^compare: {both}"):
            classifier.report(tmp_path / "page.html", *data, compare=[model])


def test_models_side_by_side(classifier, tmp_path):
    numbers = FRAME[["age in years"]]
    other = LogisticRegression().fit(numbers, LABELS)
    fitted = t.RuleClassifier(alpha=0.01, pos_label="high").fit(numbers, LABELS)
    t.report(tmp_path / "page.html", {"rules": fitted, "line": other}, numbers, LABELS)
    page = Page(tmp_path / "page.html")
    assert [model["name"] for model in page.models] == ["rules", "line"]
    landmarks = [(tag, a.get("aria-label")) for tag, a in page.elements if a.get("role") == "region"]
    assert len(set(landmarks)) == len(landmarks)
    compared = page.source.split("The models side by side")[2].split("</table>")[0]
    assert "none: a model of another library" in compared
    row = compared.split('<th scope="row">AUC</th>')[1].split("</tr>")[0]
    cells = [cell.split("<")[0] for cell in row.split('<td class="num">')[1:]]
    truth = LABELS == "high"
    assert close(cells[0], sk.roc_auc_score(truth, fitted.predict_proba(numbers)[:, 0]))
    assert close(cells[1], sk.roc_auc_score(truth, other.predict_proba(numbers)[:, 0]))
    recalls = compared.split('<th scope="row">Recall</th>')[1].split("</tr>")[0].split('<td class="num">')
    assert close(recalls[2].split("<")[0], sk.recall_score(truth, other.predict(numbers) == "high"))
    for rival in (LinearSVC(), NearestCentroid(), DummyClassifier()):  # without one or the other answer
        rival.fit(numbers, LABELS)
        t.report(tmp_path / "page.html", {"rules": fitted, "rival": rival}, numbers, LABELS)
        [part] = Page(tmp_path / "page.html").models[1]["curves"]["parts"]
        assert part["label"] == "high"
        assert part["auc"] >= 0.5
    card = t.L0AdditiveClassifier(lambda0=1.0).fit(FRAME, LABELS)
    card.report(tmp_path / "page.html", FRAME, LABELS, compare=[card, card])
    names = [model["name"] for model in Page(tmp_path / "page.html").models]
    assert names == ["L0AdditiveClassifier", "L0AdditiveClassifier 2", "L0AdditiveClassifier 3"]
    t.report(tmp_path / "page.html", [classifier, card], FRAME, LABELS)  # of other positive classes
    compared = Page(tmp_path / "page.html").source.split("The models side by side")[2].split("</table>")[0]
    row = compared.split('<th scope="row">Brier score</th>')[1].split("</tr>")[0]
    cells = [cell.split("<")[0] for cell in row.split('<td class="num">')[1:]]
    for cell, model in zip(cells, (classifier, card), strict=True):
        assert close(cell, sk.brier_score_loss(truth, model.predict_proba(FRAME)[:, 0]))
    with pytest.raises(ValueError, match="has the classes"):
        t.report(tmp_path / "page.html", [fitted, t.RuleClassifier(alpha=0.1).fit(numbers, truth)], numbers)
    with pytest.raises(ValueError, match=r"is a classifier and .* a regression"):
        t.report(tmp_path / "page.html", [card, t.RuleRegressor(alpha=1.0).fit(FRAME, Y)], FRAME)
    with pytest.raises(ValueError, match="another library, which is shown by its answers; give X"):
        t.report(tmp_path / "page.html", [other])
    with pytest.raises(ValueError, match=r"^models: got 13; a page compares at most 12$"):
        t.report(tmp_path / "page.html", [card] * 13)


def test_bad_input_says_what_to_do_and_writes_nothing(classifier, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("kept")
    bad = [
        ({"group": "height"}, ValueError, "group: there is no column 'height' in X, whose columns are 'age"),
        ({"group": ["a"]}, ValueError, "group: got an array of shape .1,. for 300 rows"),
        ({"rows": 0}, ValueError, "rows: got 0; give a number of rows >= 1"),
        ({"rows": [300]}, ValueError, "X has the rows 0 to 299"),
        ({"rows": "all"}, TypeError, "rows: got 'all'"),
        ({"y": ["other"] * 300}, ValueError, "other"),
    ]
    for given, kind, message in bad:
        with pytest.raises(kind, match=message):
            classifier.report(path, **{"X": FRAME, "y": LABELS, **given})
    with pytest.raises(TypeError, match="cannot predict"):
        t.report(path, {"a": "model"})
    with pytest.raises(NotFittedError):
        t.RuleClassifier().report(path)
    with pytest.raises(FileNotFoundError):
        classifier.report(tmp_path / "none" / "page.html")
    assert path.read_text() == "kept"
    assert sorted(tmp_path.iterdir()) == [path]


def test_without_jinja_the_error_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "import thresher as t\n"
        "model = t.L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0])\n"
        "try:\n    model.report('page.html')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "reports need Jinja: pip install 'thresher[report]'"
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_a_hundred_rules_is_less_than_a_megabyte(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(4000, 20)), columns=[f"a column of the bank {j}" for j in range(20)])
    signal = sum((X.iloc[:, j] > 0) * (X.iloc[:, j + 1] > 0.5) for j in range(10)) + rng.normal(size=4000)
    y = np.where(signal > np.median(signal), "bad", "good")
    fitted = t.RuleClassifier(max_features=2, bins=8, alpha=0.004).fit(X, y)
    assert len(fitted.rules_) >= 100
    fitted.report(tmp_path / "page.html", X, y)
    page = Page(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size <= 1_000_000
    assert len(page.models[0]["reasons"]["rows"]) == 100
    assert "100 of 4,000 rows are in the page" in page.text
    fitted.report(tmp_path / "again.html", X, y)
    assert Page(tmp_path / "again.html").data == page.data


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    FRAME.assign(label=LABELS, branch=["north", "south"] * 150).to_csv("data.csv", index=False)
    t.RuleClassifier(alpha=0.02).fit(FRAME.astype({"smoker": str}), LABELS).to_json("rules.json")
    t.L0AdditiveClassifier(lambda0=2.0).fit(FRAME.astype({"smoker": str}), LABELS).to_json("card.json")
    both = ["report", "rules.json", "data.csv", "-o", "page.html", "--compare", "card.json"]
    assert cli.main([*both, "--group", "branch", "--rows", "5", "--title", "Two models"]) == 0
    assert capsys.readouterr().out == "written to page.html\n"
    page = Page(tmp_path / "page.html")
    assert [model["name"] for model in page.models] == ["rules", "card"]
    assert "south" in page.text
    assert len(page.models[0]["reasons"]["rows"]) == 5
    assert cli.main(["report", "rules.json", "-o", "page.html"]) == 0
    assert Page(tmp_path / "page.html").models[0]["reasons"] is None
    assert cli.main(["report", "rules.json", "data.csv", "-o", "page.html"]) == 0
    assert "--target; candidates: 'label', 'branch'" in capsys.readouterr().err
    assert "AUC" not in Page(tmp_path / "page.html").text.split("Notes")[0]
    assert cli.main(["report", "rules.json", "-o", "page.html", "--group", "branch"]) == 2
    assert "--group needs rows: give a file of data" in capsys.readouterr().err
    assert cli.main([*both, "--group", "height"]) == 1
    assert "--group: there is no column 'height' in data.csv" in capsys.readouterr().err
    assert cli.main(["report", "rules.json", "data.csv", "-o", "data.csv"]) == 1
    assert "would be lost" in capsys.readouterr().err


@pytest.mark.parametrize("n_classes", [2, 3])
def test_interactions_that_a_summary_does_not_list_are_counted(n_classes, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.integers(0, 9, 600).astype(str) for name in ("user", "item")})
    model = t.FactorizationMachineClassifier(penalty=None, rank=2, max_iter=5)
    model.fit(X, rng.integers(0, n_classes, 600))
    n, n_outputs = int(np.sum(model.n_interactions_)), 1 if n_classes == 2 else n_classes
    monkeypatch.setattr(machine_rows, "MAX_LISTED", 40)
    model.report(tmp_path / "m.html")
    text = Page(tmp_path / "m.html").text
    assert f"{n} interactions, {18 * n_outputs} linear terms" in text
    assert f"Of {n + 18 * n_outputs} terms the {(40 + 18) * n_outputs} most important are listed." in text


def test_a_confusion_matrix_of_weights_has_the_same_decimals_in_all_cells(classifier, tmp_path):
    for weights, form in ((np.linspace(0.5, 3.0, len(Y)), r"[\d,]+\.\d"), (np.full(len(Y), 2.0), r"[\d,]+")):
        classifier.report(tmp_path / "m.html", FRAME, LABELS, sample_weight=weights)
        source = (tmp_path / "m.html").read_text(encoding="utf-8")
        table = source.split('<caption class="sr">True classes')[1].split("</table>")[0]
        cells = re.findall(r'<td class="n">(.*?)</td>', table)
        assert len(cells) == 4
        assert all(re.fullmatch(form, cell) for cell in cells)
