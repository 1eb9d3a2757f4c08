"""Convex and concave step functions: the jumps from level to level ascend or descend."""

import json

import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher.cli import commands as cli

N = 500


def curves(seed=0):
    """Columns whose best functions are convex, concave, the opposite of what is asked, and straight."""
    r = np.random.default_rng(seed)
    X = pd.DataFrame(r.uniform(-3, 3, (N, 4)), columns=["cup", "cap", "root", "line"])
    y = X["cup"] ** 2 - X["cap"] ** 2 + 3 * np.sqrt(X["root"] + 3) + X["line"]
    return X, (y + 0.3 * r.normal(size=N)).to_numpy()


TRENDS = {"cup": "convex", "cap": "concave", "root": "convex", "line": "concave"}


def jumps_of(model, name):
    """The jumps between the levels of the numbers of a column."""
    [shape] = [shape for shape in model.shape_functions_ if shape.feature_name == name]
    return np.diff([step.value for step in shape.steps if not np.isnan(step.lower)])


def bends(jumps):
    """The differences of the jumps; small ones are 0."""
    found = np.diff(jumps)
    return np.where(np.abs(found) < 1e-7, 0, found)


def fitted(loss, X, y, **params):
    if loss == "squared":
        return t.L0AdditiveRegressor(**params).fit(X, y)
    return t.L0AdditiveClassifier(loss=loss, **params).fit(X, np.where(y > np.median(y), "b", "a"))


@pytest.mark.parametrize("loss", ["squared", "logistic", "exponential"])
@pytest.mark.parametrize(
    "params", [{}, {"min_bin_weight": 20.0}, {"lambda2": 0.5}, {"bins": 1000}, {"max_columns": 2}]
)
def test_jumps_are_in_order(loss, params):
    X, y = curves()
    given = {"lambda0": 3.0 if loss == "squared" else 1.0, "bins": 40, "ridge": 0.05, **params}
    model = fitted(loss, X, y, monotonic_cst=TRENDS, **given)
    for name in {shape.feature_name for shape in model.shape_functions_}:
        found = bends(jumps_of(model, name))
        assert (found >= 0).all() if TRENDS[name] == "convex" else (found <= 0).all()
    target = y if loss == "squared" else np.where(y > np.median(y), "b", "a")
    fresh = model.verify(X, target)
    assert fresh.primal == pytest.approx(model.objective_, rel=1e-9)
    assert fresh.dual == pytest.approx(model.certificate_.dual, rel=1e-7)
    wider = {name: {"convex": "valley", "concave": "peak"}[trend] for name, trend in TRENDS.items()}
    valley = fitted(loss, X, y, monotonic_cst=wider, **given)
    assert valley.certificate_.dual <= model.objective_ * (1 + 1e-9)


def test_a_jump_is_one_of_levels_whatever_their_distance():
    x = np.repeat([0.0, 1.0, 100.0, 101.0], 10)[:, None]
    y = np.repeat([0.0, 1.0, 2.0, 4.0], 10)
    free = t.L0AdditiveRegressor(lambda0=0.01, ridge=0.0).fit(x, y)
    convex = t.L0AdditiveRegressor(lambda0=0.01, ridge=0.0, monotonic_cst=["convex"]).fit(x, y)
    assert np.allclose(jumps_of(convex, "x0"), [1, 1, 2])
    assert convex.objective_ == pytest.approx(free.objective_)
    concave = t.L0AdditiveRegressor(lambda0=0.01, ridge=0.0, monotonic_cst=["concave"]).fit(x, y)
    # The line 1.3 k - 0.2 has the least squares.
    assert np.allclose(jumps_of(concave, "x0"), [1.3, 1.3, 1.3])
    assert concave.objective_ == pytest.approx(0.5 * 10 * (0.04 + 0.01 + 0.16 + 0.09) + 0.01 * 3)


def test_two_levels_have_both_trends():
    x = np.arange(60.0)[:, None]
    y = x[:, 0] // 30
    free = t.L0AdditiveRegressor(lambda0=0.5).fit(x, y)
    for trend in ("convex", "concave"):
        model = t.L0AdditiveRegressor(lambda0=0.5, monotonic_cst=[trend]).fit(x, y)
        assert model.objective_ == pytest.approx(free.objective_)
        assert len(jumps_of(model, "x0")) == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_concave_function_is_a_convex_one_turned_over(seed):
    X, y = curves(seed)
    other = {name: "concave" if trend == "convex" else "convex" for name, trend in TRENDS.items()}
    first = t.L0AdditiveRegressor(lambda0=3.0, monotonic_cst=TRENDS).fit(X, y)
    second = t.L0AdditiveRegressor(lambda0=3.0, monotonic_cst=other).fit(X, -y)
    assert second.objective_ == pytest.approx(first.objective_, rel=1e-9)
    assert np.allclose(second.predict(X), -first.predict(X))


def test_missing_values_and_codes_are_free():
    X, y = curves(2)
    x = X["cup"].to_numpy().copy()
    x[:40], x[40:80], x[80:100] = np.nan, -9999, 998
    model = t.L0AdditiveRegressor(lambda0=2.0, monotonic_cst=["convex"], special_codes=[-9999, 998])
    model.fit(x[:, None], y)
    [shape] = model.shape_functions_
    numbers = [step for step in shape.steps if not np.isnan(step.lower)]
    assert (bends(jumps_of(model, "x0")) >= 0).all()
    assert not any(step.missing or step.codes for step in numbers)
    assert model.verify(x[:, None], y).has_bound


def test_columns_of_one_bin_and_of_missing_values_alone():
    X, y = curves()
    X = X.assign(one=1.0, none=np.nan)
    trends = {**TRENDS, "one": "convex", "none": "concave"}
    model = t.L0AdditiveRegressor(lambda0=3.0, monotonic_cst=trends).fit(X, y)
    assert not {"one", "none"} & {shape.feature_name for shape in model.shape_functions_}
    assert model.verify(X, y).has_bound


def test_rows_of_weight_2_count_twice():
    X, y = curves(3)
    w = np.r_[np.full(100, 2.0), np.ones(300), np.zeros(100)]
    kept = np.repeat(np.arange(N), w.astype(int))
    given = {"lambda0": 3.0, "bins": None, "monotonic_cst": TRENDS}
    weighted = t.L0AdditiveRegressor(**given).fit(X, y, sample_weight=w)
    repeated = t.L0AdditiveRegressor(**given).fit(X.iloc[kept], y[kept])
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)


def test_verify_refuses_a_function_that_breaks_the_trend():
    X, y = curves()
    model = t.L0AdditiveRegressor(lambda0=3.0, monotonic_cst=TRENDS).fit(X, y)
    again = t.load_model(model.to_json())
    assert again.monotonic_cst == TRENDS
    assert np.array_equal(again.predict(X), model.predict(X))
    again.set_params(monotonic_cst={**TRENDS, "cup": "concave"})
    with pytest.raises(t.CertificateError, match=r"column 'cup': its values break monotonic_cst \(Concave\)"):
        again.verify(X, y)
    document = json.loads(model.to_json())
    [shape] = [s for s in document["model"]["outputs"][0]["points"][0]["shapes"] if s["feature"] == 0]
    shape["values"][1] += 0.5 * (shape["values"][0] - shape["values"][2])
    with pytest.raises(t.CertificateError):
        t.load_model(json.dumps(document)).verify(X, y)


def test_a_branch_and_bound_keeps_the_trend():
    X, y = curves()
    given = {"lambda0": 20.0, "bins": 10, "ridge": 0.1, "gap_tol": 0.01}
    model = t.L0AdditiveRegressor(**given, time_limit=5, monotonic_cst=TRENDS).fit(X, y)
    assert (bends(jumps_of(model, "cup")) >= 0).all()
    assert model.verify(X, y).dual <= model.objective_


@pytest.mark.parametrize("loss", ["squared", "logistic", "exponential"])
def test_edited_bins_have_the_best_values_with_the_trend(loss):
    X, y = curves()
    given = {"lambda0": 1.0, "bins": 40, "ridge": 0.05, "monotonic_cst": TRENDS}
    model = fitted(loss, X, y, **given)
    target = y if loss == "squared" else np.where(y > np.median(y), "b", "a")
    [shape] = [shape for shape in model.shape_functions_ if shape.feature_name == "root"]
    cuts = [step.upper for step in shape.steps if np.isfinite(step.upper)]
    same = model.edit_bins(X, target, {"root": cuts})
    assert same.price == pytest.approx(0, abs=1e-5 * model.objective_)
    candidates = json.loads(model.to_json())["model"]["features"][2]["cuts"]
    edited = model.edit_bins(X, target, {"root": candidates[::4]}).model
    assert (bends(jumps_of(edited, "root")) >= 0).all()
    assert edited.verify(X, target).primal == pytest.approx(edited.objective_, rel=1e-9)


def test_the_command_line_takes_them(tmp_path):
    X, y = curves()
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    given = ["--target", "y", "--model", "additive", "--lambda0", "5", "-o", str(tmp_path / "m.json")]
    trends = [f"{name}={trend}" for name, trend in TRENDS.items()]
    assert cli.main(["fit", str(tmp_path / "t.csv"), *given, "--monotonic-cst", *trends]) == 0
    model = t.load_model(tmp_path / "m.json")
    assert model.monotonic_cst == TRENDS
    assert (bends(jumps_of(model, "cup")) >= 0).all()
