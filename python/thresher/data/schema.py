"""The columns that a fitted model expects, and whether those of a table are these."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import format_names, plain_texts, spelled_otherwise
from .columns import Level

UsedColumns = Callable[[], Collection[int]]
"""Gives the positions of the columns that a model uses; asked only where columns are missing."""


@dataclass(frozen=True)
class Schema:
    """The schema of the tables that a fitted model accepts.

    Parameters
    ----------
    names : list of str
        The columns' names.
    levels : list of (list of levels) or None
        Known levels of a categorical column, None for a numeric one.
    named : bool
        Whether the user named the columns.
    """

    names: list[str]
    levels: list[list[Level] | None]
    named: bool

    @cached_property
    def texts(self) -> list[dict[str, str]]:
        """The texts of each column by what is left of them without spaces, case and leading zeros."""
        return [plain_texts(levels or ()) for levels in self.levels]


def check_names(
    found: NDArray[np.object_] | None, schema: Schema, owner: str, used: UsedColumns | None = None
) -> None:
    """Compare names as scikit-learn does, with its words; columns that are not used may be missing.

    Parameters
    ----------
    found : ndarray or None
        The names of the new rows' columns.
    schema : Schema
        The schema of the training table.
    owner : str
        The estimator's class name, for messages.
    used : callable, optional
        Gives the positions of the columns that must be there; by default all.

    Raises
    ------
    ValueError
        If the names or their order differ.
    """
    if found is None and schema.named:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names", stacklevel=5
        )
    if found is not None and not schema.named:
        warnings.warn(f"X has feature names, but {owner} was fitted without feature names", stacklevel=5)
    if found is None or not schema.named or list(found) == schema.names:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(set(found) - set(schema.names))
    lost = sorted(set(schema.names) - set(found))
    needed = lost if used is None or not lost else sorted({schema.names[j] for j in used()} & set(lost))
    if not unseen and not needed and list(found) == [n for n in schema.names if n not in set(lost)]:
        return
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    is_out_of_order = not unseen and not needed
    if needed or (lost and is_out_of_order):
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(lost)
    if needed != lost and needed:
        message += f"The model uses {format_names(needed)}; the others may be left out.\n"
    elif lost and is_out_of_order:
        message += "The model uses none of these.\n"
    if alike := spelled_otherwise(unseen, plain_texts(lost)):
        message += f"{alike}.\n"
    if is_out_of_order:
        message += "Feature names must be in the same order as they were in fit.\n"
    if not lost:
        message += "X[list(model.feature_names_in_)] has the columns of the fit in their order.\n"
    elif is_out_of_order:
        message += "X[[name for name in model.feature_names_in_ if name in X]] has the others in order.\n"
    raise ValueError(message)


def _listed(names: Sequence[str], most: int = 5) -> str:
    lines = "".join(f"- {name}\n" for name in names[:most])
    return lines + ("- ...\n" if len(names) > most else "")
