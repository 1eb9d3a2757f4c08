"""From a model to a card in points."""

from __future__ import annotations

from typing import Any, Literal

from ..validation import check, words
from ._points import exact_base, exact_points
from .bins import bins_of_output
from .card import ScaledCard
from .rounding import round_points
from .scaling import LARGEST, Scaling

Base = Literal["average", "lowest", "spread"]


def scale_card(model: Any, scaling: Scaling, *, whole: bool, base: Base) -> ScaledCard:
    """Scale a model of two classes to points.

    Parameters
    ----------
    model : L0AdditiveClassifier
        A fitted model of two classes.
    scaling : Scaling
        The scale.
    whole : bool
        Whether to round to whole points.
    base : {"average", "lowest", "spread"}
        Where the points of a column begin.

    Returns
    -------
    ScaledCard
        The card.

    Raises
    ------
    ValueError
        If a parameter is invalid, the model has more than two classes, or the points are too large.
    """
    check("whole", whole, "boolean")
    check("base", base, words("average", "lowest", "spread"))
    if len(model.classes_) != 2:
        raise ValueError(
            f"a scaled card is for two classes; the model has {len(model.classes_)}. Fit one class against "
            "the others"
        )
    # A copy: the estimator may be fitted again.
    model = type(model)._holding(model.get_params(deep=False), model._fitted, model._path_index)
    exact = [exact_points(model, scaling, column).tolist() for column in bins_of_output(model, 0)]
    start = exact_base(model, scaling)
    if not all(abs(value) < LARGEST for column in [[start], *exact] for value in column):
        raise ValueError("pdo, base_score: the points are too large; give a smaller scale")
    if whole:
        rounded = round_points(start, exact)
        start, exact = rounded.base, [list(column) for column in rounded.points]
    start, exact = _shifted(start, exact, base, whole=whole)
    return ScaledCard(model, scaling, whole, start, tuple(map(tuple, exact)))


def _shifted(
    start: float, points: list[list[float]], base: Base, *, whole: bool
) -> tuple[float, list[list[float]]]:
    """Move points between the base and the columns; all scores stay the same."""
    if base == "average" or not points:
        return start, points
    if base == "lowest":
        shifts = [-min(column) for column in points]
    elif whole:
        quotient, rest = divmod(start, len(points))
        shifts = [quotient + (k < rest) for k in range(len(points))]
    else:
        shifts = [start / len(points)] * len(points)
    moved = [[value + shift for value in column] for column, shift in zip(points, shifts, strict=True)]
    return (0 if base == "spread" else start - sum(shifts)), moved
