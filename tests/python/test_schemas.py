"""The published schemas describe what is written, and nothing else is written."""

import json
from pathlib import Path

import numpy as np
import pytest

import thresher
from thresher import L0AdditiveClassifier, L0Classifier

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schema"
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.json"))
KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def is_kind(value, kind):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind in ("number", "integer"):
        return number and (kind == "number" or float(value).is_integer())
    return isinstance(value, KINDS[kind])


def faults(value, schema, root, where="$"):
    """What of a document contradicts a schema: the keywords that these schemas use."""
    if "$ref" in schema:
        file, _, name = schema["$ref"].partition("#/$defs/")
        if file:
            root = json.loads((FOLDER / file).read_text(encoding="utf-8"))
        return faults(value, root["$defs"][name] if name else root, root, where)
    if "oneOf" in schema:
        found = [faults(value, option, root, where) for option in schema["oneOf"]]
        return [] if sum(not f for f in found) == 1 else [f"{where}: {min(found, key=len)}"]
    if "anyOf" in schema:
        return min((faults(value, option, root, where) for option in schema["anyOf"]), key=len)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_kind(value, kind) for kind in kinds):
        return [f"{where}: not {kinds}"]
    if "const" in schema and value != schema["const"]:
        return [f"{where}: not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: not in {schema['enum']}"]
    if "minimum" in schema and is_kind(value, "number") and value < schema["minimum"]:
        return [f"{where}: below {schema['minimum']}"]
    return [*_entries(value, schema, root, where), *_items(value, schema, root, where)]


def _entries(value, schema, root, where):
    if not isinstance(value, dict):
        return []
    known = schema.get("properties", {})
    found = [f"{where}: lacks {name}" for name in schema.get("required", []) if name not in value]
    if schema.get("additionalProperties") is False:
        found += [f"{where}: unknown {name}" for name in value if name not in known]
    for name in value.keys() & known.keys():
        found += faults(value[name], known[name], root, f"{where}.{name}")
    return found


def _items(value, schema, root, where):
    if not isinstance(value, list):
        return []
    if len(value) < schema.get("minItems", 0):
        return [f"{where}: too short"]
    each = schema.get("prefixItems") or [schema.get("items", {})] * len(value)
    return [
        f
        for k, (v, s) in enumerate(zip(value, each, strict=True))
        for f in faults(v, s, root, f"{where}[{k}]")
    ]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_models_of_every_kind_obey(path):
    model = json.loads(path.read_text(encoding="utf-8"))["model"]
    assert faults(model, {"$ref": "estimator-1.json"}, {}) == []


@pytest.mark.parametrize("kind", [L0Classifier, L0AdditiveClassifier])
def test_whole_paths_obey(kind):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = kind().fit(X, X[:, 0] > 0)
    name = "additive" if "Additive" in kind.__name__ else "linear"
    assert faults(model._fitted.document, {"$ref": f"{name}-1.json"}, {}) == []


@pytest.mark.parametrize("kind", ["linear", "additive"])
def test_edits_are_seen(kind):
    path = next(p for p in GOLDEN if {"linear": "l0-", "additive": "additive-"}[kind] in p.stem)
    model = json.loads(path.read_text(encoding="utf-8"))["model"]["model"]
    assert faults({**model, "surprise": 1}, {"$ref": f"{kind}-1.json"}, {})
    assert faults({**model, "version": 2}, {"$ref": f"{kind}-1.json"}, {})
    model["outputs"][0]["points"][0]["lambda0"] = "many"
    assert faults(model, {"$ref": f"{kind}-1.json"}, {})


def test_every_estimator_is_named():
    schema = json.loads((FOLDER / "estimator-1.json").read_text(encoding="utf-8"))
    names = set(schema["properties"]["estimator"]["enum"])
    assert all(hasattr(thresher, name) for name in names)
    assert {"L0Classifier", "L0AdditiveRegressor"} <= names
