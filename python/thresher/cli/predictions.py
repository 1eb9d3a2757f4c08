"""The command that predicts the rows of a file."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing
from ..data.file_batches import read_batches, write_batches
from ..data.frames import Columns
from ..data.stored_cells import stored_batches, stored_file
from ..data.streams import STANDARD, is_standard_output
from ..data.table_files import OUTPUT_SUFFIXES, File, read_file, write_table
from ..data.unknown_categories import one_warning_for_all_batches
from ..data.valid_graphs import shown_record
from ..formatting.numbers import shortened
from ..formatting.text import pluralize
from ..scorecard._reasons import direction_of
from ..scorecard.card import ScaledCard
from .columns import rows_for
from .fitted_models import Known, columns_of, items_of, kind_of, load_any, target_name, types_of_target
from .messages import in_file
from .options import check_output, note, writes_parquet
from .outline import COMMANDS
from .reason_options import add_reason_options, check_reason_options, codes_of
from .record_options import KINDS as RECORD_KINDS
from .record_options import (
    RECORDS_TITLE,
    add_on_invalid,
    add_record_options,
    check_record_options,
    set_on_invalid,
    use_kept_options,
)
from .record_rows import RecordColumns, Records
from .records import read_records
from .unknown import add_handle_unknown, set_handle_unknown

_DIGITS, _DIGITS_OF_PROBABILITY = 10, 6  # significant digits of printed numbers
_MOST_NAMED = 5  # records that a note lists


def add_predict(commands: Any) -> None:
    """Declare the command and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    predict = commands.add_parser("predict", help=COMMANDS["predict"])
    predict.add_argument("model", type=Path, help="a model file saved by fit; - is standard input")
    predict.add_argument("data", type=Path, help="the file; columns are found by name; - is standard input")
    predict.add_argument("--output", "-o", type=Path, help="where to write (default: standard output, CSV)")
    predict.add_argument(
        "--from-disk",
        action="store_true",
        help="read and write in batches, in the memory of one: a CSV or Parquet file, or a folder of them",
    )
    add_handle_unknown(predict)
    records = predict.add_argument_group(RECORDS_TITLE)
    add_record_options(records.add_argument, targets=False)
    records.add_argument(
        "--targets",
        type=Path,
        metavar="FILE",
        help="a second table with one row a record of a long table, such as that of the actual targets: its "
        "columns stand beside the predictions, and its records without events are predicted, too",
    )
    add_on_invalid(predict, "or no prediction")
    add_reason_options(
        predict.add_argument, "add the N columns that cost each row most against the best points"
    )
    predict.add_argument(
        "--adverse",
        choices=("high", "low"),
        help="of a card in points: which probability of its event has the --reasons (default: high)",
    )
    predict.add_argument(
        "--exact",
        action="store_true",
        help=f"write numbers with all their digits; by default predictions have {_DIGITS} significant digits "
        f"and probabilities {_DIGITS_OF_PROBABILITY}, and all of them in Parquet",
    )
    predict.set_defaults(run=_predict, parser=predict)


def _predict(arguments: argparse.Namespace) -> int:
    check_output(arguments, OUTPUT_SUFFIXES)
    model = load_any(arguments.model, arguments.data)
    set_handle_unknown(model, arguments.handle_unknown)
    kind = kind_of(model)
    set_on_invalid(arguments, model)
    check_reason_options(arguments, model)
    if kind in RECORD_KINDS:
        n_rows = _of_records(arguments, model, kind)
    else:
        check_record_options(arguments, kind)
        n_rows = (_in_batches if arguments.from_disk else _at_once)(arguments, model)
    if arguments.output is not None and not is_standard_output(arguments.output):
        print(f"{n_rows:,} rows written to {arguments.output}")
    return 0


def _of_records(arguments: argparse.Namespace, model: Any, kind: str) -> int:
    if arguments.from_disk:
        raise ValueError(f"--from-disk is for models of tables; --model {kind} reads records into memory")
    use_kept_options(arguments, model)
    types = types_of_target(model, target_name(model))
    records = read_records(arguments, kind, RecordColumns(items=items_of(model), types=types))
    for text in records.notes:
        note(text)
    with in_file(records.rows):
        names, values = _predictions(model, records.X, _is_exact(arguments))
    _note_invalid(records, values[0])
    return _write_at_once(arguments.output, records.cells, names, values)


def _note_invalid(records: Records, predicted: NDArray[Any]) -> None:
    """Name the records without a prediction, which are molecules that rdkit does not read."""
    places = [place for place, value in enumerate(predicted.tolist()) if is_missing(value)]
    if not places:
        return
    shown = ", ".join(
        f"data row {records.rows[k] + 1} ({shown_record(records.X[k])})" for k in places[:_MOST_NAMED]
    )
    more = f" and {len(places) - _MOST_NAMED:,} more" if len(places) > _MOST_NAMED else ""
    note(
        f"no prediction for {len(places):,} of {pluralize(len(predicted), 'record')}, which rdkit does not "
        f"read: {shown}{more}"
    )


def _at_once(arguments: argparse.Namespace, model: Any) -> int:
    file, known = read_file(arguments.data), columns_of(model)
    names, values = _of_rows(model, known, file, 0, _Answer.of(arguments, model))
    if writes_parquet(arguments):
        file = stored_file(file, *_types(known, model))
    return _write_at_once(arguments.output, file.cells(), names, values)


def _types(known: Known, model: Any) -> tuple[set[str], set[str]]:
    """Return the columns that a model knows as text, and as numbers, its target among them."""
    text, numbers = types_of_target(model, target_name(model))
    return known.texts | text, known.numbers | numbers


def _write_at_once(output: Path | None, cells: Columns, names: list[str], values: list[NDArray[Any]]) -> int:
    names = _free_names(names, cells.names)
    write_table(output or STANDARD, Columns([*cells.names, *names], [*cells.values, *values]))
    return cells.n_rows


def _in_batches(arguments: argparse.Namespace, model: Any) -> int:
    output = arguments.output
    if (
        output is not None
        and arguments.data.is_dir()
        and arguments.data.resolve() in output.resolve().parents
    ):
        raise ValueError(f"--output: {output} is in the folder that is read; give another folder")
    known, answer = columns_of(model), _Answer.of(arguments, model)

    def batches() -> Iterator[File]:
        with one_warning_for_all_batches() as unknown:
            for file in read_batches(arguments.data, may_be_empty=True):
                names, values = _of_rows(model, known, file, unknown.start, answer)
                names = _free_names(names, file.names)
                yield File(file.path, [*file.names, *names], [*file.columns, *values])
                unknown.start += len(file.columns[0])

    found = stored_batches(batches(), *_types(known, model)) if writes_parquet(arguments) else batches()
    return write_batches(output or STANDARD, found)


@dataclass(frozen=True)
class _Answer:
    """The columns of the output beside the predictions."""

    n_reasons: int
    reference: str
    codes: dict[Any, str]
    adverse: Literal["high", "low"]
    is_exact: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace, model: Any) -> _Answer:
        """Read the options; a row has at most as many reasons as the card has columns."""
        most = len(model.bins) if isinstance(model, ScaledCard) else 0
        n_reasons = min(arguments.reasons or 0, most)
        adverse: Literal["high", "low"] = arguments.adverse or "high"
        if n_reasons:
            note(direction_of(model, adverse))
        codes = codes_of(arguments.codes)
        return cls(n_reasons, arguments.reference or "best", codes, adverse, _is_exact(arguments))


def _is_exact(arguments: argparse.Namespace) -> bool:
    return arguments.exact or writes_parquet(arguments)


def _of_rows(
    model: Any, known: Known, file: File, start: int, answer: _Answer
) -> tuple[list[str], list[NDArray[Any]]]:
    """Return the names and the cells of the new columns; `start` rows precede those of the file."""
    needed = known.used if known.named else None
    reasons = [f"reason_{k + 1}" for k in range(answer.n_reasons)]
    if not len(file.columns[0]):
        rows_for(known.names, Columns(file.names, [np.empty(0)] * len(file.names)), needed)
        names = [*_names_of(model), *reasons]
        return names, [np.empty(0)] * len(names)
    X = rows_of(known, file)
    with in_file(np.arange(start, start + len(file.columns[0]))):
        names, values = _predictions(model, X, answer.is_exact)
        if answer.n_reasons:
            found = model.reasons(
                X,
                answer.n_reasons,
                reference=answer.reference,
                codes=answer.codes,
                adverse=answer.adverse,
            )
            names += reasons
            values += list(found.reasons.T)
        return names, values


def rows_of(known: Known, file: File, *, may_be_empty: bool = False) -> Any:
    """Return the rows of a file as a model takes them.

    Parameters
    ----------
    known : Known
        The columns of the model.
    file : File
        The file.
    may_be_empty : bool, default=False
        Whether the file may have a header alone.

    Returns
    -------
    Columns or ndarray
        A matrix for a model without names of columns.
    """
    needed = known.used if known.named else None
    rows = rows_for(known.names, file.table(known.texts, known.numbers, may_be_empty=may_be_empty), needed)
    return rows if known.named else np.column_stack(rows.values)


def _free_names(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the names; for one that is taken the first of ``name (thresher)``, ``name (thresher 2)``, ..."""

    def choices(name: str) -> Iterator[str]:
        yield from (name, f"{name} (thresher)")
        yield from (f"{name} (thresher {k})" for k in itertools.count(2))

    return [next(choice for choice in choices(name) if choice not in taken) for name in names]


def _names_of(model: Any) -> list[str]:
    """Return the names of the columns that ``predict`` adds."""
    if isinstance(model, ScaledCard):
        return ["score", f"probability of {model.event}"]
    labels = model.classes_.tolist() if hasattr(model, "predict_proba") else []
    return ["prediction", *(f"probability of {label}" for label in labels)]


def _predictions(model: Any, X: Any, is_exact: bool) -> tuple[list[str], list[NDArray[Any]]]:
    """Return the columns that ``predict`` adds; an invalid record has none."""

    def short(values: NDArray[Any], digits: int) -> NDArray[Any]:
        return values if is_exact else shortened(values, digits)

    if isinstance(model, ScaledCard):
        score = model.score(X)
        probability = short(model.probability(score), _DIGITS_OF_PROBABILITY)
        return _names_of(model), [short(score, _DIGITS), probability]
    values = [short(np.asarray(model.predict(X)), _DIGITS)]
    if hasattr(model, "predict_proba"):
        values += list(short(model.predict_proba(X), _DIGITS_OF_PROBABILITY).T)
    return _names_of(model), [_with_empty(column) for column in values]


def _with_empty(column: NDArray[Any]) -> NDArray[Any]:
    """Replace NaN by empty cells."""
    missing = np.asarray([is_missing(value) for value in column.tolist()], dtype=bool)
    if not missing.any():
        return column
    filled = column.astype(object)
    filled[missing] = None
    return filled
