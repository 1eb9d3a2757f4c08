"""The lower bound of additive models against every segmentation of small problems."""

import json

import numpy as np
import pandas as pd
import pytest

from thresher import CertificateError, L0AdditiveClassifier, L0AdditiveRegressor

from . import compare
from .step_functions import Column, Problem

MOST_COMBINATIONS = 300


def draw_column(r, n):
    """A column as the product reads it, and as the twin does: its values, whether ordered, its direction."""
    size, ordered = int(r.integers(1, 5)), r.random() < 0.65
    values = r.integers(0, size, n).astype(float)
    if r.random() < 0.3:
        values[r.random(n) < r.choice([0.2, 1.0], p=[0.9, 0.1])] = np.nan
    if r.random() < 0.2:
        values[:] = values[0]
    return values, ordered, int(r.choice([-1, 0, 0, 1])) if ordered else 0


def coded(values, ordered, direction, weights):
    """The bins of the rows of positive weight."""
    used = values[weights > 0]
    levels = np.unique((used if ordered else values)[~np.isnan(used if ordered else values)])
    missing = np.isnan(used)
    codes = np.where(missing, len(levels), np.searchsorted(levels, np.nan_to_num(used)))
    # A numeric column without values has one bin for them.
    if ordered and len(levels) == 0:
        levels, codes = np.zeros(1), codes + 1
    return Column(
        codes.astype(int), len(levels) + bool(missing.any()), ordered, bool(missing.any()), direction
    )


def draw(seed):
    """A fitted model, its data, and the problem as the twin has it."""
    r = np.random.default_rng(seed)
    loss = ("squared", "logistic", "exponential")[seed % 3]
    while True:
        n = int(r.integers(2, 25))
        weights = r.choice([0.0, 0.5, 1.0, 1.0, 2.0], n) if r.random() < 0.5 else np.ones(n)
        y = (
            r.normal(size=n).round(1)
            if loss == "squared"
            else np.where(r.random(n) < r.choice([0.1, 0.5]), 1.0, -1.0)
        )
        if (weights > 0).sum() > 1 and (loss == "squared" or len(np.unique(y[weights > 0])) == 2):
            break
    drawn = [draw_column(r, n) for _ in range(int(r.integers(1, 4)))]
    columns = []
    for k, one in enumerate(drawn):
        columns.append(coded(*one, weights))
        if np.prod([len(list(column.segmentations())) for column in columns]) > MOST_COMBINATIONS:
            columns.pop()
            drawn = drawn[:k]
            break
    X = pd.DataFrame({f"c{k}": v if o else pd.Categorical(np.where(np.isnan(v), None, v.astype(str)))
                      for k, (v, o, _) in enumerate(drawn)})  # fmt: skip
    if r.random() < 0.3:
        y = np.where(drawn[0][0] > 1, 1.0, -1.0) if loss == "squared" else y
    params = {
        "lambda0": float(r.choice([0.05, 0.3, 1.0, 3.0])),
        "lambda2": float(r.choice([0.0, 0.0, 0.1, 1.0])),
        "ridge": float(r.choice([0.0, 0.01, 0.1, 1.0])),
        "min_bin_weight": float(r.choice([0.0, 0.0, 2.0])),
        "max_columns": int(r.integers(0, 3)) if r.random() < 0.3 else None,
    }
    kind = L0AdditiveRegressor if loss == "squared" else L0AdditiveClassifier
    model = kind(loss=loss, bins=None, monotonic_cst=[d for _, _, d in drawn], **params)
    model.fit(X, y, sample_weight=weights)
    used = weights > 0
    problem = Problem(columns, y[used], weights[used], loss, params["lambda0"], params["lambda2"],
                      params["ridge"], params["min_bin_weight"], params["max_columns"])  # fmt: skip
    return model, X, y, weights, problem


@compare.each_seed(range(400))
def test_the_bound_is_below_the_optimum(seed):
    model, X, y, weights, problem = draw(seed)
    certificate = model.certificate_
    tiny = 1e-9 * (1 + abs(certificate.primal))
    assert certificate.primal == pytest.approx(model.objective_)
    optimum = problem.optimum()
    assert certificate.primal >= optimum - 1e-7 * (1 + abs(optimum))
    if not certificate.has_bound:
        assert problem.ridge == 0
        assert certificate.gap == np.inf
        return
    assert certificate.dual <= optimum + tiny
    assert certificate.gap >= 0
    fresh = model.verify(X, y, sample_weight=weights)
    assert fresh.primal == pytest.approx(certificate.primal, rel=1e-9, abs=1e-9)
    assert fresh.dual == pytest.approx(certificate.dual, rel=1e-7, abs=1e-7)


@compare.each_seed(range(400))
def test_the_bound_is_that_of_every_segmentation(seed):
    model, X, _, weights, problem = draw(seed)
    certificate = model.certificate_
    if not certificate.has_bound:
        return
    document = json.loads(model.to_json())
    [point] = document["model"]["outputs"][0]["points"]
    duals = []
    for shapes in (point["bound"]["shapes"], point["shapes"]):
        # A model with these functions; its intercept does not matter.
        point["shapes"] = shapes
        other = type(model).from_json(json.dumps(document))
        f = (other.predict if problem.loss == "squared" else other.decision_function)(X[weights > 0])
        duals.append(min(max(problem.dual(np.asarray(f)), 0.0), certificate.primal))
    tiny = 1e-7 * (1 + abs(certificate.primal))
    assert certificate.dual == pytest.approx(duals[0], abs=tiny)
    assert certificate.dual >= duals[1] - tiny


@compare.each_seed(range(60))
def test_an_edited_model_is_refused(seed):
    model, X, y, weights, _problem = draw(seed)
    r = np.random.default_rng(seed)
    document = json.loads(model.to_json())
    [point] = document["model"]["outputs"][0]["points"]
    names = ["objective", "loss", "null_objective", "intercept"]
    if point["n_nonzero"]:
        names.append("lambda0")
    if point["bound"] is not None:
        names.append("dual")
    name = names[seed % len(names)]
    if name == "dual":
        point["bound"]["dual"] -= 0.01
    else:
        point[name] += 0.01 + r.random()
    with pytest.raises(CertificateError):
        type(model).from_json(json.dumps(document)).verify(X, y, sample_weight=weights)
