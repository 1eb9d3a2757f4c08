"""Texts of rules: whatever names and categories hold, a text reads back as the conditions of its rule."""

import math
from random import Random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from thresher import L0AdditiveRegressor, L0Regressor, RuleRegressor
from thresher.formatting.quoting import split_conjunction
from thresher.results.rule import Condition, Rule
from thresher.results.rule_parser import read_rule

PARTS = (
    "a", "b", "age", " ", " and ", "and", " is ", "is", " missing", "not ", " is not missing", " is a number",
    "=", "!=", "<", "<=", ">", ">= ", "3", "-1.5", "1e3", "'", '"', "\\", "\\n", "\n", "\t", "(not 3)",
    "{a, b}", "é", "\u202e", "\u00a0", ", ", "#", "always", "nan",
)  # fmt: skip


def word(random):
    """A name or a category made of what conditions are made of."""
    return "".join(random.choice(PARTS) for _ in range(random.randrange(5)))


def columns(random):
    """Columns of every kind with odd names, one of which often begins another."""
    names = {word(random) for _ in range(6)}
    names |= {name + random.choice((" > 3", " and b", " is missing", "!", "'")) for name in sorted(names)[:2]}
    features = []
    for name in sorted(names):
        kind = random.choice(("numeric", "categorical", "codes"))
        feature = {"name": name, "kind": "categorical" if kind == "categorical" else "numeric"}
        if kind == "categorical":
            feature["levels"] = sorted({word(random) for _ in range(5)})
        if kind == "codes":
            feature["special"] = [{"value": code, "seen": code != -7.0} for code in (-9.0, -8.5, -7.0)]
        features.append(feature)
    random.shuffle(features)
    return features


def payload(random, position, feature):
    """A condition on a column as the core writes it."""
    if random.random() < 0.15:
        return {"feature": position, "missing": random.random() < 0.5}
    if "levels" in feature:
        level = random.choice(feature["levels"])
        return {"feature": position, "category": level, "negated": random.random() < 0.5}
    if "special" in feature and random.random() < 0.4:
        code = random.choice((-9.0, -8.5, None))
        if code is not None:
            return {"feature": position, "category": code, "negated": random.random() < 0.5}
        return {"feature": position, "lower": None, "upper": None}
    low, high = sorted(random.choice((random.uniform(-20, 20), random.randrange(-20, 20))) for _ in range(2))
    low = random.choice((low, math.nextafter(low, -math.inf))) - 1
    ends = random.choice(((low, high), (None, high), (low, None)))
    return {"feature": position, "lower": ends[0], "upper": ends[1]}


def test_a_text_reads_back_as_its_conditions():
    random = Random(0)
    n_quoted = 0
    for _ in range(3000):
        features = columns(random)
        document = SimpleNamespace(features=features, names=[feature["name"] for feature in features])
        chosen = sorted(random.sample(range(len(features)), random.randrange(1, min(4, len(features)) + 1)))
        payloads = [payload(random, position, features[position]) for position in chosen]
        rule = Rule(tuple(Condition.from_payload(each, features) for each in payloads))
        assert read_rule(rule.text, document) == read_rule(rule, document), rule.text
        assert split_conjunction(rule.text) == [condition.text for condition in rule.conditions]
        n_quoted += "'" in rule.text
    assert 500 < n_quoted < 3000


PLAIN = (
    "age",
    "x0",
    "profit & loss",
    "is smoker",
    "what is it",
    "island",
    "and_more",
    "x.y",
    "price (€)",
    "a!",
)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_names_and_categories_stay_plain(name):
    assert Condition(0, name, category=name).text == f"{name} = {name}"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (Condition(0, "x > 3", upper=2.0), "'x > 3' <= 2"),
        (Condition(0, "2024", lower=1.0, upper=2.0), "1 < '2024' <= 2"),
        (Condition(0, "c", category=""), "c = ''"),
        (Condition(0, "c", category="a and b = c", negated=True), "c != 'a and b = c'"),
        (Condition(0, "c", category="it's >= 3"), 'c = "it\'s >= 3"'),
        (Condition(0, "c", category="two\nlines"), "c = 'two\\nlines'"),
        (Condition(0, "c", category="Other, none"), "c = 'Other, none'"),
        (Condition(0, "x is missing", missing=False), "'x is missing' is not missing"),
    ],
)
def test_what_could_be_misread_is_in_quotes(condition, text):
    assert condition.text == text


@pytest.mark.parametrize(
    ("text", "position", "category"),
    [
        ("c = a and b", 1, "a and b"),
        ("c = ", 1, ""),
        ("profit and loss = yes and x > 3", 2, "yes"),
        ("x > 3 and profit and loss = yes", 2, "yes"),
        ("c = 'C:\\dir'", 1, "C:\\dir"),
        ('c = "C:\\dir" and x > 3', 1, "C:\\dir"),
        ("c = <10k", 1, "<10k"),
        ("c = 'quoted'", 1, "'quoted'"),
        ("c = 'a'", 1, "a"),
    ],
)
def test_texts_without_quotes_are_read_where_they_mean_one_thing(text, position, category):
    features = [
        {"name": "x", "kind": "numeric"},
        {"name": "c", "kind": "categorical", "levels": ["", "a", "a and b", "C:\\dir", "<10k", "'quoted'"]},
        {"name": "profit and loss", "kind": "categorical", "levels": ["yes", "no"]},
    ]
    found = read_rule(text, SimpleNamespace(features=features, names=[each["name"] for each in features]))
    assert {"feature": position, "category": category, "negated": False} in found


def test_every_reader_of_a_model_has_the_quotes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "x > 3": rng.normal(size=200),
            "c": rng.choice(["", "a and b = c", "d"], 200),
            "2": rng.normal(size=200),
        }
    )
    y = (X["c"] == "a and b = c") * (X["x > 3"] > 0) + (X["c"] == "") * 0.5 + (X["2"] > 1)
    for model in (RuleRegressor(alpha=0.005, linear=False), L0AdditiveRegressor(lambda0=0.01)):
        model.fit(X, y)
        shown = [str(model.summary()), model.to_sql("t"), *map(str, model.explain(X[:20]))]
        assert any("'x > 3'" in text for text in shown[2:])
        assert "'x > 3'" in shown[0]
        assert "'a and b = c'" in shown[0]
        assert "'2'" in shown[0]
    rules = RuleRegressor(alpha=0.005, linear=False).fit(X, y)
    for rule in rules.rules_:
        assert rules.price(rule.text).term.conditions == rule.conditions


def test_a_category_with_a_comma_is_quoted_in_texts_and_lists():
    X = pd.DataFrame({"school": ["Other, none", "BSc", "MSc"] * 30})
    model = RuleRegressor(alpha=0.01).fit(X, X["school"] == "Other, none")
    for text in ("school = Other, none", "school = 'Other, none'", {"school": "Other, none"}):
        assert model.price(text).term.text == "school = 'Other, none'"
    with pytest.raises(ValueError, match=r"has no category 'PhD'; it has BSc, MSc, 'Other, none'$"):
        model.price("school = PhD")


def test_a_price_quotes_a_text_with_quotes_by_others():
    X = pd.DataFrame({"income > 0": ["yes", "no", "yes", "no"] * 20, "x": np.arange(80.0)})
    model = RuleRegressor(alpha=0.01).fit(X, X["x"] > 40)
    assert str(model.price("'income > 0' = yes and x > 3")).startswith("\"'income > 0' = yes and x > 3\" ")
    assert str(model.price("x > 3")).startswith("'x > 3' ")


def test_linear_terms_have_the_quotes_of_rules():
    x = np.arange(40.0)
    X = pd.DataFrame({"": x, "x > 3": x % 7})
    rules = RuleRegressor(alpha=1e-3, max_features=1).fit(X, X[""] + X["x > 3"])
    columns = L0Regressor(lambda0=0.01).fit(X, X[""] + X["x > 3"])
    for model in (rules, columns):
        assert {"''", "'x > 3'"} <= {row.term for row in model._summary_rows() if row.kind == "linear"}
