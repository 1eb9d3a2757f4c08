"""Formulas as the browser gets them."""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_extensions"))
pytest.importorskip("sphinx")
mathml = pytest.importorskip("mathml")
MATH = "{http://www.w3.org/1998/Math/MathML}"


def parts(latex, display="inline"):
    root = ET.fromstring(mathml.to_mathml(latex, display))
    return [(each.tag.removeprefix(MATH), each.text) for each in root.iter()]


@pytest.mark.parametrize("latex", [r"\log n", r"2 \ln \frac{n}{N}", r"\log \cosh(x)", r"(k + 1) \log(x)"])
def test_names_of_functions_stand_apart(latex):
    assert sum(name == "mspace" for name, _ in parts(latex)) == (2 if "frac" in latex else 1)


def test_no_space_before_brackets():
    assert ("mspace", None) not in parts(r"= \log(x)")


def test_limits_stand_below_in_a_display():
    assert ("munder", None) in parts(r"\min_{f, b} f", "block")
    assert ("munder", None) in parts(r"{\Bigl( \sum_v f \Bigr)}^2", "block")
    assert ("munder", None) not in parts(r"\min_{f, b} f")


def test_bars_are_no_relations():
    root = ET.fromstring(mathml.to_mathml(r"c\, \lvert w \rvert + \Big| u \Big| + \lVert v \rVert_2"))
    bars = [each for each in root.iter(MATH + "mo") if each.text in ("|", "\u2016")]
    assert [bar.get("lspace") + bar.get("rspace") for bar in bars] == ["00"] * 6
    assert [bar.get("stretchy") for bar in bars] == ["false"] * 2 + ["true"] * 2 + ["false"] * 2
