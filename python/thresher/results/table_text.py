"""Tables as plain text, HTML, Markdown and LaTeX."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..formatting.text import on_one_line, wrap_conjunction

COUNTS_OF_WEIGHTS = "Counts are sums of sample_weight."
"""A sentence below tables of weighted rows."""
_TERMINAL = 88  # characters of a line: what the pages of the guide have
_WIDTH, _LEAST = 76, 30  # of a column of text: the most, and the least where the table is too wide
_STEP = 4  # by which one of two columns of text that are equally wide gets narrower
_BAR = 8.0  # em, the widest bar in HTML
_STYLE = (
    "<style>.thresher table{border-collapse:collapse;font-size:90%;margin:.4em 0}"
    ".thresher th,.thresher td{padding:.25em .8em;text-align:left;border-bottom:1px solid #8884}"
    ".thresher .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".thresher .bar{display:inline-block;height:.7em;border-radius:2px;vertical-align:baseline}"
    ".thresher .up{background:#2b7bba}.thresher .down{background:#c8553d}"
    ".thresher p{margin:.3em 0;max-width:60em}</style>"
)
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "<": r"$<$",
        ">": r"$>$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "|": r"$|$",
        "\n": " ",
        **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    }
)
_IN_MATH = {"<=": r"$\le$", ">=": r"$\ge$", "!=": r"$\ne$", "-": "$-$", "  ": r"\quad "}
_MATHEMATICAL = re.compile(r"([<>!]=|(?<![^\s(+{])-(?=[\d.]|inf)|^  )")
"""Comparisons, the sign of negative numbers and the indentation of a cell, which text mode does not have."""


@dataclass(frozen=True)
class Line:
    """One line of a table.

    Parameters
    ----------
    cells : tuple of str
        The cells, one for each heading.
    bar : float or None, default=None
        Length and direction of the line's bar in HTML, between -1 and 1; None for no bar.
    pictures : tuple of str, default=()
        Drawings as HTML, one for each heading of pictures; shown in HTML alone.
    n_terms : int, default=1
        Number of terms for which the line stands.
    """

    cells: tuple[str, ...]
    bar: float | None = None
    pictures: tuple[str, ...] = ()
    n_terms: int = 1


@dataclass(frozen=True)
class Section:
    """The lines of one output.

    Parameters
    ----------
    title : str
        The output's name; empty where there is one output.
    lines : tuple of Line
        The lines in order; the first `n_fixed` are always shown.
    n_fixed : int, default=1
        Number of lines that are not subject to a limit, such as the intercept.
    """

    title: str
    lines: tuple[Line, ...]
    n_fixed: int = 1


@dataclass(frozen=True)
class TableText:
    """A table with a sentence above and one below it.

    Parameters
    ----------
    headings : tuple of str
        The headings of the columns.
    alignment : str
        A letter for each column: ``l`` for text, which may be wrapped, ``r`` for numbers.
    sections : tuple of Section
        One for each output.
    note, footer : str, default=""
        The sentences.
    pictures : tuple of str, default=()
        The headings of the drawings in HTML.
    second_block : int, default=0
        The column with which a second block begins in a terminal that is too narrow for one; 0: any.

    Examples
    --------
    >>> lines = (Line(("+1.0", "(intercept)")), Line(("+0.5", "age > 30")))
    >>> print(TableText(("effect", "rule"), "rl", (Section("", lines),)).plain())
      effect  rule
        +1.0  (intercept)
        +0.5  age > 30
    """

    headings: tuple[str, ...]
    alignment: str
    sections: tuple[Section, ...]
    note: str = ""
    footer: str = ""
    pictures: tuple[str, ...] = ()
    second_block: int = 0

    def plain(self, max_rows: int | None = None) -> str:
        """Format the table for a terminal.

        Parameters
        ----------
        max_rows : int or None, default=None
            The most lines for each output, the intercept apart; None: all.

        Returns
        -------
        str
            The lines.
        """
        parts = [self.note] if self.note else []
        for section in self.sections:
            if section.title:
                parts.append(f"\n[{on_one_line(section.title)}]")
            lines = section.lines[: None if max_rows is None else max_rows + section.n_fixed]
            parts += self._aligned([line.cells for line in lines])
            if left_out := sum(line.n_terms for line in section.lines[len(lines) :]):
                parts.append(f"  ... and {left_out} more")
        if self.footer:
            parts.append(self.footer)
        return "\n".join(parts)

    def _aligned(self, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
        """Align the columns; those beyond the width of a terminal follow below, after the first one again."""
        cells = [[on_one_line(row[k]) for row in (self.headings, *rows)] for k in range(len(self.headings))]
        wrapped = self._wrapped(cells)
        widths = [2 + max(len(text) for lines in column for text in lines) for column in wrapped]
        block, is_wide = [0], sum(widths) > _TERMINAL
        for k in range(1, len(widths)):
            is_full = len(block) > 1 and sum(widths[place] for place in block) + widths[k] > _TERMINAL
            if is_full or (is_wide and k == self.second_block):
                yield from self._block(wrapped, widths, block)
                yield ""
                block = [0]
            block.append(k)
        yield from self._block(wrapped, widths, block)

    def _wrapped(self, cells: list[list[str]]) -> list[list[list[str]]]:
        """Wrap the cells of text between words: the widest columns until the table fits a terminal."""
        limits = [_WIDTH] * len(cells)
        least = [max(_LEAST, *(len(word) + 6 for text in c for word in text.split())) for c in cells]
        while True:
            wrapped = [
                [wrap_conjunction(text, limit) if letter == "l" else [text] for text in column]
                for column, limit, letter in zip(cells, limits, self.alignment, strict=True)
            ]
            widths = [max(len(text) for lines in column for text in lines) for column in wrapped]
            excess = sum(widths) + 2 * len(widths) - _TERMINAL
            wide = [k for k, letter in enumerate(self.alignment) if letter == "l" and widths[k] > least[k]]
            if excess <= 0 or not wide:
                return wrapped
            widest = max(wide, key=lambda k: widths[k])
            others = [widths[k] for k in wide if k != widest]
            step = min(excess, max(_STEP, widths[widest] - max(others, default=0)))
            limits[widest] = max(least[widest], widths[widest] - step)

    def _block(self, wrapped: list[list[list[str]]], widths: list[int], block: list[int]) -> Iterator[str]:
        """Return the lines of some columns."""
        for row in zip(*(wrapped[k] for k in block), strict=True):
            for number in range(max(map(len, row))):
                cells = [lines[number] if number < len(lines) else "" for lines in row]
                yield "".join(
                    f"  {cell:{'>' if self.alignment[k] == 'r' else '<'}{widths[k] - 2}}"
                    for cell, k in zip(cells, block, strict=True)
                ).rstrip()

    def html(self) -> str:
        """Return the table as HTML for notebooks.

        Returns
        -------
        str
            HTML; every cell is escaped.
        """
        parts = [_STYLE, "<div class='thresher'>"]
        if self.note:
            parts.append(_paragraph(self.note))
        for section in self.sections:
            if section.title:
                parts.append(f"<p><b>{html.escape(section.title)}</b></p>")
            parts.append(self._html_section(section))
        if self.footer:
            parts.append(_paragraph(self.footer))
        return "".join(parts) + "</div>"

    def _html_section(self, section: Section) -> str:
        has_bars = any(line.bar is not None for line in section.lines)
        heads = "".join(self._html_cells(self.headings, "th")) + "<th>importance</th>" * has_bars
        heads += "".join(f"<th>{html.escape(heading)}</th>" for heading in self.pictures)
        rows = [f"<table><thead><tr>{heads}</tr></thead><tbody>"]
        for line in section.lines:
            bar = ""
            if line.bar is not None:
                style = f"width:{abs(line.bar) * _BAR:.2f}em"
                bar = f"<span class='bar {'up' if line.bar > 0 else 'down'}' style='{style}'></span>"
            last = f"<td>{bar}</td>" * has_bars + "".join(f"<td>{drawn}</td>" for drawn in line.pictures)
            rows.append(f"<tr>{''.join(self._html_cells(line.cells, 'td'))}{last}</tr>")
        return "".join(rows) + "</tbody></table>"

    def _html_cells(self, cells: Sequence[str], tag: str) -> Iterator[str]:
        for cell, letter in zip(cells, self.alignment, strict=True):
            number = " class='n'" if letter == "r" else ""
            yield f"<{tag}{number}>{html.escape(cell)}</{tag}>"

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown.

        Returns
        -------
        str
            A table for each output, with its name above it.
        """
        rule = "|" + "|".join("---:" if letter == "r" else "---" for letter in self.alignment) + "|"
        parts = [_escape_markdown(self.note), ""] if self.note else []
        for section in self.sections:
            if section.title:
                parts += [f"**{_escape_markdown(section.title)}**", ""]
            rows = [self.headings, *(line.cells for line in section.lines)]
            lines = ["| " + " | ".join(map(_escape_markdown, row)) + " |" for row in rows]
            parts += [lines[0], rule, *lines[1:], ""]
        if self.footer:
            parts.append(_escape_markdown(self.footer))
        return "\n".join(parts).rstrip()

    def latex(self, *, with_sentences: bool = True) -> str:
        """Return the table for LaTeX, with the rules of the package ``booktabs``.

        Parameters
        ----------
        with_sentences : bool, default=True
            Whether to add the sentences before and after.

        Returns
        -------
        str
            A ``tabular`` for each output.
        """
        if not with_sentences:
            return replace(self, note="", footer="").latex()
        parts = [_escape_latex(self.note), ""] if self.note else []
        for section in self.sections:
            if section.title:
                parts += [rf"\textbf{{{_escape_latex(section.title)}}}", ""]
            rows = [self.headings, *(line.cells for line in section.lines)]
            lines = [" & ".join(_escape_latex(cell) for cell in row) + r" \\" for row in rows]
            parts += [
                rf"\begin{{tabular}}{{{self.alignment}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
                "",
            ]
        if self.footer:
            parts.append(_escape_latex(self.footer))
        return "\n".join(parts).rstrip()


def _paragraph(text: str) -> str:
    lines = html.escape(text).replace("\n", "<br>")
    return f"<p>{lines}</p>"


def _escape_latex(text: str) -> str:
    parts = _MATHEMATICAL.split(text)  # text and signs by turns
    parts[::2] = (part.translate(_LATEX) for part in parts[::2])
    parts[1::2] = (_IN_MATH[sign] for sign in parts[1::2])
    return "".join(parts)


def _escape_markdown(text: str) -> str:
    marked = "".join(f"\\{sign}" if sign in "\\`*_|[]" else sign for sign in text)
    return html.escape(marked, quote=False).replace("\n", "<br>")
