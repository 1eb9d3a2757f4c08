"""Labels that look the same and differ in Unicode composition are named, and are not merged."""

import warnings

import pandas as pd
import pytest

import thresher as t
from thresher.cli import main

ONE, TWO = "caf\u00e9", "cafe\u0301"
ESCAPED = r"'cafe\u0301' and 'caf\xe9'"
Y = [1.0, 0.0, 0.0, 1.0] * 5
RECORDS = [{ONE}, {TWO}, {"x"}, {ONE, "x"}] * 5
CITY = pd.DataFrame({"city": [ONE, TWO, "x", "y"] * 5, "age": range(20)})
FITS = [
    (t.ItemsetRegressor(alpha=0.1), RECORDS, "the records have labels"),
    (t.SequenceRegressor(alpha=0.1), [*map(sorted, RECORDS)], "the records have labels"),
    (t.RuleRegressor(alpha=0.1), CITY, "column 'city' has categories"),
    (t.L0AdditiveRegressor(lambda0=0.1), CITY, "column 'city' has categories"),
    (t.FactorizationMachineRegressor(alpha=0.01), CITY, "column 'city' has categories"),
    (t.HierarchicalRuleRegressor(alpha=0.1), CITY, "column 'city' has categories"),
]


@pytest.mark.parametrize(("model", "rows", "owner"), FITS, ids=lambda own: type(own).__name__)
def test_a_fit_names_both(model, rows, owner):
    with pytest.warns(UserWarning, match="differ in Unicode composition alone") as caught:
        model.fit(rows, Y)
    said = [str(own.message) for own in caught if "composition" in str(own.message)]
    assert len(said) == 1
    assert said[0].startswith(f"{owner} that look the same")
    assert ESCAPED in said[0]


def test_classes_too():
    with pytest.warns(UserWarning, match="y has classes that look the same"):
        t.RuleClassifier(alpha=0.1).fit(CITY[["age"]], CITY["city"])


def test_other_letters_are_left_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t.ItemsetRegressor(alpha=0.1).fit([{ONE}, {"cafe"}, {"caf\u00e8"}, {TWO + "s"}] * 5, Y)


def test_a_new_category_in_another_composition_is_told_apart():
    known = CITY[CITY["city"] != TWO]
    model = t.RuleRegressor(alpha=0.001).fit(known, (known["city"] == ONE) * 1.0)
    with pytest.raises(ValueError, match=r"'cafe\\u0301' is 'caf\\xe9' of training but for its Unicode"):
        model.predict(CITY)


def test_a_column_in_another_composition_is_told_apart():
    model = t.RuleRegressor(alpha=0.1).fit(CITY[["age"]].rename(columns={"age": ONE}), Y)
    with pytest.raises(ValueError, match=r"'cafe\\u0301' is 'caf\\xe9' of training but for its Unicode"):
        model.predict(CITY[["age"]].rename(columns={"age": TWO}))


def test_the_examination_names_both(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"id": range(20), "item": CITY["city"], "y": Y}).to_csv("items.csv", index=False)
    assert main(["doctor", "items.csv", "--target", "y"]) == 0
    assert r"spells categories in two ways: 'caf\xe9' and 'cafe\u0301'" in capsys.readouterr().out
    assert main(["doctor", "items.csv", "--record", "id", "--item", "item", "--target", "y"]) == 0
    found = " ".join(capsys.readouterr().out.split())
    assert r"items that look the same differ in Unicode composition: 'caf\xe9'" in found
