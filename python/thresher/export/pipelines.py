"""Models inside a scikit-learn pipeline, for skl2onnx."""

from __future__ import annotations

import importlib
from typing import Any

from ..model_io.registry import registered
from .build import formula_of
from .formula import Formula
from .onnx_graph import answers_of, is_text, label_type
from .onnx_nodes import DOUBLE, INT64, Nodes


def register_converters() -> None:
    """Register all models of tables with skl2onnx, so that ``skl2onnx.to_onnx`` converts pipelines.

    A model takes the matrix of the step before it; a missing number is NaN. The results are a label and
    probabilities (of a loss without them decision values), or the predictions, in double precision.

    Raises
    ------
    ImportError
        If the package skl2onnx is not installed.

    Examples
    --------
    >>> register_converters()
    """
    try:
        skl2onnx = importlib.import_module("skl2onnx")
    except ImportError:
        raise ImportError("pipelines need the package skl2onnx: pip install skl2onnx") from None
    for estimator in registered():
        name = estimator.__name__
        if not name.startswith(("Sequence", "Graph")):
            skl2onnx.update_registered_converter(
                estimator, f"Thresher{name}", _shapes, _convert, overwrite=True
            )


def _formula(operator: Any) -> Formula:
    formula = formula_of(operator.raw_operator)
    texts = [column.name for column in formula.columns if is_text(column)]
    if texts or len(operator.inputs) != 1:
        raise ValueError(
            "skl2onnx gives a model one matrix of numbers, and this one was fitted on "
            f"{'the texts of ' + repr(texts[0]) if texts else 'several inputs'}; encode them in the "
            "pipeline, or use to_onnx of the model alone"
        )
    return formula


def _shapes(operator: Any) -> None:
    """Declare the types of the results."""
    types = importlib.import_module("skl2onnx.common.data_types")
    formula = _formula(operator)
    rows = operator.inputs[0].get_first_dimension()
    if formula.classes is None:
        operator.outputs[0].type = types.DoubleTensorType([rows, len(formula.outputs)])
        return
    kinds = {DOUBLE: types.DoubleTensorType, INT64: types.Int64TensorType}
    operator.outputs[0].type = kinds.get(label_type(formula), types.StringTensorType)([rows])
    width = len(formula.classes) if formula.has_probabilities else len(formula.outputs)
    operator.outputs[1].type = types.DoubleTensorType([rows, width])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a model."""
    tensors, to_tensor = (
        importlib.import_module("onnx").TensorProto,
        importlib.import_module("onnx").numpy_helper,
    )
    formula, nodes = _formula(operator), Nodes()
    names = {"thresher X": operator.inputs[0].full_name}
    matrix = nodes.add("Cast", "thresher X", to=DOUBLE)
    cells = [nodes.take(matrix, [column.position]) for column in formula.columns]
    answers = answers_of(nodes, formula, cells, matrix)
    for name, values in nodes.constants.items():
        names[name] = scope.get_unique_variable_name("thresher_constant")
        if values.dtype.kind == "O":
            texts = [text.encode() for text in values.ravel().tolist()]
            container.add_initializer(names[name], tensors.STRING, list(values.shape), texts)
        else:
            container.add_initializer(names[name], None, None, to_tensor.from_array(values, names[name]))
    for node in nodes.nodes:
        names.update({name: scope.get_unique_variable_name("thresher_value") for name in node.outputs})
        own = [[names[name] for name in part] for part in (node.inputs, node.outputs)]
        title = scope.get_unique_operator_name(node.operator)
        container.add_node(node.operator, *own, op_domain=node.domain, name=title, **node.attributes)
    second = answers.decision if answers.probabilities is None else answers.probabilities
    for variable, name in zip(operator.outputs, [answers.prediction, second], strict=False):
        title = scope.get_unique_operator_name("Identity")
        container.add_node("Identity", names[name], variable.full_name, name=title)
