"""Selection of columns of a user's file."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import is_missing
from ..data.frames import Columns
from ..data.numbers_in_text import ADVICE_ON_NUMBERS, are_dates, numbers_as_text
from ..examination import are_molecules
from ..formatting.text import did_you_mean, plain_texts, pluralize, spelled_otherwise
from ..validation import LARGEST_WHOLE
from .messages import reworded
from .weights import refuse_texts

_MANY_TEXTS = 50
"""More distinct texts than this, which are many categories for ``examine`` too, and than half of the rows, so
that most of them stand in one row, are taken for identifiers."""


@dataclass(frozen=True)
class Training:
    """The parts of a file for a fit.

    Parameters
    ----------
    X : Columns
        The feature columns.
    y : ndarray of shape (n_rows,)
        The target.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    notes : list of str
        Messages about the decisions.
    rows : ndarray of shape (n_rows,)
        Positions of the rows in the file, counted from 0.
    groups : ndarray of shape (n_rows,) or None, default=None
        The group of each row.
    """

    X: Columns
    y: NDArray[Any]
    weights: NDArray[Any] | None
    notes: list[str]
    rows: NDArray[np.intp]
    groups: NDArray[Any] | None = None


def column_of(table: Columns, name: str, role: str) -> NDArray[Any]:
    """Return the column of a file that an option names.

    Parameters
    ----------
    table : Columns
        The file.
    name : str
        The column's name.
    role : str
        What the column is for, for the message.

    Returns
    -------
    ndarray of shape (n_rows,)
        The column.

    Raises
    ------
    ValueError
        If the file has no such column, or one of weights holds text.
    """
    check_column(table.names, name, role)
    if role == "weights":
        refuse_texts(table[name], name)
    return table[name]


def column_or_none(table: Columns, name: str | None, role: str) -> NDArray[Any] | None:
    """Return a column of a table, if one is named.

    Parameters
    ----------
    table : Columns
        The table.
    name : str or None
        The column's name.
    role : str
        What it is, for the error.

    Returns
    -------
    ndarray or None
        The column.
    """
    return None if name is None else column_of(table, name, role)


def check_column(names: Sequence[str], name: str, role: str) -> None:
    """Raise an error for a column that a file lacks.

    Parameters
    ----------
    names : sequence of str
        The columns of the file.
    name : str
        The column's name.
    role : str
        What the column is for, for the message.

    Raises
    ------
    ValueError
        If the file has no such column.
    """
    if name not in names:
        meant = did_you_mean(name, names)
        raise ValueError(
            f"there is no {role} column {name!r}{meant}; the file has {', '.join(map(repr, names))}"
        )


def rows_with_target(y: NDArray[Any], target: str, noun: str = "row") -> tuple[NDArray[np.intp], list[str]]:
    """Return the positions of the rows with a target, and a note on the others.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The column.
    target : str
        Its name.
    noun : str, default="row"
        What a row is.

    Returns
    -------
    (ndarray of shape (n_present,), list of str)
        The positions; no note or one.

    Raises
    ------
    ValueError
        If no row has a target.
    """
    present = np.asarray([not is_missing(value) for value in y.tolist()], dtype=bool)
    if not present.any():
        raise ValueError(f"the column {target!r} has no value in any row; there is nothing to learn from")
    missing = int((~present).sum())
    note = f"left out {pluralize(missing, noun)} without a value of {target!r}"
    return np.flatnonzero(present), [note] if missing else []


def split_target(
    table: Columns,
    target: str,
    weights: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    used: Collection[str] | None = None,
) -> Training:
    """Split a file into features, target and weights.

    Parameters
    ----------
    table : Columns
        The file.
    target : str
        The column to predict. Rows without a value in it are dropped.
    weights : str, optional
        The column of row weights.
    drop : sequence of str, default=()
        Columns to drop.
    keep : sequence of str, default=()
        Text columns to use even if they are dates, or nearly all their texts are distinct.
    used : collection of str, optional
        The columns that notes are about, those that a model uses; by default all.

    Returns
    -------
    Training
        The parts, and notes on dropped rows and columns.

    Raises
    ------
    ValueError
        If a column does not exist, or no column is left.
    """
    y = column_of(table, target, "target")
    weight = None if weights is None else column_of(table, weights, "weights")
    for name in (*drop, *keep):
        column_of(table, name, "such")
    notes = []
    rows, left_out = rows_with_target(y, target)
    notes += left_out
    gone = {target, *drop} | ({weights} if weights is not None else set())
    for name in table.names:
        if name in gone:
            continue
        is_noted = used is None or name in used
        is_left_out, found = _notes_on_column(name, table[name], is_kept=name in keep, is_noted=is_noted)
        notes += found
        if is_left_out:
            gone.add(name)
    X = table.drop(gone).take(rows)
    if not X.names:
        raise no_column_left(target, notes)
    return Training(X, y[rows], None if weight is None else weight[rows], notes, rows)


def _notes_on_column(
    name: str, values: NDArray[Any], *, is_kept: bool, is_noted: bool
) -> tuple[bool, list[str]]:
    """Return whether a column is left out (dates, texts that hardly repeat), and what is said of it."""
    if not is_kept and (note := note_on_dates(name, values)):
        return True, [note]
    why = numbers_as_text(values)
    texts, n_rows = [] if is_kept else _distinct_texts(values), values.shape[0]
    n_texts, quoted = len(texts), shlex.quote(name)
    because = "" if why is None else reworded(why.found, np.arange(n_rows))
    if n_texts > max(_MANY_TEXTS, n_rows / 2):
        if why and why.kind != "zeros":
            found = f"it holds numbers, but is text because of {because}; {ADVICE_ON_NUMBERS[why.kind]}"
            return True, [f"left out {name!r}: {found}"]
        if are_molecules(texts):
            found = f"it holds molecules as SMILES (--model graphs --smiles {quoted} reads them)"
            return True, [f"left out {name!r}: {found}"]
        found = f"{n_texts} different texts in {n_rows} rows"
        found += f"; they are text because of {because}; write numbers without them" if why else ""
        return True, [f"left out {name!r}: {found} (--keep {quoted} uses it)"]
    notes = []
    if why and is_noted:
        remedy = "" if why.kind == "zeros" else f"; {ADVICE_ON_NUMBERS[why.kind]}"
        notes.append(f"{name!r} is used as text because of {because}{remedy}")
    if is_noted and (twins := texts_apart_in_spaces(values)):
        notes.append(f"{name!r} has categories that differ in spaces alone: {twins}; write them alike")
    return False, notes


def no_column_left(target: str, notes: Sequence[str]) -> ValueError:
    """Create the error for a table all of whose features are left out.

    Parameters
    ----------
    target : str
        The column to predict.
    notes : sequence of str
        What was left out, and why.

    Returns
    -------
    ValueError
        The error to raise.

    Examples
    --------
    >>> print(no_column_left("ill", ["left out 'day': it holds dates"]))
    there is no column left to predict 'ill' from: left out 'day': it holds dates
    """
    why = ". ".join(note for note in notes if note.startswith("left out"))
    return ValueError(f"there is no column left to predict {target!r} from{why and ': '}{why}")


def texts_apart_in_spaces(values: NDArray[Any]) -> str:
    """Name two texts of a column that differ in the spaces around them alone.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The column.

    Returns
    -------
    str
        The two texts; empty if there are none.

    Examples
    --------
    >>> texts_apart_in_spaces(np.array(["yes", "no", "yes "], dtype=object))
    "'yes' and 'yes '"
    """
    first: dict[str, str] = {}
    cells = values.tolist() if values.dtype.kind == "O" else ()
    for text in dict.fromkeys(cell for cell in cells if isinstance(cell, str)):
        if (known := first.setdefault(text.strip(), text)) != text:
            return f"{known!r} and {text!r}"
    return ""


def note_on_dates(name: str, values: NDArray[Any]) -> str:
    """Say that a column of dates, or of their texts, is left out.

    Parameters
    ----------
    name : str
        The column's name.
    values : ndarray of shape (n_rows,)
        The column.

    Returns
    -------
    str
        The note; empty for other columns.

    Examples
    --------
    >>> note_on_dates("day", np.array(["no", "yes"], dtype=object))
    ''
    """
    if values.dtype.kind not in "OM":
        return ""
    cells = [cell for cell in values.tolist() if isinstance(cell, (str, date)) and not is_missing(cell)]
    distinct = list(dict.fromkeys(cells))
    if values.dtype.kind == "O" and not are_dates(distinct):
        return ""
    found = f" such as {str(distinct[0]).removesuffix(' 00:00:00')!r}" if distinct else ""
    kept = ""
    if distinct and isinstance(distinct[0], str):
        kept = f" (--keep {shlex.quote(name)} uses the texts as categories)"
    return (
        f"left out {name!r}: it holds dates{found}; give numbers instead, such as days since a fixed day, "
        f"the month or the weekday{kept}"
    )


def _distinct_texts(values: NDArray[Any]) -> list[str]:
    if values.dtype.kind != "O":
        return []
    return list(dict.fromkeys(value for value in values.tolist() if isinstance(value, str)))


def labels_for(y: NDArray[Any], task: str) -> NDArray[Any]:
    """Convert class labels that were read as floats to integers.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The target.
    task : {"classification", "regression"}
        The task.

    Returns
    -------
    ndarray of shape (n_rows,)
        Labels 0 and 1 instead of 0.0 and 1.0; otherwise unchanged.

    Raises
    ------
    ValueError
        If classes are fractions, or beyond the whole numbers of a float.
    """
    if task != "classification" or y.dtype.kind != "f":
        return y
    fractions = y[np.isfinite(y) & ((y != np.round(y)) | (np.abs(y) > LARGEST_WHOLE))]
    if fractions.size:
        raise ValueError(
            f"the target holds numbers such as {fractions[0]:g}, which are no classes; name the column of "
            "classes with --target, or fit a regression (--task regression)"
        )
    return y.astype(np.int64) if np.isfinite(y).all() else y


def rows_for(names: Sequence[str], table: Columns, needed: Collection[str] | None = None) -> Columns:
    """Select a model's columns from a file by name.

    Parameters
    ----------
    names : sequence of str
        The model's columns.
    table : Columns
        The file; it may have more columns, in any order.
    needed : collection of str, optional
        Those that must be there; by default all.

    Returns
    -------
    Columns
        The model's columns in its order.

    Raises
    ------
    ValueError
        If one that is needed is not there.
    """
    lost = [name for name in names if name not in table.names and (needed is None or name in needed)]
    if lost:
        alike = spelled_otherwise(table.names, plain_texts(lost))
        listed = ", ".join(map(repr, lost))
        raise ValueError(f"the file lacks the model's columns {listed}{alike and '; '}{alike}")
    return table.select([name for name in names if name in table.names])
