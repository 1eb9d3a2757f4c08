"""The sparse group penalty from first principles: candidates, dual norm, certificate, solver.

With the rules in groups g by the features they are about, c_g what a rule of that length
costs, and t the cost of a linear term, the penalty for alpha = 1 is

    t ||w_lin||_1 + sum_g c_g (tau ||w_g||_1 + (1 - tau) ||w_g||_2).

In a group a set of training rows counts once for each sign it allows, and only where no part
of the group's features describes it with the same freedom of sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from oracle import losses
from oracle.certificate import features_of, predictions
from oracle.design import Design, Floats, build, normalised
from oracle.rules import Language, rule_column


@dataclass(frozen=True)
class Grouped:
    """Every candidate column: rules by group, then linear terms."""

    matrix: Floats
    plus: npt.NDArray[np.bool_]  # a positive weight is allowed
    minus: npt.NDArray[np.bool_]
    keys: list[tuple[int, ...]]  # the features of each rule column
    members: dict[tuple[int, ...], npt.NDArray[np.int64]]
    cost: dict[tuple[int, ...], float]
    tau: float
    tau_linear: float

    @property
    def n_rules(self) -> int:
        """How many columns are rules."""
        return len(self.keys)

    def signed_correlations(self, corr: Floats) -> Floats:
        """The correlation of each column in the direction that its sign allows, at least 0."""
        up = np.where(self.plus, corr, -np.inf)
        return np.maximum(np.maximum(up, np.where(self.minus, -corr, -np.inf)), 0.0)

    def dual_norm(self, corr: Floats) -> float:
        """The least nu with which corr / nu is feasible."""
        signed = self.signed_correlations(corr)
        norms = [np.max(signed[self.n_rules :], initial=0.0) / self.tau_linear]
        norms += [epsilon_norm(signed[k], self.tau) / self.cost[g] for g, k in self.members.items()]
        return float(max(norms))

    def penalty(self, w: Floats) -> float:
        """The penalty of weights, for alpha = 1."""
        total = self.tau_linear * float(np.sum(np.abs(w[self.n_rules :])))
        for g, k in self.members.items():
            norm = self.tau * np.sum(np.abs(w[k])) + (1.0 - self.tau) * np.sqrt(np.sum(w[k] ** 2))
            total += self.cost[g] * float(norm)
        return total

    def prox(self, w: Floats, step: float) -> Floats:
        """argmin of |x - w|^2 / 2 + step * penalty(x) over the signs allowed."""
        w = np.where((w > 0.0) & ~self.plus, 0.0, np.where((w < 0.0) & ~self.minus, 0.0, w))
        thresholds, group_of, group_costs = self._by_column
        soft = np.sign(w) * np.maximum(np.abs(w) - step * thresholds, 0.0)
        norms = np.sqrt(np.bincount(group_of, soft[: self.n_rules] ** 2, len(group_costs)))
        fraction = 1.0 - (1.0 - self.tau) * step * group_costs / np.maximum(norms, 1e-300)
        soft[: self.n_rules] *= np.maximum(fraction, 0.0)[group_of]
        return soft

    @cached_property
    def _by_column(self) -> tuple[Floats, npt.NDArray[np.int64], Floats]:
        """The L1 penalty of each column, the group of each rule column, the cost of each group."""
        group_of = np.zeros(self.n_rules, dtype=np.int64)
        for number, k in enumerate(self.members.values()):
            group_of[k] = number
        costs = np.array([self.cost[g] for g in self.members])
        thresholds = np.full(self.matrix.shape[1], self.tau_linear)
        thresholds[: self.n_rules] = self.tau * costs[group_of]
        return thresholds, group_of, costs


def epsilon_norm(values: Floats, tau: float) -> float:
    """The root nu of sum (v - tau nu)_+^2 = ((1 - tau) nu)^2, for values >= 0."""
    top = float(np.max(values, initial=0.0))
    if top <= 0.0:
        return 0.0

    def excess(nu: float) -> float:
        return float(np.sqrt(np.sum(np.maximum(values - tau * nu, 0.0) ** 2))) - (1.0 - tau) * nu

    if excess(top) <= 0.0:
        return top
    return float(brentq(excess, top, top / tau, xtol=1e-15 * top, rtol=1e-14))


def grouped(design: Design, language: Language, tau: float, tau_linear: float) -> Grouped:
    """The candidates of a design's rules."""
    rules = design.rules
    described: dict[bytes, set[tuple[tuple[int, ...], int]]] = {}
    entries = []
    for k in range(len(rules)):
        rows = rules.columns[:, k]
        features = tuple(np.flatnonzero(rules.choices[k] >= 0).tolist())
        sign = 0 if rules.plus[k] and rules.minus[k] else 1 if rules.plus[k] else -1
        if rows.sum() >= max(language.min_support, 1):
            described.setdefault(rows.tobytes(), set()).add((features, sign))
            entries.append((features, sign, k))
    seen = set()
    columns: list[int] = []
    keys: list[tuple[int, ...]] = []
    for features, sign, k in entries:
        key = rules.columns[:, k].tobytes()
        if not features or (key, features, sign) in seen:
            continue
        seen.add((key, features, sign))
        better = (
            (other, theirs) != (features, sign) and theirs in (0, sign) and set(other) <= set(features)
            for other, theirs in described[key]
        )
        if not any(better):
            columns.append(k)
            keys.append(features)
    linear = design.matrix[:, len(design.first) :]
    members = {g: np.array([i for i, key in enumerate(keys) if key == g]) for g in dict.fromkeys(keys)}
    return Grouped(
        np.column_stack([rules.columns[:, columns].astype(float), linear]),
        np.append(rules.plus[columns], np.isfinite(design.plus[len(design.first) :])),
        np.append(rules.minus[columns], np.isfinite(design.minus[len(design.first) :])),
        keys,
        members,
        {g: 1.0 + language.penalty_growth * (len(g) - 1) for g in members},
        tau,
        tau_linear,
    )


def dual(task: Grouped, y: Floats, v: Floats, loss: losses.Loss, alpha: float, f: Floats) -> float:
    """The dual objective that predictions lead to, feasible for every candidate."""
    u = -losses.slope(loss, y, f + losses.best_intercept(loss, y, f, v))
    if loss == "squared":
        y = y - np.average(y, weights=v)
        u -= np.average(u, weights=v)
    norm = task.dual_norm((v * u) @ task.matrix / len(u))
    u = u / max(1.0, norm / alpha)
    return -float(np.mean(v * losses.conjugate(loss, y, -u)))


@dataclass(frozen=True)
class GroupCertificate:
    """What a model with grouped rules claims, computed anew."""

    primal: float
    dual: float
    predictions: Floats
    groups: dict[tuple[int, ...], float]  # norm of each group with a weight

    @property
    def gap(self) -> float:
        """P - D."""
        return self.primal - self.dual


def certify(
    document: dict[str, Any],
    columns: Sequence[npt.NDArray[Any]],
    y: Floats,
    weights: Floats | None,
    language: Language,
    tau: float,
    tau_linear: float,
) -> tuple[GroupCertificate, Grouped]:
    """Judges the selected point of a model document against all candidates."""
    kept = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    columns, y = [c[kept] for c in columns], y[kept]
    v = normalised(None if weights is None else weights[kept], len(y))
    task = grouped(build(features_of(document), columns, v, language), language, tau, tau_linear)
    out = document["outputs"][0]
    point = out["points"][out["selected"]]
    loss, alpha = document["loss"], float(point["alpha"])
    f = predictions(document, columns)
    w = np.zeros(task.matrix.shape[1])
    place = {(task.keys[k], task.matrix[:, k].astype(bool).tobytes()): k for k in range(task.n_rules)}
    for index, coef in point["terms"]:
        conditions = out["terms"][index]["pattern"]
        features = tuple(sorted(c["feature"] for c in conditions))
        w[place[features, rule_column(conditions, columns).tobytes()]] += coef
    linear = sum(abs(term["coef"] * term["scale"]) for term in point["linear"])
    primal = float(np.mean(v * losses.value(loss, y, f)) + alpha * (task.penalty(w) + tau_linear * linear))
    norms = {g: float(np.sqrt(np.sum(w[k] ** 2))) for g, k in task.members.items() if np.any(w[k])}
    return GroupCertificate(primal, dual(task, y, v, loss, alpha, f), f, norms), task


def solve(
    task: Grouped,
    y: Floats,
    v: Floats,
    loss: losses.Loss,
    alpha: float,
    tol: float = 1e-9,
    most: int = 50_000,
) -> tuple[float, float]:
    """Primal and dual of the optimum: accelerated proximal gradient with restarts.

    Columns come in as they violate their conditions; over those there each step is plain.
    """
    if loss == "squared":
        y = y - np.average(y, weights=v)
    n, total = len(y), task.matrix.shape[1]
    held = np.zeros(total, dtype=bool)
    held[task.n_rules :] = True
    w = np.zeros(total)
    steps = 0
    while True:
        part = _restricted(task, held)
        w_held, steps = _accelerated(part, y, v, loss, alpha, w[held], 0.2 * tol, steps, most)
        w = np.zeros(total)
        w[held] = w_held
        f = task.matrix @ w
        f += losses.best_intercept(loss, y, f, v)
        primal = float(np.mean(v * losses.value(loss, y, f))) + alpha * task.penalty(w)
        bound = dual(task, y, v, loss, alpha, f)
        corr = (v * -losses.slope(loss, y, f)) @ task.matrix / n
        signed = task.signed_correlations(corr)[: task.n_rules]
        price = np.array([task.cost[g] for g in task.keys]) * task.tau * alpha
        fresh = np.flatnonzero((signed > price) & ~held[: task.n_rules])
        if primal - bound <= tol * primal or steps >= most or not len(fresh):
            return primal, bound
        held[fresh[np.argsort(-(signed / price)[fresh], kind="stable")[:30]]] = True


def _restricted(task: Grouped, held: npt.NDArray[np.bool_]) -> Grouped:
    keys = [g for g, h in zip(task.keys, held, strict=False) if h]
    members = {g: np.array([i for i, key in enumerate(keys) if key == g]) for g in dict.fromkeys(keys)}
    parts = (task.matrix[:, held], task.plus[held], task.minus[held])
    return Grouped(*parts, keys, members, task.cost, task.tau, task.tau_linear)


def _accelerated(
    task: Grouped,
    y: Floats,
    v: Floats,
    loss: losses.Loss,
    alpha: float,
    w: Floats,
    tol: float,
    steps: int,
    most: int,
) -> tuple[Floats, int]:
    """Weights with a relative gap of at most `tol` over the columns of the task."""
    n = len(y)
    centred = task.matrix - np.average(task.matrix, axis=0, weights=v) if len(w) else task.matrix
    cap = 0.25 if loss == "logistic" else 1.0
    # The intercept is a column of its own, orthogonal to the others in the weights' product.
    a = np.column_stack([np.ones(n), centred])
    size = cap * float(np.linalg.norm(a * np.sqrt(v / n)[:, None], 2)) ** 2
    x = np.append(losses.best_intercept(loss, y, centred @ w, v), w)
    ahead, momentum = x, 1.0
    while steps < most:
        slope = (v * losses.slope(loss, y, a @ ahead)) @ a / n
        new = ahead - slope / size
        new[1:] = task.prox(new[1:], alpha / size)
        if float((ahead - new) @ (new - x)) > 0.0:
            momentum = 1.0
        after = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead, x, momentum = new + (momentum - 1.0) / after * (new - x), new, after
        steps += 1
        if steps % 50 == 0:
            f = a @ x
            primal = float(np.mean(v * losses.value(loss, y, f))) + alpha * task.penalty(x[1:])
            if primal - dual(task, y, v, loss, alpha, f) <= tol * primal:
                break
    return x[1:], steps
