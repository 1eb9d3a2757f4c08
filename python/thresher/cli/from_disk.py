"""The rows of fits and verifications, in memory or read in batches."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.datasets import Dataset, dataset_of
from ..data.extra_columns import extra_cells
from ..data.frames import Columns
from ..data.streams import STANDARD
from ..data.table_files import read_file
from .columns import Training, check_column, no_column_left, note_on_dates, rows_for, split_target
from .fitted_models import columns_of, estimator_of
from .options import UsageError, note
from .targets import find_target
from .weights import kept_weights, refuse_texts, weights_column

KINDS = ("rules", "additive")
"""The models whose fit reads a table in batches."""


def add_from_disk(parser: argparse.ArgumentParser) -> None:
    """Declare the option.

    Parameters
    ----------
    parser : ArgumentParser
        The parser of a command.
    """
    parser.add_argument(
        "--from-disk",
        action="store_true",
        help="read a Parquet file, or a folder, in batches, with its types of columns (rules, additive)",
    )


def open_dataset(arguments: argparse.Namespace, kind: str) -> Dataset:
    """Open the file of a command.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments.
    kind : str
        The model.

    Returns
    -------
    Dataset
        The table.

    Raises
    ------
    UsageError
        If another model is asked for, or the data come from standard input.
    """
    if kind not in KINDS:
        raise UsageError(f"--from-disk is for --model {' and '.join(KINDS)}; this is --model {kind}")
    if str(arguments.data) == STANDARD:
        raise UsageError("--from-disk reads the data twice, which standard input does not allow; give a file")
    return dataset_of(arguments.data)


def training_of(
    data: Dataset,
    target: str,
    weights: str | None,
    drop: list[str],
    known: list[str] | None = None,
    notes: Sequence[str] = (),
) -> Training:
    """Return the parts of a table for a fit; the features are not read yet.

    Parameters
    ----------
    data : Dataset
        The table.
    target : str
        The column to predict.
    weights : str or None
        The column of row weights.
    drop : list of str
        Columns to drop.
    known : list of str, optional
        The features; by default all other columns.
    notes : sequence of str, default=()
        Why columns are dropped.

    Returns
    -------
    Training
        The parts, and the notes.

    Raises
    ------
    ValueError
        If a column does not exist, or no column is left.
    """
    named = {target: "target", **dict.fromkeys(drop, "such")} | (
        {} if weights is None else {weights: "weights"}
    )
    for name, role in named.items():
        check_column(data.names, name, role)
    names = [name for name in (known or data.names) if name not in named]
    if not names:
        raise no_column_left(target, notes)
    extra = extra_cells(data, [target] if weights is None else [target, weights])
    y = extra.column(target)
    weight = None if weights is None else extra.column(weights)
    if weight is not None:
        refuse_texts(weight, str(weights))
    X: Any = replace(data, names=names)
    return Training(X, y, weight, list(notes), np.arange(y.shape[0]))


def first_rows(data: Dataset) -> Columns:
    """Return the rows of the first batch, which tell the types of the columns.

    Parameters
    ----------
    data : Dataset
        The table.

    Returns
    -------
    Columns
        The rows.
    """
    for _, frame in data.read(data.names):
        return Columns(data.names, [frame[name].to_numpy() for name in data.names])
    return Columns([], [])


def notes_on_dates(data: Dataset, others: Collection[str | None]) -> dict[str, str]:
    """Find the columns of dates, by the first batch.

    Parameters
    ----------
    data : Dataset
        The table.
    others : collection of str or None
        Columns that are no features, or are kept.

    Returns
    -------
    dict of str to str
        What is said of each.
    """
    rows = first_rows(data)
    pairs = zip(rows.names, rows.values, strict=True)
    notes = {name: note_on_dates(name, values) for name, values in pairs if name not in others}
    return {name: note for name, note in notes.items() if note}


def rows_of_fit(
    arguments: argparse.Namespace, model: Any, kind: str, *, weights_required: bool = False
) -> Training:
    """Return the rows of a table that a model was fitted on; notes name those that are left out.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments of ``verify``.
    model : estimator
        The model.
    kind : str
        Its kind.
    weights_required : bool, default=False
        Whether the file must have the weights of the fit.

    Returns
    -------
    Training
        The parts; the features are not read yet where the file is read in batches.
    """
    columns, kept = columns_of(model), kept_weights(model)
    data = open_dataset(arguments, kind) if arguments.from_disk else read_file(arguments.data)
    arguments.weights = weights_column(
        arguments.weights, kept, data.names, arguments.data, required=weights_required
    )
    known = [name for name in columns.names if name in data.names]
    others = [*known, arguments.weights]
    target = str(find_target(arguments, model, {arguments.data: data.names}, others))
    if isinstance(data, Dataset):
        return training_of(data, target, arguments.weights, [], known)
    table = columns.table(data, model, target, arguments.weights)
    keep = [name for name in table.names if name not in (target, arguments.weights)]
    training = split_target(table, target, arguments.weights, keep=keep, used=columns.used)
    for text in training.notes:
        note(text)
    spared = estimator_of(model)._excluded_columns()
    needed = [name for j, name in enumerate(columns.names) if j not in spared]
    return replace(training, X=rows_for(columns.names, training.X, needed))
