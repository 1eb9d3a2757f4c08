"""Models in files: the same answers bit by bit, documents that the published schemas describe."""

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import thresher
from thresher import (
    FactorizationMachineRegressor,
    HierarchicalRuleRegressor,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    load_model,
)

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {"a b": RNG.normal(size=120), "c": RNG.choice(["u", "v", "w"], 120), "d": RNG.choice([1, 2], 120)}
)
FRAME.loc[::9, "a b"] = np.nan
Y = np.where(FRAME["c"] == "u", 2.0, 0.0) + (FRAME["a b"].to_numpy() > 0.3)


def models():
    yield "numbers", RuleRegressor(alpha=0.02, categorical_features=["c", "d"]).fit(FRAME, Y)
    yield "two targets", RuleRegressor(alpha=0.05).fit(FRAME, pd.DataFrame({"p": Y, "q": -Y}))
    yield (
        "arrays",
        RuleRegressor(bins=("intervals", 0.01), n_alphas=10, max_features=1).fit(
            FRAME[["a b"]].to_numpy(), Y
        ),
    )
    yield (
        "two classes",
        RuleClassifier(alpha=0.02, class_weight={"x": 2.0, "y": 1.0}).fit(FRAME, np.where(Y > 1, "x", "y")),
    )
    yield "three classes", RuleClassifier(alpha=0.02).fit(FRAME, Y.astype(int))
    yield "truths", RuleClassifier(alpha=0.02, loss="squared_hinge").fit(FRAME, Y > 1)


FITTED = dict(models())


def answers(model):
    X = FRAME if hasattr(model, "feature_names_in_") else FRAME[["a b"]].to_numpy()
    ask = getattr(model, "decision_function", model.predict)
    return [ask(X), model.predict(X), model.transform(X)]


def same(model, other):
    assert type(model) is type(other)
    for one, two in zip(answers(model), answers(other), strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)
    assert str(model.summary()) == str(other.summary())
    assert model.certificate_ == other.certificate_
    assert model.rules_ == other.rules_
    assert model.n_iter_ == other.n_iter_


@pytest.fixture(params=list(FITTED))
def model(request):
    return FITTED[request.param]


def test_json_round_trip(model, tmp_path):
    text = model.to_json()
    loaded = type(model).from_json(text)
    same(model, loaded)
    assert loaded.to_json() == text
    assert json.loads(text)["model"]["format"] == "thresher.rules"
    path = tmp_path / "model.json"
    model.to_json(path)
    same(model, type(model).from_json(path))
    same(model, load_model(str(path)))


def test_pickle_keeps_everything(model):
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        same(model, again)
        assert again.get_params() == model.get_params()
        assert len(again.path_) == len(model.path_)


@pytest.mark.parametrize(
    ("estimator", "strength"),
    [
        (RuleRegressor(), "alphas"),
        (L0Regressor(max_nonzero=2), "lambda0"),
        (L0AdditiveRegressor(), "lambda0"),
        (HierarchicalRuleRegressor(), "alphas"),
        (FactorizationMachineRegressor(rank=2, max_iter=20), "alphas"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_paths_are_pickled_and_copied(estimator, strength):
    X, y = FRAME[["a b"]].fillna(0.0), Y
    path = estimator.fit_path(X, y).path_
    wanted = getattr(path, strength)[1]
    for again in (pickle.loads(pickle.dumps(path)), copy.deepcopy(path)):
        assert repr(again) == repr(path)
        np.testing.assert_array_equal(again.objective, path.objective)
        np.testing.assert_array_equal(again.at(wanted).predict(X), path.at(wanted).predict(X))


def test_point_of_the_path_is_saved():
    path = FITTED["arrays"].path_
    early = path.at(path.alphas[2])
    loaded = RuleRegressor.from_json(early.to_json())
    assert loaded.alpha_ == early.alpha_
    same(early, loaded)
    same(early, pickle.loads(pickle.dumps(early)))


def test_bare_document_of_the_core_is_read():
    model = FITTED["two classes"]
    bare = json.dumps(json.loads(model.to_json())["model"])
    loaded = load_model(bare)
    np.testing.assert_array_equal(loaded.decision_function(FRAME), model.decision_function(FRAME))
    assert loaded.classes_.tolist() == ["x", "y"]


def test_objects_are_left_out_of_the_file():
    from sklearn.model_selection import KFold

    model = RuleRegressor(cv=KFold(3), n_alphas=5, max_features=1).fit(FRAME[["a b"]], Y)
    assert RuleRegressor.from_json(model.to_json()).cv == 5
    assert isinstance(pickle.loads(pickle.dumps(model)).cv, KFold)
    splits = [(np.arange(20), np.arange(20, 40))]
    saved = json.loads(RuleRegressor(alpha=0.1, cv=splits).fit(FRAME[["a b"]], Y).to_json())
    assert len(load_model(json.dumps(saved)).cv) == 1
    for nonsense, words in [
        ([1, 2], "split 0 is no pair"),
        ([[["a"], ["b"]]], "the train rows of split 0 are no list of row numbers"),
        ([[[0], [1]], [[0], [-3]]], "split 1 names the test row -3"),
        ([[[0], []]], "split 0 has no test rows"),
        ([], "there is no split in it"),
    ]:
        saved["params"]["cv"] = nonsense
        with pytest.raises(thresher.FormatError, match=f"parameter cv: {words}"):
            load_model(json.dumps(saved))


@pytest.mark.parametrize(
    "estimator",
    [
        L0Regressor(lambda0=0.1, lambda2=0.1, bounds=(0.0, np.inf)),
        L0Regressor(lambda0=0.1, bounds={"a b": (-np.inf, 0.1)}, time_limit=np.inf),
        L0Regressor(lambda0=range(1, 3), bounds=[(0, None), (None, 0)], cv=3),
        L0AdditiveRegressor(lambda0=0.5, exclude=["a b", 1], categorical_features=["c"]),
        L0AdditiveRegressor(lambda0=0.5, exclude=("a b",), bins={"d": (1.5,)}, special_codes=[]),
        L0AdditiveRegressor(lambda0=pd.Series([1.0, 0.5]), categorical_features=FRAME.columns[1:2], cv=3),
        RuleRegressor(alpha=0.1, bins=("uniform", 5), loss=("huber", 1.35)),
    ],
    ids=repr,
)
def test_parameters_are_read_back(estimator):
    X = FRAME[["a b", "d"]].fillna(0.0) if isinstance(estimator, L0Regressor) else FRAME
    given = estimator.fit(X, -Y).get_params()
    loaded = load_model(estimator.to_json())
    for name, value in loaded.get_params().items():
        wanted = given[name]
        if isinstance(wanted, (range, pd.Series, pd.Index)):
            wanted = list(wanted)
        assert repr(value) == repr(wanted), name
    loaded.verify(X, -Y)
    again = loaded.__class__(**loaded.get_params()).fit(X, -Y)
    np.testing.assert_array_equal(again.predict(X), estimator.predict(X))


def test_prediction_in_a_fresh_process(tmp_path):
    model = FITTED["numbers"]
    model.to_json(tmp_path / "model.json")
    FRAME.to_parquet(tmp_path / "rows.parquet")
    code = (
        "import sys, pandas, thresher\n"
        "rows = pandas.read_parquet(sys.argv[2])\n"
        "print([v.hex() for v in thresher.load_model(sys.argv[1]).predict(rows).tolist()])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model.json"), str(tmp_path / "rows.parquet")]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert found.strip() == str([v.hex() for v in model.predict(FRAME).tolist()])


def test_loaded_model_is_verified(model):
    loaded = type(model).from_json(model.to_json())
    targets = {"two targets": pd.DataFrame({"p": Y, "q": -Y}), "two classes": np.where(Y > 1, "x", "y"),
               "three classes": Y.astype(int), "truths": Y > 1}  # fmt: skip
    name = next(name for name, known in FITTED.items() if known is model)
    X = FRAME[["a b"]].to_numpy() if name == "arrays" else FRAME
    assert loaded.verify(X, targets.get(name, Y)).complete


def test_a_changed_coefficient_is_refused_by_verify():
    from thresher import CertificateError

    document = json.loads(FITTED["numbers"].to_json())
    document["model"]["outputs"][0]["points"][0]["intercept"] += 0.5
    with pytest.raises(CertificateError):
        RuleRegressor.from_json(json.dumps(document)).verify(FRAME, Y)


def test_texts_of_cut_points_of_an_earlier_file_are_not_used():
    X = np.arange(0.0, 80.0, 2.0)[:, None]
    model = RuleRegressor(alpha=0.05, bins=4, max_features=1).fit(X, X[:, 0] > 40)
    saved = json.loads(model.to_json())
    assert "cut_labels" not in saved
    cuts = saved["model"]["features"][0]["cuts"]
    earlier = {**saved, "cut_labels": [[[cut, "-1000"] for cut in cuts]]}
    loaded = RuleRegressor.from_json(json.dumps(earlier))
    assert [rule.text for rule in loaded.rules_] == [rule.text for rule in model.rules_]
    assert json.loads(loaded.to_json()) == saved


ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schema"
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.json"))
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}


# Each schema under its own address.
REGISTRY = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def faults(document, schema):
    """What of a document contradicts a schema."""
    validator = Draft202012Validator(SCHEMAS[schema], registry=REGISTRY)
    return [f"{error.json_path}: {error.message}"[:200] for error in validator.iter_errors(document)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_schemas(name):
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_models_of_every_kind_obey(path):
    model = json.loads(path.read_text(encoding="utf-8"))["model"]
    assert faults(model, "estimator-1.json") == []


@pytest.mark.parametrize("kind", [L0Classifier, L0AdditiveClassifier], ids=lambda kind: kind.__name__)
def test_whole_paths_obey(kind):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = kind().fit(X, X[:, 0] > 0)
    name = "additive" if "Additive" in kind.__name__ else "linear"
    document = json.loads(model._fitted.model.to_json())
    assert faults(document, f"{name}-1.json") == []


@pytest.mark.parametrize("kind", ["linear", "additive"])
def test_edits_are_seen(kind):
    path = next(p for p in GOLDEN if {"linear": "l0-", "additive": "additive-"}[kind] in p.stem)
    model = json.loads(path.read_text(encoding="utf-8"))["model"]["model"]
    assert faults({**model, "surprise": 1}, f"{kind}-1.json")
    assert faults({**model, "version": 2}, f"{kind}-1.json")
    model["outputs"][0]["points"][0]["lambda0"] = "many"
    assert faults(model, f"{kind}-1.json")


def test_every_estimator_is_named():
    names = set(SCHEMAS["estimator-1.json"]["properties"]["estimator"]["enum"])
    assert all(hasattr(thresher, name) for name in names)
    assert {"L0Classifier", "L0AdditiveRegressor"} <= names
