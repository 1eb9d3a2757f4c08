"""Factorization machines against their definitions, from raw data and fitted attributes alone."""

import numpy as np
import pytest

from oracle import fm
from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor

REGRESSION, CLASSES = ("squared", "huber", ("huber", 0.3)), ("logistic", "squared_hinge", "squared")
PENALTIES = (None, "l1", "l21", "ti", "cs", "omega_ti", "omega_cs")


def random_model(seed):
    """An unfitted estimator with its data: any loss, penalty, order and solver that go together."""
    rng = np.random.default_rng(seed)
    classes = seed % 2 == 1
    kind = FactorizationMachineClassifier if classes else FactorizationMachineRegressor
    penalty = PENALTIES[rng.integers(len(PENALTIES))]
    order = [2, 3, 4, "all"][rng.integers(4)]
    if order == "all" and penalty in ("ti", "cs"):
        order = 2
    losses, solvers = CLASSES if classes else REGRESSION, ["auto"]
    if penalty in (None, "l1", "l21", "ti", "cs"):
        solvers += ["fista", "psgd"]
    if penalty in (None, "l1"):
        solvers += ["pbcd"]
    if penalty is None:
        solvers += ["adagrad"]
    model = kind(
        order=order,
        rank=int(rng.integers(1, 4)),
        penalty=penalty,
        l2_linear=0.01,
        l2_factors=0.02,
        alpha=float(rng.choice([0.0, 0.003, 0.03])),
        loss=losses[rng.integers(len(losses))],
        solver=str(rng.choice(solvers)),
        fit_lower=str(rng.choice(["explicit", "augment", "none"])),
        fit_linear=bool(rng.integers(2)),
        fit_intercept=bool(rng.integers(2)),
        standardize=seed % 7 < 4,
        signs=str(rng.choice(["positive", "random"])),
        max_iter=int(rng.integers(1, 20)),
        init_scale=0.5,
        batch_size=7,
        random_state=seed,
    )
    X = np.where(rng.random((30, 5)) < 0.8, rng.choice([1.0, -0.5, 0.3], (30, 5)), 0.0)
    signal = X[:, 0] * X[:, 1] - X[:, 2] + 0.3 * rng.normal(size=30)
    y = np.where(signal > np.median(signal), 1.0, -1.0) if classes else signal
    weights = rng.choice([0.0, 1.0, 2.0], 30) if seed % 3 == 0 else None
    return model, X, y, weights


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_predictions_objective_and_interactions(first):
    for seed in range(first, first + 50):
        model, X, y, weights = random_model(seed)
        model.fit(X, y, sample_weight=weights)
        factors = list(zip(model._fitted.document["language"]["orders"], model.factors_, strict=True))
        f = fm.predict(X, model.intercept_, model.coef_, factors, model.signs_)
        got = getattr(model, "decision_function", model.predict)(X)
        np.testing.assert_allclose(got, f, rtol=1e-9, atol=1e-9, err_msg=f"seed {seed}")
        expected = fm.objective(model, X, y, weights)
        assert model.objective_ == pytest.approx(expected, rel=1e-9), seed
        found = {i.column_indices: i.coef for i in model.interactions_}
        weights_of = fm.interactions(model, 5)
        assert found.keys() == weights_of.keys(), seed
        for columns, weight in found.items():
            assert weight == pytest.approx(weights_of[columns], abs=1e-9), seed
        assert model.n_interactions_ == len(found)
        strengths = np.abs(model.interactions_.standardized_coef).tolist()
        assert strengths == sorted(strengths, reverse=True)


@pytest.mark.parametrize("seed", range(5))
def test_full_rank_is_the_lasso_on_all_pairs(seed):
    """With a component for each pair and no ridge the optimum is that of the lasso (Theorem 4)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    y = 1.5 * X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3] + 0.1 * rng.normal(size=80)
    best, pairs = fm.best_pairs(X, y, 0.1)
    model = FactorizationMachineRegressor(
        penalty="omega_ti",
        rank=6,
        l2_factors=0.0,
        alpha=0.1,
        fit_linear=False,
        fit_intercept=False,
        standardize=False,
        init_scale=0.3,
        max_iter=5000,
        tol=1e-9,
    )
    objectives, weights = [], []
    for start in range(8):
        model.set_params(random_state=start).fit(X, y)
        objectives.append(model.objective_)
        weights.append(np.asarray(model.interactions_.to_matrix().todense())[np.triu_indices(4, 1)])
    assert min(objectives) == pytest.approx(best, rel=1e-5)
    assert min(objectives) >= best * (1 - 1e-9)
    np.testing.assert_allclose(weights[int(np.argmin(objectives))], pairs, atol=5e-3)
