"""Questions around the optimum against all rules written out: `near_ties` and `price`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracle import certificate, compare, losses
from oracle.problems import Problem, random_problem
from oracle.rules import rule_column


def correlations(problem: Problem, doc: dict[str, Any]) -> Any:
    """Each rule column's correlation with what the model leaves to explain."""
    _, y, v = problem.kept
    f = compare.certificate_of(problem, doc).predictions
    assert problem.design is not None
    correlation = certificate.correlations(problem.design, -losses.slope(problem.loss, y, f), v)
    return correlation[: len(problem.design.first)]


def solved(seed: int) -> tuple[Problem, Any, dict[str, Any]] | None:
    """A problem with its model and document; None if there is nothing to ask."""
    problem = random_problem(seed)
    if problem.features is None or problem.alpha_max < 1e-9 or problem.design is None:
        return None
    model = compare.fit(problem, tol=1e-10)
    return problem, model, compare.document(model)


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_near_ties_are_all_there(first: int) -> None:
    for seed in range(first, first + 20):
        case = solved(seed)
        if case is None:
            continue
        problem, model, doc = case
        task = problem.design
        assert task is not None
        correlation, count = correlations(problem, doc), len(task.first)
        ratio = np.maximum(correlation / task.plus[:count], -correlation / task.minus[:count]) / problem.alpha
        columns, _, _ = problem.kept
        out = doc["outputs"][0]
        taken = {rule_column(rule["pattern"], columns).tobytes() for rule in out["terms"]}
        index = {task.matrix[:, k].astype(bool).tobytes(): k for k in range(count)}
        got = model.near_ties(within=0.2, limit=5000)
        listed = set()
        for tie in got:
            held = rule_column([c.to_payload() for c in tie.term.conditions], columns).tobytes()
            k = index[held]
            assert held not in taken | listed, f"seed {seed}: {tie} twice, or in the model"
            listed.add(held)
            assert tie.correlation == pytest.approx(correlation[k], abs=1e-8 * problem.alpha), (
                f"seed {seed}: {tie}"
            )
            assert tie.ratio == pytest.approx(ratio[k], abs=1e-6), f"seed {seed}: {tie}"
        assert [tie.ratio for tie in got] == sorted((tie.ratio for tie in got), reverse=True)
        for held, k in index.items():
            rest = (~np.frombuffer(held, dtype=bool)).tobytes()
            near = ratio[k] > 0.8 + 1e-6 and held not in taken and rest not in taken | listed
            assert held in listed or not near, f"seed {seed}: ratio {ratio[k]} is not listed"
            assert held not in listed or ratio[k] > 0.8 - 1e-6


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_price_of_any_rule(first: int) -> None:
    for seed in range(first, first + 20):
        case = solved(seed)
        if case is None:
            continue
        problem, model, doc = case
        task = problem.design
        assert task is not None
        _, y, v = problem.kept
        f = compare.certificate_of(problem, doc).predictions
        signal = -v * losses.slope(problem.loss, y, f) / len(y)
        rng = np.random.default_rng(seed)
        names = [feature["name"] for feature in doc["features"]]
        for k in rng.integers(0, len(task.rules), size=5):
            conditions = task.rules.conditions(int(k))
            small = task.rules.columns[:, k].sum() < problem.language.min_support
            is_of_levels = any("levels" in doc["features"][c["feature"]] for c in conditions)
            if not conditions or small or is_of_levels:
                continue
            text = " and ".join(_text(c, names) for c in conditions)
            price, rows = model.price(text), task.rules.columns[:, k]
            assert price.n_rows == rows.sum(), f"seed {seed}: {text}"
            assert price.support == pytest.approx(np.mean(v * rows)), f"seed {seed}: {text}"
            assert price.correlation == pytest.approx(signal @ rows, abs=1e-9 * problem.alpha)
            assert price.threshold == pytest.approx(problem.alpha * task.rules.cost[k])
            assert price.ratio <= 1 + 1e-4, f"seed {seed}: {text}"
        for rule in model.rules_:
            price = model.price(rule.text)
            assert price.in_model, f"seed {seed}: the text {rule.text!r} means other rows"
            assert price.n_rows == rule.n_rows


def _text(condition: dict[str, Any], names: list[str]) -> str:
    name = names[condition["feature"]]
    if "missing" in condition:
        return f"{name} is {'' if condition['missing'] else 'not '}missing"
    if "category" in condition:
        return f"{name} = {condition['category']!r}"
    lower, upper = condition["lower"], condition["upper"]
    if lower is None and upper is None:
        return f"{name} is a number"
    if lower is None:
        return f"{name} <= {float(upper)!r}"
    if upper is None:
        return f"{name} > {float(lower)!r}"
    return f"{float(lower)!r} < {name} <= {float(upper)!r}"
