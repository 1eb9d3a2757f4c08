"""A model as an ONNX graph of double precision."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .formula import Column, Formula
from .onnx_nodes import DOUBLE, INT64, Nodes
from .onnx_terms import codes_where_unknown, decision_of

STRING = 8
OPSETS = {"": 13, "ai.onnx.ml": 2}
"""The oldest versions of the operator sets that have what a graph needs."""

_IR_VERSION = 8  # the format of opset 13 to 18, which runtimes since 2021 read


@dataclass(frozen=True)
class Answers:
    """Names of the values that a graph computes.

    Parameters
    ----------
    prediction : str
        Labels, of shape (n_rows,), or numbers, of shape (n_rows, n_outputs).
    probabilities : str or None
        Of shape (n_rows, n_classes).
    decision : str
        Of shape (n_rows, n_outputs).
    """

    prediction: str
    probabilities: str | None
    decision: str


def missing_text(formula: Formula) -> str:
    """Return the text that stands for a missing category.

    Parameters
    ----------
    formula : Formula
        The model.

    Returns
    -------
    str
        The empty text, unless it is a category itself.
    """
    known = {level for column in formula.columns for level in column.levels}
    return next(text for text in ("", "<missing>", "\0") if text not in known)


def is_text(column: Column) -> bool:
    """Return whether a column is given as texts.

    Parameters
    ----------
    column : Column
        A column of the model.

    Returns
    -------
    bool
        True for categories that are texts.
    """
    return column.kind == "category" and column.level_type in ("text", "mixed")


def has_inputs_by_column(formula: Formula) -> bool:
    """Return whether a graph has one input for each column rather than one matrix.

    Parameters
    ----------
    formula : Formula
        The model.

    Returns
    -------
    bool
        True where the columns have names, or some hold texts.
    """
    return formula.is_named or any(map(is_text, formula.columns))


def onnx_of(formula: Formula) -> Any:
    """Write a model as an ONNX graph.

    Parameters
    ----------
    formula : Formula
        The model.

    Returns
    -------
    onnx.ModelProto
        The model.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    ValueError
        If a column has the empty text for its name.
    """
    onnx = imported()
    by_column, prefix = has_inputs_by_column(formula), "thresher"
    inputs = [(column.name, STRING if is_text(column) else DOUBLE, 1) for column in formula.columns]
    if not by_column or not inputs:
        inputs = [("X", DOUBLE, formula.n_columns)]
    names = [name for name, _, _ in inputs]
    if "" in names:
        raise ValueError("the name '' cannot be expressed in ONNX; rename the column, or use to_python")
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    nodes = Nodes(prefix=prefix)
    if by_column:
        cells = names if formula.columns else []
    else:
        cells = [nodes.take("X", [column.position]) for column in formula.columns]
    answers = answers_of(nodes, formula, cells, names[0])
    outputs = [(formula.result, answers.prediction, label_type(formula), _shape(formula))]
    if formula.log_odds is not None:
        probability = _of_score(nodes, formula.log_odds, answers.decision)
        outputs.append(("probability", probability, DOUBLE, [None, 1]))
    elif answers.probabilities is not None:
        outputs.append(("probabilities", answers.probabilities, DOUBLE, [None, len(formula.classes or ())]))
    if formula.classes is not None:
        outputs.append(("decision", answers.decision, DOUBLE, [None, len(formula.outputs)]))
    return _model(onnx, formula, nodes, inputs, [(_free(name, names), *rest) for name, *rest in outputs])


def imported() -> Any:
    """Import the package onnx.

    Returns
    -------
    module
        The package.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ImportError("to_onnx needs the package onnx: pip install 'thresher[onnx]'") from None


def _free(name: str, taken: Sequence[str]) -> str:
    return name if name not in taken else f"{name} (thresher)"


def _model(onnx: Any, formula: Formula, nodes: Nodes, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    helper = onnx.helper
    made = [
        helper.make_node(node.operator, node.inputs, node.outputs, domain=node.domain, **node.attributes)
        for node in nodes.nodes
    ]
    made += [helper.make_node("Identity", [value], [name]) for name, value, _, _ in outputs]
    graph = helper.make_graph(
        made,
        formula.model,
        [helper.make_tensor_value_info(name, kind, [None, width]) for name, kind, width in inputs],
        [helper.make_tensor_value_info(name, kind, shape) for name, _, kind, shape in outputs],
        [onnx.numpy_helper.from_array(values, name) for name, values in nodes.constants.items()],
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="thresher")
    helper.set_model_props(model, {"missing text": missing_text(formula)})
    onnx.checker.check_model(model)
    return model


def label_type(formula: Formula) -> int:
    """Return the element type of the predictions.

    Parameters
    ----------
    formula : Formula
        The model.

    Returns
    -------
    int
        Texts, whole numbers (booleans are 1 and 0) or doubles.
    """
    if formula.classes is None or all(isinstance(label, float) for label in formula.classes):
        return DOUBLE
    return INT64 if all(isinstance(label, int) for label in formula.classes) else STRING


def _shape(formula: Formula) -> list[int | None]:
    return [None, len(formula.outputs)] if formula.classes is None else [None]


def answers_of(nodes: Nodes, formula: Formula, cells: Sequence[str], some_input: str) -> Answers:
    """Add the nodes of a model.

    Parameters
    ----------
    nodes : Nodes
        The graph.
    formula : Formula
        The model.
    cells : sequence of str
        The values of each column, of shape (n_rows, 1).
    some_input : str
        A value with one row for each row.

    Returns
    -------
    Answers
        The results.
    """
    n_rows = nodes.add("Gather", nodes.add("Shape", some_input), nodes.constant([0], np.int64), axis=0)
    shape = nodes.add("Concat", n_rows, nodes.constant([1], np.int64), axis=0)
    zeros = nodes.add("Expand", nodes.constant([[0.0]]), shape)
    columns = [
        _values(nodes, column, cell, formula) for column, cell in zip(formula.columns, cells, strict=True)
    ]
    values = nodes.concat(columns) if columns else zeros
    decision = nodes.concat([decision_of(nodes, output, values, zeros) for output in formula.outputs])
    refused = nodes.add(
        "Or", _refused(nodes, formula, values, zeros), _not_finite(nodes, decision, len(formula.outputs))
    )
    nan = nodes.constant([[math.nan]])
    decision = nodes.add("Where", refused, nan, decision)
    if formula.classes is None:
        return Answers(decision, None, decision)
    probabilities = _probabilities(nodes, formula, decision)
    if probabilities is not None:
        probabilities = nodes.add("Where", refused, nan, probabilities)
    label = _label(nodes, formula, decision, refused)
    first, last = formula.classes[0], formula.classes[-1]
    if len(formula.outputs) == 1 and first > last:  # type: ignore[operator]
        decision = nodes.add("Neg", decision)
        probabilities = None if probabilities is None else nodes.take(probabilities, [1, 0])
    return Answers(label, probabilities, decision)


def _values(nodes: Nodes, column: Column, cell: str, formula: Formula) -> str:
    """Convert a column to numbers: NaN is missing, categories are their positions."""
    if column.kind == "number":
        return nodes.add("Sub", cell, nodes.constant([[column.center]])) if column.center else cell
    if column.kind == "item":
        absent = nodes.add("Or", nodes.add("IsNaN", cell), nodes.add("Equal", cell, nodes.constant([[0.0]])))
        return nodes.add("Where", absent, nodes.constant([[0.0]]), nodes.constant([[1.0]]))
    unknown = nodes.constant([[codes_where_unknown(column)]])
    count = len(column.levels)
    if is_text(column):
        code = nodes.add(
            "LabelEncoder",
            cell,
            domain="ai.onnx.ml",
            keys_strings=[*(str(level) for level in column.levels), missing_text(formula)],
            values_int64s=[*range(count), -1],
            default_int64=-2,
        )
        code = nodes.number(code)
        found = nodes.add("Greater", code, nodes.constant([[-0.5]]))
        is_missing = nodes.add("Equal", code, nodes.constant([[-1.0]]))
    else:
        same = nodes.number(nodes.add("Equal", cell, nodes.row([float(level) for level in column.levels])))
        code = nodes.add("MatMul", same, nodes.constant(np.arange(count)[:, None]))
        found = nodes.add("Greater", nodes.total(same, count), nodes.constant([[0.5]]))
        is_missing = nodes.add("IsNaN", cell)
    known = nodes.add("Where", found, code, unknown)
    return nodes.add("Where", is_missing, nodes.constant([[math.nan]]), known)


def _any(nodes: Nodes, conditions: str, width: int) -> str:
    return nodes.add("Greater", nodes.total(nodes.number(conditions), width), nodes.constant([[0.5]]))


def _not_finite(nodes: Nodes, values: str, width: int) -> str:
    """Return whether a row has a value that is infinite or NaN, of which a product with 0 is NaN."""
    return _any(nodes, nodes.add("IsNaN", nodes.add("Mul", values, nodes.constant([[0.0]]))), width)


def _refused(nodes: Nodes, formula: Formula, values: str, zeros: str) -> str:
    """Return the rows that predict refuses."""
    found = nodes.add("Greater", zeros, nodes.constant([[1.0]]))
    columns = list(enumerate(formula.columns))
    if numbers := [place for place, column in columns if column.kind == "number"]:
        size = nodes.add("Abs", nodes.take(values, numbers))
        infinite = nodes.add("Equal", size, nodes.constant([[math.inf]]))
        found = nodes.add("Or", found, _any(nodes, infinite, len(numbers)))
    if needed := [place for place, column in columns if not column.allows_missing]:
        missing = nodes.add("IsNaN", nodes.take(values, needed))
        found = nodes.add("Or", found, _any(nodes, missing, len(needed)))
    if coded := [place for place, column in columns if column.is_coded and column.unknown == "refused"]:
        unknown = nodes.add("Equal", nodes.take(values, coded), nodes.constant([[-2.0]]))
        found = nodes.add("Or", found, _any(nodes, unknown, len(coded)))
    return found


def _label(nodes: Nodes, formula: Formula, decision: str, refused: str) -> str:
    """Return the predicted classes; a refused row has the one that stands before them."""
    classes = formula.classes or ()
    if len(formula.outputs) == 1:
        zero = nodes.constant([[0.0]])
        if formula.comparison == ">":
            positive = nodes.add("Greater", decision, zero)
        else:
            positive = nodes.add("Not", nodes.add("Less", decision, zero))
        place = nodes.add("Cast", positive, to=INT64)
    else:
        nodes.add("TopK", decision, nodes.constant([1], np.int64), n_outputs=2, axis=1)
        place = nodes.nodes[-1].outputs[1]
    after = nodes.add("Add", place, nodes.constant([[1]], np.int64))
    place = nodes.add("Where", refused, nodes.constant([[0]], np.int64), after)
    flat = nodes.add("Reshape", place, nodes.constant([-1], np.int64))
    kind = label_type(formula)
    if kind == STRING:
        labels = nodes.constant(["", *map(str, classes)], np.object_)
    elif kind == INT64:
        labels = nodes.constant([np.iinfo(np.int64).min, *map(int, classes)], np.int64)
    else:
        labels = nodes.constant([math.nan, *classes])
    return nodes.add("Gather", labels, flat)


def _of_score(nodes: Nodes, log_odds: tuple[float, float], score: str) -> str:
    """Return the probability of the event at the score of a card."""
    unit, even = (nodes.constant([[value]]) for value in log_odds)
    one, odds = nodes.constant([[1.0]]), nodes.add("Div", nodes.add("Sub", score, even), unit)
    tail = nodes.add("Exp", nodes.add("Neg", nodes.add("Abs", odds)))
    part = nodes.add("Where", nodes.add("Greater", odds, nodes.constant([[0.0]])), one, tail)
    return nodes.add("Div", part, nodes.add("Add", tail, one))


def _probabilities(nodes: Nodes, formula: Formula, decision: str) -> str | None:
    if formula.link == "label":
        return None
    n_outputs, one = len(formula.outputs), nodes.constant([[1.0]])
    if formula.link == "clipped":
        half = nodes.add("Div", nodes.add("Add", decision, one), nodes.constant([[2.0]]))
        share = nodes.add("Min", nodes.add("Max", half, nodes.constant([[0.0]])), one)
        if n_outputs == 1:
            return nodes.concat([nodes.add("Sub", one, share), share])
        total = nodes.total(share, n_outputs)
        is_empty = nodes.add("Equal", total, nodes.constant([[0.0]]))
        equal = nodes.constant([[1.0 / n_outputs]])
        return nodes.add("Where", is_empty, equal, nodes.add("Div", share, total))
    odds = nodes.add("Mul", decision, nodes.constant([[formula.scale]]))
    tail = nodes.add("Exp", nodes.add("Neg", nodes.add("Abs", odds)))
    above = nodes.add("Add", tail, one)
    if n_outputs == 1:
        small, large = nodes.add("Div", tail, above), nodes.add("Div", one, above)
        positive = nodes.add("Greater", odds, nodes.constant([[0.0]]))
        first = nodes.add("Where", positive, small, large)
        return nodes.concat([first, nodes.add("Where", positive, large, small)])
    logs = nodes.add("Sub", nodes.add("Min", odds, nodes.constant([[0.0]])), nodes.add("Log", above))
    largest = nodes.add("TopK", logs, nodes.constant([1], np.int64), n_outputs=2, axis=1)
    shares = nodes.add("Exp", nodes.add("Sub", logs, largest))
    return nodes.add("Div", shares, nodes.total(shares, n_outputs))
