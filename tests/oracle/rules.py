"""Every rule of the language, written out.

A rule is a conjunction of propositions, at most one a feature:

* numeric: ``lower < x <= upper``, each end a cut or infinite, not both infinite; never
  true for a missing value or a special code. If the column had missing values or codes in
  training also "is missing", ``= code`` for each code, and "is a number" (without codes "is
  not missing").
* categorical: ``= level`` if the column has at least two levels, and ``!= level`` if it has
  at least three, where missing, if seen in training, is a level like the others.

Conditions are dictionaries in the form that the model document uses.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Condition = dict[str, Any]


class Coded(np.ndarray[Any, Any]):
    """A column of numbers of which some are special codes."""

    codes: tuple[float, ...]

    def __array_finalize__(self, other: Any) -> None:
        """Keep the codes of the column that this is a part of."""
        self.codes = getattr(other, "codes", ())


def coded(values: npt.NDArray[Any], codes: Sequence[float]) -> Coded:
    """The column with these special codes."""
    column = np.array(values).view(Coded)
    column.codes = tuple(codes)
    return column


def numbers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The numbers of a column, NaN where it has none."""
    plain = np.asarray(values)
    return (
        np.where(np.isin(plain, codes), np.nan, plain) if (codes := getattr(values, "codes", ())) else plain
    )


@dataclass(frozen=True)
class Numeric:
    """A feature with an order: its cuts, whether missing values were seen, and the codes seen."""

    cuts: tuple[float, ...]
    missing: bool = False
    codes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Categorical:
    """A feature without an order: the levels seen, and whether missing values were."""

    levels: tuple[Any, ...]
    missing: bool = False


Feature = Numeric | Categorical


@dataclass(frozen=True)
class Language:
    """What a rule may be and what it costs."""

    max_features: int | None = None
    min_support: int = 1
    monotonic_cst: tuple[int, ...] | None = None
    positive: bool = False
    penalty_growth: float = 0.0
    linear: bool = True

    def direction(self, feature: int) -> int:
        """+1 if the model must grow with the feature, -1 if fall, 0 if free."""
        return 0 if self.monotonic_cst is None else self.monotonic_cst[feature]


def is_missing(values: npt.NDArray[Any]) -> Bools:
    """Rows without a value (NaN in a numeric column, None in a categorical one)."""
    if values.dtype == object:
        return np.array([v is None for v in values], dtype=bool)
    return np.asarray(np.isnan(values), dtype=bool)


def holds(condition: Condition, values: npt.NDArray[Any]) -> Bools:
    """Rows for which one condition is true, from the raw values of its feature."""
    gone = is_missing(values)
    if condition.get("missing") is not None:
        return gone if condition["missing"] else ~gone
    if "category" in condition:
        equal = np.array([v is not None and v == condition["category"] for v in values], dtype=bool)
        return ~equal if condition.get("negated") else equal
    lower = -math.inf if condition.get("lower") is None else condition["lower"]
    upper = math.inf if condition.get("upper") is None else condition["upper"]
    return np.array([bool(lower < v <= upper) for v in numbers(values)], dtype=bool)


def rule_column(conditions: Sequence[Condition], columns: Sequence[npt.NDArray[Any]]) -> Bools:
    """Rows for which every condition is true."""
    rows = np.ones(len(columns[0]) if columns else 0, dtype=bool)
    for condition in conditions:
        rows &= holds(condition, columns[condition["feature"]])
    return rows


def propositions(index: int, feature: Feature, direction: int) -> list[tuple[Condition, int]]:
    """All propositions on one feature, each with the sign its weight is bound to (or 0)."""
    if isinstance(feature, Categorical):
        return [(condition, 0) for condition in _level_propositions(index, feature)]
    out: list[tuple[Condition, int]] = []
    ends = [-math.inf, *feature.cuts, math.inf]
    for lower, upper in itertools.combinations(ends, 2):
        if math.isinf(lower) and math.isinf(upper):
            continue
        if direction and not math.isinf(lower) and not math.isinf(upper):
            continue  # a two-sided interval is monotone in no direction
        condition = {
            "feature": index,
            "lower": None if math.isinf(lower) else lower,
            "upper": None if math.isinf(upper) else upper,
        }
        out.append((condition, direction if math.isinf(upper) else -direction))
    out += [({"feature": index, "category": code, "negated": False}, 0) for code in feature.codes]
    if feature.missing:
        out.append(({"feature": index, "missing": True}, 0))
    if feature.codes:
        out.append(({"feature": index, "lower": None, "upper": None}, 0))
    elif feature.missing:
        out.append(({"feature": index, "missing": False}, 0))
    return out


def _level_propositions(index: int, feature: Categorical) -> list[Condition]:
    equal: list[Condition] = [
        {"feature": index, "category": level, "negated": False} for level in feature.levels
    ]
    other: list[Condition] = [
        {"feature": index, "category": level, "negated": True} for level in feature.levels
    ]
    if feature.missing:
        equal.append({"feature": index, "missing": True})
        other.append({"feature": index, "missing": False})
    if len(equal) == 1:
        return []  # a single level tells no rows apart, like a numeric column without cuts
    return equal + other if len(equal) >= 3 else equal


@dataclass(frozen=True)
class Rules:
    """All rules: row k of `choices` says which proposition of each feature (-1: none)."""

    catalogue: list[list[tuple[Condition, int]]]
    choices: npt.NDArray[np.int64]
    columns: Bools  # n x K
    length: npt.NDArray[np.int64]
    cost: npt.NDArray[np.float64]
    plus: Bools  # a positive weight is allowed
    minus: Bools  # a negative weight is allowed

    def __len__(self) -> int:
        return len(self.choices)

    def conditions(self, k: int) -> list[Condition]:
        """The conditions of rule k."""
        chosen = enumerate(self.choices[k])
        return [self.catalogue[j][p][0] for j, p in chosen if p >= 0]


def enumerate_rules(
    features: Sequence[Feature], columns: Sequence[npt.NDArray[Any]], language: Language
) -> Rules:
    """Every rule of the language, the empty one first, whatever its support.

    A combination whose propositions ask for both signs is no rule of the language; nor
    is one that asks for a negative weight where all weights must be positive.
    """
    d, n = len(features), len(columns[0]) if columns else 0
    catalogue = [propositions(j, f, language.direction(j)) for j, f in enumerate(features)]
    grid = np.indices([len(p) + 1 for p in catalogue]).reshape(d, -1).T - 1 if d else np.zeros((1, 0))
    grid = grid.astype(np.int64)
    length = np.sum(grid >= 0, axis=1)
    if language.max_features is not None:
        keep = length <= language.max_features
        grid, length = grid[keep], length[keep]
    held = np.ones((n, len(grid)), dtype=bool)
    plus, minus = np.ones(len(grid), dtype=bool), np.ones(len(grid), dtype=bool)
    for j, choice in enumerate(grid.T):
        # Column -1 of each table is "no proposition": true everywhere, bound to no sign.
        truth = np.array([holds(c, columns[j]) for c, _ in catalogue[j]] + [np.ones(n, bool)])
        sign = np.array([s for _, s in catalogue[j]] + [0])
        held &= truth[choice].T
        plus &= sign[choice] >= 0
        minus &= sign[choice] <= 0
    if language.positive:
        minus[:] = False
    keep = plus | minus
    cost = 1.0 + language.penalty_growth * (np.maximum(length, 1) - 1)
    return Rules(catalogue, grid[keep], held[:, keep], length[keep], cost[keep], plus[keep], minus[keep])


def count_formula(features: Sequence[Feature], language: Language) -> int:
    """The number of rules without writing them out: a polynomial in the length.

    Per sign, the coefficient of t^l is the number of rules of length l whose
    propositions ask for that sign or for none; rules that ask for none are counted in
    both, so they are taken off once.
    """

    def count(allowed: set[int]) -> int:
        poly = [1]
        for j, feature in enumerate(features):
            number = sum(s in allowed for _, s in propositions(j, feature, language.direction(j)))
            poly = [a + number * b for a, b in zip([*poly, 0], [0, *poly], strict=True)]
        return sum(poly if language.max_features is None else poly[: language.max_features + 1])

    if language.positive:
        return count({0, 1})
    return count({0, 1}) + count({0, -1}) - count({0})
