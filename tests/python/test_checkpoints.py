"""Checkpoints of `fit_many`: what is done is not done again, and nothing is half-written."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import KFold

from batch_data import OwnRules, Slow, problem, targets_of_one_table
from contract.data import GRAPHS, ITEMSETS, SEQUENCES
from contract.members import CASES
from thresher import (
    GraphRegressor,
    ItemsetClassifier,
    L0Classifier,
    RuleClassifier,
    RuleRegressor,
    SequenceRegressor,
    fit_many,
)
from thresher.model_io import fingerprint

from .test_batches import content

RULES = RuleRegressor(alpha=0.02, max_features=2)
TASKS = targets_of_one_table(5)
UNIX = pytest.mark.skipif(
    sys.platform == "win32", reason="this operating system has other signals and limits"
)
TESTS = str(Path(__file__).parents[1])


@pytest.fixture
def folder(tmp_path):
    """A folder with the finished tasks."""
    fit_many(RULES, TASKS, checkpoint=tmp_path / "done", n_jobs=1)
    return tmp_path / "done"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def stamps(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_the_home_folder_is_one(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    fit_many(RULES, TASKS[:1], checkpoint="~/done")
    assert names(tmp_path) == ["done"]
    assert names(tmp_path / "done") == ["task-0.jsonl"]


def test_a_second_call_fits_what_is_missing(folder):
    assert names(folder) == [f"task-{k}.jsonl" for k in range(5)]
    expected = [content(clone(RULES).fit(*task)) for task in TASKS]
    (folder / "task-1.jsonl").unlink()
    (folder / "task-4.jsonl").unlink()
    before = stamps(folder)
    models = fit_many(RULES, iter(TASKS), checkpoint=str(folder), n_jobs=2)
    assert list(map(content, models)) == expected
    after = stamps(folder)
    assert {name: after[name] for name in before} == before
    assert len(after) == 5
    ordered = fit_many(RULES, iter(TASKS), checkpoint=folder, return_as="generator")
    assert list(map(content, ordered)) == expected
    assert stamps(folder) == after


def test_files_have_the_names_of_tasks(tmp_path):
    tasks = dict(zip(["a/b", "A/B", "a-b", "ä" * 300, ("x", 1), 7], TASKS[:1] * 6, strict=True))
    models = fit_many(RULES, tasks, checkpoint=tmp_path, n_jobs=1)
    assert len(names(tmp_path)) == 6
    assert "task-7.jsonl" in names(tmp_path)
    assert sum(name.lower().startswith("task-a-b-") for name in names(tmp_path)) == 3
    before = stamps(tmp_path)
    # Another order, and a task more in front, are the same tasks.
    others = {"new": TASKS[1], **dict(reversed(tasks.items()))}
    again = fit_many(RULES, others, checkpoint=tmp_path, n_jobs=1)
    assert {name: stamps(tmp_path)[name] for name in before} == before
    assert list(again) == list(others)
    assert [content(again[name]) for name in tasks] == [content(models[name]) for name in tasks]
    with pytest.raises(ValueError, match=r"has task 'a/b' with other data"):
        fit_many(RULES, {"a/b": TASKS[1]}, checkpoint=tmp_path)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_failed_fits_are_tried_again(tmp_path):
    X, y = TASKS[0]
    tasks = {"good": (X, y), "bad": (X, y[:-1])}
    assert isinstance(fit_many(RULES, tasks, checkpoint=tmp_path, on_error="warn")["bad"], ValueError)
    assert len(names(tmp_path)) == 1
    models = fit_many(RULES, {**tasks, "bad": (X, -y)}, checkpoint=tmp_path)
    assert models["bad"].rules_
    assert len(names(tmp_path)) == 2


@pytest.mark.parametrize("case", CASES, ids=str)
def test_models_of_every_estimator(case, tmp_path):
    X, y = case.problem()
    [alone] = fit_many(case.model(), [(X, y)])
    first = fit_many(case.model(), [(X, y)], checkpoint=tmp_path)[0]
    again = fit_many(case.model(), [(X, y)], checkpoint=tmp_path)[0]
    for model in (first, again):
        assert type(model) is type(alone)
        assert content(model) == content(alone)
        assert model.get_params() == alone.get_params()
        for own, other in zip(case.answers(model, X), case.answers(alone, X), strict=True):
            np.testing.assert_array_equal(own, other)
            assert own.dtype == other.dtype


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 0], dtype=np.int8),
        np.array([2.0, 1.0], dtype=np.float32),
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([True, False]),
        pd.Series(["no", "yes"], dtype="category"),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_types_of_labels(labels, tmp_path):
    X, y = problem(40, 2)
    target = (
        labels.take((y > 0.5).astype(int)) if isinstance(labels, pd.Series) else labels[(y > 0.5).astype(int)]
    )
    alone = L0Classifier(lambda0=1.0).fit(X, target)
    for _ in range(2):
        [model] = fit_many(L0Classifier(lambda0=1.0), [(X, target)], checkpoint=tmp_path)
        assert model.classes_.dtype == alone.classes_.dtype
        assert model.predict(X).dtype == alone.predict(X).dtype
        assert list(model.predict(X)) == list(alone.predict(X))


def test_the_whole_path_and_all_parameters(tmp_path):
    X, y = problem(90, 3)
    estimator = OwnRules(alpha="cv", n_alphas=8, cv=KFold(3, shuffle=True, random_state=1), max_features=1)
    alone = clone(estimator).fit(X, y)
    for _ in range(2):
        [model] = fit_many(estimator, [(X, y)], checkpoint=tmp_path)
        assert type(model) is OwnRules
        assert repr(model.cv) == repr(estimator.cv)
        assert len(model.path_.alphas) == len(alone.path_.alphas) > 1
        other = alone.path_.alphas[2]
        np.testing.assert_array_equal(model.path_.at(other).predict(X), alone.path_.at(other).predict(X))
        assert repr(model.path_.at(other).cv) == repr(estimator.cv)


def test_other_data_or_parameters_are_refused(folder):
    before = stamps(folder)
    X, y = TASKS[0]
    for tasks, estimator, noun in [
        ([(X, y + 1)], RULES, "data"),
        ([(X + 1, y)], RULES, "data"),
        ([(X, y, np.ones(60))], RULES, "data"),
        ([TASKS[1], TASKS[0]], RULES, "data"),
        (TASKS, clone(RULES).set_params(alpha=0.03), "parameters"),
        (TASKS, OwnRules(alpha=0.02, max_features=2), "parameters"),
        ([(X, y + 1)], clone(RULES).set_params(alpha=0.03), "data and parameters"),
    ]:
        with pytest.raises(
            ValueError, match=rf"task-0\.jsonl has task 0 with other {noun}; give another folder"
        ):
            fit_many(estimator, tasks, checkpoint=folder)
    assert stamps(folder) == before
    # What changes no result is no other parameter.
    models = fit_many(clone(RULES).set_params(n_jobs=2, verbose=0), TASKS, checkpoint=folder)
    assert [model.n_jobs for model in models] == [2] * 5
    assert stamps(folder) == before


def test_other_versions_are_refused(folder, monkeypatch):
    monkeypatch.setattr("thresher.model_io.checkpoint.library_version", lambda: "99.0")
    with pytest.raises(ValueError, match="with other version of thresher"):
        fit_many(RULES, TASKS, checkpoint=folder)


def damages(text):
    line, model, _ = text.split("\n")
    header = json.loads(line)
    yield ""
    yield text[: len(text) // 2]
    yield text[:-2]
    yield line
    yield model
    yield text.replace("0.", "1.")
    yield "\0" * len(text)
    yield "[]\n" + model
    yield json.dumps({**header, "version": 2}) + "\n" + model
    yield json.dumps({**header, "fingerprint": {}}) + "\n" + model
    yield json.dumps({**header, "fingerprint": None}) + "\n" + model
    yield json.dumps({**header, "labels": 3}) + "\n" + model
    yield json.dumps({**header, "digest": "0"}) + "\n" + model


def test_damaged_files_are_fitted_again(folder):
    path = folder / "task-2.jsonl"
    text = path.read_text()
    expected = content(clone(RULES).fit(*TASKS[2]))
    for damaged in damages(text):
        path.write_text(damaged)
        with pytest.warns(
            UserWarning, match=r"task-2\.jsonl is damaged and task 2 is fitted again: not a valid"
        ):
            models = fit_many(RULES, TASKS, checkpoint=folder)
        assert content(models[2]) == expected
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fit_many(RULES, TASKS, checkpoint=folder)


def was_noticed(folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit_many(RULES, TASKS[:1], checkpoint=folder)
        except ValueError as error:  # of a fingerprint
            return "with other" in str(error)
    return len(caught) == 1


def test_every_flipped_byte_is_noticed(folder):
    path = folder / "task-0.jsonl"
    content_before = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content_before), 40):
        damaged = bytearray(content_before)
        damaged[place] ^= 1 << rng.integers(0, 7)
        path.write_bytes(damaged)
        assert was_noticed(folder), (place, damaged[place])
        path.write_bytes(content_before)


def test_files_of_others_are_left_alone(folder):
    (folder / "notes.txt").write_text("mine")
    (folder / "task-0.jsonlabc.part").write_text("half of a file that a killed process left")
    fit_many(RULES, TASKS, checkpoint=folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        fit_many(RULES, TASKS, checkpoint=tmp_path / "file")
    with pytest.raises(OSError, match="file"):
        fit_many(RULES, TASKS, checkpoint=tmp_path / "file" / "below")


def test_models_that_json_cannot_hold(tmp_path):
    X = [{("a", 1), ("b", 2)}, {("a", 1)}, {("b", 2)}, set()] * 5
    y = ["x", "y", "y", "x"] * 5
    with pytest.raises(TypeError, match="task 0: JSON can hold labels that are text"):
        fit_many(ItemsetClassifier(alpha=0.05), [(X, y)], checkpoint=tmp_path)
    assert names(tmp_path) == []


# ------------------------------------------------------------------ fingerprints

PRINTS = """
    import sys
    import numpy as np, pandas as pd, polars as pl, scipy.sparse as sp
    sys.path.insert(0, {tests!r})
    from contract.data import GRAPHS
    from thresher.model_io.fingerprint import of_data, of_parameters
    texts = ["red", "green", "blue"] * 4
    frame = pd.DataFrame({{"a": np.arange(12.0), "b": texts, "c": pd.Categorical(texts)}})
    forms = [
        frame, frame.astype({{"b": "category"}}), pl.DataFrame({{"a": np.arange(12.0), "b": texts}}),
        sp.csr_matrix(np.eye(4)), [set(texts), {{"x", "y"}}], [frozenset(texts), frozenset("xyz")],
        (frozenset("xyz"), frozenset("ab")), [["a", "b"], ["c"]], np.array(texts, dtype=object),
        GRAPHS.make(6, 4, 0)[0], pd.Series(texts), None, 3.0, [1.0, 2.0],
        [[frozenset("abcd"), frozenset("xyz")], [frozenset("uvw")]],
    ]
    print(*map(of_data, forms), of_parameters({{"alpha": 0.1, "bins": {{"b": 3, "a": 2}}, "cv": None}}))
"""


def test_fingerprints_are_equal_in_other_processes():
    code = textwrap.dedent(PRINTS.format(tests=TESTS))
    found = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1
    prints = found.pop().split()
    assert len(set(prints)) == len(prints) == 16


@pytest.mark.parametrize(
    ("source", "estimator"),
    [(GRAPHS, GraphRegressor()), (ITEMSETS, ItemsetClassifier()), (SEQUENCES, SequenceRegressor())],
    ids=["graphs", "itemsets", "sequences"],
)
def test_a_fit_changes_no_fingerprint(source, estimator):
    X, signal = source.make(30, 5, 0)
    y = signal if not isinstance(estimator, ItemsetClassifier) else signal > np.median(signal)
    before = fingerprint.of_data(X)
    model = clone(estimator).set_params(alpha=0.1).fit(X, y)
    model.predict(X)
    assert fingerprint.of_data(X) == before


def test_a_fit_changes_no_fingerprint_of_molecules_and_frames():
    chem = pytest.importorskip("rdkit.Chem")
    molecules = [chem.MolFromSmiles(text) for text in ("CCO", "c1ccccc1", "CC(=O)O", "CCN")] * 3
    before = fingerprint.of_data(molecules)
    GraphRegressor(alpha=0.1, max_edges=2).fit(molecules, np.arange(12.0))
    assert fingerprint.of_data(molecules) == before
    frames = [
        pd.DataFrame({"a": np.arange(12.0), "b": list("xyz") * 4}),
        pl.DataFrame({"a": np.arange(12.0)}),
    ]
    for frame in frames:
        before = fingerprint.of_data(frame)
        RuleClassifier(alpha=0.1).fit(frame, [0, 1] * 6)
        assert fingerprint.of_data(frame) == before


def test_generators_have_no_fingerprint(tmp_path):
    with pytest.raises(TypeError, match="generator"):
        fit_many(ItemsetClassifier(), [(iter([["a"], ["b"]]), [0, 1])], checkpoint=tmp_path)
    with pytest.raises(TypeError, match="generator"):
        fit_many(ItemsetClassifier(), [((r for r in [["a"], ["b"]]), [0, 1])], checkpoint=tmp_path)
    with pytest.raises(TypeError, match="the parameters have no fingerprint"):
        fingerprint.of_parameters({"cv": threading.Lock()})


# ------------------------------------------------------------------ processes that end or meet

BATCH = """
    import sys
    sys.path.insert(0, {tests!r})
    from batch_data import Slow, targets_of_one_table
    from thresher import RuleRegressor, fit_many
    tasks = [(Slow(X, {seconds}), y) for X, y in targets_of_one_table(12)]
    print("ready", flush=True)
    fit_many(RuleRegressor(alpha=0.02, max_features=2), tasks, checkpoint=sys.argv[1], n_jobs=2)
"""


def batch(folder, seconds, **options):
    code = textwrap.dedent(BATCH.format(tests=TESTS, seconds=seconds))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **options,
    )  # fmt: skip


@UNIX
def test_a_killed_batch_goes_on(tmp_path):
    folder = tmp_path / "done"
    with batch(folder, 0.2) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            end = time.monotonic() + 30
            while not folder.exists() or len(names(folder)) < 4:
                assert time.monotonic() < end
                time.sleep(0.01)
        finally:
            child.send_signal(signal.SIGKILL)
    finished = stamps(folder)
    complete = {name: stamp for name, stamp in finished.items() if name.endswith(".jsonl")}
    assert 3 <= len(complete) < 12
    with batch(folder, 0.2) as child:
        _, err = child.communicate(timeout=60)
    assert (err, child.returncode) == ("", 0)
    after = stamps(folder)
    assert {name: after[name] for name in complete} == complete
    assert {f"task-{k}.jsonl" for k in range(12)} <= set(after)
    models = fit_many(RULES, [(Slow(X, 0.2), y) for X, y in targets_of_one_table(12)], checkpoint=folder)
    alone = [clone(RULES).fit(*task) for task in targets_of_one_table(12)]
    assert list(map(content, models)) == list(map(content, alone))
    assert stamps(folder) == after


@UNIX
def test_two_processes_on_one_folder(tmp_path):
    children = [batch(tmp_path, 0.02) for _ in range(2)]
    for child in children:
        _, err = child.communicate(timeout=60)
        assert (err, child.returncode) == ("", 0)
    assert names(tmp_path) == sorted(f"task-{k}.jsonl" for k in range(12))
    tasks = [(Slow(X, 0.02), y) for X, y in targets_of_one_table(12)]
    before = stamps(tmp_path)
    models = fit_many(RULES, tasks, checkpoint=tmp_path)
    assert list(map(content, models)) == [content(clone(RULES).fit(*task)) for task in tasks]
    assert stamps(tmp_path) == before


def _small_files():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


@UNIX
def test_a_full_disk(tmp_path):
    folder = tmp_path / "done"
    with batch(folder, 0.0, preexec_fn=_small_files) as child:
        _, err = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "OSError: task 0: cannot write" in err or "OSError: task 1: cannot write" in err
    assert names(folder) == []
    with batch(folder, 0.0) as child:
        _, err = child.communicate(timeout=60)
    assert (err, child.returncode) == ("", 0)


def test_names_beyond_latin(tmp_path, recwarn):
    X = pd.DataFrame({"price €": [1.0, 2.0, 3.0, 4.0] * 5, "日本 😀": [0.0, 1.0] * 10})
    tasks = {"α": (X, np.arange(20.0))}
    model = RuleRegressor(alpha=0.05, n_jobs=1)
    first = fit_many(model, tasks, checkpoint=tmp_path)["α"]
    again = fit_many(model, tasks, checkpoint=tmp_path)["α"]
    assert content(first) == content(again)
    assert not [entry for entry in recwarn if "damaged" in str(entry.message)]
    with pytest.raises(ValueError, match="with other parameters"):
        fit_many(RuleRegressor(alpha=0.9, n_jobs=1), tasks, checkpoint=tmp_path)


def test_the_error_of_a_model_without_training_data_gives_the_call_that_has_them(tmp_path):
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 50, 200), rng.random(200)].astype(float)
    y = (X[:, 0] > 25) * 2.0 + rng.normal(size=200) * 0.1
    fitted = RuleRegressor(cv=3, n_alphas=10, bins=5).fit(X, y, checkpoint=tmp_path)
    model = RuleRegressor(cv=3, n_alphas=10, bins=5).fit(X, y, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="read from a finished checkpoint") as found:
        model.price("x0 <= 25")
    advice = str(found.value).partition("fit this model again: ")[2]
    again = eval(advice, {"sklearn": sklearn, "model": model, "X": X, "y": y})
    assert again.alpha_ == fitted.alpha_
    for text in ("x0 <= 30", "x1 <= 0.5"):
        prices = [each.price(text) for each in (again, fitted)]
        assert prices[0].correlation == pytest.approx(prices[1].correlation, abs=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_that_time_cut_short_are_not_kept(tmp_path):
    tasks = [problem(300, 8)]
    late = RuleRegressor(alpha=0.01, max_features=3, time_limit=1e-3)
    with suppress(TimeoutError):  # on a slow machine before there is a model
        [cut] = fit_many(late, tasks, checkpoint=tmp_path)
        assert not cut.certificate_.complete
    assert list(tmp_path.iterdir()) == []
    whole = RuleRegressor(alpha=0.01, max_features=3)
    [model] = fit_many(whole, tasks, checkpoint=tmp_path)
    assert model.certificate_.complete
    assert len(list(tmp_path.iterdir())) == 1
