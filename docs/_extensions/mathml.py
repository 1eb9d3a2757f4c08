"""The math renderer `mathml`: formulas as MathML, which every browser draws by itself.

Reading a page needs no script and no network. latex2mathml knows the symbols of TeX; here they get its
spaces.
"""

from xml.etree import ElementTree as ET

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_FUNCTIONS = {"log", "ln", "exp", "cosh", "artanh"}
_LIMITS = {"min", "max", "\u2211"}  # what stands below them in a displayed formula
_BARS = {"|", "\u2016"}  # without a form of their own browsers space them as relations
_THIN = "0.167em"

ET.register_namespace("", _NAMESPACE)


def _name(element: ET.Element) -> str:
    return element.tag.removeprefix(f"{{{_NAMESPACE}}}")


def _space_functions(row: ET.Element) -> None:
    """Put a thin space between the name of a function and its neighbours, unless they are signs."""
    children = list(row)
    for k, child in reversed(list(enumerate(children))):
        if child.text not in _FUNCTIONS:
            continue
        after, before = children[k + 1 : k + 2], children[:k][-1:]
        if after and _name(after[0]) not in ("mo", "mspace"):
            row.insert(k + 1, ET.Element(f"{{{_NAMESPACE}}}mspace", width=_THIN))
        is_sign = bool(before) and _name(before[0]) in ("mo", "mspace") and before[0].text != ")"
        if before and not is_sign and before[0].text not in _FUNCTIONS:
            row.insert(k, ET.Element(f"{{{_NAMESPACE}}}mspace", width=_THIN))


def to_mathml(latex: str, display: str = "inline") -> str:
    """Translate a formula of LaTeX.

    >>> 'lspace="0"' in to_mathml(r"|w|")
    True
    """
    root = ET.fromstring(convert(latex, display=display))
    for element in root.iter():
        if _name(element) == "mo" and element.text in _BARS:
            is_large = "true" if "minsize" in element.attrib else "false"
            element.attrib.update(lspace="0", rspace="0", stretchy=is_large, symmetric=is_large)
        if _name(element) == "msub" and element[0].text in _LIMITS and display == "block":
            element.tag = f"{{{_NAMESPACE}}}munder"
        if _name(element) == "mrow":
            _space_functions(element)
    return ET.tostring(root, encoding="unicode")


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{to_mathml(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
