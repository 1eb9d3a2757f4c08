"""Fits one model on one split in a process of its own and prints what it measured as JSON.

usage: worker.py JOB, JOB = {"model": .., "task": .., "data": npz, "params": {..}}; "model" may also
be one of the path jobs of path_jobs.py and l0_jobs.py. Imports and one throw-away fit on 60 rows
(compilation and lazy imports inside the libraries) happen before the clock starts.
"""

import importlib.metadata
import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from l0_models import MODELS as L0_MODELS
from models import MODELS as RULE_MODELS
from models import PACKAGE

MODELS = {**RULE_MODELS, **L0_MODELS}

LOGLOSS_CLIP = 1e-6


def scores(task, y, predicted):
    """MSE, or log-loss (probabilities clipped), AUC and accuracy."""
    if task == "regression":
        return {"mse": float(np.mean((predicted - y) ** 2))}
    from sklearn.metrics import roc_auc_score

    p = np.clip(predicted, LOGLOSS_CLIP, 1 - LOGLOSS_CLIP)
    return {
        "logloss": float(-np.mean(np.where(y > 0, np.log(p), np.log1p(-p)))),
        "auc": float(roc_auc_score(y > 0, predicted)),
        "accuracy": float(np.mean((predicted > 0.5) == (y > 0))),
    }


def warm_up(fit, X, y, task, model):
    """A tiny fit whose outcome does not matter; the slow starters are left out."""
    if model in ("ebm", "ebm_main", "rulefit"):
        return
    rows = np.r_[np.flatnonzero(y > np.median(y))[:30], np.flatnonzero(y <= np.median(y))[:30]]
    try:
        fit(X[rows], y[rows], task, {})
    except Exception as error:  # a model may refuse 60 rows; the real fit decides
        print(f"warm-up of {model}: {error}", file=sys.stderr)


def measure(job):
    """One fit and one prediction, timed."""
    data = np.load(job["data"])
    X, y, task = data["X_train"], data["y_train"], job["task"]
    fit = MODELS[job["model"]]
    warm_up(fit, X, y, task, job["model"])
    start, cpu = time.perf_counter(), time.process_time()
    predict, n_rules, n_linear, more = fit(X, y, task, dict(job.get("params") or {}))
    fitted, cpu = time.perf_counter(), time.process_time() - cpu
    predicted = np.ravel(np.asarray(predict(data["X_test"]), dtype=float))
    done = time.perf_counter()
    return {
        "seconds": fitted - start,
        "cpu_seconds": cpu,
        "predict_seconds": done - fitted,
        **scores(task, data["y_test"], predicted),
        "n_rules": n_rules,
        "n_linear": n_linear,
        **more,
    }


def main():
    """Reads the job, runs it, prints one line."""
    warnings.filterwarnings("ignore")
    job = json.loads(sys.argv[1])
    if job["model"] in MODELS:
        result = measure(job)
    else:
        import l0_jobs
        import path_jobs

        result = {**path_jobs.JOBS, **l0_jobs.JOBS}[job["model"]](job)
    package = PACKAGE.get(job["model"].removesuffix("_path"))
    result["version"] = importlib.metadata.version(package) if package else None
    result["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
