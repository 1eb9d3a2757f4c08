"""Columns of many categories without which a card has less held-out loss."""

import json
import re
import warnings

import numpy as np
import pytest

import thresher
from thresher import L0AdditiveClassifier, L0AdditiveRegressor, load_model

pd = pytest.importorskip("pandas")


def table(seed, n=2000, n_levels=200, n_noise=1):
    """A clear effect of the age, and columns of categories without any."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame({"age": r.integers(18, 90, n).astype(float)})
    for k in range(n_noise):
        X[f"code{k}"] = r.integers(0, n_levels, n).astype(str)
    return X, 0.4 * (X["age"] < 35).to_numpy(), r


def used(model):
    return [shape.feature_name for shape in model.shape_functions_]


@pytest.mark.parametrize("seed", range(3))
def test_a_code_of_many_levels_hides_no_effect(seed):
    X, f, r = table(seed)
    y = f + r.normal(size=len(f))
    model = L0AdditiveRegressor(bins=40).fit(X, y)
    assert (used(model), model.left_out_) == (["age"], ["code0"])
    given = L0AdditiveRegressor(bins=40, exclude=["code0"]).fit(X, y)
    assert given.left_out_ == []
    np.testing.assert_array_equal(model.predict(X), given.predict(X))
    assert model.certificate_.dual == given.certificate_.dual


def test_classes_and_limited_cards_too():
    X, f, r = table(2, n=3000)
    y = r.random(len(f)) < 0.2 + f
    for params in ({}, {"max_steps": 3}, {"loss": "exponential", "one_standard_error": True}):
        model = L0AdditiveClassifier(bins=40, **params).fit(X, y)
        assert (used(model), model.left_out_) == (["age"], ["code0"])


@pytest.mark.parametrize("share", [0.4, 0.8])
def test_levels_with_effects_stay(share):
    X, f, r = table(1)
    y = f + share * r.normal(size=200)[X["code0"].astype(int)] + r.normal(size=len(f))
    model = L0AdditiveRegressor(bins=40).fit(X, y)
    assert model.left_out_ == []
    assert "code0" in used(model)


def test_of_several_columns_that_which_helps_comes_back():
    X, f, r = table(2, n=3000, n_levels=60, n_noise=3)
    # One category among sixty has an effect, so that the column as a whole is doubtful.
    y = f + 1.2 * (X["code1"] == "7") + r.normal(size=len(f))
    model = L0AdditiveRegressor(bins=40).fit(X, y)
    assert model.left_out_ == ["code0", "code2"]
    assert set(used(model)) == {"age", "code1"}


@pytest.mark.filterwarnings("ignore")
def test_nothing_else_is_compared(monkeypatch):
    calls = []
    fit = thresher._native.fit_additive
    monkeypatch.setattr(thresher._native, "fit_additive", lambda *given: calls.append(0) or fit(*given))
    X, f, r = table(0, n=400)
    y = f + r.normal(size=len(f))
    few = X.assign(code0=r.integers(0, 9, len(X)).astype(str))
    for model, rows in (
        (L0AdditiveRegressor(bins=20), few),  # few categories
        (L0AdditiveRegressor(lambda0=3.0), X),  # nothing to choose
        (L0AdditiveRegressor(bins=20, exclude=["code0"]), X),
        (L0AdditiveRegressor(bins=20), X[["code0"]]),  # no other column
    ):
        calls.clear()
        assert model.fit(rows, y).left_out_ == []
        assert len(calls) == 1
    assert L0AdditiveRegressor().fit_path(X, y).left_out_ == []


def test_what_was_left_out_is_saved_said_and_verified(tmp_path):
    X, f, r = table(3)
    y = f + r.normal(size=len(f))
    model = L0AdditiveRegressor(bins=40, gap_tol=0.05).fit(X, y)
    assert model.left_out_ == ["code0"]
    assert "Left out, since the held-out error is lower without: 'code0'." in str(model.summary())
    model.to_json(tmp_path / "m.json")
    for found in (model, load_model(tmp_path / "m.json"), model.path_.at(model.lambda0_)):
        assert found.left_out_ == ["code0"]
        assert found.verify(X, y).dual == pytest.approx(model.certificate_.dual)
    assert [column.feature_name for column in model.drop_column_importance(X, y).columns_] == ["age"]
    np.testing.assert_array_equal(model.predict(X[["age"]]), model.predict(X))
    with pytest.raises(ValueError, match="the comparison of strengths left column 'code0' out"):
        model.edit_bins(X, y, {"code0": [["1", "2"], ...]})
    envelope = json.loads((tmp_path / "m.json").read_text())
    for places in ([5], [1, 1], ["code0"], 1):
        with pytest.raises(thresher.FormatError, match="'left_out' must be a list of positions"):
            L0AdditiveRegressor.from_json(json.dumps({**envelope, "left_out": places}))


def test_the_comparisons_share_the_time(monkeypatch):
    limits = []
    fit = thresher._native.fit_additive

    def timed(problem, payload, *others):
        limits.append(json.loads(payload)["time_limit"])
        return fit(problem, payload, *others)

    monkeypatch.setattr(thresher._native, "fit_additive", timed)
    X, f, r = table(4, n=500, n_levels=60, n_noise=2)
    L0AdditiveRegressor(bins=20, time_limit=1000).fit(X, f + r.normal(size=len(f)))
    # With both, without both, and with each of them; what a fit leaves of its part is for the next ones.
    np.testing.assert_allclose(limits, [250, 333, 500, 1000], rtol=0.05)


def test_a_card_without_steps_names_such_a_column():
    X, _, r = table(0, n=300)
    with pytest.warns(UserWarning, match=r"A model without the many categories of 'code0' is no better$"):
        model = L0AdditiveRegressor(bins=40).fit(X[["code0"]].assign(other=0.0), r.normal(size=300))
    assert model.shape_functions_ == []


def test_a_checkpoint_keeps_each_comparison(tmp_path):
    X, f, r = table(0, n=500, n_levels=60)
    y = f + r.normal(size=len(f))
    model = L0AdditiveRegressor(bins=20).fit(X, y, checkpoint=tmp_path)
    assert model.left_out_ == L0AdditiveRegressor(bins=20).fit(X, y).left_out_ == ["code0"]
    assert not list(tmp_path.glob("searches-*"))
    assert L0AdditiveRegressor(bins=20).fit(X, y, checkpoint=tmp_path).left_out_ == ["code0"]


def test_no_advice_concerns_a_column_that_was_left_out():
    r = np.random.default_rng(2)
    X = pd.DataFrame({"age": r.normal(size=600), "code": r.integers(0, 500, 600).astype(str)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = L0AdditiveRegressor(bins=20).fit(X, 2.0 * (X.age > 0) + r.normal(size=600))
    assert model.left_out_ == ["code"]


@pytest.mark.filterwarnings("ignore:column 'code0'")
def test_a_fit_without_a_comparison_lets_bins_of_such_a_column_be_edited():
    X, f, r = table(2, n=3000)
    y = r.random(len(f)) < 0.2 + f
    model = L0AdditiveClassifier(bins=40).fit(X, y)
    bins = {"code0": [["7"], ...]}
    message = re.escape(f"fit with lambda0={model.lambda0_!r}, ridge={model.ridge_!r}, which compares none")
    with pytest.raises(ValueError, match=message):
        model.edit_bins(X, y, bins)
    again = L0AdditiveClassifier(bins=40, lambda0=model.lambda0_, ridge=model.ridge_).fit(X, y)
    assert again.left_out_ == []
    assert "code0" in used(again.edit_bins(X, y, bins).model)
