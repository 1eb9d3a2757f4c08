"""Models as Python, JavaScript and C: the bits of predict."""

import pytest

from thresher.export.build import formula_of

from .exported import KINDS, agree, case, records, run_c, run_javascript, run_python


@pytest.mark.parametrize("kind", KINDS)
def test_python_gives_the_bits_of_predict(kind):
    model, rows, wanted = case(kind)
    agree(wanted, run_python(model.to_python(), records(rows)))


@pytest.mark.parametrize("kind", KINDS)
def test_javascript_gives_the_bits_of_predict(kind, tmp_path):
    model, rows, wanted = case(kind)
    agree(wanted, run_javascript(model.to_javascript(), records(rows), tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_c_gives_the_bits_of_predict(kind, tmp_path):
    model, rows, wanted = case(kind)
    agree(wanted, run_c(model.to_c(), formula_of(model), records(rows), tmp_path))
