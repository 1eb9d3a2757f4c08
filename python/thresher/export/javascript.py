"""A model as one JavaScript function."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..data.columns import Level
from .codes import codes_of_booleans, codes_of_texts, exact_codes
from .formula import (
    Column,
    Condition,
    Equals,
    Factor,
    Formula,
    Has,
    Interval,
    IsCode,
    Linear,
    Lookup,
    Missing,
    RuleTerm,
    Steps,
    Term,
    finite_ends,
)
from .products import ALMOST_ZERO
from .reason_costs import ReasonCosts, costing_terms

_READ = {
    "number": """
  const number = (row, name, needed) => {
    const x = row[name];
    if (x === undefined) {
      throw new Error("score: the row lacks " + JSON.stringify(name) + "; null is missing");
    }
    if (x === null || Number.isNaN(x)) {
      if (needed) throw new Error("score: " + JSON.stringify(name) + " is missing; the model needs a number");
      return NaN;
    }
    if (typeof x === "boolean") return x ? 1 : 0;
    if (typeof x !== "number" || !Number.isFinite(x)) {
      throw new Error("score: " + JSON.stringify(name) + " must be a finite number, got " + String(x));
    }
    return x;
  };""",
    "category": """
  const category = (row, name, codes, truths, unknown) => {
    const x = row[name];
    if (x === undefined) {
      throw new Error("score: the row lacks " + JSON.stringify(name) + "; null is missing");
    }
    if (x === null || Number.isNaN(x)) return -1;
    let code = codes.get(x);
    if (code === undefined && typeof x === "string") code = truths.get(x.toLowerCase());
    if (code !== undefined) return code;
    if (unknown === "refused") {
      const found = JSON.stringify(name) + " holds " + JSON.stringify(x);
      throw new Error("score: " + found + ", unknown from training");
    }
    return unknown === "missing" ? -1 : -2;
  };""",
    "item": """
  const holds = (row, item, name) => {
    if (Array.isArray(row)) return row.includes(item);
    if (row instanceof Set) return row.has(item);
    const flag = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (typeof flag !== "string") return Boolean(flag);
    const text = flag.trim().toLowerCase();
    if (text === "true" || text === "false") return text === "true";
    if (text !== "nan" && Number.isNaN(Number(text))) {
      throw new Error("score: " + JSON.stringify(name) + " holds " + JSON.stringify(flag) + "; give 1 or 0");
    }
    return Boolean(Number(text));
  };""",
    "events": """
  const eventsOf = (row) => {
    if (typeof row !== "string" && !Array.isArray(row)) {
      throw new Error("score: give an array of events, or a text of letters");
    }
    const several = (event) => Array.isArray(event) || event instanceof Set;
    return Array.from(row, (event) => new Set(several(event) ? event : [event]));
  };""",
    "occurs": """
  const occurs = (events, wanted, between) => {
    let ends = null;
    for (const event of wanted) {
      const found = [];
      let last = -1;
      for (let place = 0; place < events.length; place++) {
        const fits = ends === null || (last >= 0 && (between === null || place - last - 1 <= between));
        if (fits && event.every((item) => events[place].has(item))) found.push(place);
        if (ends !== null && ends.has(place)) last = place;
      }
      ends = new Set(found);
    }
    return ends !== null && ends.size > 0;
  };""",
    "step": """
  const step = (x, cuts, values, missing) => {
    if (Number.isNaN(x)) return missing;
    let low = 0, high = cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cuts[middle] < x) low = middle + 1; else high = middle;
    }
    return values[low];
  };""",
    "machine": f"""
  const machine = (sum, order, atoms, signs, places, weights) => {{
    const last = order === null ? 0 : order - 2;
    for (let s = 0; s < signs.length; s++) {{
      const state = new Float64Array(last + 1);
      if (order === null) {{ state[0] = 1; sum += signs[s]; }}
      for (let j = 0; j < places[s].length; j++) {{
        const z = atoms[places[s][j]] * weights[s][j];
        sum += signs[s] * (state[last] * z);
        if (order === null) state[0] *= z === -1 ? {ALMOST_ZERO!r} : 1 + z;
        else {{
          for (let t = last; t > 0; t--) state[t] += state[t - 1] * z;
          state[0] += z;
        }}
      }}
    }}
    return sum;
  }};""",
}
"""Helper functions, included where the model needs them."""

_LOG_ODDS = """
  const probabilitiesOf = (decision) => {
    const odds = decision.map((f) => SCALE * f);
    if (odds.length === 1) {
      const tail = Math.exp(-Math.abs(odds[0]));
      const small = tail / (1 + tail), large = 1 / (1 + tail);
      return odds[0] > 0 ? [small, large] : [large, small];
    }
    const logs = odds.map((f) => Math.min(f, 0) - Math.log1p(Math.exp(-Math.abs(f))));
    const largest = Math.max(...logs);
    const shares = logs.map((x) => Math.exp(x - largest));
    const total = shares.reduce((a, b) => a + b, 0);
    return shares.map((x) => x / total);
  };"""

_OF_SCORE = """
  const probabilityOf = (points) => {
    const odds = (points - EVEN) / UNIT, tail = Math.exp(-Math.abs(odds));
    return (odds > 0 ? 1 : tail) / (1 + tail);
  };"""

_REASONS = """
  const reasonsOf = (costs) => costs
    .map((cost, place) => ({ cost, place }))
    .filter((each) => each.cost > 0)
    .sort((a, b) => b.cost - a.cost || a.place - b.place)
    .slice(0, MOST)
    .map((each) => ({ reason: TEXTS[each.place], points: each.cost / UNIT }));"""

_CLIPPED = """
  const probabilitiesOf = (decision) => {
    const shares = decision.map((f) => Math.min(Math.max((1 + f) / 2, 0), 1));
    if (shares.length === 1) return [1 - shares[0], shares[0]];
    const total = shares.reduce((a, b) => a + b, 0);
    return shares.map((x) => total > 0 ? x / total : 1 / shares.length);
  };"""


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
    // L0Regressor, written by Thresher. score(row) takes an object of column values; null is missing.
    """
    data, lines = _Data(), []
    for place, output in enumerate(formula.outputs):
        lines.append(f"let s{place} = {output.intercept!r};")
        lines += [line for term in output.terms for line in _term(term, f"s{place}", formula, data)]
    read = ["const events = eventsOf(row);"] * formula.is_of_sequences + list(_columns(formula, data))
    names = ", ".join(f"s{place}" for place in range(len(formula.outputs)))
    lines += _reasons(reasons, formula, data)
    lines += _result(formula, names, n_texts=None if reasons is None else len(reasons.texts))
    needed = {kind for kind in _READ if f"{_CALLS[kind]}(" in "\n".join([*read, *lines])}
    helpers = "".join(text for kind, text in _READ.items() if kind in needed)
    row = "an object of column values; null is missing"
    if formula.is_of_sequences:
        row = "an array of events (of several items: an array or a Set), or a text of letters"
    elif _is_of_items(formula):
        row = "an array or Set of items, or an object of flags; null is missing"
    return "\n".join(
        [
            f"// {formula.model}, written by Thresher. score(row) takes {row}.",
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
            yield f"const x{place} = holds(row, {_json(column.levels[0])}, {name});"
        elif column.sequence is not None:
            events, between = data.name(_json(column.sequence.events)), _json(column.sequence.max_gap)
            yield f"const x{place} = occurs(events, {events}, {between});"
        elif column.is_coded:
            codes, truths = _codes(column)
            known = data.name(f"new Map({_json(codes)})")
            texts = data.name(f"new Map({_json([list(pair) for pair in truths.items()])})")
            rest = f"{texts}, {_json(column.unknown)}"
            yield f"const x{place} = category(row, {name}, {known}, {rest});"
        else:
            yield f"const x{place} = number(row, {name}, {_json(not column.allows_missing)});"


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
    return (
        _REASONS.replace("MOST", str(reasons.n)).replace("TEXTS", texts).replace("UNIT", repr(reasons.unit))
    )


def _probabilities(formula: Formula) -> str:
    if formula.link == "logistic":
        return _LOG_ODDS.replace("SCALE", repr(formula.scale))
    if formula.log_odds is not None:
        unit, even = map(repr, formula.log_odds)
        return _OF_SCORE.replace("UNIT", unit).replace("EVEN", even)
    return _CLIPPED if formula.link == "clipped" else ""


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
        yield "const winner = s0 > 0 ? 1 : 0;"
    else:
        yield "const winner = decision.indexOf(Math.max(...decision));"
    more = ", probabilities: probabilitiesOf(decision)" if formula.has_probabilities else ""
    yield f"return {{ decision: {found}, prediction: score.classes[winner]{more} }};"
