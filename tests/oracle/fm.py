"""Factorization machines by their definitions: sums over all subsets of the columns.

Nothing is shared with the product: predictions multiply out every interaction, penalties add up
every product, and the objective is put together from both.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def subsets(d: int, order: int | None) -> list[tuple[int, ...]]:
    """All sets of `order` of d columns; all sets at all where it is None."""
    sizes = range(d + 1) if order is None else [order]
    return [found for size in sizes for found in itertools.combinations(range(d), size)]


def predict(X: Floats, intercept: float, coef: Floats, factors: list[Any], signs: Floats) -> Floats:
    """b + <w, x> + every interaction of every factor; `factors` are pairs (order, P)."""
    f = intercept + X @ coef
    for order, P in factors:
        wide = np.column_stack([X, np.ones((len(X), len(P) - X.shape[1]))])
        for found in subsets(len(P), order):
            weight = (signs * np.prod(P[list(found)], axis=0)).sum()
            f = f + weight * np.prod(wide[:, list(found)], axis=1)
    return f


def loss(name: str, y: Floats, f: Floats, delta: float) -> Floats:
    """The loss of each row."""
    r = np.abs(y - f)
    return {
        "squared": 0.5 * (y - f) ** 2,
        "logistic": np.logaddexp(0, -y * f),
        "squared_hinge": 0.5 * np.maximum(0, 1 - y * f) ** 2,
        "huber": np.where(r <= delta, 0.5 * r**2, delta * (r - 0.5 * delta)),
    }[name]


def penalty(name: str | None, order: int | None, P: Floats) -> float:
    """Omega of one factor."""
    sizes = np.linalg.norm(P, axis=1)[:, None] if name in ("l21", "cs", "omega_cs") else np.abs(P)
    if name is None:
        return 0.0
    if name in ("l1", "l21"):
        return float(sizes.sum())
    if name in ("ti", "cs"):
        return float((sizes.sum(axis=0) ** order).sum())
    return float(sum(np.prod(sizes[list(found)], axis=0).sum() for found in subsets(len(P), order)))


def objective(model: Any, X: Floats, y: Floats, weights: Floats | None = None) -> float:
    """The objective of a fitted estimator of one output; y are numbers, or -1 and 1."""
    orders = model._fitted.document["language"]["orders"]
    factors = list(zip(orders, model.factors_, strict=True))
    f = predict(X, model.intercept_, model.coef_, factors, model.signs_)
    coef, factors, target = standardised(model, X, y, weights)
    name, delta = model.loss if isinstance(model.loss, tuple) else (model.loss, 1.35)
    losses = loss(name, y, f, delta)
    mean = float(np.average(losses, weights=weights))
    squares = sum(float((P**2).sum()) for _, P in factors)
    ridge = model.l2_linear_ * float(coef @ coef) + model.l2_factors_ * squares
    omega = sum(penalty(model.penalty, order, P) for order, P in factors)
    return mean + target**2 * (ridge + model.alpha_ * omega)


def units(x: Floats, weights: Floats, has_centers: bool) -> tuple[float, float]:
    """Center and scale of a column: mean and deviation, or 0 and the root mean square of what is not 0."""
    values = x[(weights > 0) & (x != 0)]
    if len(values) == 0:
        return 0.0, 1.0
    is_dense = 2 * weights[x != 0].sum() > weights.sum() and len(np.unique(values)) > 1
    if has_centers and is_dense:
        mean = np.average(x, weights=weights)
        return float(mean), float(np.sqrt(np.average((x - mean) ** 2, weights=weights)))
    return 0.0, float(np.sqrt(np.average(x[x != 0] ** 2, weights=weights[x != 0])))


def standardised(model: Any, X: Floats, y: Floats, weights: Floats | None) -> tuple[Floats, list[Any], float]:
    """Linear term and factors in units of standardised columns and target, and the target's scale."""
    orders = model._fitted.document["language"]["orders"]
    if not model.standardize:
        return model.coef_, list(zip(orders, model.factors_, strict=True)), 1.0
    weights = np.ones(len(X)) if weights is None else weights
    has_centers = orders == [2] and len(model.factors_[0]) == X.shape[1]
    has_centers = has_centers and model.fit_linear and model.fit_intercept
    center, scale = np.transpose([units(x, weights, has_centers) for x in X.T])
    target = 1.0
    if model._task == "regression" and orders != [None]:
        mean = np.average(y, weights=weights) if model.fit_intercept else 0.0
        target = float(np.sqrt(np.average((y - mean) ** 2, weights=weights)))
    coef = model.coef_
    if has_centers:
        P = model.factors_[0]
        W = (P * model.signs_) @ P.T
        coef = coef + (W - np.diag(np.diag(W))) @ center
    factors = []
    for order, P in zip(orders, model.factors_, strict=True):
        wide = np.append(scale, np.ones(len(P) - len(scale)))
        factors.append((order, P * wide[:, None] / target ** (1.0 / (order or 1))))
    return coef * scale / target, factors, target


def interactions(model: Any, n_columns: int) -> dict[tuple[int, ...], float]:
    """Weights of all sets of columns with a component in common; orders beyond 1."""
    found: dict[tuple[int, ...], float] = {}
    for order, P in zip(model._fitted.document["language"]["orders"], model.factors_, strict=True):
        ones = list(range(n_columns, len(P)))
        for size in range(2, n_columns + 1):
            for columns in itertools.combinations(range(n_columns), size):
                rest = 0 if order is None else order - size
                if (order is None and size > 3) or not 0 <= rest <= len(ones):
                    continue
                tops = [np.prod(P[list(extra)], axis=0) for extra in itertools.combinations(ones, rest)]
                part = np.prod(P[list(columns)], axis=0) * np.sum(tops, axis=0)
                if np.any(part != 0):
                    found[columns] = found.get(columns, 0.0) + float((model.signs_ * part).sum())
    return found


def best_pairs(X: Floats, y: Floats, strength: float, sweeps: int = 20_000) -> tuple[float, Floats]:
    """The lasso on all products of two columns, without intercept: objective and weights."""
    pairs = np.column_stack([X[:, i] * X[:, j] for i, j in subsets(X.shape[1], 2)])
    w = np.zeros(pairs.shape[1])
    rest = y.astype(float).copy()
    for _ in range(sweeps):
        moved = 0.0
        for j in range(len(w)):
            column = pairs[:, j]
            square = column @ column / len(y)
            goal = w[j] + column @ rest / len(y) / square
            new = math.copysign(max(abs(goal) - strength / square, 0.0), goal)
            rest -= (new - w[j]) * column
            moved += abs(new - w[j])
            w[j] = new
        if moved < 1e-12:
            break
    return float(0.5 * (rest @ rest) / len(y) + strength * np.abs(w).sum()), w
