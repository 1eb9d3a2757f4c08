"""The command ``thresher export``: a fitted model as code."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data.streams import STANDARD, is_standard_output, open_output
from ..export.sql_text import DIALECTS
from .options import check_output, whole_number
from .unknown import add_handle_unknown, set_handle_unknown

_OPTIONS = {"table": "sql", "schema": "sql", "dialect": "sql", "keep": "sql", "rows": "excel"}
"""The format that an option belongs to."""


def add_export(commands: Any, load: Callable[[Path], Any]) -> None:
    """Declare the command.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    load : callable
        Reads a model from a file.
    """
    export = commands.add_parser(
        "export", help="write a model as SQL, Python, JavaScript, C, ONNX, PMML or a workbook"
    )
    export.add_argument("model", type=Path, help="a model file written by fit; - is standard input")
    export.add_argument("--to", required=True, choices=tuple(_WRITERS), help="the format")
    export.add_argument(
        "--output", "-o", type=Path, help="where to write (default: standard output, for text formats)"
    )
    add_handle_unknown(export)
    add = export.add_argument_group("sql").add_argument
    add("--table", help="the table to score (default: data)")
    add("--schema", help="the schema that the table is in")
    add("--dialect", choices=tuple(DIALECTS), help="the database (default: ansi, plain SQL)")
    add(
        "--keep",
        nargs="+",
        metavar="COLUMN",
        help="further columns of the table in the result, such as a key",
    )
    export.add_argument_group("excel").add_argument(
        "--rows", type=whole_number, help="rows of the sheet that scores a table (default: 100)"
    )
    export.set_defaults(run=lambda arguments: _export(arguments, load), parser=export)


def _export(arguments: argparse.Namespace, load: Callable[[Path], Any]) -> int:
    for option, owner in _OPTIONS.items():
        if getattr(arguments, option) is not None and arguments.to != owner:
            raise ValueError(f"--{option} is for --to {owner}; this is --to {arguments.to}")
    if arguments.rows is not None and arguments.rows < 1:
        raise ValueError(f"--rows: got {arguments.rows}; give at least 1")
    if arguments.output is None and arguments.to in ("onnx", "excel"):
        raise ValueError(f"--to {arguments.to} writes a binary file; name it with --output")
    check_output(arguments)
    model = load(arguments.model)
    set_handle_unknown(model, arguments.handle_unknown)
    content = _WRITERS[arguments.to](model, arguments)
    if content is not None:
        with open_output(arguments.output or STANDARD) as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    if arguments.output is not None and not is_standard_output(arguments.output):
        print(f"written to {arguments.output}")
    return 0


def _sql(model: Any, arguments: argparse.Namespace) -> str:
    table = arguments.table or "data"
    place = table if arguments.schema is None else (arguments.schema, table)
    text: str = model.to_sql(place, dialect=arguments.dialect or "ansi", keep=arguments.keep or ())
    return text


_WRITERS: dict[str, Callable[[Any, argparse.Namespace], Any]] = {
    "sql": _sql,
    "python": lambda model, _: model.to_python(),
    "javascript": lambda model, _: model.to_javascript(),
    "c": lambda model, _: model.to_c(),
    "onnx": lambda model, _: model.to_onnx().SerializeToString(),
    "pmml": lambda model, _: model.to_pmml(),
    "excel": lambda model, arguments: model.to_excel(arguments.output, n_rows=arguments.rows or 100),
}
"""The content of each format; None where it is written already."""
