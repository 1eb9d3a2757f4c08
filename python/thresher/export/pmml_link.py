"""Predictions and probabilities from decision values, in PMML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from ..data.columns import Level
from .formula import Formula
from .pmml_xml import Names, apply, constant, derived, element, field, type_of_levels


@dataclass(frozen=True)
class Decision:
    """The decision values of a classifier.

    Parameters
    ----------
    formula : Formula
        The model.
    fields : sequence of str
        The fields of the decision values.
    target : str
        The field of the target.
    names : Names
        The names of the document's fields.
    """

    formula: Formula
    fields: Sequence[str]
    target: str
    names: Names

    @property
    def classes(self) -> tuple[Level, ...]:
        """The classes."""
        return self.formula.classes or ()

    @property
    def has_one_model(self) -> bool:
        """Whether the model of the probabilities predicts the class as well.

        Several classes may have the same probability where their decision values differ: those that are
        rounded to 1.
        """
        return self.formula.link == "logistic" and len(self.fields) == 1

    def results(self, probabilities: Sequence[str] | None) -> ET.Element:
        """Declare prediction, probabilities and decision values.

        Parameters
        ----------
        probabilities : sequence of str or None
            The fields of the probabilities; None where the model gives them itself.

        Returns
        -------
        Element
            The output of the last model.
        """
        kind = type_of_levels(self.classes)
        found = [
            element("OutputField", name=self.names.new("prediction"), optype="categorical", dataType=kind)
        ]
        if self.formula.has_probabilities:
            for place, label in enumerate(self.classes):
                name = self.names.new(f"probability of {label}")
                inner = None if probabilities is None else field(probabilities[place])
                found.append(_probability(name, label) if inner is None else number_of(name, inner))
        for own, text in zip(self.fields, self.formula.output_texts, strict=True):
            found.append(number_of(self.names.new(f"decision of {text}" if text else "decision"), field(own)))
        return element("Output", *found)


def _probability(name: str, label: Level) -> ET.Element:
    return element(
        "OutputField", name=name, optype="continuous", dataType="double", feature="probability", value=label
    )


def label_field(name: str, classes: Sequence[Level]) -> ET.Element:
    """Declare a target of classes.

    Parameters
    ----------
    name : str
        Its name.
    classes : sequence of level
        The classes.

    Returns
    -------
    Element
        The entry of the data dictionary.
    """
    values = [element("Value", value=label) for label in classes]
    return element("DataField", *values, name=name, optype="categorical", dataType=type_of_levels(classes))


def probability_of_score(name: str, score: str, log_odds: tuple[float, float]) -> ET.Element:
    """Return the probability of the event of a score.

    Parameters
    ----------
    name : str
        The name of the probability.
    score : str
        The field of the score.
    log_odds : (float, float)
        The points of one unit of the log-odds, and the score at even odds.

    Returns
    -------
    Element
        The entry of the output.
    """
    unit, even = log_odds
    odds = apply("/", apply("-", constant(even), field(score)), constant(unit))
    probability = apply("/", constant(1.0), apply("+", constant(1.0), apply("exp", odds)))
    return number_of(name, probability)


def number_of(name: str, value: ET.Element) -> ET.Element:
    """Return a number that is computed from other fields.

    Parameters
    ----------
    name : str
        Its name.
    value : Element
        The expression.

    Returns
    -------
    Element
        The entry of the output.
    """
    return element(
        "OutputField", value, name=name, optype="continuous", dataType="double", feature="transformedValue"
    )


def classes_of(decision: Decision) -> Iterator[ET.Element]:
    """Write the models that follow the decision values.

    Parameters
    ----------
    decision : Decision
        The decision values.

    Yields
    ------
    Element
        The model of the probabilities, where there are any, and that of the class.
    """
    if decision.has_one_model:
        yield _logistic(decision, decision.results(None))
        return
    shares = None
    if decision.formula.has_probabilities:
        shares = [decision.names.new(f"probability value of {label}") for label in decision.classes]
        write = _logistic if decision.formula.link == "logistic" else _clipped
        yield write(decision, element("Output", *map(_probability, shares, decision.classes)))
    yield _winner(decision, shares or [], decision.results(shares))


def _schema(decision: Decision, further: Sequence[str] = ()) -> ET.Element:
    target = element("MiningField", name=decision.target, usageType="target")
    fields = (element("MiningField", name=name) for name in (*decision.fields, *further))
    return element("MiningSchema", target, *fields)


def _probabilities(
    decision: Decision,
    output: ET.Element,
    fields: Sequence[ET.Element],
    weights: Sequence[tuple[str, float] | None],
    method: str,
) -> ET.Element:
    """Write a regression of one number for each class, which are made probabilities."""
    tables = []
    pairs = list(zip(decision.classes, weights, strict=True))
    if len(decision.fields) == 1 and decision.formula.comparison == ">=":
        pairs.reverse()  # of two classes of the same probability evaluators predict the first
    for label, weight in pairs:
        predictors = [] if weight is None else [
            element("NumericPredictor", name=weight[0], coefficient=weight[1])
        ]  # fmt: skip
        tables.append(element("RegressionTable", *predictors, intercept=0.0, targetCategory=label))
    local = [element("LocalTransformations", *fields)] if fields else []
    return element(
        "RegressionModel",
        _schema(decision),
        output,
        *local,
        *tables,
        functionName="classification",
        normalizationMethod=method,
    )


def _logistic(decision: Decision, output: ET.Element) -> ET.Element:
    """Divide the sigmoids of the classes by their sum: a softmax of their logarithms."""
    scale = decision.formula.scale
    if len(decision.fields) == 1:
        return _probabilities(decision, output, [], [None, (decision.fields[0], scale)], "softmax")
    names, fields = decision.names.copy(), []
    for own in decision.fields:
        odds = apply("*", constant(scale), field(own))
        tail = apply("exp", apply("-", constant(0.0), apply("abs", odds)))
        log = apply("-", apply("min", odds, constant(0.0)), apply("ln1p", tail))
        fields.append(derived(names.new(f"logarithm of the sigmoid of {own}"), log))
    return _probabilities(decision, output, fields, [(one.attrib["name"], 1.0) for one in fields], "softmax")


def _clipped(decision: Decision, output: ET.Element) -> ET.Element:
    """Clip (1 + f) / 2 to the range from 0 to 1, and divide by the sum; all equal where it is 0."""
    names, fields = decision.names.copy(), []
    for value in decision.fields:
        half = apply("/", apply("+", constant(1.0), field(value)), constant(2.0))
        share = apply("min", apply("max", half, constant(0.0)), constant(1.0))
        fields.append(derived(names.new(f"share of {value}"), share))
    shares = [one.attrib["name"] for one in fields]
    if len(shares) == 1:
        fields.append(derived(names.new("share of the rest"), apply("-", constant(1.0), field(shares[0]))))
        return _probabilities(
            decision, output, fields, [(one.attrib["name"], 1.0) for one in reversed(fields)], "simplemax"
        )
    total = names.new("sum of the shares")
    fields.append(derived(total, apply("sum", *map(field, shares))))
    found = []
    for name in shares:
        test = apply("greaterThan", field(total), constant(0.0))
        found.append(derived(names.new(f"{name}, or 1"), apply("if", test, field(name), constant(1.0))))
    weights = [(one.attrib["name"], 1.0) for one in found]
    return _probabilities(decision, output, [*fields, *found], weights, "simplemax")


def _winner(decision: Decision, shares: Sequence[str], output: ET.Element) -> ET.Element:
    """Write a tree with a leaf for each class: the class of the largest decision value."""
    names, fields = decision.names.copy(), []
    tests = []
    if len(decision.fields) == 1:
        below = {">": "lessOrEqual", ">=": "lessThan"}[decision.formula.comparison]
        tests.append(element("SimplePredicate", field=decision.fields[0], operator=below, value=0.0))
        tests.append(element("True"))
    else:
        largest = names.new("largest decision")
        fields.append(derived(largest, apply("max", *map(field, decision.fields))))
        for own in decision.fields:
            behind = names.new(f"largest decision less {own}")
            fields.append(derived(behind, apply("-", field(largest), field(own))))
            tests.append(element("SimplePredicate", field=behind, operator="lessOrEqual", value=0.0))
    leaves = [element("Node", test, score=label) for label, test in zip(decision.classes, tests, strict=True)]
    local = [element("LocalTransformations", *fields)] if fields else []
    return element(
        "TreeModel",
        _schema(decision, shares),
        output,
        *local,
        element("Node", element("True"), *leaves),
        functionName="classification",
        splitCharacteristic="multiSplit",
    )
