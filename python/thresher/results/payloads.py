"""The types of the JSON that the core writes for rule models."""

from __future__ import annotations

from typing import TypedDict

from ..data.columns import Level


class SpecialCodePayload(TypedDict):
    """A special code of a numeric column, and whether training saw it."""

    value: float
    seen: bool


class FeaturePayload(TypedDict, total=False):
    """One column: its name, its kind, and its cuts or levels."""

    name: str
    kind: str
    cuts: list[float]
    levels: list[Level]
    special: list[SpecialCodePayload]
    missing: bool
    lower: float
    upper: float


class ConditionPayload(TypedDict, total=False):
    """A condition on one column."""

    feature: int
    lower: float | None
    upper: float | None
    category: Level
    negated: bool
    missing: bool


class RulePayload(TypedDict):
    """One rule: its conditions, closure and equivalents; ``coverage_of`` reads its support."""

    pattern: list[ConditionPayload]
    closure: list[ConditionPayload]
    equivalents: list[list[ConditionPayload]]


class LinearPayload(TypedDict):
    """A linear term in the user's units; a missing value is replaced by `center`."""

    feature: int
    coef: float
    center: float
    scale: float
