"""Every item-set and every subsequence of a small problem, written out, and the product beside them.

A pattern is matched with a record by its definition: a set by inclusion, a sequence by
trying every way to place its events. Nothing is pruned, counted in bulk or reused.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracle import losses, solver
from oracle.certificate import alpha_max, dual_point
from oracle.design import Design, Floats, normalised

STRATEGIES = ["working_set", "screening", "column_generation"]
STRICT = 1e-9
OBJECTIVE = 1e-7

Record = Any
Pattern = Any
Occurs = Callable[[Pattern, Record], bool]


@dataclass(frozen=True)
class Kind:
    """A kind of records: which patterns there are, and when one occurs."""

    patterns: list[Pattern]
    length: Callable[[Pattern], int]
    occurs: Occurs
    listed: bool = True  # whether every candidate is among the patterns


@dataclass
class Problem:
    """One problem."""

    seed: int
    estimator: str
    records: list[Record]
    fresh: list[Record]
    y: Floats
    labels: Any
    weights: Floats | None
    loss: losses.Loss
    parameters: dict[str, Any]
    kind: Kind
    min_support: int
    growth: float
    alpha: float = 0.1
    design: Design | None = field(default=None, repr=False)

    @property
    def kept(self) -> np.ndarray[Any, Any]:
        """Records that count."""
        return np.arange(len(self.y)) if self.weights is None else np.flatnonzero(self.weights > 0)


# ---------------------------------------------------------------- item-sets


def itemsets(items: Sequence[Hashable], most: int | None, negations: bool) -> list[Pattern]:
    """Every set: a tuple of (item, whether it must be there)."""
    signs = (True, False) if negations else (True,)
    sizes = range(1, (len(items) if most is None else min(most, len(items))) + 1)
    return [
        tuple(zip(chosen, there, strict=True))
        for size in sizes
        for chosen in itertools.combinations(items, size)
        for there in itertools.product(signs, repeat=size)
    ]


def holds(pattern: Pattern, record: Record) -> bool:
    """Whether a record holds what the set asks for."""
    return all((item in set(record)) == there for item, there in pattern)


def shown_itemset(pattern: Any, labels: list[Any]) -> Pattern:
    """A document's set as this file has it."""
    there = [(labels[item], True) for item in pattern["present"]]
    return tuple(sorted(there + [(labels[item], False) for item in pattern["absent"]], key=repr))


# ---------------------------------------------------------------- problems


def _design(problem: Problem) -> Design:
    """Distinct columns of enough support, at the least cost."""
    kind, kept = problem.kind, problem.kept
    costs: dict[bytes, float] = {}
    columns: dict[bytes, Floats] = {}
    for pattern in kind.patterns:
        column = np.array([kind.occurs(pattern, problem.records[r]) for r in kept], dtype=float)
        if column.sum() < problem.min_support or not column.any():
            continue
        cost = 1 + problem.growth * (kind.length(pattern) - 1)
        key = column.tobytes()
        columns[key] = column
        costs[key] = min(cost, costs.get(key, np.inf))
    matrix = np.column_stack(list(columns.values())) if columns else np.zeros((len(kept), 0))
    price = np.array(list(costs.values()))
    no = np.zeros(0, dtype=np.int64)
    return Design(matrix, price, price.copy(), None, no, [], len(kind.patterns))  # type: ignore[arg-type]


def _response(rng: np.random.Generator, occurs: Sequence[Floats], n: int, loss: losses.Loss) -> Floats:
    f = rng.normal(scale=rng.choice([0.0, 0.3, 1.0]), size=n)
    for column in occurs:
        f = f + rng.normal() * column
    if losses.is_regression(loss):
        return f * rng.choice([1.0, 100.0]) + rng.choice([0.0, 1000.0])
    y = np.where(f > np.median(f), 1.0, -1.0)
    y[0], y[-1] = 1.0, -1.0  # two classes always
    return y


def itemset_problem(seed: int) -> Problem:
    """A random database of item-sets: empty and repeated records, repeated and unseen items."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 22)), int(rng.integers(1, 7))
    items: list[Any] = [
        ["a", "b", "c", "d", "e", "f"],
        [3, 1, 2, 10, -1, 7],
        ["x y", "", "not a", 0, 1.5, "ü"],
    ][seed % 3][:d]
    share = rng.uniform(0.1, 0.9, size=d)
    records = [[item for item, p in zip(items, share, strict=True) if rng.random() < p] for _ in range(n)]
    records = [
        record * 2 if rng.random() < 0.1 else record for record in records
    ]  # repeated items count once
    if seed % 11 == 0:
        records = [records[0]] * n
    if all(isinstance(item, float) for record in records for item in record):
        records = [set(record) for record in records]  # lists of floats would be a matrix
    fresh = [
        rng.permutation(np.array([*items, "new", "new"], dtype=object))[: rng.integers(0, d + 2)].tolist()
        for _ in range(5)
    ]
    negations, most = bool(rng.random() < 0.3), [None, 1, 2, 3, 50][int(rng.integers(5))]
    seen = [item for item in items if any(item in record for record in records)]
    kind = Kind(itemsets(seen, most, negations), len, holds)
    return problem_of(seed, rng, "Itemset", records, fresh, kind, {"max_items": most, "negations": negations})


def problem_of(
    seed: int,
    rng: np.random.Generator,
    name: str,
    records: list[Record],
    fresh: list[Record],
    kind: Kind,
    language: dict[str, Any],
) -> Problem:
    n = len(records)
    loss = losses.draw(rng)
    picked = rng.permutation(len(kind.patterns))[:3]
    columns = [np.array([kind.occurs(kind.patterns[k], r) for r in records], dtype=float) for k in picked]
    y = _response(rng, columns, n, loss)
    labels = y if losses.is_regression(loss) else np.where(y > 0, "yes", "no")
    weights: Floats | None = None
    if rng.random() < 0.4:
        weights = rng.choice([0.0, 1.0, 2.0, 0.5], size=n)
        weights[[0, -1]] = 1.0
    min_support = min(n, int(rng.choice([1, 1, 2, 3])))
    growth = float(rng.choice([0.0, 0.0, 0.5]))
    parameters = {
        **language,
        "loss": loss,
        "min_support": min_support,
        "penalty_growth": growth,
        "closed": bool(rng.random() < 0.8),
        "n_jobs": 1,
    }
    estimator = name + ("Regressor" if losses.is_regression(loss) else "Classifier")
    problem = Problem(
        seed, estimator, records, fresh, y, labels, weights, loss, parameters, kind, min_support, growth
    )
    problem.design = _design(problem)
    v = normalised(None if weights is None else weights[problem.kept], len(problem.kept))
    top = alpha_max(problem.design, y[problem.kept], v, loss)
    problem.alpha = float(max(top, 1e-3) * 10 ** rng.uniform(-2, 0.1))
    return problem


# ---------------------------------------------------------------- the product beside it


def check(problem: Problem, read: Callable[[Any, list[Any]], Pattern]) -> list[str]:
    """Everything that must hold; a list of what does not."""
    messages: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "no event of these records"
            )  # fresh records have unknown events
            _check(problem, read, messages)
    except Exception as error:
        messages.append(f"{type(error).__name__}: {error}")
    return [f"{problem.estimator} seed {problem.seed}: {message}" for message in messages]


def _check(problem: Problem, read: Callable[[Any, list[Any]], Pattern], messages: list[str]) -> None:
    import thresher

    design, kept = problem.design, problem.kept
    assert design is not None
    y = problem.y[kept]
    v = normalised(None if problem.weights is None else problem.weights[kept], len(kept))
    best = solver.solve(design, y, v, problem.loss, problem.alpha)
    start = losses.best_intercept(problem.loss, y, np.zeros_like(y), v)
    empty = float(np.mean(v * losses.value(problem.loss, y, np.full_like(y, start))))
    scale = max(best.primal, 1e-15 * empty, 1e-24 * float(np.mean(v * y**2)), 1e-100)
    assert best.primal - best.dual <= 1e-9 * scale, "the oracle's own gap is too wide"

    def need(condition: Any, message: str) -> None:
        if not condition:
            messages.append(message)

    strategy = STRATEGIES[problem.seed % 3]
    make = getattr(thresher, problem.estimator)
    model = make(alpha=problem.alpha, tol=STRICT, strategy=strategy, **problem.parameters)
    model.fit(problem.records, problem.labels, sample_weight=problem.weights)
    doc = json.loads(model.to_json())["model"]
    [output] = doc["outputs"]
    [point] = output["points"]
    terms = [(read(entry["pattern"], doc["features"]), entry) for entry in output["terms"]]
    weight = dict(point["terms"])

    w = np.array([weight.get(k, 0.0) for k in range(len(terms))])
    columns = [_column(problem, pattern, problem.records) for pattern, _ in terms]
    f = point["intercept"] + sum(
        (w[k] * column for k, column in enumerate(columns)), np.zeros(len(problem.y))
    )
    cost = sum(
        abs(w[k]) * (1 + problem.growth * (problem.kind.length(p) - 1)) for k, (p, _) in enumerate(terms)
    )
    value = float(np.mean(v * losses.value(problem.loss, y, f[kept]))) + problem.alpha * cost
    dual, _ = dual_point(design, y, v, problem.loss, problem.alpha, f[kept])
    rounding = 1e-11 * scale + 1e-13 * empty

    need(abs(value - best.primal) <= OBJECTIVE * scale, f"objective {value!r}, oracle {best.primal!r}")
    proof = model.certificate_
    need(proof.complete, "not complete")
    need(abs(proof.primal - value) <= rounding, f"primal {proof.primal!r} of {value!r}")
    need(proof.dual <= best.primal + rounding, f"dual {proof.dual!r} above the optimum {best.primal!r}")
    need(value - dual <= 10 * STRICT * scale + rounding, f"the gap is {value - dual!r}")
    enough = proof.n_candidates == len(problem.kind.patterns)
    if not problem.kind.listed:
        enough = proof.n_candidates >= design.matrix.shape[1]
    need(enough, f"{proof.n_candidates} candidates")
    again = model.verify(problem.records, problem.labels, sample_weight=problem.weights)
    need(again.complete and abs(again.primal - value) <= rounding, f"verify: {again}")

    for records in (problem.records, problem.fresh):
        own = point["intercept"] + sum(
            (w[k] * _column(problem, p, records) for k, (p, _) in enumerate(terms)), np.zeros(len(records))
        )
        got = (
            model.predict(records) if losses.is_regression(problem.loss) else model.decision_function(records)
        )
        need(np.allclose(got, own, rtol=1e-12, atol=1e-9), "predictions")
    fired = model.transform(problem.records).toarray()
    need(fired.shape == (len(problem.y), len(model.patterns_)), "the shape of transform")
    for k, (pattern, entry) in enumerate(terms):
        column = columns[k][kept]
        need(entry["n_rows"] == column.sum(), f"support of {pattern}")
        need(abs(entry["support"] - float(np.mean(v * column))) < 1e-12, f"share of {pattern}")
        if not losses.is_regression(problem.loss):
            per_class = [int(column[y < 0].sum()), int(column[y > 0].sum())]
            need(entry["n_rows_per_class"] == per_class, f"support per class of {pattern}")
        others = [*entry["equivalents"], *([entry["closure"]] if entry["closure"] else [])]
        for other in others:
            same = _column(problem, read(other, doc["features"]), problem.records)[kept]
            need(np.array_equal(same, column), f"{other} is no equivalent of {pattern}")
    _check_shown(model, columns, need)


def _check_shown(model: Any, columns: list[Floats], need: Callable[[Any, str], None]) -> None:
    """Prices, near ties and texts agree with the model."""
    texts = [pattern.text for pattern in model.patterns_]
    need(len(set(texts)) == len(texts), "two patterns of one text")
    for pattern in model.patterns_[:3]:
        price = model.price(pattern)
        need(price.in_model and abs(price.ratio - 1) < 1e-3, f"the price of {pattern}: {price}")
    near = model.near_ties(0.5)
    need(all(0.5 <= tie.ratio <= 1.001 for tie in near), "near ties are near")


def _column(problem: Problem, pattern: Pattern, records: Sequence[Record]) -> Floats:
    return np.array([problem.kind.occurs(pattern, record) for record in records], dtype=float)


# ---------------------------------------------------------------- sequences


def sequences(items: Sequence[Hashable], most: int, sets: bool) -> list[Pattern]:
    """Every sequence of at most `most` items: a tuple of tuples."""
    widest = len(items) if sets else 1
    events = [c for size in range(1, widest + 1) for c in itertools.combinations(items, size)]
    done: list[Pattern] = []
    open_ends: list[Pattern] = [()]
    while open_ends:
        longer = [(*s, e) for s in open_ends for e in events if sum(map(len, s)) + len(e) <= most]
        done.extend(longer)
        open_ends = longer
    return done


def placed(gap: int | None) -> Occurs:
    """Whether a sequence can be placed in a record, by trying every way."""

    def fits(pattern: Pattern, record: Record, last: int | None = None) -> bool:
        if not pattern:
            return True
        start = 0 if last is None else last + 1
        stop = len(record) if last is None or gap is None else min(len(record), last + gap + 2)
        return any(
            set(pattern[0]) <= _items(record[at]) and fits(pattern[1:], record, at)
            for at in range(start, stop)
        )

    return fits


def _items(event: Any) -> set[Any]:
    return set(event) if isinstance(event, (set, list)) else {event}


def shown_sequence(pattern: Any, labels: list[Any]) -> Pattern:
    """A document's sequence as this file has it."""
    return tuple(tuple(labels[item] for item in event) for event in pattern)


def sequence_problem(seed: int) -> Problem:
    """A random database of sequences: strings, lists and lists of sets; empty and repeated records."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 16)), int(rng.integers(1, 4))
    form = ["text", "lists", "sets"][seed % 3]
    items: list[Any] = (
        list("acg")[:d] if form == "text" else ["x", 2, (1, 2)][:d] if seed % 2 else [3, "b", "yes no"][:d]
    )
    if form != "text" and seed % 2:
        items = ["x", 2, 5.5][:d]
    longest = int(rng.integers(0, 7))

    def record(extra: list[Any]) -> Record:
        drawn = [
            items[k] if k < d else extra[0]
            for k in rng.integers(0, d + bool(extra), int(rng.integers(0, longest + 1)))
        ]
        if form == "text":
            return "".join(map(str, drawn))
        if form == "lists":
            return drawn
        return [
            {item for item in [one, *items] if item == one or rng.random() < 0.3}
            if rng.random() < 0.9
            else set()
            for one in drawn
        ]

    records = [record([]) for _ in range(n)]
    if seed % 13 == 0:
        records = [records[0]] * n
    fresh = [record(["?"]) for _ in range(6)]
    sets = any(len(_items(event)) > 1 for record in records for event in record)
    total = max(sum(len(_items(event)) for event in record) for record in records)
    most, gap = [None, 1, 2, 3][int(rng.integers(4))], [None, None, 0, 1, 2][int(rng.integers(5))]
    if most is None and total > 4:
        most = 4 if not sets else 3
    seen = [item for item in items if any(item in _items(event) for record in records for event in record)]
    reach = total if most is None else min(most, total)
    kind = Kind(sequences(seen, reach, sets), lambda p: sum(map(len, p)), placed(gap))
    language = {"max_length": most, "max_gap": gap}
    if gap == 0 and seed % 2:
        language = {"max_length": most, "contiguous": True}
    return problem_of(seed, rng, "Sequence", records, fresh, kind, language)
