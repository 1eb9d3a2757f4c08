"""What an examination found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..formatting.text import pluralize
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText

ORDER = (
    "refused",
    "leak",
    "mark",
    "identifier",
    "constant",
    "copy",
    "categories",
    "missing",
    "rows",
    "target",
)
"""The kinds of findings, the gravest first."""


@dataclass(frozen=True)
class Finding:
    """Something about the data that a person should look at.

    Parameters
    ----------
    column : str
        The column; "(target)" or "(rows)" where it is about those.
    kind : str
        "refused" (a fit would raise an error), "leak" (the column gives the target away), "mark" (a
        number that stands for a missing value), "identifier", "constant", "copy" (of another column),
        "categories", "missing", "rows" or "target".
    found : str
        What was found.
    advice : str
        What to do about it.
    code : int, optional
        The number of a "mark".
    """

    column: str
    kind: str
    found: str
    advice: str
    code: int | None = None


@dataclass(frozen=True, repr=False)
class Examination(PrintedTable):
    """The findings about some data; it prints as text and shows as HTML in a notebook.

    Parameters
    ----------
    findings : tuple of Finding
        The findings, the gravest first; empty if nothing was found.
    n_rows, n_columns : int
        The size of the table.
    """

    findings: tuple[Finding, ...]
    n_rows: int
    n_columns: int

    @property
    def special_codes(self) -> dict[str, list[int]]:
        """The marks of each column, as the parameter `special_codes` of additive models takes them."""
        codes: dict[str, list[int]] = {}
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

    def _layout(self) -> TableText:
        lines = tuple(Line((f.column, f.found, f.advice)) for f in self.findings)
        size = f"{pluralize(self.n_rows, 'row')} and {pluralize(self.n_columns, 'column')}"
        if not lines:
            return TableText((), "", (), f"{size}: no findings")
        note = f"{size}: {pluralize(len(lines), 'finding')}"
        if self.special_codes:
            note += f"\nspecial_codes={self.special_codes!r}"
        return TableText(("column", "found", "advice"), "lll", (Section("", lines, 0),), note)
