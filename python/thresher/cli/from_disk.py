"""The rows of fits and verifications, in memory or read in batches."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.datasets import Dataset, dataset_of
from ..data.extra_columns import extra_cells
from ..data.frames import Columns
from ..data.streams import STANDARD
from ..data.table_files import read_file
from .columns import Training, find_target, no_column_left, note_on_dates, rows_for, split_target
from .fitted_models import columns_of, estimator_of, target_name
from .weights import refuse_texts, use_kept_weights

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
    ValueError
        If another model is asked for, or the data come from standard input.
    """
    if kind not in KINDS:
        raise ValueError(f"--from-disk is for --model {' and '.join(KINDS)}; this is --model {kind}")
    if str(arguments.data) == STANDARD:
        raise ValueError("--from-disk reads the data twice, which standard input does not allow; give a file")
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
        if name not in data.names:
            raise ValueError(
                f"there is no {role} column {name!r}; the file has {', '.join(map(repr, data.names))}"
            )
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
    """Return the rows of a table that a model was fitted on.

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
    columns = columns_of(model)
    kept = target_name(model)
    if arguments.from_disk:
        data = open_dataset(arguments, kind)
        known = [name for name in columns.names if name in data.names]
        use_kept_weights(arguments, model, data.names, arguments.data, required=weights_required)
        target = _target(arguments, kept, data.names, known)
        return training_of(data, target, arguments.weights, [], known)
    file = read_file(arguments.data)
    known = [name for name in columns.names if name in file.names]
    use_kept_weights(arguments, model, file.names, arguments.data, required=weights_required)
    target = _target(arguments, kept, file.names, known)
    table = columns.table(file, model, target, arguments.weights)
    training = split_target(table, target, arguments.weights, keep=known)
    spared = estimator_of(model)._excluded_columns()
    needed = [name for j, name in enumerate(columns.names) if j not in spared]
    return replace(training, X=rows_for(columns.names, training.X, needed))


def _target(arguments: argparse.Namespace, kept: str | None, names: list[str], known: list[str]) -> str:
    """Return the target that is given, or found; say so where only the other columns tell it."""
    if arguments.target:
        return str(arguments.target)
    target = find_target(kept, names, [*known, arguments.weights])
    if kept is None:
        print(
            f"note: takes {target!r} for the target, the only column that the model does not know",
            file=sys.stderr,
        )
    return target
