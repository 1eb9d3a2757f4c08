"""scikit-learn's own checks, none of them expected to fail, and its tools around our estimators."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import RuleClassifier, RuleRegressor

ESTIMATORS = [
    RuleRegressor(n_alphas=10, max_features=2, bins=4),
    RuleClassifier(n_alphas=10, max_features=2, bins=4),
    RuleClassifier(loss="squared_hinge", n_alphas=10, max_features=2, bins=4),
    RuleClassifier(loss="squared_hinge", alpha=0.01, max_features=2),
    RuleRegressor(group_sparsity=0.6, linear_penalty=0.8, n_alphas=10, max_features=2, bins=4),
    RuleClassifier(group_sparsity=0.6, n_alphas=10, max_features=2, bins=4),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks([RuleRegressor(), RuleClassifier()])
def test_scikit_learn_check_at_the_defaults(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_pipeline_and_grid_search():
    X, y = load_diabetes(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), RuleRegressor(alpha=5.0, max_features=2, bins=4))
    search = GridSearchCV(pipeline, {"ruleregressor__alpha": [2.0, 20.0]}, cv=3).fit(X, y)
    assert 0.3 < search.best_score_ < 1


def test_cross_val_score_in_processes():
    X, y = load_iris(return_X_y=True)
    model = RuleClassifier(alpha=0.01, max_features=2)
    alone = cross_val_score(model, X, y, cv=3)
    np.testing.assert_array_equal(alone, cross_val_score(model, X, y, cv=3, n_jobs=2))
    assert alone.mean() > 0.9


def test_set_output_names_the_rules():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = RuleClassifier(alpha=0.05, max_features=1, linear=False).set_output(transform="pandas")
    frame = model.fit(X, y).transform(X)
    assert list(frame.columns) == list(model.get_feature_names_out())
    assert frame.columns[0].split(": ")[0] in "012"


def test_clone_has_parameters_and_no_model():
    model = RuleRegressor(alpha=0.1, monotonic_cst=[1]).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 2.0])
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "rules_")


def test_callbacks_see_every_step():
    pytest.importorskip("sklearn.callback")

    class Count:
        def __init__(self):
            self.begun, self.ended, self.down = [], 0, 0

        def setup(self, estimator, context):
            self.begun.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.begun.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            self.ended += 1

        def teardown(self, estimator, context):
            self.down += 1

    X, y = load_iris(return_X_y=True)
    count = Count()
    RuleClassifier(n_alphas=5, max_features=1, cv=3).set_callbacks(count).fit(X, y)
    assert count.begun[:2] == ["setup", "fit"]
    assert "path" in count.begun
    assert count.ended == len(count.begun) - 1
    assert count.down == 1
