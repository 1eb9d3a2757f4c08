"""Predictions and probabilities from decision values, in SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .formula import Formula
from .sql_text import DOUBLE, Dialect

Named = list[tuple[str, str]]
"""Aliases or labels, with their expressions."""

_LEAST_EXPONENT = "745"
"""Beyond it EXP(-x) is 0 in double precision, which PostgreSQL takes for an error."""


def columns_of_result(
    formula: Formula, dialect: Dialect, decisions: Sequence[str], helper: Callable[[str], str]
) -> tuple[list[Named], Named]:
    """Write predictions and probabilities.

    Parameters
    ----------
    formula : Formula
        The model.
    dialect : Dialect
        The database.
    decisions : sequence of str
        The columns of the decision values.
    helper : callable
        Names a column that is not the table's.

    Returns
    -------
    layers : list of list of (str, str)
        Columns of further layers: alias and expression.
    result : list of (str, str)
        Columns of the result: label and expression.
    """
    if formula.classes is None:
        texts = formula.output_texts
        several = len(decisions) > 1
        labels = [f"prediction of {text}" if several else formula.result for text in texts]
        result = list(zip(labels, decisions, strict=True))
        if formula.log_odds is None:
            return [], result
        unit, even = map(dialect.number, formula.log_odds)
        layers, [_, probability] = _of_log_odds(f"({decisions[0]} - {even}) / {unit}", helper)
        return layers, [*result, ("probability", probability)]
    layers, probabilities = _probabilities(formula, dialect, decisions, helper)
    result = [("prediction", _winner(formula, [dialect.label(each) for each in formula.classes], decisions))]
    result += [
        (f"probability of {label}", value)
        for label, value in zip(formula.classes, probabilities, strict=False)
    ]
    labels = [f"decision of {text}" if text else "decision" for text in formula.output_texts]
    return layers, [*result, *zip(labels, decisions, strict=True)]


def _winner(formula: Formula, labels: Sequence[str], decisions: Sequence[str]) -> str:
    if len(decisions) == 1:
        f = decisions[0]
        below = {">": "<=", ">=": "<"}[formula.comparison]
        return (
            f"CASE WHEN {f} {formula.comparison} 0 THEN {labels[1]} WHEN {f} {below} 0 THEN {labels[0]} END"
        )
    cases = [f"WHEN {_at_least_all(decisions, place)} THEN {label}" for place, label in enumerate(labels)]
    return f"CASE {' '.join(cases)} END"


def _at_least_all(values: Sequence[str], place: int) -> str:
    return " AND ".join(f"{values[place]} >= {other}" for k, other in enumerate(values) if k != place)


def _largest(values: Sequence[str]) -> str:
    cases = [f"WHEN {_at_least_all(values, place)} THEN {value}" for place, value in enumerate(values)]
    return f"CASE {' '.join(cases)} END"


def _decaying(value: str) -> str:
    """Write EXP(-value) for a value that is not negative."""
    return f"CASE WHEN {value} < {_LEAST_EXPONENT} THEN EXP(-({value})) WHEN {value} IS NOT NULL THEN 0E0 END"


def _probabilities(
    formula: Formula, dialect: Dialect, decisions: Sequence[str], helper: Callable[[str], str]
) -> tuple[list[Named], list[str]]:
    if formula.link == "label":
        return [], []
    if formula.link == "clipped":
        shares = [
            f"CASE WHEN {f} >= 1 THEN 1E0 WHEN {f} <= -1 THEN 0E0 ELSE (1 + {f}) / 2 END" for f in decisions
        ]
        names = [helper(f"share {place}") for place in range(len(shares))]
        layers: list[Named] = [list(zip(names, shares, strict=True))]
        if len(names) == 1:
            return layers, [f"1 - {names[0]}", names[0]]
        total = " + ".join(names)
        equal = f"CAST({dialect.number(1 / len(names))} AS {DOUBLE})"
        return layers, [
            f"CASE WHEN {total} > 0 THEN {own} / ({total}) WHEN {total} <= 0 THEN {equal} END"
            for own in names
        ]
    scaled = [f if formula.scale == 1 else f"{dialect.number(formula.scale)} * {f}" for f in decisions]
    if len(scaled) == 1:
        return _of_log_odds(scaled[0], helper)
    places = range(len(scaled))
    odds, tails = [[helper(f"{word} {place}") for place in places] for word in ("odds", "tail")]
    layers = [
        list(zip(odds, scaled, strict=True)),
        [(tail, _decaying(f"ABS({own})")) for tail, own in zip(tails, odds, strict=True)],
    ]
    return _normalised(layers, odds, tails, helper)


def _of_log_odds(log_odds: str, helper: Callable[[str], str]) -> tuple[list[Named], list[str]]:
    """Write the probabilities of two classes."""
    odds, tail = helper("odds 0"), helper("tail 0")
    layers: list[Named] = [[(odds, log_odds)], [(tail, _decaying(f"ABS({odds})"))]]
    small, large = f"{tail} / (1 + {tail})", f"1 / (1 + {tail})"
    is_positive = f"CASE WHEN {odds} > 0 THEN"
    return layers, [f"{is_positive} {small} ELSE {large} END", f"{is_positive} {large} ELSE {small} END"]


def _normalised(
    layers: list[Named], odds: list[str], tails: list[str], helper: Callable[[str], str]
) -> tuple[list[Named], list[str]]:
    """Divide the sigmoids of several classes by their sum, scaled by the largest one."""
    logs, shares = [[helper(f"{word} {k}") for k in range(len(odds))] for word in ("log", "share")]
    layers.append(
        [
            (log, f"CASE WHEN {own} < 0 THEN {own} ELSE 0 END - LN(1 + {tail})")
            for log, own, tail in zip(logs, odds, tails, strict=True)
        ]
    )
    layers.append([(helper("largest"), _largest(logs))])
    layers.append(
        [
            (share, _decaying(f"({helper('largest')} - {log})"))
            for share, log in zip(shares, logs, strict=True)
        ]
    )
    total = helper("total")
    layers.append([(total, " + ".join(shares))])
    return layers, [f"{share} / {total}" for share in shares]
