"""Cards within limits of columns and steps, against the best of all of them."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from thresher import L0AdditiveClassifier, L0AdditiveRegressor


def columns_with_a_common_cause(r, n, d):
    """Correlated columns of some steps, and a target to which each adds something."""
    share = r.choice([0.0, 0.5, 0.8])
    own = np.sqrt(1 - share) * r.normal(size=(n, d)) + np.sqrt(share) * r.normal(size=(n, 1))
    X = np.floor((own - own.min(axis=0)) / (np.ptp(own, axis=0) + 1e-9) * 6)
    return X, np.tanh(own) @ r.normal(size=d) + 0.6 * r.normal(size=n)


def excess_of_columns(seed):
    """How far the objective of a card of few columns is above that of the best set of them."""
    r = np.random.default_rng(seed)
    X, y = columns_with_a_common_cause(r, 250, 6)
    n_columns, is_classes = int(r.choice([1, 2, 3])), bool(seed % 2)
    if is_classes:
        y = y > np.median(y)
    weights = r.integers(0, 3, len(y)) if seed % 3 == 0 else None
    card = (L0AdditiveClassifier if is_classes else L0AdditiveRegressor)(
        lambda0=float(r.choice([0.5, 2.0, 5.0]))
    )
    if is_classes:
        card.set_params(loss=["logistic", "exponential"][seed // 2 % 2], ridge=0.01)
    found = card.set_params(max_columns=n_columns).fit(X, y, weights)
    assert len({shape.feature_index for shape in found.shape_functions_}) <= n_columns
    objective, best = found.objective_, np.inf
    for others in itertools.combinations(range(6), 6 - n_columns):
        best = min(
            best, card.set_params(exclude=list(others), max_columns=None).fit(X, y, weights).objective_
        )
    return objective / best - 1


def test_cards_of_few_columns_have_good_ones():
    excess = np.array([excess_of_columns(seed) for seed in range(24)])
    assert np.mean(excess < 1e-5) > 0.75
    assert excess.mean() < 0.01


def excess_of_steps(seed):
    """How far the squared error of a card of few steps is above the least."""
    r = np.random.default_rng(seed)
    X, y = columns_with_a_common_cause(r, 250, 5)
    n_steps = int(r.choice([1, 2, 3]))
    card = L0AdditiveRegressor(max_steps=n_steps, lambda0=1e-6, ridge=0.0, bins=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        card.fit(X, y)
    assert card.n_nonzero_ <= n_steps
    steps = [X[:, j] <= cut for j in range(X.shape[1]) for cut in np.unique(X[:, j])[:-1]]
    centred = np.column_stack(steps) - np.mean(steps, axis=1)
    target = y - y.mean()
    gram, products = centred.T @ centred, centred.T @ target
    best = np.inf
    for chosen in map(list, itertools.combinations(range(len(steps)), n_steps)):
        explained = (
            np.linalg.lstsq(gram[np.ix_(chosen, chosen)], products[chosen], rcond=None)[0] @ products[chosen]
        )
        best = min(best, target @ target - explained)
    return np.sum((y - card.predict(X)) ** 2) / best - 1


def test_cards_of_few_steps_have_good_ones():
    excess = np.array([excess_of_steps(seed) for seed in range(30)])
    assert excess.min() > -1e-9
    assert np.mean(excess < 1e-6) > 0.85
    assert excess.mean() < 0.005


@pytest.mark.parametrize("limit", [{"max_columns": 1}, {"max_columns": 1, "max_steps": 3}, {}], ids=str)
def test_the_better_of_two_copies_is_found(limit):
    excess = []
    for seed in range(20):
        r = np.random.default_rng(seed)
        z = r.normal(size=400)
        X = np.column_stack([(z + 0.2 * r.normal(size=400)).round(1), np.digitize(z, [-1, -0.3, 0.3, 1])])
        y = r.random(400) < expit(6 * (z - 0.3))
        card = L0AdditiveClassifier(lambda0=40.0 if not limit else 1.0, **limit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            models = [clone(card).set_params(exclude=own).fit(X, y) for own in ([], [0], [1])]
        lambda0 = card.lambda0
        values = [m.objective_ + (lambda0 - np.max(m.lambda0_)) * m.n_nonzero_ for m in models]
        excess.append(values[0] / min(values) - 1)
    assert np.mean(np.array(excess) < 1e-5) >= 0.9
    assert np.mean(excess) < 0.002


def test_one_step_is_found_where_two_come_at_once():
    r = np.random.default_rng(0)
    age = r.integers(18, 78, 600)
    y = r.random(600) < np.where((age < 28) | (age > 67), 0.6, 0.1)
    with pytest.warns(ConvergenceWarning, match="max_steps"):
        card = L0AdditiveClassifier(lambda0=1.0, max_steps=1).fit(age[:, None], y)
    assert card.n_nonzero_ == 1


@pytest.mark.parametrize("seed", range(20))
def test_limits_hold_with_all_kinds_of_columns(seed):
    r = np.random.default_rng(seed)
    X, y = columns_with_a_common_cause(r, 150, 4)
    X[r.random(X.shape) < 0.1] = np.nan
    X[r.random(X.shape) < 0.1] = -9
    trends = [[0, 1, -1, "auto"], ["peak", "valley", 0, 0], ["convex", "concave", 0, 0], [0, 0, 0, 0]][
        seed % 4
    ]
    n_steps, n_columns = int(r.integers(1, 6)), int(r.integers(1, 4))
    card = L0AdditiveRegressor(
        max_steps=n_steps,
        max_columns=n_columns,
        lambda0=0.01,
        ridge=0.01 * (seed % 2),
        lambda2=0.1 * (seed % 3),
        monotonic_cst=trends,
        special_codes=None if seed % 4 == 2 else -9,
        categorical_features=[3] if seed % 4 == 3 else None,
        min_bin_weight=10.0 * (seed % 5 == 0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
        card.fit(X, y)
    assert card.n_nonzero_ <= n_steps
    assert len({shape.feature_index for shape in card.shape_functions_}) <= n_columns
    card.verify(X, y)


def columns_of_like_effect(seed, n=1200, is_number=False):
    """Columns that enter a card together, since their effects are the same."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, 30)) if is_number else (r.random((n, 30)) < 0.3) * 1.0
    return X, 2.0 * ((X[:, :10] > 0.5).sum(axis=1)), r


@pytest.mark.parametrize("n_steps", [3, 6, 8])
@pytest.mark.parametrize("is_number", [False, True])
def test_a_comparison_uses_the_steps_that_it_may(is_number, n_steps):
    X, f, r = columns_of_like_effect(0, is_number=is_number)
    y = f + 0.5 * r.normal(size=len(f))
    card = L0AdditiveRegressor(max_steps=n_steps, bins=20).fit(X[:600], y[:600])
    assert card.n_nonzero_ == n_steps
    assert (np.diff(card.path_.lambda0[card.path_.ridge == card.ridge_]) < 0).all()
    assert card.verify(X[:600], y[:600]).dual == pytest.approx(card.certificate_.dual)
    losses = []
    for lambda0 in (1.0, 3.0, 10.0, 30.0):
        with pytest.warns(ConvergenceWarning, match="max_steps"):
            fixed = clone(card).set_params(lambda0=lambda0).fit(X[:600], y[:600])
        losses.append(np.mean((fixed.predict(X[600:]) - y[600:]) ** 2))
    assert np.mean((card.predict(X[600:]) - y[600:]) ** 2) < 1.1 * min(losses)


@pytest.mark.parametrize("seed", [0, 4])
def test_a_comparison_of_classes_does_too(seed):
    r = np.random.default_rng(seed)
    X = (r.random((1500, 20)) < 0.3) * 1.0
    y = r.random(1500) < expit(1.5 * X[:, :10].sum(axis=1) - 4.5)
    assert L0AdditiveClassifier(max_steps=4, bins=20).fit(X, y).n_nonzero_ == 4


def test_a_limit_that_is_out_of_reach_changes_nothing():
    X, f, r = columns_of_like_effect(1, n=400)
    y = f + r.normal(size=len(f))
    free = L0AdditiveRegressor(bins=20).fit(X, y)
    limited = L0AdditiveRegressor(bins=20, max_steps=10_000).fit(X, y)
    np.testing.assert_array_equal(limited.path_.cv_mean, free.path_.cv_mean)
    np.testing.assert_array_equal(limited.predict(X), free.predict(X))


def test_noise_gets_no_steps_because_of_a_limit():
    r = np.random.default_rng(0)
    X, y = r.normal(size=(200, 10)), r.normal(size=200)
    assert L0AdditiveRegressor(max_steps=5, one_standard_error=True).fit(X, y).n_nonzero_ == 0
