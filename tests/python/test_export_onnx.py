"""Models as ONNX graphs, run by onnxruntime."""

import pytest

from thresher.export.build import formula_of

from .exported import KINDS, agree, case, run_onnx


@pytest.mark.parametrize("kind", KINDS)
def test_onnx_gives_the_bits_of_predict(kind):
    model, rows, wanted = case(kind)
    agree(wanted, run_onnx(model.to_onnx(), formula_of(model), rows), exact=kind != "machine-subsets")
