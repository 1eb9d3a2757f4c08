"""The command ``thresher export``: a fitted model as code."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..data.frames import Columns
from ..data.streams import STANDARD, open_output
from ..data.table_files import read_file
from ..export.build import formula_of
from ..export.sql import LongTable, sql_of
from ..export.sql_text import DIALECTS
from ..scorecard.card import ScaledCard
from .fitted_models import columns_of, kind_of, load_any
from .messages import in_file
from .options import UsageError, check_output, note, say_written, whole_number
from .outline import COMMANDS
from .predictions import rows_of
from .reason_options import add_reason_options, check_reason_options, codes_of
from .unknown import add_handle_unknown, set_handle_unknown

_OPTIONS = {
    "table": ("sql",),
    "schema": ("sql",),
    "dialect": ("sql",),
    "keep": ("sql",),
    "rows": ("excel",),
    "data": ("pmml", "excel"),
    "reasons": ("sql", "python", "javascript", "pmml"),
    "reference": ("sql", "python", "javascript", "pmml"),
    "codes": ("sql", "python", "javascript", "pmml"),
}
"""The formats that an option belongs to."""


def add_export(commands: Any) -> None:
    """Declare the command.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    export = commands.add_parser("export", help=COMMANDS["export"])
    export.add_argument("model", type=Path, help="a model file saved by fit; - is standard input")
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
        action="extend",
        metavar="COLUMN",
        help="further columns of the table in the result, such as a key",
    )
    export.add_argument_group("excel").add_argument(
        "--rows",
        type=whole_number,
        help="rows of the sheet that scores a table, without --data (default: 100)",
    )
    group = export.add_argument_group("sql, python, javascript and pmml").add_argument
    add_reason_options(group, "the reasons in the result (default: none; of pmml 4)")
    export.add_argument_group("pmml and excel").add_argument(
        "--data",
        type=Path,
        help="a file of rows: PMML holds them with their predictions, for an evaluator to check itself; "
        "the workbook scores them",
    )
    export.set_defaults(run=_export, parser=export)


def _export(arguments: argparse.Namespace) -> int:
    for option, owners in _OPTIONS.items():
        if getattr(arguments, option) is not None and arguments.to not in owners:
            *first, last = owners
            formats = f"{', '.join(first)} and {last}" if first else last
            raise UsageError(f"--{option} is for --to {formats}; this is --to {arguments.to}")
    if arguments.rows is not None and arguments.rows < 1:
        raise UsageError(f"--rows: got {arguments.rows}; give at least 1")
    if arguments.rows is not None and arguments.data is not None:
        raise UsageError("--rows: the sheet has the rows of --data; leave one of the two out")
    if arguments.output is None and arguments.to in ("onnx", "excel"):
        raise UsageError(f"--to {arguments.to} writes a binary file; name it with --output")
    check_output(arguments)
    model = load_any(arguments.model, arguments.data)
    set_handle_unknown(model, arguments.handle_unknown)
    check_reason_options(arguments, model, default=4 if arguments.to == "pmml" else 0)
    with in_file(np.arange(0)):
        content = _WRITERS[arguments.to](model, arguments)
    if content is not None:
        with open_output(arguments.output or STANDARD) as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    say_written(arguments.output)
    return 0


def _pmml(model: Any, arguments: argparse.Namespace) -> str:
    options = _reasons(model, arguments)
    if "reasons" in options:
        options["n"] = options.pop("reasons")
    return _of_rows(arguments, model, lambda X: model.to_pmml(X=X, **options))  # type: ignore[no-any-return]


def _reasons(model: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of reasons of a card in points, for any method that writes it."""
    if not isinstance(model, ScaledCard):
        return {}
    given = {
        "reasons": arguments.reasons,
        "reference": arguments.reference,
        "codes": codes_of(arguments.codes) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _excel(model: Any, arguments: argparse.Namespace) -> None:
    _of_rows(arguments, model, lambda X: model.to_excel(arguments.output, X, n_rows=arguments.rows or 100))


def _of_rows(arguments: argparse.Namespace, model: Any, write: Callable[[Any], Any]) -> Any:
    """Write a model with the rows of ``--data``, if there is such a file."""
    if arguments.data is None:
        return write(None)
    X = rows_of(columns_of(model), read_file(arguments.data))
    with in_file(np.arange(X.n_rows if isinstance(X, Columns) else len(X))):
        return write(X)


def _sql(model: Any, arguments: argparse.Namespace) -> str:
    table = arguments.table or "data"
    place = table if arguments.schema is None else (arguments.schema, table)
    if long := _long_table(model):
        note(
            f"the statement reads a long table as that of the fit, a row for each item: {long.item!r} of the "
            f"record {long.record!r}; its result has a row for each record"
        )
        keep = arguments.keep or [long.record]
        return sql_of(formula_of(model), place, arguments.dialect or "ansi", keep, long=long)
    text: str = model.to_sql(
        place,
        dialect=arguments.dialect or "ansi",
        keep=arguments.keep or (),
        **_reasons(model, arguments),
    )
    return text


def _long_table(model: Any) -> LongTable | None:
    """Return the columns of the long table of the fit of a model of item-sets, if it had one."""
    if isinstance(model, ScaledCard) or kind_of(model) != "itemsets":
        return None
    kept = model._fitted.record_options or {}
    return LongTable(kept["record"], kept["event"]) if {"record", "event"} <= {*kept} else None


_WRITERS: dict[str, Callable[[Any, argparse.Namespace], Any]] = {
    "sql": _sql,
    "python": lambda model, arguments: model.to_python(**_reasons(model, arguments)),
    "javascript": lambda model, arguments: model.to_javascript(**_reasons(model, arguments)),
    "c": lambda model, _: model.to_c(),
    "onnx": lambda model, _: model.to_onnx().SerializeToString(),
    "pmml": _pmml,
    "excel": _excel,
}
"""The content of each format; None where the file is there already."""
