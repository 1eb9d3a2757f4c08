"""Models as Python, JavaScript and C: the bits of predict."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher.export.build import formula_of

from .exported import KINDS, agree, case, records, run_c, run_javascript, run_onnx, run_python


@pytest.mark.parametrize("kind", KINDS)
def test_python_gives_the_bits_of_predict(kind):
    model, rows, wanted = case(kind)
    agree(wanted, run_python(model.to_python(), records(rows)))


@pytest.mark.parametrize("kind", KINDS)
def test_javascript_gives_the_bits_of_predict(kind, tmp_path):
    model, rows, wanted = case(kind)
    agree(wanted, run_javascript(model.to_javascript(), records(rows), tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_c_gives_the_bits_of_predict(kind, tmp_path):
    model, rows, wanted = case(kind)
    agree(wanted, run_c(model.to_c(), formula_of(model), records(rows), tmp_path))


def test_items_in_every_language(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((200, 4)) < 0.5, columns=["milk", "it's", 'a "b"', "int"])
    signal = 2.0 * (frame["milk"] & ~frame["it's"]) - frame["int"] + 0.1 * rng.normal(size=200)
    y = np.where(signal > 0, "yes", "no")
    baskets = [[item for item in frame if row[item]] for _, row in frame.iterrows()]
    for model in (
        t.ItemsetClassifier(alpha=0.003, negations=True).fit(frame, y),
        t.ItemsetClassifier(alpha=0.003, negations=True, loss="squared_hinge").fit(baskets, y),
    ):
        X = frame if hasattr(model, "n_features_in_") else baskets
        wanted = [
            {"decision": [own], "prediction": label}
            for own, label in zip(model.decision_function(X).tolist(), model.predict(X), strict=True)
        ]
        flags = frame.to_dict("records")
        agree(wanted, run_python(model.to_python(), baskets))
        agree(wanted, run_python(model.to_python(), flags))
        agree(wanted, run_javascript(model.to_javascript(), baskets, tmp_path))
        agree(wanted, run_c(model.to_c(), formula_of(model), flags, tmp_path))
        if hasattr(model, "feature_names_in_"):
            agree(wanted, run_onnx(model.to_onnx(), formula_of(model), frame))


def test_two_columns_of_one_name_are_an_error():
    """Items are labels of any type, and the texts of 1 and "1" are equal."""
    records = [{1}, {"1"}, {1, "1"}, set()] * 20
    model = t.ItemsetRegressor(alpha=0.001).fit(records, [1.0, -2.0, -1.0, 0.0] * 20)
    with pytest.raises(ValueError, match="two columns that the model uses share the name '1'"):
        model.to_python()


def test_an_unfitted_model_says_so():
    with pytest.raises(Exception, match="not fitted yet"):
        t.RuleRegressor().to_python()


def test_values_stand_for_each_other_as_in_predict():
    """1, 1.0 and True are one category; so are a boolean and its text, in any case."""
    frame = pd.DataFrame({"a": [True, False] * 20, "b": ["True", "False", "other", "other"] * 10})
    model = t.L0AdditiveRegressor(lambda0=0.001).fit(frame, frame["a"] * 2.0 + (frame["b"] == "True"))
    cells = [
        (True, True),
        (1, "True"),
        ("TRUE", False),
        ("false", np.bool_(False)),
        (0, "other"),
        (0.0, None),
    ]
    rows = pd.DataFrame(cells, columns=["a", "b"], dtype=object)
    wanted = [
        {"decision": [value], "prediction": value}
        for k in range(len(rows))
        for value in model.predict(rows.iloc[[k]]).tolist()
    ]
    agree(wanted, run_python(model.to_python(), [{"a": a, "b": b} for a, b in cells]))
    module = {}
    exec(model.to_python(), module)
    assert module["score"]({"a": pd.NA, "b": pd.NaT}) == module["score"]({"a": None, "b": np.nan})


def test_numbers_of_other_types_are_read():
    X = pd.DataFrame({"a": np.arange(40.0)})
    module = {}
    exec(t.RuleRegressor(alpha=0.01).fit(X, X["a"] > 20).to_python(), module)
    score = module["score"]
    assert score({"a": np.float32(25)}) == score({"a": Decimal(25)}) == score({"a": 25})
    for bad, message in (("25", "must be a number"), (np.inf, "must be finite")):
        with pytest.raises(ValueError, match=message):
            score({"a": bad})
    with pytest.raises(ValueError, match="score: the row lacks 'a'; None is missing"):
        score({})


def test_code_has_the_numbers_of_the_printed_rules():
    rng = np.random.default_rng(0)
    income, ratio = np.round(rng.lognormal(9, 0.5, 400), -2), rng.random(400)
    X = pd.DataFrame({"income": income, "ratio": ratio})
    model = t.RuleClassifier(alpha=0.02, linear=False).fit(X, (income > 8200) ^ (ratio > 0.3))
    number = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:E-?\d+)?")
    printed = [text for rule in model.rules_ for text in number.findall(rule.text)]
    assert 0 < max(map(len, printed)) <= 5
    for code in (model.to_sql(), model.to_python(), model.to_javascript(), model.to_c(), model.to_pmml()):
        assert set(map(float, printed)) <= set(map(float, number.findall(code)))
