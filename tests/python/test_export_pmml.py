"""Models as PMML documents, scored by an evaluator of its own and checked against the schema."""

import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import thresher as t
from contract.members import cases_that
from pmml_evaluator import load, score

from .exported import KINDS, case, cut_points, expected, fitted, records, rows_for
from .test_scorecard import event_probability

NS = {"p": "http://www.dmg.org/PMML-4_4"}


def answers(model, rows):
    """The results of the evaluator as the other exports answer."""
    found = []
    for result in score(model.to_pmml(), rows):
        if result is None:
            found.append(None)
            continue
        parts = {
            kind: [value for name, value in result.items() if name is not None and name.startswith(kind)]
            for kind in ("decision", "prediction", "probability")
        }
        answer = {"decision": parts["decision"] or parts["prediction"], "prediction": parts["prediction"][0]}
        if parts["probability"]:
            answer["probabilities"] = parts["probability"]
        found.append(answer)
    return found


def agree(wanted, got):
    assert len(wanted) == len(got)
    for k, (one, other) in enumerate(zip(wanted, got, strict=True)):
        assert (one is None) == (other is None), (k, one, other)
        if one is None:
            continue
        np.testing.assert_allclose(other["decision"], one["decision"], rtol=1e-9, atol=1e-13)
        assert ("probabilities" in one) == ("probabilities" in other)
        if "probabilities" in one:
            np.testing.assert_allclose(other["probabilities"], one["probabilities"], rtol=1e-9, atol=1e-300)
        if isinstance(one["prediction"], str):
            assert other["prediction"] == one["prediction"], (k, one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_pmml_is_predict(kind):
    model, rows, wanted = case(kind)
    agree(wanted, answers(model, records(rows)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_holds_rows_by_which_an_evaluator_checks_itself(kind):
    model, rows, wanted = case(kind)
    rows = rows[[answer is not None for answer in wanted]]
    rows = (rows.dropna() if KINDS[kind][2].get("numbers") else rows).head(20)
    document = model.to_pmml(rows)
    assert document.count("<row>") == len(rows) > 0
    load(document)
    first = re.search(r'column="(c\d+)" precision', document)[1]  # of the results
    wrong = re.sub(f"<{first}>.*?</{first}>", f"<{first}>77.0</{first}>", document, count=1, flags=re.DOTALL)
    with pytest.raises(Exception, match=r"77\.0"):
        load(wrong)


DRAWN = ["rules", "rules-three", "rules-missing", "hierarchy", "linear-three", "card-codes", "card-logistic"]


@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("kind", [*DRAWN, "machine-hinge"])
def test_drawn_models(kind, seed):
    model = fitted(kind, seed)
    rows = rows_for(model, n_rows=60, seed=seed + 100)
    agree(expected(model, rows), answers(model, records(rows)))


def test_a_value_on_a_cut_point_lies_below_it():
    model = fitted("card")
    rows = rows_for(model, n_rows=1).iloc[[0]]
    numbers = [name for name in rows if rows[name].dtype == float]
    cuts = cut_points(model)
    near = [value for cut in cuts for value in (cut, math.nextafter(cut, 9), math.nextafter(cut, -9))]
    rows = pd.concat([rows] * len(near), ignore_index=True).assign(**dict.fromkeys(numbers, near))
    agree(expected(model, rows), answers(model, records(rows)))


ODD = {
    "prediction": "text",
    "decision value": "number",
    "target": "number",
    "x > 1": "number",
    "x": "number",
    " led by a space ": "text",
    "<&>'\"": "number",
    "tab\tand\r\nline": "number",
    "probability of a": "boolean",
}
TEXTS = [" a", "a", "a ", "a  b", "tab\t", "\n", "a\r\nb", "<b>&amp;", "\\", '"', "é😀", "NaN", "true", "1"]


def odd_table(n_rows, seed):
    rng = np.random.default_rng(seed)
    found = {
        name: rng.choice(TEXTS, n_rows) if kind == "text" else
        rng.integers(0, 4, n_rows) + 0.0 if kind == "number" else rng.random(n_rows) < 0.5
        for name, kind in ODD.items()
    }  # fmt: skip
    frame = pd.DataFrame(found).astype({"probability of a": object})
    for name in list(ODD)[::2]:
        frame.loc[rng.random(n_rows) < 0.1, name] = None
    return frame


@pytest.mark.filterwarnings("ignore:(?s).*(says no more of the target|of training but for spaces)")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", [t.RuleClassifier, t.L0AdditiveClassifier])
def test_odd_names_and_texts(estimator, n_classes):
    X = odd_table(400, 0)
    z = (X["x"] > 1) * 2.0 * (X["prediction"] == " a") + (X["target"] > 1) + (X["<&>'\""] > 2)
    z = z + 1.5 * (X["prediction"].isin(["tab\t", "\n"])) + (X["x > 1"] > 1) * (X["decision value"] > 1)
    z = z + (X[" led by a space "] == "a ") + (X["probability of a"] == True)  # noqa: E712
    y = np.array(["b", "a", "c"])[np.digitize(z, [1.0, 2.0][: n_classes - 1])]
    strength = {"alpha": 0.003, "max_features": 2} if estimator is t.RuleClassifier else {"lambda0": 0.1}
    model = estimator(handle_unknown="missing", **strength).fit(X, y)
    assert len(model._used_columns()) > 5
    rows = odd_table(100, 1)
    rows.loc[:10, "prediction"] = "A"
    names = {"prediction": "prediction (2)", "probability of a": "probability of a (2)"}
    results = score(model.to_pmml(rows), records(rows))
    wanted = model.predict(rows)
    probability = model.predict_proba(rows)[:, list(model.classes_).index("a")]
    used = model.feature_names_in_[sorted(model._used_columns())]
    own = {name: names[name] if name in used else name for name in names}
    assert [result[own["prediction"]] for result in results] == wanted.tolist()
    found = [result[own["probability of a"]] for result in results]
    np.testing.assert_allclose(found, probability, rtol=1e-9)


@pytest.mark.parametrize(
    "levels",
    [[True, False], [1, 2, 30_000_000_000], [0.1, 2.5, 3.0], ["1", "01", "1.0"], [1, "a", "b"]],
    ids=["boolean", "whole", "number", "digits", "mixed"],
)
def test_types_of_categories(levels):
    X = pd.DataFrame({"a": pd.Series(levels * 40, dtype=object), "b": np.arange(40.0 * len(levels))})
    y = np.tile(np.arange(len(levels)) * 1.5, 40)
    model = t.L0AdditiveRegressor(lambda0=0.01, categorical_features=["a"], handle_unknown="missing").fit(
        X, y
    )
    rows = [{"a": level, "b": 3.0} for level in [*levels, None]]
    frame = pd.DataFrame({"a": pd.Series([row["a"] for row in rows], dtype=object), "b": 3.0})
    found = [result["prediction"] for result in score(model.to_pmml(frame), rows)]
    np.testing.assert_allclose(found, model.predict(frame), rtol=1e-12)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [-1, 7, 3], ["it's", ""]], ids=str)
def test_classes_are_what_predict_says(labels):
    X = np.tile(np.arange(len(labels)) * 1.0, 60)[:, None]
    model = t.RuleClassifier(alpha=0.01).fit(X, np.array(labels * 60))
    results = score(model.to_pmml(), [{"x0": value} for value in X[:9, 0]])
    assert [result["prediction"] for result in results] == model.predict(X[:9]).tolist()


def test_probabilities_that_are_nearly_one():
    """The largest decision value wins where several probabilities are rounded to the same number."""
    X = pd.DataFrame([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]] * 30, columns=["a", "b"])
    y = np.array(["a", "b", "c"] * 30)
    model = t.L0Classifier(lambda0=0.001, lambda2=1e-4).fit(X, y)
    rows = [[1e4, 1.1e4], [1.1e4, 1e4], [-1e4, -1e4], [300.0, 0.0]]
    frame = pd.DataFrame(rows, columns=["a", "b"])
    agree(expected(model, frame), answers(model, records(frame)))


def test_items_are_flags_and_absent_where_missing():
    baskets = [["milk", "bread"], ["milk"], ["bread", "it's"], ["it's", "milk", "bread"], []] * 20
    y = [float("milk" in b and "bread" in b) - 0.5 * ("it's" not in b) for b in baskets]
    model = t.ItemsetRegressor(alpha=0.001, negations=True).fit(baskets, y)
    used = ["milk", "bread", "it's"]
    rows = [{item: item in basket for item in used} for basket in baskets[:5]]
    found = score(model.to_pmml(), [*rows, {}, dict.fromkeys(used)])
    wanted = model.predict([*baskets[:5], [], []])
    np.testing.assert_allclose([result["prediction"] for result in found], wanted, rtol=1e-12)
    with pytest.raises(TypeError, match="X: rows of item-sets are not part of the document"):
        model.to_pmml(baskets)


def test_rows_that_predict_refuses():
    X = pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20})
    rules = t.RuleRegressor(alpha=0.001).fit(X, X["a"] + 9 * (X["b"] == "x") * (X["a"] > 20))
    rows = [{"a": 3.0, "b": "x"}, {"a": math.inf, "b": "x"}, {"a": 3.0, "b": "z"}, {"a": "three", "b": "x"}]
    assert [result is None for result in score(rules.to_pmml(), rows)] == [False, True, True, True]
    linear = t.L0Regressor(lambda0=0.1).fit(X[["a"]], X["a"])
    found = score(linear.to_pmml(), [{"a": 3.0}, {"a": None}, {}])
    assert [result is None for result in found] == [False, True, True]


def test_the_target_has_its_name_and_two_columns_may_not():
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 3})
    y = pd.DataFrame({"price": X["a"], "a": -X["a"]})
    model = t.RuleRegressor(alpha=0.01).fit(X, y)
    document = ET.fromstring(model.to_pmml())
    names = [field.attrib["name"] for field in document.findall("p:DataDictionary/p:DataField", NS)]
    assert names == ["a", "price", "a (2)"] or names == ["a", "b", "price", "a (2)"]
    found = score(model.to_pmml(), records(X))
    np.testing.assert_allclose([result["prediction of a"] for result in found], model.predict(X)[:, 1])


def test_what_xml_cannot_hold_is_an_error():
    X = pd.DataFrame({"bad\x01name": np.arange(40.0)})
    model = t.RuleRegressor(alpha=0.01).fit(X, X.iloc[:, 0].to_numpy())
    with pytest.raises(ValueError, match=r"'bad\\x01name' holds a character that XML cannot hold"):
        model.to_pmml()


def test_models_of_sequences_say_what_to_use():
    model = t.SequenceRegressor(alpha=0.01).fit(["ab", "ba"] * 20, [1.0, 0.0] * 20)
    with pytest.raises(TypeError, match=r"can be exported\. Use to_python or to_javascript, or to_json"):
        model.to_pmml()


@cases_that(lambda case: case.source.is_table)
def test_pmml_answers_as_predict(case):
    X, y = case.problem()
    frame = pd.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])
    model = case.model().fit(frame, y)
    found = score(model.to_pmml(), frame.to_dict("records"))
    predictions = [result["prediction"] for result in found]
    if not case.is_classifier:
        np.testing.assert_allclose(predictions, model.predict(frame), rtol=1e-9)
        return
    assert predictions == model.predict(frame).tolist()
    np.testing.assert_allclose([own["decision"] for own in found], model.decision_function(frame), rtol=1e-9)
    if hasattr(model, "predict_proba"):
        probabilities = [[own[f"probability of {label}"] for label in model.classes_] for own in found]
        np.testing.assert_allclose(probabilities, model.predict_proba(frame), rtol=1e-9)


# ---------------------------------------------------------------------- score cards in points

CODES = {"income": [-9999, 998], "age": [-1]}


def loans(seed, n=400):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(18, 75, n) + 0.0, "income": rng.lognormal(3.6, 0.5, n).round(1)})
    X["home"] = rng.choice(["own", "rent", "with family"], n)
    z = 1.2 * (X["age"] < 30) - (X["income"] > 45) - 0.5 + (X["home"] == "rent")
    for column, code, effect in [
        ("income", -9999, 2),
        ("income", 998, 0),
        ("age", -1, 2),
        ("age", np.nan, 1),
    ]:
        chosen = rng.random(n) < 0.1
        X.loc[chosen, column] = code
        z[chosen] += effect
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-z)), "bad", "good")


TEXTS_OF_REASONS = {"age": "R1", ("age", -1): "R2", ("income", None): "R3", ("income", -9999): "R4"}


@pytest.mark.parametrize("high_score", ["low_risk", "high_risk"])
@pytest.mark.parametrize("reference", ["best", "mean"])
@pytest.mark.parametrize("codes", [None, TEXTS_OF_REASONS, {"age": "one", "income": "one"}])
def test_a_card_has_score_probability_and_reasons(high_score, reference, codes):
    X, y = loans(0)
    model = t.L0AdditiveClassifier(lambda0=1.0, special_codes=CODES, pos_label="bad").fit(X, y)
    card = model.scaled_card(high_score=high_score)
    rows, _ = loans(1, 150)
    found = score(card.to_pmml(rows.head(20), n=3, reference=reference, codes=codes), records(rows))
    assert [result["score"] for result in found] == card.score(rows).tolist()
    risk = [result["probability"] for result in found]
    np.testing.assert_allclose(risk, event_probability(card, rows), rtol=1e-9)
    reasons = card.reasons(rows, 3, reference=reference, codes=codes)
    for result, texts, costs in zip(found, reasons.reasons, reasons.points, strict=True):
        known = [text for text in texts if text is not None]
        got = [result.get(f"reason_{k + 1}") for k in range(len(known))]
        assert sorted(got) == sorted(known)  # equal costs may come in another order
        cost = dict(zip(texts, costs, strict=True))
        assert [cost[text] for text in got] == sorted((cost[text] for text in known), reverse=True)


def test_of_equal_reasons_the_column_that_the_card_lists_first_comes_first():
    """Evaluators take the first characteristic: they are in the order of the card, not of the columns."""
    r = np.random.default_rng(0)
    X = pd.DataFrame({"minor": r.normal(size=500), "major": r.normal(size=500)})
    y = np.where(0.6 * (X["minor"] > 0) + 2 * (X["major"] > 0) + r.logistic(size=500) > 1.3, "bad", "good")
    card = t.L0AdditiveClassifier(lambda0=3.0, bins=4, pos_label="bad").fit(X, y).scaled_card()
    listed = [own.feature_name for own in card.bins]
    assert listed == ["major", "minor"]
    names = re.findall(r'<Characteristic name="([^"]*)"', card.to_pmml())
    assert names == listed


def test_a_card_without_reasons_and_what_it_refuses():
    X, y = loans(0)
    model = t.L0AdditiveClassifier(lambda0=1.0, special_codes=CODES).fit(X, y)
    plain = model.scaled_card(whole=False).to_pmml(n=0)
    assert "reason" not in plain.replace('useReasonCodes="false"', "")
    with pytest.raises(ValueError, match="n: got -1"):
        model.scaled_card().to_pmml(n=-1)
    with pytest.raises(ValueError, match="there is no column 'agee'"):
        model.scaled_card().to_pmml(codes={"agee": "R1"})
