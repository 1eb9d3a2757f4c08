"""The terms of a model as nodes of an ONNX graph, added up in the order of the core."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from .conditions import Condition, Equals, Has, Interval, IsCode
from .formula import Column, Factor, Linear, Lookup, Output, RuleTerm, Steps, Term
from .onnx_nodes import INT64, Nodes

Test = tuple[int, float, float, bool]
"""Column, lower and upper end of an interval without NaN, and whether the condition is negated."""


def decision_of(nodes: Nodes, output: Output, values: str, zeros: str) -> str:
    """Add up the terms of an output.

    Parameters
    ----------
    nodes : Nodes
        The graph.
    output : Output
        The output.
    values : str
        The matrix of numbers and codes of categories, NaN where missing.
    zeros : str
        A column of zeros.

    Returns
    -------
    str
        The decision values, of shape (n_rows, 1).
    """
    blocks, width = [nodes.add("Add", zeros, nodes.constant([[output.intercept]]))], 1
    for kind, group in itertools.groupby(output.terms, type):
        terms: list[Term] = list(group)
        if kind is RuleTerm:
            block, size = _rules(nodes, terms, values), len(terms)
        elif kind is Linear:
            block, size = _linear(nodes, terms, values), len(terms)
        else:
            parts = [part for term in terms for part in _others(nodes, term, values, zeros)]
            if not parts:
                continue
            block, size = nodes.concat([name for name, _ in parts]), sum(own for _, own in parts)
        blocks.append(block)
        width += size
    if len(blocks) == 1:
        return blocks[0]
    sums = nodes.add("CumSum", nodes.concat(blocks), nodes.constant(1, np.int64))
    return nodes.take(sums, [width - 1])


def _tests(condition: Condition) -> Iterator[Test]:
    """Return the tests of which all have to hold."""
    column = condition.column
    if isinstance(condition, Interval):
        yield column, condition.lower, condition.upper, False
    elif isinstance(condition, Equals):
        yield column, condition.level - 0.5, condition.level + 0.5, condition.negated
    elif isinstance(condition, Has):
        yield column, 0.5, math.inf, not condition.present
    elif isinstance(condition, IsCode):
        if condition.negated:
            yield from ((column, _before(code), code, True) for code in condition.codes)
        else:
            # Not between two neighbours among the codes. A missing number is in no interval.
            ends = (-math.inf, *condition.codes, math.inf)
            yield from ((column, low, _before(high), True) for low, high in itertools.pairwise(ends))
            if not condition.or_missing:
                yield column, -math.inf, math.inf, False
    else:
        yield column, -math.inf, math.inf, condition.missing


def _before(code: float) -> float:
    """Return the number before a code, or infinity."""
    return code if math.isinf(code) else math.nextafter(code, -math.inf)


def _rules(nodes: Nodes, terms: Iterable[Term], values: str) -> str:
    """Evaluate rules side by side, the first condition of all, then the second, and so on."""
    rules = [term for term in terms if isinstance(term, RuleTerm)]
    tests = [[test for each in rule.conditions for test in _tests(each)] for rule in rules]
    always: Test = (0, math.inf, math.inf, True)
    holds = ""
    for own in itertools.zip_longest(*tests, fillvalue=always):
        columns, lower, upper, negated = zip(*own, strict=True)
        x = nodes.take(values, columns)
        above = nodes.add("Greater", x, nodes.row(lower))
        below = nodes.add("LessOrEqual", x, nodes.row(upper))
        inside = nodes.add("Xor", nodes.add("And", above, below), nodes.row(negated, np.bool_))
        holds = nodes.add("And", holds, inside) if holds else inside
    return nodes.add("Where", holds, nodes.row([rule.coef for rule in rules]), nodes.constant([[0.0]]))


def _linear(nodes: Nodes, terms: Iterable[Term], values: str) -> str:
    own = [term for term in terms if isinstance(term, Linear)]
    x = nodes.take(values, [term.column for term in own])
    centers = [math.nan if term.center is None else term.center for term in own]
    is_center = nodes.add("IsNaN", x)
    for codes in itertools.zip_longest(*(term.codes for term in own), fillvalue=math.nan):
        is_center = nodes.add("Or", is_center, nodes.add("Equal", x, nodes.row(codes)))
    known = nodes.add("Where", is_center, nodes.row(centers), x)
    return nodes.add("Mul", known, nodes.row([term.coef for term in own]))


def _others(nodes: Nodes, term: Term, values: str, zeros: str) -> list[tuple[str, int]]:
    """Return blocks of summands with their widths."""
    if isinstance(term, Steps):
        return [(_steps(nodes, term, values, zeros), 1)]
    if isinstance(term, Lookup):
        return [(_lookup(nodes, term, values), 1)]
    return _factor(nodes, term, values, zeros) if isinstance(term, Factor) else []


def _pick(nodes: Nodes, table: Sequence[float], place: str) -> str:
    """Read a table at positions, which are one column of numbers."""
    flat = nodes.add("Reshape", nodes.add("Cast", place, to=INT64), nodes.constant([-1], np.int64))
    found = nodes.add("Gather", nodes.constant(table), flat)
    return nodes.add("Reshape", found, nodes.constant([-1, 1], np.int64))


def _steps(nodes: Nodes, term: Steps, values: str, zeros: str) -> str:
    x = nodes.take(values, [term.column])
    if term.cuts:
        above = nodes.number(nodes.add("Greater", x, nodes.row(term.cuts)))
        value = _pick(nodes, term.values, nodes.total(above, len(term.cuts)))
    else:
        value = nodes.add("Add", zeros, nodes.constant([[term.values[0]]]))
    for code, own in term.codes:
        is_code = nodes.add("Equal", x, nodes.constant([[code]]))
        value = nodes.add("Where", is_code, nodes.constant([[own]]), value)
    return nodes.add("Where", nodes.add("IsNaN", x), nodes.constant([[term.missing]]), value)


def _lookup(nodes: Nodes, term: Lookup, values: str) -> str:
    code = nodes.take(values, [term.column])
    known = nodes.add("Greater", code, nodes.constant([[-0.5]]))
    after = nodes.add("Add", code, nodes.constant([[1.0]]))
    return _pick(
        nodes, [term.missing, *term.values], nodes.add("Where", known, after, nodes.constant([[0.0]]))
    )


def _atoms(nodes: Nodes, term: Factor, values: str) -> str:
    """Return the numbers that a factor multiplies, side by side."""
    x = nodes.take(values, [atom.column or 0 for atom in term.atoms])
    levels = [-1.0 if atom.level is None else float(atom.level) for atom in term.atoms]
    is_level = nodes.number(nodes.add("Equal", x, nodes.row(levels)))
    x = nodes.add("Where", nodes.row([atom.level is not None for atom in term.atoms], np.bool_), is_level, x)
    ones = nodes.row([atom.column is None for atom in term.atoms], np.bool_)
    return nodes.add("Where", ones, nodes.constant([[1.0]]), x)


def _factor(nodes: Nodes, term: Factor, values: str, zeros: str) -> list[tuple[str, int]]:
    blocks = []
    atoms = _atoms(nodes, term, values) if term.atoms else ""
    for sign, own in zip(term.signs, term.components, strict=True):
        if not own:
            continue
        places, weights = zip(*own, strict=True)
        z = nodes.add("Mul", nodes.take(atoms, places), nodes.row(weights))
        if term.order is None:
            factors = nodes.add("Add", z, nodes.constant([[1.0]]))
            blocks.append((nodes.add("Mul", _product(nodes, factors, len(own)), nodes.constant([[sign]])), 1))
            continue
        state = nodes.add("CumSum", z, nodes.constant(1, np.int64), exclusive=1)
        for _ in range(term.order - 2):
            state = nodes.add("CumSum", nodes.add("Mul", state, z), nodes.constant(1, np.int64), exclusive=1)
        gains = nodes.add("Mul", nodes.add("Mul", state, z), nodes.constant([[sign]]))
        blocks.append((gains, len(own)))
    empty = sum(sign for sign, own in zip(term.signs, term.components, strict=True) if not own)
    if term.order is None and empty:  # the product of no factor is 1
        blocks.append((nodes.add("Add", zeros, nodes.constant([[empty]])), 1))
    return blocks


def _product(nodes: Nodes, matrix: str, width: int) -> str:
    """Multiply the columns of a matrix, half with half."""
    while width > 1:
        half = width // 2
        low, high = nodes.take(matrix, range(half)), nodes.take(matrix, range(half, 2 * half))
        product = nodes.add("Mul", low, high)
        matrix = nodes.concat([product, nodes.take(matrix, [width - 1])]) if width % 2 else product
        width = half + width % 2
    return matrix


def codes_where_unknown(column: Column) -> float:
    """Return the code of a category that training did not see.

    Parameters
    ----------
    column : Column
        A column of categories.

    Returns
    -------
    float
        NaN where it counts as missing, else -2.

    Examples
    --------
    >>> codes_where_unknown(Column("a", "category", 0, ("x",), unknown="known"))
    -2.0
    """
    return math.nan if column.unknown == "missing" else -2.0
