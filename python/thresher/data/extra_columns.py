"""Columns of tables in batches that are no features: targets, weights and groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from .columns import object_array
from .datasets import Dataset
from .extract import exact_decimals


class Extra:
    """The cells of columns that are no features: targets, weights and groups.

    Parameters
    ----------
    names : list of str
        Their names.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._parts: list[list[NDArray[Any]]] = [[] for _ in names]
        self._texts: dict[Any, Any] = {}

    def add(self, frame: Any) -> None:
        """Add the rows of a batch.

        Parameters
        ----------
        frame : narwhals.DataFrame
            The batch.
        """
        for name, parts in zip(self.names, self._parts, strict=True):
            series = frame[name]
            if series.dtype.is_decimal():
                cells = exact_decimals(series)
            elif series.dtype in (nw.Categorical, nw.Enum):  # Arrow converts none without categories
                cells = object_array(series.to_list())
            else:
                cells = series.to_numpy()
            if cells.dtype.kind == "O":  # one object for equal labels
                cells = np.asarray([self._texts.setdefault(x, x) for x in cells.tolist()], dtype=object)
            parts.append(cells)

    def read_beside(self, data: Dataset) -> Dataset:
        """Return a table of which each reading takes these columns, too.

        Parameters
        ----------
        data : Dataset
            The table.

        Returns
        -------
        Dataset
            The same table without them.
        """

        def batches(columns: list[str]) -> Iterator[Any]:
            self._parts = [[] for _ in self.names]
            for _, frame in data.read([*columns, *self.names]):
                self.add(frame)
                yield frame.select(*columns).to_native()

        names = [name for name in data.names if name not in self.names]
        return replace(data, names=names, batches=batches, is_slow=False)

    def latest(self, name: Any) -> NDArray[Any] | None:
        """Return the cells of one column in the latest batch.

        Parameters
        ----------
        name : str or object
            Its name, or what is given in place of a column.

        Returns
        -------
        ndarray of shape (n_rows,) or None
            Its cells; None where no column is named.
        """
        return self._parts[self.names.index(name)][-1] if isinstance(name, str) else None

    def column(self, name: str) -> NDArray[Any]:
        """Return one column.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        ndarray of shape (n_rows,)
            Its cells.
        """
        place = self.names.index(name)
        if not self._parts[place]:
            return np.empty(0)
        if len(self._parts[place]) > 1:
            self._parts[place] = [np.concatenate(self._parts[place])]
        return self._parts[place][0]


def extra_cells(data: Dataset, names: Sequence[str]) -> Extra:
    """Read columns that are no features.

    Parameters
    ----------
    data : Dataset
        The table.
    names : sequence of str
        The columns.

    Returns
    -------
    Extra
        Their cells.
    """
    extra = Extra(names)
    for _, frame in data.read(names):
        extra.add(frame)
    return extra
