"""Formulas of docstrings, typeset.

Docstrings are read in terminals first: their objectives are plain text such as
``sum_i v_i loss(y_i f(x_i)) + alpha ||w||_1``, indented. The site shows the same lines as formulas.
"""

import re

from sphinx.application import Sphinx

_GREEK = {"alpha", "beta", "gamma", "delta", "lambda", "rho", "tau", "Omega"}
_PHRASES = ("sum of squared jumps", "mean loss")
_TOKEN = re.compile(
    r"(?P<phrase>" + "|".join(_PHRASES) + r")|(?P<command>\\quad)"
    r"|(?P<fraction>\(1/n\)|alpha/2)"
    r"|(?P<sum>\bsum(?:_(?P<over>[a-z]+))?)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]\w{2,})+|[A-Za-z]+\d?)"
    r"|(?P<below>_(?:[A-Z]\([a-z]\)|\w+))"
    r"|(?P<norm>\|\|)|(?P<bar>\|)|(?P<times> ?\* ?)|(?P<other>.)"
)
_FRACTIONS = {"(1/n)": r"\frac{1}{n}", "alpha/2": r"\frac{\alpha}{2}"}


def _word(text: str) -> str:
    if "_" in text:
        return rf"\text{{{text}}}"
    if text == "ln":
        return r"\ln "
    name, digit = re.fullmatch(r"([A-Za-z]+)(\d?)", text).groups()
    base = "\\" + name if name in _GREEK else name if len(name) == 1 else rf"\mathrm{{{name}}}"
    return base + (f"_{{{digit}}}" if digit else " " if name in _GREEK else "")


def to_latex(text: str) -> str:
    """Translate one formula.

    >>> to_latex("alpha sum_k c_k |w_k|")
    '\\\\alpha  \\\\sum_{k} c_{k} \\\\lvert w_{k}\\\\rvert '
    """
    text = re.sub(r"\^\|(\w+)\|", r"^{|\1|}", text)  # a script is a group
    text = re.sub(r" {2,}", r" \\quad ", text)
    parts, is_open = [], {"norm": False, "bar": False}
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match[0]
        if match["sum"]:
            parts.append(rf"\sum_{{{match['over']}}}" if match["over"] else r"\sum ")
        elif kind == "phrase":
            parts.append(rf"\text{{{found}}}")
        elif kind == "command":
            parts.append(found)
        elif kind == "fraction":
            parts.append(_FRACTIONS[found])
        elif kind == "word":
            parts.append(_word(found))
        elif kind == "below":
            below = found[1:]
            parts.append("_{" + (rf"\{below}" if below in _GREEK else below) + "}")
        elif kind in is_open:
            is_open[kind] = not is_open[kind]
            name = "Vert" if kind == "norm" else "vert"
            parts.append(rf"\l{name} " if is_open[kind] else rf"\r{name} ")
        elif kind == "times":
            parts.append(r"\, ")
        else:
            parts.append(found)
    return "".join(parts)


def _is_formula(block: list[str]) -> bool:
    text = " ".join(block)
    is_list = text.lstrip().startswith((">>>", "*", "-"))
    return not is_list and re.search(r"\bsum\b|\bsum_|\|\||\bln\b", text) is not None


def typeset(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Replace the indented formulas above the first section by math directives."""
    out, k = [], 0
    while k < len(lines):
        if lines[k].startswith((":Parameters:", ".. rubric::")):
            break
        block = []
        while k < len(lines) and lines[k].startswith("    ") and (block or not out or not out[-1].strip()):
            block.append(lines[k].strip())
            k += 1
        if block and _is_formula(block):
            out += [".. math::", "", "   " + to_latex(" ".join(block)), ""]
        elif block:
            out += ["    " + row for row in block]
        else:
            out.append(lines[k])
            k += 1
    lines[:] = out + lines[k:]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register after numpydoc, and before bars are escaped."""
    app.connect("autodoc-process-docstring", typeset, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
