"""A model as one SELECT."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .conditions import Condition, Equals, Has, Interval, IsCode, Missing, finite_ends
from .formula import Atom, Column, Factor, Formula, Linear, Lookup, Steps, Term
from .products import products_of
from .reason_costs import ReasonCosts, costing_terms
from .sql_link import Named, columns_of_result
from .sql_reasons import columns_of_reasons
from .sql_text import DIALECTS, DOUBLE, KEYWORDS, LARGEST, Dialect, any_of, name, string

_TERMS_PER_LAYER = 200
"""Summands of one expression; SQLite refuses expressions that are nested more than 1,000 times."""

_ABSENT = "('', '-', 'false', 'nan')"
"""What is left of a text for an absent item without zeros and points."""


class LongTable(NamedTuple):
    """The columns of a table with a row for each item.

    Parameters
    ----------
    record : str
        The column of records.
    item : str
        The column of items, as text.
    """

    record: str
    item: str


def sql_of(
    formula: Formula,
    table: str | Sequence[str],
    dialect: str = "ansi",
    keep: Sequence[str] = (),
    reasons: ReasonCosts | None = None,
    long: LongTable | None = None,
) -> str:
    """Write a model as one SELECT over a table.

    Parameters
    ----------
    formula : Formula
        The model.
    table : str or sequence of str
        The table's name; a sequence is a schema and a name.
    dialect : str, default="ansi"
        One of the names in ``DIALECTS``.
    keep : sequence of str, default=()
        Further columns of the table that the result has first, such as a key.
    reasons : ReasonCosts, optional
        Of a score card the reasons in the result.
    long : LongTable, optional
        Of a model of item-sets, where the table has a row for each item: the result has a row for each
        record, with the least value of a further column.

    Returns
    -------
    str
        The statement, without a semicolon.

    Raises
    ------
    ValueError
        If the dialect is unknown, a name cannot be expressed in SQL, or the database would take two columns
        for one.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> from thresher.export.build import formula_of
    >>> X = np.arange(20.0)[:, None]
    >>> sql_of(formula_of(L0Regressor(lambda0=1.0).fit(X, X[:, 0])), "data").splitlines()[0]
    '-- L0Regressor, exported by Thresher.'
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect: got {dialect!r}; give one of {', '.join(map(repr, DIALECTS))}")
    if not DIALECTS[dialect].tells_case:
        read = [column.name for column in formula.columns]
        _check_case(*((read, []) if long else ([*read, *keep], formula.training)))
    writer = _Writer(formula, DIALECTS[dialect], long)
    return writer.statement([table] if isinstance(table, str) else table, keep, reasons)


def _check_case(read: Sequence[str], others: Sequence[str]) -> None:
    """Raise an error if a column that is read differs from another in the case of ASCII letters alone."""
    spelled: dict[bytes, str] = {}
    for own in read:
        _one_spelling(spelled.setdefault(own.encode(errors="replace").lower(), own), own)
    for other in others:
        _one_spelling(spelled.get(other.encode(errors="replace").lower(), other), other)


def _one_spelling(first: str, second: str) -> None:
    if first != second:
        raise ValueError(
            f"columns {first!r} and {second!r} differ only in case, and are one column in SQLite, DuckDB and "
            "others, also in quotes: rename one and fit again, or give dialect='postgresql'"
        )


class _Writer:
    """Writes a model layer by layer: columns, refused rows, sums, probabilities."""

    def __init__(self, formula: Formula, dialect: Dialect, long: LongTable | None = None) -> None:
        self.formula = formula
        self.dialect = dialect
        self.long = long
        self.prefix = "score"
        taken = [column.name.casefold() for column in formula.columns]
        while any(other.startswith(self.prefix) for other in taken):
            self.prefix += "_"
        self.names = [self._alias(column.name) for column in formula.columns]

    def _alias(self, text: str) -> str:
        """Name a column within the statement; without its table SQLite reads some names as keywords."""
        return self.helper(text) if text.casefold() in KEYWORDS else name(text)

    def helper(self, text: str) -> str:
        """Name a column or layer of the statement that is not the table's."""
        return name(f"{self.prefix} {text}")

    def statement(self, table: Sequence[str], keep: Sequence[str], reasons: ReasonCosts | None = None) -> str:
        """Write the statement."""
        kept = [self.helper(f"keep {place}") for place in range(len(keep))]
        layers = [self._read(table, keep, kept), *self._sums()]
        decisions = [self.helper(f"decision {place}") for place in range(len(self.formula.outputs))]
        more, result = columns_of_result(self.formula, self.dialect, decisions, self.helper)
        if reasons is not None:
            ranking, shown_reasons = self._reasons(reasons)
            more, result = [*more, *ranking], [*result, *shown_reasons]
        if self.dialect.barrier and (self.formula.classes is not None or self.formula.log_odds is not None):
            layers[-1].append(f"{self.dialect.barrier} AS {self.helper('rows')}")
            more = [
                [*layer, (self.helper(f"rows {k}"), self.dialect.barrier)] for k, layer in enumerate(more)
            ]
        layers += [[f"{value} AS {alias}" for alias, value in layer] for layer in more]
        lines = [f"-- {self.formula.model}, exported by Thresher."]
        lines += ["-- The table has a row for each item of a record."] if self.long else []
        lines += ["WITH"]
        for number, layer in enumerate(layers):
            body = ",\n    ".join(layer)
            source = (
                ".".join(map(name, table)) + " AS t" if number == 0 else self.helper(f"layer {number - 1}")
            )
            star = "" if number == 0 else "*,\n    "
            if number == 0 and self.long:
                source += f"\n  GROUP BY t.{name(self.long.record)}"
            end = "," if number < len(layers) - 1 else ""
            start = f"  {self.helper(f'layer {number}')} AS {self.dialect.materialized}(SELECT"
            lines.append(f"{start}\n    {star}{body}\n  FROM {source}){end}")
        taken = {column.casefold() for column in keep}
        shown = [f"{alias} AS {name(own)}" for alias, own in zip(kept, keep, strict=True)]
        for label, value in result:
            shown.append(
                f"{value} AS {name(label if label.casefold() not in taken else label + ' (thresher)')}"
            )
        lines += ["SELECT", "  " + ",\n  ".join(shown), f"FROM {self.helper(f'layer {len(layers) - 1}')}", ""]
        return "\n".join(lines)

    # ------------------------------------------------------------------ columns

    def _read(self, table: Sequence[str], keep: Sequence[str], kept: Sequence[str]) -> list[str]:  # noqa: ARG002
        if self.long:
            return self._read_long(self.long, keep, kept)
        found = [f"t.{name(own)} AS {alias}" for own, alias in zip(keep, kept, strict=True)]
        tested = {each.column for each in self.formula.conditions() if isinstance(each, Missing)}
        tested |= {term.column for term in self.formula.terms() if isinstance(term, Lookup)}
        for place, (column, alias) in enumerate(zip(self.formula.columns, self.names, strict=True)):
            cell = f"t.{name(column.name)}"
            found.append(f"{self._cell(column, cell, place in tested)} AS {alias}")
        return found or [f"1 AS {self.helper('row')}"]

    def _read_long(self, long: LongTable, keep: Sequence[str], kept: Sequence[str]) -> list[str]:
        """Read the items of a record from its rows."""
        cells = {own: f"t.{name(own)}" if own == long.record else f"MIN(t.{name(own)})" for own in keep}
        found = [f"{cells[own]} AS {alias}" for own, alias in zip(keep, kept, strict=True)]
        item = self.dialect.as_text(f"t.{name(long.item)}")
        for column, alias in zip(self.formula.columns, self.names, strict=True):
            found.append(f"MAX(CASE WHEN {item} = {string(column.name)} THEN 1 ELSE 0 END) AS {alias}")
        return found or [f"1 AS {self.helper('row')}"]

    def _cell(self, column: Column, cell: str, is_tested: bool) -> str:
        """Convert a cell; what counts as missing becomes NULL."""
        if column.kind == "number":
            number = f"CAST({cell} AS {DOUBLE})"
            # DuckDB takes the first for granted where a Parquet file's statistics, which ignore NaN, say so.
            tests = [f"ABS({number}) <= {LARGEST}", f"{number} - {number} = 0"]
            if self.dialect.casts_any_text:
                # A comparison with a number turns texts that are numbers into numbers; others stay above all.
                tests.insert(0, f"{cell} <= CAST({LARGEST} AS {DOUBLE})")
            less = f" - {self.dialect.number(column.center)}" if column.center else ""
            return f"CASE WHEN {' AND '.join(tests)} THEN {number}{less} END"
        if column.kind == "item":
            text = f"LOWER(CAST({cell} AS VARCHAR(40)))"
            # Of every way to write 0 a sign is left at most; a database may have NULL for an empty text.
            rest = f"COALESCE(REPLACE(REPLACE({text}, '0', ''), '.', ''), '-')"
            return f"CASE WHEN {cell} IS NULL OR {rest} IN {_ABSENT} THEN 0 ELSE 1 END"
        hides_unknown = column.unknown == "missing" and is_tested
        if column.level_type == "boolean":
            text = f"LOWER(CAST({cell} AS VARCHAR(45)))"
            rest = "" if hides_unknown else f" WHEN {cell} IS NOT NULL THEN -1"
            # Decimal numbers are 1.00 and 0.00, with as many zeros as their type has.
            is_true = f"{text} IN ('true', '1') OR ({text} LIKE '1.%' AND REPLACE({text}, '0', '') = '1.')"
            is_false = f"{text} IN ('false', '0') OR REPLACE({text}, '0', '') IN ('.', '-.')"
            return f"CASE WHEN {is_true} THEN 1 WHEN {is_false} THEN 0{rest} END"
        value = cell
        if column.level_type == "text":
            value = self.dialect.as_text(cell)
        elif column.level_type == "mixed":
            value = f"CAST({cell} AS VARCHAR(1000))"
        return f"CASE WHEN {self._known(column, value)} THEN {value} END" if hides_unknown else value

    def _level(self, column: Column, code: int) -> str:
        level = column.levels[code]
        if column.level_type == "boolean":
            return str(int(level))
        if column.level_type == "mixed":
            return string(str(level))
        return self.dialect.label(level)

    def _among(self, column: Column, value: str, codes: Sequence[int]) -> str:
        levels = [self._level(column, code) for code in codes]
        return f"{value} = {levels[0]}" if len(levels) == 1 else f"{value} IN ({', '.join(levels)})"

    def _known(self, column: Column, value: str) -> str:
        return self._among(column, value, range(len(column.levels))) if column.levels else "1 = 0"

    def _refused(self) -> list[str]:
        """List the conditions under which a row has no prediction."""
        found = []
        for column, value in zip(self.formula.columns, self.names, strict=True):
            if not column.allows_missing:
                found.append(f"{value} IS NULL")
            elif column.is_coded and column.unknown == "refused":
                found.append(f"({value} IS NOT NULL AND NOT ({self._known(column, value)}))")
        return found

    # ------------------------------------------------------------------ sums

    def _sums(self) -> Iterator[list[str]]:
        """Write the sums of terms in layers, each of which goes on where the last one ended."""
        refused = self._refused()
        if refused:
            yield [f"CASE WHEN {any_of(refused)} THEN 1 ELSE 0 END AS {self.helper('refused')}"]
        sums = []
        for output in self.formula.outputs:
            start = f"CAST({self.dialect.number(output.intercept)} AS {DOUBLE})"
            sums.append(f"CASE WHEN {self.helper('refused')} = 0 THEN {start} END" if refused else start)
        texts = [
            [text for term in output.terms for text in self._term(term)] for output in self.formula.outputs
        ]
        parts = [
            [own[k : k + _TERMS_PER_LAYER] for k in range(0, len(own), _TERMS_PER_LAYER)] for own in texts
        ]
        for number, chunks in enumerate(itertools.zip_longest(*parts, fillvalue=[])):
            layer = []
            for place, own in enumerate(chunks):
                if own:
                    alias = self.helper(f"sum {number} {place}")
                    layer.append("\n      + ".join([sums[place], *own]) + f" AS {alias}")
                    sums[place] = alias
            yield layer
        yield [
            f"CASE WHEN ABS({own}) <= {LARGEST} THEN {own} END AS {self.helper(f'decision {place}')}"
            for place, own in enumerate(sums)
        ]

    def _reasons(self, reasons: ReasonCosts) -> tuple[list[Named], Named]:
        """Write what each text costs, and the ranking of the texts."""
        zero = f"CAST({self.dialect.number(0.0)} AS {DOUBLE})"
        costs = []
        for text in reasons.texts:
            terms = [part for term in costing_terms(text) for part in self._term(term)]
            costs.append(" + ".join([zero, *terms]))
        if self._refused():
            costs = [f"CASE WHEN {self.helper('refused')} = 0 THEN {cost} END" for cost in costs]
        return columns_of_reasons(reasons, self.dialect, costs, self.helper)

    def _term(self, term: Term) -> Iterator[str]:
        number = self.dialect.number
        if isinstance(term, Linear):
            x = self.names[term.column]
            value = x if term.center is None else f"COALESCE({x}, {number(term.center)})"
            if term.codes and term.center is not None:
                test = self._condition(IsCode(term.column, term.codes))
                value = f"CASE WHEN {test} THEN {number(term.center)} ELSE {value} END"
            yield f"{number(term.coef)} * {value}"
        elif isinstance(term, Steps):
            yield self._steps(term)
        elif isinstance(term, Lookup):
            yield self._lookup(term.column, term.values, term.missing)
        elif isinstance(term, Factor):
            yield from self._subsets(term) if term.order is None else self._products(term)
        else:
            tests = " AND ".join(self._condition(each) for each in term.conditions) or "1 = 1"
            yield f"CASE WHEN {tests} THEN {number(term.coef)} ELSE 0 END"

    def _condition(self, condition: Condition) -> str:
        x = self.names[condition.column]
        if isinstance(condition, Interval):
            lower, upper = finite_ends(condition)
            tests = [] if lower is None else [f"{x} > {self.dialect.number(lower)}"]
            return " AND ".join(tests if upper is None else [*tests, f"{x} <= {self.dialect.number(upper)}"])
        if isinstance(condition, IsCode):
            codes = f"({', '.join(map(self.dialect.number, condition.codes))})"
            test = f"{x} {'NOT IN' if condition.negated else 'IN'} {codes}"
            return f"({x} IS NULL OR {test})" if condition.or_missing else test
        if isinstance(condition, Has):
            return f"{x} = {int(condition.present)}"
        if isinstance(condition, Equals):
            level = self._level(self.formula.columns[condition.column], condition.level)
            return f"({x} <> {level} OR {x} IS NULL)" if condition.negated else f"{x} = {level}"
        return f"{x} IS {'' if condition.missing else 'NOT '}NULL"

    def _steps(self, term: Steps) -> str:
        x, number = self.names[term.column], self.dialect.number
        cases = [f"WHEN {x} IS NULL THEN {number(term.missing)}"]
        cases += [f"WHEN {x} = {number(code)} THEN {number(value)}" for code, value in term.codes]
        cases += [
            f"WHEN {x} <= {number(cut)} THEN {number(value)}"
            for cut, value in zip(term.cuts, term.values, strict=False)
        ]
        return f"CASE {' '.join(cases)} ELSE {number(term.values[-1])} END"

    def _lookup(self, place: int, values: Sequence[float], missing: float) -> str:
        column, x = self.formula.columns[place], self.names[place]
        cases = [
            f"WHEN {self._among(column, x, codes)} THEN {self.dialect.number(value)}"
            for value, codes in _runs(values)
            if value != missing
        ]
        rest = self.dialect.number(missing)
        return f"CASE {' '.join(cases)} ELSE {rest} END" if cases else rest

    # ------------------------------------------------------------------ factorization machines

    def _equals(self, atom: Atom) -> str:
        place, level = atom.column or 0, atom.level or 0
        return f"{self.names[place]} = {self._level(self.formula.columns[place], level)}"

    def _products(self, term: Factor) -> Iterator[str]:
        for atoms, coef in products_of(term).items():
            levels = [self._equals(atom) for atom in atoms if atom.level is not None]
            numbers = [self.names[atom.column or 0] for atom in atoms if atom.level is None]
            product = " * ".join([self.dialect.number(coef), *numbers])
            yield f"CASE WHEN {' AND '.join(levels)} THEN {product} ELSE 0 END" if levels else product

    def _subsets(self, term: Factor) -> Iterator[str]:
        """Write each component as a product of 1 + z."""
        number = self.dialect.number
        for sign, own in zip(term.signs, term.components, strict=True):
            factors = []
            for place, entries in itertools.groupby(own, lambda entry: term.atoms[entry[0]].column):
                weights = list(entries)
                if place is None:
                    factors += [number(1 + weight) for _, weight in weights]
                elif term.atoms[weights[0][0]].level is None:
                    factors.append(f"(1E0 + {number(weights[0][1])} * {self.names[place]})")
                else:
                    cases = [f"WHEN {self._equals(term.atoms[k])} THEN {number(1 + w)}" for k, w in weights]
                    factors.append(f"CASE {' '.join(cases)} ELSE 1E0 END")
            yield " * ".join([number(sign), *factors])


def _runs(values: Sequence[float]) -> Iterator[tuple[float, list[int]]]:
    """Group the positions of equal values, in the order of their first appearance."""
    groups: dict[float, list[int]] = {}
    for place, value in enumerate(values):
        groups.setdefault(value, []).append(place)
    yield from groups.items()
