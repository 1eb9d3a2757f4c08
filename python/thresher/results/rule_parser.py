"""Parsing of rules given by users: text, a dict, or a Rule."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from ..data.columns import Level, column_position, same_truth
from ..formatting.numbers import format_number, is_number
from ..formatting.quoting import leading_quoted, quote_category, quote_name
from ..formatting.text import format_level, format_list, format_names
from .payloads import ConditionPayload, FeaturePayload
from .rule import Rule
from .rule_view import RuleView

_OPERATORS = ("<=", ">=", "!=", "==", "<", ">", "=")
_AFTER_NAME = re.compile(r"\s*(?:[<>=]|!=|$)|\s+(?:(?:is|and)\s|(?:not\s+)?in\b)")
_AFTER_VALUE = re.compile(r"\s*$|\s+and\s")
_CODES_IN_TEXT = r"(?:\s*\((?:not|or) [^()]*\))?"
"""The special codes that a printed condition lists, which the model knows."""
_EXAMPLE = "write for example 'age > 30 and color = red', or {'age': (30, None), 'color': 'red'}"


def read_rule(rule: Rule | str | Mapping[Any, Any], document: RuleView) -> list[ConditionPayload]:
    """Convert a rule to the core's conditions.

    Parameters
    ----------
    rule : Rule, str or dict
        Text as rules are shown (``age > 30 and color = red``, ``30 < age <= 40``,
        ``age is missing``), or a dict of column: condition, where a condition is a
        pair (lower, upper) for lower < x <= upper with None for no bound, a
        category or special code, ("!=", category), or the word "missing" or "not missing".
    document : RuleView
        The model, for names, kinds and levels.

    Returns
    -------
    list of ConditionPayload
        One condition for each column, in the columns' order.

    Raises
    ------
    ValueError
        If a column or a category is unknown, bounds cross, or text cannot be read.
    TypeError
        If `rule` is none of the above.
    """
    if isinstance(rule, Rule):
        conditions = [condition.to_payload() for condition in rule.conditions]
    elif isinstance(rule, str):
        conditions = _from_text(rule, document)
    elif isinstance(rule, Mapping):
        conditions = [_from_entry(key, value, document) for key, value in rule.items()]
    else:
        raise TypeError(f"rule: got {rule!r}; {_EXAMPLE}")
    return _merged(conditions, document)


def _merged(conditions: Sequence[ConditionPayload], document: RuleView) -> list[ConditionPayload]:
    """Merge the bounds on one column; contradictory conditions are an error."""
    found: dict[int, ConditionPayload] = {}
    for condition in conditions:
        feature = condition["feature"]
        if not 0 <= feature < len(document.features):
            raise ValueError(f"rule: there is no column {feature}; the model has {len(document.features)}")
        first = found.get(feature)
        found[feature] = (
            condition if first is None else _intersection(first, condition, document.names[feature])
        )
    for condition in found.values():
        _check(condition, document.features[condition["feature"]])
    if not found:
        raise ValueError(f"rule: there is no condition in it; {_EXAMPLE}")
    return [found[feature] for feature in sorted(found)]


def _intersection(first: ConditionPayload, second: ConditionPayload, name: str) -> ConditionPayload:
    if any(key in payload for payload in (first, second) for key in ("category", "missing")):
        raise ValueError(f"rule: there are two conditions on column '{name}'; give one")
    lowers = [payload["lower"] for payload in (first, second) if payload.get("lower") is not None]
    uppers = [payload["upper"] for payload in (first, second) if payload.get("upper") is not None]
    return {
        "feature": first["feature"],
        "lower": max(lowers, default=None),  # type: ignore[type-var]
        "upper": min(uppers, default=None),  # type: ignore[type-var]
    }


def _check(condition: ConditionPayload, feature: FeaturePayload) -> None:
    name = feature["name"]
    if "missing" in condition:
        return
    if ("category" in condition) != (feature["kind"] == "categorical") and not _codes_of(feature):
        kind = "categories" if feature["kind"] == "categorical" else "numbers"
        raise ValueError(f"rule: column '{name}' holds {kind}; {_EXAMPLE}")
    low, high = condition.get("lower"), condition.get("upper")
    if low is not None and high is not None and low >= high:
        raise ValueError(
            f"rule: no value of '{name}' is above {low:g} and at most {high:g}; swap or widen the bounds"
        )


def _from_entry(key: Any, value: Any, document: RuleView) -> ConditionPayload:
    position = column_position(key, document.names, "rule")
    feature = document.features[position]
    if (
        isinstance(value, str)
        and value in ("missing", "not missing")
        and value not in feature.get("levels", [])
    ):
        return {"feature": position, "missing": value == "missing"}
    if isinstance(value, (tuple, list)) and len(value) == 2 and value[0] in ("!=", "="):
        level = _level(value[1], feature)
        return {"feature": position, "category": level, "negated": value[0] == "!="}
    if feature["kind"] == "categorical" or (_codes_of(feature) and isinstance(value, Real)):
        return {"feature": position, "category": _level(value, feature), "negated": False}
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ValueError(f"rule: got {value!r} for column '{feature['name']}'; give a pair (lower, upper)")
    low, high = (_bound(end, feature["name"]) for end in value)
    if low is None and high is None and not feature.get("special"):
        raise ValueError(f"rule: both bounds of column '{feature['name']}' are open; give at least one")
    return {"feature": position, "lower": low, "upper": high}


def _bound(end: Any, name: str) -> float | None:
    if end is None:
        return None
    try:
        number = float(end)
    except (TypeError, ValueError):
        raise ValueError(f"rule: {end!r} is no number (column '{name}')") from None
    if math.isnan(number):
        raise ValueError(f"rule: a bound of column '{name}' is NaN")
    return None if math.isinf(number) else number


def _level(value: Any, feature: FeaturePayload) -> Level:
    if codes := _codes_of(feature):
        try:
            return next(code for code in codes if code == float(value))
        except (StopIteration, TypeError, ValueError):
            known = ", ".join(map(format_number, codes))
            raise ValueError(
                f"rule: {value!r} is no special code of the training rows of column '{feature['name']}'; it "
                f"has {known}"
            ) from None
    if "levels" not in feature:
        raise ValueError(
            f"rule: column '{feature['name']}' is numeric; give bounds, such as "
            f"'{feature['name']} > 1', not {value!r}"
        )
    levels = feature["levels"]
    for level in levels:
        if level == value or (isinstance(value, str) and format_level(level) == value):
            return level
    if (twin := same_truth(value, levels)) is not None:
        return twin
    known = format_list(levels, 12, lambda level: quote_category(format_level(level)))
    raise ValueError(f"rule: column '{feature['name']}' has no category {value!r}; it has {known}")


def _codes_of(feature: FeaturePayload) -> list[float]:
    """Return the special codes with a condition of their own."""
    return [code["value"] for code in feature.get("special", ()) if code["seen"]]


def _from_text(text: str, document: RuleView) -> list[ConditionPayload]:
    """Parse a text as rules are printed; else with names and categories that would be in quotes there."""
    try:
        return _conditions(text, document, is_quoted=True)
    except ValueError:
        return _conditions(text, document, is_quoted=False)


def _conditions(text: str, document: RuleView, is_quoted: bool) -> list[ConditionPayload]:
    conditions: list[ConditionPayload] = []
    rest = text.strip()
    while rest:
        condition, rest = _next_condition(rest, document, is_quoted)
        conditions.extend(condition)
    return conditions


def _next_condition(text: str, document: RuleView, is_quoted: bool) -> tuple[list[ConditionPayload], str]:
    chained = re.match(r"""\s*([^\s<>='"]+)\s*(<=?)\s*""", text)
    if chained and is_number(chained[1]):
        position, rest = _name(text[chained.end() :], document, is_quoted)
        first = _bounded(position, ">" if chained[2] == "<" else ">=", float(chained[1]))
        if not rest.lstrip().startswith("<"):
            return [first], _after_and(rest, text)
        more, rest = _comparison(position, rest, document, is_quoted)
        return [first, more], rest
    position, rest = _name(text, document, is_quoted)
    condition, rest = _comparison(position, rest, document, is_quoted)
    return [condition], rest


def _name(text: str, document: RuleView, is_quoted: bool) -> tuple[int, str]:
    stripped = text.lstrip()
    quoted = leading_quoted(stripped)
    if quoted and quoted[0] in document.names and _AFTER_NAME.match(quoted[1]):
        return document.names.index(quoted[0]), quoted[1]
    for position in sorted(range(len(document.names)), key=lambda p: -len(document.names[p])):
        name = document.names[position]
        rest = stripped[len(name) :]
        is_possible = not is_quoted or quote_name(name) == name
        if is_possible and stripped.startswith(name) and _AFTER_NAME.match(rest):
            return position, rest
    raise ValueError(
        f"rule: no column of the model begins {stripped!r}; "
        f"the columns are {format_names(document.names)}; {_EXAMPLE}"
    )


def _comparison(
    position: int, text: str, document: RuleView, is_quoted: bool
) -> tuple[ConditionPayload, str]:
    feature = document.features[position]
    if feature.get("special"):
        numeric = re.match(rf"\s+is\s+a\s+number\b{_CODES_IN_TEXT}", text)
        if numeric:
            condition: ConditionPayload = {"feature": position, "lower": None, "upper": None}
            return condition, _after_and(text[numeric.end() :], text)
    missing = re.match(rf"\s+is\s+(not\s+)?missing\b{_CODES_IN_TEXT}", text)
    if missing:
        return {"feature": position, "missing": missing[1] is None}, _after_and(text[missing.end() :], text)
    stripped = text.lstrip()
    operator = next((op for op in _OPERATORS if stripped.startswith(op)), None)
    if operator is None and re.match(r"(?:not\s+)?in\b", stripped):
        raise ValueError(
            f"rule: got {stripped!r} after '{feature['name']}'; a rule has no sets of categories: a "
            f"condition names one, with = or !=, or bounds; {_EXAMPLE}"
        )
    if operator is None:
        rest = f" in {text.strip()!r}" if text.strip() else ""
        raise ValueError(f"rule: expected a comparison after '{feature['name']}'{rest}; {_EXAMPLE}")
    value, rest = _value(stripped[len(operator) :], feature, is_quoted)
    if operator in ("=", "==", "!="):
        return {"feature": position, "category": _level(value, feature), "negated": operator == "!="}, rest
    if not is_number(value):
        raise ValueError(f"rule: {value!r} is no number (column '{feature['name']}'); {_EXAMPLE}")
    return _bounded(position, operator, float(value)), rest


def _value(text: str, feature: FeaturePayload, is_quoted: bool) -> tuple[str, str]:
    """Parse a value up to the next `and`, unless a known category contains it."""
    stripped = text.strip()
    levels = list(map(format_level, feature.get("levels", [])))
    quoted = leading_quoted(stripped)
    if quoted and quoted[0] in levels and _AFTER_VALUE.match(quoted[1]):
        return quoted[0], _after_and(quoted[1], text)
    for level in sorted(levels, key=len, reverse=True):
        rest = stripped[len(level) :] if level else f" {stripped}"
        is_possible = not is_quoted or quote_category(level) == level
        if is_possible and stripped.startswith(level) and _AFTER_VALUE.match(rest):
            return level, _after_and(rest, text)
    value, _, rest = stripped.partition(" and ")
    if feature.get("special"):
        value = re.sub(rf"{_CODES_IN_TEXT}\s*$", "", value)
    return value.strip().strip("'\""), rest


def _after_and(rest: str, text: str) -> str:
    stripped = rest.strip()
    if not stripped:
        return ""
    if not stripped.startswith("and "):
        raise ValueError(f"rule: expected 'and' before {stripped!r} in {text.strip()!r}; {_EXAMPLE}")
    return stripped[4:]


def _bounded(position: int, operator: str, number: float) -> ConditionPayload:
    """Convert a comparison to lower < x <= upper; >= and < use the adjacent floating-point number."""
    if operator in (">", ">="):
        low = number if operator == ">" else math.nextafter(number, -math.inf)
        return {"feature": position, "lower": low, "upper": None}
    high = number if operator == "<=" else math.nextafter(number, -math.inf)
    return {"feature": position, "lower": None, "upper": high}
