"""The types of the JSON that the core writes for rule models."""

from __future__ import annotations

from typing import NotRequired, TypedDict

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


class PointPayload(TypedDict):
    """One solution on the path, with its certificate."""

    alpha: float
    intercept: float
    linear: list[LinearPayload]
    rules: list[tuple[int, float]]
    primal: float
    dual: float
    gap: float
    relative_gap: float
    tol: float
    complete: bool
    n_iter: int
    nodes: int
    searches: int
    seconds: float
    relaxation: NotRequired[RelaxationPayload]
    subset: NotRequired[SubsetPayload]


class RelaxationPayload(TypedDict):
    """The L1 solution of a point whose coefficients were relaxed."""

    blend: float
    ridge: float
    intercept: float
    linear: list[LinearPayload]
    terms: list[tuple[int, float]]


class SubsetPayload(TypedDict):
    """The ridge penalty of a best subset, and whether no exchange improves it."""

    ridge: float
    is_swap_optimal: bool


class CvPayload(TypedDict):
    """Held-out loss along the path (of best subsets by size): its mean and standard error over the folds."""

    strengths: list[float]
    mean: list[float]
    se: list[float]
    n_folds: int


class CriterionPayload(TypedDict):
    """An information criterion along the path."""

    name: str
    values: list[float]


class OutputPayload(TypedDict):
    """One output: its path and its terms."""

    rules: list[RulePayload]
    selected: int
    points: list[PointPayload]
    cv: CvPayload | None
    criterion: CriterionPayload | None
