"""Models inside a scikit-learn pipeline, for skl2onnx."""

from __future__ import annotations

import importlib
from typing import Any

from sklearn.base import is_classifier

from ..model_io.registry import ESTIMATORS
from ..public_names import load
from .build import formula_of
from .formula import Formula
from .onnx_graph import answers_of, is_text, label_type
from .onnx_nodes import DOUBLE, INT64, Nodes

_OPTIONS = {
    "zipmap": [True, False],  # of no effect: probabilities are a matrix
    "raw_scores": [True, False],
}
"""Those of a classifier, by the names of skl2onnx."""


def register_converters() -> None:
    """Register all models of tables with skl2onnx, so that ``skl2onnx.to_onnx`` converts pipelines.

    A model takes the matrix of the step before it; a missing number is NaN. The results are a label and
    probabilities (of a loss without them decision values), or the predictions, in double precision. The
    option ``raw_scores`` of a classifier asks for decision values instead of probabilities, as scikit-learn's
    ``CalibratedClassifierCV`` needs them; skl2onnx sets it by itself.

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
    for name in ESTIMATORS:
        if not name.startswith(("Sequence", "Graph")):
            estimator = load(name)
            own = {"options": _OPTIONS, "parser": _parse} if is_classifier(estimator()) else {}
            skl2onnx.update_registered_converter(
                estimator, _alias(estimator), _shapes, _convert, overwrite=True, **own
            )


def _alias(estimator: type) -> str:
    return f"Thresher{estimator.__name__}"


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:  # noqa: ARG001
    """Declare a label and a matrix; skl2onnx would add a list of dicts, which cannot hold doubles."""
    double = importlib.import_module("skl2onnx.common.data_types").DoubleTensorType
    operator = scope.declare_local_operator(_alias(type(model)), model)
    operator.inputs = inputs
    for name in ("label", "probabilities"):
        operator.outputs.append(scope.declare_local_variable(name, double()))
    return operator.outputs


def _has_scores(operator: Any) -> bool:
    """Return whether the second result is the decision values of all classes, as a calibration needs them."""
    options = operator.scope_inst.get_options(operator.raw_operator, {"raw_scores": False}, fail=False)
    return bool(options["raw_scores"])


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
    if _has_scores(operator):
        operator.outputs[1].type = type(operator.inputs[0].type)([rows, len(formula.classes)])
        return
    width = len(formula.classes) if formula.has_probabilities else len(formula.outputs)
    operator.outputs[1].type = types.DoubleTensorType([rows, width])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a model."""
    tensors, to_tensor = (
        importlib.import_module("onnx").TensorProto,
        importlib.import_module("onnx").numpy_helper,
    )
    guess_proto_type = importlib.import_module("skl2onnx.common.data_types").guess_proto_type
    formula, nodes = _formula(operator), Nodes()
    names = {"thresher X": operator.inputs[0].full_name}
    matrix = nodes.add("Cast", "thresher X", to=DOUBLE)
    cells = [nodes.take(matrix, [column.position]) for column in formula.columns]
    answers = answers_of(nodes, formula, cells, matrix)
    second = answers.decision if answers.probabilities is None else answers.probabilities
    if formula.classes is not None and _has_scores(operator):
        second = answers.decision
        if len(formula.outputs) == 1:
            second = nodes.concat([nodes.add("Neg", second), second])
        second = nodes.add("Cast", second, to=guess_proto_type(operator.outputs[1].type))
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
    for variable, name in zip(operator.outputs, [answers.prediction, second], strict=False):
        title = scope.get_unique_operator_name("Identity")
        container.add_node("Identity", names[name], variable.full_name, name=title)
