"""A model as one Python function that needs the standard library alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .codes import codes_of_booleans, codes_of_texts, exact_codes
from .conditions import Condition, Equals, Has, Interval, IsCode, finite_ends
from .formula import Column, Factor, Formula, Linear, Lookup, RuleTerm, Steps, Term
from .products import ALMOST_ZERO
from .reason_costs import ReasonCosts, costing_terms

_HELPERS = {
    "_is_missing": """
def _is_missing(x):
    return x is None or type(x).__name__ in ("NAType", "NaTType") or x != x
""",
    "_cell": """
def _cell(row, name):
    try:
        return row[name]
    except KeyError:
        raise ValueError(f"score: the row lacks {name!r}; None is missing") from None
""",
    "_number": """
def _number(row, name, needed):
    x = _cell(row, name)
    if _is_missing(x):
        if needed:
            raise ValueError(f"score: {name!r} is missing; the model needs a number")
        return nan
    if isinstance(x, (str, bytes)):
        raise ValueError(f"score: {name!r} must be a number, got {x!r}")
    try:
        x = float(x)
    except OverflowError:
        raise ValueError(f"score: {name!r} must be finite, got a number too large for a float64") from None
    if not isfinite(x):
        raise ValueError(f"score: {name!r} must be finite, got {x}")
    return x
""",
    "_category": """
def _category(row, name, codes, texts, truths, unknown):
    x = _cell(row, name)
    if _is_missing(x):
        return -1
    code = codes.get(x)
    if code is None and isinstance(x, str):
        code = texts.get(x.casefold())
    if code is None and type(x).__name__ in ("bool", "bool_"):
        code = truths.get(bool(x))
    if code is not None:
        return code
    if unknown == "refused":
        raise ValueError(f"score: {name!r} holds {x!r}, unknown from training")
    return -1 if unknown == "missing" else -2
""",
    "_holds": """
def _holds(row, item, name):
    if not hasattr(row, "get"):
        return item in row
    flag = row.get(name)
    if isinstance(flag, str):
        text = flag.strip().lower()
        if text in ("", "false", "true"):
            return text == "true"
        try:
            flag = float(text)
        except ValueError:
            raise ValueError(f"score: {name!r} holds {flag!r}; give 1 or 0") from None
    return not _is_missing(flag) and bool(flag)
""",
    "_events": """
def _events(row):
    if isinstance(row, (bytes, dict, set, frozenset)) or not hasattr(row, "__iter__"):
        raise ValueError(f"score: got {row!r}; give a list of events, or a text of letters")
    return [set(event) if isinstance(event, (set, frozenset, list)) else {event} for event in row]
""",
    "_occurs": """
def _occurs(events, wanted, most_between):
    ends = None
    for event in wanted:
        found = [place for place, own in enumerate(events) if event <= own]
        if ends is not None:
            last = [bisect_left(ends, place) - 1 for place in found]
            found = [
                place
                for place, k in zip(found, last)
                if k >= 0 and (most_between is None or place - ends[k] - 1 <= most_between)
            ]
        ends = found
    return bool(ends)
""",
    "_step": """
def _step(x, cuts, values, missing):
    return missing if x != x else values[bisect_left(cuts, x)]
""",
    "_machine": f"""
def _machine(total, order, atoms, signs, components):
    last = 0 if order is None else order - 2
    for sign, own in zip(signs, components):
        state = [0.0] * (last + 1)
        if order is None:
            state[0] = 1.0
            total += sign
        for place, weight in own:
            z = atoms[place] * weight
            total += sign * (state[last] * z)
            if order is None:
                state[0] *= {ALMOST_ZERO!r} if z == -1 else 1 + z
            else:
                for t in range(last, 0, -1):
                    state[t] += state[t - 1] * z
                state[0] += z
    return total
""",
    "_reasons": """
def _reasons(costs):
    found = sorted(zip(costs, REASONS), key=lambda pair: -pair[0])
    return [{"reason": text, "points": cost / UNIT} for cost, text in found[:MOST] if cost > 0]
""",
}
"""Helper functions, included where the model needs them."""

_LOG_ODDS = """
def _probabilities(decision):
    odds = [SCALE * f for f in decision]
    tails = [exp(-abs(f)) for f in odds]
    if len(odds) == 1:
        small, large = tails[0] / (1 + tails[0]), 1 / (1 + tails[0])
        return [small, large] if odds[0] > 0 else [large, small]
    logs = [min(f, 0.0) - log1p(tail) for f, tail in zip(odds, tails)]
    shares = [exp(x - max(logs)) for x in logs]
    return [share / sum(shares) for share in shares]
"""

_OF_SCORE = """
def _probability(score):
    odds = (score - EVEN) / UNIT
    tail = exp(-abs(odds))
    return (1.0 if odds > 0 else tail) / (1 + tail)
"""

_CLIPPED = """
def _probabilities(decision):
    shares = [min(max((1.0 + f) / 2.0, 0.0), 1.0) for f in decision]
    if len(shares) == 1:
        return [1.0 - shares[0], shares[0]]
    total = sum(shares)
    return [share / total if total > 0 else 1.0 / len(shares) for share in shares]
"""


def python_of(formula: Formula, reasons: ReasonCosts | None = None) -> str:
    """Write a model as one Python function.

    Parameters
    ----------
    formula : Formula
        The model.
    reasons : ReasonCosts, optional
        Of a score card the reasons in the result.

    Returns
    -------
    str
        A module that defines ``score(row)``, ``COLUMNS`` and ``CLASSES``.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> from thresher.export.build import formula_of
    >>> X = np.arange(20.0)[:, None]
    >>> found = {}
    >>> exec(python_of(formula_of(L0Regressor(lambda0=1.0).fit(X, X[:, 0]))), found)
    >>> round(found["score"]({"x0": 7})["prediction"], 9)
    7.0
    """
    arrays: dict[str, str] = {}
    lines = ["events = _events(row)"] * formula.is_of_sequences + list(_columns(formula, arrays))
    for place, output in enumerate(formula.outputs):
        lines.append(f"s{place} = {output.intercept!r}")
        lines += [line for term in output.terms for line in _term(term, f"s{place}", formula.columns, arrays)]
    lines += _reasons(reasons, formula.columns, arrays)
    lines += _result(formula, has_reasons=reasons is not None)
    code = "\n".join(lines)
    used = [text for call, text in _HELPERS.items() if call + "(" in code or _is_needed(call, code)]
    helpers = "\n".join([*used, *_probabilities(formula)])
    imports = [word for word in ("exp", "isfinite", "log1p", "nan") if word in helpers or word in code]
    items = any(column.kind == "item" for column in formula.columns)
    row = "a collection of items, or a mapping of flags" if items else "a mapping of column values"
    row = "a list of events, or a text of letters" if formula.is_of_sequences else row
    head = [f'"""{formula.model}, exported by Thresher."""', ""]
    head += ["from bisect import bisect_left"] * ("_step(" in code or "_occurs(" in code)
    head += [f"from math import {', '.join(imports)}"]
    data = [f"{name} = {text}" for text, name in arrays.items()]
    data = [
        f"COLUMNS = {[column.name for column in formula.columns if column.sequence is None]!r}",
        f"CLASSES = {formula.classes!r}",
        *data,
    ]
    if reasons is not None:
        texts = tuple(each.label for each in reasons.texts)
        data += [f"REASONS = {texts!r}", f"MOST, UNIT = {reasons.n}, {reasons.unit!r}"]
    body = [f'"""Score {row}{"" if formula.is_of_sequences else "; None and NaN are missing"}."""', *lines]
    return "\n".join([*head, "", *data, "", helpers, "", "def score(row):", *(f"    {x}" for x in body), ""])


def _is_needed(call: str, code: str) -> bool:
    readers = {"_is_missing": ("_number", "_category", "_holds"), "_cell": ("_number", "_category")}
    return any(f"{reader}(" in code for reader in readers.get(call, ()))


def _name(arrays: dict[str, str], text: str) -> str:
    """Name a constant, which is declared once."""
    return arrays.setdefault(text, f"_D{len(arrays)}")


def _columns(formula: Formula, arrays: dict[str, str]) -> Iterator[str]:
    for place, column in enumerate(formula.columns):
        name = repr(column.name)
        if column.kind == "item":
            yield f"x{place} = _holds(row, {column.levels[0]!r}, {name})"
        elif column.sequence is not None:
            sets = ", ".join(f"{{{', '.join(map(repr, event))}}}" for event in column.sequence.events)
            yield f"x{place} = _occurs(events, {_name(arrays, f'[{sets}]')}, {column.sequence.max_gap!r})"
        elif column.is_coded:
            codes = _name(arrays, repr(exact_codes(column)))
            rest = f"{codes_of_texts(column)!r}, {codes_of_booleans(column)!r}, {column.unknown!r}"
            yield f"x{place} = _category(row, {name}, {codes}, {rest})"
        else:
            less = f" - {column.center!r}" if column.center else ""
            yield f"x{place} = _number(row, {name}, {not column.allows_missing}){less}"


def _term(term: Term, total: str, columns: Sequence[Column], arrays: dict[str, str]) -> Iterator[str]:
    if isinstance(term, RuleTerm):
        tests = [_condition(each, columns) for each in term.conditions]
        yield f"if {' and '.join(tests) or 'True'}:"
        yield f"    {total} += {term.coef!r}"
    elif isinstance(term, Linear):
        x = f"x{term.column}"
        codes = f" or {x} in {term.codes!r}" if term.codes else ""
        value = x if term.center is None else f"({term.center!r} if {x} != {x}{codes} else {x})"
        yield f"{total} += {term.coef!r} * {value}"
    elif isinstance(term, Steps):
        cuts, values = _name(arrays, repr(term.cuts)), _name(arrays, repr(term.values))
        step = f"_step(x{term.column}, {cuts}, {values}, {term.missing!r})"
        if term.codes:
            codes = _name(arrays, repr(dict(term.codes)))
            step = f"{codes}[x{term.column}] if x{term.column} in {codes} else {step}"
        yield f"{total} += {step}"
    elif isinstance(term, Lookup):
        x, values = f"x{term.column}", _name(arrays, repr(term.values))
        yield f"{total} += {values}[{x}] if {x} >= 0 else {term.missing!r}"
    else:
        atoms = ", ".join(_atoms(term))
        signs, components = _name(arrays, repr(term.signs)), _name(arrays, repr(term.components))
        yield f"{total} = _machine({total}, {term.order!r}, [{atoms}], {signs}, {components})"


def _reasons(reasons: ReasonCosts | None, columns: Sequence[Column], arrays: dict[str, str]) -> Iterator[str]:
    """Add up what each text costs."""
    if reasons is None:
        return
    for place, text in enumerate(reasons.texts):
        yield f"c{place} = 0.0"
        for term in costing_terms(text):
            yield from _term(term, f"c{place}", columns, arrays)
    yield f"reasons = _reasons([{', '.join(f'c{place}' for place in range(len(reasons.texts)))}])"


def _atoms(term: Factor) -> Iterator[str]:
    for atom in term.atoms:
        if atom.column is None:
            yield "1.0"
        else:
            yield f"x{atom.column}" if atom.level is None else f"float(x{atom.column} == {atom.level})"


def _condition(condition: Condition, columns: Sequence[Column]) -> str:
    x = f"x{condition.column}"
    if isinstance(condition, Interval):
        lower, upper = finite_ends(condition)
        return ("" if lower is None else f"{lower!r} < ") + x + ("" if upper is None else f" <= {upper!r}")
    if isinstance(condition, Equals):
        return f"{x} {'!=' if condition.negated else '=='} {condition.level}"
    if isinstance(condition, IsCode):
        test = f"{x} {'not in' if condition.negated else 'in'} {condition.codes!r}"
        return f"({x} != {x} or {test})" if condition.or_missing else test
    if isinstance(condition, Has):
        return x if condition.present else f"not {x}"
    if columns[condition.column].is_coded:
        return f"{x} {'==' if condition.missing else '!='} -1"
    return f"{x} {'!=' if condition.missing else '=='} {x}"  # NaN differs from itself


def _probabilities(formula: Formula) -> Sequence[str]:
    if formula.link == "logistic":
        return [_LOG_ODDS.replace("SCALE", repr(formula.scale))]
    if formula.log_odds is not None:
        unit, even = map(repr, formula.log_odds)
        return [_OF_SCORE.replace("UNIT", unit).replace("EVEN", even)]
    return [_CLIPPED] if formula.link == "clipped" else []


def _result(formula: Formula, *, has_reasons: bool) -> Iterator[str]:
    names = ", ".join(f"s{place}" for place in range(len(formula.outputs)))
    yield f"decision = [{names}]"
    yield "if not all(map(isfinite, decision)):"
    yield '    raise ValueError("score: the terms are too large to be added up")'
    found = "decision" if len(formula.outputs) > 1 else "s0"
    if formula.log_odds is not None:
        more = ', "reasons": reasons' if has_reasons else ""
        yield f'return {{"score": {found}, "probability": _probability({found}){more}}}'
        return
    if formula.classes is None:
        yield f'return {{"decision": {found}, "prediction": {found}}}'
        return
    winner = f"s0 {formula.comparison} 0" if len(formula.outputs) == 1 else "decision.index(max(decision))"
    more = ', "probabilities": _probabilities(decision)' if formula.has_probabilities else ""
    yield f'return {{"decision": {found}, "prediction": CLASSES[{winner}]{more}}}'
