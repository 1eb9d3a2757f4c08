"""Formulas inside the sentences of docstrings: where they begin and end.

A formula is a run of symbols, numbers and operators such as ``c_k = 1 + n (k - 1)``. Single letters occur in
prose, so a run counts only if something in it is never prose: a subscript, a power, a sum, a bar, a function.
"""

import re
from collections.abc import Callable

_TOKENS = [
    r"(?:sum|prod)(?:_(?:\{[^{}]*\}|[a-z](?!\w)))",
    r"(?:exp|log|max|min|sqrt|cosh|loss)(?=\()",
    r"loss(?= [=/])|ridge(?= sum)|\|coef\||(?:length|loss|size|sd)_[a-z](?!\w)",
    r"(?:alpha|beta|gamma|delta|lambda|phi|rho|tau)(?:_[a-z])?(?!\w)",
    r"<\w+, \w+>",
    r"`[a-z]+_[a-z]+`(?= \()",  # a parameter, followed by what it multiplies
    r"(?<!\w)[A-Za-z](?:_(?:[A-Z]\([a-z]\)|[A-Za-z0-9]{1,2}))?(?![\w'’.-]*[^\W_])",
    r"(?<!\w)\d+(?:\.\d+)?(?![\w.]*\w)",
    r"\|\|(?:_[a-z0-9]+)?(?!\w)",
    r"<=|>=|[-+*/=<>^|(){}\[\],]",
    r"[ ]|\n *",
]
_RUN = re.compile(rf"``[^`]*``|:[a-z:]+:`[^`]*`|(?P<run>(?:{'|'.join(_TOKENS)})+)|`[^`]*`_*")
_STRONG = re.compile(
    r"(?<!\w)(?:[A-Za-z]|length|loss|size|sd)_[A-Za-z0-9]|[\w)]\^|(?:sum|prod)_|\|.+\|"
    r"|(?:exp|log|max|sqrt|cosh)\(|f\(x\) ="
)
_OPENING, _CLOSING = "([{", ")]}"


def _split(run: str) -> list[str]:
    """Divide a run at the commas outside of brackets; joined again the parts are the run."""
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(run):
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if letter == "," and depth <= 0 and not re.match(r"\w+>", run[k + 2 :]):
            parts += [run[start:k], ","]
            start = k + 1
    return [*parts, run[start:]]


def _unmatched(text: str) -> int | None:
    """Return the place of the first bracket without a partner, None if there is none."""
    opened = []
    for k, letter in enumerate(text):
        if letter in _OPENING:
            opened.append(k)
        elif letter in _CLOSING:
            if not opened:
                return k
            opened.pop()
    return opened[0] if opened else None


def _trim(part: str) -> tuple[str, str, str]:
    """Divide a part into what comes before the formula, the formula, and what comes after it."""
    start, end = 0, len(part)
    while True:
        text = part[start:end]
        if cut := re.match(r"\s+|[+*/=<>^\])},]\s*|[aAI]\s+(?![-+*/=<>^])", text):
            start += cut.end()
        elif cut := re.search(r"\s+$|[-+*/=<>^(\[{,]\s*$|\s[aAI]$", text):
            end = start + cut.start()
        elif (place := _unmatched(text)) is not None:
            if place == 0:
                start += 1
            else:
                end = start + place
        else:
            return part[:start], text, part[end:]


def _replace(text: str, to_latex: Callable[[str], str]) -> str:
    def formula(part: str) -> str:
        before, inside, after = _trim(part)
        if len(inner := _split(inside)) > 1:
            return before + "".join(map(formula, inner)) + after
        if not _STRONG.search(inside):
            return part
        source = re.sub(r"\s+", " ", inside).replace("`", "")
        return f"{before}:math:`{to_latex(source).strip()}`{after}"

    def run(match: re.Match[str]) -> str:
        return "".join(map(formula, _split(match[0]))) if match["run"] else match[0]

    return _RUN.sub(run, text)


def _is_prose(line: str, is_code: bool) -> bool:
    return bool(line.strip()) and not is_code and not line.lstrip().startswith((">>>", "..", ":"))


def typeset(lines: list[str], to_latex: Callable[[str], str]) -> list[str]:
    """Replace the formulas of paragraphs; examples, directives and their content stay."""
    out, paragraph, is_code, margin = [], [], False, 0
    for line in [*lines, ""]:
        indent = len(line) - len(line.lstrip())
        if line.strip() and is_code and indent <= margin and margin >= 0:
            is_code = False
        if line.lstrip().startswith(".. ") and "rubric" not in line and "::" in line:
            is_code, margin = True, indent
        elif line.lstrip().startswith(">>>"):
            is_code, margin = True, -1  # up to the next empty line
        elif not line.strip() and margin < 0:
            is_code, margin = False, 0
        is_prose = _is_prose(line, is_code)
        if paragraph and (not is_prose or indent != len(paragraph[0]) - len(paragraph[0].lstrip())):
            out += _replace("\n".join(paragraph), to_latex).split("\n")
            paragraph = []
        if is_prose:
            paragraph.append(line)
        else:
            out.append(line)
    return out[:-1]
