"""Factorization machines side by side: CPU seconds an epoch, the objective reached, the error.

usage: python benches/compare/fm.py [--data FILE.svm ..] [--peers PYTHON] [--sparsepoly FOLDER]
           [--nimfm PROGRAM] [--libfm PROGRAM] [--epochs 20] [--penalty 1e-4] [--repeats 3]

  --data        files in svmlight format; by default a9a (from THRESHER_DATA) and a synthetic table
  --peers       a Python with myfm and modern-fm (and numba for sparsepoly)
  --sparsepoly  a copy of the authors' package, which no registry has
  --nimfm       nimfm's program for sparse machines, nimfm_sparsefm
  --libfm       a built libFM

A peer that is not there is left out. All have rank 30, factors that begin at N(0, 0.01^2) where that
can be said, squared loss and one thread; every fit runs in a process of its own, and times are medians
of some rounds over all. Seconds an epoch are those of a fit less those of a fit of one epoch, over the
difference. An epoch of ours is a sweep over all entries with the sweeps over its support. The objective,
in the paper's scale, is only of those that minimise it. Against sparsepoly there is one more row: our
shortest fit whose objective is no larger than the one it ends with.
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
        standardize=False,
        penalty="ti" if job["penalty"] else None,
        solver=job.get("solver", "pcd"),
        batch_size=job.get("batch"),
        init_scale=0.01,
        l2_linear=job["ridge"] / 2,
        l2_factors=job["ridge"] / 2,
        alpha=job["penalty"],
        max_iter=job["epochs"],
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


def _program(command, epochs):
    """Seconds an epoch and in all of a program that is told how many epochs, and what it printed."""
    seconds = []
    for n in (1, epochs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        out = subprocess.run([part.format(n) for part in command], capture_output=True, text=True, check=True)
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return (seconds[1] - seconds[0]) / (epochs - 1), seconds[1], out.stdout


def libfm(program, path, epochs):
    """libFM's alternating least squares: what an epoch takes, and its training loss."""
    command = [program, "-task", "r", "-train", path, "-test", path, "-method", "als", "-iter", "{}"]
    epoch, seconds, out = _program([*command, "-dim", f"1,1,{RANK}", "-regular", "0,1,10"], epochs)
    error = float(re.findall(r"Train=([0-9.]+)", out)[-1])
    return {"epoch": epoch, "seconds": seconds, "loss": error**2 / 2, "objective": None}


def nimfm(program, path, job, penalty):
    """nimfm's coordinate descent with TI: what an epoch takes, and the loss and objective that it prints."""
    command = [program, "train", "--task:r", f"--train:{path}", "--solver:pcd", "--reg:squaredl12"]
    strengths = [f"--alpha:{job['ridge']}", f"--beta:{job['ridge']}", f"--gamma:{penalty}"]
    command += ["--alpha0:0", *strengths, f"--n-components:{RANK}", "--scale:0.01", "--tol:0", "--maxIter:{}"]
    epoch, seconds, out = _program(command, job["epochs"])
    numbers = re.findall(r"^\d+\s+\S+\s+(\S+)\s+(\S+)", out, re.MULTILINE)[-1]
    loss, penalties = map(float, numbers)
    return {"epoch": epoch, "seconds": seconds, "loss": loss, "objective": loss + penalties}


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


def _runs(path, options):
    """What is to be measured: names, and functions that measure once."""
    job = {"data": path, "epochs": options.epochs, "ridge": 1e-4}
    runs = {}

    def add(name, python, **extra):
        runs[name] = lambda: run_json(python, Path(__file__).resolve(), {**job, **extra})

    add("thresher, TI", sys.executable, model="thresher", penalty=options.penalty)
    add("thresher, plain", sys.executable, model="thresher", penalty=0.0)
    for batch in (64, 1024):
        extra = {"model": "thresher", "penalty": 0.0, "solver": "adagrad", "batch": batch}
        add(f"thresher, plain, AdaGrad, batch {batch}", sys.executable, **extra)
    if options.sparsepoly:
        extra = {"model": "sparsepoly", "penalty": options.penalty, "folder": options.sparsepoly}
        python = options.peers or sys.executable
        add("sparsepoly, TI", python, **extra)
        target = run_json(python, Path(__file__).resolve(), {**job, **extra}).get("objective")
        extra = {"model": "thresher", "penalty": options.penalty, "target": target}
        add("thresher, TI, to sparsepoly's objective", sys.executable, **extra)
    if options.nimfm:
        runs["nimfm, TI"] = lambda: nimfm(options.nimfm, path, job, options.penalty)
    if options.peers:
        add("myfm, plain", options.peers, model="myfm", penalty=0.0)
        for batch in (1, 64, 1024):
            add(
                f"modern-fm, plain, batch {batch}", options.peers, model="modern-fm", penalty=0.0, batch=batch
            )
    if options.libfm:
        runs["libFM ALS, plain"] = lambda: libfm(options.libfm, path, options.epochs)
    return runs


def compare(path, options):
    """One row for each model: the medians of some rounds over all."""
    runs = _runs(path, options)
    found = {name: [] for name in runs}
    for _ in range(options.repeats):
        for name, run in runs.items():
            result = run()
            if "epoch" in result:
                found[name].append(result)
            else:
                print(f"{name}: {result}", file=sys.stderr)
    rows = []
    for name, results in found.items():
        if results:
            epoch, seconds = (np.median([result[key] for result in results]) for key in ("epoch", "seconds"))
            loss, objective = results[0]["loss"], results[0]["objective"]
            reached = "" if objective is None else f"{objective:.5f}"
            rows.append([name, f"{1e3 * epoch:.2f}", f"{seconds:.3f}", f"{loss:.5f}", reached])
    return rows


def main():
    """Compares on each file and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", nargs="*")
    parser.add_argument("--peers")
    parser.add_argument("--sparsepoly")
    parser.add_argument("--nimfm")
    parser.add_argument("--libfm")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
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
