"""A model as one C99 function."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from .c_text import (
    CLIPPED,
    CLIPPED_OF_TWO,
    HELPERS,
    LOG_ODDS,
    LOG_ODDS_OF_TWO,
    OF_SCORE,
    comment,
    field_names,
    string,
)
from .conditions import Condition, Equals, Has, Interval, IsCode, finite_ends
from .formula import Column, Factor, Formula, Linear, Lookup, RuleTerm, Steps, Term

_HEAD = """/* {model}, exported by Thresher: C99, link with -lm.

   int score(const struct score_row *row, double *decision, double *probability)

   Missing: NaN for numbers, NULL for texts. {outputs}, {classes}.
   Returns {result}; -1 for a row without a prediction, with NaN everywhere.
   Compile without -ffast-math; -ffp-contract=off keeps the last bit on machines with a fused
   multiply-add. */
#include <math.h>
#include <stddef.h>
#include <string.h>
"""


def c_of(formula: Formula) -> str:
    """Write a model as one C99 function.

    Parameters
    ----------
    formula : Formula
        The model.

    Returns
    -------
    str
        A file that defines ``struct score_row`` and ``score``.

    Raises
    ------
    ValueError
        If a category holds the character NUL.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> from thresher.export.build import formula_of
    >>> X = np.arange(20.0)[:, None]
    >>> text = c_of(formula_of(L0Regressor(lambda0=1.0).fit(X, X[:, 0])))
    >>> text.splitlines()[0]
    '/* L0Regressor, exported by Thresher: C99, link with -lm.'
    """
    arrays = _Arrays()
    fields = field_names([column.name for column in formula.columns])
    lines = list(_columns(formula, fields, arrays))
    for place, output in enumerate(formula.outputs):
        lines.append(f"double s{place} = {output.intercept!r};")
        lines += [x for term in output.terms for x in _term(term, f"s{place}", formula.columns, arrays)]
    lines += _result(formula)
    code = "\n".join(lines)
    head = _HEAD.format(
        model=formula.model,
        outputs=_says_outputs(formula),
        classes=_says_probabilities(formula),
        result="0" if formula.classes is None else "the position of the class in score_classes",
    )
    return "\n".join(
        [
            head,
            *_declarations(formula, fields),
            *arrays.lines,
            *(text for call, text in HELPERS.items() if call + "(" in code),
            *_probabilities(formula),
            "",
            "int score(const struct score_row *row, double *decision, double *probability) {",
            f"  {_unused(formula)}",
            *(f"  {line}" for line in lines),
            "}",
            "",
        ]
    )


def _says_outputs(formula: Formula) -> str:
    if formula.log_odds is not None:
        return "decision[0] is the score"
    n_outputs = len(formula.outputs)
    return f"decision has {'one value' if n_outputs == 1 else f'{n_outputs} values'}"


def _says_probabilities(formula: Formula) -> str:
    if formula.log_odds is not None:
        return "probability[0] that of the event"
    values = f"{len(formula.classes or ())} values" if formula.has_probabilities else "none and may be NULL"
    return f"probability {values}"


def _unused(formula: Formula) -> str:
    """Use what not every model and not every caller needs, so that compilers do not warn."""
    classes = "" if formula.classes is None else " (void)score_classes;"
    return f"(void)row; (void)probability;{classes}"


class _Arrays:
    """Constant arrays, each declared once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[tuple[str, str], str] = {}

    def name(self, kind: str, values: Iterable[str]) -> str:
        """Return the name of an array; one without entries has a 0, for C has no empty ones."""
        text = ", ".join(values) or "0"
        if (kind, text) not in self._names:
            name = self._names[kind, text] = f"score_d{len(self._names)}"
            self.lines.append(f"static const {kind}{name}[] = {{{text}}};")
        return self._names[kind, text]

    def numbers(self, values: Iterable[float]) -> str:
        """Return the name of an array of numbers."""
        return self.name("double ", map(repr, values))


def _is_text(column: Column) -> bool:
    return column.kind == "category" and column.level_type in ("text", "mixed")


def _declarations(formula: Formula, fields: Sequence[str]) -> Iterator[str]:
    yield "struct score_row {"
    for column, field in zip(formula.columns, fields, strict=True):
        what = "; 1 or 0" if column.kind in ("boolean", "item") else ""
        kind = "const char *" if _is_text(column) else "double "
        yield f"  {kind}{field}; /* {comment(column.name)}{what} */"
    yield from [] if fields else ["  int unused; /* a structure has a field */"]
    yield "};"
    if formula.classes is not None:
        texts = ", ".join(string(str(label)) for label in formula.classes)
        yield f"static const char *const score_classes[] = {{{texts}}};"


def _columns(formula: Formula, fields: Sequence[str], arrays: _Arrays) -> Iterator[str]:
    for place, (column, field) in enumerate(zip(formula.columns, fields, strict=True)):
        x = f"x{place}"
        if column.kind == "item":
            yield f"int {x} = row->{field} != 0.0 && !isnan(row->{field});"
        elif not column.is_coded:
            yield f"double {x} = row->{field};"
            missing = "" if column.allows_missing else f" || isnan({x})"
            yield f"if (isinf({x}){missing}) goto refused;"
            yield from [f"{x} -= {column.center!r};"] if column.center else []
        else:
            rest = f"{len(column.levels)}, {-1 if column.unknown == 'missing' else -2}"
            if _is_text(column):
                known = arrays.name("char *const ", (string(str(level)) for level in column.levels))
                yield f"int {x} = score_code_text(row->{field}, {known}, {rest});"
            else:
                known = arrays.numbers(float(level) for level in column.levels)
                yield f"int {x} = score_code_number(row->{field}, {known}, {rest});"
            if column.unknown == "refused":
                yield f"if ({x} == -2) goto refused;"


def _term(term: Term, total: str, columns: Sequence[Column], arrays: _Arrays) -> Iterator[str]:
    if isinstance(term, RuleTerm):
        tests = " && ".join(_condition(each, columns) for each in term.conditions) or "1"
        yield f"if ({tests}) {total} += {term.coef!r};"
    elif isinstance(term, Linear):
        x = f"x{term.column}"
        codes = "".join(f" || {x} == {code!r}" for code in term.codes)
        value = x if term.center is None else f"(isnan({x}){codes} ? {term.center!r} : {x})"
        yield f"{total} += {term.coef!r} * {value};"
    elif isinstance(term, Steps):
        cuts, values = arrays.numbers(term.cuts), arrays.numbers(term.values)
        codes = "".join(f"x{term.column} == {code!r} ? {value!r} : " for code, value in term.codes)
        step = f"score_step(x{term.column}, {cuts}, {len(term.cuts)}, {values}, {term.missing!r})"
        yield f"{total} += {codes}{step};"
    elif isinstance(term, Lookup):
        x, values = f"x{term.column}", arrays.numbers(term.values)
        yield f"{total} += {x} >= 0 ? {values}[{x}] : {term.missing!r};"
    else:
        yield from _machine(term, total, arrays)


def _condition(condition: Condition, columns: Sequence[Column]) -> str:
    x = f"x{condition.column}"
    if isinstance(condition, Interval):
        lower, upper = finite_ends(condition)
        tests = [] if lower is None else [f"{x} > {lower!r}"]
        return " && ".join(tests if upper is None else [*tests, f"{x} <= {upper!r}"])
    if isinstance(condition, Equals):
        return f"{x} {'!=' if condition.negated else '=='} {condition.level}"
    if isinstance(condition, IsCode):
        if condition.negated:
            return " && ".join(f"{x} != {code!r}" for code in condition.codes)
        tests = [f"isnan({x})"] * condition.or_missing + [f"{x} == {code!r}" for code in condition.codes]
        return f"({' || '.join(tests)})"
    if isinstance(condition, Has):
        return x if condition.present else f"!{x}"
    if columns[condition.column].is_coded:
        return f"{x} {'==' if condition.missing else '!='} -1"
    return f"{'' if condition.missing else '!'}isnan({x})"


def _machine(term: Factor, total: str, arrays: _Arrays) -> Iterator[str]:
    atoms = []
    for atom in term.atoms:
        x = "1.0" if atom.column is None else f"x{atom.column}"
        atoms.append(x if atom.level is None else f"{x} == {atom.level}")
    starts = arrays.name("int ", map(str, itertools.accumulate(map(len, term.components), initial=0)))
    entries = [entry for own in term.components for entry in own]
    places = arrays.name("int ", (str(place) for place, _ in entries))
    weights, signs = arrays.numbers(weight for _, weight in entries), arrays.numbers(term.signs)
    yield f"{{ const double atoms[] = {{{', '.join(atoms) or '0'}}};"
    yield f"  {total} = score_machine({total}, {term.order or 0}, atoms, {len(term.signs)}, {signs},"
    yield f"                          {starts}, {places}, {weights}); }}"


def _probabilities(formula: Formula) -> list[str]:
    if formula.log_odds is not None:
        unit, even = map(repr, formula.log_odds)
        return [OF_SCORE.replace("UNIT", unit).replace("EVEN", even)]
    if not formula.has_probabilities:
        return []
    is_single = len(formula.outputs) == 1
    if formula.link == "logistic":
        text = LOG_ODDS_OF_TWO if is_single else LOG_ODDS
    else:
        text = CLIPPED_OF_TWO if is_single else CLIPPED
    return [text.replace("SCALE", repr(formula.scale)).replace("N_OUTPUTS", str(len(formula.outputs)))]


def _result(formula: Formula) -> Iterator[str]:
    n_outputs, n_probabilities = len(formula.outputs), 0
    if formula.log_odds is not None:
        n_probabilities = 1
    elif formula.has_probabilities:
        n_probabilities = len(formula.classes or ())
    for place in range(n_outputs):
        yield f"decision[{place}] = s{place};"
    yield f"if ({' || '.join(f'!isfinite(s{place})' for place in range(n_outputs))}) goto refused;"
    if n_probabilities:
        yield "score_probabilities(decision, probability);"
    if formula.classes is None:
        yield "return 0;"
    elif n_outputs == 1:
        yield f"return s0 {formula.comparison} 0.0;"
    else:
        yield "{ int k, best = 0;"
        yield f"  for (k = 1; k < {n_outputs}; k++) if (decision[k] > decision[best]) best = k;"
        yield "  return best; }"
    yield "refused:"
    yield f"{{ int k; for (k = 0; k < {n_outputs}; k++) decision[k] = NAN;"
    more = f"for (k = 0; k < {n_probabilities}; k++) probability[k] = NAN;" if n_probabilities else ""
    yield f"  {more} }}"
    yield "return -1;"
