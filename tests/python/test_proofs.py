"""Certificates at the edges of numbers and of time: what is claimed is what `predict` and `verify` find."""

import json
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from thresher import ItemsetRegressor, RuleRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))
Y = 2.0 * ((X[:, 0] > 0) & (X[:, 1] < 0.5)) + X[:, 2] + 0.3 * rng.normal(size=300)


def objective(model, table, y, alpha):
    """The penalised loss of a regression by its predictions."""
    [output] = json.loads(model.to_json())["model"]["outputs"]
    linear = sum(abs(term["coef"]) * term["scale"] for term in output["points"][0]["linear"])
    rules = sum(abs(rule.coef) * (1 + 0.5 * (len(rule.conditions) - 1)) for rule in model.rules_)
    return np.mean((y - model.predict(table)) ** 2) / 2 + alpha * (linear + rules)


@pytest.mark.parametrize("time_limit", [1e-3, 0.05, 0.2])
def test_a_number_for_alpha_is_that_of_the_model_when_the_time_is_over(time_limit):
    many = rng.normal(size=(20_000, 20))
    y = 2.0 * ((many[:, 0] > 0) & (many[:, 1] < 0.5)) + many[:, 2] + rng.normal(size=20_000)
    model = RuleRegressor(alpha=1e-3, max_features=None, bins=20, time_limit=time_limit, n_jobs=1)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(many, y)
    certificate = model.certificate_
    assert model.alpha_ == pytest.approx(1e-3, rel=1e-12)
    assert not certificate.complete
    assert 0 <= certificate.dual < certificate.primal
    assert certificate.primal == pytest.approx(objective(model, many, y, 1e-3), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-60, 1e-20, 1e20, 1e60])
def test_the_scale_of_y_does_not_matter(scale):
    plain = RuleRegressor(alpha=0.05, max_features=2).fit(X, Y)
    scaled = RuleRegressor(alpha=0.05 * scale, max_features=2).fit(X, Y * scale)
    assert len(scaled.rules_) == len(plain.rules_)
    assert scaled.certificate_.relative_gap <= 1e-6
    assert scaled.predict(X) / scale == pytest.approx(plain.predict(X), rel=1e-3, abs=1e-3)
    scaled.verify(X, Y * scale)


def test_numbers_too_small_to_square_are_refused():
    with pytest.raises(ValueError, match="multiply y"):
        RuleRegressor(alpha=0.05).fit(X, Y * 1e-80)
    records = [{"a"}, {"b"}, {"a", "b"}] * 5
    with pytest.raises(ValueError, match="multiply y"):
        ItemsetRegressor(alpha=0.05).fit(records, np.arange(15) * 1e-90)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e9, 1e12, 1e14])
@pytest.mark.parametrize("where", ["y", "X"])
def test_the_gap_is_that_of_the_predictions_as_they_are_made(offset, where):
    table, y = (X, Y + offset) if where == "y" else (X + offset, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RuleRegressor(alpha=0.05, max_features=2).fit(table, y)
    certificate = model.certificate_
    assert objective(model, table, y, 0.05) <= certificate.primal * (1 + 1e-9) + certificate.gap
    assert certificate.complete == (certificate.relative_gap <= 1.01e-6)
    model.verify(table, y)


@pytest.mark.parametrize("offset", [1e3, 1e9, 1e14])
def test_a_constant_response_far_from_0_is_fitted_perfectly(offset):
    model = RuleRegressor(alpha=0.05, max_features=2).fit(X, np.full(300, offset + 0.1))
    assert model.rules_ == []
    assert model.certificate_.relative_gap <= 1e-6
    model.verify(X, np.full(300, offset + 0.1))


def test_verify_is_not_bound_by_the_time_limit_of_the_fit():
    model = RuleRegressor(alpha=0.05, max_features=2).fit(X, Y).set_params(time_limit=1e-9)
    assert model.verify(X, Y).complete
