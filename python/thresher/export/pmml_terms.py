"""The decision value of an output as a PMML model: a regression over derived fields, or a score card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import Any
from xml.etree import ElementTree as ET

from ..data.columns import Level
from ..formatting.numbers import format_value
from ..formatting.text import format_level
from .conditions import Condition, Equals, Has, IsCode, Missing, finite_ends
from .describe import number_text, text_of
from .formula import Atom, Column, Factor, Linear, Lookup, Output, RuleTerm, Steps
from .pmml_xml import (
    Names,
    Value,
    apply,
    constant,
    derived,
    element,
    field,
    mining_field,
    text_of_value,
    type_of_levels,
    with_text,
)
from .products import products_of


@dataclass(frozen=True)
class Reason:
    """The reason code of a column of a score card.

    Parameters
    ----------
    text : str
        The code, or a text.
    reference : float
        The points that those of a row are compared with.
    missing : str or None, default=None
        The code of rows in which the value is missing, where it is another one.
    special : mapping of float to str, default={}
        The codes of rows that have a special code, where they are others.
    """

    text: str
    reference: float
    missing: str | None = None
    special: Mapping[float, str] = field_of(default_factory=dict)


@dataclass(frozen=True)
class Reasons:
    """The reason codes of a score card.

    Parameters
    ----------
    columns : mapping of int to Reason
        Those of each column, by its position in the formula.
    n : int
        The number of reasons in the result.
    high_is_risk : bool
        Whether a column is a reason for points above the reference, not below it.
    """

    columns: Mapping[int, Reason]
    n: int
    high_is_risk: bool


def model_of(
    output: Output,
    columns: Sequence[Column],
    names: Names,
    *further: ET.Element,
    result: ET.Element | None = None,
    reasons: Reasons | None = None,
) -> ET.Element:
    """Write the decision value of an output as a model.

    Parameters
    ----------
    output : Output
        The output.
    columns : sequence of Column
        The columns of the formula.
    names : Names
        The names of the document's fields.
    *further : Element
        Further entries of the mining schema.
    result : Element, optional
        The output of the model.
    reasons : Reasons, optional
        Of a score card the reason codes.

    Returns
    -------
    Element
        A score card of pieces and categories, a regression of other terms.
    """
    schema = element("MiningSchema", *further, *map(mining_field, _used(output, columns)))
    head = [schema] if result is None else [schema, result]
    terms = [term for term in output.terms if isinstance(term, (Steps, Lookup))]
    if terms and len(terms) == len(output.terms):
        return _card(output.intercept, terms, columns, head, reasons)
    regression = _Regression(columns, names.copy())
    predictors = [part for term in output.terms for part in regression.parts(term)]
    order = {"NumericPredictor": 0, "CategoricalPredictor": 1, "PredictorTerm": 2}
    predictors.sort(key=lambda part: order[part.tag])
    intercept = output.intercept + sum(regression.constants)
    table = element("RegressionTable", *predictors, intercept=intercept)
    fields = list(regression.fields)
    local = [element("LocalTransformations", *fields)] if fields else []
    return element("RegressionModel", *head, *local, table, functionName="regression")


def _used(output: Output, columns: Sequence[Column]) -> Iterator[Column]:
    """Iterate over the columns that the terms of an output read."""
    used: set[int | None] = set()
    for term in output.terms:
        if isinstance(term, RuleTerm):
            used.update(each.column for each in term.conditions)
        elif isinstance(term, Factor):
            used.update(atom.column for atom in term.atoms)
        else:
            used.add(term.column)
    return (column for place, column in enumerate(columns) if place in used)


# ---------------------------------------------------------------------- score cards


def _card(
    intercept: float,
    terms: Iterable[Steps | Lookup],
    columns: Sequence[Column],
    head: Iterable[ET.Element],
    reasons: Reasons | None,
) -> ET.Element:
    if reasons is not None:
        # Of equal reasons an evaluator takes the characteristic that comes first.
        listed = list(reasons.columns)
        terms = sorted(terms, key=lambda term: listed.index(term.column))
    characteristics = []
    for term in terms:
        reason = None if reasons is None else reasons.columns[term.column]
        pieces = _pieces if isinstance(term, Steps) else _categories
        found = element("Characteristic", *pieces(term, columns[term.column], reason),
                        name=columns[term.column].name)  # fmt: skip
        if reason is not None:
            found.set("reasonCode", reason.text)
            found.set("baselineScore", text_of_value(reason.reference))
        characteristics.append(found)
    return element(
        "Scorecard",
        *head,
        element("Characteristics", *characteristics),
        functionName="regression",
        initialScore=intercept,
        useReasonCodes=reasons is not None,
        reasonCodeAlgorithm="pointsAbove" if reasons is not None and reasons.high_is_risk else None,
    )


def _pieces(term: Any, column: Column, reason: Reason | None) -> Iterator[ET.Element]:
    """Write the pieces of a number; the first one whose condition holds counts."""
    name, special = column.name, {} if reason is None else reason.special
    missing = None if reason is None else reason.missing
    yield _attribute(term.missing, _compare(name, "isMissing"), missing)
    for code, value in term.codes:
        yield _attribute(value, _compare(name, "equal", code), special.get(code))
    for lower, upper, value in zip((None, *term.cuts), (*term.cuts, None), term.values, strict=True):
        ends = [] if lower is None else [_compare(name, "greaterThan", lower)]
        ends += [] if upper is None else [_compare(name, "lessOrEqual", upper)]
        yield _attribute(value, _joined("and", ends) if ends else element("True"))


def _categories(term: Any, column: Column, reason: Reason | None) -> Iterator[ET.Element]:
    groups: dict[float, list[Level]] = {}
    for level, value in zip(column.levels, term.values, strict=True):
        groups.setdefault(value, []).append(level)
    for value, levels in groups.items():
        yield _attribute(value, _is_one_of(column, levels))
    yield _attribute(term.missing, element("True"), None if reason is None else reason.missing)


def _is_one_of(column: Column, levels: Sequence[Level]) -> ET.Element:
    """Test for categories: numbers in an array, texts one by one, since arrays have quotes of their own."""
    kinds = {"integer": "int", "double": "real"}
    kind = kinds.get(type_of_levels(column.levels))
    if kind is None:
        return _joined("or", [_compare(column.name, "equal", level) for level in levels])
    array = with_text(element("Array", n=len(levels), type=kind), " ".join(map(text_of_value, levels)))
    return element("SimpleSetPredicate", array, field=column.name, booleanOperator="isIn")


def _attribute(points: float, predicate: ET.Element, code: str | None = None) -> ET.Element:
    return element("Attribute", predicate, partialScore=points, reasonCode=code)


def _compare(name: str, operator: str, value: Value = None) -> ET.Element:
    return element("SimplePredicate", field=name, operator=operator, value=value)


def _joined(operator: str, tests: Sequence[ET.Element]) -> ET.Element:
    return tests[0] if len(tests) == 1 else element("CompoundPredicate", *tests, booleanOperator=operator)


# ---------------------------------------------------------------------- regressions


class _Regression:
    """Predictors of a regression, with the derived fields that they read.

    A condition is a field of 1 and 0, which a rule of several conditions multiplies.
    """

    def __init__(self, columns: Sequence[Column], names: Names) -> None:
        self.columns = columns
        self.names = names
        self.fields: list[ET.Element] = []
        self.constants: list[float] = []
        self._known: dict[Condition | Linear | Atom, str] = {}

    def parts(self, term: RuleTerm | Linear | Steps | Lookup | Factor) -> Iterator[ET.Element]:
        """Write a term."""
        if isinstance(term, RuleTerm):
            yield from self._product([self._indicator(each) for each in term.conditions], term.coef,
                                     text_of(term, self.columns))  # fmt: skip
        elif isinstance(term, Linear):
            yield element("NumericPredictor", name=self._number(term), coefficient=term.coef)
        elif isinstance(term, Lookup):
            column = self.columns[term.column]
            for level, value in zip(column.levels, term.values, strict=True):
                if value != 0:
                    yield element("CategoricalPredictor", name=column.name, value=level, coefficient=value)
        elif isinstance(term, Factor):
            yield from self._subsets(term) if term.order is None else self._products(term)

    def _product(self, fields: Sequence[str], coef: float, text: str | None) -> Iterator[ET.Element]:
        if not fields:
            self.constants.append(coef)
        elif len(fields) == 1 and text is not None:
            yield element("NumericPredictor", name=fields[0], coefficient=coef)
        else:
            name = None if text is None else self.names.new(text)
            yield element("PredictorTerm", *map(field, fields), name=name, coefficient=coef)

    def _derive(self, key: Condition | Linear | Atom, text: str, expression: ET.Element) -> str:
        """Name a derived field, which equal conditions share."""
        self._known[key] = self.names.new(text)
        self.fields.append(derived(self._known[key], expression))
        return self._known[key]

    def _number(self, term: Linear) -> str:
        name = self.columns[term.column].name
        if term.center is None:
            return self._atom(Atom(term.column))
        if term not in self._known:
            text = f"{name}, {format_value(term.center)} where missing"
            value = field(name, term.center)
            if term.codes:
                value = _where_code(
                    name, term.codes, (constant(term.center), field(name), constant(term.center))
                )
            self._derive(term, text, value)
        return self._known[term]

    def _indicator(self, condition: Condition) -> str:
        if condition not in self._known:
            text = text_of(RuleTerm((condition,), 0.0), self.columns)
            self._derive(condition, text, self._test(condition))
        return self._known[condition]

    def _test(self, condition: Condition) -> ET.Element:
        column = self.columns[condition.column]
        if isinstance(condition, Missing):
            return _where_missing(column.name, condition.missing)
        if isinstance(condition, IsCode):
            is_code = constant(float(not condition.negated))
            others, missing = constant(float(condition.negated)), constant(float(condition.or_missing))
            return _where_code(column.name, condition.codes, (is_code, others, missing))
        if isinstance(condition, Has):
            return _equals(column.name, condition.present)
        if isinstance(condition, Equals):
            test = _equals(column.name, column.levels[condition.level])
            return apply("-", constant(1.0), test) if condition.negated else test
        lower, upper = finite_ends(condition)
        if lower is None and upper is None:
            return _where_missing(column.name, False)
        closure = "openOpen" if upper is None else "openClosed"
        interval = element("Interval", closure=closure, leftMargin=lower, rightMargin=upper)
        inside = element("DiscretizeBin", interval, binValue=1.0)
        return element(
            "Discretize", inside, field=column.name, mapMissingTo=0.0, defaultValue=0.0, dataType="double"
        )

    # ------------------------------------------------------------------ factorization machines

    def _atom(self, atom: Atom) -> str:
        column = self.columns[atom.column or 0]
        if atom.level is None:
            if not column.center:
                return column.name
            if atom not in self._known:
                less = apply("-", field(column.name), constant(column.center))
                self._derive(atom, number_text(column), less)
        elif atom not in self._known:
            level = column.levels[atom.level]
            self._derive(atom, f"{column.name} = {format_level(level)}", _equals(column.name, level))
        return self._known[atom]

    def _products(self, term: Factor) -> Iterator[ET.Element]:
        for atoms, coef in products_of(term).items():
            yield from self._product([self._atom(atom) for atom in atoms], coef, None)

    def _subsets(self, term: Factor) -> Iterator[ET.Element]:
        """Write each component as a product of 1 + z."""
        for sign, own in zip(term.signs, term.components, strict=True):
            factors = []
            for place, weight in own:
                atom, part = term.atoms[place], constant(weight)
                if atom.column is not None:
                    part = apply("*", part, field(self._atom(atom)))
                factors.append(apply("+", constant(1.0), part))
            if not factors:
                self.constants.append(sign)
                continue
            name = self.names.new("component")
            self.fields.append(derived(name, apply("product", *factors)))
            yield element("NumericPredictor", name=name, coefficient=sign)


def _equals(name: str, value: Value) -> ET.Element:
    return element("NormDiscrete", field=name, value=value, mapMissingTo=0.0)


def _where_code(
    name: str, codes: Sequence[float], values: tuple[ET.Element, ET.Element, ET.Element]
) -> ET.Element:
    """Return the first value for special codes, the second for other numbers, the third where missing."""
    is_code, other, missing = values
    tests = [apply("equal", field(name), constant(code)) for code in codes]
    test = tests[0] if len(tests) == 1 else apply("or", *tests)
    return apply("if", apply("isMissing", field(name)), missing, apply("if", test, is_code, other))


def _where_missing(name: str, missing: bool) -> ET.Element:
    test = apply("isMissing" if missing else "isNotMissing", field(name))
    return apply("if", test, constant(1.0), constant(0.0))
