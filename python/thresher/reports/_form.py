"""The what-if form: its fields, and the function that scores in the browser."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Column as Values
from ..export.build import formula_of
from ..export.conditions import Interval
from ..export.formula import Column, Formula, RuleTerm, Steps
from ..export.javascript import javascript_of
from ..formatting.text import format_level
from ._shapes import codes_of, width_of_axis

MOST_FIELDS = 200  # a form that is longer is no form
MOST_WORDS = 1_000  # events that a form reads; of more, those of the model
MOST_CODE = 400_000  # characters of the function: more would leave no room for the rest of a megabyte


def formula_or_none(model: Any) -> Formula | None:
    """Return how a model scores; None for graphs, or where two of its columns share a name."""
    try:
        found: Formula = model.formula() if hasattr(model, "formula") else formula_of(model, sequences=True)
        return found
    except (TypeError, ValueError):
        return None


def form_of(model: Any, formula: Formula, columns: Sequence[Values] | None) -> dict[str, Any] | None:
    """Return the fields of the form and its code; None for a model too large for it."""
    if not formula.columns or (len(formula.columns) > MOST_FIELDS and not formula.is_of_sequences):
        return None
    code = javascript_of(formula)
    if len(code) > MOST_CODE:
        return None
    if formula.is_of_sequences:
        return {"fields": [_field_of_events(model, formula)], "code": code}
    features = model._fitted.document["features"]
    fields = [
        _field(formula, place, column, features, columns) for place, column in enumerate(formula.columns)
    ]
    return {"fields": fields, "code": code}


def _field_of_events(model: Any, formula: Formula) -> dict[str, Any]:
    """Return the field of a record of events: it starts with the most important pattern of the model.

    Its words are the texts of events with their labels; None for events of training that no pattern has.
    """
    vocabulary = model._fitted.view.vocabulary
    sequences = [column.sequence for column in formula.columns if column.sequence is not None]
    used = {label for own in sequences for event in own.events for label in event}
    listed = vocabulary.known.items()
    if len(vocabulary) > MOST_WORDS:
        listed = [(text, label) for text, label in listed if label in used]
    return {
        "name": "Events",
        "kind": "events",
        "words": [[text, label if label in used else None] for text, label in listed],
        "shown": list(map(vocabulary.text, sorted(vocabulary.place[label] for label in used))),
        "is_letters": all(len(text) == 1 for text in map(vocabulary.bare, range(len(vocabulary)))),
        "start": model.summary().rows[0].term,
    }


def _field(
    formula: Formula, place: int, column: Column, features: Sequence[Any], columns: Sequence[Values] | None
) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.kind == "item":
        return field
    field["allows_missing"] = column.allows_missing
    data = None if columns is None else columns[column.position]
    if column.is_coded:
        field["levels"] = [[format_level(level), level] for level in column.levels]
        field["has_other"] = column.unknown != "refused"
        start = 0
        if isinstance(data, tuple):
            known = data[0][(data[0] >= 0) & (data[0] < len(column.levels))]
            start = int(np.bincount(known).argmax()) if known.size else 0
        field["start"] = column.levels[start] if column.levels else None
        return field
    feature = features[column.position]
    numbers = None
    if data is not None and not isinstance(data, tuple):
        numbers = data[~(np.isnan(data) | np.isin(data, codes_of(feature)))]
    found = _range(formula, place, feature if isinstance(feature, Mapping) else {}, numbers)
    low, high, start_at = found or (-1.0, 1.0, 0.0)
    field |= {"low": low, "high": high, "start": start_at, "is_known": found is not None}
    return field | {"codes": codes_of(feature), "linear_width": width_of_axis(numbers, feature, low, high)}


def _range(
    formula: Formula, place: int, feature: Mapping[str, Any], numbers: NDArray[np.float64] | None
) -> tuple[float, float, float] | None:
    """Return the range of a number and where it starts, the median or the middle; None if it is unknown."""
    if numbers is not None and numbers.size:
        middle = float(np.sort(numbers)[numbers.size // 2])  # a value of the data: 3, and not 2.5
        return float(numbers.min()), float(numbers.max()), middle
    ends = [float(feature[name]) for name in ("lower", "upper") if feature.get(name) is not None]
    ends += _cuts(formula, place)
    if not ends:
        return None
    low, high = min(ends), max(ends)
    if low == high:
        low, high = low - 1, high + 1
    middle = low / 2 + high / 2
    rounded = (float(f"{middle:.{digits}g}") for digits in range(3, 18))
    return low, high, next(number for number in rounded if low <= number <= high)


def _cuts(formula: Formula, place: int) -> list[float]:
    ends: list[float] = []
    for term in formula.terms():
        if isinstance(term, Steps) and term.column == place:
            ends += term.cuts
        elif isinstance(term, RuleTerm):
            for each in term.conditions:
                if isinstance(each, Interval) and each.column == place:
                    ends += [each.lower, each.upper]
    return [end for end in ends if math.isfinite(end)]
