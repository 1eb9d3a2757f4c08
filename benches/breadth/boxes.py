"""The largest score of all rules of up to three conditions, from histograms over the cells of cut points."""

import itertools

import numpy as np

from oracle.certificate import features_of
from oracle.design import standardised
from oracle.rules import Numeric, holds, propositions

MOST_SCORES = 100_000_000  # of all rules: a few seconds


def largest_score(case, document, X, u, weights, *, least, most):
    """``max_k |sum_i u_i z_ik| / c_k`` over linear terms and rules of up to `most` conditions.

    The cells of a column are its intervals between cut points, its levels, and missing values; a proposition
    is a row of 0 and 1 over them. A sum over the rows of a rule is then a product of the histogram of `u`
    over the cells of its columns with a row for each. Larger sizes are left out if there are too many rules:
    the result is then a lower bound.
    """
    params, features = case["params"], features_of({"features": document})
    trends = params.get("monotonic_cst") or [0] * len(features)
    tables = [_cells(j, f, X[:, j], t) for j, (f, t) in enumerate(zip(features, trends, strict=True))]
    positive, growth = params.get("positive", False), params.get("penalty_growth", 0.5)
    top = 0.0
    for size in range(1, min(most, 3) + 1):
        groups = list(itertools.combinations(range(len(features)), size))
        if sum(np.prod([len(tables[j][1]) for j in group]) for group in groups) > MOST_SCORES:
            break
        for group in groups:
            found = _of_group([tables[j] for j in group], u, least, positive)
            top = max(top, found / (1 + growth * (size - 1)))
    if params.get("linear", True):
        top = max(top, _of_linear(features, trends, X, u, weights, positive))
    return top


def _cells(j, feature, x, trend):
    """The cell of each row, the propositions over the cells, and the sign of each."""
    found = propositions(j, feature, trend)
    if isinstance(feature, Numeric):
        cuts = np.array(feature.cuts)
        values = np.array([*cuts, cuts[-1] + 1.0 if len(cuts) else 0.0, np.nan])
        cells = np.where(np.isnan(x), len(cuts) + 1, np.searchsorted(cuts, x, side="left"))
    else:
        values = np.array([*feature.levels, None], dtype=object)
        place = {level: k for k, level in enumerate(feature.levels)}
        cells = np.array([len(place) if np.isnan(v) else place[f"level {int(v)}"] for v in x])
    rows = np.array([holds(condition, values) for condition, _ in found]).reshape(len(found), len(values))
    return cells.astype(int), rows.astype(float), np.array([sign for _, sign in found])


def _of_group(tables, u, least, positive):
    shape = tuple(rows.shape[1] for _, rows, _ in tables)
    cell = np.ravel_multi_index([cells for cells, _, _ in tables], shape)
    sums = np.bincount(cell, u, minlength=np.prod(shape)).reshape(shape)
    counts = np.bincount(cell, minlength=np.prod(shape)).reshape(shape).astype(float)
    top = 0.0
    for sign in (1,) if positive else (1, -1):
        allowed = [rows[signs * sign >= 0] for _, rows, signs in tables]
        scores = sign * _along(sums, allowed)
        if least > 1:
            scores = np.where(_along(counts, allowed) >= least, scores, 0.0)
        top = max(top, float(scores.max(initial=0.0)))
    return top


def _along(cells, rows):
    """The products of an array with a matrix along each axis."""
    for matrix in rows:
        cells = np.tensordot(cells, matrix.T, axes=(0, 0))
    return cells


def _of_linear(features, trends, X, u, weights, positive):
    top = 0.0
    for j, feature in enumerate(features):
        column = standardised(X[:, j], weights) if isinstance(feature, Numeric) else None
        if column is None:
            continue
        score = float(u @ column)
        up, down = trends[j] >= 0, trends[j] <= 0 and not positive
        top = max(top, score if up else 0.0, -score if down else 0.0)
    return top
