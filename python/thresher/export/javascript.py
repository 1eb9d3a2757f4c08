"""A model as one JavaScript function."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..data.columns import Level
from .codes import codes_of_booleans, codes_of_texts, exact_codes
from .conditions import Condition, Equals, Has, Interval, IsCode, Missing, finite_ends
from .formula import Column, Factor, Formula, Linear, Lookup, RuleTerm, Steps, Term
from .javascript_text import CLIPPED, LOG_ODDS, OF_SCORE, READ, REASONS
from .reason_costs import ReasonCosts, costing_terms


def javascript_of(formula: Formula, reasons: ReasonCosts | None = None) -> str:
    """Write a model as one JavaScript function.

    Parameters
    ----------
    formula : Formula
        The model.
    reasons : ReasonCosts, optional
        Of a score card the reasons in the result.

    Returns
    -------
    str
        A script that defines ``score(row)``, with ``score.columns`` and ``score.classes``.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> X = np.arange(20.0)[:, None]
    >>> from thresher.export.build import formula_of
    >>> print(javascript_of(formula_of(L0Regressor(lambda0=1.0).fit(X, X[:, 0]))).splitlines()[0])
    // L0Regressor, exported by Thresher. score(row) takes an object of column values; null is missing.
    """
    data, lines = _Data(), []
    for place, output in enumerate(formula.outputs):
        lines.append(f"let s{place} = {output.intercept!r};")
        lines += [line for term in output.terms for line in _term(term, f"s{place}", formula, data)]
    read = ["const events = eventsOf(row);"] * formula.is_of_sequences + list(_columns(formula, data))
    names = ", ".join(f"s{place}" for place in range(len(formula.outputs)))
    lines += _reasons(reasons, formula, data)
    lines += _result(formula, names, n_texts=None if reasons is None else len(reasons.texts))
    needed = {kind for kind in READ if f"{_CALLS[kind]}(" in "\n".join([*read, *lines])}
    helpers = "".join(text for kind, text in READ.items() if kind in needed)
    row = "an object of column values; null is missing"
    if formula.is_of_sequences:
        row = "an array of events (of several items: an array or a Set), or a text of letters"
    elif _is_of_items(formula):
        row = "an array or Set of items, or an object of flags; null is missing"
    return "\n".join(
        [
            f"// {formula.model}, exported by Thresher. score(row) takes {row}.",
            "const score = (() => {",
            '  "use strict";' + helpers + _probabilities(formula) + _ranking(reasons, data),
            *(f"  const {name} = {text};" for name, text in data.arrays.items()),
            "  const score = (row) => {",
            *(f"    {line}" for line in (*read, *lines)),
            "  };",
            f"  score.columns = {_json([own.name for own in formula.columns if own.sequence is None])};",
            f"  score.classes = {_json(formula.classes)};",
            f"  score.targets = {_json(formula.targets)};",
            "  return score;",
            "})();",
            'if (typeof module !== "undefined") module.exports = { score };',
            "",
        ]
    )


_CALLS = {
    "number": "number",
    "category": "category",
    "item": "holds",
    "events": "eventsOf",
    "occurs": "occurs",
    "step": "step",
    "machine": "machine",
}


class _Data:
    """Arrays that the function reads, each declared once."""

    def __init__(self) -> None:
        self.arrays: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def name(self, text: str) -> str:
        """Return the name of an array."""
        name = self._names.setdefault(text, f"d{len(self._names)}")
        self.arrays[name] = text
        return name


def _json(value: Any) -> str:
    """Write a value as a literal that may stand in a script of an HTML page."""
    text = json.dumps(value, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _is_of_items(formula: Formula) -> bool:
    return any(column.kind == "item" for column in formula.columns)


def _columns(formula: Formula, data: _Data) -> Iterator[str]:
    for place, column in enumerate(formula.columns):
        name = _json(column.name)
        if column.kind == "item":
            yield f"const x{place} = holds(row, {_json(_equal_values(column.levels[0]))}, {name});"
        elif column.sequence is not None:
            plain = [[int(x) if isinstance(x, bool) else x for x in own] for own in column.sequence.events]
            between = _json(column.sequence.max_gap)
            yield f"const x{place} = occurs(events, {data.name(_json(plain))}, {between});"
        elif column.is_coded:
            codes, truths = _codes(column)
            known = data.name(f"new Map({_json(codes)})")
            texts = data.name(f"new Map({_json([list(pair) for pair in truths.items()])})")
            rest = f"{texts}, {_json(column.unknown)}"
            yield f"const x{place} = category(row, {name}, {known}, {rest});"
        else:
            less = f" - {column.center!r}" if column.center else ""
            yield f"const x{place} = number(row, {name}, {_json(not column.allows_missing)}){less};"


def _codes(column: Column) -> tuple[list[list[Any]], dict[str, int]]:
    """Return the codes of exact values, and of the texts true and false in any case."""
    codes = [[value, code] for level, code in exact_codes(column).items() for value in _equal_values(level)]
    codes += [[truth, code] for truth, code in codes_of_booleans(column).items()]
    return codes, codes_of_texts(column)


def _equal_values(level: Level) -> list[Level]:
    """Return the values that equal a level in Python: 1 and true are the same."""
    if isinstance(level, bool):
        return [level, int(level)]
    if isinstance(level, str) or level not in (0, 1):
        return [level]
    return [level, bool(level)]


def _term(term: Term, total: str, formula: Formula, data: _Data) -> Iterator[str]:
    if isinstance(term, RuleTerm):
        test = " && ".join(_condition(each, formula.columns) for each in term.conditions) or "true"
        yield f"if ({test}) {total} += {term.coef!r};"
    elif isinstance(term, Linear):
        x = f"x{term.column}"
        codes = "".join(f" || {x} === {code!r}" for code in term.codes)
        value = x if term.center is None else f"(Number.isNaN({x}){codes} ? {term.center!r} : {x})"
        yield f"{total} += {term.coef!r} * {value};"
    elif isinstance(term, Steps):
        cuts, values = data.name(_json(term.cuts)), data.name(_json(term.values))
        codes = "".join(f"x{term.column} === {code!r} ? {value!r} : " for code, value in term.codes)
        yield f"{total} += {codes}step(x{term.column}, {cuts}, {values}, {term.missing!r});"
    elif isinstance(term, Lookup):
        x, values = f"x{term.column}", data.name(_json(term.values))
        yield f"{total} += {x} >= 0 ? {values}[{x}] : {term.missing!r};"
    else:
        yield f"{total} = {_machine(term, total, data)};"


def _condition(condition: Condition, columns: Sequence[Column]) -> str:
    x = f"x{condition.column}"
    if isinstance(condition, Interval):
        lower, upper = finite_ends(condition)
        tests = [f"{x} > {lower!r}"] * (lower is not None) + [f"{x} <= {upper!r}"] * (upper is not None)
        return " && ".join(tests)
    if isinstance(condition, Equals):
        return f"{x} {'!==' if condition.negated else '==='} {condition.level}"
    if isinstance(condition, IsCode):
        if condition.negated:
            return " && ".join(f"{x} !== {code!r}" for code in condition.codes)
        tests = [f"{x} === {code!r}" for code in condition.codes]
        return f"({' || '.join([f'Number.isNaN({x})'] * condition.or_missing + tests)})"
    if isinstance(condition, Has):
        return x if condition.present else f"!{x}"
    return _missing(condition, x, columns[condition.column])


def _missing(condition: Missing, x: str, column: Column) -> str:
    if column.is_coded:
        return f"{x} {'===' if condition.missing else '!=='} -1"
    return f"{'' if condition.missing else '!'}Number.isNaN({x})"


def _machine(term: Factor, total: str, data: _Data) -> str:
    atoms = []
    for atom in term.atoms:
        if atom.column is None:
            atoms.append("1")
        else:
            x = f"x{atom.column}"
            atoms.append(x if atom.level is None else f"({x} === {atom.level} ? 1 : 0)")
    places = data.name(_json([[place for place, _ in own] for own in term.components]))
    weights = data.name(_json([[weight for _, weight in own] for own in term.components]))
    signs, order = data.name(_json(term.signs)), _json(term.order)
    return f"machine({total}, {order}, [{', '.join(atoms)}], {signs}, {places}, {weights})"


def _reasons(reasons: ReasonCosts | None, formula: Formula, data: _Data) -> Iterator[str]:
    """Add up what each text costs."""
    for place, text in enumerate(() if reasons is None else reasons.texts):
        yield f"let c{place} = 0;"
        for term in costing_terms(text):
            yield from _term(term, f"c{place}", formula, data)


def _ranking(reasons: ReasonCosts | None, data: _Data) -> str:
    if reasons is None:
        return ""
    texts = data.name(_json([each.label for each in reasons.texts]))
    return REASONS.replace("MOST", str(reasons.n)).replace("TEXTS", texts).replace("UNIT", repr(reasons.unit))


def _probabilities(formula: Formula) -> str:
    if formula.link == "logistic":
        return LOG_ODDS.replace("SCALE", repr(formula.scale))
    if formula.log_odds is not None:
        unit, even = map(repr, formula.log_odds)
        return OF_SCORE.replace("UNIT", unit).replace("EVEN", even)
    return CLIPPED if formula.link == "clipped" else ""


def _result(formula: Formula, names: str, *, n_texts: int | None) -> Iterator[str]:
    yield f"const decision = [{names}];"
    yield (
        "if (!decision.every(Number.isFinite)) "
        'throw new Error("score: the terms are too large to be added up");'
    )
    found = "decision" if len(formula.outputs) > 1 else "decision[0]"
    if formula.log_odds is not None:
        costs = ", ".join(f"c{place}" for place in range(n_texts or 0))
        more = "" if n_texts is None else f", reasons: reasonsOf([{costs}])"
        yield f"return {{ score: {found}, probability: probabilityOf({found}){more} }};"
        return
    if formula.classes is None:
        yield f"return {{ decision: {found}, prediction: {found} }};"
        return
    if len(formula.outputs) == 1:
        yield f"const winner = s0 {formula.comparison} 0 ? 1 : 0;"
    else:
        yield "const winner = decision.indexOf(Math.max(...decision));"
    more = ", probabilities: probabilitiesOf(decision)" if formula.has_probabilities else ""
    yield f"return {{ decision: {found}, prediction: score.classes[winner]{more} }};"
