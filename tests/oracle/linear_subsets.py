"""Best linear subsets by their definition: every subset of the columns, fitted by Newton's method.

The objective of a subset is the least sum of v loss + lambda2 * sum of squared coefficients over an
intercept and the coefficients, plus lambda0 for each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit

from oracle.design import Floats

LOSSES = ["squared", "logistic", "exponential"]
MAX_STEPS = 200


def expansion(loss: str, y: Floats, f: Floats) -> tuple[Floats, Floats, Floats]:
    """The loss of each row with its first and second derivative in f."""
    if loss == "squared":
        return 0.5 * (y - f) ** 2, f - y, np.ones_like(f)
    if loss == "logistic":
        return np.logaddexp(0.0, -y * f), -y * expit(-y * f), expit(f) * expit(-f)
    e = np.exp(np.minimum(-y * f, 300.0))  # finite products
    return e, -y * e, e


def best_fit(X: Floats, y: Floats, v: Floats, loss: str, lambda2: float) -> float:
    """The least sum of v loss + lambda2 |w|^2 over w and an intercept."""
    x = np.column_stack([X, np.ones(len(y))])
    ridge = np.append(np.full(X.shape[1], 2.0 * lambda2), 0.0)

    def value(theta: Floats) -> float:
        return float(v @ expansion(loss, y, x @ theta)[0] + 0.5 * ridge @ theta**2)

    theta = np.zeros(x.shape[1])
    for _ in range(MAX_STEPS):
        _, slope, curvature = expansion(loss, y, x @ theta)
        gradient = x.T @ (v * slope) + ridge * theta
        step = np.linalg.lstsq((x.T * (v * curvature)) @ x + np.diag(ridge), gradient)[0]
        decrement = float(gradient @ step)
        if decrement <= 1e-13 * value(theta):
            break
        length = 1.0
        while length > 1e-12 and value(theta - length * step) > value(theta) - 0.1 * length * decrement:
            length /= 2
        if length <= 1e-12:
            break
        theta = theta - length * step
    return value(theta)


def separates(X: Floats, y: Floats) -> bool:
    """Whether some linear function has no row on the wrong side of 0, and one on the right side."""
    margins = y[:, None] * np.column_stack([X, np.ones(len(y))])
    found = linprog(-margins.sum(axis=0), -margins, np.zeros(len(y)), bounds=(-1.0, 1.0))
    return bool(found.fun < -1e-9)


@dataclass(frozen=True)
class Task:
    """A problem: the loss with its data, the penalties, and the limit on the number of coefficients."""

    X: Floats
    y: Floats
    v: Floats
    loss: str
    lambda0: float | None
    lambda2: float
    max_nonzero: int | None

    def optimum(self) -> float:
        """The least objective over all subsets."""
        price, d = self.lambda0 or 0.0, self.X.shape[1]
        sizes = range(min(d, d if self.max_nonzero is None else self.max_nonzero) + 1)

        def value(subset: Sequence[int]) -> float:
            fitted = best_fit(self.X[:, list(subset)], self.y, self.v, self.loss, self.lambda2)
            return fitted + price * len(subset)

        return min(value(s) for size in sizes for s in itertools.combinations(range(d), size))


def tasks(seeds: range) -> Iterator[tuple[int, Task]]:
    """Random problems: few rows or many, equal and constant columns, whole weights and weights of 0."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(3, 20)), int(rng.integers(1, 7))
        X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-2, 2, size=d)
        if rng.random() < 0.3:
            X = np.round(X)
        if d > 1 and rng.random() < 0.2:
            X[:, 1] = X[:, 0]
        if rng.random() < 0.1:
            X[:, 0] = 3.0
        loss = LOSSES[int(rng.integers(3))]
        y = X[:, -1] / (np.std(X[:, -1]) + 1e-9) + rng.normal(size=n)
        if loss != "squared":
            y = np.where(y > np.median(y), 1.0, -1.0)
        v = [np.ones(n), rng.integers(0, 3, size=n).astype(float), rng.exponential(size=n)][rng.integers(3)]
        v[[0, np.argmax(y != y[0])]] = 1.0
        lambda0 = [None, 0.01, 0.3, 2.0][rng.integers(4)]
        limit = int(rng.integers(1, 2 * d + 1)) if lambda0 is None or rng.random() < 0.3 else None
        lambda2 = 0.0 if rng.random() < 0.4 else float(10 ** rng.uniform(-2, 1))
        yield seed, Task(X, y, v, loss, lambda0, lambda2, limit)


def dependent_columns(rng: np.random.Generator, n: int) -> Floats:
    """Up to eight columns, some of them sums of others: levels, totals, opposites, copies in other units."""
    parts: list[Floats] = []
    for kind in rng.choice(
        ["levels", "nested", "total", "opposite", "units", "free"], size=rng.integers(1, 4)
    ):
        x = rng.normal(size=(n, 2))
        level = rng.integers(0, rng.integers(2, 5), n)
        levels = (level[:, None] == np.unique(level)).astype(float)
        wider = (level[:, None] // 2 == np.unique(level // 2)).astype(float)
        parts += {
            "levels": [levels],
            "nested": [levels, wider],
            "total": [x, x @ rng.choice([1.0, -2.0, 0.5], size=(2, 1))],
            "opposite": [x[:, :1], 1.0 - x[:, :1]],
            "units": [np.round(x[:, :1], 1), 32.0 + 1.8 * np.round(x[:, :1], 1)],
            "free": [x],
        }[str(kind)]
    X = np.hstack(parts)
    return (X * 10.0 ** rng.uniform(-3, 3, size=X.shape[1]))[:, rng.permutation(X.shape[1])[:8]]
