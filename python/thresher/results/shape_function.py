"""Step functions of columns."""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data.columns import Column, Level
from ..formatting.numbers import (
    format_effects,
    format_number,
    format_percent,
    format_value,
    without_rounding,
)
from ..formatting.quoting import quote_name, quote_unclear
from ..formatting.text import format_level
from .payloads import FeaturePayload


@dataclass(frozen=True)
class Step:
    """One piece of a step function.

    Parameters
    ----------
    text : str
        The condition, for example ``30 < age <= 40``; special codes with a step of their own that lie in the
        interval are left out by name: ``age > 40, not 998``.
    value : float
        The contribution to the prediction (the log-odds for the logistic loss).
    support : float
        Fraction of the training weight.
    lower, upper : float
        For numbers: the interval lower < x <= upper; infinite without a bound.
    categories : tuple or None
        The categories; None for a column of numbers.
    missing : bool
        Whether it applies to missing values too (only to these and `codes` if ``lower`` is NaN).
    codes : tuple of float
        Special codes of a column of numbers to which it applies; they are in no interval.
    """

    text: str
    value: float
    support: float
    lower: float = -math.inf
    upper: float = math.inf
    categories: tuple[Level, ...] | None = None
    missing: bool = False
    codes: tuple[float, ...] = ()


@dataclass(frozen=True)
class ShapeFunction:
    """The step function of one column; its weighted mean over the training rows is 0.

    Parameters
    ----------
    feature_index : int
        The column's position.
    feature_name : str
        Its name.
    steps : tuple of Step
        The pieces: numbers in their order, categories by value, then special codes, missing values last.
    output : object
        The class or target, None where there is one.
    unseen_codes : tuple of float
        Special codes that no step applies to: training saw neither them nor a missing value. They add 0.

    Examples
    --------
    >>> from thresher import ShapeFunction
    >>> from thresher.results.shape_function import Step
    >>> print(ShapeFunction(0, "age", (Step("age <= 30", -1.0, 0.5), Step("age > 30", 1.0, 0.5))))
    age
      -1.000  age <= 30  50%
      +1.000  age > 30   50%
    """

    feature_index: int
    feature_name: str
    steps: tuple[Step, ...]
    output: Any = None
    unseen_codes: tuple[float, ...] = ()

    @property
    def importance(self) -> float:
        """The standard deviation of the column's contribution over the training rows."""
        return math.sqrt(sum(step.support * step.value * step.value for step in self.steps))

    @property
    def n_jumps(self) -> int:
        """The number of steps after the first, the column's part of the penalty."""
        return len(self.steps) - 1

    def step_of(self, value: Any) -> Step | None:
        """Find the step of a value.

        Parameters
        ----------
        value : float, label or None
            The value; NaN or None for a missing one.

        Returns
        -------
        Step or None
            None for a value unknown from training, whose contribution is 0.
        """
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return next((step for step in self.steps if step.missing), None)
        if self.steps[0].categories is not None:
            return next((step for step in self.steps if step.categories and value in step.categories), None)
        if any(value in step.codes for step in self.steps):
            return next(step for step in self.steps if value in step.codes)
        if value in self.unseen_codes:
            return None
        numbers = [step for step in self.steps if not math.isnan(step.lower)]
        return numbers[bisect.bisect_left([step.upper for step in numbers], value)]

    def __str__(self) -> str:
        """Return a text with all pieces."""
        width = max(len(step.text) for step in self.steps)
        values = [step.value for step in self.steps]
        effects = format_effects(without_rounding(values, values))
        lines = [
            f"  {v}  {step.text:<{width}}  {format_percent(step.support)}"
            for v, step in zip(effects, self.steps, strict=True)
        ]
        return "\n".join([self.feature_name, *lines])


def shapes_of(
    features: Sequence[FeaturePayload],
    points: Sequence[Mapping[str, Any]],
    labels: Sequence[Any],
) -> list[ShapeFunction]:
    """Read the step functions of a model.

    Parameters
    ----------
    features : list of FeaturePayload
        The columns.
    points : list of mapping
        The selected point of each output in the document.
    labels : list
        A label for each output.

    Returns
    -------
    list of ShapeFunction
        Output by output, the most important column first.
    """
    found = []
    for point, label in zip(points, labels, strict=True):
        shapes = [_shape(features[payload["feature"]], payload, label) for payload in point["shapes"]]
        found += sorted(shapes, key=lambda shape: (-shape.importance, shape.feature_index))
    return found


def _shape(feature: FeaturePayload, payload: Mapping[str, Any], label: Any) -> ShapeFunction:
    name, missing = feature["name"], payload["missing"]
    special = payload.get("special", ())
    own_codes = {piece["code"] for piece in special}
    codes_of_column = [code["value"] for code in feature.get("special", ())]
    rest = tuple(code for code in codes_of_column if code not in own_codes)
    of_pool = missing_text(rest)
    apart_weight = sum(piece["weight"] for piece in special) + (missing["weight"] if missing else 0.0)
    total = sum(payload["weights"]) + apart_weight
    shared = payload["values"].index(missing["value"]) if missing and not missing["apart"] else None
    ends = [-math.inf, *payload["cuts"], math.inf]
    steps = []
    for k, (value, weight) in enumerate(zip(payload["values"], payload["weights"], strict=True)):
        joined = k == shared
        support = (weight + (missing["weight"] if joined else 0.0)) / total
        if feature["kind"] == "categorical":
            groups = zip(feature["levels"], payload["groups"], strict=True)
            levels = tuple(level for level, group in groups if group == k)
            text = category_text(name, levels) + joined * " or missing"
            steps.append(Step(text, value, support, categories=levels, missing=joined))
        else:
            codes = rest if joined else ()
            apart = [code for code in codes_of_column if code not in codes]
            also = f", {of_pool}" if rest else " or missing"
            text = interval_text(name, (ends[k], ends[k + 1]), apart, joined * also)
            steps.append(Step(text, value, support, ends[k], ends[k + 1], None, joined, codes))
    for piece in special:
        code = piece["code"]
        text, support = code_text(name, float(code)), piece["weight"] / total
        steps.append(Step(text, piece["value"], support, math.nan, math.nan, codes=(code,)))
    if missing and missing["apart"]:
        kind = () if feature["kind"] == "categorical" else None
        support = missing["weight"] / total
        text = f"{quote_name(name)} {of_pool}"
        steps.append(Step(text, missing["value"], support, math.nan, math.nan, kind, True, rest))
    return ShapeFunction(payload["feature"], name, tuple(steps), label, () if missing else rest)


def missing_text(codes: Sequence[float]) -> str:
    """Return a text of missing values and of the special codes that count as missing.

    Parameters
    ----------
    codes : sequence of float
        The codes.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> missing_text([]), missing_text([998.0]), missing_text([-9.0, 998.0])
    ('missing', 'missing or 998', 'missing, -9 or 998')
    """
    *first, last = ["missing", *map(format_number, codes)]
    return f"{', '.join(first)} or {last}" if first else last


def category_text(name: str, levels: Sequence[Level]) -> str:
    """Return a text of a set of categories.

    Parameters
    ----------
    name : str
        The column's name.
    levels : sequence of level
        The categories.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> category_text("home", ["own"]), category_text("home", ["rent", "family"])
    ('home = own', 'home in {rent, family}')
    """
    name, texts = quote_name(name), [quote_unclear(format_level(level), ",{}'") for level in levels]
    return f"{name} = {texts[0]}" if len(texts) == 1 else f"{name} in {{{', '.join(texts)}}}"


def interval_text(name: str, ends: tuple[float, float], apart: Sequence[float] = (), joined: str = "") -> str:
    """Return a text of the numbers of an interval, without the special codes that lie in it.

    Parameters
    ----------
    name : str
        The column's name.
    ends : (float, float)
        The ends; infinite without a bound.
    apart : sequence of float, default=()
        Special codes of the column that belong to other steps.
    joined : str, default=""
        What else the step holds, such as " or missing".

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> interval_text("age", (30.0, 40.0)), interval_text("age", (40.0, math.inf), [-9.0, 998.0])
    ('30 < age <= 40', 'age > 40, not 998')
    >>> interval_text("age", (-math.inf, math.inf), [-9.0, 998.0], " or missing")
    'age known (not -9, 998) or missing'
    >>> interval_text("age", (-math.inf, 48.0), [-9.0], ", missing or 998")
    'age <= 48 (not -9), missing or 998'
    """
    name, (lower, upper) = quote_name(name), ends
    low, high = format_number(lower), format_number(upper)
    if math.isinf(lower):
        text = f"{name} <= {high}" if math.isfinite(upper) else f"{name} known"
    else:
        text = f"{low} < {name} <= {high}" if math.isfinite(upper) else f"{name} > {low}"
    inside = [format_number(code) for code in sorted(apart) if lower < code <= upper]
    if not inside:
        return text + joined
    if joined:
        return f"{text} (not {', '.join(inside)}){joined}"
    listed = inside[0] if len(inside) == 1 else f"in {{{', '.join(inside)}}}"
    return f"{text}, not {listed}"


def drawn_ends(low: float, high: float, cuts: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis on which each step has a width.

    Parameters
    ----------
    low, high : float
        The smallest and the largest value.
    cuts : sequence of float
        The cut points. A cut point may be the smallest value, for which alone the first step then holds.

    Returns
    -------
    tuple of (float, float)
        The ends; a first step without a width gets a twentieth of the range, the usual margin of a plot.

    Examples
    --------
    >>> drawn_ends(1.0, 5.0, [2.0]), drawn_ends(1.0, 5.0, [1.0, 2.0])
    ((1.0, 5.0), (0.8, 5.0))
    """
    return low - (high - low) / 20 if cuts and min(cuts) <= low else low, high


def cell(column: Column, row: int) -> Any:
    """Return one value of a table.

    Parameters
    ----------
    column : column
        Numbers, or (codes, levels).
    row : int
        The row's position.

    Returns
    -------
    float, level or None
        NaN or None where it is missing.
    """
    if not isinstance(column, tuple):
        return float(column[row])
    code = int(column[0][row])
    return column[1][code] if code >= 0 else None


def code_text(name: str, code: float) -> str:
    """Return a text of a special code, which is printed in full: another number is not the code.

    Parameters
    ----------
    name : str
        The column's name.
    code : float
        The code.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> code_text("income", 99999.99), value_text("income", 99999.99)
    ('income = 99999.99', 'income = 100000')
    """
    return f"{quote_name(name)} = {format_number(code)}"


def value_text(name: str, value: Any) -> str:
    """Return a text of a column's value.

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
        return f"{quote_name(name)} missing"
    text = format_value(value) if isinstance(value, float) else quote_unclear(format_level(value), ",{}'")
    return f"{quote_name(name)} = {text}"
