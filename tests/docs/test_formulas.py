"""Formulas of docstrings as the site shows them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_extensions"))
pytest.importorskip("sphinx")
formulas = pytest.importorskip("formulas")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("(1/n) sum_i v_i loss(y_i, f(x_i))", r"\frac{1}{n} \sum_{i} v_{i} \mathrm{loss}(y_{i}, f(x_{i}))"),
        ("alpha sum_k c_k |w_k|", r"\alpha  \sum_{k} c_{k} \lvert w_{k}\rvert "),
        ("lambda2 * ||w||_2^2", r"\lambda_{2}\, \lVert w\rVert _{2}^2"),
        ("||f_D(v)||_rho", r"\lVert f_{D(v)}\rVert _{\rho}"),
        ("l2_linear ||w||^2", r"\text{l2_linear} \lVert w\rVert ^2"),
        ("lambda2 * sum of squared jumps", r"\lambda_{2}\, \text{sum of squared jumps}"),
        ("sd_j", r"\mathrm{sd}_{j}"),
    ],
)
def test_translation(text, latex):
    assert formulas.to_latex(text) == latex


def test_formulas_become_math_and_examples_stay():
    lines = ["It minimises", "", "    sum_i v_i", "", "with", "", "    >>> sum(x)", ""]
    lines += [":Parameters:", "", "    sum_k"]
    formulas.typeset(None, "class", "", None, None, lines)
    assert lines[2:5] == [".. math::", "", r"   \sum_{i} v_{i}"]
    assert "    >>> sum(x)" in lines
    assert lines[-1] == "    sum_k"
