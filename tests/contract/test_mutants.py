"""Saved models with damage of every kind: what is read answers, or says why not; nothing else comes out."""

from __future__ import annotations

import contextlib
import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thresher
from thresher import CertificateError, FormatError

from .mutants import Mutator

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
SUMMARIES = ("text", "columns", "to_markdown", "to_latex", "_repr_html_", "to_frame")
DATA = (ValueError, TypeError)
"""What a call with data may raise: a damaged model may have other columns or levels than the data."""


class Golden:
    """A golden model with its rows."""

    def __init__(self, path: Path) -> None:
        content = json.loads(path.read_text(encoding="utf-8"))
        self.mutator = Mutator(content["model"])
        rows = content.get("rows")
        self.X: Any = content.get("records")
        if rows is not None:
            numbers = {name: float for name in rows["columns"] if name != "colour"}
            self.X = pd.DataFrame(rows["data"], columns=rows["columns"]).astype(numbers)
        self.y = np.resize(content["model"]["model"].get("classes") or [0.0, 1.0], len(self.X))


@pytest.fixture(scope="module")
def golden():
    return [Golden(path) for path in GOLDEN]


def read(content: bytes) -> Any:
    """The model of a damaged file; None where it is refused, in one short line."""
    try:
        return thresher.load_model(content.decode())
    except UnicodeDecodeError:
        return None
    except FormatError as error:
        message = str(error)
    except OSError as error:  # a text that no longer begins like JSON is the name of a file
        message = str(error)[:99] if not content.lstrip().startswith((b"{", b"[")) else "\n"
    assert "\n" not in message
    assert len(message.encode()) < 2000
    return None


def check_answers(model: Any, X: Any, y: Any, *, thoroughly: bool) -> None:
    """Everything that reads a model, with data and without."""
    text = model.to_json()
    assert thresher.load_model(text).to_json() == text
    summary = model.summary()
    for form in SUMMARIES if thoroughly else SUMMARIES[:2]:
        getattr(summary, form)()
    repr((model, summary, getattr(model, "certificate_", None), getattr(model, "path_", None)))
    for name in ("get_rules", "get_patterns", "score_card"):
        if hasattr(model, name):
            str(getattr(model, name)())
    for name in ("predict", "decision_function", "predict_proba", "transform", "explain"):
        if hasattr(model, name):
            try:
                answers = getattr(model, name)(X if name != "explain" else X[:2])
            except UnicodeError:
                raise
            except DATA:
                continue
            if name in ("decision_function", "predict_proba") or (
                name == "predict" and model._task == "regression"
            ):
                assert np.isfinite(answers).all(), name
    check_cards(model, X, y)
    if thoroughly:
        pickle.loads(pickle.dumps(model))
        for name, arguments in (("price", ("weight > 0",)), ("near_ties", ()), ("verify", (X, y))):
            if hasattr(model, name):
                with pytest.raises((*DATA, CertificateError)):
                    getattr(model, name)(*arguments)


def check_cards(model: Any, X: Any, y: Any) -> None:
    """Binning tables, and score cards in points with their files and code."""
    if not hasattr(model, "binning_table"):
        return
    with contextlib.suppress(*DATA):
        str(model.binning_table(X, y))
    if hasattr(model, "scaled_card"):
        with contextlib.suppress(*DATA):
            card = model.scaled_card()
            assert thresher.load_model(card.to_json()).to_json() == card.to_json()
            str((card, card.reasons(X), card.monitor(X, X)))
            assert np.abs(card.rounding_error(X)).max() <= card.max_error + 1e-6


def check_mutants(golden: list[Golden], seeds: range) -> None:
    refused = 0
    for seed in seeds:
        own = golden[seed % len(golden)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                model = read(own.mutator.mutant(seed))
                if model is not None:
                    check_answers(model, own.X, own.y, thoroughly=seed % 9 == 0)
            except BaseException as error:
                error.add_note(f"seed {seed}, {GOLDEN[seed % len(GOLDEN)].stem}")
                raise
        refused += model is None
    assert 0.5 < refused / len(seeds) < 0.99


def test_damaged_models(golden):
    check_mutants(golden, range(1500))


@pytest.mark.slow
def test_many_damaged_models(golden):
    check_mutants(golden, range(1500, 6_000))


def edited(path: Path, edit: Any) -> str:
    document = json.loads(path.read_text(encoding="utf-8"))["model"]
    output = document["model"]["outputs"][0]
    edit(document, output, output["points"][0])
    return json.dumps(document)


def params(**changes: Any) -> Any:
    return lambda d, o, p: d["params"].update(changes)


def point(**changes: Any) -> Any:
    return lambda d, o, p: p.update(changes)


def shape(**changes: Any) -> Any:
    return lambda d, o, p: p["shapes"][0].update(changes)


def weights(weight: float) -> Any:
    return lambda d, o, p: p["shapes"][0].update(
        weights=[weight] * len(p["shapes"][0]["weights"]), missing=None
    )


HUGE = [[0, 1.7e308], [1, 1.7e308]]
NAMED = [
    ("regression-monotone", "a parameter without pairs", params(monotonic_cst={"pairs": None})),
    ("regression-monotone", "a pair of one", params(monotonic_cst={"pairs": [["weight"]]})),
    ("regression-monotone", "a list as a key", params(monotonic_cst={"pairs": [[[], 1]]})),
    ("regression-monotone", "a parameter of another type", params(alpha=[])),
    ("regression-monotone", "an infinite parameter", params(alpha=10**400)),
    ("regression-hierarchical", "endless memory", params(memory_limit=float("inf"))),
    ("additive-exponential", "a list as a loss", params(loss=[])),
    ("additive-regression", "weights below 0", weights(-1.0)),
    ("additive-regression", "weights of 0", weights(0.0)),
    (
        "additive-three-classes",
        "a missing value of no piece",
        shape(missing={"value": 9.5, "weight": 1.0, "apart": False}),
    ),
    (
        "additive-regression",
        "steps too large to add",
        lambda d, o, p: [s.update(values=[1.7e308] * len(s["values"]), missing=None) for s in p["shapes"]],
    ),
    ("logistic", "coefficients too large to add", point(terms=HUGE)),
    ("hierarchical", "coefficients too large to add", point(terms=HUGE)),
    ("l0-logistic", "an intercept too large to add", point(intercept=1.7e308, coef=HUGE[:1])),
    (
        "sequence-three-classes",
        "no counts of classes",
        lambda d, o, p: o["terms"][0].update(n_rows_per_class=[]),
    ),
    ("two-targets", "names of targets that are lists", lambda d, o, p: d.update(targets=[[], {}])),
    ("regression", "half of a surrogate pair", params(categorical_features=["\ud800"])),
    (
        "regression",
        "half of a surrogate pair in a name",
        lambda d, o, p: d["model"]["features"][0].update(name="\ud800"),
    ),
    ("regression", "lists within lists", params(bins=json.loads("[" * 400 + "]" * 400))),
    ("regression", "a library of no name", lambda d, o, p: d.update(library=[1])),
]


@pytest.mark.parametrize(("name", "words", "edit"), NAMED, ids=[f"{n}-{w}" for n, w, _ in NAMED])
def test_what_came_through_once(name, words, edit):
    [path] = [path for path in GOLDEN if path.stem == f"0.1.0-{name}"]
    with pytest.raises(FormatError):
        thresher.load_model(edited(path, edit))


def test_a_name_of_two_lines_is_quoted_in_one():
    with pytest.raises(FileNotFoundError, match=r"^there is no file '\\n\"'$"):
        thresher.load_model('\n"')


def test_a_key_that_comes_twice_is_refused():
    text = json.dumps(json.loads(GOLDEN[0].read_text(encoding="utf-8"))["model"])
    with pytest.raises(FormatError, match="twice"):
        thresher.load_model(text.replace('"version"', '"version": 1, "version"', 1))


@pytest.mark.parametrize("depth", [100, 200, 600, 900, 3000, 100_000])
@pytest.mark.parametrize(("before", "after"), [("[", "]"), ('{"pairs": [["x", ', "]]}")])
@pytest.mark.parametrize("name", ["params", "bins"])
def test_whatever_is_nested_deeply_is_refused(name, before, after, depth):
    [path] = [path for path in GOLDEN if path.stem == "0.1.0-regression"]
    envelope = json.loads(path.read_text(encoding="utf-8"))["model"]
    (envelope if name == "params" else envelope["params"])[name] = "here"
    text = json.dumps(envelope).replace('"here"', before * depth + "1" + after * depth)
    with pytest.raises(FormatError):
        thresher.load_model(text)


@pytest.mark.parametrize("features", [1.5, None, [1], {}])
def test_a_bare_document_with_other_features(features):
    [path] = [path for path in GOLDEN if path.stem == "0.1.0-regression"]
    document = json.loads(path.read_text(encoding="utf-8"))["model"]["model"]
    with pytest.raises(FormatError):
        thresher.load_model(json.dumps({**document, "features": features}))


def test_the_loss_of_the_fit_decides_over_a_changed_parameter():
    [path] = [path for path in GOLDEN if path.stem == "0.1.0-squared-hinge"]
    model = thresher.load_model(edited(path, lambda d, o, p: d["params"].update(loss="logistic")))
    assert not hasattr(model, "predict_proba")
    assert "log-odds" not in str(model.summary())


def test_a_prediction_that_is_not_finite_is_an_error():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = thresher.L0Regressor(lambda0=0.1).fit(X, 1e9 * X[:, 0])
    with pytest.raises(ValueError, match="the terms of row 1 are too large to be added up"):
        model.predict([[1.0], [1.7e308]])


ABSENT = "absent"


@pytest.mark.parametrize(
    "damage",
    [
        {name: ABSENT} for name in ("json", "params", "extra", "classes", "version")
    ] + [
        {"params": None}, {"params": {"alpha": 1}}, {"extra": {"predict": 1}}, {"json": 3}, {"json": "{}"},
        {"json": "[" * 9999}, {"classes": "ab"}, {"classes": np.array(["a"])},
    ],
)  # fmt: skip
def test_a_damaged_pickle_is_refused_and_changes_nothing(damage):
    X = np.arange(40.0)[:, None]
    model = thresher.RuleClassifier(alpha=0.05).fit(X, X[:, 0] > 20)
    state = model.__getstate__()
    state = {
        name: value
        for name, value in {**state, **damage}.items()
        if not isinstance(value, str) or value != ABSENT
    }
    before = dict(model.__dict__)
    with pytest.raises(FormatError):
        model.__setstate__(state)
    assert model.__dict__ == before
    with pytest.raises(FormatError):
        model.__setstate__(None)


READING = """
import resource, sys, thresher
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kB, the most so far
thresher.load_model(sys.argv[1])
before = used()
try:
    thresher.load_model(sys.argv[2])
except thresher.FormatError:
    print(used() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("regression", params(alpha=[0] * 3_000_000)),
        ("regression", params(monotonic_cst=[[]] * 2_000_000)),
        ("two-targets", lambda d, o, p: d.update(targets=[""] * 2_000_000)),
        ("hierarchical", point(hull=list(range(800_000)))),
        ("regression", point(terms=[[0, 1]] * 1_000_000)),
    ],
)
def test_a_refused_file_takes_little_memory(name, edit, tmp_path):
    [path] = [path for path in GOLDEN if path.stem == f"0.1.0-{name}"]
    small, large = tmp_path / "small.json", tmp_path / "large.json"
    small.write_text(edited(path, lambda *_: None))
    large.write_text(edited(path, edit))
    command = [sys.executable, "-c", READING, str(small), str(large)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert int(found.stdout) * 1024 < 4 * large.stat().st_size + (16 << 20)


def wide(content: str) -> bytes:
    """A content as UTF-8, with one character that Python stores in four bytes, and all others with it."""
    return content.replace("@", "\N{GRINNING FACE}" + "a" * 3_000_000).encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        lambda d, o, p: d.update(estimator="@"),
        lambda d, o, p: d["params"].update(loss="@"),
        lambda d, o, p: d["model"].update(loss="@"),
        lambda d, o, p: d["params"].update(categorical_features=["@"]),
    ],
)
def test_a_wide_text_takes_little_memory(edit, tmp_path):
    [path] = [path for path in GOLDEN if path.stem == "0.1.0-regression"]
    small, large = tmp_path / "small.json", tmp_path / "large.json"
    small.write_text(edited(path, lambda *_: None))
    large.write_bytes(wide(edited(path, edit)))
    command = [sys.executable, "-c", READING, str(small), str(large)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert int(found.stdout) * 1024 < 4 * large.stat().st_size + (16 << 20)


def test_characters_of_every_width_are_read_as_they_were_written(tmp_path):
    names = [
        "plain",
        "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
        "\u4e2d\u6587",
        "\N{GRINNING FACE} \\u0041",
        '"\\',
    ]
    X = pd.DataFrame({name: np.arange(20.0) % (j + 2) for j, name in enumerate(names)})
    model = thresher.RuleRegressor(alpha=0.01).fit(X, X.sum(axis=1))
    path = tmp_path / "model.json"
    path.write_text(model.to_json(), encoding="utf-8")
    again = thresher.load_model(path)
    assert list(again.feature_names_in_) == names
    assert again.to_json() == model.to_json()
