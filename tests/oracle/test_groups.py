"""Grouped rules against every rule written out, an independent certificate and solver."""

from __future__ import annotations

import warnings
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from oracle import groups, losses
from oracle.compare import PROBLEMS, STRATEGIES, STRICT, document, each_seed, fit
from oracle.problems import Problem, random_problem
from oracle.rules import Language

JUDGED = max(PROBLEMS // 5, 40)
SOLVED = max(PROBLEMS // 20, 20)
TAUS = [0.05, 0.3, 0.5, 0.8, 0.95]


def settings(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 1])
    tau_linear = float(rng.choice([0.3, 0.8, 1.0, 2.5]))
    return {"group_sparsity": float(rng.choice(TAUS)), "linear_penalty": tau_linear, "closed": True}


def scale_of(problem: Problem, primal: float) -> float:
    _, y, v = problem.kept
    start = losses.best_intercept(problem.loss, y, np.zeros_like(y), v)
    empty = float(np.mean(v * losses.value(problem.loss, y, np.full_like(y, start))))
    return max(primal, 1e-15 * empty, 1e-24 * float(np.mean(v * y**2)), 1e-100)


@st.composite
def tables(draw: Any) -> Problem:
    """A small table: gaps, ties, constant and categorical columns, weights of 0."""
    n = draw(st.integers(3, 14))
    cells = [
        st.sampled_from([0.0, 1.0, 2.0, np.nan]),
        st.floats(-9, 9).map(lambda x: round(x, 1)),
        st.just(1.0),
        st.sampled_from(["a", "b", None]),
    ]
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        values = draw(st.sampled_from(cells).flatmap(lambda cell: st.lists(cell, min_size=n, max_size=n)))
        plain = all(isinstance(value, float) for value in values) or all(v is None for v in values)
        columns.append(np.array(values, dtype=float if plain else object))
    loss = draw(st.sampled_from(["squared", "logistic", "squared_hinge"]))
    target = (
        st.floats(-5, 5).map(lambda x: round(x, 2)) if loss == "squared" else st.sampled_from([-1.0, 1.0])
    )
    y = np.array(draw(st.lists(target, min_size=n, max_size=n)))
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    if weights is not None:
        weights = np.array([1.0, 1.0, *weights[2:]])
    if loss != "squared":
        y[:2] = 1.0, -1.0
    language = Language(
        max_features=draw(st.sampled_from([1, 2, None])),
        min_support=draw(st.integers(1, 3)),
        positive=draw(st.booleans()),
        penalty_growth=draw(st.sampled_from([0.0, 0.5])),
        linear=draw(st.booleans()),
    )
    return Problem(
        seed=-1,
        loss=loss,
        columns=columns,
        y=y,
        weights=weights,
        bins=draw(st.integers(2, 4)),
        language=language,
        closed=True,
        labels=(0, 1),
        as_frame=draw(st.booleans()),
        alpha=draw(st.sampled_from([1e-3, 1e-2, 0.1, 1.0])),
    )


def certificate_of(problem: Problem, model: Any, kwargs: dict[str, Any]) -> Any:
    data = (problem.columns, problem.y, problem.weights, problem.language)
    return groups.certify(document(model), *data, kwargs["group_sparsity"], kwargs["linear_penalty"])


def check_certificate(problem: Problem, kwargs: dict[str, Any], **changes: Any) -> tuple[Any, Any]:
    """What the model claims is true; the independent certificate and the candidates."""
    model = fit(problem, tol=STRICT, **changes, **kwargs)
    claim = model.certificate_
    own, task = certificate_of(problem, model, kwargs)
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
    assert {group.feature_indices: group.norm for group in model.groups_} == pytest.approx(own.groups)
    return own, task


def check_objective(problem: Problem, own: Any, task: Any, most: int = 50_000) -> None:
    """Another solver finds no better objective, and no worse one where it arrives."""
    _, y, v = problem.kept
    primal, dual = groups.solve(task, y, v, problem.loss, problem.alpha, most=most)
    scale = scale_of(problem, own.primal)
    assert own.dual <= primal + 1e-11 * scale
    assert dual <= own.primal + 1e-11 * scale
    if primal - dual <= 1e-7 * scale:
        assert own.primal == pytest.approx(primal, abs=1.1e-7 * scale)


@each_seed(range(JUDGED))
def test_the_certificate_is_true(seed: int) -> None:
    check_certificate(random_problem(seed), settings(seed), strategy=STRATEGIES[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SOLVED))
def test_the_objective_is_that_of_another_solver(seed: int) -> None:
    problem = random_problem(seed)
    check_objective(problem, *check_certificate(problem, settings(seed)))


@pytest.mark.slow
@hypothesis.settings(max_examples=SOLVED, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    problem=tables(),
    strategy=st.sampled_from(STRATEGIES),
    tau=st.sampled_from([1e-3, 0.05, 0.4, 0.8, 1 - 1e-6]),
    tau_linear=st.sampled_from([0.1, 1.0, 3.0]),
)
def test_any_table_has_a_true_certificate(
    problem: Problem, strategy: str, tau: float, tau_linear: float
) -> None:
    kwargs = {"group_sparsity": tau, "linear_penalty": tau_linear}
    check_objective(problem, *check_certificate(problem, kwargs, strategy=strategy), most=20_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, JUDGED, 7))
def test_the_path_starts_at_the_least_alpha_without_weights(seed: int) -> None:
    problem, kwargs = random_problem(seed), settings(seed)
    model = fit(problem, **kwargs)
    _, task = certificate_of(problem, model, kwargs)
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


@each_seed(range(0, JUDGED, 9))
def test_an_l1_fraction_of_1_is_the_plain_model(seed: int) -> None:
    problem = random_problem(seed)
    plain, whole = fit(problem), fit(problem, group_sparsity=1.0)
    assert document(plain)["outputs"][0]["terms"] == document(whole)["outputs"][0]["terms"]
    assert plain.certificate_.primal == whole.certificate_.primal


@each_seed(range(0, JUDGED, 11))
def test_an_l1_fraction_near_1_comes_near_the_plain_model(seed: int) -> None:
    problem = random_problem(seed)
    plain = fit(problem, tol=STRICT, closed=True)
    near = fit(problem, tol=STRICT, closed=True, group_sparsity=1 - 1e-9)
    scale = scale_of(problem, plain.certificate_.primal)
    assert near.certificate_.primal == pytest.approx(plain.certificate_.primal, abs=1e-7 * scale)


@each_seed(range(0, JUDGED, 13))
def test_an_interrupted_fit_reports_its_true_gap(seed: int) -> None:
    problem, kwargs = random_problem(seed), settings(seed)
    done = fit(problem, tol=STRICT, **kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early = fit(problem, max_iter=1, **kwargs)
    scale = scale_of(problem, done.certificate_.primal)
    assert early.certificate_.dual <= done.certificate_.primal + 1e-11 * scale
    assert early.certificate_.primal >= done.certificate_.dual - 1e-11 * scale
