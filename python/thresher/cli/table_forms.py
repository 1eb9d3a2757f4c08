"""Tables that are ratings of items by users, or logs of events: which options read them as such."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import Columns
from ..data.id_numbers import ids_of
from .log_tables import log_of

_ROWS_LOOKED_AT = 20_000  # of a log: they take a tenth of a second


def note_on_form(table: Columns, target: str | None, model: str | None, path: Path) -> str:
    """Say how a table of ratings or a log of events is read as such.

    Parameters
    ----------
    table : Columns
        The table.
    target : str or None
        The column to predict.
    model : str or None
        The model that is asked for, if any.
    path : Path
        The file, for messages.

    Returns
    -------
    str
        The note; empty for any other table.

    Examples
    --------
    >>> rows = np.arange(400)
    >>> table = Columns(["user", "item", "stars"], [rows % 40, rows // 7 % 30, rows % 5])
    >>> note_on_form(table, "stars", None, Path("a.csv")).partition(", ")[2].partition(": ")[0]
    'as those of users and items do'
    """
    if model is None and (note := note_on_log(table, target, path)):
        return note
    ids, file = _ids(table, target), shlex.quote(str(path))
    if ids and (model == "fm" or (model is None and len(ids) > 1)):
        named = " ".join(map(shlex.quote, ids))
        return (
            f"whole numbers that repeat in {' and '.join(map(repr, ids))}, as those of users and items do: "
            f"if they name things, thresher fit {file} --model fm --categorical {named} learns their "
            "interactions"
        )
    return ""


def note_on_log(table: Columns, target: str | None, path: Path) -> str:
    """Say how a log of events is read as such.

    Parameters
    ----------
    table : Columns
        The table; its first rows tell.
    target : str or None
        The column to predict.
    path : Path
        The file, for messages.

    Returns
    -------
    str
        The note; empty for any other table.
    """
    first = table.take(np.arange(min(table.n_rows, _ROWS_LOOKED_AT)))
    log = log_of(first, target, _ids(first, target))
    if log is None:
        return ""
    record, event, time = map(shlex.quote, log)
    options = f"--record {record} --event {event} --time {time}"
    return (
        f"if each row is an event of {log.record!r}, this is a log: thresher doctor {shlex.quote(str(path))} "
        f"{options} looks at its sequences, which fit learns from with --model sequences and these options"
    )


def _ids(table: Columns, target: str | None) -> list[str]:
    """Return the columns of whole numbers that name things."""
    pairs = [pair for pair in zip(table.names, table.values, strict=True) if pair[0] != target]
    return [name for name, values in pairs if ids_of(_numbers(values), name) is not None]


def _numbers(values: NDArray[Any]) -> Any:
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None
