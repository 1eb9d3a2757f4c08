"""Predictions in blocks of rows are those of all rows at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.data import row_blocks

MODELS = {
    "rules": th.RuleRegressor(alpha=0.01, max_features=2, handle_unknown="missing"),
    "hierarchy": th.HierarchicalRuleRegressor(alpha=0.01),
    "card": th.L0AdditiveRegressor(lambda0=0.05),
    "subset": th.L0Regressor(lambda0=0.01, lambda2=1e-3),
    "machine": th.FactorizationMachineRegressor(alpha=0.01),
}


def frame(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X.assign(k=rng.choice(["u", "v", "w"], n))


@pytest.fixture(params=MODELS)
def fitted(request):
    X = frame(150)
    y = X["a"] * (X["b"] > 0) + (X["k"] == "u") + 0.1 * X["c"]
    if request.param == "subset":
        X = X.drop(columns="k")
    return MODELS[request.param].fit(X, y), X


@pytest.mark.parametrize("n_rows", [1, 7, 8, 20])
def test_the_same_as_all_rows_at_once(fitted, monkeypatch, n_rows):
    model, X = fitted
    rows = X.iloc[:n_rows]
    whole = model.predict(rows)
    held = model.transform(rows) if hasattr(model, "transform") else None
    monkeypatch.setattr(row_blocks, "N_ROWS", 7)
    np.testing.assert_array_equal(model.predict(rows), whole)
    if held is not None:
        np.testing.assert_array_equal(np.asarray(model.transform(rows)), np.asarray(held))


@pytest.mark.parametrize("name", ["machine", "subset"])
def test_an_error_names_the_row_of_the_table(name, monkeypatch):
    X = frame(30).drop(columns="k")
    model = MODELS[name].fit(X, X["a"] + X["b"])
    monkeypatch.setattr(row_blocks, "N_ROWS", 7)
    X.loc[19, "a"] = np.nan
    with pytest.raises(ValueError, match="row 19"):
        model.predict(X)
