"""The records of graphs that could be read, and a sentence on the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import format_list
from .columns import is_missing

if TYPE_CHECKING:
    from .graph_records import LabelledGraph

_MOST_NAMED = 5  # records that a message lists


@dataclass(frozen=True)
class ValidGraphs:
    """The records that could be read.

    Parameters
    ----------
    graphs : list of LabelledGraph
        Their graphs.
    n_records : int
        The number of all records.
    invalid : dict of int to object
        The positions of the others, and what they hold.
    unused : tuple of str, default=()
        The names of the attributes of nodes and edges that are not read.
    """

    graphs: list[LabelledGraph]
    n_records: int
    invalid: dict[int, Any]
    unused: tuple[Any, ...] = ()

    @property
    def rows(self) -> NDArray[np.intp]:
        """The positions of the records that could be read."""
        return np.asarray([row for row in range(self.n_records) if row not in self.invalid], dtype=np.intp)

    @property
    def records(self) -> list[Any]:
        """All records, read where possible: a method that gets them need not read them again."""
        graphs = iter(self.graphs)
        return [self.invalid[row] if row in self.invalid else next(graphs) for row in range(self.n_records)]

    def scatter(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put the values of the records that could be read in their places.

        Parameters
        ----------
        values : ndarray of shape (n_graphs, n_columns)
            The values.

        Returns
        -------
        ndarray of shape (n_records, n_columns)
            The values, NaN for all other records.
        """
        found = np.full((self.n_records, *values.shape[1:]), np.nan)
        found[self.rows] = values
        return found


def named(invalid: Mapping[int, Any]) -> str:
    """Name the first records that could not be read.

    Parameters
    ----------
    invalid : mapping of int to object
        Their positions, and what they hold.

    Returns
    -------
    str
        The first of them.

    Examples
    --------
    >>> named({3: "C1CC", 7: None})
    "record 3 ('C1CC'), record 7 (missing)"
    """
    return format_list(
        list(invalid.items()), _MOST_NAMED, lambda item: f"record {item[0]} ({shown_record(item[1])})"
    )


def shown_record(record: Any) -> str:
    """Write what a record that could not be read holds.

    Parameters
    ----------
    record : object
        The record.

    Returns
    -------
    str
        Its first 60 characters; "missing" where there is none.

    Examples
    --------
    >>> shown_record("C1CC"), shown_record(None)
    ("'C1CC'", 'missing')
    """
    return "missing" if is_missing(record) else f"{record!r:.60}"


def left_out(invalid: Mapping[int, Any], n_records: int) -> str:
    """Say how many records could not be read, and which.

    Parameters
    ----------
    invalid : mapping of int to object
        Their positions, and what they hold.
    n_records : int
        The number of all records.

    Returns
    -------
    str
        The sentence, without a capital and a full stop.

    Examples
    --------
    >>> left_out({3: "C1CC"}, 10)
    "left out 1 of 10 records, which rdkit does not read: record 3 ('C1CC')"
    """
    return f"left out {len(invalid)} of {n_records} records, which rdkit does not read: {named(invalid)}"


def records_read_once(model: Any, X: Any) -> Any:
    """Read molecules, which takes longer than most of what follows, before several methods get them.

    Parameters
    ----------
    model : estimator
        A fitted estimator.
    X : array, frame or list of records
        The rows.

    Returns
    -------
    array, frame or list of records
        The graphs, with charges where the model has them; rows of other models as they are.
    """
    return model._graphs(X).records if hasattr(model, "_graphs") else X
