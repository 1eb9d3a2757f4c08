"""The model as a table that a person reads: in a terminal, a notebook, a data frame."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.frames import as_frame
from ..formatting.numbers import format_count, format_effects, format_percent
from ..formatting.text import wrap_conjunction
from .rule import active_rules
from .rule_document import Document

_STYLE = (
    "<style>.thresher table{border-collapse:collapse;font-size:90%;margin:.4em 0}"
    ".thresher th,.thresher td{padding:.25em .8em;text-align:left;border-bottom:1px solid #8884}"
    ".thresher td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".thresher .bar{display:inline-block;height:.7em;border-radius:2px;vertical-align:baseline}"
    ".thresher .up{background:#2b7bba}.thresher .down{background:#c8553d}"
    ".thresher p{margin:.3em 0;max-width:60em}</style>"
)


@dataclass(frozen=True)
class TableRow:
    """One term of a model.

    Parameters
    ----------
    rule : str
        The rule's text, or the column's name for a linear term.
    type : {"rule", "linear", "pattern"}
        Which.
    coef : float
        What it adds: where the rule holds, or per unit of the column.
    support : float
        Share of the training weight in the rule; 1 for a linear term.
    importance : float
        |coef| sqrt(s (1 - s)) for a rule of support s, |coef| sd for a linear term:
        the standard deviation of its contribution.
    rows : int
        Training rows in the rule; 0 for a linear term.
    output : object
        The class or target it speaks of, None where there is one.
    group : str or None, default=None
        The columns that a rule is about, as in ``groups_``.
    """

    rule: str
    type: str
    coef: float
    support: float
    importance: float
    rows: int
    output: Any = None
    group: str | None = None


class RuleTable:
    """The terms of a model, the most important first.

    Parameters
    ----------
    rows : list of TableRow
        The terms.
    intercepts : list of (output, float)
        The intercept of each output.
    note : str, default=""
        What an effect means; shown above the table.
    footer : str, default=""
        Shown below, the certificate for instance.
    grouped : bool, default=False
        Give ``group`` among the columns.

    Examples
    --------
    >>> print(RuleTable([TableRow("age > 30", "rule", 0.5, 0.25, 0.2, 25)], [(None, 1.0)]))
      effect  rule         rows
      +1.000  (intercept)
      +0.500  age > 30       25 (25%)
    """

    headings = ("rule", "rows")

    def __init__(
        self,
        rows: Sequence[TableRow],
        intercepts: Sequence[tuple[Any, float]],
        note: str = "",
        footer: str = "",
        grouped: bool = False,
    ) -> None:
        self.rows = sorted(rows, key=lambda row: -row.importance)
        self.intercepts = list(intercepts)
        self.note = note
        self.footer = footer
        self.grouped = grouped

    def __len__(self) -> int:
        """Count the terms."""
        return len(self.rows)

    def columns(self) -> dict[str, list[Any]]:
        """Give the table column by column.

        Returns
        -------
        dict of str to list
            ``rule, type, coef, support, importance``, ``output`` first where there
            are several, and ``group`` last where rules are grouped.
        """
        names = ["rule", "type", "coef", "support", "importance"]
        if len(self.intercepts) > 1:
            names.insert(0, "output")
        if self.grouped:
            names.append("group")
        found = {name: [getattr(row, name) for row in self.rows] for name in names}
        found["support"] = [round(share, 12) for share in found["support"]]  # sums of weights leave dust
        return found

    def to_frame(self) -> Any:
        """Give a data frame: pandas if it is there, else polars, else this table.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or RuleTable
            The columns of :meth:`columns`.
        """
        return as_frame(self.columns(), self)

    def _groups(self) -> list[tuple[Any, float, list[TableRow]]]:
        several = len(self.intercepts) > 1
        return [
            (output, intercept, [row for row in self.rows if not several or row.output == output])
            for output, intercept in self.intercepts
        ]

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        return self.text()

    def text(self, max_rows: int | None = None) -> str:
        """Lay the table out for a terminal.

        Parameters
        ----------
        max_rows : int or None, default=None
            The most terms to show for each output; None: all.

        Returns
        -------
        str
            The lines.
        """
        parts = [self.note] if self.note else []
        for output, intercept, rows in self._groups():
            if len(self.intercepts) > 1:
                parts.append(f"\n[{output}]")
            parts.append(_layout(intercept, rows[:max_rows], self.headings))
            if max_rows is not None and len(rows) > max_rows:
                parts.append(f"  ... and {len(rows) - max_rows} smaller ones")
        if self.footer:
            parts.append(self.footer)
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        """Lay the table out for a notebook."""
        parts = [_STYLE, "<div class='thresher'>"]
        if self.note:
            parts.append(f"<p>{html.escape(self.note)}</p>")
        for output, intercept, rows in self._groups():
            if len(self.intercepts) > 1:
                parts.append(f"<p><b>{html.escape(str(output))}</b></p>")
            parts.append(_html_table(intercept, rows, self.headings))
        if self.footer:
            parts.append(f"<p>{html.escape(self.footer)}</p>")
        return "".join(parts) + "</div>"


def _effects(intercept: float, rows: Sequence[TableRow]) -> list[str]:
    """Write the intercept's effect and those of the rows; a linear one by its own size."""
    steps = iter(format_effects([intercept, *(row.coef for row in rows if row.type != "linear")]))
    return [next(steps), *(f"{row.coef:+.3g}" if row.type == "linear" else next(steps) for row in rows)]


def _reach(row: TableRow) -> str:
    return "per unit" if row.type == "linear" else f"{format_count(row.rows)} ({format_percent(row.support)})"


def _layout(intercept: float, rows: Sequence[TableRow], headings: tuple[str, str], width: int = 76) -> str:
    texts = ["(intercept)", *(row.rule for row in rows)]
    effects = _effects(intercept, rows)
    reach = ["", *(_reach(row) for row in rows)]
    widest = max(len(headings[0]), *(len(line) for text in texts for line in wrap_conjunction(text, width)))
    first = max(len(effect) for effect in [*effects, "effect"])
    digits = max((len(entry.split(" ")[0]) for entry in reach if "(" in entry), default=0)
    lines = [f"  {'effect':>{first}}  {headings[0]:<{widest}}  {headings[1]:>{digits}}".rstrip()]
    for effect, text, entry in zip(effects, texts, reach, strict=True):
        reached = entry
        wrapped = wrap_conjunction(text, width)
        if "(" in entry:
            number, share = entry.split(" ")
            reached = f"{number:>{digits}} {share}"
        lines.append(f"  {effect:>{first}}  {wrapped[0]:<{widest}}  {reached}".rstrip())
        lines.extend(" " * (first + 4) + more for more in wrapped[1:])
    return "\n".join(lines)


def _html_table(intercept: float, rows: Sequence[TableRow], headings: tuple[str, str]) -> str:
    effects = _effects(intercept, rows)
    largest = max((row.importance for row in rows), default=0.0) or 1.0
    heads = "".join(f"<th>{head}</th>" for head in ("effect", *headings, "importance"))
    lines = [f"<table><thead><tr>{heads}</tr></thead><tbody>"]
    lines.append(f"<tr><td class='n'>{effects[0]}</td><td><i>intercept</i></td><td></td><td></td></tr>")
    for effect, row in zip(effects[1:], rows, strict=True):
        width = row.importance / largest * 8
        bar = f"<span class='bar {'up' if row.coef > 0 else 'down'}' style='width:{width:.2f}em'>"
        lines.append(
            f"<tr><td class='n'>{effect}</td><td>{html.escape(row.rule)}</td>"
            f"<td class='n'>{html.escape(_reach(row))}</td><td>{bar}</span></td></tr>"
        )
    return "".join(lines) + "</tbody></table>"


def build_table(
    document: Document,
    points: Sequence[int],
    labels: Sequence[Any],
    note: str = "",
    footer: str = "",
    grouped: bool = False,
) -> RuleTable:
    """Make the table of a model.

    Parameters
    ----------
    document : Document
        The model.
    points : list of int
        The chosen point of each output.
    labels : list
        A label for each output; None where there is one only.
    note, footer : str, default=""
        Text around the table.
    grouped : bool, default=False
        Whether the table names the rules' groups.

    Returns
    -------
    RuleTable
        The terms that are not 0.
    """
    rows = [
        TableRow(
            rule.text,
            "rule",
            rule.coef,
            rule.support,
            rule.importance,
            rule.n_rows,
            rule.output,
            ", ".join(rule.feature_names),
        )
        for rule in active_rules(document, points, labels)
    ]
    for output, (point, label) in enumerate(zip(points, labels, strict=True)):
        for term in document.point(output, point)["linear"]:
            if term["coef"] != 0:
                name = document.names[term["feature"]]
                importance = abs(term["coef"]) * term["scale"]
                rows.append(TableRow(name, "linear", term["coef"], 1.0, importance, 0, label))
    intercepts = list(zip(labels, document.intercepts(points).tolist(), strict=True))
    return RuleTable(rows, intercepts, note, footer, grouped)
