"""Trends of step functions: rising or falling, with a peak, with a valley."""

import json

import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher.cli import commands as cli

N = 400


def waves(seed=0):
    """Columns whose best functions rise, fall, have a peak, have a valley, and go up and down."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame(r.uniform(-3, 3, (N, 5)), columns=["up", "down", "peak", "valley", "wave"])
    y = X["up"] - X["down"] - X["peak"] ** 2 + X["valley"] ** 2 + 2.0 * np.sin(2 * X["wave"])
    return X, (y + 0.2 * r.normal(size=N)).to_numpy()


def values_of(model, name):
    [shape] = [shape for shape in model.shape_functions_ if shape.feature_name == name]
    return [step.value for step in shape.steps if not np.isnan(step.lower)]


def turns(values):
    """The signs of the steps, each run once."""
    signs = np.sign(np.diff(values)).astype(int).tolist()
    return [sign for k, sign in enumerate(signs) if k == 0 or sign != signs[k - 1]]


@pytest.mark.parametrize("loss", ["squared", "logistic", "exponential"])
@pytest.mark.parametrize("least", [0.0, 20.0])
@pytest.mark.parametrize("bins", [40, 1000])
def test_the_data_choose_the_direction(loss, least, bins):
    X, y = waves()
    trends = {"up": "auto", "down": "auto", "peak": "peak", "valley": "valley", "wave": "peak"}
    kind, lambda0 = (t.L0AdditiveRegressor, 5.0) if loss == "squared" else (t.L0AdditiveClassifier, 1.0)
    y = y if loss == "squared" else np.where(y > np.median(y), "b", "a")
    given = {"lambda0": lambda0, "loss": loss, "min_bin_weight": least, "bins": bins}
    model = kind(**given, monotonic_cst=trends).fit(X, y)
    assert turns(values_of(model, "up")) == [1]
    assert turns(values_of(model, "down")) == [-1]
    assert turns(values_of(model, "peak")) == [1, -1]
    assert turns(values_of(model, "valley")) == [-1, 1]
    assert turns(values_of(model, "wave")) in ([1], [-1], [1, -1])
    fresh = model.verify(X, y)
    assert fresh.primal == pytest.approx(model.objective_, rel=1e-9)
    assert fresh.dual == pytest.approx(model.certificate_.dual, rel=1e-7)
    free = kind(**given).fit(X, y)
    assert free.certificate_.dual <= model.objective_ * (1 + 1e-9)


def test_a_direction_that_is_known_is_not_better_than_one_that_is_chosen():
    X, y = waves(1)
    for name, direction in (("up", 1), ("down", -1)):
        column = X[[name]]
        auto = t.L0AdditiveRegressor(lambda0=5.0, monotonic_cst=["auto"]).fit(column, y)
        fixed = t.L0AdditiveRegressor(lambda0=5.0, monotonic_cst=[direction]).fit(column, y)
        assert auto.objective_ == pytest.approx(fixed.objective_, rel=1e-9)
        other = t.L0AdditiveRegressor(lambda0=5.0, monotonic_cst=[-direction]).fit(column, y)
        assert auto.objective_ <= other.objective_


def test_a_function_that_rises_alone_has_a_peak_and_a_valley():
    x = np.arange(60.0)[:, None]
    y = x[:, 0] // 20
    for trend in (1, "auto", "peak", "valley", 0):
        model = t.L0AdditiveRegressor(lambda0=0.5, monotonic_cst=[trend]).fit(x, y)
        assert [step.text for step in model.shape_functions_[0].steps] == [
            "x0 <= 19",
            "19 < x0 <= 39",
            "x0 > 39",
        ]


def test_missing_values_and_codes_are_apart_from_a_trend():
    X, y = waves(2)
    x = X["peak"].to_numpy().copy()
    x[:40], x[40:80], x[80:100] = np.nan, -9999, 998
    model = t.L0AdditiveRegressor(lambda0=2.0, monotonic_cst=["peak"], special_codes=[-9999, 998])
    model.fit(x[:, None], y)
    numbers = [step for step in model.shape_functions_[0].steps if not np.isnan(step.lower)]
    assert turns([step.value for step in numbers]) == [1, -1]
    assert not any(step.missing or step.codes for step in numbers)
    assert model.verify(x[:, None], y).has_bound


@pytest.mark.parametrize("trend", [1, "auto", "peak", "convex"])
def test_few_missing_values_do_not_cost_a_column_with_a_trend(trend):
    r = np.random.default_rng(0)
    x = r.integers(18, 80, 2000).astype(float)
    y = np.where(r.random(2000) < 1 / (1 + np.exp(2 - 2 * (x > 50))), "bad", "good")
    x[r.choice(2000, 20, replace=False)] = np.nan
    given = {"lambda0": 5.0, "monotonic_cst": [trend], "min_bin_weight": 100}
    model = t.L0AdditiveClassifier(pos_label="bad", **given).fit(x[:, None], y)
    steps = model.shape_functions_[0].steps
    assert len([step for step in steps if not step.missing]) > 1
    assert [step.missing for step in steps][-1]
    assert model.verify(x[:, None], y).has_bound


def test_files_keep_trends(tmp_path):
    X, y = waves()
    trends = {"up": 1, "peak": "peak", "valley": "valley", "wave": "auto"}
    model = t.L0AdditiveRegressor(lambda0=5.0, monotonic_cst=trends).fit(X, y)
    again = t.load_model(model.to_json())
    assert again.monotonic_cst == trends
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.verify(X, y).has_bound
    document = json.loads(model.to_json())
    points = document["model"]["outputs"][0]["points"]
    [shape] = [shape for shape in points[0]["shapes"] if shape["feature"] == 2]
    shape["values"].reverse()
    shape["values"][0] = max(shape["values"]) + 1.0
    with pytest.raises(t.CertificateError):
        t.load_model(json.dumps(document)).verify(X, y)


@pytest.mark.parametrize("bad", ["up", 2, 0.5, None, [1], "PEAK"])
def test_bad_trends(bad):
    X, y = waves()
    with pytest.raises(ValueError, match=r"monotonic_cst: got .* 'valley', 'convex' or 'concave'"):
        t.L0AdditiveRegressor(lambda0=5.0, monotonic_cst={"up": bad}).fit(X, y)


def test_rules_know_directions_alone():
    X, y = waves()
    with pytest.raises(ValueError, match=r"give 1 .rising., -1 .falling. or 0 .free."):
        t.RuleRegressor(alpha=0.1, monotonic_cst={"up": "peak"}).fit(X, y)


def test_categories_have_no_trend():
    X, y = waves()
    with pytest.raises(ValueError, match="categorical and has no order"):
        t.L0AdditiveRegressor(lambda0=5.0, monotonic_cst={"c": "auto"}).fit(X.assign(c="x"), y)


def test_the_command_line_takes_trends(tmp_path):
    X, y = waves()
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    given = ["--target", "y", "--model", "additive", "--lambda0", "5", "-o", str(tmp_path / "m.json")]
    assert cli.main(["fit", str(tmp_path / "t.csv"), *given, "--monotonic-cst", "peak=peak", "up=auto"]) == 0
    model = t.load_model(str(tmp_path / "m.json"))
    assert model.monotonic_cst == {"peak": "peak", "up": "auto"}
