"""The named problems of `tests/cases`: objective, predictions and rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from oracle import cases, compare
from oracle.rules import rule_column
from thresher import RuleClassifier, RuleRegressor

ALL = cases.load_all()
STRATEGIES = ["working_set", "screening", "column_generation"]


def frame(case: cases.Case) -> Any:
    columns: dict[str, Any] = {}
    for j, (column, values) in enumerate(zip(case.columns, case.arrays, strict=True)):
        if column["kind"] == "categorical":
            columns[f"x{j}"] = pd.Categorical.from_codes(column["codes"], column["levels"])
        else:
            columns[f"x{j}"] = values
    return pd.DataFrame(columns)


def fit(case: cases.Case, **changes: Any) -> Any:
    language = case.language
    parameters: dict[str, Any] = {
        "alpha": case.alpha,
        "bins": [np.array(c["cuts"]) if "cuts" in c else None for c in case.columns],
        "max_features": language.max_features,
        "min_support": language.min_support,
        "monotonic_cst": None if language.monotonic_cst is None else list(language.monotonic_cst),
        "positive": language.positive,
        "penalty_growth": language.penalty_growth,
        "linear": language.linear,
        "tol": 1e-10,
        **changes,
    }
    if case.loss == "squared":
        return RuleRegressor(**parameters).fit(frame(case), case.y, sample_weight=case.weights)
    model = RuleClassifier(loss=case.loss, **parameters)
    return model.fit(frame(case), case.y, sample_weight=case.weights)


def test_the_files_are_what_the_oracle_says() -> None:
    assert {case.name for case in ALL} == {case.name for case in cases.named()}
    for case in ALL:
        again = cases.solve(case)
        assert case.expected["objective"] == pytest.approx(again["objective"], rel=1e-12)
        assert case.expected["alpha_max"] == pytest.approx(again["alpha_max"], rel=1e-11)
        assert case.expected["n_candidates"] == again["n_candidates"]
        assert case.expected["unique"] == again["unique"]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_case(case: cases.Case, strategy: str) -> None:
    model, expected = fit(case, strategy=strategy), case.expected
    assert model.certificate_.primal == pytest.approx(expected["objective"], rel=1e-9)
    assert model.certificate_.n_candidates == int(expected["n_candidates"])
    rows = case.rows
    if "predictions" in expected:
        f = model.predict if case.loss == "squared" else model.decision_function
        wanted = np.array(expected["predictions"])[rows]
        np.testing.assert_allclose(f(frame(case).loc[rows]), wanted, atol=1e-4)
    if not expected["unique"]:
        return
    out = compare.document(model)["outputs"][0]
    point = out["points"][out["selected"]]
    columns = [values[rows] for values in case.arrays]
    numbers = np.flatnonzero(rows)
    got: dict[tuple[int, ...], float] = {}
    for index, coef in point["terms"]:
        held = rule_column(out["terms"][index]["pattern"], columns)
        key = tuple(numbers[held].tolist())
        got[key] = got.get(key, 0.0) + coef
    got = {key: coef for key, coef in got.items() if abs(coef) > 1e-4}
    wanted_rules = {tuple(rule["rows"]): rule["coef"] for rule in expected.get("rules", [])}
    assert got == pytest.approx(wanted_rules, abs=1e-4)
    assert point["intercept"] == pytest.approx(_intercept(case, point), abs=1e-4)


def _intercept(case: cases.Case, point: dict[str, Any]) -> float:
    """The expected intercept in the user's units: linear terms are not centred there."""
    value: float = case.expected["intercept"]
    for term in case.expected.get("linear", []):
        x = case.arrays[term["column"]][case.rows]
        weights = None if case.weights is None else np.array(case.weights)[case.rows]
        seen = ~np.isnan(x)
        w = None if weights is None else weights[seen]
        mean = np.average(x[seen], weights=w)
        sd = np.sqrt(np.average((x[seen] - mean) ** 2, weights=w))
        value -= term["coef"] * mean / sd
    return value


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_alpha_max(case: cases.Case) -> None:
    top = case.expected["alpha_max"]
    if top < 1e-12:
        return
    assert not fit(case, alpha=top * (1 + 1e-9)).rules_
    below = fit(case, alpha=top * 0.99)
    assert below.rules_ or np.any(below.linear_coef_)
