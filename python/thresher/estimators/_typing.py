"""Types of the parameters that take more than one kind of value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from sklearn.model_selection import BaseCrossValidator

Strength: TypeAlias = float | Literal["cv", "bic", "ebic"] | ArrayLike
"""A regularisation strength, how to select it, or the strengths to select from."""

Relax: TypeAlias = float | Literal["cv"] | None
"""Weight of the refit in relaxed coefficients, or how to select it."""

Folds: TypeAlias = "int | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]]"
"""A number of folds, a splitter of scikit-learn, or pairs of training and test rows."""

Columns: TypeAlias = Literal["from_dtype"] | Sequence[str] | Sequence[int] | ArrayLike | None
"""Columns by name, by position or by a mask."""

ColumnList: TypeAlias = Sequence[str] | Sequence[int] | None
"""Columns by name or by position."""

CutPoints: TypeAlias = (
    int
    | Literal["auto", "supervised"]
    | tuple[str, float]
    | Sequence[ArrayLike | None]
    | Mapping[str | int, ArrayLike | None]
    | None
)
"""The cut points of the numeric columns, see `bins_parameter`."""

Directions: TypeAlias = ArrayLike | Mapping[str, int] | None
"""-1, 0 or 1 for each column, or for those named."""

Trends: TypeAlias = ArrayLike | Sequence[int | str] | Mapping[str, int | str] | None
"""-1, 0, 1, "auto", "peak", "valley", "convex" or "concave" for each column, or for those named."""

Bounds: TypeAlias = (
    tuple[float | None, float | None]
    | Sequence[tuple[float | None, float | None]]
    | Mapping[str | int, tuple[float | None, float | None]]
    | None
)
"""Lower and upper bounds, of all columns or of each."""

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None
"""Factors on the sample weights of the classes."""

RandomState: TypeAlias = int | np.random.RandomState | None
"""A seed, or scikit-learn's random state."""

SpecialCodes: TypeAlias = Mapping[str | int, float | Sequence[float]] | Sequence[float] | None
"""Special codes of single columns, or of every numeric column."""
