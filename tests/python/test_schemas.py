"""The published schemas describe what is written, and nothing else is written."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import thresher
from thresher import L0AdditiveClassifier, L0Classifier

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schema"
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.json"))
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}


def resources():
    """Every schema under the name of its file and under its own address."""
    for name, schema in SCHEMAS.items():
        resource = Resource.from_contents(schema)
        yield name, resource
        if "$id" in schema:
            yield schema["$id"], resource


REGISTRY = Registry().with_resources(resources())


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
    assert faults(model._fitted.document, f"{name}-1.json") == []


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
