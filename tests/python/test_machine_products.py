"""Products of the columns in which a row is not 0, beside a loop over all interactions of a machine."""

import numpy as np
import pandas as pd
import pytest

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor
from thresher.data.encode import encode_rows, less_centers
from thresher.estimators.factorization._interactions import interactions_of_columns
from thresher.results.contributions import Contribution, of_interactions


def by_every_interaction(interactions, rows):
    """The contributions by a loop over all interactions and rows."""
    parts = []
    for x in rows.toarray().tolist():
        products = []
        for each in interactions:
            product = each.coef
            for column in each.column_indices:
                product *= x[column]
            if product:
                products.append(Contribution(each.text, product, "interaction", each.output, each))
        parts.append(products)
    return parts


@pytest.mark.parametrize(
    "params",
    [
        {"order": 2},
        {"order": 3},
        {"order": 3, "fit_lower": "augment"},
        {"order": 3, "fit_lower": "none"},
        {"order": "all"},
        {"order": 2, "signs": "random"},
        {"order": 2, "penalty": "ti", "alpha": 0.0005},
    ],
)
@pytest.mark.parametrize("target", ["numbers", "two numbers", "two classes", "three classes"])
def test_products_are_those_of_a_loop_over_all_interactions_bit_for_bit(params, target):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {name: rng.choice(list(levels), 200) for name, levels in {"a": "pqr", "b": "stuv", "c": "wx"}.items()}
    ).assign(d=rng.normal(size=200), e=rng.integers(0, 3, 200), day=2459000.0 + rng.integers(0, 9, 200))
    y = (X["a"] == "p") * (X["b"] == "s") + X["d"] * (X["c"] == "w") + 0.1 * X["e"] * (X["a"] == "q")
    cls = FactorizationMachineRegressor if "numbers" in target else FactorizationMachineClassifier
    model = cls(**{"penalty": None, "rank": 3, "max_iter": 30, "random_state": 0, **params})
    targets = {"two numbers": np.c_[y, -(y**2)], "two classes": y > 0, "three classes": np.sign(y)}
    y = targets.get(target, y)
    model.fit(X, y)
    X = X[:25]
    rows = encode_rows(X, model._fitted.schema, "machine", model._used_columns)
    rows = less_centers(rows, model._subtracted())
    alone, all_at_once = (
        of_interactions(interactions_of_columns(model, 10**6, 10**9, n), rows) for n in (1, 10**9)
    )
    assert alone == all_at_once == by_every_interaction(model.interactions_, rows)
    assert any(alone)
    for each, parts in zip(model.explain(X), alone, strict=True):
        shown = [part for part in each.contributions if part.kind == "interaction"]
        assert sorted(map(repr, shown)) == sorted(map(repr, parts))
