"""Files that are truncated, edited or made to harm: a FormatError, and nothing else."""

import json

import numpy as np
import pytest

from thresher import FormatError, load_model

from .edits import FAMILIES
from .members import ESTIMATORS, every_case, every_estimator

FREE = {
    "library", "classes", "levels", "names", "name", "params", "targets",
    "vertices", "edges", "categories",
}  # fmt: skip
"""Entries whose values are the user's own (labels of any type, texts), and notes that no model reads."""


@pytest.fixture(scope="module")
def document():
    """The saved model of a case, fitted once."""
    known = {}

    def of(case):
        if case.name not in known:
            known[case.name] = case.fitted()[0].to_json()
        return known[case.name]

    return of


def refused(case, text):
    with pytest.raises(FormatError):
        case.estimator.from_json(text)


@every_case
def test_truncated_files(case, document, tmp_path):
    text = document(case)
    for end in range(1, len(text), max(1, len(text) // 40)):
        refused(case, text[:end])
    path = tmp_path / "cut.json"
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(FormatError, match="not a valid thresher model"):
        case.estimator.from_json(path)


@pytest.mark.parametrize(
    "text",
    ["{}", "[1]", "{]", "\ud800{", "{" * 100_000, "[" * 100_000, '{"a":' * 50_000],
    ids=["empty object", "list", "unbalanced", "surrogate", "deep objects", "deep lists", "deep entries"],
)
@every_estimator
def test_texts_that_are_no_model(case, text, tmp_path):
    refused(case, text)
    path = tmp_path / "model.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(FormatError, match="not a valid thresher model"):
        case.estimator.from_json(path)


@every_estimator
def test_files_that_are_not_there_or_no_text(case, tmp_path):
    with pytest.raises(FileNotFoundError):
        case.estimator.from_json(tmp_path / "absent.json")
    path = tmp_path / "noise.json"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(FormatError, match="no UTF-8 text"):
        case.estimator.from_json(path)


@every_case
def test_numbers_that_are_none(case, document):
    text = document(case)
    for number in ("NaN", "1e999", "-Infinity", "null", '"1"'):
        refused(case, text.replace('"intercept": ', f'"intercept": {number}, "was": '))


def places(value, path=()):
    """Every place in a document, but one of each list's entries: the others are of the same kind."""
    yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[-1], (*path, len(value) - 1))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def edited(text, path, change):
    """The document with one place changed."""
    document = json.loads(text)
    if not path:
        return json.dumps(change(document))
    parent = at(document, path[:-1])
    parent[path[-1]] = change(parent[path[-1]])
    return json.dumps(document)


def other_type(value):
    """A value of a type that the place cannot hold."""
    if isinstance(value, (dict, list)):
        return 3
    return {"surprise": [value]}


@every_case
def test_a_value_of_another_type_is_refused_everywhere(case, document):
    text = document(case)
    accepted = []
    for path in places(json.loads(text)):
        if not path or FREE.intersection(path):
            continue
        try:
            case.estimator.from_json(edited(text, path, other_type))
            accepted.append(path)
        except FormatError:
            continue
    assert not accepted


@every_case
def test_an_unknown_entry_is_refused_everywhere(case, document):
    text = document(case)
    for path in places(json.loads(text)):
        if isinstance(at(json.loads(text), path), dict) and "language" not in path:
            refused(case, edited(text, path, lambda value: {**value, "surprise": 1}))


@every_case
def test_another_version_format_or_task_is_refused(case, document):
    text = document(case)
    for path, value in [
        (("version",), 99),
        (("format",), "other"),
        (("model", "version"), 2),
        (("model", "format"), "thresher.other"),
        (("model", "outputs"), []),
        (("model", "outputs", 0, "points"), []),
        (("model", "outputs", 0, "selected"), 7),
        (("params",), {"unknown": 1}),
        (("params",), []),
        (("named",), "yes"),
        (("is_1d",), 1),
    ]:
        if path[0] in json.loads(text):
            refused(case, edited(text, path, lambda _, value=value: value))


@every_case
def test_damaged_bytes_never_crash(case, document):
    text = document(case).encode()
    X, _ = case.problem()
    rng = np.random.default_rng(0)
    for _ in range(100):
        damaged = bytearray(text)
        damaged[rng.integers(1, len(text))] = rng.integers(32, 127)
        try:
            load_model(damaged.decode()).predict(X)
        except (FormatError, ValueError, TypeError):
            continue


def own_edits():
    for case in ESTIMATORS:
        name = case.estimator.__name__
        family = max((start for start in FAMILIES if name.startswith(start)), key=len)
        for words, edit in FAMILIES[family]():
            yield pytest.param(case, edit, id=f"{name}-{words}")


@pytest.mark.parametrize(("case", "edit"), list(own_edits()))
def test_what_contradicts_itself_is_refused(case, edit, document):
    broken = json.loads(document(case))
    output = broken["model"]["outputs"][0]
    edit(broken, output, output["points"][0])
    refused(case, json.dumps(broken))
