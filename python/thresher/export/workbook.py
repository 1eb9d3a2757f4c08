"""A minimal writer of .xlsx files, whose numbers keep all 17 digits."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from ..data.streams import open_output

MAX_COLUMNS = 16_384
MAX_ROWS = 1_048_576
"""The size of a sheet of Excel."""

MAX_FORMULA = 8_192
"""The most characters of a formula of Excel."""

_MAX_TEXT = 32_767  # characters of a cell of Excel

Style = Literal["plain", "head", "input"]
_STYLES: tuple[Style, ...] = ("plain", "head", "input")
_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_STYLE_SHEET = (
    f'<styleSheet xmlns="{_SPREADSHEET}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill/></fill>'
    '<fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid">'
    '<fgColor rgb="FFFFF2CC"/></patternFill></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/>'
    '<xf fillId="2" applyFill="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


@dataclass(frozen=True)
class Calculation:
    """The content of a cell that is calculated.

    Parameters
    ----------
    text : str
        The formula without an equals sign.
    """

    text: str


Content = Calculation | str | bool | int | float | None
"""The content of a cell; None is an empty one."""


@dataclass
class Sheet:
    """A sheet.

    Parameters
    ----------
    name : str
        Its name.
    cells : dict of (int, int) to (Content, Style)
        The cells by row and column, counted from 0.
    widths : sequence of float
        The widths of the first columns, in characters.
    """

    name: str
    cells: dict[tuple[int, int], tuple[Content, Style]] = field(default_factory=dict)
    widths: Sequence[float] = ()

    def put(self, row: int, column: int, content: Content, style: Style = "plain") -> None:
        """Fill a cell.

        Parameters
        ----------
        row, column : int
            Its place, counted from 0.
        content : Content
            A value or a formula.
        style : {"plain", "head", "input"}, default="plain"
            How it looks.

        Raises
        ------
        ValueError
            If the sheet or a formula is too large for Excel.
        """
        if row >= MAX_ROWS or column >= MAX_COLUMNS:
            raise ValueError(
                f"the model has more terms than a sheet has room for ({MAX_ROWS:,} rows, {MAX_COLUMNS:,} "
                "columns); use to_sql, to_python or to_onnx"
            )
        if isinstance(content, Calculation) and len(content.text) > MAX_FORMULA:
            raise ValueError(
                f"a term needs a formula of {len(content.text):,} characters, and Excel reads "
                f"{MAX_FORMULA:,}; use to_sql, to_python or to_onnx"
            )
        self.cells[row, column] = (content, style)


def cell_name(row: int, column: int, *, fixed: bool = False) -> str:
    """Name a cell.

    Parameters
    ----------
    row, column : int
        Its place, counted from 0.
    fixed : bool, default=False
        Whether the name stays when a formula is copied.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> cell_name(0, 27), cell_name(4, 0, fixed=True)
    ('AB1', '$A$5')
    """
    letters, rest = "", column + 1
    while rest:
        rest, digit = divmod(rest - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"${letters}${row + 1}" if fixed else f"{letters}{row + 1}"


def write_workbook(path: str | Path, sheets: Sequence[Sheet]) -> None:
    """Write a file.

    Parameters
    ----------
    path : str or Path
        The file.
    sheets : sequence of Sheet
        Its sheets.
    """
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
            for k in numbers
        )
        + "</Types>",
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{_SPREADSHEET}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(
            f'<sheet name={quoteattr(sheet.name)} sheetId="{k}" r:id="rId{k}"/>'
            for k, sheet in zip(numbers, sheets, strict=True)
        )
        + '</sheets><calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(
            [*(("worksheet", f"worksheets/sheet{k}.xml") for k in numbers), ("styles", "styles.xml")]
        ),
        "xl/styles.xml": _STYLE_SHEET,
        **{f"xl/worksheets/sheet{k}.xml": _sheet(sheet) for k, sheet in zip(numbers, sheets, strict=True)},
    }
    with open_output(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            # A fixed date: equal models are equal files.
            file.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), _HEADER + text, zipfile.ZIP_DEFLATED)


def _relations(pairs: Sequence[tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{k}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for k, (kind, target) in enumerate(pairs, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{entries}</Relationships>'


def _sheet(sheet: Sheet) -> str:
    lines = [f'<worksheet xmlns="{_SPREADSHEET}">']
    if sheet.widths:
        columns = "".join(
            f'<col min="{k}" max="{k}" width="{width}" customWidth="1"/>'
            for k, width in enumerate(sheet.widths, start=1)
        )
        lines.append(f"<cols>{columns}</cols>")
    lines.append("<sheetData>")
    last = -1
    for row, column in sorted(sheet.cells):
        if row != last:
            lines.append(f'{"</row>" * (last >= 0)}<row r="{row + 1}">')
            last = row
        lines.append(_cell(cell_name(row, column), *sheet.cells[row, column]))
    lines.append(f"{'</row>' * (last >= 0)}</sheetData></worksheet>")
    return "".join(lines)


def _cell(place: str, content: Content, style: Style) -> str:
    start = f'<c r="{place}" s="{_STYLES.index(style)}"'
    if content is None:
        return f"{start}/>"
    if isinstance(content, Calculation):
        return f"{start}><f>{escape(content.text)}</f></c>"
    if isinstance(content, bool):
        return f'{start} t="b"><v>{int(content)}</v></c>'
    if isinstance(content, str):
        return f'{start} t="inlineStr"><is><t xml:space="preserve">{_text(content)}</t></is></c>'
    return f"{start}><v>{content!r}</v></c>"


def _text(text: str) -> str:
    """Write a text; what XML cannot hold is escaped as Excel does, ``_x0001_``."""
    marked = re.sub(r"_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text[:_MAX_TEXT])
    return escape(
        re.sub(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]", lambda found: f"_x{ord(found[0]):04X}_", marked)
    )
