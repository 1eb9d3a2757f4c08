"""The product against the exhaustive oracle on thousands of random small problems.

`THRESHER_ORACLE_PROBLEMS` sets how many (default 1200); each is one seed, so that a
failure is reproduced by `oracle.compare.check(seed)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracle import certificate, compare, solver
from oracle.design import build, normalised
from oracle.problems import random_problem
from oracle.rules import Language
from thresher import RuleClassifier, RuleRegressor


@compare.seeds(size=50)
def test_optimal_over_all_rules(seeds: range) -> None:
    wrong = [message for seed in seeds for message in compare.check(seed)]
    assert not wrong, "\n".join(wrong)


def optimum(doc: dict[str, Any], columns: Any, y: Any, alpha: float, language: Language) -> float:
    """The exhaustive optimum for the features of a document."""
    v = normalised(None, len(y))
    task = build(certificate.features_of(doc), columns, v, language)
    return solver.solve(task, y, v, doc["loss"], alpha).primal


@pytest.mark.parametrize("seed", range(10))
def test_every_class_against_the_rest_is_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(36, 2)), 1)
    labels = np.array(["a", "b", "c"])[np.clip((X[:, 0] > 0) + (X[:, 1] > 0.3).astype(int), 0, 2)]
    loss = ["logistic", "squared_hinge"][seed % 2]
    model = RuleClassifier(alpha=0.03, loss=loss, bins=4, tol=1e-9, max_features=2, penalty_growth=0.0).fit(
        X, labels
    )
    doc = compare.document(model)
    assert len(doc["outputs"]) == 3
    for output, label in enumerate(doc["classes"]):
        y = np.where(labels == label, 1.0, -1.0)
        language = Language(max_features=2)
        cert = certificate.certify(doc, list(X.T), y, None, language, output)
        best = optimum(doc, list(X.T), y, 0.03, language)
        assert cert.primal == pytest.approx(best, rel=compare.OBJECTIVE)
        assert cert.gap <= 1e-7 * best


@pytest.mark.parametrize("seed", range(10))
def test_every_target_is_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(30, 3)), 1)
    targets = np.column_stack([X[:, 0] > 0, X[:, 1] * (X[:, 2] > 0), rng.normal(size=30)])
    language = Language(max_features=2, penalty_growth=0.5)
    model = RuleRegressor(alpha=0.02, tol=1e-9, max_features=2).fit(X, targets)
    doc = compare.document(model)
    f = model.predict(X)
    for output, y in enumerate(targets.T):
        cert = certificate.certify(doc, list(X.T), y, None, language, output)
        best = optimum(doc, list(X.T), y, 0.02, language)
        assert cert.primal == pytest.approx(best, rel=compare.OBJECTIVE)
        np.testing.assert_allclose(f[:, output], cert.predictions, atol=1e-10)


@pytest.mark.parametrize("bins", [None, 3, ("intervals", 0.05), "supervised", "auto"])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_row_of_weight_w_is_w_rows(loss: str, bins: Any) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.round(rng.normal(size=(30, 3)), 1)
        X[rng.random(X.shape) < 0.1] = np.nan
        y = np.where(np.isnan(X[:, 0]), 0.0, X[:, 0]) + (X[:, 1] > 0) + 0.2 * rng.normal(size=30)
        weights = rng.integers(0, 4, size=30)
        if loss == "logistic":
            y = np.where(y > np.median(y), 1.0, -1.0)
        cls = RuleRegressor if loss == "squared" else RuleClassifier
        model = cls(alpha=0.05, bins=bins, tol=1e-9, max_features=2)
        once = compare.document(model.fit(X, y, sample_weight=weights))
        first = model.certificate_.primal
        again = compare.document(model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)))
        assert model.certificate_.primal == pytest.approx(first, rel=1e-7)
        for a, b in zip(once["features"], again["features"], strict=True):
            np.testing.assert_allclose(a["cuts"], b["cuts"], rtol=1e-12)


@pytest.mark.parametrize("shift", [-1e3, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("strategy", compare.STRATEGIES)
def test_a_large_mean_of_y_changes_nothing(shift: float, strategy: str) -> None:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(40, 2)), 1)
    y = np.round((X[:, 0] > 0) + X[:, 1] + 0.3 * rng.normal(size=40), 2)
    weights = rng.integers(0, 3, size=40)
    model = RuleRegressor(alpha=0.02, bins=4, tol=1e-7, strategy=strategy)
    near = model.fit(X, y, sample_weight=weights)
    f, primal = near.predict(X), near.certificate_.primal
    top = near.fit_path(X, y, sample_weight=weights).path_.alphas[0]
    far = model.fit(X, y + shift, sample_weight=weights)
    rounding = 1e-14 * abs(shift)
    assert far.certificate_.complete
    assert far.certificate_.primal == pytest.approx(primal, abs=1e-7 * primal + rounding)
    assert far.certificate_.dual <= primal + rounding
    np.testing.assert_allclose(far.predict(X) - shift, f, atol=1e-3)
    assert far.verify(X, y + shift, sample_weight=weights).complete
    alphas = far.fit_path(X, y + shift, sample_weight=weights).path_.alphas
    assert alphas[0] == pytest.approx(top, rel=1e-9, abs=rounding)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    for seed in range(0, 200, 5):
        problem = random_problem(seed)
        texts = {compare.timeless(compare.fit(problem, n_jobs=jobs)) for jobs in (1, 2, 4)}
        assert len(texts) == 1, f"seed {seed}"
