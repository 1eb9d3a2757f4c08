"""Random small problems, one a seed: every parameter, every kind of awkward data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from oracle import cuts, losses
from oracle.certificate import alpha_max
from oracle.design import Design, Floats, build, normalised
from oracle.rules import Categorical, Feature, Language, Numeric, coded, is_missing, numbers, propositions

# More rules than this, before merging, and the problem gets fewer features.
MOST_RULES = 40_000
# Bins that only the product can choose; the oracle takes them from its model document.
LEARNED = ("auto", "supervised")
LEVELS: list[tuple[Any, ...]] = [
    ("red", "green", "blue", "black", "white"),
    (3, 1, 2, 10, -1),
    ("", "a b", "ünïcode", "1", "nan"),
]
LABELS: list[tuple[Any, Any]] = [(0, 1), (-1, 1), ("no", "yes"), (False, True), (2.0, 7.0)]


@dataclass
class Problem:
    """One problem, as the oracle sees it (`columns`, `y`) and as a user gives it."""

    seed: int
    loss: losses.Loss
    columns: list[npt.NDArray[Any]]
    y: Floats
    weights: Floats | None
    bins: Any
    language: Language
    closed: bool
    labels: tuple[Any, Any]
    as_frame: bool
    alpha: float = 0.1
    alpha_max: float = 0.0
    features: list[Feature] | None = None  # None: learned from y by the product
    spare_levels: bool = False
    design: Design | None = field(default=None, repr=False)

    @property
    def regression(self) -> bool:
        return losses.is_regression(self.loss)

    @property
    def rows(self) -> npt.NDArray[np.bool_]:
        """Rows that count."""
        return np.ones(len(self.y), bool) if self.weights is None else self.weights > 0

    @property
    def kept(self) -> tuple[list[npt.NDArray[Any]], Floats, Floats]:
        """Columns, y and normalised weights of the rows that count."""
        rows = self.rows
        weights = None if self.weights is None else self.weights[rows]
        y = self.y[rows]
        return [c[rows] for c in self.columns], y, normalised(weights, len(y))

    @property
    def is_frame(self) -> bool:
        """Whether the user passes a data frame."""
        return self.as_frame or any(c.dtype == object for c in self.columns)

    @property
    def X(self) -> Any:
        """What the user passes."""
        if not self.is_frame:
            return np.column_stack([np.asarray(column) for column in self.columns])
        return pd.DataFrame({f"x{j}": self._series(c) for j, c in enumerate(self.columns)})

    def _series(self, column: npt.NDArray[Any]) -> Any:
        if column.dtype != object:
            return np.asarray(column)
        seen = sorted({v for v in column if v is not None})
        return pd.Categorical(list(column), categories=[*seen, *self._spare(seen)])

    def _spare(self, seen: Sequence[Any]) -> list[Any]:
        if not self.spare_levels:
            return []
        return ["never seen"] if not seen or isinstance(seen[0], str) else [99]

    @property
    def target(self) -> npt.NDArray[Any]:
        """What the user passes as y."""
        if self.regression:
            return self.y
        return np.array([self.labels[int(v > 0)] for v in self.y])

    @property
    def parameters(self) -> dict[str, Any]:
        """The estimator's parameters but for `strategy` and `tol`."""
        language = self.language
        codes = {j: list(own) for j, c in enumerate(self.columns) if (own := getattr(c, "codes", ()))}
        out: dict[str, Any] = {
            "alpha": self.alpha,
            "bins": self.bins,
            "max_features": language.max_features,
            "min_support": language.min_support,
            "monotonic_cst": None if language.monotonic_cst is None else list(language.monotonic_cst),
            "positive": language.positive,
            "penalty_growth": language.penalty_growth,
            "linear": language.linear,
            "closed": self.closed,
            "special_codes": codes or None,
        }
        return {**out, "loss": self.loss}

    def complete(self, features: list[Feature]) -> Design:
        """The oracle's matrix for these features."""
        columns, y, v = self.kept
        self.design = build(features, columns, v, self.language)
        self.alpha_max = alpha_max(self.design, y, v, self.loss)
        return self.design


def random_problem(seed: int) -> Problem:
    """The problem of this seed."""
    rng = np.random.default_rng(seed)
    loss = losses.draw(rng)
    n = int(rng.integers(12 if rng.random() < 0.8 else 2, 41))
    d = int(rng.choice([1, 2, 3, 4], p=[0.1, 0.3, 0.3, 0.3]))
    columns = [_column(rng, n) for _ in range(d)]
    if n > 3 and rng.random() < 0.3:  # duplicate rows
        copy = rng.integers(0, n, size=n)
        columns = [c[copy] for c in columns]
    columns = _with_codes(np.random.default_rng([seed, 1]), columns)
    y = _response(rng, loss, columns, n)
    weights = _weights(rng, y)
    problem = Problem(
        seed=seed,
        loss=loss,
        columns=columns,
        y=y,
        weights=weights,
        bins=None,
        language=_language(rng, columns),
        closed=bool(rng.random() < 0.7),
        labels=LABELS[int(rng.integers(len(LABELS)))],
        as_frame=bool(rng.random() < 0.5),
        spare_levels=bool(rng.random() < 0.3),
    )
    _bins(rng, problem)
    if problem.features is not None:
        problem.complete(problem.features)
    share = rng.choice([1.05, 1.0, 0.999, 0.7, 0.3, 0.3, 0.1, 0.1, 0.03, 0.03, 0.01, 0.01, 0.003])
    scale = problem.alpha_max
    if problem.features is None:
        scale = float(np.std(y)) / 2
    problem.alpha = float(scale * share) if scale > 1e-9 else 0.1
    return problem


def _column(rng: np.random.Generator, n: int) -> npt.NDArray[Any]:
    """One column: a few kinds of numbers or categories, often with missing values."""
    kind = rng.choice(
        ["grid", "grid", "normal", "rounded", "scaled", "constant", "category"],
        p=[0.2, 0.15, 0.15, 0.2, 0.1, 0.05, 0.15],
    )
    gone = rng.random(n) < rng.choice([0.0, 0.0, 0.0, 0.1, 0.5, 1.0], p=[0.4, 0.2, 0.15, 0.18, 0.05, 0.02])
    if kind == "category":
        levels = LEVELS[int(rng.integers(len(LEVELS)))][: int(rng.integers(1, 6))]
        codes = rng.integers(0, len(levels), size=n)
        if not gone.all():
            values = [None if g else levels[c] for c, g in zip(codes, gone, strict=True)]
            return np.array([*values, None], dtype=object)[:n]
        gone[:] = False
    if kind in ("grid", "category"):
        x = rng.integers(0, rng.integers(2, 6), size=n).astype(float)
    elif kind == "constant":
        x = np.full(n, float(rng.choice([0.0, 0.1, -3.0])))
    else:
        x = rng.normal(size=n)
        if kind == "rounded":
            x = np.round(x, 1)
        if kind == "scaled":
            x = (x + rng.choice([0.0, 100.0])) * 10.0 ** rng.integers(-6, 7)
    x[gone] = np.nan
    return x


def _with_codes(rng: np.random.Generator, columns: Sequence[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Special codes in some columns of numbers: among the numbers or apart, in some rows or in none."""
    if rng.random() < 0.6:
        return list(columns)
    found = []
    for column in columns:
        if column.dtype != object and rng.random() < 0.6:
            seen = column[~np.isnan(column)]
            pool = [-9.0, 0.0, 998.0, *seen[:3]]
            codes = np.unique(rng.choice(pool, size=int(rng.integers(1, 4))))
            column = column.copy()
            for code in codes:
                column[rng.random(len(column)) < rng.choice([0.0, 0.05, 0.3])] = code
            column = coded(column, codes.tolist())
        found.append(column)
    return found


def _signal(rng: np.random.Generator, columns: Sequence[npt.NDArray[Any]], n: int) -> Floats:
    """Something for the rules to find: steps and lines in the columns."""
    f = np.zeros(n)
    for column in columns:
        gone = is_missing(column)
        if column.dtype == object:
            seen = sorted({v for v in column if v is not None})
            f += rng.normal() * np.array([v == seen[0] for v in column], dtype=float)
        elif not gone.all():
            spread = np.nanstd(column) or 1.0
            z = np.where(gone, 0.0, (column - np.nanmean(column)) / spread)
            f += rng.normal() * (z > rng.normal() / 2) + rng.normal() * z * (rng.random() < 0.5)
        f += rng.normal() * gone
    return f


def _response(
    rng: np.random.Generator, loss: losses.Loss, columns: Sequence[npt.NDArray[Any]], n: int
) -> Floats:
    f = _signal(rng, columns, n) + rng.normal(size=n) * rng.choice([0.0, 0.3, 1.0])
    if losses.is_regression(loss):
        kind = rng.choice(["plain", "ties", "offset", "small", "constant"], p=[0.6, 0.2, 0.1, 0.07, 0.03])
        kinds: dict[str, Floats] = {
            "plain": f,
            "ties": np.round(f),
            "offset": f + 1000.0,
            "small": f * 1e-4,
            "constant": np.full(n, 0.7),
        }
        return kinds[str(kind)]
    y = np.where(f > np.median(f), 1.0, -1.0)
    if rng.random() < 0.15:  # one class nearly empty
        y[:] = -1.0 if rng.random() < 0.5 else 1.0
        y[int(rng.integers(n))] *= -1.0
    if abs(np.sum(y)) == n:
        y[0] *= -1.0
    return y


def _weights(rng: np.random.Generator, y: Floats) -> Floats | None:
    kind = rng.choice(["none", "counts", "uneven", "zeros"], p=[0.4, 0.25, 0.2, 0.15])
    if kind == "none":
        return None
    n = len(y)
    if kind == "counts":
        weights = rng.integers(0, 4, size=n).astype(float)
    else:
        weights = np.exp(rng.normal(size=n) * rng.choice([0.5, 2.0]))
        if kind == "zeros":
            weights[rng.random(n) < 0.5] = 0.0
    low, high = int(np.argmin(y)), int(np.argmax(y))
    for i in (low, high, 0, n - 1):  # both classes and at least two rows count
        weights[i] = max(weights[i], 1.0)
    return weights


def _language(rng: np.random.Generator, columns: Sequence[npt.NDArray[Any]]) -> Language:
    monotonic_cst = None
    if rng.random() < 0.25:
        signs = rng.choice([-1, 0, 1], size=len(columns))
        monotonic_cst = tuple(0 if c.dtype == object else int(s) for c, s in zip(columns, signs, strict=True))
    return Language(
        max_features=[None, 1, 2, 2, 3][int(rng.integers(5))],
        min_support=min(len(columns[0]), int(rng.choice([1, 1, 2, 3, 6]))),
        monotonic_cst=monotonic_cst,
        positive=bool(rng.random() < 0.15),
        penalty_growth=float(rng.choice([0.0, 0.0, 0.05, 0.2, 1.0])),
        linear=bool(rng.random() < 0.6),
    )


def _bins(rng: np.random.Generator, problem: Problem) -> None:
    """Chooses bins and the features that follow from them; drops features while too many."""
    kind = str(
        rng.choice(
            ["given", "midpoints", "intervals", "quantiles", "learned"],
            p=[0.35, 0.2, 0.15, 0.2, 0.1],
        )
    )
    if kind == "quantiles" and problem.weights is not None:
        whole = np.round(np.minimum(problem.weights, 20.0)) + (problem.weights > 0)
        problem.weights = whole.astype(np.float64)
    bound = {
        "intervals": float(rng.choice([0.0, 0.005, 0.05, 0.2])),
        "quantiles": int(rng.integers(2, 7)),
        "learned": str(rng.choice(LEARNED)),
    }.get(kind)
    while True:
        given = [_given(rng, c) for c in problem.columns] if kind == "given" else None
        features = [
            feature_of(c, problem.weights, kind, bound, None if given is None else given[j])
            for j, c in enumerate(problem.columns)
        ]
        size = 1
        for j, feature in enumerate(features):
            codes = feature.codes if isinstance(feature, Numeric) else ()
            most = Numeric(tuple(range(9)), True, codes) if kind == "learned" else feature
            size *= len(propositions(j, most, problem.language.direction(j))) + 1
        if size <= MOST_RULES or len(problem.columns) == 1:
            break
        problem.columns = problem.columns[:-1]
        signs = problem.language.monotonic_cst
        monotonic_cst = None if signs is None else signs[: len(problem.columns)]
        problem.language = Language(**{**problem.language.__dict__, "monotonic_cst": monotonic_cst})
    public = {"given": given, "midpoints": None, "intervals": ("intervals", bound)}
    problem.bins = public.get(kind, bound)
    problem.features = None if kind == "learned" else features


def feature_of(
    column: npt.NDArray[Any], weights: Floats | None, kind: str, bound: Any, given: Floats | None
) -> Feature:
    """A column's cuts or levels, learned from the rows of positive weight."""
    if weights is not None:
        column, weights = column[weights > 0], weights[weights > 0]
    missing = bool(is_missing(column).any())
    if column.dtype == object:
        return Categorical(tuple(sorted({v for v in column if v is not None})), missing)
    codes = tuple(sorted(code for code in getattr(column, "codes", ()) if (column == code).any()))
    column = numbers(column)
    if kind == "given":
        assert given is not None
        return Numeric(tuple(given), missing, codes)
    if kind == "quantiles":
        return Numeric(tuple(cuts.quantiles(column, bound, weights)), missing, codes)
    if kind == "intervals":
        return Numeric(tuple(cuts.intervals(column, bound)), missing, codes)
    return Numeric(tuple(cuts.midpoints(column)), missing, codes)


def _given(rng: np.random.Generator, column: npt.NDArray[Any]) -> Floats | None:
    """Cuts anywhere: between values, on values, outside the data."""
    if column.dtype == object:
        return None
    count = int(rng.integers(0, 8))
    column = numbers(column)
    seen = column[~np.isnan(column)]
    if not len(seen):
        return np.sort(rng.normal(size=count))
    pool = [
        rng.choice(seen, size=count),
        rng.normal(size=count) * (np.std(seen) + 0.1) + np.mean(seen),
    ]
    return np.unique(np.where(rng.random(count) < 0.3, *pool))
