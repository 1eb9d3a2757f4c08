"""Relaxed coefficients against the refit of the oracle, on every kind of random problem."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import thresher
from oracle import compare, patterns, relax
from oracle.design import Floats, normalised, standardised
from oracle.problems import Problem, random_problem
from oracle.rules import rule_column


def rule_terms(problem: Problem, doc: dict[str, Any]) -> tuple[Floats, Any, Any]:
    """The columns of an L1 solution's terms, its (w, b), and the relaxed (w, b)."""
    columns, _, v = problem.kept
    [output] = doc["outputs"]
    point = output["points"][output["selected"]]
    names = [index for index, _ in point["relaxation"]["terms"]]
    parts = [rule_column(output["terms"][k]["pattern"], columns) for k in names]
    lines = {term["feature"]: term for term in point["relaxation"]["linear"]}
    scaled = {j: standardised(columns[j], v) for j in lines}
    matrix = np.column_stack([*parts, *scaled.values()]) if names or lines else np.zeros((len(v), 0))

    def coefficients(of: dict[str, Any]) -> tuple[Floats, float]:
        rules, linear = dict(of["terms"]), {t["feature"]: t["coef"] for t in of["linear"]}
        w = [rules.get(k, 0.0) for k in names] + [linear.get(j, 0.0) * lines[j]["scale"] for j in lines]
        shift = sum(linear.get(j, 0.0) * lines[j]["center"] for j in lines)
        return np.array(w), of["intercept"] + shift

    return matrix, coefficients(point["relaxation"]), coefficients(point)


@compare.seeds(size=40, last=400)
def test_rules(seeds: range) -> None:
    wrong = []
    for seed in seeds:
        problem = random_problem(seed)
        blend = [0.3, 1.0][seed % 2]
        plain, model = compare.fit(problem, tol=1e-9), compare.fit(problem, tol=1e-9, relax=blend)
        doc = compare.document(model)
        matrix, solution, own = rule_terms(problem, doc)
        _, y, v = problem.kept
        point = doc["outputs"][0]["points"][-1]
        language = problem.language
        constrained = language.positive or bool(np.any(language.monotonic_cst))
        messages = relax.find_errors(matrix, y, v, problem.loss, point, solution, own, constrained)
        one, other = plain.certificate_, model.certificate_
        if (one.primal, one.dual, one.n_candidates) != (other.primal, other.dual, other.n_candidates):
            messages.append("the certificate is not that of the L1 solution")
        if plain.intercept_ != point["relaxation"]["intercept"]:
            messages.append("the intercept of the L1 solution is another")
        model.verify(problem.X, problem.target, sample_weight=problem.weights)
        wrong += [f"{seed}: {message}" for message in messages]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("make", [patterns.itemset_problem, patterns.sequence_problem])
def test_patterns(make: Any) -> None:
    wrong = []
    for seed in range(60):
        problem = make(seed)
        model = getattr(thresher, problem.estimator)(
            alpha=problem.alpha, tol=1e-9, relax=0.7, **problem.parameters
        )
        model.fit(problem.records, problem.labels, sample_weight=problem.weights)
        [output] = json.loads(model.to_json())["model"]["outputs"]
        [point] = output["points"]
        names = [index for index, _ in point["relaxation"]["terms"]]
        kept = problem.kept
        y = problem.y[kept]
        v = normalised(None if problem.weights is None else problem.weights[kept], len(kept))
        # The unselected columns of transform() are those of the relaxed model; L1 has at least these.
        found = np.asarray(model.set_params(sparse_output=False).transform(problem.records), dtype=float)[
            kept
        ]
        shown = dict(point["terms"])
        if set(shown) != set(names):
            continue
        order = [pattern.coef for pattern in model.patterns_]
        columns = [found[:, order.index(shown[k])] for k in names]
        if len(set(shown.values())) < len(shown):
            continue  # equal coefficients: the order of the columns is not known from outside
        matrix = np.column_stack(columns) if columns else np.zeros((len(v), 0))
        l1 = np.array([w for _, w in point["relaxation"]["terms"]]), point["relaxation"]["intercept"]
        own = np.array([shown[k] for k in names]), point["intercept"]
        wrong += [f"{seed}: {m}" for m in relax.find_errors(matrix, y, v, problem.loss, point, l1, own)]
        model.verify(problem.records, problem.labels, sample_weight=problem.weights)
    assert not wrong, "\n".join(wrong)
