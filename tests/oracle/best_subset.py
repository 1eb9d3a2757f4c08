"""Best subsets by their definition: every subset of a small problem, fitted by Newton's method.

The objective of a subset is the least mean of v (loss + ridge * sum of squared contributions) over an
intercept and coefficients of the allowed signs. Where the minimum lies at the bound of a sign the coefficient
is 0, and the subset without that column has the same objective. So it is enough to fit every subset without
bounds, and to leave out those with a coefficient of a sign that is not allowed. Beside an intercept a column
of 0 and 1 and its complement are the same, so that no subset has both.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import thresher
from oracle import losses, patterns, problems
from oracle.design import Design, Floats, build, normalised, standardised
from oracle.problems import Problem
from oracle.rules import Language, Numeric, rule_column

MAX_SIZE = 3
MOST_COLUMNS = {1: 200, 2: 60, 3: 26}
"""Columns of a problem, by the size of the largest subset."""
TOLERANCE = 1e-6  # relative error of an objective
MAX_STEPS = 100
DECREMENT = 1e-11  # Newton's decrement at which a fit ends, relative to the objective

Option = tuple[int, int]
"""A column and the sign of its coefficient (0: any)."""


# ---------------------------------------------------------------- fits


def fit_all(
    matrices: Floats, y: Floats, v: Floats, loss: losses.Loss, penalties: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """The least mean of v loss + penalties @ theta^2 / 2 for each of many matrices, and its theta.

    Newton's method with halved steps. Curvature is added where the loss has none: less and less.
    """
    theta, best = start.copy(), np.full(len(matrices), np.inf)
    left = np.arange(len(matrices))
    n, p = matrices.shape[1:]

    def objective(at: npt.NDArray[np.int64], x: Floats) -> Floats:
        f = np.einsum("snp,sp->sn", matrices[at], x)
        return np.asarray(losses.value(loss, y, f) @ v / n + 0.5 * np.sum(penalties[at] * x**2, axis=1))

    for step_number in range(MAX_STEPS):
        if not len(left):
            break
        z, x = matrices[left], theta[left]
        f, here = np.einsum("snp,sp->sn", z, x), objective(left, x)
        gradient = np.einsum("snp,sn->sp", z, v * losses.slope(loss, y, f) / n) + penalties[left] * x
        curvature = losses.curvature(loss, y, f)
        if loss != "squared":
            curvature = curvature + 0.1 * 0.5**step_number * _upper_curvature(loss, y, f) + 1e-9
        hessian = np.matmul(z.transpose(0, 2, 1) * (v * curvature / n)[:, None, :], z)
        hessian[:, range(p), range(p)] += penalties[left]
        direction = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        slope = np.sum(direction * gradient, axis=1)
        length, trying = np.ones(len(left)), np.arange(len(left))
        for _ in range(40):
            reached = objective(left[trying], x[trying] + length[trying, None] * direction[trying])
            trying = trying[reached > here[trying] + 0.1 * length[trying] * slope[trying]]
            length[trying] *= 0.5
            if not len(trying):
                break
        length[trying] = 0.0
        theta[left] = x + length[:, None] * direction
        best[left] = here
        left = left[(-slope > DECREMENT * np.abs(here)) & (length > 0.0)]
    return np.minimum(best, objective(np.arange(len(matrices)), theta)), theta


def _upper_curvature(loss: losses.Loss, y: Floats, f: Floats) -> Floats:
    """The curvature of a parabola that touches the loss from above."""
    if (delta := losses.delta_of(loss)) is not None:
        return delta / np.maximum(np.abs(y - f), delta)
    return np.ones_like(f)


# ---------------------------------------------------------------- tasks


@dataclass
class Task:
    """What is minimised: over at most `limits` rules, linear terms and terms in all."""

    design: Design
    y: Floats
    v: Floats
    loss: losses.Loss
    ridge: float
    alpha: float
    limits: tuple[int, int, int]
    fits: dict[tuple[int, ...], tuple[float, Floats]] = field(default_factory=dict, repr=False)
    sizes: list[Table] = field(default_factory=list, repr=False)

    @property
    def n_rules(self) -> int:
        return int(self.design.matrix.shape[1]) - len(self.design.linear)

    @cached_property
    def complements(self) -> dict[int, int]:
        """The rule of all other rows, of each rule that has one."""
        rules = self.design.matrix[:, : self.n_rules]
        index = {column.tobytes(): k for k, column in enumerate(rules.T.copy())}
        found = {k: index.get((1.0 - rules[:, k]).tobytes()) for k in range(self.n_rules)}
        return {k: other for k, other in found.items() if other is not None}

    @property
    def scale(self) -> float:
        """What a relative error is relative to, at least: of a perfect fit the rounding of a loss."""
        f = np.full_like(self.y, losses.best_intercept(self.loss, self.y, np.zeros_like(self.y), self.v))
        null = float(np.mean(self.v * losses.value(self.loss, self.y, f)))
        return max(1e-9 * null, 1e-20 * float(np.mean(self.v * self.y**2)), 1e-100)

    def table(self, size: int) -> Table:
        """All subsets of a size."""
        while len(self.sizes) <= size:
            self.sizes.append(self._fit(len(self.sizes)))
        return self.sizes[size]

    def _fit(self, size: int) -> Table:
        matrix, n = self.design.matrix, len(self.y)
        chosen = [
            subset
            for subset in itertools.combinations(range(matrix.shape[1]), size)
            if not any(self.complements.get(column) in subset for column in subset)
        ]
        subsets = np.array(chosen, dtype=np.int64).reshape(len(chosen), size)
        centre = np.average(self.y, weights=self.v) if losses.is_regression(self.loss) else 0.0
        z = np.concatenate([np.moveaxis(matrix[:, subsets], 0, 1), np.ones((len(subsets), n, 1))], axis=2)
        penalties = 2.0 * self.ridge * np.einsum("n,snp->sp", self.v / n, z**2)
        penalties[:, -1] = 0.0
        start = np.zeros((len(subsets), size + 1))
        for s, subset in enumerate(subsets[:, :-1] if size else []):
            smaller = self.fits[tuple(subset)][1]
            start[s, : size - 1], start[s, -1] = smaller[:-1], smaller[-1]
        values, theta = fit_all(z, self.y - centre, self.v, self.loss, penalties, start)
        w = np.where(np.abs(theta[:, :-1]) > 1e-9 * np.abs(theta).max(axis=1)[:, None], theta[:, :-1], 0.0)
        plus, minus = self.design.plus[subsets], self.design.minus[subsets]
        costs = np.where(w > 0, plus, np.where(w < 0, minus, np.minimum(plus, minus))).sum(axis=1)
        self.fits.update(
            zip(map(tuple, subsets.tolist()), zip(values.tolist(), theta, strict=True), strict=True)
        )
        return Table(subsets, values, costs)

    def fits_limits(self, columns: Sequence[int]) -> bool:
        """Whether the number of terms is within the limits."""
        n_rules = sum(c < self.n_rules for c in columns)
        counts = (n_rules, len(columns) - n_rules, len(columns))
        return all(count <= most for count, most in zip(counts, self.limits, strict=True))

    def option_cost(self, option: Option) -> float:
        """The least cost of a column with this sign."""
        column, sign = option
        return float((self.design.minus if sign < 0 else self.design.plus)[column])

    def options(self) -> list[Option]:
        """All columns, twice where the signs differ in cost."""
        out: list[Option] = []
        for column, (plus, minus) in enumerate(zip(self.design.plus, self.design.minus, strict=True)):
            signs = [0] if plus == minus else [s for s, cost in ((1, plus), (-1, minus)) if cost < math.inf]
            out += [(column, sign) for sign in signs]
        return out

    def objective(self, subset: Sequence[Option]) -> float:
        """The least objective over some columns with coefficients of these signs."""
        self.table(len(subset))
        values = [
            value
            for size in range(len(subset) + 1)
            for part in itertools.combinations(sorted(subset), size)
            for value, theta in [self.fits[tuple(column for column, _ in part)]]
            if all(sign * w >= 0.0 for (_, sign), w in zip(part, theta[:-1], strict=True))
        ]
        return min(values)

    def value(self, subset: Sequence[Option]) -> float:
        """The objective and the price of its cost."""
        return self.objective(subset) + self.alpha * sum(map(self.option_cost, subset))

    def optimum(self) -> float:
        """The least value of all subsets within the limits."""
        best = math.inf
        for size in range(min(self.limits[2], self.design.matrix.shape[1]) + 1):
            table = self.table(size)
            rules = (table.subsets < self.n_rules).sum(axis=1)
            within = (rules <= self.limits[0]) & (size - rules <= self.limits[1])
            best = min(best, np.min((table.values + self.alpha * table.costs)[within], initial=math.inf))
        return float(best)

    def least_below(self, cost: float) -> float:
        """The least objective of the subsets of at most MAX_SIZE columns and at most this cost."""
        best = math.inf
        for size in range(min(MAX_SIZE, int(cost + 1e-9), self.design.matrix.shape[1]) + 1):
            if size > self.limits[2] and math.comb(self.design.matrix.shape[1], size) > 2_500:
                break
            table = self.table(size)
            best = min(best, np.min(table.values[table.costs <= cost * (1 + 1e-12)], initial=math.inf))
        return float(best)

    def neighbours(self, subset: Sequence[Option]) -> Iterator[list[Option]]:
        """Subsets with one member more, less or another."""
        for at in range(len(subset) + 1):
            rest = [*subset[:at], *subset[at + 1 :]]
            if at < len(subset):
                yield rest
            taken = [column for column, _ in rest]
            for column, sign in self.options():
                is_new = column not in taken and self.complements.get(column) not in taken
                if is_new and self.fits_limits([*taken, column]):
                    yield [*rest, (column, sign)]


@dataclass(frozen=True)
class Table:
    """All subsets of one size: columns, objectives, and costs (infinite: a sign is not allowed)."""

    subsets: npt.NDArray[np.int64]
    values: Floats
    costs: Floats


# ---------------------------------------------------------------- the product beside it


@dataclass(frozen=True)
class Shown:
    """What a document shows: the columns of the design with their coefficients, what it costs and claims."""

    coefficients: dict[int, float]
    n_terms: int
    cost: float
    objective: float
    point: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What is wrong with a fit, whether it claims to be swap-optimal, and whether it is the optimum."""

    messages: list[str]
    is_swap_optimal: bool
    is_optimum: bool
    excess: float = 0.0  # of its value over the optimum, relative


def fit(estimator: Any, ridge: float | None, *data: Any, sample_weight: Any) -> Any:
    """An estimator fitted as a best subset."""
    return estimator.set_params(penalty="l0", ridge=ridge).fit(*data, sample_weight=sample_weight)


def check_outcome(task: Task, shown: Shown) -> Outcome:
    """A document against all subsets."""
    messages: list[str] = []

    def need(condition: Any, message: str) -> None:
        if not condition:
            messages.append(message)

    point = shown.point
    primal, dual = point["primal"], point["dual"]
    columns = list(shown.coefficients)
    need(shown.n_terms == len(columns), f"{shown.n_terms} terms, {len(columns)} columns")
    need(not any(task.complements.get(c) in columns for c in columns), "a rule and its complement")
    need(task.fits_limits(columns), f"{len(columns)} terms with the limits {task.limits}")
    need(point["subset"]["ridge"] == task.ridge, f"ridge {point['subset']['ridge']}")
    subset = [_option(task, column, w) for column, w in shown.coefficients.items()]
    least = sum(map(task.option_cost, subset))
    need(least < math.inf, f"a sign that is not allowed: {shown.coefficients}")
    need(abs(shown.cost - least) <= 1e-9 * shown.cost, f"the terms cost {shown.cost}, at least {least}")
    if messages:
        return Outcome(messages, False, False)

    optimum, objective, scale = task.optimum(), task.objective(subset), task.scale

    def at_most(value: float, bound: float, within: float = TOLERANCE) -> bool:
        return value <= bound + within * max(abs(bound), scale)

    def equal(a: float, b: float) -> bool:
        return at_most(a, b) and at_most(b, a)

    value = objective + task.alpha * shown.cost
    assert at_most(optimum, value), f"the value {value!r} of {subset} is below the least {optimum!r}"
    need(equal(primal, objective), f"primal {primal!r}, {subset} refitted {objective!r}")
    need(equal(primal, shown.objective), f"primal {primal!r}, the coefficients shown {shown.objective!r}")
    below = task.least_below(shown.cost)
    need(at_most(dual, below, 1e-9), f"dual {dual!r}, another subset of no larger cost {below!r}")
    is_claimed = bool(point["subset"]["is_swap_optimal"])
    if is_claimed:
        other = min(task.neighbours(subset), key=task.value, default=subset)
        better = task.value(other)
        need(at_most(value, better), f"{subset} has the value {value!r}, {other} {better!r}")
    return Outcome(messages, is_claimed, at_most(value, optimum), (value - optimum) / max(optimum, scale))


def _option(task: Task, column: int, w: float) -> Option:
    same = task.design.plus[column] == task.design.minus[column]
    return column, 0 if same else int(np.sign(w))


# ---------------------------------------------------------------- rules


@dataclass
class RuleTask:
    """A problem on a table with what is asked for."""

    problem: Problem
    task: Task
    parameters: dict[str, Any]

    def fit(self, **changes: Any) -> Any:
        """The product's estimator, fitted."""
        problem = self.problem
        cls = thresher.RuleRegressor if problem.regression else thresher.RuleClassifier
        estimator = cls(**{**problem.parameters, **self.parameters, **changes})
        return fit(estimator, self.task.ridge, problem.X, problem.target, sample_weight=problem.weights)

    def verify(self, model: Any) -> Any:
        """The certificate of another search; an error if a claim does not hold."""
        return model.verify(self.problem.X, self.problem.target, sample_weight=self.problem.weights)

    def shown(self, model: Any) -> Shown:
        """What the document of a model shows."""
        columns, y, v = self.problem.kept
        task, design = self.task, self.task.design
        [output] = json.loads(model.to_json())["model"]["outputs"]
        point = output["points"][-1]
        index = {design.matrix[:, k].astype(bool).tobytes(): k for k in range(task.n_rules)}
        coefficients, cost, squares = {}, 0.0, 0.0
        f = np.full(len(y), float(point["intercept"]))
        for rule, w in point["terms"]:
            conditions = output["terms"][rule]["pattern"]
            held = rule_column(conditions, columns)
            coefficients[index[held.tobytes()]] = w
            cost += 1.0 + self.problem.language.penalty_growth * (len(conditions) - 1)
            f += w * held
            squares += w**2 * np.mean(v * held)
        for term in point["linear"]:
            column = standardised(columns[term["feature"]], v)
            assert column is not None
            w = term["coef"] * term["scale"]
            coefficients[task.n_rules + design.linear.index(term["feature"])] = w
            cost += 1.0
            f += w * column + term["coef"] * term["center"]
            squares += w**2 * np.mean(v * column**2)
        objective = float(np.mean(v * losses.value(task.loss, y, f)) + task.ridge * squares)
        return Shown(coefficients, len(point["terms"]) + len(point["linear"]), cost, objective, point)


def rule_task(seed: int) -> RuleTask:
    """A random problem of few columns."""
    rng = np.random.default_rng([seed, 7])
    most = 1 + seed % MAX_SIZE
    problem = problems.random_problem(seed)
    design = _thin(problem, MOST_COLUMNS[most])
    _, y, v = problem.kept
    limits, parameters = (most, most, most), {"max_terms": most}
    if not problem.language.linear:
        parameters = {"max_rules": most}
    elif rng.random() < 0.3:
        limits = (int(rng.integers(1, most + 1)), int(rng.integers(1, most + 1)), most)
        parameters = {"max_rules": limits[0], "max_linear": limits[1], "max_terms": most}
    task = _task(rng, design, y, v, problem.loss, limits)
    return RuleTask(problem, task, {**parameters, "alpha": task.alpha})


def _task(
    rng: np.random.Generator,
    design: Design,
    y: Floats,
    v: Floats,
    loss: losses.Loss,
    limits: tuple[int, int, int],
) -> Task:
    task = Task(design, y, v, loss, float(10 ** rng.uniform(-2, 0)), 1e-9, limits)
    if rng.random() < 0.5:
        null = task.table(0).values[0]
        task.alpha = max(float(null * 10 ** rng.uniform(-4, -0.5)), 1e-9)
    return task


def _thin(problem: Problem, most: int) -> Design:
    """Drop thresholds and features until there are at most so many columns."""
    columns, _, v = problem.kept
    features = problem.features
    if features is None:
        features = [problems.feature_of(c, None, "midpoints", None, None) for c in columns]
    while True:
        n = len(features)
        problem.columns = problem.columns[:n]
        signs = problem.language.monotonic_cst
        signs = None if signs is None else signs[:n]
        problem.language = Language(**{**problem.language.__dict__, "monotonic_cst": signs})
        problem.bins = [np.array(f.cuts) if isinstance(f, Numeric) else None for f in features]
        problem.features = features
        design = build(features, problem.kept[0], v, problem.language)
        if design.matrix.shape[1] <= most:
            return design
        n_cuts = [len(f.cuts) if isinstance(f, Numeric) else 0 for f in features]
        longest = int(np.argmax(n_cuts))
        thinned = features[longest]
        if n_cuts[longest] > 2 or n == 1:
            assert isinstance(thinned, Numeric)
            features = [*features]
            features[longest] = Numeric(thinned.cuts[1::2], thinned.missing, thinned.codes)
        else:
            features = features[:-1]


# ---------------------------------------------------------------- item-sets


@dataclass
class ItemsetTask:
    """A problem on item-sets with what is asked for."""

    problem: patterns.Problem
    task: Task

    def fit(self, **changes: Any) -> Any:
        """The product's estimator, fitted."""
        problem, task = self.problem, self.task
        parameters = {**problem.parameters, "alpha": task.alpha, "max_patterns": task.limits[0], **changes}
        estimator = getattr(thresher, problem.estimator)(**parameters)
        return fit(estimator, task.ridge, problem.records, problem.labels, sample_weight=problem.weights)

    def verify(self, model: Any) -> Any:
        """The certificate of another search; an error if a claim does not hold."""
        problem = self.problem
        return model.verify(problem.records, problem.labels, sample_weight=problem.weights)

    def shown(self, model: Any) -> Shown:
        """What the document of a model shows."""
        problem, task = self.problem, self.task
        doc = json.loads(model.to_json())["model"]
        [output] = doc["outputs"]
        point = output["points"][-1]
        index = {column.tobytes(): k for k, column in enumerate(task.design.matrix.T.copy())}
        coefficients, cost, squares = {}, 0.0, 0.0
        f = np.full(len(task.y), float(point["intercept"]))
        for term, w in point["terms"]:
            pattern = patterns.shown_itemset(output["terms"][term]["pattern"], doc["features"])
            held = np.array(
                [problem.kind.occurs(pattern, problem.records[r]) for r in problem.kept], dtype=float
            )
            coefficients[index[held.tobytes()]] = w
            cost += 1.0 + problem.growth * (len(pattern) - 1)
            f += w * held
            squares += w**2 * np.mean(task.v * held)
        objective = float(np.mean(task.v * losses.value(task.loss, task.y, f)) + task.ridge * squares)
        return Shown(coefficients, len(point["terms"]), cost, objective, point)


def itemset_task(seed: int) -> ItemsetTask | None:
    """A random problem on item-sets; None if it has too many columns."""
    rng = np.random.default_rng([seed, 8])
    most = 1 + seed % MAX_SIZE
    problem = patterns.itemset_problem(seed)
    design, kept = problem.design, problem.kept
    assert design is not None
    if design.matrix.shape[1] > MOST_COLUMNS[most]:
        return None
    v = normalised(None if problem.weights is None else problem.weights[kept], len(kept))
    return ItemsetTask(problem, _task(rng, design, problem.y[kept], v, problem.loss, (most, 0, most)))


def check(asked: RuleTask | ItemsetTask) -> Outcome:
    """The product against all subsets of one problem."""
    try:
        model = asked.fit()
        shown = asked.shown(model)
        outcome = check_outcome(asked.task, shown)
    except Exception as error:
        return Outcome([f"{type(error).__name__}: {error}"], False, False)
    try:
        again, scale = asked.verify(model), max(shown.objective, asked.task.scale)
        for name in ("primal", "dual"):
            claim, verified = shown.point[name], getattr(again, name)
            if abs(claim - verified) > TOLERANCE * scale:
                outcome.messages.append(f"{name} {claim!r}, verified {verified!r}")
    except Exception as error:
        outcome.messages.append(f"verify: {type(error).__name__}: {error}")
    return outcome
