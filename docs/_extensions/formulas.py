"""Formulas of docstrings, typeset.

Docstrings are read in terminals first: their objectives are plain text such as
``sum_i v_i loss(y_i f(x_i)) + alpha ||w||_1``, indented. The site shows the same lines as formulas;
`prose` does so for those inside a sentence.
"""

import re

import prose  # of this folder
from sphinx.application import Sphinx

_GREEK = {"alpha", "beta", "gamma", "delta", "lambda", "phi", "rho", "tau", "Omega"}
_FUNCTIONS = {"cosh", "exp", "ln", "log", "max", "min"}
_RELATIONS = {"<=": r"\le ", ">=": r"\ge "}
_PHRASES = ("sum of squared jumps", "mean loss")
_TOKEN = re.compile(
    r"(?P<phrase>" + "|".join(_PHRASES) + r")|(?P<command>\\quad)"
    r"|(?P<fraction>\(1/n\)|alpha/2)"
    r"|(?P<sum>\b(?P<total>sum|prod)(?:_(?P<over>[a-z]+|\{[^}]*\}))?)"
    r"|(?P<relation><=|>=)|(?P<inner><(?P<pair>\w+, \w+)>)|(?P<root>sqrt(?=\{))"
    r"|(?P<above>\^\d+)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]\w{2,})+|[A-Za-z]+\d?)"
    r"|(?P<below>_(?:[A-Z]\([a-z]\)|\w+))"
    r"|(?P<norm>\|\|)|(?P<bar>\|)|(?P<times> ?\* ?)|(?P<other>.)"
)
_FRACTIONS = {"(1/n)": r"\frac{1}{n}", "alpha/2": r"\frac{\alpha}{2}"}


def _word(text: str) -> str:
    if "_" in text:
        return rf"\text{{{text}}}"
    if text in _FUNCTIONS:
        return rf"\{text} "
    name, digit = re.fullmatch(r"([A-Za-z]+)(\d?)", text).groups()
    base = "\\" + name if name in _GREEK else name if len(name) == 1 else rf"\mathrm{{{name}}}"
    return base + (f"_{{{digit}}}" if digit else " " if name in _GREEK else "")


def _brace_roots(text: str) -> str:
    """Write the arguments of roots in braces: sqrt(s (1 - s)) becomes sqrt{s (1 - s)}."""
    while (start := text.find("sqrt(")) >= 0:
        start += len("sqrt")
        depth, end = 1, start + 1
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = f"{text[:start]}{{{text[start + 1 : end - 1]}}}{text[end:]}"
    return text


def to_latex(text: str) -> str:
    """Translate one formula.

    >>> to_latex("alpha sum_k c_k |w_k|")
    '\\\\alpha  \\\\sum_{k} c_{k} \\\\lvert w_{k}\\\\rvert '
    """
    text = re.sub(r"\^\|(\w+)\|", r"^{|\1|}", text)  # a script is a group
    text = _brace_roots(re.sub(r" {2,}", r" \\quad ", text))
    parts, is_open = [], {"norm": False, "bar": False}
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match[0]
        if match["sum"]:
            over = (match["over"] or "").strip("{}").replace(" in ", r" \in ")
            parts.append(rf"\{match['total']}_{{{over}}}" if over else rf"\{match['total']} ")
        elif kind == "relation":
            parts.append(_RELATIONS[found])
        elif kind == "inner":
            parts.append(rf"\langle {to_latex(match['pair'])}\rangle ")
        elif kind == "root":
            parts.append(r"\sqrt ")
        elif kind == "above":
            parts.append(f"^{{{found[1:]}}}")
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
        if re.match(r":\w+:|\.\. rubric::", lines[k]):
            break  # the sections of numpydoc
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
    lines[:] = prose.typeset(out + lines[k:], to_latex)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register after numpydoc, and before bars are escaped."""
    app.connect("autodoc-process-docstring", typeset, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
