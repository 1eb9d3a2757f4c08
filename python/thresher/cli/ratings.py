"""Tables of ratings of items by users: which options read them as such."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import Columns
from ..data.id_numbers import ids_of


def note_on_ratings(table: Columns, target: str | None, model: str | None, path: Path) -> str:
    """Say how a table of ratings is read as such.

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
    >>> note_on_ratings(table, "stars", None, Path("a.csv")).partition(", ")[2].partition(": ")[0]
    'as those of users and items do'
    """
    ids, file = _ids(table, target), shlex.quote(str(path))
    if ids and (model == "fm" or (model is None and len(ids) > 1)):
        named = " ".join(map(shlex.quote, ids))
        return (
            f"whole numbers that repeat in {' and '.join(map(repr, ids))}, as those of users and items do: "
            f"if they name things, thresher fit {file} --model fm --categorical {named} learns their "
            "interactions"
        )
    return ""


def _ids(table: Columns, target: str | None) -> list[str]:
    """Return the columns of whole numbers that name things."""
    pairs = [pair for pair in zip(table.names, table.values, strict=True) if pair[0] != target]
    return [name for name, values in pairs if ids_of(_numbers(values), name) is not None]


def _numbers(values: NDArray[Any]) -> Any:
    return values.astype(np.float64) if values.dtype.kind in "iuf" else None
