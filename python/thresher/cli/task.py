"""The task of a target: classes or numbers."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.numbers_in_text import LIMIT_OF_TARGET, are_dates, numbers_as_text
from ..data.targets import are_many_classes

_REMEDY = {
    "comma": "write a decimal point",
    "limit": LIMIT_OF_TARGET,
    "cell": "write a decimal point, or leave it empty",
}


def guess_task(y: NDArray[Any], target: str | None = None) -> str:
    """Choose between regression and classification.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The target.
    target : str, optional
        The name of its column.

    Returns
    -------
    {"classification", "regression"}
        Classification for text, booleans and whole numbers with two distinct values; else regression.

    Raises
    ------
    ValueError
        If most texts look like numbers, with a comma, a unit or a word among them, or are dates.

    Examples
    --------
    >>> guess_task(np.array([0.0, 1.0, 1.0])), guess_task(np.array([0.5, 1.0, 2.0]))
    ('classification', 'regression')
    """
    subject = f"the target{f' {target!r}' if target else ''}"
    why = numbers_as_text(y)
    if why is not None and why.kind != "zeros":
        says = "holds" if why.kind == "comma" else "has cells most of which look like numbers, but not"
        raise ValueError(
            f"{subject} {says} {why.found}; {_REMEDY[why.kind]}; --task classification takes the texts as "
            "classes"
        )
    cells = y.astype("datetime64[s]").tolist() if y.dtype.kind == "M" else y.tolist()
    distinct = list(dict.fromkeys(cell for cell in cells if isinstance(cell, (str, date))))
    if y.dtype.kind in "OM" and are_dates(distinct):
        raise ValueError(
            f"{subject} holds dates such as {str(distinct[0])!r}; predict a number, such as days since a "
            "fixed day, or classes, such as the month; --task classification takes texts as classes"
        )
    if y.dtype.kind == "O":
        return "classification"
    found = np.unique(y)
    return "classification" if found.size <= 2 and (found == np.round(found)).all() else "regression"


def refuse_many_classes(y: NDArray[Any], target: str | None) -> None:
    """Raise an error for a target with so many classes that nothing is learnt.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The classes.
    target : str or None
        The name of their column.

    Raises
    ------
    ValueError
        If most classes have a single row.
    """
    n_classes = len({str(cell) for cell in y.tolist()})
    if not are_many_classes(n_classes, y.size):
        return
    instead = "--task regression predicts numbers" if y.dtype.kind == "f" else "give another --target"
    raise ValueError(
        f"the target{f' {target!r}' if target else ''} has {n_classes} different values in {y.size} rows: as "
        f"classes most have a single row, from which nothing is learnt; {instead}"
    )
