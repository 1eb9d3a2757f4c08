"""The command ``thresher compare``: models side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison import compare_models
from ..data.table_files import File, read_file
from .columns import column_of
from .fitted_models import estimator_of, items_of, joined_columns, kind_of, named_models, types_of_target
from .messages import in_file
from .options import UsageError, note
from .outline import COMMANDS
from .predictions import rows_of
from .printing import FORMATS, show
from .record_options import KINDS as RECORD_KINDS
from .record_options import (
    RECORDS_TITLE,
    add_record_options,
    check_record_options,
    refuse_other_records,
    use_kept_options,
)
from .record_rows import RecordColumns, Records
from .records import read_records
from .unknown import add_handle_unknown, set_handle_unknown
from .weights import kept_weights, weights_column


def add_compare(commands: Any) -> None:
    """Declare the command and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser("compare", help=COMMANDS["compare"])
    add = command.add_argument
    add(
        "models",
        type=Path,
        nargs="+",
        metavar="model",
        help="two or more models saved by fit, of rules, patterns or best subsets",
    )
    add("data", type=Path, help="the rows to compare on, such as those of training; - is standard input")
    add_handle_unknown(command)
    add("--weights", help="the column of row weights (default: that of the fit of the first model)")
    add("--format", choices=("csv", *FORMATS), default="text", help="csv: a line for each pair of models")
    add_record_options(command.add_argument_group(RECORDS_TITLE).add_argument)
    command.set_defaults(run=_run, parser=command)


def _run(arguments: argparse.Namespace) -> int:
    """Print how alike models are."""
    if len(arguments.models) < 2:
        raise UsageError("give two or more models, then the file of rows")
    models = named_models(arguments.models, arguments.data)
    for model in models.values():
        set_handle_unknown(model, arguments.handle_unknown)
    models = {name: estimator_of(model) for name, model in models.items()}
    first, *others = kinds = list(map(kind_of, models.values()))
    if set(kinds) & set(RECORD_KINDS) and set(others) != {first}:
        listed = " and ".join(dict.fromkeys(kinds))
        raise UsageError(f"models of {listed} read different data; give models of one kind")
    if first in RECORD_KINDS:
        refuse_other_records(arguments, models)
        records = _records(arguments, first, list(models.values()))
        X, rows, weights = records.X, records.rows, records.weights
    else:
        check_record_options(arguments, first)
        file = read_file(arguments.data)
        X, rows = rows_of(joined_columns(models.values()), file), np.arange(len(file.columns[0]))
        weights = _weights(arguments, models, file)
    with in_file(rows):
        found = compare_models(models, X, sample_weight=weights)
    show(found, arguments.format)
    return 0


def _weights(arguments: argparse.Namespace, models: dict[str, Any], file: File) -> NDArray[Any] | None:
    """Return the weights of the rows of a table."""
    kept = kept_weights(next(iter(models.values())))
    name = weights_column(arguments.weights, kept, file.names, file.path)
    return None if name is None else column_of(file.select([name]).table(numbers=[name]), name, "weights")


def _records(arguments: argparse.Namespace, kind: str, models: list[Any]) -> Records:
    """Read the records of models of patterns, with the items of all of them."""
    use_kept_options(arguments, models[0])
    found = [items for model in models if (items := items_of(model)) is not None]
    every = [*dict.fromkeys(label for labels, _ in found for label in labels)]
    needed = {label for _, used in found for label in used}
    kept = kept_weights(models[0])
    columns = RecordColumns(
        weights=arguments.weights,
        kept_weights=kept,
        items=(every, needed) if found else None,
        types=types_of_target(models[0], None, arguments.weights or kept),
    )
    records = read_records(arguments, kind, columns)
    for text in records.notes:
        note(text)
    return records
