"""Our fit of a case: CPU seconds, what was reached, and in a file what the yardstick needs.

A server for run.py; a job is {"case": {...}, "keep": FILE or null} (cases: draw.py).
"""

import json
import threading
import time
import warnings

import numpy as np
from data import frame, make
from models import estimator, strengths
from worker import serve


def work(job):
    """Fit, and return the result."""
    case = job["case"]
    X, y, weights, _ = make(case)
    X = frame(case, X) if case["family"] in ("rules", "hierarchies", "score cards") else X
    model = estimator(case)
    is_path = case["mode"] == "path"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        at_limit = []
        timer = threading.Timer(case["cap"], lambda: at_limit.append(time.process_time()))
        timer.start()
        wall, begin = time.perf_counter(), time.process_time()
        if is_path:
            model.fit_path(X, y, sample_weight=weights, **strengths(case, y))
        else:
            model.fit(X, y, sample_weight=weights)
        end, wall = time.process_time(), time.perf_counter() - wall
        timer.cancel()
    result = {
        "seconds": end - begin,
        "wall": wall,
        "late": end - at_limit[0] if at_limit else 0.0,  # CPU seconds after the time limit
        "warnings": sorted({str(w.message) for w in caught}),
    }
    describe, details = _REPORTS.get(case["family"], _CONVEX)
    result |= describe(model, is_path)
    if job.get("keep"):
        np.savez(job["keep"], **details(model, X, is_path))
    return result


def _outputs(value):
    """The values of all outputs: a path and a model have a list of them where there are several."""
    return value if isinstance(value, list) else [value]


def _last(model, is_path):
    """The model at the last strength of a path, or the chosen one."""
    if not is_path:
        return model
    return model.path_.at(max(min(alphas) for alphas in _outputs(model.path_.alphas)))


def _convex(model, is_path):
    path, last = model.path_, _last(model, is_path)
    proofs = _outputs(last.certificate_)
    return {
        "strengths": sum(map(len, _outputs(path.alphas))),
        "gap": float(max(map(np.max, _outputs(path.relative_gap)))),
        "complete": all(proof.complete for proof in proofs),
        "last_gap": float(max(proof.relative_gap for proof in proofs)),
        "objective": float(sum(proof.primal for proof in proofs)),
        "nodes": int(sum(proof.nodes for proof in proofs)),
        "searches": int(sum(proof.searches for proof in proofs)),
        "candidates": str(sum(proof.n_candidates for proof in proofs)),
        "terms": len(_terms(last)),
    }


def _terms(model):
    names = ("hull_", "rules_", "patterns_")
    return getattr(model, next(name for name in names if hasattr(model, name)))


def _convex_details(model, X, is_path):
    """Strengths, decision values and 0/1 columns of the last model of one output."""
    if isinstance(model.path_.alphas, list):
        return {}
    last = _last(model, is_path)
    columns = last.transform(X)
    return {
        "alphas": model.path_.alphas,
        "alpha": last.alpha_,
        "f": last.decision_function(X) if hasattr(last, "decision_function") else last.predict(X),
        "columns": columns.toarray() if hasattr(columns, "toarray") else np.asarray(columns, dtype=float),
        "primal": last.certificate_.primal,
        "features": json.dumps(json.loads(last.to_json())["model"].get("features")),
        "max_features": getattr(last, "max_features_", None) or 3,
    }


def _l0(model, is_path):
    path = model.path_
    found = {
        "strengths": sum(map(len, _outputs(path.lambda0))),
        "complete": bool(all(map(np.all, _outputs(path.complete)))),
        "terms": int(max(counts.max() for counts in _outputs(path.n_nonzero))),
    }
    if not is_path:
        proofs = _outputs(model.certificate_)
        found["last_gap"] = float(max(proof.relative_gap for proof in proofs))
        found["objective"] = float(np.sum(model.objective_))
    return found


def _l0_details(model, X, is_path):
    path = model.path_
    names = ("lambda0", "lambda2", "ridge", "objective", "loss", "n_nonzero")
    return {} if isinstance(path.lambda0, list) else {name: getattr(path, name) for name in names}


def _machine(model, is_path):
    path = model.path_
    # Of several outputs, which may have chosen others.
    common = set.intersection(*({*alphas} for alphas in _outputs(path.alphas)))
    fitted = [path.at(alpha) for alpha in common] or [model]
    return {
        "strengths": sum(map(len, _outputs(path.alphas))),
        "complete": bool(all(map(np.all, _outputs(path.converged)))),
        "terms": sum(int(np.count_nonzero(np.any(P != 0, axis=-1))) for P in model.factors_),
        "iterations": int(sum(one.n_iter_ for one in fitted)) * len(_outputs(path.alphas)),
        "compared": max(0 if alphas is None else len(alphas) for alphas in _outputs(path.cv_alphas)),
        "objective": float(np.sum([values[-1] for values in _outputs(path.objective)])),
    }


_L0 = (_l0, _l0_details)
_CONVEX = (_convex, _convex_details)
_REPORTS = {
    "score cards": _L0,
    "best subsets": _L0,
    "machines": (_machine, lambda model, X, is_path: {}),
}


if __name__ == "__main__":
    import pandas as pd  # noqa: F401  in memory before the forks

    serve(work)
