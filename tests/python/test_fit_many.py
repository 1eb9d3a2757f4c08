"""Many fits in one pool are the same as one after the other."""

import numpy as np
import pytest

from thresher import RuleClassifier, RuleRegressor, fit_many

RNG = np.random.default_rng(0)


def problem(rows, columns):
    X = RNG.normal(size=(rows, columns))
    return X, (X[:, 0] > 0) + 0.5 * X[:, -1]


def test_same_as_one_by_one():
    tasks = [problem(50, 2), problem(80, 3), (*problem(60, 2), RNG.uniform(0.5, 2, 60))]
    estimator = RuleRegressor(alpha=0.02)
    models = fit_many(estimator, iter(tasks), n_jobs=2)
    for model, (X, y, *weight) in zip(models, tasks, strict=True):
        alone = RuleRegressor(alpha=0.02).fit(X, y, *weight)
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))
        assert model.n_features_in_ == X.shape[1]
    assert not hasattr(estimator, "rules_")


def test_cross_validated_and_classes_that_differ():
    tasks = []
    for labels in (["a", "b"], ["c", "d"], ["a", "b", "c"]):
        X, y = problem(60, 2)
        tasks.append(
            (
                X,
                np.asarray(labels)[
                    np.searchsorted(np.quantile(y, np.linspace(0, 1, len(labels) + 1)[1:-1]), y)
                ],
            )
        )
    models = fit_many(RuleClassifier(n_alphas=10, max_features=1, cv=3), tasks)
    assert [list(model.classes_) for model in models] == [["a", "b"], ["c", "d"], ["a", "b", "c"]]
    for model, (X, y) in zip(models, tasks, strict=True):
        assert model.score(X, y) > 0.6


def test_nothing_to_do():
    assert fit_many(RuleRegressor(), []) == []


def test_errors_say_which_task():
    X, y = problem(30, 2)
    with pytest.raises(ValueError, match="task 1: Input y contains NaN"):
        fit_many(RuleRegressor(alpha=0.1), [(X, y), (X, np.where(y > 0, np.nan, y))])
    with pytest.raises(TypeError, match="task 0 is no"):
        fit_many(RuleRegressor(alpha=0.1), [X])
    with pytest.raises(TypeError, match="estimator: got 3"):
        fit_many(3, [(X, y)])
