"""Small models have the penalty of less held-out loss."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from thresher import ItemsetRegressor, RuleClassifier, RuleRegressor, load_model

SMALL = {"max_rules": 5, "max_features": 2, "bins": 5, "cv": 3}


def steps(seed, n=300):
    """Targets of steps alone, which a best subset finds."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 4))
    return X, 2.0 * (X[:, 0] > 0) + 3.0 * ((X[:, 1] > 0) & (X[:, 2] > 0)) + 0.5 * r.normal(size=n)


def noise(seed, n=200):
    """Targets of a weak effect, for which small coefficients are better."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 4))
    return X, 0.3 * X[:, 0] + 0.2 * X[:, 1] * X[:, 2] + r.normal(size=n)


def held_out(model, X, y):
    """The least loss in the comparison of strengths or sizes."""
    return min(np.min(means) for means in np.atleast_2d(model.fit(X, y).path_.cv_mean))


@pytest.mark.parametrize("draw", [steps, noise])
@pytest.mark.parametrize("seed", range(4))
def test_the_model_is_that_of_less_held_out_loss(draw, seed):
    X, y = draw(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RuleRegressor(**SMALL).fit(X, y)
        both = [RuleRegressor(**SMALL, penalty=penalty).fit(X, y) for penalty in ("l0", "l1")]
    best = min(both, key=lambda model: min(model.path_.cv_mean))
    np.testing.assert_array_equal(model.predict(X), best.predict(X))
    assert model.rules_ == best.rules_
    model.verify(X, y)


def test_steps_have_a_best_subset_and_weak_effects_l1():
    assert [RuleRegressor(**SMALL).fit(*steps(seed)).ridge_ is None for seed in range(4)] == [False] * 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert any(RuleRegressor(**SMALL).fit(*noise(seed)).ridge_ is None for seed in range(4))


def test_classes_patterns_and_several_targets_are_compared():
    X, y = noise(1)
    classes, records = y > 1.2, [{name for name, x in zip("abcd", row, strict=True) if x > 0} for row in X]
    cases = [
        (RuleClassifier, SMALL, X, classes),
        (RuleRegressor, SMALL, X, np.column_stack([y, 100 * steps(1, 200)[1]])),
        (ItemsetRegressor, {"max_patterns": 5, "cv": 3}, records, y),
    ]
    for estimator, options, rows, target in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = estimator(**options).fit(rows, target)
            both = [estimator(**options, penalty=penalty).fit(rows, target) for penalty in ("l0", "l1")]
        fits = [np.array_equal(model.predict(rows), other.predict(rows)) for other in both]
        assert any(fits)
        model.verify(rows, target)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_losses_of_targets_are_compared_without_rows_of_weight_zero():
    model = RuleRegressor(max_features=1, max_rules=2, linear=False, bins=6)
    for seed in range(6):
        r = np.random.default_rng(seed)
        X, more = r.normal(size=(60, 4)), r.normal(size=(5, 4))
        y = (X[:, :2] > 0) + 0.8 * r.normal(size=(60, 2))
        plain = model.fit(X, y).predict(X)
        for output in range(2):
            others = np.zeros((5, 2))
            others[:, output] = 1e6 * np.arange(5)
            weights = np.repeat([1.0, 0.0], [60, 5])
            model.fit(np.vstack([X, more]), np.vstack([y, others]), sample_weight=weights)
            np.testing.assert_allclose(model.predict(X), plain)


def test_a_saved_model_keeps_its_penalty(tmp_path):
    X, y = steps(0)
    model = RuleRegressor(**SMALL).fit(X, y, checkpoint=tmp_path / "fit")
    (tmp_path / "model.json").write_text(model.to_json())
    found = load_model(tmp_path / "model.json")
    assert found.ridge_ == model.ridge_
    found.verify(X, y)
    assert not list((tmp_path / "fit").glob("searches-*"))
    again = RuleRegressor(**SMALL).fit(X, y, checkpoint=tmp_path / "fit")
    assert again.rules_ == model.rules_


def test_both_fits_share_the_time():
    X, y = steps(0, n=4000)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = RuleRegressor(max_rules=20, bins=20, time_limit=0.5).fit(np.tile(X, 3), y)
    assert model.certificate_ is not None
