"""Models that are hardly better than a constant say so."""

import re
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone, is_regressor
from sklearn.exceptions import ConvergenceWarning

from thresher import L0AdditiveClassifier, L0AdditiveRegressor, L0Classifier, L0Regressor

MESSAGE = (
    r"lambda0: the held-out loss( of class '.')? is (\S+), without (steps|columns) (\S+), within a stand"
)


def noise(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(180, 24)), rng.random(180) < 0.14


@pytest.mark.parametrize(
    ("model", "seed"),
    [
        (L0AdditiveClassifier(bins=20), 3),
        (L0AdditiveClassifier(bins=20), 9),
        (L0Classifier(), 1),
        (L0AdditiveRegressor(bins=20), 4),
        (L0Regressor(), 7),
    ],
)
def test_a_model_of_noise_says_that_it_may_be_one(model, seed):
    X, y = noise(seed)
    y = np.random.default_rng(100 + seed).normal(size=180) if is_regressor(model) else y
    with pytest.warns(ConvergenceWarning, match=MESSAGE) as caught:
        model.fit(X, y)
    [message] = [str(each.message) for each in caught]
    loss, constant = map(float, re.search(MESSAGE, message).group(2, 4))
    path, chosen = model.path_, model._path_index[0]
    assert [loss, constant] == pytest.approx([path.cv_mean[chosen], path.cv_mean[0]], abs=1e-4)
    assert len(model.summary())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not len(clone(model).set_params(one_standard_error=True).fit(X, y).summary())


def test_the_class_is_named_where_there_are_several():
    X, _ = noise(0)
    y = np.random.default_rng(0).choice(list("abc"), 180)
    with pytest.warns(ConvergenceWarning, match=r"loss of class 'b' is .*, within"):
        L0AdditiveClassifier(bins=20).fit(X, y)


def test_the_error_is_that_of_the_difference():
    """Numbers: most of the loss differs between folds in the same way for all models."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] > 0, 0.6, 0.0) + rng.standard_t(3, size=300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = L0AdditiveRegressor(bins=10).fit(X, y)
    scores = model._fitted.outputs[0]["cv"]
    [constant, *_], [error, *_] = scores["mean"], scores["difference_se"]
    best = int(np.argmin(scores["mean"]))
    gain = constant - scores["mean"][best]
    assert scores["difference_se"][best] == 0
    assert error < gain < scores["se"][best]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("model", [L0AdditiveClassifier(bins=20), L0Classifier()])
def test_clear_effects_have_no_such_warning(model, seed):
    X, rng = noise(seed)[0], np.random.default_rng(seed)
    y = rng.random(180) < expit(2 * X[:, 0] - 2 * (X[:, 1] > 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(model.fit(X, y).summary())


@pytest.mark.parametrize("params", [{"one_standard_error": True}, {"lambda0": 2.0}, {"lambda0": [2.0, 1.0]}])
def test_other_choices_have_no_such_warning(params):
    X, y = noise(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        L0AdditiveClassifier(bins=20, **params).fit(X, y)
        L0AdditiveRegressor(bins=20).fit(X, X[:, 0] + 2 * X[:, 1] ** 2)
    assert not [each for each in caught if "standard error (" in str(each.message)]


@pytest.mark.parametrize("seed", [3, 7])
def test_a_column_that_fits_by_chance_has_one_warning(seed):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"code": rng.integers(0, 30, 200).astype(str), "x": rng.normal(size=200)})
    with pytest.warns(UserWarning, match="column 'code' is in the model with its 30") as caught:
        L0AdditiveClassifier(bins=20).fit(X, rng.random(200) < 0.3)
    assert len(caught) == 1
