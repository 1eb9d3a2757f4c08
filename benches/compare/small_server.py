"""Fits one model at several budgets: reads jobs as JSON lines, forks for each, prints JSON lines.

usage: small_server.py < jobs; a job is {"model", "task", "data": npz, "params": {"budgets", ..},
"limit": seconds}. The libraries are imported once, before the first fork, so that thousands of
small fits do not each wait for imports; a fit that runs past its limit is ended with its process.
"""

import importlib
import importlib.metadata
import json
import multiprocessing
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from small_models import IMPORTS, MODELS, PACKAGES
from worker import scores


def calibrated(score, X, y):
    """Probabilities by logistic regression of the score on the training rows."""
    from sklearn.linear_model import LogisticRegression

    s = np.ravel(score(X))
    spread = s.std() or 1.0
    model = LogisticRegression(C=1e3, max_iter=1000).fit((s / spread)[:, None], y > 0)
    return lambda Z: model.predict_proba((np.ravel(score(Z)) / spread)[:, None])[:, 1]


def measure(job):
    """Yields (k, errors, size and CPU seconds of the model) for each budget k in turn."""
    data, task = np.load(job["data"]), job["task"]
    X, y, params = data["X_train"], data["y_train"], dict(job["params"])
    np.random.seed(0)  # noqa: NPY002 (the stumps of imodels draw from the global state)
    cpu = time.process_time()
    for k, fitted in MODELS[job["model"]](X, y, task, params.pop("budgets"), params):
        seconds = time.process_time() - cpu
        predict = fitted.predict
        if task == "classification" and fitted.kind == "score":
            predict = calibrated(predict, X, y)
        errors = scores(task, data["y_test"], np.ravel(np.asarray(predict(data["X_test"]), dtype=float)))
        found = {name: float(f"{v:.6g}") for name, v in {**errors, "cpu_seconds": seconds}.items()}
        yield str(k), {**found, "n_rules": int(fitted.n_rules), "n_linear": int(fitted.n_linear)}
        cpu = time.process_time()


def _child(job, connection):
    warnings.filterwarnings("ignore")
    try:
        for found in measure(job):
            connection.send(found)
        connection.send(None)
    except Exception as error:  # what a library raises is part of the result
        connection.send(f"{type(error).__name__}: {error}"[:300])
    connection.close()


def _collect(receiver, limit):
    """What the child sent until it was done or out of time."""
    result, end = {"budgets": {}}, time.monotonic() + limit
    while receiver.poll(max(end - time.monotonic(), 0.0)):
        try:
            message = receiver.recv()
        except EOFError:
            return {**result, "error": "the process died"}
        if message is None:
            return result
        if isinstance(message, str):
            return {**result, "error": message}
        result["budgets"][message[0]] = message[1]
    return {**result, "timeout": limit}


def run(job):
    """One job in a process of its own, ended at its limit; the budgets done by then count."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(job, sender))
    start = time.perf_counter()
    process.start()
    sender.close()
    result = _collect(receiver, job["limit"])
    process.kill()
    process.join()
    return {**result, "seconds": round(time.perf_counter() - start, 3)}


def main():
    """Answers each line of stdin with one line."""
    warnings.filterwarnings("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries print
    for line in sys.stdin:
        job = json.loads(line)
        model = job["model"]
        try:
            for module in IMPORTS.get(model, ()):
                importlib.import_module(module)
            version = importlib.metadata.version(PACKAGES[model])
            result = {**run(job), "version": version}
        except ImportError as error:
            result = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(result), file=answers, flush=True)


if __name__ == "__main__":
    main()
