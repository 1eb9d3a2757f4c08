"""Proof of optimality from first principles: primal, dual over all rules, gap, KKT.

The problem, for weights v of mean 1 and columns z_k with a price for either sign,

    P(b, w) = 1/n sum_i v_i loss(y_i, b + z_i w) + alpha sum_k (plus_k w_k+ + minus_k w_k-)

has the dual

    D(u) = -1/n sum_i v_i loss*(y_i, -u_i)   subject to   sum_i v_i u_i = 0   and
    -alpha minus_k <= 1/n sum_i v_i u_i z_ik <= alpha plus_k   for every column k.

A feasible u comes from the slope of the loss at any prediction whose intercept is at its
optimum: u_i = -d loss / d f, shrunk until every column satisfies its bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oracle import losses
from oracle.design import Design, Floats, build, normalised, standardised
from oracle.rules import Categorical, Feature, Language, Numeric, numbers, rule_column


@dataclass(frozen=True)
class Certificate:
    """What a model claims, computed anew."""

    primal: float
    dual: float
    gap: float
    kkt: float  # see `kkt_residual`
    n_candidates: int
    predictions: Floats


def correlations(design: Design, u: Floats, v: Floats) -> Floats:
    """1/n sum_i v_i u_i z_ik for every column."""
    return (v * u) @ design.matrix / len(u)


def alpha_max(design: Design, y: Floats, v: Floats, loss: losses.Loss) -> float:
    """The least alpha whose optimum is the intercept alone."""
    b = losses.best_intercept(loss, y, np.zeros_like(y), v)
    corr = correlations(design, -losses.slope(loss, y, np.full_like(y, b)), v)
    return float(max(np.max(corr / design.plus, initial=0.0), np.max(-corr / design.minus, initial=0.0)))


def dual_point(
    design: Design, y: Floats, v: Floats, loss: losses.Loss, alpha: float, f: Floats
) -> tuple[float, Floats]:
    """The dual objective and point that the predictions f lead to."""
    b = losses.best_intercept(loss, y, f, v)
    u = -losses.slope(loss, y, f + b)
    if losses.is_regression(loss):
        # The dual is the same for any constant taken off y, since sum_i v_i u_i = 0; off
        # its mean, nothing large cancels.
        y = y - np.average(y, weights=v)
        u = u - np.average(u, weights=v) if loss == "squared" else u
    corr = correlations(design, u, v)
    share = np.maximum(corr / (alpha * design.plus), -corr / (alpha * design.minus))
    u = u / max(1.0, np.max(share, initial=0.0))
    return -float(np.mean(v * losses.conjugate(loss, y, -u))), u


def primal(
    design: Design, y: Floats, v: Floats, loss: losses.Loss, alpha: float, w: Floats, f: Floats
) -> float:
    """P for weights w on the design's columns, whose predictions are f."""
    cost = np.sum(_price(design.plus, np.maximum(w, 0.0)) + _price(design.minus, np.maximum(-w, 0.0)))
    return float(np.mean(v * losses.value(loss, y, f)) + alpha * cost)


def _price(cost: Floats, amount: Floats) -> Floats:
    """cost * amount, where 0 of an infinitely dear column costs nothing."""
    return np.where(amount > 0.0, np.where(amount > 0.0, cost, 0.0) * amount, 0.0)


def kkt_residual(
    design: Design, y: Floats, v: Floats, loss: losses.Loss, alpha: float, w: Floats, f: Floats
) -> float:
    """A lower bound of P - P*: the most that one column alone could still gain.

    Along column k the objective has curvature at most L_k = cap * 1/n sum_i v_i z_ik^2, so
    the proximal step of length s gains at least L_k s^2 / 2. Zero for all columns is KKT.
    """
    cap = 0.25 if loss == "logistic" else 1.0
    curvature = cap * (v @ design.matrix**2) / len(y)
    used = curvature > 0.0
    corr = correlations(design, -losses.slope(loss, y, f), v)[used]
    target = w[used] + corr / curvature[used]
    up = np.maximum(target - alpha * design.plus[used] / curvature[used], 0.0)
    down = np.minimum(target + alpha * design.minus[used] / curvature[used], 0.0)
    step = up + down - w[used]
    return float(np.max(0.5 * curvature[used] * step**2, initial=0.0))


def features_of(document: dict[str, Any]) -> list[Feature]:
    """The features of a model document."""
    out: list[Feature] = []
    for feature in document["features"]:
        if feature["kind"] == "numeric":
            codes = tuple(code["value"] for code in feature.get("special", ()) if code["seen"])
            out.append(Numeric(tuple(feature["cuts"]), feature["missing"], codes))
        else:
            out.append(Categorical(tuple(feature["levels"]), feature["missing"]))
    return out


def predictions(document: dict[str, Any], columns: Sequence[npt.NDArray[Any]], output: int = 0) -> Floats:
    """f of the selected point, from the conditions on raw values."""
    out = document["outputs"][output]
    point = out["points"][out["selected"]]
    f = np.full(len(columns[0]), float(point["intercept"]))
    for term in point["linear"]:
        x = numbers(columns[term["feature"]])
        f += term["coef"] * np.where(np.isnan(x), term["center"], x)
    for index, coef in point["terms"]:
        f += coef * rule_column(out["terms"][index]["pattern"], columns)
    return f


def certify(
    document: dict[str, Any],
    columns: Sequence[npt.NDArray[Any]],
    y: Floats,
    weights: Floats | None,
    language: Language,
    output: int = 0,
    design: Design | None = None,
) -> Certificate:
    """Judges the selected point of a model document against all rules of its language.

    `y` is a real number or -1 / +1. The weight of each column of the design is the sum
    of the weights of the rules that have these training rows; what a rule costs is taken
    from its own length. `design` saves building it again for the same features.
    """
    kept = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    columns, y = [c[kept] for c in columns], y[kept]
    v = normalised(None if weights is None else weights[kept], len(y))
    if design is None:
        design = build(features_of(document), columns, v, language)
    out = document["outputs"][output]
    point = out["points"][out["selected"]]
    loss, alpha = document["loss"], float(point["alpha"])
    f = predictions(document, columns, output)
    w, cost = np.zeros(design.matrix.shape[1]), 0.0
    index = {design.matrix[:, k].astype(bool).tobytes(): k for k in range(len(design.first))}
    for rule, coef in point["terms"]:
        conditions = out["terms"][rule]["pattern"]
        held = rule_column(conditions, columns)
        w[index[held.tobytes()]] += coef
        cost += abs(coef) * (1.0 + language.penalty_growth * (len(conditions) - 1))
    for term in point["linear"]:
        column = standardised(columns[term["feature"]], v)
        assert column is not None
        sd = _spread(columns[term["feature"]], v)
        w[len(design.first) + design.linear.index(term["feature"])] = term["coef"] * sd
        cost += abs(term["coef"] * sd)
    forbidden = ((w > 0.0) & np.isinf(design.plus)) | ((w < 0.0) & np.isinf(design.minus))
    if forbidden.any():
        cost = np.inf  # a sign that monotonic_cst or positive rule out
    value = float(np.mean(v * losses.value(loss, y, f)) + alpha * cost)
    dual, _ = dual_point(design, y, v, loss, alpha, f)
    kkt = kkt_residual(design, y, v, loss, alpha, w, f)
    return Certificate(value, dual, value - dual, kkt, design.n_candidates, f)


def _spread(values: Floats, weights: Floats) -> float:
    """Weighted standard deviation of the rows with a value."""
    values = numbers(values)
    seen = ~np.isnan(values)
    mean = np.average(values[seen], weights=weights[seen])
    return float(np.sqrt(np.average((values[seen] - mean) ** 2, weights=weights[seen])))
