"""The product against the oracle on one problem: a list of what differs."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from oracle import losses, solver
from oracle.certificate import Certificate, certify, features_of
from oracle.design import Floats
from oracle.problems import Problem, random_problem
from oracle.rules import Categorical, Numeric, count_formula, rule_column
from thresher import RuleClassifier, RuleRegressor

STRATEGIES = ["working_set", "screening", "column_generation"]
OBJECTIVE = 1e-7  # relative error of the objective allowed at tol=STRICT
STRICT = 1e-9
PROBLEMS = int(os.environ.get("THRESHER_ORACLE_PROBLEMS", "1200"))


def fit(problem: Problem, **changes: Any) -> Any:
    """The product's estimator, fitted."""
    cls = RuleRegressor if problem.regression else RuleClassifier
    estimator = cls(**{**problem.parameters, **changes})
    return estimator.fit(problem.X, problem.target, sample_weight=problem.weights)


def document(estimator: Any) -> dict[str, Any]:
    """The model document."""
    out: dict[str, Any] = json.loads(estimator.to_json())["model"]
    return out


def timeless(estimator: Any) -> str:
    """The model document as text, without the seconds that it took."""
    out = document(estimator)
    for output in out["outputs"]:
        for point in output["points"]:
            point.pop("seconds")
    return json.dumps(out)


def seeds(size: int, last: int = PROBLEMS) -> pytest.MarkDecorator:
    """Parametrize a test by `seeds`, ranges of `size` seeds below `last`; those after the first are slow."""
    ranges = [range(first, min(first + size, last)) for first in range(0, last, size)]
    return _slow_after(1, "seeds", ranges)


def each_seed(seeds: range) -> pytest.MarkDecorator:
    """Parametrize a test by `seed`; those after the first twenty are slow."""
    return _slow_after(20, "seed", seeds)


def _slow_after(quick: int, name: str, values: Sequence[Any]) -> pytest.MarkDecorator:
    """Parametrize a test by values; those after the first `quick` are slow."""
    marks = [() if at < quick else pytest.mark.slow for at in range(len(values))]
    return pytest.mark.parametrize(
        name, [pytest.param(value, marks=m) for value, m in zip(values, marks, strict=True)]
    )


def certificate_of(problem: Problem, doc: dict[str, Any]) -> Certificate:
    """The independent certificate of a document."""
    data = (problem.columns, problem.y, problem.weights, problem.language)
    return certify(doc, *data, design=problem.design)


class Findings:
    """Collects what is wrong; a problem without findings passes."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.context = problem, ""
        self.messages: list[str] = []

    def need(self, condition: bool, message: str) -> None:
        """Notes the message unless the condition holds."""
        if not condition:
            self.messages.append(f"seed {self.problem.seed} {self.context}: {message}")

    def close(self, what: str, got: float, wanted: float, within: float) -> None:
        """Notes a number that is further than `within` (absolute) from the wanted one."""
        self.need(abs(got - wanted) <= within, f"{what} is {got!r}, oracle {wanted!r} +- {within:.1e}")


def check(seed: int) -> list[str]:
    """Everything that must hold on the problem of this seed."""
    problem = random_problem(seed)
    found = Findings(problem)
    try:
        _check(problem, found)
    except Exception as error:
        found.need(False, f"{type(error).__name__}: {error}")
    return found.messages


def _check(problem: Problem, found: Findings) -> None:
    strategy = STRATEGIES[problem.seed % 3]
    found.context = f"{strategy} {STRICT}"
    strict = fit(problem, tol=STRICT, strategy=strategy)
    doc = document(strict)
    _check_features(problem, doc, found)
    task = problem.design if problem.features is not None else problem.complete(features_of(doc))
    assert task is not None
    _, y, v = problem.kept
    best = solver.solve(task, y, v, problem.loss, problem.alpha)
    start = losses.best_intercept(problem.loss, y, np.zeros_like(y), v)
    empty = float(np.mean(v * losses.value(problem.loss, y, np.full_like(y, start))))
    scale = max(best.primal, 1e-15 * empty, 1e-24 * float(np.mean(v * y**2)), 1e-100)
    assert best.primal - best.dual <= 1e-9 * scale, "the oracle's own gap is too wide"

    cert = certificate_of(problem, doc)
    found.close("objective", cert.primal, best.primal, OBJECTIVE * scale)
    rounding = 1e-13 * (scale + empty)
    found.need(cert.kkt <= cert.gap + rounding, f"KKT residual {cert.kkt:.1e} above the gap {cert.gap:.1e}")
    _check_certificate(problem, strict, cert, best.primal, scale, STRICT, found)
    _check_rules(problem, doc, found)
    _check_predictions(problem, strict, cert.predictions, found)
    wanted = count_formula(features_of(doc), problem.language)
    found.need(cert.n_candidates == wanted, "the oracle's two counts differ")

    for name in STRATEGIES:
        if name == strategy:
            continue
        found.context = f"{name} default"
        usual = fit(problem, strategy=name)
        again = document(usual)
        found.need(again["features"] == doc["features"], "features depend on the strategy")
        value = certificate_of(problem, again)
        found.close("objective", value.primal, best.primal, 1.01e-6 * scale)
        _check_certificate(problem, usual, value, best.primal, scale, 1e-6, found)
    found.context = "verify"
    _check_verify(problem, strict, cert, scale, found)
    found.context = "anytime"
    _check_anytime(problem, best.primal, scale, found)
    found.context = "path"
    if problem.seed % 4 == 0:
        _check_alpha_max(problem, found)


def _check_features(problem: Problem, doc: dict[str, Any], found: Findings) -> None:
    """Cuts, levels and the missing flag as the oracle has them."""
    if problem.features is None:
        return
    for got, wanted in zip(features_of(doc), problem.features, strict=True):
        found.need(got.missing == wanted.missing, f"missing flag of {got} against {wanted}")
        if isinstance(wanted, Numeric):
            assert isinstance(got, Numeric)
            same = len(got.cuts) == len(wanted.cuts) and np.allclose(
                got.cuts, wanted.cuts, rtol=1e-14, atol=0.0
            )
            found.need(same, f"cuts {got.cuts} against {wanted.cuts}")
            found.need(got.codes == wanted.codes, f"codes {got.codes} against {wanted.codes}")
        else:
            assert isinstance(got, Categorical)
            found.need(set(got.levels) == set(wanted.levels), f"levels {got} against {wanted}")


def _check_certificate(
    problem: Problem,
    estimator: Any,
    cert: Certificate,
    optimum: float,
    scale: float,
    tol: float,
    found: Findings,
) -> None:
    """The certificate claims no more than is true, and is the one of this model."""
    claim = estimator.certificate_
    slack = 1e-11 * scale
    found.close("certificate_.primal", claim.primal, cert.primal, slack)
    found.need(claim.dual <= optimum + slack, f"dual {claim.dual!r} above the optimum {optimum!r}")
    found.close("certificate_.gap", claim.gap, claim.primal - claim.dual, slack)
    found.close("independent gap", cert.gap, claim.gap, 30 * tol * scale)
    found.need(cert.gap >= cert.primal - optimum - slack, "the oracle's gap misses the true error")
    found.need(claim.gap <= tol * scale * (1 + 1e-6) + slack, f"gap {claim.gap!r} above tol")
    found.need(bool(claim.complete), "certificate_ is not complete")
    found.need(
        type(claim.n_candidates) is int and claim.n_candidates == cert.n_candidates,
        f"n_candidates {claim.n_candidates!r}, oracle {cert.n_candidates}",
    )


def _check_rules(problem: Problem, doc: dict[str, Any], found: Findings) -> None:
    """Each rule's support, share, signs and other readings, on the training rows."""
    columns, _, v = problem.kept
    language, out = problem.language, doc["outputs"][0]
    coefs = dict(out["points"][out["selected"]]["terms"])
    for index, rule in enumerate(out["terms"]):
        rows = rule_column(rule["pattern"], columns)
        found.need(rule["n_rows"] == rows.sum(), f"support {rule['n_rows']} of {int(rows.sum())}")
        found.close("share of weight", rule["support"], float(np.mean(v * rows)), 1e-12)
        found.need(rows.sum() >= language.min_support, "a rule below min_support")
        length = len(rule["pattern"])
        found.need(length <= (language.max_features or length), "a rule above max_features")
        found.need(not (language.positive and coefs[index] < 0), "a negative weight")
        for other in [rule.get("closure"), *rule.get("equivalents", [])]:
            if other is not None:
                same = np.array_equal(rule_column(other, columns), rows)
                found.need(same, f"{other} has other rows than {rule['pattern']}")
    if problem.closed:
        held = [rule_column(rule["pattern"], columns).tobytes() for rule in out["terms"]]
        found.need(len(set(held)) == len(held), "closed=True shows two rules with the same rows")


def _check_predictions(problem: Problem, estimator: Any, f: Floats, found: Findings) -> None:
    """`predict` / `decision_function` on the rows that count."""
    # Rows of weight 0 may hold levels that training did not see.
    X = problem.X.loc[problem.rows] if problem.is_frame else problem.X[problem.rows]
    got = estimator.predict(X) if problem.regression else estimator.decision_function(X)
    error = float(np.max(np.abs(np.asarray(got, dtype=float) - f)))
    found.need(error <= 1e-10 * (1.0 + float(np.max(np.abs(f)))), f"predictions off by {error:.1e}")


def _check_verify(problem: Problem, estimator: Any, cert: Certificate, scale: float, found: Findings) -> None:
    """`verify` searches again and comes to the same certificate."""
    again = estimator.verify(problem.X, problem.target, sample_weight=problem.weights)
    found.close("verify().primal", again.primal, cert.primal, 1e-11 * scale)
    found.close("verify().dual", again.dual, cert.dual, 100 * STRICT * scale)
    found.need(again.n_candidates == cert.n_candidates, "verify() counts other candidates")
    found.need(bool(again.complete), "verify() is not complete")


def _check_anytime(problem: Problem, optimum: float, scale: float, found: Findings) -> None:
    """A fit stopped after a round or two says so, and its gap is true."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early = fit(problem, max_iter=1 + problem.seed % 2, strategy=STRATEGIES[problem.seed // 2 % 3])
    claim, cert = early.certificate_, certificate_of(problem, document(early))
    slack = 1e-11 * scale
    found.close("certificate_.primal", claim.primal, cert.primal, slack)
    found.need(claim.dual <= optimum + slack, f"dual {claim.dual!r} above the optimum {optimum!r}")
    found.close("certificate_.gap", claim.gap, claim.primal - claim.dual, slack)
    tol = 1e-6 * scale
    if abs(claim.gap - tol) > 1e-3 * tol:
        done = claim.gap < tol
        found.need(claim.complete == done, f"complete is {claim.complete} at a gap of {claim.gap!r}")


def _check_alpha_max(problem: Problem, found: Findings) -> None:
    """The path starts at the least alpha without any weight."""
    cls = RuleRegressor if problem.regression else RuleClassifier
    parameters = {**problem.parameters, "alpha": "bic", "n_alphas": 3, "alpha_min_ratio": 0.5}
    estimator = cls(**parameters).fit_path(problem.X, problem.target, sample_weight=problem.weights)
    top = float(estimator.path_.alphas[0])
    if problem.alpha_max > 1e-12:
        found.close("alpha_max", top, problem.alpha_max, 1e-9 * problem.alpha_max)
        found.need(int(estimator.path_.n_rules[0]) == 0, "rules at alpha_max")
