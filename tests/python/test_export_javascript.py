"""Models as a JavaScript function."""

import numpy as np
import pandas as pd
import pytest

import thresher as t

from .exported import agree, records, run_javascript

BASKETS = [["milk", "bread"], ["milk"], ["bread", "it's"], ["it's", "milk", "bread"], []] * 20


@pytest.mark.parametrize("as_matrix", [False, True])
def test_items_are_a_list_or_flags(as_matrix, tmp_path):
    items = ["milk", "bread", "it's"]
    flags = pd.DataFrame([{item: item in basket for item in items} for basket in BASKETS])
    y = flags["milk"] * flags["bread"] - 0.5 * ~flags["it's"]
    X = flags if as_matrix else BASKETS
    model = t.ItemsetRegressor(alpha=0.001, negations=True).fit(X, y.to_numpy(float))
    assert len(model.patterns_) > 1
    wanted = [{"decision": [value], "prediction": value} for value in model.predict(X).tolist()]
    script = model.to_javascript()
    agree(wanted, run_javascript(script, BASKETS, tmp_path))
    agree(wanted, run_javascript(script, flags.to_dict("records"), tmp_path))


@pytest.mark.parametrize("label", [True, 1])
def test_booleans_and_numbers_are_one_item(label, tmp_path):
    rows = [[1, "a"], [True, "a"], ["a"], [False], [0], []]
    other = int(label) if isinstance(label, bool) else bool(label)
    model = t.ItemsetRegressor(alpha=0.001).fit(
        [[label, "a"], [other], ["a"], []] * 20, [3.0, 2.0, 1.0, 0.0] * 20
    )
    wanted = [{"decision": [value], "prediction": value} for value in model.predict(rows).tolist()]
    assert wanted[0] == wanted[1] != wanted[2]
    agree(wanted, run_javascript(model.to_javascript(), rows, tmp_path))


def test_values_stand_for_each_other_as_in_predict(tmp_path):
    """1, 1.0 and true are one category; so are a boolean and its text, in any case."""
    frame = pd.DataFrame({"a": [True, False] * 20, "b": ["True", "False", "other", "other"] * 10})
    y = frame["a"] * 2.0 + (frame["b"] == "True")
    model = t.L0AdditiveRegressor(lambda0=0.001).fit(frame, y)
    cells = [(True, True), (1, "True"), ("TRUE", False), ("false", "False"), (0, "other"), (0.0, None)]
    rows = pd.DataFrame(cells, columns=["a", "b"], dtype=object)
    wanted = [
        {"decision": [value], "prediction": value}
        for k in range(len(rows))
        for value in model.predict(rows.iloc[[k]].apply(lambda column: column.astype(object))).tolist()
    ]
    got = run_javascript(model.to_javascript(), records(rows), tmp_path)
    agree(wanted, got)
    assert len({answer["prediction"] for answer in got}) >= 4


def test_a_row_that_lacks_a_column_or_has_text_for_a_number_is_an_error(tmp_path):
    X = np.arange(40.0)[:, None]
    script = t.RuleRegressor(alpha=0.01).fit(X, X[:, 0] > 20).to_javascript()
    bad = [{}, {"x0": "5"}, {"x0": 1e999}]
    assert run_javascript(script, [*bad[:2], {"x0": 25}], tmp_path)[:2] == [None, None]
    assert run_javascript(script, [{"x0": 25}], tmp_path)[0] is not None


def test_a_script_can_stand_in_a_page(tmp_path):
    name = "</script><b>"
    X = pd.DataFrame({name: np.arange(40.0)})
    script = t.RuleRegressor(alpha=0.01).fit(X, X[name] > 20).to_javascript()
    assert "</script" not in script


def test_models_of_graphs_say_what_to_use():
    edge, none = (["a", "b"], [(0, 1)], ["x"]), (["a", "b"], [], [])
    model = t.GraphClassifier(alpha=0.01).fit([edge, none] * 20, ["yes", "no"] * 20)
    with pytest.raises(TypeError, match=r"can be exported\. Use to_json"):
        model.to_javascript()


def test_names_that_every_object_has(tmp_path):
    """An unknown category "constructor" is no method of an object, nor is the absent item "toString"."""
    frame = pd.DataFrame({"toString": [True, False] * 20, "a": np.arange(40.0)})
    model = t.RuleRegressor(alpha=0.01, handle_unknown="missing").fit(
        frame, frame["toString"] * 2.0 + frame["a"]
    )
    rows = [{"toString": "constructor", "a": 3.0}, {"toString": None, "a": 3.0}]
    first, second = run_javascript(model.to_javascript(), rows, tmp_path)
    assert first == second
    items = t.ItemsetRegressor(alpha=0.01).fit([["toString"], []] * 20, [1.0, 0.0] * 20)
    absent, empty = run_javascript(items.to_javascript(), [{}, []], tmp_path)
    assert absent == empty
