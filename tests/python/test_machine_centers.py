"""Factorization machines of columns whose means are far from 0 beside their spread."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from thresher import FactorizationMachineClassifier, FactorizationMachineRegressor, load_model

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(400, 3))
SIGNAL = 2 * Z[:, 0] * Z[:, 1] + Z[:, 2] + 0.3 * RNG.normal(size=400)
CLASSES = np.where(SIGNAL > 0, "yes", "no")


@pytest.mark.parametrize("params", [{"alpha": 0.01}, {"alpha": 0.01, "solver": "fista"}, {"refit": True}, {}])
@pytest.mark.parametrize(("offset", "spread"), [(1e6, 1.0), (2.46e6, 3.0), (48.1, 1e-4), (-1.76e9, 0.1)])
def test_offsets_do_not_matter(params, offset, spread):
    X = offset + spread * Z
    near = FactorizationMachineRegressor(rank=6, **params).fit(X - offset, SIGNAL)
    far = FactorizationMachineRegressor(rank=6, **params).fit(X, SIGNAL)
    assert far.score(X, SIGNAL) == pytest.approx(near.score(X - offset, SIGNAL), abs=1e-4)
    np.testing.assert_allclose(far.predict(X), near.predict(X - offset), atol=0.02)
    assert [i.column_indices for i in far.interactions_] == [i.column_indices for i in near.interactions_]
    labels = FactorizationMachineClassifier(alpha=0.01).fit(X, CLASSES)
    assert labels.score(X, CLASSES) > 0.9


@pytest.mark.parametrize(("offset", "spread"), [(48.1, 1e-4), (2.46e6, 3.0), (1e9, 1.0)])
def test_offsets_of_targets_do_not_matter(offset, spread):
    near = FactorizationMachineRegressor(alpha=0.01, rank=4).fit(Z, SIGNAL)
    far = FactorizationMachineRegressor(alpha=0.01, rank=4).fit(Z, offset + spread * SIGNAL)
    assert far.score(Z, offset + spread * SIGNAL) == pytest.approx(near.score(Z, SIGNAL), abs=1e-4)
    assert far.n_interactions_ == near.n_interactions_


def test_predictions_are_those_of_the_columns_less_their_centers():
    X = np.column_stack([2.46e6 + 3 * Z[:, 0], 2020 + 3 * Z[:, 1], Z[:, 2]])
    model = FactorizationMachineRegressor(alpha=0.01, rank=4).fit(X, SIGNAL)
    assert model.centers_[0] == pytest.approx(2.46e6, abs=1)
    assert len(repr(float(model.centers_[0]))) <= len("2460000.12")
    assert model.centers_[1:].tolist() == [0.0, 0.0]
    less = X - model.centers_
    [P], weights = model.factors_, np.triu(np.ones((3, 3)), 1)
    wanted = model.intercept_ + less @ model.coef_ + np.einsum("ni,nj,ij->n", less, less, weights * (P @ P.T))
    np.testing.assert_allclose(model.predict(X), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(sparse.csc_array(X)), model.predict(X))
    for other in (load_model(model.to_json()), FactorizationMachineRegressor.from_json(model.to_json())):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))


def test_texts_say_what_is_subtracted():
    X = pd.DataFrame({"day": 2.46e6 + 3 * Z[:, 0], "age": Z[:, 1], "dose": Z[:, 2]})
    model = FactorizationMachineRegressor(alpha=0.01, rank=4).fit(X, SIGNAL)
    center = model.centers_[0]
    assert f"(day less {center:.10g})" in str(model.summary())
    for row, explained in enumerate(model.explain(X[:20])):
        added = sum(part.value for part in explained.contributions)
        assert explained.intercept + added == pytest.approx(model.predict(X)[row], rel=1e-9)
        assert not any("other terms" in part.text for part in explained.contributions)
        own = [part.text for part in explained.contributions if part.feature == "day"]
        assert all(text.endswith(f", less {center:.10g}") for text in own)
    near = FactorizationMachineRegressor(alpha=0.01, rank=4).fit(X - X.mean(), SIGNAL)
    assert "less" not in str(near.summary())


def test_old_models_have_no_centers():
    document = json.loads(FactorizationMachineRegressor(alpha=0.01).fit(Z, SIGNAL).to_json())
    assert "centers" not in json.dumps(document)


def test_a_fit_continues_from_a_model_with_centers():
    X = 1e6 + Z
    model = FactorizationMachineRegressor(alpha=0.01, rank=4, tol=1e-9, max_iter=3000).fit(X, SIGNAL)
    before, centers = model.predict(X), model.centers_
    model.set_params(warm_start=True, max_iter=1, tol=1.0).fit(X + 3, SIGNAL)
    np.testing.assert_allclose(model.centers_, centers + 3, atol=0.02)
    np.testing.assert_allclose(model.predict(X + 3), before, atol=0.1)
    batches = FactorizationMachineRegressor(rank=4, solver="adagrad", penalty=None, batch_size=20)
    for _ in range(60):
        batches.partial_fit(X, SIGNAL)
    assert batches.score(X, SIGNAL) > 0.8


def test_a_column_that_has_lost_its_digits_is_named():
    X = pd.DataFrame({"day": 2.46e6 + 3 * Z[:, 0], "nanosecond": 1.76e18 + 1e5 * Z[:, 1], "age": Z[:, 2]})
    with pytest.warns(UserWarning, match="column nanosecond: the mean is more than 1e\\+12 times"):
        model = FactorizationMachineRegressor(alpha=0.01).fit(X, SIGNAL)
    assert model.score(X, SIGNAL) > 0.95
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FactorizationMachineRegressor(alpha=0.01).fit(X[["day", "age"]], SIGNAL)
