"""The lower bound of additive models against every segmentation of small problems."""

import json

import numpy as np
import pandas as pd
import pytest

from thresher import CertificateError, FormatError, L0AdditiveClassifier, L0AdditiveRegressor

from . import compare
from .step_functions import Column, Problem

MOST_COMBINATIONS = 300
KINDS = {
    "plain": {},
    "codes": {"has_codes": True},
    "trends": {"has_trends": True},
    "both": {"has_codes": True, "has_trends": True},
    "curves": {"has_codes": True, "has_curves": True},
}
"""What the columns have."""


def draw_column(r, n):
    """A column as the product reads it, and as the twin does: its values, whether ordered, its direction."""
    size, ordered = int(r.integers(1, 5)), r.random() < 0.65
    values = r.integers(0, size, n).astype(float)
    if r.random() < 0.3:
        values[r.random(n) < r.choice([0.2, 1.0], p=[0.9, 0.1])] = np.nan
    if r.random() < 0.2:
        values[:] = values[0]
    return values, ordered, int(r.choice([-1, 0, 0, 1])) if ordered else 0


def coded(values, ordered, direction, weights, codes=()):
    """The bins of the rows of positive weight."""
    used = values[weights > 0]
    if codes:
        seen = [code for code in sorted(codes) if (used == code).any()]
        plain = coded(np.where(np.isin(values, codes), np.nan, values), ordered, direction, weights)
        n_present, missing, bins = plain.n_present, bool(np.isnan(used).any()), plain.codes.copy()
        for k, code in enumerate(seen):
            bins[used == code] = n_present + k
        bins[np.isnan(used)] = n_present + len(seen)
        return Column(bins, n_present + len(seen) + missing, ordered, missing, direction, len(seen))
    levels = np.unique((used if ordered else values)[~np.isnan(used if ordered else values)])
    missing = np.isnan(used)
    codes = np.where(missing, len(levels), np.searchsorted(levels, np.nan_to_num(used)))
    # A numeric column without values has one bin for them.
    if ordered and len(levels) == 0:
        levels, codes = np.zeros(1), codes + 1
    return Column(
        codes.astype(int), len(levels) + bool(missing.any()), ordered, bool(missing.any()), direction
    )


def draw(seed, gap_tol=None, has_codes=False, has_trends=False, has_curves=False):
    """A fitted model, its data, and the problem as the twin has it; with a ridge if a gap is given."""
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
    of_codes = np.random.default_rng(seed)
    if has_trends:
        drawn = [(v, o, str(of_codes.choice(["auto", "peak", "valley"])) if o else 0) for v, o, _ in drawn]
    if has_curves:
        drawn = [(v, o, str(of_codes.choice(["convex", "concave"])) if o else 0) for v, o, _ in drawn]
    codes = [
        of_codes.choice(6, int(of_codes.integers(0, 5)), replace=False).tolist() if has_codes and o else []
        for _, o, _ in drawn
    ]
    columns = []
    for k, one in enumerate(drawn):
        columns.append(coded(*one, weights, codes[k]))
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
    if gap_tol is not None:
        params |= {"ridge": params["ridge"] or 0.03}
    kind = L0AdditiveRegressor if loss == "squared" else L0AdditiveClassifier
    named = {f"c{k}": own for k, own in enumerate(codes[: len(drawn)]) if own}
    model = kind(loss=loss, bins=None, monotonic_cst=[d for _, _, d in drawn], gap_tol=gap_tol,
                 special_codes=named, **params)  # fmt: skip
    model.fit(X, y, sample_weight=weights)
    used = weights > 0
    problem = Problem(columns, y[used], weights[used], loss, params["lambda0"], params["lambda2"],
                      params["ridge"], params["min_bin_weight"], params["max_columns"])  # fmt: skip
    return model, X, y, weights, problem


@pytest.mark.parametrize("drawn", KINDS)
@compare.each_seed(range(400))
def test_the_bound_is_that_of_every_segmentation_and_below_the_optimum(seed, drawn):
    model, X, y, weights, problem = draw(seed, **KINDS[drawn])
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


@pytest.mark.parametrize("drawn", KINDS)
@compare.each_seed(range(400))
def test_a_branch_and_bound_proves_the_optimum(seed, drawn):
    model, X, y, weights, problem = draw(seed, gap_tol=0.0, **KINDS[drawn])
    certificate, optimum = model.certificate_, problem.optimum()
    tiny = 1e-7 * (1 + abs(optimum))
    assert certificate.dual <= optimum + tiny
    assert certificate.primal >= optimum - tiny
    # Rules for cuts leave one model in the end, where no column has other choices.
    has_rules = all(c.ordered and c.n_present == c.n_bins and c.direction == 0 for c in problem.columns)
    if problem.lambda2 == 0 and has_rules:
        assert certificate.is_optimal
        assert certificate.primal == pytest.approx(optimum, rel=2e-6, abs=1e-9)
    fresh = type(model).from_json(model.to_json()).verify(X, y, sample_weight=weights)
    assert fresh.n_nodes == certificate.n_nodes
    assert fresh.primal == pytest.approx(certificate.primal, rel=1e-9, abs=1e-9)
    assert fresh.dual == pytest.approx(certificate.dual, rel=1e-7, abs=1e-7)


def branched(seed):
    """A model whose tree has inner nodes, with its document and its data; none where the root is enough."""
    model, X, y, weights, _ = draw(seed, gap_tol=0.0)
    document = json.loads(model.to_json())
    tree = document["model"]["outputs"][0]["points"][0]["bound"]["tree"]
    return (model, document, tree, (X, y, weights)) if len(tree) > 1 else None


def _no_first_leaf(tree):
    del tree[next(k for k, node in enumerate(tree) if "dual" in node)]


def _no_split(tree):
    tree[0] = {"dual": 0.0}


def _unknown_cut(tree):
    tree[0]["split"]["cut"] += 0.123


def _leaf_twice(tree):
    tree.append(tree[-1])


@compare.each_seed(range(60))
@pytest.mark.parametrize("edit", [_no_first_leaf, _no_split, _unknown_cut, _leaf_twice])
def test_a_tree_that_does_not_cover_all_models_cannot_be_read(seed, edit):
    found = branched(seed)
    if found is not None:
        model, document, tree, _ = found
        edit(tree)
        with pytest.raises(FormatError):
            type(model).from_json(json.dumps(document))


@compare.each_seed(range(60))
def test_a_tree_with_a_better_bound_than_it_has_is_refused(seed):
    found = branched(seed)
    if found is None:
        return
    model, document, tree, (X, y, weights) = found
    bound = document["model"]["outputs"][0]["points"][0]["bound"]
    leaves = [node for node in tree if "dual" in node]
    worst = min(leaf["dual"] for leaf in leaves)
    if worst == 0:
        return
    # Worse functions of the least leaf, with the bound that it had.
    for leaf in leaves:
        if leaf["dual"] == worst:
            for shape in leaf.get("shapes", []):
                shape["values"] = [value + 3 * k + 3 for k, value in enumerate(shape["values"])]
    if any(leaf.get("shapes") for leaf in leaves if leaf["dual"] == worst):
        with pytest.raises(CertificateError, match="lower bound"):
            type(model).from_json(json.dumps(document)).verify(X, y, sample_weight=weights)
    # A smaller bound than the functions give.
    bound["dual"] = 0.9 * worst
    for leaf in leaves:
        leaf["dual"] = min(leaf["dual"], 0.9 * worst)
    with pytest.raises(CertificateError, match="lower bound"):
        type(model).from_json(json.dumps(document)).verify(X, y, sample_weight=weights)
