"""The oracle against scikit-learn, SciPy, finite differences and counting by hand."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import Lasso, LogisticRegression

from oracle import certificate, cuts, design, losses, problems, rules, solver


def response(rng: np.random.Generator, loss: losses.Loss, n: int) -> Any:
    return rng.normal(size=n) if losses.is_regression(loss) else rng.choice([-1.0, 1.0], size=n)


@pytest.mark.parametrize("loss", losses.LOSSES)
def test_slope_and_curvature_are_derivatives(loss: losses.Loss) -> None:
    rng = np.random.default_rng(1)
    y, f, h = response(rng, loss, 200), rng.normal(size=200) * 2, 1e-5
    numeric = (losses.value(loss, y, f + h) - losses.value(loss, y, f - h)) / (2 * h)
    np.testing.assert_allclose(losses.slope(loss, y, f), numeric, atol=1e-8)
    numeric = (losses.slope(loss, y, f + h) - losses.slope(loss, y, f - h)) / (2 * h)
    near_kink = (np.abs(1 - y * f) < 1e-4) & (loss == "squared_hinge")
    if (delta := losses.delta_of(loss)) is not None:
        near_kink = np.abs(np.abs(y - f) - delta) < 1e-4
    np.testing.assert_allclose(losses.curvature(loss, y, f)[~near_kink], numeric[~near_kink], atol=1e-8)


@pytest.mark.parametrize("loss", losses.LOSSES)
def test_conjugate_is_the_supremum(loss: losses.Loss) -> None:
    rng = np.random.default_rng(2)
    y = response(rng, loss, 50)
    u = losses.slope(loss, y, rng.normal(size=50))
    grid = np.linspace(-30, 30, 200_001)
    for yi, ui in zip(y, u, strict=True):
        best = np.max(ui * grid - losses.value(loss, yi, grid))
        assert losses.conjugate(loss, np.array([yi]), np.array([ui]))[0] == pytest.approx(best, abs=1e-6)


def test_best_intercept_of_the_logistic_loss_is_the_log_odds() -> None:
    y = np.array([1.0] * 3 + [-1.0] * 7)
    b = losses.best_intercept("logistic", y, np.zeros(10), np.ones(10))
    assert b == pytest.approx(math.log(3 / 7), abs=1e-14)


def test_quantile_cuts_by_hand() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    # n = 6, M = 4: positions 1.5, 3, 4.5, i.e. pairs (1,2), (3,3), (4,5).
    assert cuts.quantiles(x, 4) == [1.0, 3.0, 10.0]
    assert cuts.quantiles(x, 6) == [1.0, 3.0, 6.0, 10.0, 20.0]
    # A heavy tie: every position falls on 5; the nearer neighbour of 5 is 4.
    assert cuts.quantiles(np.array([0.0, 4, 5, 5, 5, 5, 5, 5, 9.0]), 3) == [4.0]
    # The smallest value has no lower neighbour.
    assert cuts.quantiles(np.array([1.0, 1, 1, 1, 5, 9]), 2) == [3.0]


def test_quantile_cuts_split_evenly_without_ties() -> None:
    rng = np.random.default_rng(3)
    for m in range(2, 12):
        x = rng.normal(size=97)
        sizes = np.diff([0, *np.searchsorted(np.sort(x), cuts.quantiles(x, m)), 97])
        assert len(sizes) == m
        assert sizes.max() - sizes.min() <= 2


def test_weights_repeat_rows() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        x, w = rng.integers(0, 9, size=20).astype(float), rng.integers(0, 4, size=20)
        copies, ones = np.repeat(x, w), w.astype(float)
        assert cuts.quantiles(x, 3, ones) == cuts.quantiles(copies, 3)
        assert cuts.intervals(x, 0.1, ones) == cuts.intervals(copies, 0.1)
        assert cuts.midpoints(x, ones) == cuts.midpoints(copies)


def test_interval_cuts_and_midpoints_by_hand() -> None:
    x = np.array([3.0, math.nan, 0.0, 1.0, 10.0, 1.0])
    assert cuts.midpoints(x) == [0.5, 2.0, 6.0]
    assert cuts.intervals(x, 0.0) == [0.5, 2.0, 6.0]
    assert cuts.intervals(x, 0.1) == [2.0, 6.0]
    assert cuts.intervals(x, 1.0) == []
    neighbours = [1.0, math.nextafter(1.0, 2.0)]
    assert cuts.midpoints(np.array(neighbours)) == [1.0]


@pytest.mark.parametrize(
    ("low", "target", "high", "cut"),
    [
        (30, 30.5, 31, 30.0),
        (8200, 8250, 8300, 8200.0),
        (0.123, 0.555, 0.987, 0.6),
        (-3, -2.5, -2, -3.0),
        (1000000, 1000000.5, 1000001, 1000000.0),
        (0.1, 0.10000000000000002, 0.10000000000000003, 0.1),
        (-1e-9, 0.0, 1e-9, 0.0),
        (1.5e300, 1.75e300, 2e300, 1.7e300),
    ],
)
def test_the_shortest_number_by_hand(low: float, target: float, high: float, cut: float) -> None:
    assert cuts.shortest(low, target, high) == cut


def test_cuts_of_equal_width_by_hand() -> None:
    assert cuts.uniform(np.array([0.0, 1, 99, 100]), 3) == [50.0]
    assert cuts.uniform(np.arange(101) * 0.37, 3) == [12.3, 24.7]


def test_rules_by_hand() -> None:
    columns = [np.array([0.0, 1.0, math.nan]), np.array(["a", "b", None], dtype=object)]
    features: list[rules.Feature] = [
        rules.Numeric((0.5,), True),
        rules.Categorical(("a", "b"), True),
    ]
    every = rules.enumerate_rules(features, columns, rules.Language())
    # x <= .5, x > .5, missing, not missing; = and != of a, b, missing.
    assert len(every) == (4 + 1) * (6 + 1) == rules.count_formula(features, rules.Language())
    pairs = {tuple(every.columns[:, k]) for k in range(len(every)) if every.length[k] == 1}
    assert (True, True, False) in pairs  # "is not missing", "!= missing"
    assert (False, True, True) in pairs  # "!= a" holds for missing
    two_levels = [rules.Categorical(("a", "b"), False)]
    assert rules.count_formula(two_levels, rules.Language()) == 3


def test_monotone_rules_by_hand() -> None:
    features: list[rules.Feature] = [rules.Numeric((0.0, 1.0)), rules.Numeric((0.0,))]
    language = rules.Language(monotonic_cst=(1, -1))
    # Feature 0: two rules that grow, two that fall; feature 1: one of each.
    assert rules.count_formula(features, language) == 1 + (2 + 2) + (1 + 1) + (2 * 1 + 2 * 1)
    columns = [np.array([-1.0, 0.5, 2.0]), np.array([-1.0, 1.0, 1.0])]
    every = rules.enumerate_rules(features, columns, language)
    assert len(every) == 11
    for k in range(len(every)):
        for condition in every.conditions(k):
            grows = (condition["lower"] is not None) == (condition["feature"] == 0)
            assert not (every.minus[k] if grows else every.plus[k])
    assert rules.count_formula(features, rules.Language(monotonic_cst=(1, -1), positive=True)) == 1 + 3 + 2


def random_problems(count: int) -> list[problems.Problem]:
    drawn = (problems.random_problem(seed) for seed in range(10**6, 10**6 + 3 * count))
    return [p for p in drawn if p.features is not None and p.alpha_max > 1e-9][:count]


def test_counts_and_merged_columns() -> None:
    for problem in random_problems(150):
        assert problem.features is not None
        assert problem.design is not None
        every = problem.design.rules
        assert len(every) == rules.count_formula(problem.features, problem.language)
        columns, _, _ = problem.kept
        held = {every.columns[:, k].tobytes() for k in range(len(every))}
        rng = np.random.default_rng(problem.seed)
        for k in rng.integers(0, len(every), size=20):
            assert rules.rule_column(every.conditions(k), columns).tobytes() in held
            np.testing.assert_array_equal(
                rules.rule_column(every.conditions(k), columns), every.columns[:, k]
            )
        least = problem.language.min_support
        distinct = {rows for rows in held if np.frombuffer(rows, dtype=bool).sum() >= least}
        assert len(problem.design.first) == len(distinct)


@pytest.mark.slow
def test_solver_proves_itself() -> None:
    for problem in random_problems(300):
        _, y, v = problem.kept
        assert problem.design is not None
        found = solver.solve(problem.design, y, v, problem.loss, problem.alpha)
        assert found.relative_gap <= 1e-10 or found.primal < 1e-12
        assert found.slack.min(initial=0.0) >= -1e-6
        kkt = certificate.kkt_residual(
            problem.design, y, v, problem.loss, problem.alpha, found.weights, found.predictions
        )
        assert kkt <= 1e-12


def test_solver_against_a_bounded_quasi_newton_method() -> None:
    for problem in random_problems(12):
        _, y, v = problem.kept
        loss, alpha, task = problem.loss, problem.alpha, problem.design
        assert task is not None
        a = np.column_stack(
            [task.matrix[:, np.isfinite(task.plus)], -task.matrix[:, np.isfinite(task.minus)]]
        )
        price = np.append(task.plus[np.isfinite(task.plus)], task.minus[np.isfinite(task.minus)])

        def objective(x: Any, a=a, price=price, y=y, v=v, loss=loss, alpha=alpha) -> Any:
            f = x[0] + a @ x[1:]
            slope = v * losses.slope(loss, y, f) / len(y)
            value = np.mean(v * losses.value(loss, y, f)) + alpha * price @ x[1:]
            return value, np.append(slope.sum(), a.T @ slope + alpha * price)

        bounds = [(None, None)] + [(0.0, None)] * len(price)
        start = np.zeros(1 + len(price))
        options = {"maxiter": 3000, "maxfun": 10**5, "ftol": 1e-15, "gtol": 1e-10}
        peer = minimize(objective, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
        for _ in range(20):  # kinks of the curvature may end a line search early
            peer = minimize(objective, peer.x, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
        found = solver.solve(task, y, v, loss, alpha)
        scale = np.mean(v * losses.value(loss, y, np.full_like(y, np.average(y, weights=v))))
        assert found.primal <= peer.fun + 1e-12 * scale
        assert peer.fun - found.primal <= 1e-4 * scale


def plain_design(x: Any) -> design.Design:
    k = x.shape[1]
    none = rules.enumerate_rules([], [np.zeros(len(x))], rules.Language())
    return design.Design(x, np.ones(k), np.ones(k), none, np.arange(k), [], k)


def test_solver_against_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n, k = int(rng.integers(10, 40)), int(rng.integers(2, 30))
        x, weights = (rng.random((n, k)) < 0.4).astype(float), rng.random(n) + 0.1
        v = weights / weights.mean()
        y = x[:, 0] - x[:, 1] + 0.1 * rng.normal(size=n)
        alpha = 0.1 * certificate.alpha_max(plain_design(x), y, v, "squared")
        peer = Lasso(alpha=alpha, tol=1e-14, max_iter=10**6).fit(x, y, sample_weight=weights)
        found = solver.solve(plain_design(x), y, v, "squared", alpha)
        np.testing.assert_allclose(found.predictions, peer.predict(x), atol=1e-6)
        sign = np.where(y > np.median(y), 1.0, -1.0)
        alpha = 0.1 * certificate.alpha_max(plain_design(x), sign, v, "logistic")
        logistic = LogisticRegression(
            l1_ratio=1.0, solver="saga", C=1 / (n * alpha), tol=1e-12, max_iter=20_000
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            logistic.fit(x, sign, sample_weight=v)
        found = solver.solve(plain_design(x), sign, v, "logistic", alpha)
        np.testing.assert_allclose(found.predictions, logistic.decision_function(x), atol=1e-4)


def test_alpha_max_is_where_the_first_weight_appears() -> None:
    for problem in random_problems(60):
        _, y, v = problem.kept
        assert problem.design is not None
        top = problem.alpha_max
        above = solver.solve(problem.design, y, v, problem.loss, top * (1 + 1e-9))
        below = solver.solve(problem.design, y, v, problem.loss, top * (1 - 1e-3))
        assert not above.weights.any()
        assert below.weights.any()


def test_any_model_has_a_valid_certificate() -> None:
    document = {
        "loss": "squared",
        "features": [{"name": "x", "kind": "numeric", "cuts": [0.5, 1.5], "missing": True}],
        "outputs": [
            {
                "selected": 0,
                "terms": [{"pattern": [{"feature": 0, "lower": 0.5, "upper": None}]}],
                "points": [
                    {
                        "alpha": 0.05,
                        "intercept": 0.1,
                        "linear": [{"feature": 0, "coef": 0.2, "center": 1.0, "scale": 1.0}],
                        "terms": [[0, 0.3]],
                    }
                ],
            }
        ],
    }
    columns, y = [np.array([0.0, 1.0, 2.0, math.nan])], np.array([0.0, 1.0, 1.0, 2.0])
    found = certificate.certify(document, columns, y, None, rules.Language())
    np.testing.assert_allclose(found.predictions, [0.1, 0.6, 0.8, 0.3])
    sd = math.sqrt(2 / 3)
    value = np.mean(0.5 * (y - found.predictions) ** 2) + 0.05 * (0.3 + 0.2 * sd)
    assert found.primal == pytest.approx(value)
    task = design.build([rules.Numeric((0.5, 1.5), True)], columns, np.ones(4), rules.Language())
    best = solver.solve(task, y, np.ones(4), "squared", 0.05)
    assert found.dual <= best.primal <= found.primal
    assert 0.0 < found.kkt <= found.primal - best.primal
