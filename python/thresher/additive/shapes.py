"""The step function of a column, as a person reads it."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..columns import Column
from ..text import Level, plain, show_level, signed
from .document import Document, ShapeWire


@dataclass(frozen=True)
class Step:
    """One piece of a step function.

    Parameters
    ----------
    text : str
        When it applies, for example ``30 < age <= 40``.
    value : float
        What it adds to the prediction (the log-odds for the logistic loss).
    share : float
        Share of the training weight.
    lower, upper : float
        Numbers: it applies for lower < x <= upper; infinite where there is no bound.
    categories : tuple or None
        Categories it applies for; None for a column of numbers.
    missing : bool
        Whether it applies for missing values too (alone, if ``lower`` is NaN).
    """

    text: str
    value: float
    share: float
    lower: float = -math.inf
    upper: float = math.inf
    categories: tuple[Level, ...] | None = None
    missing: bool = False


@dataclass(frozen=True)
class ShapeFunction:
    """The step function of one column; its weighted mean over the training rows is 0.

    Parameters
    ----------
    feature : int
        The column's position.
    name : str
        Its name.
    steps : tuple of Step
        The pieces: numbers in their order, categories by value, missing values last.
    output : object
        The class or target, None where there is one.

    Examples
    --------
    >>> print(ShapeFunction(0, "age", (Step("age <= 30", -1.0, 0.5), Step("age > 30", 1.0, 0.5))))
    age
      -1.000  age <= 30  50%
      +1.000  age > 30   50%
    """

    feature: int
    name: str
    steps: tuple[Step, ...]
    output: Any = None

    @property
    def importance(self) -> float:
        """The standard deviation of what the column adds over the training rows."""
        return math.sqrt(sum(step.share * step.value**2 for step in self.steps))

    @property
    def n_jumps(self) -> int:
        """Steps after the first, which is what the column counts."""
        return len(self.steps) - 1

    def step_of(self, value: Any) -> Step | None:
        """Find the piece of a value.

        Parameters
        ----------
        value : float, label or None
            The value; NaN or None for a missing one.

        Returns
        -------
        Step or None
            None for a value that training did not see: it adds nothing.
        """
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return next((step for step in self.steps if step.missing), None)
        if self.steps[0].categories is not None:
            return next((step for step in self.steps if step.categories and value in step.categories), None)
        numbers = [step for step in self.steps if not math.isnan(step.lower)]
        return numbers[bisect.bisect_left([step.upper for step in numbers], value)]

    def __str__(self) -> str:
        """List the pieces."""
        width = max(len(step.text) for step in self.steps)
        values = signed([step.value for step in self.steps])
        lines = [
            f"  {v}  {step.text:<{width}}  {step.share:.0%}" for v, step in zip(values, self.steps, strict=True)
        ]
        return "\n".join([self.name, *lines])


def shapes_of(document: Document, points: Sequence[int], labels: Sequence[Any]) -> list[ShapeFunction]:
    """Read the step functions of a model.

    Parameters
    ----------
    document : Document
        The model.
    points : list of int
        The chosen point of each output.
    labels : list
        A label for each output.

    Returns
    -------
    list of ShapeFunction
        Output by output, the most important column first.
    """
    found = []
    for point, label in zip(document.chosen(points), labels, strict=True):
        shapes = [_shape(document, wire, label) for wire in point["shapes"]]
        found += sorted(shapes, key=lambda shape: (-shape.importance, shape.feature))
    return found


def _shape(document: Document, wire: ShapeWire, label: Any) -> ShapeFunction:
    feature = document.features[wire["feature"]]
    name, missing = feature["name"], wire["missing"]
    total = sum(wire["weights"]) + (missing["weight"] if missing else 0.0)
    shared = wire["values"].index(missing["value"]) if missing and not missing["apart"] else None
    steps = []
    for k, (value, weight) in enumerate(zip(wire["values"], wire["weights"], strict=True)):
        joined = k == shared
        weight += missing["weight"] if missing and joined else 0.0
        rest = {"value": value, "share": weight / total, "missing": joined}
        if feature["kind"] == "categorical":
            levels = tuple(
                level for level, group in zip(feature["levels"], wire["groups"], strict=True) if group == k
            )
            steps.append(Step(_category_text(name, levels) + joined * " or missing", categories=levels, **rest))
        else:
            ends = [-math.inf, *wire["cuts"], math.inf]
            text = _interval_text(document, wire["feature"], ends[k], ends[k + 1]) + joined * " or missing"
            steps.append(Step(text, lower=ends[k], upper=ends[k + 1], **rest))
    if missing and missing["apart"]:
        kind = () if feature["kind"] == "categorical" else None
        share = missing["weight"] / total
        steps.append(Step(f"{name} missing", missing["value"], share, math.nan, math.nan, kind, True))
    return ShapeFunction(wire["feature"], name, tuple(steps), label)


def _category_text(name: str, levels: Sequence[Level]) -> str:
    if len(levels) == 1:
        return f"{name} = {show_level(levels[0])}"
    return f"{name} in {{{', '.join(map(show_level, levels))}}}"


def _interval_text(document: Document, feature: int, lower: float, upper: float) -> str:
    name, show = document.names[feature], document.digits.show
    if math.isinf(lower):
        return f"{name} <= {show(feature, upper)}" if math.isfinite(upper) else f"{name} known"
    if math.isinf(upper):
        return f"{name} > {show(feature, lower)}"
    return f"{show(feature, lower)} < {name} <= {show(feature, upper)}"


def cell(column: Column, row: int) -> Any:
    """Give one value of a table.

    Parameters
    ----------
    column : column
        Numbers, or (codes, levels).
    row : int
        Which.

    Returns
    -------
    float, level or None
        NaN or None where it is missing.
    """
    if not isinstance(column, tuple):
        return float(column[row])
    code = int(column[0][row])
    return column[1][code] if code >= 0 else None


def value_text(name: str, value: Any) -> str:
    """Say what a row has in a column.

    Parameters
    ----------
    name : str
        The column's name.
    value : float, level or None
        Its value.

    Returns
    -------
    str
        For example ``age = 31``.

    Examples
    --------
    >>> value_text("age", 31.0), value_text("age", None)
    ('age = 31', 'age missing')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return f"{name} missing"
    return f"{name} = {plain(value) if isinstance(value, float) else show_level(value)}"
