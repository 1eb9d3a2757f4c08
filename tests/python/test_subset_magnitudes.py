"""Weights, responses and columns of extreme size in linear models with few coefficients."""

import json

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from thresher import CertificateError, L0AdditiveClassifier, L0Classifier, L0Regressor


@pytest.mark.parametrize(
    ("model", "weight"), [(L0Classifier, 1e300), (L0Classifier, 1e-300), (L0Regressor, 1e306)]
)
@pytest.mark.parametrize("lambda0", [1, 1e300, "cv"])
def test_weights_whose_squares_are_no_numbers_are_refused(model, weight, lambda0):
    """The search did not end, or returned the empty model without a word."""
    X = np.random.default_rng(0).normal(size=(60, 8))
    with pytest.raises(ValueError, match=r"sample weights sum to .* divide sample_weight by its mean"):
        model(lambda0=lambda0, time_limit=10).fit(X, X[:, 0] > X[:, 3], np.full(60, weight))


def test_responses_whose_squares_vanish_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 8))
    with pytest.raises(ValueError, match="multiply y"):
        L0Regressor(lambda0=0).fit(X, X[:, 0] * 1e-200)


def test_columns_of_tiny_values_have_coefficients():
    X = np.random.default_rng(0).normal(size=(60, 8))
    model = L0Regressor(lambda0=1).fit(X * 1e-300, X[:, 0])
    assert model.coef_[0] == pytest.approx(1e300)
    assert model.certificate_.is_optimal
    assert model.verify(X * 1e-300, X[:, 0]).is_optimal


def test_an_empty_model_of_columns_without_digits_says_why():
    X = np.random.default_rng(0).normal(size=(60, 8))
    with pytest.warns(ConvergenceWarning, match="column 'x0' counts as constant, .* 1e-13 of its size"):
        assert not L0Regressor(lambda0=1).fit(X + 1e14, X[:, 0]).coef_.any()


def test_a_coefficient_beyond_the_largest_number_is_refused():
    X = np.random.default_rng(0).normal(size=(60, 8))
    with pytest.raises(ValueError, match="the coefficient of column 'x0' is inf: multiply the column"):
        L0Regressor(lambda0=1).fit(X * 1e-310, X[:, 0])


@pytest.mark.parametrize("response", [-6.0, -6.6, 3.3, -6 * 2.0**-30, 1e12 / 3])
def test_a_constant_response_without_a_penalty_ends(response):
    """What centring leaves of it is rounding, which no coefficient has to explain: the path did not end."""
    X = np.column_stack([[0, 2, -2, -2, -2, -2, -2.0], np.full(7, -2.0)])
    model = L0Regressor(lambda0=0, lambda2=1e-3, time_limit=10).fit(X, np.full(7, response))
    path = (
        L0Regressor(lambda2=1e-3, time_limit=10).fit_path(X, np.full(7, response), lambda0=[0.0, 0.0]).path_
    )
    for fitted in (model, path.at(0.0)):
        assert fitted.coef_.tolist() == [0.0, 0.0]
        assert fitted.predict(X) == pytest.approx(np.full(7, response))
        assert fitted.n_nonzero_ == 0
    assert path.complete.all()


@pytest.mark.parametrize("model", [L0Classifier, L0AdditiveClassifier])
@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("weight", [1e3, 1e7, 1e9, 1e11])
def test_the_best_constant_is_exact_beside_a_heavy_class(model, loss, weight):
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 1, 0])
    weights = np.where(np.arange(6) == 1, weight, 1.0)
    heavy, light = weight + 2, 3.0
    best = 2 * np.sqrt(heavy * light)
    if loss == "logistic":
        best = heavy * np.log1p(light / heavy) + light * (np.log1p(heavy / light))
    for lambda2 in (0.0, 1.0):
        empty = model(lambda0=1e12, lambda2=lambda2, loss=loss).fit(X, y, sample_weight=weights)
        assert empty.objective_ == pytest.approx(best, rel=1e-9)
        assert empty.verify(X, y, weights).null_objective == pytest.approx(best, rel=1e-9)


def test_verify_finds_a_wrong_constant():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 1, 0])
    weights = np.where(np.arange(6) == 1, 1e11, 1.0)
    card = L0AdditiveClassifier(lambda0=1e9).fit(X, y, sample_weight=weights)
    model = L0Classifier(lambda0=1e9).fit(X, y, sample_weight=weights)
    for fitted in (card, model):
        document = json.loads(fitted.to_json())
        point = document["model"]["outputs"][0]["points"][0]
        point["intercept"] = 20.0
        point["loss"] = point["objective"] = weights[y == 1].sum() * np.log1p(np.exp(-20.0)) + 60.0
        point["bound"] = None
        with pytest.raises(CertificateError, match="best constant"):
            type(fitted).from_json(json.dumps(document)).verify(X, y, weights)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_a_constant_that_costs_less_than_a_coefficient_is_the_proven_optimum(loss):
    """No model with a coefficient has an objective below lambda0, also where the classes are separated."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table, y = rng.normal(size=(9, 3)), rng.permutation(np.arange(9) % 2)
        model = L0Classifier(loss=loss, lambda0=10.0, lambda2=0.0).fit(table, y)
        certificate = model.certificate_
        assert model.n_nonzero_ == 0
        assert certificate.relative_gap <= 1e-9
        model.verify(table, y)


@pytest.mark.parametrize("lambda2", [0.0, 1e-8])
def test_verify_refuses_a_bound_that_rounding_hides(lambda2):
    """Of dependent columns the inverse of their products is rounding, which excluded all columns.

    Large columns beside a small ridge may change a bound by more than the objective. Any bound was confirmed.
    """
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 2))
        X, y = np.c_[X, X[:, 0] + X[:, 1]], 5 * X.sum(axis=1) + 0.3 * rng.normal(size=30)
        X = X * 1e6 if lambda2 > 0 else X
        model = L0Regressor(lambda0=1e6, lambda2=lambda2, gap_tol=1e-3)
        document = json.loads(model.fit(rng.normal(size=(30, 3)), y).to_json())
        [point] = document["model"]["outputs"][0]["points"]
        point.update(lambda0=1.0, complete=False)
        bound = {"dual": point["objective"], "coef": []}
        point["bound"].update(bound, tree=[bound])
        document["params"]["lambda0"] = 1.0
        with pytest.raises(CertificateError, match="lower bound"):
            L0Regressor.from_json(json.dumps(document)).verify(X, y)


@pytest.mark.parametrize("seed", range(10))
def test_verify_accepts_a_model_of_all_columns_far_from_zero(seed):
    """What is left to the level is rounding, and the ends of the coefficients are its square root."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(20, 1))
    y = x[:, 0] + rng.normal(size=20) > 0
    for scale in (1e-3, 2e-5, 1e-6):
        model = L0Classifier(lambda0=1.0, gap_tol=0.03).fit(1000 + scale * x, y)
        model.verify(1000 + scale * x, y)
