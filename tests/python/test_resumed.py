"""Fits with a checkpoint: the same bits as without, wherever a process ended."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.utils._testing import ignore_warnings

from batch_data import problem
from contract.data import GRAPHS, ITEMSETS, SEQUENCES
from thresher import (
    FactorizationMachineClassifier,
    FactorizationMachineRegressor,
    GraphClassifier,
    HierarchicalRuleClassifier,
    HierarchicalRuleRegressor,
    ItemsetClassifier,
    L0AdditiveClassifier,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
    RuleClassifier,
    RuleRegressor,
    SequenceClassifier,
    fit_many,
)
from thresher.model_io.checkpoint import Checkpoint

from .test_batches import content

UNIX = pytest.mark.skipif(
    sys.platform == "win32", reason="this operating system has other signals and limits"
)
TESTS = str(Path(__file__).parents[1])
X, Y = problem(90, 4)
THREE = np.digitize(Y, [0.3, 0.9])


def labelled(kind, rows):
    """Records of a kind, and two classes."""
    records, signal_of_records = kind.make(rows, 4, 0)
    return records, signal_of_records > np.median(signal_of_records)


SMALL = {"n_alphas": 4, "cv": 2, "n_jobs": 2}
CASES = {
    "rules": (RuleRegressor(max_features=2, **SMALL), (X, Y)),
    "rules of any length": (RuleRegressor(**SMALL), (X, Y)),
    "rules in groups": (RuleRegressor(group_sparsity=0.5, max_features=2, **SMALL), (X, Y)),
    "best subsets": (RuleRegressor(penalty="l0", max_rules=4, max_features=2, **SMALL), (X, Y)),
    "screening": (RuleRegressor(strategy="screening", max_features=2, **SMALL), (X, Y)),
    "columns one by one": (RuleRegressor(strategy="column_generation", max_features=1, **SMALL), (X, Y)),
    "relaxed": (RuleRegressor(alpha=0.02, relax="cv", max_features=2, **SMALL), (X, Y)),
    "weights and targets": (
        RuleRegressor(alpha="bic", max_features=2, **SMALL),
        (X, np.column_stack([Y, X[:, 0]]), np.arange(90.0)),
    ),
    "classes": (RuleClassifier(max_features=2, **SMALL), (X, THREE)),
    "item-sets": (ItemsetClassifier(**SMALL), labelled(ITEMSETS, 60)),
    "sequences": (SequenceClassifier(max_length=3, **SMALL), labelled(SEQUENCES, 60)),
    "graphs": (GraphClassifier(max_edges=2, **SMALL), labelled(GRAPHS, 40)),
}
FEW, TARGET, LABELS = X[:50, :3], Y[:50], THREE[:50]
TWO = np.column_stack([TARGET, FEW[:, 0]])
CV = {"cv": 2, "n_jobs": 2}
STEPS = {
    "hierarchies": (HierarchicalRuleRegressor(**CV), (FEW, TARGET)),
    "hierarchies of classes": (HierarchicalRuleClassifier(**CV), (FEW, LABELS)),
    "hierarchies of two targets": (HierarchicalRuleRegressor(rho=2.0, **CV), (FEW, TWO, np.arange(50.0))),
    "cards": (L0AdditiveRegressor(**CV), (FEW, TARGET)),
    "cards of classes": (L0AdditiveClassifier(ridge=[0.01, 0.1], **CV), (FEW, LABELS)),
    "cards of few steps": (L0AdditiveRegressor(max_steps=3, **CV), (FEW, TWO)),
    "branched cards": (
        L0AdditiveRegressor(lambda0=[5.0, 1.0], ridge=0.1, gap_tol=0.0, **CV),
        (FEW[:, :2], TARGET),
    ),
    "subsets": (L0Regressor(lambda2=[0.01, 0.1], **CV), (FEW, TARGET)),
    "subsets of classes": (L0Classifier(lambda0=[3.0, 0.5], **CV), (FEW, LABELS)),
    "machines": (FactorizationMachineRegressor(**CV), (FEW, TWO)),
    "machines of classes": (FactorizationMachineClassifier(rank=2, early_stopping=True, **CV), (FEW, LABELS)),
    "machines by batches": (
        FactorizationMachineRegressor(penalty=None, solver="adagrad", max_iter=5, **CV),
        (FEW, TARGET),
    ),
}
WITH_PATHS = [case for case in CASES if case not in ("relaxed", "weights and targets")]
ALL = CASES | STEPS
PATHS = [*WITH_PATHS, *(case for case, (_, data) in STEPS.items() if data[1] is not TWO)]


class InterruptedFitError(Exception):
    """Takes the place of the end of the process before the model was written."""


def journal_of(monkeypatch, folder, estimator, data, method="fit"):
    """The file of the searches of a fit that ended just before its model was written."""

    def interrupted(*_):
        raise InterruptedFitError

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save", interrupted)
        with pytest.raises(InterruptedFitError):
            getattr(clone(estimator), method)(data[0], data[1], checkpoint=folder, **weights_of(data))
    [path] = folder.iterdir()
    assert path.name.startswith(("searches-fit-", "searches-path-"))
    return path


def weights_of(data):
    return {"sample_weight": data[2]} if len(data) > 2 else {}


@ignore_warnings()
@pytest.mark.parametrize(
    ("case", "method"), [(case, "fit") for case in ALL] + [(case, "fit_path") for case in PATHS]
)
def test_the_same_bits_from_every_state_of_the_journal(case, method, tmp_path, monkeypatch):
    estimator, data = ALL[case]
    run = lambda **options: getattr(clone(estimator), method)(  # noqa: E731
        data[0], data[1], **weights_of(data), **options
    )
    expected = content(run())
    path = journal_of(monkeypatch, tmp_path / "first", estimator, data, method)
    whole = path.read_bytes()
    assert len(whole) > 100
    for length in (7, len(whole) // 3, len(whole)):
        folder = tmp_path / str(length)
        folder.mkdir()
        (folder / path.name).write_bytes(whole[:length])
        model = run(checkpoint=folder)
        assert content(model) == expected
        [file] = folder.iterdir()
        assert file.name == path.name.replace("searches-", "").replace(".bin", ".jsonl")
        again = run(checkpoint=str(folder))
        assert content(again) == expected
        assert again.get_params() == model.get_params()


@ignore_warnings()
@pytest.mark.parametrize("case", ALL)
def test_no_step_is_repeated(case, tmp_path, monkeypatch):
    estimator, data = ALL[case]
    path = journal_of(monkeypatch, tmp_path / "a", estimator, data)
    before = path.read_bytes()
    assert journal_of(monkeypatch, tmp_path / "a", estimator.set_params(n_jobs=1), data) == path
    assert path.read_bytes() == before


def test_other_data_and_parameters_have_other_files(tmp_path, monkeypatch):
    estimator, data = CASES["rules"]
    journal_of(monkeypatch, tmp_path / "a", estimator, data)
    fits = [(estimator, Y[::-1]), (estimator, Y), (clone(estimator).set_params(n_alphas=5), Y)]
    expected = [content(clone(model).fit(X, y)) for model, y in fits]
    for _ in range(2):  # fitted, and read
        found = [content(clone(model).fit(X, y, checkpoint=tmp_path / "a")) for model, y in fits]
        assert found == expected
    assert len([path for path in (tmp_path / "a").iterdir() if path.name.startswith("fit-")]) == 3


def at_once(calls, monkeypatch, method="load"):
    """Make calls in threads, each of which has looked into the folder before another one goes on."""
    barrier, original = threading.Barrier(len(calls)), getattr(Checkpoint, method)

    def together(*arguments):
        found = original(*arguments)
        barrier.wait(60)
        return found

    with monkeypatch.context() as patch, ThreadPoolExecutor(len(calls)) as threads:
        patch.setattr(Checkpoint, method, together)
        return [future.result() for future in [threads.submit(call) for call in calls]]


@ignore_warnings()
def test_fits_at_once_in_one_folder(tmp_path, monkeypatch):
    estimator = RuleRegressor(max_features=2, **SMALL)
    targets = [Y, -Y, Y, X[:, 0]]
    calls = [lambda y=y: content(clone(estimator).fit(X, y, checkpoint=tmp_path)) for y in targets]
    expected = [content(clone(estimator).fit(X, y)) for y in targets]
    assert at_once(calls, monkeypatch) == expected
    assert {path.suffix for path in tmp_path.iterdir()} == {".jsonl"}
    assert len(list(tmp_path.iterdir())) == 3  # two are equal
    assert [call() for call in calls] == expected


@ignore_warnings()
def test_a_fit_that_ran_twice_at_once_and_ended_early_goes_on(tmp_path, monkeypatch):
    estimator, data = CASES["rules"]

    def interrupted():
        with suppress(InterruptedFitError):
            clone(estimator).fit(*data, checkpoint=tmp_path)

    def end(*_):
        raise InterruptedFitError

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save", end)
        at_once([interrupted] * 3, monkeypatch, "journal")
    assert len(list(tmp_path.iterdir())) == 1
    assert content(clone(estimator).fit(*data, checkpoint=tmp_path)) == content(clone(estimator).fit(*data))


def test_batches_at_once_in_one_folder_do_not_overwrite_each_other(tmp_path, monkeypatch):
    estimator = RuleRegressor(alpha=0.05, max_features=1)

    def call(y):
        try:
            return content(fit_many(estimator, [(X, y)], checkpoint=tmp_path)[0])
        except ValueError as error:
            return str(error)

    saved = Checkpoint.save
    with monkeypatch.context() as patch:
        # The other call ends between the look into the folder and the end of this one.
        patch.setattr(Checkpoint, "save", lambda *given: (patch.undo(), call(-Y), saved(*given))[-1])
        refused = call(Y)
    assert "task-0.jsonl has task 0 with other data; give another folder" in refused
    assert call(-Y) == content(clone(estimator).fit(X, -Y))


def test_a_fit_a_path_and_a_batch_share_a_folder(tmp_path):
    estimator = RuleRegressor(max_features=1, n_alphas=5)
    calls = [
        lambda **options: clone(estimator).fit(X, Y, **options),
        lambda **options: clone(estimator).fit_path(X, Y, **options),
        lambda **options: fit_many(estimator, [(X, Y[::-1])], **options)[0],
        lambda **options: fit_many(estimator, {"fit": (X, -Y)}, **options)["fit"],
    ]
    expected = [content(call()) for call in calls]
    for _ in range(2):  # fitted, and read
        assert [content(call(checkpoint=tmp_path)) for call in calls] == expected
    assert len(list(tmp_path.iterdir())) == 4


def test_paths_of_other_strengths_are_others(tmp_path):
    model = RuleRegressor(max_features=1)
    model.fit_path(X, Y, alphas=[0.1, 0.05], checkpoint=tmp_path)
    assert list(clone(model).fit_path(X, Y, alphas=[0.1], checkpoint=tmp_path).path_.alphas) == [0.1]
    again = RuleRegressor(max_features=1).fit_path(X, Y, alphas=[0.1, 0.05], checkpoint=tmp_path)
    assert list(again.path_.alphas) == [0.1, 0.05]
    assert content(again.path_.at(0.1)) == content(model.path_.at(0.1))


def test_what_has_no_checkpoint(tmp_path):
    (tmp_path / "file").write_text("")
    for no_name in ("", 3, b"folder", "a\0b"):
        with pytest.raises((TypeError, ValueError), match=r"^checkpoint: got .*; give the name of a folder"):
            RuleRegressor().fit(X, Y, checkpoint=no_name)
    with pytest.raises(OSError, match=r"^checkpoint: the folder .* cannot be created \("):
        RuleRegressor().fit(X, Y, checkpoint=tmp_path / (300 * "x"))
    with pytest.raises(OSError, match=r"checkpoint: .*file cannot be a folder"):
        RuleRegressor().fit(X, Y, checkpoint=tmp_path / "file")
    with pytest.raises(TypeError, match="X is read from elsewhere"):
        RuleRegressor().fit("table.parquet", "y", checkpoint=tmp_path)
    with pytest.raises(ValueError, match="alpha: got -1"):
        RuleRegressor(alpha=-1.0).fit(X, Y, checkpoint=tmp_path / "none")
    assert not (tmp_path / "none").exists()
    machine = FactorizationMachineRegressor(warm_start=True)
    with pytest.raises(ValueError, match="give warm_start=False"):
        machine.fit(X, Y, checkpoint=tmp_path / "none")
    with pytest.raises(ValueError, match="give random_state a number"):
        machine.set_params(warm_start=False, random_state=None).fit(X, Y, checkpoint=tmp_path / "none")
    for folds in (KFold(3, shuffle=True), ShuffleSplit(3)):
        with pytest.raises(ValueError, match="other folds each time; give its random_state"):
            RuleRegressor(cv=folds).fit(X, Y, checkpoint=tmp_path / "none")
    RuleRegressor(max_features=1, cv=KFold(3)).fit(X, Y, checkpoint=tmp_path / "fixed")
    assert not (tmp_path / "none").exists()
    unfitted = RuleRegressor()
    with pytest.raises(ValueError, match="NaN"):
        unfitted.fit(X, np.full(90, np.nan), checkpoint=tmp_path / "nan")
    assert not unfitted.__sklearn_is_fitted__()


@ignore_warnings()
@pytest.mark.parametrize("method", ["fit", "fit_path"])
def test_a_fit_that_time_cuts_short_goes_on_with_more_time(method, tmp_path):
    table, target = problem(400, 10)
    model = RuleRegressor(max_features=2, n_alphas=8, cv=3, n_jobs=1)
    expected = content(getattr(clone(model), method)(table, target))
    with suppress(TimeoutError):  # on a slow machine before there is a model
        cut = getattr(clone(model).set_params(time_limit=1e-3), method)(table, target, checkpoint=tmp_path)
        assert content(cut) != expected
    assert not any(path.suffix == ".jsonl" for path in tmp_path.iterdir())
    whole = getattr(clone(model).set_params(time_limit=600), method)(table, target, checkpoint=tmp_path)
    assert content(whole) == expected
    assert [path.suffix for path in tmp_path.iterdir()] == [".jsonl"]
    again = getattr(clone(model).set_params(time_limit=1e-3), method)(table, target, checkpoint=tmp_path)
    assert content(again) == expected


def test_the_steps_of_a_finished_fit_are_removed(tmp_path, monkeypatch):
    estimator, data = CASES["rules"]
    path = journal_of(monkeypatch, tmp_path / "a", estimator, data)
    steps = path.read_bytes()
    clone(estimator).fit(*data, checkpoint=tmp_path / "a")
    path.write_bytes(steps)  # as if the process had ended before it removed them
    clone(estimator).fit(*data, checkpoint=tmp_path / "a")
    assert not path.exists()


@pytest.mark.parametrize("head", [b"\0" * 40, b"Thresher.searches 1\n"], ids=["zeros", "one bit"])
def test_a_file_that_is_damaged_at_its_beginning(head, tmp_path, monkeypatch):
    estimator, data = CASES["rules"]
    expected = content(clone(estimator).fit(*data))
    path = journal_of(monkeypatch, tmp_path / "a", estimator, data)
    whole = path.read_bytes()
    path.write_bytes(head + whole[len(head) :])
    with pytest.warns(UserWarning, match=r"searches-fit-.*bin is damaged and the fit begins again"):
        again = clone(estimator).fit(*data, checkpoint=tmp_path / "a")
    assert content(again) == expected


# ------------------------------------------------------------------ processes that end

FIT = """
    import sys
    sys.path.insert(0, {tests!r})
    from batch_data import problem
    from thresher import RuleRegressor
    X, y = problem(500, 8)
    RuleRegressor(max_features=3, cv=3, n_jobs=2).fit(X, y, checkpoint=sys.argv[1])
"""


def fitting(folder, **options):
    code = textwrap.dedent(FIT.format(tests=TESTS))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stderr=subprocess.PIPE, text=True, **options
    )


@UNIX
def test_a_killed_fit_goes_on(tmp_path):
    for least in (1_000, 9_000):
        with fitting(tmp_path) as child:
            end = time.monotonic() + 60
            while not any(path.stat().st_size > least for path in tmp_path.iterdir()):
                assert time.monotonic() < end
                assert child.poll() is None
                time.sleep(0.002)
            os.kill(child.pid, signal.SIGKILL)
        [path] = tmp_path.iterdir()
        assert path.name.startswith("searches-fit-")
    with fitting(tmp_path) as child:
        _, err = child.communicate(timeout=120)
    assert (err, child.returncode) == ("", 0)
    assert [path.name[:4] for path in tmp_path.iterdir()] == ["fit-"]
    table, target = problem(500, 8)
    estimator = RuleRegressor(max_features=3, cv=3, n_jobs=1)
    found = clone(estimator).fit(table, target, checkpoint=tmp_path)
    assert content(found) == content(estimator.fit(table, target))


def _small_files():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@UNIX
def test_a_full_disk(tmp_path):
    with fitting(tmp_path, preexec_fn=_small_files) as child:
        _, err = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "OSError: checkpoint: " in err
    assert "cannot be written" in err
