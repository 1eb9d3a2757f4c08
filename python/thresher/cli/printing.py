"""Printing of tables in the formats of ``--format``."""

from __future__ import annotations

from collections.abc import Callable

from ..data.streams import STANDARD, open_output
from ..data.table_files import write_rows
from ..results.printed import PrintedTable
from ..results.summary import Summary

FORMATS: dict[str, Callable[[PrintedTable], str]] = {
    "text": lambda table: table.text(),
    "html": lambda table: table._repr_html_(),
    "markdown": lambda table: table.to_markdown(),
    "latex": lambda table: table.to_latex(),
}
"""The formats of a table, beside ``csv``."""


def show(table: PrintedTable, form: str) -> None:
    """Print a table.

    Parameters
    ----------
    table : PrintedTable
        The table.
    form : str
        ``csv``, or one of ``FORMATS``; each of them has the intercepts of a model.
    """
    if form != "csv":
        print(FORMATS[form](table))
        return
    columns = table.columns(with_intercepts=True) if isinstance(table, Summary) else table.columns()
    with open_output(STANDARD) as output:
        write_rows(output, columns, zip(*columns.values(), strict=True))
