"""The L1 problem over all rules as a matrix: one column per distinct set of rows.

Rules with the same training rows are one column; it may be bought at the least cost of
those rules, separately for a positive and for a negative weight (infinite where no rule
allows that sign). Standardised linear columns follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oracle.rules import Feature, Language, Numeric, Rules, enumerate_rules, numbers

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """Columns (rules first, then linear terms) with their price for either sign."""

    matrix: Floats
    plus: Floats
    minus: Floats
    rules: Rules
    first: npt.NDArray[np.int64]  # a rule for each rule column, of the least length
    linear: list[int]  # the feature of each linear column
    n_candidates: int


def normalised(weights: Floats | None, n: int) -> Floats:
    """Weights of mean 1 over the rows given (none of weight 0)."""
    if weights is None:
        return np.ones(n)
    return weights * (n / np.sum(weights))


def standardised(values: Floats, weights: Floats) -> Floats | None:
    """(x - mean) / sd over the rows with a value, 0 where missing; None if constant."""
    values = numbers(values)
    seen = ~np.isnan(values)
    if not seen.any() or np.min(values[seen]) == np.max(values[seen]):
        return None
    mean = np.average(values[seen], weights=weights[seen])
    sd = np.sqrt(np.average((values[seen] - mean) ** 2, weights=weights[seen]))
    return np.where(seen, (values - mean) / sd, 0.0)


def merge(rules: Rules, min_support: int) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64]]:
    """Distinct columns of support >= min_support with the least cost per sign."""
    keep = np.flatnonzero(np.sum(rules.columns, axis=0) >= max(min_support, 1))
    order = keep[np.argsort(rules.length[keep], kind="stable")]
    groups: dict[bytes, int] = {}
    packed = np.packbits(rules.columns[:, order], axis=0).T
    group = np.array([groups.setdefault(row.tobytes(), len(groups)) for row in packed], dtype=int)
    plus, minus = np.full(len(groups), np.inf), np.full(len(groups), np.inf)
    np.minimum.at(plus, group, np.where(rules.plus, rules.cost, np.inf)[order])
    np.minimum.at(minus, group, np.where(rules.minus, rules.cost, np.inf)[order])
    first = order[np.unique(group, return_index=True)[1]] if len(order) else order
    return rules.columns[:, first].astype(float), plus, minus, first


def build(
    features: Sequence[Feature],
    columns: Sequence[npt.NDArray[Any]],
    weights: Floats,
    language: Language,
) -> Design:
    """The whole problem for rows of positive weight."""
    rules = enumerate_rules(features, columns, language)
    matrix, plus, minus, first = merge(rules, language.min_support)
    linear: list[int] = []
    for j, feature in enumerate(features):
        if not (language.linear and isinstance(feature, Numeric)):
            continue
        column = standardised(columns[j], weights)
        if column is None:
            continue
        linear.append(j)
        matrix = np.column_stack([matrix, column])
        falling = language.positive or language.direction(j) > 0
        plus = np.append(plus, np.inf if language.direction(j) < 0 else 1.0)
        minus = np.append(minus, np.inf if falling else 1.0)
    return Design(matrix, plus, minus, rules, first, linear, len(rules))
