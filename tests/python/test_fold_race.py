"""The race of the folds of a cross-validation, beside a loop over all strengths in all folds."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

from thresher import (
    ItemsetClassifier,
    RuleClassifier,
    RuleRegressor,
)

ROWS = np.arange(600)
FOLDS = [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for of in [ROWS % 4] for k in range(4)]
N_SCOUTS = 2  # of 150 rows each


def rules(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(len(ROWS), 4)).round(1), columns=list("abcd"))
    y = 1.0 * (X.a > 0) * (X.b < 0.5) + 0.5 * X.c + rng.normal(size=len(ROWS))

    def loss(model, test):
        return (y[test] - model.predict(X.iloc[test])) ** 2 / 2

    return RuleRegressor(max_features=2, bins=5, n_alphas=60, tol=1e-8), X, y.to_numpy(), loss


def itemsets(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random(size=(len(ROWS), 8)) < 0.4, columns=list("abcdefgh")).astype(int)
    y = (1.5 * X.a * X.b - X.c + rng.logistic(size=len(ROWS)) > 0).astype(int).to_numpy()

    def loss(model, test):
        decision = np.where(y[test] == 1, -1.0, 1.0) * model.decision_function(X.iloc[test])
        return logsumexp([np.zeros_like(decision), decision], axis=0)

    return ItemsetClassifier(max_items=2, n_alphas=60, tol=1e-8), X, y, loss


def held_out_losses(model, X, y, loss, alphas):
    """Return the loss of each fold (row) at each strength (column), of models of all strengths down to it."""

    def of_fold(train, test):
        path = (
            type(model)(**{**model.get_params(), "tol": 1e-9})
            .fit_path(X.iloc[train], y[train], alphas=alphas)
            .path_
        )
        return [loss(path.at(alpha), test).mean() for alpha in alphas]

    return np.array([of_fold(train, test) for train, test in FOLDS])


@pytest.mark.parametrize("problem", [rules, itemsets])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_choice_and_its_neighbours_are_those_of_all_folds(problem, seed):
    model, X, y, loss = problem(seed)
    model.set_params(cv=FOLDS).fit(X, y)
    path = model.path_
    grid = path.alphas[0] * model.alpha_min_ratio ** (np.arange(60) / 59)
    place = int(np.argmin(abs(grid - model.alpha_)))
    losses = held_out_losses(model, X, y, loss, grid[: place + 12])
    all_folds = losses.mean(axis=0)
    assert all_folds[place] <= min(all_folds[max(place - 1, 0)], all_folds[place + 1]) + 1e-6
    compared = [int(np.argmin(abs(grid - alpha))) for alpha in path.cv_alphas]
    assert {max(place - 1, 0), place, place + 1} <= set(compared)
    assert path.cv_alphas[np.argmin(path.cv_mean)] == pytest.approx(model.alpha_)
    # In these problems nothing was missed.
    assert all_folds[place] == pytest.approx(all_folds.min(), abs=1e-6)


@pytest.mark.parametrize("problem", [rules, itemsets])
def test_other_strengths_have_the_rise_of_the_first_folds(problem):
    model, X, y, loss = problem(0)
    model.set_params(cv=FOLDS).fit(X, y)
    path = model.path_
    losses = held_out_losses(model, X, y, loss, path.cv_alphas)
    scouted = losses[:N_SCOUTS].mean(axis=0)
    all_folds = losses.mean(axis=0)
    errors = []
    for reference in range(len(scouted)):
        estimate = all_folds[reference] + scouted - scouted[reference]
        is_either = np.isclose(path.cv_mean, all_folds, atol=1e-6) | np.isclose(
            path.cv_mean, estimate, atol=1e-6
        )
        errors.append((~is_either).sum())
    assert min(errors) == 0
    assert not np.allclose(path.cv_mean, all_folds, atol=1e-6)


def test_one_standard_error_is_the_first_within_it_of_all_folds():
    model, X, y, loss = rules(0)
    model.set_params(cv=FOLDS, one_standard_error=True).fit(X, y)
    path = model.path_
    best = int(np.argmin(path.cv_mean))
    limit = path.cv_mean[best] + path.cv_se[best]
    first = int(np.argmax(path.cv_mean <= limit))
    assert path.cv_alphas[first] == pytest.approx(model.alpha_)
    assert model.alpha_ > path.cv_alphas[best]
    losses = held_out_losses(model, X, y, loss, path.cv_alphas).mean(axis=0)
    near = [first - 1, first, first + 1, best - 1, best, best + 1]
    np.testing.assert_allclose(path.cv_mean[near], losses[near], atol=1e-6)


def test_few_rows_have_all_folds_as_scouts():
    model, X, y, loss = rules(0)
    few = [(train[train < 200], test[test < 200]) for train, test in FOLDS]
    model.set_params(cv=few, max_features=1).fit(X[:200], y[:200])
    path = model.path_
    for k in (0, len(path.cv_alphas) // 2, len(path.cv_alphas) - 1):
        losses = []
        for train, test in few:
            own = RuleRegressor(max_features=1, bins=5, tol=1e-10)
            own.fit_path(X.iloc[train], y[train], alphas=path.cv_alphas[: k + 1])
            losses.append(loss(own.path_.at(path.cv_alphas[k]), test).mean())
        assert path.cv_mean[k] == pytest.approx(np.mean(losses), abs=1e-6)


@pytest.mark.parametrize(("bins", "seed"), [(4, 5), (10, 4), (10, 5)])
def test_an_interaction_without_main_effects_is_found_behind_a_rise(bins, seed):
    """The first rules are chance: the held-out loss rises before most of the interaction is there."""
    rng = np.random.default_rng(seed)
    X, rows = rng.normal(size=(400, 8)), rng.normal(size=(2000, 8))
    is_odd, truth = ((Z[:, :3] > 0).sum(axis=1) % 2 == 1 for Z in (X, rows))
    model = RuleClassifier(bins=bins).fit(X, is_odd != (rng.random(400) < 0.05))
    assert model.score(rows, truth) > 0.85
    assert (np.diff(model.path_.cv_mean[:6]) > 0).any()


def test_a_rise_before_the_first_rule_ends_nothing():
    """Linear terms of rare columns enter long before the rules of two of them, and overfit first."""
    rng = np.random.default_rng(2)

    def draw(n):
        X = (rng.random((n, 30)) < 0.08).astype(float)
        for j in (0, 2, 4, 6):
            X[:, j + 1] = rng.random(n) < 0.05 + 0.3 * X[:, j]
        pairs = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] - X[:, 4] * X[:, 5] + X[:, 6] * X[:, 7]
        log_odds = -1.5 + 1.5 * X[:, 8] - 1.5 * X[:, 9] + 3 * pairs
        return X, rng.random(n) < 1 / (1 + np.exp(-log_odds))

    X, y = draw(1500)
    new, of_new = draw(10_000)
    model = RuleClassifier(max_features=2, n_jobs=1).fit(X, y)
    losses = model.path_.cv_mean
    first = np.flatnonzero(np.diff(losses) > 0)[0]  # the last strength before the first rise
    assert losses.min() < 0.98 * losses[first]
    assert {"x2 > 0.5 and x3 > 0.5", "x6 > 0.5 and x7 > 0.5"} & {rule.text for rule in model.rules_}
    probabilities = np.where(of_new, 1, -1) * model.decision_function(new)
    assert np.logaddexp(0, -probabilities).mean() < 0.48  # of the model without rules .495
