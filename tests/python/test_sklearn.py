"""scikit-learn's own checks, none of them expected to fail, and its tools around our estimators."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import RuleClassifier, RuleRegressor


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
