"""The template of the page: escaping, and the policy that admits nothing but its own scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from typing import Any

from ..formatting.numbers import format_weight

_SCRIPTS = (
    "logic",
    "draw",
    "terms",
    "shapes",
    "paths",
    "performance",
    "cutoff",
    "bands",
    "reasons",
    "form",
    "main",
)
_MOST_DECIMALS, _LARGEST = 8, 1e7  # beyond them a column has powers of ten
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(page: dict[str, Any], payload: dict[str, Any], codes: Sequence[str | None]) -> str:
    """Return the page; `page` fills the template, `payload` the scripts, `codes` score in the browser.

    Raises
    ------
    ImportError
        If Jinja is not installed.
    """
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError as error:
        raise ImportError("reports need Jinja: pip install 'thresher[report]'") from error
    folder = files(__package__)
    style = (folder / "page.css").read_text(encoding="utf-8")
    scripts = [(folder / "js" / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS[:-1]]
    scripts += [_scorer(number, code) for number, code in enumerate(codes) if code is not None]
    scripts.append((folder / "js" / f"{_SCRIPTS[-1]}.js").read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = lambda value: value if isinstance(value, str) else format_metric(value)
    environment.filters["by_column"] = format_by_column
    environment.filters["alike"] = format_alike
    environment.filters["three_decimals"] = _three_decimals
    environment.filters["percent"] = format_fraction
    environment.filters["count"] = format_weight
    template = environment.from_string((folder / "page.html.j2").read_text(encoding="utf-8"))
    html = template.render(
        **page,
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        payload=Markup(embedded(payload)),
        policy=_policy(style, scripts),
    )
    return html.encode("utf-8", "replace").decode()  # half a pair of surrogates in a name is no text


def _scorer(number: int, code: str) -> str:
    """Return a script that keeps the function of a model, whose own names stay inside."""
    return f"Report.scores[{number}] = (() => {{\n{code}\nreturn score;\n}})();\n"


def _policy(style: str, scripts: Sequence[str]) -> str:
    """Return a content security policy: no network, one style sheet, and these scripts by their hashes."""

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    listed = " ".join(map(hashed, scripts))
    allowed = f"style-src {hashed(style)}; script-src {listed}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def embedded(value: Any) -> str:
    """Write data as JSON that may stand inside a script element."""
    text = json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text


def _finite(value: Any) -> Any:
    """Replace what JSON cannot hold: NumPy's numbers by Python's, numbers that are not finite by null."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def format_fraction(value: float | None) -> str:
    """Write a fraction as the scripts do: halves are rounded up, 26.25 % to 26.3 %."""
    if value is None or not math.isfinite(value):
        return "–"
    if 0 < value < 0.0005:
        return "<0.1%"
    return f"{Decimal(f'{100 * value:.10g}').quantize(Decimal('0.1'), ROUND_HALF_UP)}%"


def _three_decimals(value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else f"{value:.3f}".replace("-", "−")


def format_by_column(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Write the lines of a table: a name, and numbers with the same decimals for each column.

    Examples
    --------
    >>> format_by_column([["own", 3, 0.000593, -0.01], ["rent", 1200, 0.2, None]])
    [['own', '3', '0.0006', '−0.01000'], ['rent', '1,200', '0.2000', '–']]
    """
    names, *columns = zip(*rows, strict=True)
    return list(map(list, zip(names, *map(_aligned, columns), strict=True)))


def format_alike(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Write the lines of a table: a name, and numbers with the same decimals in all cells.

    Examples
    --------
    >>> format_alike([["no", 812.25, 7.0], ["yes", 30.125, 51.5]])
    [['no', '812.2', '7.0'], ['yes', '30.1', '51.5']]
    >>> format_alike([["no", 812.0, 7.0]])
    [['no', '812', '7']]
    """
    values = [value for _, *row in rows for value in row]
    texts = iter(_aligned([int(value) for value in values] if all(map(_is_whole, values)) else values))
    return [[name, *(next(texts) for _ in row)] for name, *row in rows]


def _is_whole(value: float) -> bool:
    return float(value).is_integer()


def _aligned(values: Sequence[float | None]) -> list[str]:
    """Write numbers with the same decimals, four digits of the largest."""
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(known, default=0.0)
    decimals = 0 if not largest else max(0, 3 - math.floor(math.log10(largest)))
    if all(isinstance(value, int) for value in values if value is not None):
        form = ",d"
    else:
        form = f",.{decimals}f" if decimals <= _MOST_DECIMALS and largest < _LARGEST else ".3e"
    return [
        "–" if value is None or not math.isfinite(value) else format(value, form).replace("-", "−")
        for value in values
    ]


def format_metric(value: float | None) -> str:
    """Write a number of a table: four decimals, or four digits where it is large or small; a count in full.

    Examples
    --------
    >>> format_metric(0.83), format_metric(12345.678), format_metric(2e-7), format_metric(200)
    ('0.8300', '12,345.7', '2.000e-07', '200')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e7 or size < 1e-3:
        text = f"{value:.3e}"
    elif size >= 1000:
        text = f"{value:,.1f}"
    else:
        text = f"{value:.2f}" if size >= 100 else f"{value:.4f}"
    return text.replace("-", "−", 1) if value < 0 else text
