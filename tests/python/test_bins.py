"""Cut points by column."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thresher import (
    HierarchicalRuleRegressor,
    L0AdditiveRegressor,
    RuleRegressor,
    load_model,
)
from thresher.cli import main

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"age": RNG.uniform(0, 80, 300), "income": RNG.normal(size=300), "home": ["own", "rent"] * 150}
)
Y = np.where(X["age"] > 40, 2.0, 0.0) + X["income"] + (X["home"] == "own")
MODELS = [
    RuleRegressor(alpha=0.05, max_features=1),
    HierarchicalRuleRegressor(alpha=0.05),
    L0AdditiveRegressor(lambda0=2.0),
]


def cuts_of(model):
    return {f["name"]: f.get("cuts") for f in model._fitted.document["features"]}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_dict_is_as_a_list_of_all_columns(model):
    by_name = model.set_params(bins={"age": [18, 40, 65]}).fit(X, Y)
    found, answers = cuts_of(by_name), by_name.predict(X)
    assert found["age"] == [18, 40, 65]
    assert len(found["income"]) >= 11
    by_list = model.set_params(bins=[[18, 40, 65], None, None]).fit(X, Y)
    assert cuts_of(by_list) == found
    np.testing.assert_array_equal(by_list.predict(X), answers)
    by_place = model.set_params(bins={0: np.array([18, 40, 65]), "income": None}).fit(X, Y)
    assert cuts_of(by_place) == found
    again = load_model_text(by_place)
    assert again.bins["income"] is None
    np.testing.assert_array_equal(again.predict(X), answers)


def load_model_text(model):
    return type(model).from_json(model.to_json())


def test_batches_and_files(tmp_path):
    model = RuleRegressor(alpha=0.05, max_features=1, bins={"age": [18, 40], "income": [0.0]}).fit(X, Y)
    frame = pl.from_pandas(X.assign(y=Y))
    batched = RuleRegressor(alpha=0.05, max_features=1, bins={"age": [18, 40], "income": [0.0]})
    batched.fit([frame[:100], frame[100:]], "y")
    np.testing.assert_allclose(batched.predict(X), model.predict(X))
    model.to_json(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").bins == model.bins


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("bins", "error", "words"),
    [
        ({}, ValueError, "bins: got an empty dict; give"),
        ({"none": [1.0]}, ValueError, "bins: there is no column 'none'; the columns are 'age'"),
        ({7: [1.0]}, ValueError, "bins: there is no column 7; X has 3 columns"),
        ({"age": [1.0], 0: [2.0]}, ValueError, "bins: column 'age' is given twice"),
        ({"age": 8}, TypeError, "bins: got 8 for column 'age'; a dict has cut points"),
        ({"age": "auto"}, TypeError, "bins: got 'auto' for column 'age'; a dict has cut points"),
        ({"age": [40, 18]}, ValueError, "bins: the cuts of column 'age' must be sorted"),
        ({"age": [np.nan]}, ValueError, "bins: the cuts of column 'age' must be finite"),
        ({"home": [1.0]}, ValueError, "got cuts for 'home', which is categorical"),
    ],
)
def test_wrong_dicts_are_named(model, bins, error, words):
    with pytest.raises(error, match=words):
        model.set_params(bins=bins).fit(X, Y)


def test_the_command_line(tmp_path, capsys):
    rows, out = tmp_path / "rows.csv", tmp_path / "model.json"
    X.assign(y=Y).to_csv(rows, index=False)
    fit = ["fit", str(rows), "--target", "y", "--alpha", "0.05", "--max-features", "1", "-o", str(out)]
    assert main([*fit, "--bins", "age=18,40", "--bins", "income=0"]) == 0
    assert cuts_of(load_model(out)) == {"age": [18, 40], "income": [0], "home": None}
    assert main([*fit, "--bins", "8"]) == 0
    assert len(cuts_of(load_model(out))["age"]) == 7
    capsys.readouterr()
    for text in ("age=", "age=a", "=3"):
        with pytest.raises(SystemExit):
            main([*fit, "--bins", text])
        assert f"got '{text}'; give" in capsys.readouterr().err
