"""Grouped rules against every rule written out, an independent certificate and solver."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from oracle import groups, losses
from oracle.compare import PROBLEMS, STRATEGIES, STRICT, document, fit
from oracle.problems import Problem, random_problem

JUDGED = max(PROBLEMS // 5, 40)
SOLVED = max(PROBLEMS // 20, 20)
TAUS = [0.05, 0.3, 0.5, 0.8, 0.95]


def settings(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 1])
    tau_linear = float(rng.choice([0.3, 0.8, 1.0, 2.5]))
    return {"group_sparsity": float(rng.choice(TAUS)), "tau_linear": tau_linear, "closed": True}


def scale_of(problem: Problem, primal: float) -> float:
    _, y, v = problem.kept
    start = losses.best_intercept(problem.loss, y, np.zeros_like(y), v)
    empty = float(np.mean(v * losses.value(problem.loss, y, np.full_like(y, start))))
    return max(primal, 1e-15 * empty, 1e-24 * float(np.mean(v * y**2)), 1e-100)


def judge(problem: Problem, model: Any, kwargs: dict[str, Any]) -> Any:
    data = (problem.columns, problem.y, problem.weights, problem.language)
    return groups.certify(document(model), *data, kwargs["group_sparsity"], kwargs["tau_linear"])


@pytest.mark.parametrize("seed", range(JUDGED))
def test_the_certificate_is_true(seed: int) -> None:
    problem, kwargs = random_problem(seed), settings(seed)
    model = fit(problem, tol=STRICT, strategy=STRATEGIES[seed % 3], **kwargs)
    claim = model.certificate_
    own, _ = judge(problem, model, kwargs)
    scale = scale_of(problem, own.primal)
    assert claim.complete
    assert claim.primal == pytest.approx(own.primal, abs=1e-11 * scale)
    assert claim.dual == pytest.approx(own.dual, abs=30 * STRICT * scale)
    # The gap bounds the error of the objective over every rule, whoever found the model.
    assert own.gap <= 1e-7 * scale
    again = model.verify(problem.X, problem.target, sample_weight=problem.weights)
    assert again.complete
    assert again.primal == pytest.approx(own.primal, abs=1e-11 * scale)
    assert again.dual == pytest.approx(own.dual, abs=100 * STRICT * scale)
    assert {group.columns: group.norm for group in model.groups_} == pytest.approx(own.groups)


@pytest.mark.parametrize("seed", range(SOLVED))
def test_the_objective_is_that_of_another_solver(seed: int) -> None:
    problem, kwargs = random_problem(seed), settings(seed)
    model = fit(problem, tol=STRICT, **kwargs)
    own, task = judge(problem, model, kwargs)
    _, y, v = problem.kept
    primal, dual = groups.solve(task, y, v, problem.loss, problem.alpha)
    scale = scale_of(problem, own.primal)
    assert own.dual <= primal + 1e-11 * scale
    assert dual <= own.primal + 1e-11 * scale
    if primal - dual <= 1e-7 * scale:
        assert own.primal == pytest.approx(primal, abs=1.1e-7 * scale)


@pytest.mark.parametrize("seed", range(0, JUDGED, 7))
def test_the_path_starts_at_the_least_alpha_without_weights(seed: int) -> None:
    problem, kwargs = random_problem(seed), settings(seed)
    model = fit(problem, **kwargs)
    _, task = judge(problem, model, kwargs)
    _, y, v = problem.kept
    start = losses.best_intercept(problem.loss, y, np.zeros_like(y), v)
    u = -losses.slope(problem.loss, y, np.full_like(y, start))
    top = task.dual_norm((v * u) @ task.matrix / len(y))
    if top > 1e-12:
        parameters = {
            **problem.parameters,
            **kwargs,
            "alpha": "bic" if problem.loss != "squared_hinge" else 1.0,
        }
        path = type(model)(**parameters).fit_path(problem.X, problem.target, sample_weight=problem.weights)
        assert path.path_.alphas[0] == pytest.approx(top, rel=1e-9)
        assert path.path_.n_rules[0] == 0


@pytest.mark.parametrize("seed", range(0, JUDGED, 9))
def test_a_share_of_1_is_the_plain_model(seed: int) -> None:
    problem = random_problem(seed)
    plain, whole = fit(problem), fit(problem, group_sparsity=1.0)
    assert document(plain)["outputs"][0]["rules"] == document(whole)["outputs"][0]["rules"]
    assert plain.certificate_.primal == whole.certificate_.primal


@pytest.mark.parametrize("seed", range(0, JUDGED, 11))
def test_a_share_near_1_comes_near_the_plain_model(seed: int) -> None:
    problem = random_problem(seed)
    plain = fit(problem, tol=STRICT, closed=True)
    near = fit(problem, tol=STRICT, closed=True, group_sparsity=1 - 1e-9)
    scale = scale_of(problem, plain.certificate_.primal)
    assert near.certificate_.primal == pytest.approx(plain.certificate_.primal, abs=1e-7 * scale)


@pytest.mark.parametrize("seed", range(0, JUDGED, 13))
def test_a_fit_that_was_stopped_tells_its_true_gap(seed: int) -> None:
    problem, kwargs = random_problem(seed), settings(seed)
    done = fit(problem, tol=STRICT, **kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early = fit(problem, max_iter=1, **kwargs)
    scale = scale_of(problem, done.certificate_.primal)
    assert early.certificate_.dual <= done.certificate_.primal + 1e-11 * scale
    assert early.certificate_.primal >= done.certificate_.dual - 1e-11 * scale
