"""Every estimator is read in the same way: a summary, and predictions taken apart."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import thresher
from thresher.results.explanation import Explanation
from thresher.results.summary import Summary
from thresher.results.table_text import Line, Section, TableText

ROWS = 120
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RNG.uniform(20, 80, ROWS).round(1),
        "<b>&|_$": RNG.choice(["red", "blue"], ROWS),
        "bmi": RNG.normal(25, 4, ROWS),
    }
)
GAPS = TABLE.assign(age=TABLE["age"].where(np.arange(ROWS) % 9 > 0))
NUMBERS = TABLE[["age", "bmi"]]
SIGNAL = 3.0 * (TABLE["age"] > 50).to_numpy() + 0.2 * TABLE["bmi"].to_numpy()
BASKETS = [[c for c in "abcde" if RNG.random() < 0.5] or ["a"] for _ in range(ROWS)]
GRAPHS = [(list("CNO")[: 2 + k % 2], [(0, 1), (1, 2)][: 1 + k % 2]) for k in range(ROWS)]
HELD = np.array([1.0 * ("a" in basket) + ("b" in basket) for basket in BASKETS])
EDGES = np.array([k % 2 + 0.1 * (k % 3) for k in range(ROWS)])

FAMILIES = {
    "Rule": ({"alpha": 0.05, "max_features": 2}, GAPS, SIGNAL),
    "HierarchicalRule": ({"bins": ("uniform", 4)}, GAPS, SIGNAL),
    "L0": ({"lambda0": 0.5}, NUMBERS, SIGNAL),
    "L0Additive": ({"lambda0": 0.5}, GAPS, SIGNAL),
    "FactorizationMachine": ({"rank": 3, "max_iter": 20}, TABLE, SIGNAL),
    "Itemset": ({"alpha": 0.02}, BASKETS, HELD),
    "Sequence": ({"alpha": 0.02}, BASKETS, HELD),
    "Graph": ({"alpha": 0.02}, GRAPHS, EDGES),
}
TASKS = ["regression", "two targets", "two classes", "three classes"]


def labels(signal: np.ndarray, task: str) -> np.ndarray:
    if task == "regression":
        return signal
    if task == "two targets":
        return np.column_stack([signal, -signal])
    cuts = np.unique(np.quantile(signal, [0.5] if task == "two classes" else [0.33, 0.67]))
    return np.array(["low", "mid", "high"])[np.digitize(signal, cuts + 1e-9)]


# Two different graphs have two classes.
PAIRS = [(name, task) for name in FAMILIES for task in TASKS if (name, task) != ("Graph", "three classes")]


@pytest.fixture(scope="module", params=[f"{name}: {task}" for name, task in PAIRS])
def fitted(request):
    name, task = request.param.split(": ")
    parameters, X, signal = FAMILIES[name]
    kind = "Classifier" if "classes" in task else "Regressor"
    return getattr(thresher, name + kind)(**parameters).fit(X, labels(signal, task)), X


def test_summary_is_written_alike(fitted):
    model, _ = fitted
    summary = model.summary()
    assert isinstance(summary, Summary)
    terms = [row.term for row in summary.rows]
    frame = summary.to_frame()
    assert list(frame["term"]) == terms
    assert {"term", "kind", "coef"} <= set(frame.columns)
    whole, outputs = summary.columns(with_intercepts=True), len(summary.intercepts)
    assert list(zip(whole["kind"], whole["coef"], strict=True)) == [
        *(("intercept", value) for _, value in summary.intercepts),
        *zip(frame["kind"], frame["coef"], strict=True),
    ]
    assert whole["term"] == ["(intercept)"] * outputs + terms
    text, markup = summary.text(), summary._repr_html_()
    assert text.count("(intercept)") == len(summary.intercepts) == markup.count("(intercept)")
    assert "<b>&" not in markup
    assert summary.to_markdown().count("(intercept)") == len(summary.intercepts)
    assert summary.to_latex().count(r"\begin{tabular}") == len(summary.intercepts)
    assert str(summary).splitlines()[-1] == summary.proof
    assert summary.text(max_rows=1).count("\n") <= text.count("\n")
    assert markup in model._repr_html_()


def test_latex_has_signs_of_mathematics_and_indentation():
    lines = (
        Line(("", "age")),
        Line(("-0.5", "  age <= -3 & a_b != 2")),
        Line(("+1.0", "  age >= 3, not < x-1")),
    )
    table = TableText(("effect", "step"), "rl", (Section("", lines),), "A sentence.", "Proved: 1 <= 2.")
    body = [
        r" & age \\",
        r"$-$0.5 & \quad age $\le$ $-$3 \& a\_b $\ne$ 2 \\",
        r"+1.0 & \quad age $\ge$ 3, not $<$ x-1 \\",
    ]
    written = table.latex()
    assert written.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines() == body
    assert written.startswith("A sentence.")
    assert written.endswith(r"Proved: 1 $\le$ 2.")
    alone = table.latex(with_sentences=False)
    assert alone.startswith("\\begin{tabular}")
    assert alone.endswith("\\end{tabular}")


def test_a_model_of_linear_terms_alone_reads_as_a_linear_model():
    bins = {"bmi": [0]}
    model = thresher.RuleRegressor(alpha=0.001, max_features=1, bins=bins).fit(
        TABLE[["bmi"]], 3 * TABLE["bmi"]
    )
    text = str(model.summary())
    assert text.startswith("Each coefficient times its column, added up, is the prediction.\n")
    assert text.splitlines()[1].split() == ["coef", "column"]
    labels_of = np.where(TABLE["bmi"] > 25, "big", "small")
    classes = thresher.RuleClassifier(alpha=0.05, bins=bins).fit(TABLE[["bmi"]], labels_of)
    assert not classes.rules_
    assert (
        classes.summary().note
        == "Each coefficient times its column, added up, is the log-odds of class 'small'."
    )


@pytest.mark.parametrize(
    "model",
    [
        thresher.RuleClassifier(alpha=0.02, max_features=1),
        thresher.L0Classifier(lambda0=2.0),
        thresher.L0AdditiveClassifier(lambda0=2.0),
    ],
)
def test_terms_of_one_of_several_classes_add_up_to_a_decision_value(model, tmp_path):
    X = np.random.default_rng(0).normal(size=(120, 3))
    classes = np.array(["low", "mid", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model.fit(X, classes)
    assert " the decision value of its class; the largest wins." in " ".join(model.summary().note.split())
    model.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the decision value of its class, for each of" in " ".join(page.split())
    two = model.fit(X, classes == "low").summary().note
    assert "the log-odds of class True." in " ".join(two.split())


def test_summary_names_the_class(fitted):
    model, _ = fitted
    classes = getattr(model, "classes_", ())
    if len(classes) == 2:
        assert f"of class {str(classes[1])!r}" in model.summary().note
        assert f"of class {str(classes[1])!r}" in str(model.explain(rows_of(model))[0])


def rows_of(model):
    name = type(model).__name__.removesuffix("Classifier").removesuffix("Regressor")
    return FAMILIES[name][1][:2]


def test_summary_says_what_was_proved(fitted):
    model, _ = fitted
    proof = model.summary().proof
    certificate = getattr(model, "certificate_", None)
    has_bound = certificate is not None and getattr(certificate, "has_bound", True)
    assert (" gap " in proof) == has_bound
    assert proof.endswith(".")


def test_explanations_add_up(fitted):
    """The bound that the class states: n + 2 roundings of the sum of all sizes."""
    model, X = fitted
    explanations = model.explain(X[:8])
    decision = model._decision(X[:8])
    assert [e.prediction for e in explanations] == model.predict(X[:8]).tolist()
    printed = dict(model.summary().intercepts)
    for explanation, values in zip(explanations, decision, strict=True):
        assert isinstance(explanation, Explanation)
        assert dict(explanation.intercepts) == printed
        for (output, intercept), value in zip(explanation.intercepts, values, strict=True):
            parts = [p.value for p in explanation.contributions if len(values) == 1 or p.output == output]
            size = abs(intercept) + sum(map(abs, parts))
            assert abs(intercept + sum(parts) - value) <= (len(parts) + 2) * 2.3e-16 * size
        assert [value for _, value in explanation.decisions] == values.tolist()
        assert len(explanation.to_frame()) == len(explanation.contributions) + len(values)


def test_one_row_gives_a_list_of_one(fitted):
    model, X = fitted
    assert len(model.explain(X[:1])) == 1


def test_support_is_a_fraction_and_n_rows_a_count(fitted):
    model, _ = fitted
    for row in model.summary().rows:
        if row.support is not None:
            assert 0 <= row.support <= 1
        if row.n_rows is not None:
            assert isinstance(row.n_rows, int)
            assert 0 <= row.n_rows <= ROWS
            assert row.support == pytest.approx(row.n_rows / ROWS)


@pytest.mark.parametrize(
    ("model", "X", "why"),
    [
        (thresher.ItemsetRegressor(alpha=0.1), [[]] * 20, "all records are empty"),
        (thresher.SequenceRegressor(alpha=0.1), [""] * 20, "all records are empty"),
        (
            thresher.GraphRegressor(alpha=0.1),
            [(["C"], []), (["N"], [])] * 10,
            "no record has an edge or bond",
        ),
    ],
    ids=["itemsets", "sequences", "graphs"],
)
def test_a_model_of_data_without_candidates_says_so(model, X, why):
    with pytest.warns(ConvergenceWarning, match=rf"no candidate pattern \({why}\)"):
        text = str(model.fit(X, np.arange(20.0)).summary())
    assert "the data have no candidate pattern" in text


def test_a_table_says_where_support_is_of_weights_and_rows_are_counted():
    x = np.arange(60.0)[:, None] % 10
    weights = np.where(x[:, 0] > 6, 3.0, 1.0)
    said = "The rows are counted, and support is the fraction of their weight. Certificate: optimal among"
    model = thresher.RuleRegressor(alpha=0.05, max_features=1, linear=False)
    assert said in str(model.fit(x, x[:, 0], sample_weight=weights).summary())
    assert said in model.summary().to_markdown()
    assert said in str(thresher.load_model(model.to_json()).summary())
    for equal in (None, np.full(60, 2.5), np.where(x[:, 0] > 6, 1.0, 0.0)):
        assert "are counted" not in str(model.fit(x, x[:, 0] % 3, sample_weight=equal).summary())


@pytest.mark.parametrize("is_loaded", [False, True])
def test_weights_of_classes_are_not_taken_for_a_number_of_rows(is_loaded, tmp_path):
    records = [{"a"} if row < 400 else set() for row in range(600)]
    y = np.arange(600) >= 570
    model = thresher.ItemsetClassifier(alpha=0.05, class_weight="balanced").fit(records, y)
    model = thresher.load_model(model.to_json()) if is_loaded else model
    assert "The records are counted, and support is the fraction of their weight." in str(model.summary())
    model.report(tmp_path / "report.html", records, y)
    assert "<dt>Training records</dt><dd>600</dd>" in (tmp_path / "report.html").read_text()


def test_a_file_that_does_not_tell_its_rows_is_read_as_one_of_weighted_rows(tmp_path):
    x = np.arange(60.0)[:, None]
    fit = thresher.RuleRegressor(alpha=0.05, linear=False).fit(x, x[:, 0] > 30)
    content = json.loads(fit.to_json())
    assert (content.pop("n_rows"), content.pop("weighted")) == (60, False)
    model = thresher.load_model(json.dumps(content))
    assert "support is the fraction of their weight" in str(model.summary())
    model.report(tmp_path / "report.html")
    assert "Training rows" not in (tmp_path / "report.html").read_text()
    for entries in ({"n_rows": -1}, {"n_rows": 1.5}, {"n_rows": True}, {"weighted": "no"}):
        with pytest.raises(thresher.FormatError, match=next(iter(entries))):
            thresher.load_model(json.dumps({**content, **entries}))
