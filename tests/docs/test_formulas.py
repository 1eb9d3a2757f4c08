"""Formulas of docstrings as the site shows them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_extensions"))
pytest.importorskip("sphinx")
formulas = pytest.importorskip("formulas")
prose = pytest.importorskip("prose")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("(1/n) sum_i v_i loss(y_i, f(x_i))", r"\frac{1}{n} \sum_{i} v_{i} \mathrm{loss}(y_{i}, f(x_{i}))"),
        ("alpha sum_k c_k |w_k|", r"\alpha  \sum_{k} c_{k} \lvert w_{k}\rvert "),
        ("lambda2 * ||w||_2^2", r"\lambda_{2}\, \lVert w\rVert _{2}^{2}"),
        ("||f_D(v)||_rho", r"\lVert f_{D(v)}\rVert _{\rho}"),
        ("l2_linear ||w||^2", r"\text{l2_linear} \lVert w\rVert ^{2}"),
        ("lambda2 * sum of squared jumps", r"\lambda_{2}\, \text{sum of squared jumps}"),
        ("sd_j", r"\mathrm{sd}_{j}"),
        ("sqrt(s (1 - s))", r"\sqrt {s (1 - s)}"),
        ("sum_{i<j} <p_i, p_j> x_i", r"\sum_{i<j} \langle p_{i}, p_{j}\rangle  x_{i}"),
        ("sum_{i in R} r_i <= e^20", r"\sum_{i \in R} r_{i} \le  e^{20}"),
    ],
)
def test_translation(text, latex):
    assert formulas.to_latex(text) == latex


def test_formulas_become_math_and_examples_stay():
    lines = ["It minimises", "", "    sum_i v_i", "", "with", "", "    >>> sum(x)", ""]
    lines += [":Returns:", "", "    The sum of all."]
    formulas.typeset(None, "class", "", None, None, lines)
    assert lines[2:5] == [".. math::", "", r"   \sum_{i} v_{i}"]
    assert "    >>> sum(x)" in lines
    assert lines[-1] == "    The sum of all."


@pytest.mark.parametrize(
    ("text", "formulas_in_it"),
    [
        ("The model is f(x) = b + sum_j a_j x_j, with r_k the box", ["f(x) = b + sum_j a_j x_j", "r_k"]),
        ("c_k = 1 + `growth_rate` (length_k - 1). A rule", ["c_k = 1 + growth_rate (length_k - 1)"]),
        ("up to |y - f| = delta and linear", ["|y - f| = delta"]),
        ("(|coef| sqrt(s (1 - s)), s the support)", ["|coef| sqrt(s (1 - s))"]),
        ("w_k [x contains every item], a sum over\n    all of them", ["w_k"]),
        ("least (1/n) sum_i v_i (w_k\nx_ik)^2 of a model", ["(1/n) sum_i v_i (w_k x_ik)^2"]),
        ("``x_j`` and `y_j` with n_jobs=2, tol=1e-6, a (b) and y in {-1, +1}", []),
        ("I have a set of 3 - 4 rows, one-against-rest", []),
        ("(a factor c_g), or (b", ["c_g"]),
    ],
)
def test_formulas_in_sentences(text, formulas_in_it):
    found = []
    lines = prose.typeset(text.split("\n"), lambda part: found.append(part) or "")
    assert found == formulas_in_it
    assert len(" ".join(lines).split(":math:``")) == len(found) + 1


def test_examples_and_directives_are_no_sentences():
    lines = [">>> x_j = f(x)", "x_k", "", ".. math::", "", "   x_j", "", "with x_j"]
    assert prose.typeset(lines, str.upper) == [*lines[:-1], "with :math:`X_J`"]
