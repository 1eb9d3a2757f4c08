"""What an examination found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..formatting.text import format_names, pluralize
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText

ORDER = (
    "refused",
    "leak",
    "mark",
    "outlier",
    "identifier",
    "records",
    "constant",
    "copy",
    "dates",
    "categories",
    "levels",
    "ids",
    "missing",
    "rows",
    "target",
)
"""The kinds of findings, the gravest first."""

_COUNT = re.compile(r"\b\d+ rows?\b")
_FEW = 3  # findings that say the same from which one line lists their columns


@dataclass(frozen=True)
class Finding:
    """Something about the data that a person should look at.

    Parameters
    ----------
    column : str
        The column; "(target)" or "(rows)" where it is about those.
    kind : str
        "refused" (a fit would raise an error), "leak" (the column gives the target away), "mark" (a
        number that stands for a missing value), "outlier" (one value far from all others), "identifier",
        "records" (molecules), "constant", "copy" (of another column), "dates" (as text), "categories" (odd
        spellings), "levels" (many categories), "ids" (whole
        numbers such as those of users and items), "missing", "rows" or "target".
    found : str
        What was found.
    advice : str
        What to do about it.
    code : float, optional
        The number of a "mark".
    """

    column: str
    kind: str
    found: str
    advice: str
    code: float | None = None


@dataclass(frozen=True, repr=False)
class Examination(PrintedTable):
    """The findings about some data; it prints as text and shows as HTML in a notebook.

    Parameters
    ----------
    findings : tuple of Finding
        The findings, the gravest first; empty if nothing was found.
    n_rows : int
        The number of rows or records.
    n_columns : int or None
        The number of columns; None of records.
    facts : tuple of str, default=()
        What else is said of records, such as their sizes.
    given_codes : str, optional
        How the marks are given to a fit; by default as the parameter `special_codes`.
    """

    findings: tuple[Finding, ...]
    n_rows: int
    n_columns: int | None
    facts: tuple[str, ...] = ()
    given_codes: str | None = None

    @property
    def special_codes(self) -> dict[str, list[float]]:
        """The marks of each column, as the parameter `special_codes` of additive models takes them."""
        codes: dict[str, list[float]] = {}
        for finding in self.findings:
            if finding.code is not None:
                codes.setdefault(finding.column, []).append(finding.code)
        return {column: sorted(own) for column, own in codes.items()}

    def columns(self) -> dict[str, list[Any]]:
        """Return the findings as columns.

        Returns
        -------
        dict of str to list
            ``column``, ``kind``, ``found`` and ``advice``.
        """
        names = ("column", "kind", "found", "advice")
        return {name: [getattr(finding, name) for finding in self.findings] for name in names}

    def text(self, max_rows: int | None = None) -> str:
        """Format the findings for a terminal, each advice below what was found.

        Parameters
        ----------
        max_rows : int or None, default=None
            The most findings to show; None: all.

        Returns
        -------
        str
            The lines.
        """
        layout = self._layout()
        if not self.findings:
            return layout.plain()
        lines = [line.cells for line in layout.sections[0].lines[:max_rows]]
        below = [Line(cells) for name, *texts in lines for cells in ((name, texts[0]), ("", f"  {texts[1]}"))]
        sections = (Section("", tuple(below), 0),)
        return replace(
            layout, headings=("column", "found, and advice"), alignment="ll", sections=sections
        ).plain()

    def _layout(self) -> TableText:
        lines = tuple(
            Line((names[0] if len(names) == 1 else format_names(names), *texts))
            for names, *texts in merged(self.findings)
        )
        if self.n_columns is None:
            size = "; ".join([pluralize(self.n_rows, "record"), *self.facts])
        else:
            size = f"{pluralize(self.n_rows, 'row')} and {pluralize(self.n_columns, 'column')}"
        if not lines:
            return TableText((), "", (), f"{size}: no findings")
        note = f"{size}: {pluralize(len(self.findings), 'finding')}"
        if self.special_codes:
            note += f"\n{self.given_codes or f'special_codes={self.special_codes!r}'}"
        return TableText(("column", "found", "advice"), "lll", (Section("", lines, 0),), note)


def merged(findings: Sequence[Finding]) -> list[tuple[list[str], str, str]]:
    """Return the texts of findings; those that say the same of several columns are one.

    Parameters
    ----------
    findings : sequence of Finding
        The findings.

    Returns
    -------
    list of (list of str, str, str)
        Columns, what was found, and the advice; of numbers of rows the least and the largest.

    Examples
    --------
    >>> found = [Finding(f"x{k}", "mark", f"is -9 in {k} rows", "is it missing?") for k in (3, 9, 5)]
    >>> merged(found)
    [(['x3', 'x9', 'x5'], 'is -9 in 3 to 9 rows', 'is it missing?')]
    """
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for own in findings:
        groups.setdefault((own.kind, _COUNT.sub("rows", own.found), own.advice), []).append(own)
    texts = []
    for same in groups.values():
        if len(same) < _FEW:
            texts += [([own.column], own.found, own.advice) for own in same]
            continue
        columns = [own.column for own in same]
        texts.append((columns, _with_range([own.found for own in same]), same[0].advice))
    return texts


def _with_range(texts: Sequence[str]) -> str:
    """Replace the number of rows in texts that are the same else by the least and the largest."""
    numbers = [[int(each.split()[0]) for each in _COUNT.findall(text)] for text in texts]
    ends = iter([(min(own), max(own)) for own in zip(*numbers, strict=True)])

    def shown(_: re.Match[str]) -> str:
        low, high = next(ends)
        return f"{low} to {high} rows" if low < high else pluralize(low, "row")

    return _COUNT.sub(shown, texts[0])
