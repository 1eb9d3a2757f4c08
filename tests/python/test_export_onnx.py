"""Models as ONNX graphs, run by onnxruntime."""

import sys

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as t
from thresher.export.build import formula_of
from thresher.export.pipelines import register_converters

from .exported import KINDS, agree, case, run_onnx


@pytest.mark.parametrize("kind", KINDS)
def test_onnx_gives_the_bits_of_predict(kind):
    model, rows, wanted = case(kind)
    agree(wanted, run_onnx(model.to_onnx(), formula_of(model), rows), exact=kind != "machine-subsets")


def run(graph, **feeds):
    """The outputs of a graph by name."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return dict(zip([value.name for value in session.get_outputs()], session.run(None, feeds), strict=True))


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_a_matrix_without_names_is_one_input(n_classes):
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, size=(200, 6)).astype(float)
    X[::7, 1] = np.nan
    y = X[:, 3] + 2.0 * (np.nan_to_num(X[:, 1]) > 0)
    if n_classes:
        y = np.digitize(y, [0.0, 1.0][: n_classes - 1])
        model = t.RuleClassifier(alpha=0.01, max_features=2).fit(X, y)
    else:
        model = t.RuleRegressor(alpha=0.01, max_features=2).fit(X, y)
    found = run(model.to_onnx(), X=X)
    np.testing.assert_array_equal(np.ravel(found["prediction"]), model.predict(X))
    if n_classes:
        assert found["prediction"].dtype == np.int64
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), rtol=1e-12)


def test_columns_may_have_the_names_of_outputs():
    X = pd.DataFrame({"prediction": np.arange(40.0), "thresher v0": np.arange(40.0) ** 2})
    model = t.L0Regressor(lambda0=0.1).fit(X, X["prediction"] + X["thresher v0"])
    feeds = {name: X[[name]].to_numpy() for name in X}
    np.testing.assert_allclose(run(model.to_onnx(), **feeds)["prediction (thresher)"][:, 0], model.predict(X))


def test_an_empty_name_is_refused():
    X = pd.DataFrame({"": np.arange(40.0), "z": np.arange(40.0) % 3})
    model = t.RuleRegressor(alpha=0.02).fit(X, X[""] > 20)
    with pytest.raises(ValueError, match="the name '' cannot be expressed in ONNX; rename the column"):
        model.to_onnx()


@pytest.mark.parametrize("kind", ["RuleClassifier", "L0AdditiveClassifier", "FactorizationMachineRegressor",
                                  "HierarchicalRuleClassifier", "L0Regressor"])  # fmt: skip
def test_a_pipeline_is_converted_by_skl2onnx(kind):
    """The scaler works in single precision unless its input is double."""
    register_converters()
    X = np.random.default_rng(0).normal(size=(200, 5)) * 100
    y = X[:, 0] - X[:, 1] + 50 * (X[:, 2] > 0)
    y = y if kind.endswith("Regressor") else np.where(y > 0, "above", "below")
    pipeline = make_pipeline(StandardScaler(), getattr(t, kind)()).fit(X, y)
    graph = skl2onnx.to_onnx(pipeline, X[:1])
    found = run(graph, X=X)
    first, *others = found.values()
    if kind.endswith("Regressor"):
        np.testing.assert_allclose(first[:, 0], pipeline.predict(X), rtol=1e-9)
    else:
        np.testing.assert_array_equal(first, pipeline.predict(X))
        wanted = pipeline.predict_proba(X) if hasattr(pipeline, "predict_proba") else None
        wanted = pipeline.decision_function(X)[:, None] if wanted is None else wanted
        [map_or_matrix] = others
        if isinstance(map_or_matrix, list):
            map_or_matrix = np.array([[row[label] for label in pipeline.classes_] for row in map_or_matrix])
        np.testing.assert_allclose(map_or_matrix, wanted, rtol=1e-9)


CALIBRATED = {
    "rules": t.RuleClassifier(alpha=0.02, max_features=2),
    "squared hinge": t.RuleClassifier(alpha=0.02, max_features=1, loss="squared_hinge"),
    "machine": t.FactorizationMachineClassifier(alpha=0.01),
    "card": t.L0AdditiveClassifier(lambda0=1.0),
    "subset": t.L0Classifier(lambda0=1.0),
    "hierarchy": t.HierarchicalRuleClassifier(alpha=0.05),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", CALIBRATED)
def test_a_calibrated_classifier_is_converted(kind, n_classes, dtype):
    """scikit-learn calibrates decision values, not probabilities."""
    register_converters()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).astype(dtype)
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-0.5, 0.5][: n_classes - 1])
    model = CalibratedClassifierCV(CALIBRATED[kind], cv=2).fit(X, y)
    graph = skl2onnx.to_onnx(model, X[:1], options={id(model): {"zipmap": False}})
    found = run(graph, X=X)
    digits = {"rtol": 1e-9} if dtype == np.float64 else {"atol": 1e-5}
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), **digits)
    sure = np.sort(model.predict_proba(X), axis=1)
    sure = sure[:, -1] - sure[:, -2] > 1e-4
    np.testing.assert_array_equal(found["label"][sure], model.predict(X)[sure])


@pytest.mark.parametrize("outer", [
    lambda base: BaggingClassifier(base, n_estimators=2, random_state=0),
    lambda base: VotingClassifier([("a", base), ("b", clone(base))], voting="soft", flatten_transform=False),
    lambda base: StackingClassifier([("a", base)], cv=2),
    OneVsRestClassifier,
], ids=["bagging", "voting", "stacking", "one against the rest"])  # fmt: skip
@pytest.mark.parametrize("n_classes", [2, 3])
def test_ensembles_are_converted(outer, n_classes):
    register_converters()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-0.5, 0.5][: n_classes - 1])
    model = outer(t.RuleClassifier(alpha=0.02, max_features=2)).fit(X, y)
    found = run(skl2onnx.to_onnx(model, X[:1], options={id(model): {"zipmap": False}}), X=X)
    label, probabilities = found.values()
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(label, model.predict(X))


def test_options_of_a_classifier():
    register_converters()
    X = np.random.default_rng(0).normal(size=(100, 2))
    model = t.RuleClassifier(alpha=0.02, max_features=1).fit(X, np.where(X[:, 0] > 0, "b", "a"))
    found = run(skl2onnx.to_onnx(model, X[:1], options={id(model): {"zipmap": False}}), X=X)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), atol=1e-12)
    options = {id(model): {"zipmap": False, "raw_scores": True}}
    found = run(skl2onnx.to_onnx(model, X[:1], options=options), X=X)
    np.testing.assert_allclose(found["probabilities"][:, 1], model.decision_function(X), rtol=1e-12)


def test_a_pipeline_cannot_give_texts():
    register_converters()
    model, _, _ = case("rules-missing")
    with pytest.raises(ValueError, match="encode them in the pipeline, or use to_onnx of the model alone"):
        skl2onnx.to_onnx(model, np.zeros((1, 8)))


def test_without_onnx_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'thresher\[onnx\]'"):
        case("card")[0].to_onnx()
