"""Factorization machines side by side: CPU seconds an epoch, the objective reached, the error.

usage: python benches/compare/fm.py [--data FILE.svm ..] [--peers PYTHON] [--sparsepoly FOLDER]
           [--libfm PROGRAM] [--epochs 20] [--penalty 1e-4]

  --data        files in svmlight format; by default a9a (from THRESHER_DATA) and a synthetic table
  --peers       a Python with myfm and modern-fm (and numba for sparsepoly)
  --sparsepoly  a copy of the authors' package, which no registry has
  --libfm       a built libFM

A peer that is not there is left out. All have rank 30, squared loss and one thread; every fit runs
in a process of its own. Seconds an epoch are those of a fit less those of a fit of one epoch, over
the difference. An epoch of ours is a sweep over all entries with the sweeps over its support. The
objective, in the paper's scale, is only of those that minimise it. Against sparsepoly there is one
more row: our shortest fit whose objective is no larger than the one it ends with.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import datasets
from common import run_json, table, write_record

RANK = 30


def _load(path):
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(path)
    return X.tocsr(), y


def _ours(job):
    import thresher

    return thresher.FactorizationMachineRegressor(
        penalty="ti" if job["penalty"] else None,
        lambda_w=job["ridge"] / 2,
        lambda_p=job["ridge"] / 2,
        lambda_reg=job["penalty"],
        max_epochs=job["epochs"],
        tol=0.0,
        n_jobs=1,
    )


def _sparsepoly(job):
    sys.path.insert(0, job["folder"])
    from sparsepoly import SparseFactorizationMachineRegressor

    return SparseFactorizationMachineRegressor(
        n_components=RANK,
        solver="pcd",
        regularizer="squaredl12",
        alpha=job["ridge"],
        beta=job["ridge"],
        gamma=job["penalty"],
        mean=True,
        tol=-1,
        max_iter=job["epochs"],
        random_state=0,
    )


def _modern(job):
    from modern_fm import FMRegressor

    batch = job["batch"]
    return FMRegressor(n_factors=RANK, max_iter=job["epochs"], batch_size=batch, random_state=0, n_jobs=1)


class _Myfm:
    def __init__(self, job):
        import myfm

        self.model, self.epochs = myfm.MyFMRegressor(rank=RANK), job["epochs"]

    def fit(self, X, y):
        self.model.fit(X, y, n_iter=self.epochs, n_kept_samples=1)

    def predict(self, X):
        return self.model.predict(X)


MODELS = {"thresher": _ours, "sparsepoly": _sparsepoly, "modern-fm": _modern, "myfm": _Myfm}


def _objective(job, model, X, y):
    """Mean loss and penalties of a model with a linear term w and factors P, in the paper's scale."""
    loss = 0.5 * float(np.mean((np.asarray(model.predict(X)).ravel() - y) ** 2))
    if job["model"] == "thresher":
        w, P = model.coef_, model.factors_[0].T
    elif job["model"] == "sparsepoly":
        w, P = model.w_, model.P_[0]
    else:
        return loss, None
    ridge = job["ridge"] / 2 * (np.sum(w**2) + np.sum(P**2))
    return loss, float(loss + ridge + job["penalty"] * np.sum(np.abs(P).sum(axis=1) ** 2))


def _timed(job, epochs, X, y):
    """A fitted model and its CPU seconds."""
    model = MODELS[job["model"]]({**job, "epochs": epochs})
    start = time.process_time()
    model.fit(X, y)
    return model, time.process_time() - start


def worker(job):
    """Fits once to compile, once for one epoch and once for all; prints what they took."""
    import warnings

    warnings.simplefilter("ignore")
    X, y = _load(job["data"])
    if "target" in job:
        print("RESULT " + json.dumps(_race(job, X, y)))
        return
    seconds = []
    for epochs in (1, 1, job["epochs"]):
        model, took = _timed(job, epochs, X, y)
        seconds.append(took)
    loss, objective = _objective(job, model, X, y)
    epoch = (seconds[2] - seconds[1]) / (job["epochs"] - 1)
    found = {"epoch": epoch, "seconds": seconds[2], "loss": loss, "objective": objective}
    print("RESULT " + json.dumps(found))


def _race(job, X, y):
    """The shortest fit that reaches the target; epochs grow by a tenth at a time."""
    epochs, objective = 0, float("inf")
    while objective > job["target"] and epochs < 10_000:
        epochs += 1 + epochs // 10
        model, seconds = _timed(job, epochs, X, y)
        loss, objective = _objective(job, model, X, y)
    return {"epoch": seconds / epochs, "seconds": seconds, "loss": loss, "objective": objective}


def libfm(program, path, epochs):
    """Seconds an epoch of libFM's alternating least squares, and its training loss."""
    seconds = []
    for n in (1, epochs):
        command = [program, "-task", "r", "-train", path, "-test", path, "-method", "als", "-iter", str(n)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        out = subprocess.run(
            [*command, "-dim", f"1,1,{RANK}", "-regular", "0,1,10"],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    error = float(re.findall(r"Train=([0-9.]+)", out.stdout)[-1])
    epoch = (seconds[1] - seconds[0]) / (epochs - 1)
    return {"epoch": epoch, "seconds": seconds[1], "loss": error**2 / 2, "objective": None}


def _files(options, folder):
    """The tables as svmlight files."""
    from sklearn.datasets import dump_svmlight_file

    if options.data:
        return options.data
    made = []
    a9a = datasets.data_folder() / "a9a.libsvm.gz"
    if a9a.exists():
        made.append(str(a9a))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 100))
    y = np.sum([X[:, k : k + 10].sum(axis=1) ** 2 for k in range(0, 80, 10)], axis=0)
    made.append(str(Path(folder) / "blocks-200x100.svm"))
    dump_svmlight_file(X, y, made[-1], zero_based=False)
    return made


def compare(path, options):
    """One row for each model."""
    job = {"data": path, "epochs": options.epochs, "ridge": 1e-4}
    here = Path(__file__).resolve()
    jobs = [("thresher, TI", sys.executable, {"model": "thresher", "penalty": options.penalty})]
    jobs.append(("thresher, plain", sys.executable, {"model": "thresher", "penalty": 0.0}))
    if options.sparsepoly:
        extra = {"model": "sparsepoly", "penalty": options.penalty, "folder": options.sparsepoly}
        jobs.append(("sparsepoly, TI", options.peers or sys.executable, extra))
    if options.peers:
        jobs.append(("myfm, plain", options.peers, {"model": "myfm", "penalty": 0.0}))
        for batch in (1, 64, 1024):
            extra = {"model": "modern-fm", "penalty": 0.0, "batch": batch}
            jobs.append((f"modern-fm, plain, batch {batch}", options.peers, extra))
    results = [(name, run_json(python, here, {**job, **extra})) for name, python, extra in jobs]
    target = dict(results).get("sparsepoly, TI", {}).get("objective")
    if target is not None:
        race = {"model": "thresher", "penalty": options.penalty, "target": target}
        name = "thresher, TI, to sparsepoly's objective"
        results.append((name, run_json(sys.executable, here, {**job, **race})))
    if options.libfm:
        results.append(("libFM ALS, plain", libfm(options.libfm, path, options.epochs)))
    rows = []
    for name, found in results:
        if "epoch" not in found:
            print(f"{name}: {found}", file=sys.stderr)
            continue
        objective = "" if found["objective"] is None else f"{found['objective']:.5f}"
        times = [f"{1e3 * found['epoch']:.2f}", f"{found['seconds']:.3f}"]
        rows.append([name, *times, f"{found['loss']:.5f}", objective])
    return rows


def main():
    """Compares on each file and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", nargs="*")
    parser.add_argument("--peers")
    parser.add_argument("--sparsepoly")
    parser.add_argument("--libfm")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--penalty", type=float, default=1e-4)
    options = parser.parse_args()
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        for path in _files(options, folder):
            header = ["model", "CPU ms an epoch", "CPU s in all", "training loss", "objective"]
            parts.append(f"## {Path(path).name}\n\n{table(header, compare(path, options))}")
            print(parts[-1])
    write_record("fm", "Factorization machines beside others", "\n\n".join(parts))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        worker(json.loads(sys.argv[1]))
    else:
        main()
