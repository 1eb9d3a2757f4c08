"""Models of the time when cut points were midpoints are verified; cut points at other places are refused."""

import json

import numpy as np
import pandas as pd
import pytest

from thresher import (
    CertificateError,
    HierarchicalRuleRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    RuleRegressor,
    load_model,
)

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "a": RNG.normal(size=200),
        "b": RNG.integers(0, 20, 200).astype(float),
        "c": RNG.choice(list("xyz"), 200),
    }
)
Y = (X["a"] > 0.3) + 1.0 * (X["b"] > 7) + 0.5 * (X["c"] == "x") + 0.2 * RNG.normal(size=200)
WEIGHTS = np.r_[np.zeros(30), RNG.uniform(0.5, 2.0, 170)]
_NUMBERS = {"features", "weights", "values", "means", "coef"}
"""Parts of a document without cut points, except the columns themselves."""


def with_cuts(model, change):
    """The file of a model whose cut points `change` moves, wherever they stand."""
    file = json.loads(model.to_json())
    document = file["model"]
    moved = []
    for feature in document["features"]:
        cuts = feature.get("cuts", [])
        own = change(feature["name"], cuts) if cuts else []
        moved.append(dict(zip(cuts, own, strict=True)))
        if own:
            feature["cuts"] = own

    def walk(value, place=None):
        if isinstance(value, dict):
            place = value.get("feature", place)
            return {name: own if name in _NUMBERS else walk(own, place) for name, own in value.items()}
        if isinstance(value, list):
            return [walk(own, place) for own in value]
        return moved[place].get(value, value) if isinstance(value, float) and place is not None else value

    return json.dumps({**file, "model": walk(document)})


def placed(fraction, column=None, rows=slice(None)):
    """Put cut points, of all columns or one, at a fraction of their gaps."""

    def change(name, cuts):
        values = np.unique(X[name][rows])
        gaps = np.searchsorted(values, cuts, side="right")
        at = values[gaps - 1] + fraction * (values[gaps] - values[gaps - 1])
        return list(cuts) if column not in (None, name) else at.tolist()

    return change


def shifted(_name, cuts):
    """Move a cut point over a value of training."""
    values = np.unique(X[_name])
    gap = int(np.searchsorted(values, cuts[-1], side="right"))
    return [*cuts[:-1], float(values[gap] / 2 + values[gap + 1] / 2)]


MODELS = [
    L0AdditiveRegressor(lambda0=1.0),
    L0AdditiveRegressor(lambda0=1.0, bins=8, gap_tol=1e-3),
    L0AdditiveRegressor(lambda0=1.0, bins=("intervals", 0.02)),
    L0AdditiveClassifier(lambda0=1.0, bins=10),
    HierarchicalRuleRegressor(alpha=0.05, tol=1e-2),
    HierarchicalRuleRegressor(alpha=0.05, tol=1e-2, bins=6),
]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_midpoints_are_verified_and_the_result_says_so(model, weights):
    y = np.where(Y > 1, "high", "low") if isinstance(model, L0AdditiveClassifier) else Y
    model.fit(X, y, weights)
    assert not model.verify(X, y, weights).has_own_cuts
    rows = slice(None) if weights is None else slice(30, None)
    earlier = load_model(with_cuts(model, placed(0.5, rows=rows)))
    proof = earlier.verify(X, y, weights)
    assert proof.has_own_cuts
    assert "over cut points of an earlier version" in str(proof)
    assert proof.primal == pytest.approx(model.certificate_.primal)
    few = [shifted] if model.bins in (6, 8, 10) else []  # there is a value to move over
    for change in (placed(0.45, "a", rows), placed(0.0, "a", rows), *few):
        with pytest.raises(
            CertificateError, match="the cuts, categories or range of these data are not those"
        ):
            load_model(with_cuts(model, change)).verify(X, y, weights)
    with pytest.raises(CertificateError):
        earlier.verify(X.assign(a=1.01 * X["a"]), y, weights)


def test_bounds_of_equal_width_are_verified():
    model = HierarchicalRuleRegressor(alpha=0.05, tol=1e-2, bins=("uniform", 5)).fit(X, Y)

    def bounds(name, cuts):
        low, high = X[name].min(), X[name].max()
        every = [low * (1 - k / 5) + high * (k / 5) for k in range(1, 5)]
        return [float(every[np.abs(np.array(every) - cut).argmin()]) for cut in cuts]

    assert load_model(with_cuts(model, bounds)).verify(X, Y).has_own_cuts


def test_rules_are_verified_over_their_own_cuts():
    model = RuleRegressor(alpha=0.02, max_features=2).fit(X, Y)
    assert load_model(with_cuts(model, placed(0.5))).verify(X, Y).complete
