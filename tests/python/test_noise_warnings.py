"""Few terms that held-out rows hardly confirm are named as such."""

import warnings

import numpy as np

from thresher import RuleClassifier, RuleRegressor


def noise(seed):
    """80 rows of 200 columns that say nothing of 25 events."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 200))
    y = np.zeros(80, dtype=int)
    y[rng.permutation(80)[:25]] = 1
    return X, y


def warnings_of(model, X, y):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, y)
    return [str(warning.message) for warning in found]


def test_a_best_subset_within_a_standard_error_of_no_rules_may_be_noise():
    params = {"max_features": 1, "linear": False, "bins": 4, "max_rules": 3}
    X, y = noise(1)
    model = RuleClassifier(**params)
    said = warnings_of(model, X, y)
    assert len(model.rules_) > 0
    path = model.path_
    assert any(
        text.startswith("max_rules: the held-out loss is ") and "may be noise" in text for text in said
    )
    assert path.cv_mean[0] > path.cv_mean.min()
    assert not any("may be noise" in text for text in warnings_of(RuleClassifier(**params, alpha=0.01), X, y))
    careful = RuleClassifier(**params, one_standard_error=True)
    assert not any("may be noise" in text for text in warnings_of(careful, X, y))


def test_rules_that_held_out_rows_confirm_are_not_called_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = 2.0 * (X[:, 0] > 0) + rng.normal(size=200)
    assert not any("noise" in text for text in warnings_of(RuleRegressor(max_rules=2), X, y))
