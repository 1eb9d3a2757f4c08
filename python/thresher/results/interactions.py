"""Interactions of features with their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..formatting.numbers import format_number
from ..formatting.text import pluralize, with_output
from .printed import PrintedTable
from .table_text import Line, Section, TableText

_SHOWN = 10  # interactions in the printed text
_LAID_OUT = 1000  # the most rows of a table; a model may have millions of interactions


@dataclass(frozen=True)
class Interaction:
    """A product of features with its coefficient.

    Parameters
    ----------
    feature_names : tuple of str
        Their names, categories as ``column=level``.
    column_indices : tuple of int
        Their rows in ``factors_``.
    coef : float
        The coefficient of the product.
    standardized_coef : float
        The coefficient of the product of the columns divided by their scales, as the fit saw them: it does
        not depend on their units.
    n_components : int
        The number of components of the factors that contribute.
    output : object or None, default=None
        The class or target, where the model has several.
    """

    feature_names: tuple[str, ...]
    column_indices: tuple[int, ...]
    coef: float
    standardized_coef: float
    n_components: int
    output: Any = None

    @property
    def text(self) -> str:
        """The features, joined by ``x``."""
        return " x ".join(self.feature_names)

    def __str__(self) -> str:
        """Return text and coefficient."""
        return f"{self.text}: {format_number(self.coef)}"


class Interactions(PrintedTable, Sequence[Interaction]):
    """The interactions of a model, those of the largest standardised coefficients first.

    Parameters
    ----------
    coef : ndarray of shape (n,)
        The coefficients.
    standardized_coef : ndarray of shape (n,)
        Those of the columns divided by their scales.
    n_components : ndarray of shape (n,)
        The number of components that contribute.
    columns : list of list of int
        The columns of each interaction.
    names : list of str
        The names of all columns.
    outputs : list or None, default=None
        The class or target of each interaction, where the model has several.

    Attributes
    ----------
    coef, standardized_coef, column_indices, outputs : ndarray or list
        As the parameters; the columns as `column_indices`.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import Interactions
    >>> found = Interactions(np.array([2.0]), np.array([6.0]), np.array([1]), [[0, 2]], ["a", "b", "c"])
    >>> print(found[0])
    a x c: 2
    """

    def __init__(
        self,
        coef: NDArray[np.float64],
        standardized_coef: NDArray[np.float64],
        n_components: NDArray[np.integer[Any]],
        columns: list[list[int]],
        names: list[str],
        outputs: list[Any] | None = None,
    ) -> None:
        self.coef, self.standardized_coef = np.array(coef), np.array(standardized_coef)
        self.coef.flags.writeable = self.standardized_coef.flags.writeable = False
        self._n_components = n_components
        self.column_indices = columns
        self._names = names
        self.outputs = outputs

    def __len__(self) -> int:
        """Return the number of interactions."""
        return len(self.column_indices)

    @overload
    def __getitem__(self, place: int) -> Interaction: ...
    @overload
    def __getitem__(self, place: slice) -> list[Interaction]: ...
    def __getitem__(self, place: int | slice) -> Interaction | list[Interaction]:
        """Return one interaction, or a slice of them."""
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        columns = tuple(self.column_indices[place])
        return Interaction(
            tuple(self._names[j] for j in columns),
            columns,
            float(self.coef[place]),
            float(self.standardized_coef[place]),
            int(self._n_components[place]),
            None if self.outputs is None else self.outputs[place],
        )

    @cached_property
    def _by_first_column(self) -> tuple[NDArray[np.int32], NDArray[np.intp], NDArray[np.intp]]:
        """The columns, ordered by the first one, the places of these rows, and the first row of each column.

        Fewer columns than others have are filled up with the number of all columns.
        """
        sizes = np.fromiter(map(len, self.column_indices), np.intp, len(self))
        width, n = max(1, int(sizes.max(initial=0))), len(self._names)
        columns = np.full((len(self), width), n, dtype=np.int32)
        flat = np.fromiter(chain.from_iterable(self.column_indices), np.int32, int(sizes.sum()))
        columns[np.arange(width) < sizes[:, None]] = flat
        places = np.argsort(columns[:, 0], kind="stable")
        columns = columns[places]
        return columns, places, np.searchsorted(columns[:, 0], np.arange(n + 1))

    def products(
        self, columns: NDArray[np.integer[Any]], values: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Multiply coefficients and the values of a row, where all of the columns have a value.

        Parameters
        ----------
        columns : ndarray of shape (n_nonzero,)
            The columns in which the row is not 0.
        values : ndarray of shape (n_nonzero,)
            Its values there.

        Returns
        -------
        places : ndarray of int
            The interactions whose product is not 0, ascending.
        products : ndarray
            The products.

        Examples
        --------
        >>> import numpy as np
        >>> from thresher import Interactions
        >>> found = Interactions(np.array([2.0]), np.array([6.0]), np.array([1]), [[0, 2]], ["a", "b", "c"])
        >>> places, products = found.products(np.array([0, 2]), np.array([1.0, 0.5]))
        >>> places.tolist(), products.tolist()
        ([0], [1.0])
        """
        ordered, places, starts = self._by_first_column
        x = np.zeros(len(self._names) + 1)
        x[columns], x[-1] = values, 1.0
        ranges = [np.arange(starts[j], starts[j + 1]) for j in columns.tolist()]
        rows = np.concatenate([np.zeros(0, dtype=np.intp), *ranges])
        product = self.coef[places[rows]]
        for of_position in ordered[rows].T:
            product = product * x[of_position]
        kept = np.flatnonzero(product)
        kept = kept[np.argsort(places[rows[kept]])]
        return places[rows[kept]], product[kept]

    def __str__(self) -> str:
        """Return a text with the largest interactions."""
        return self.text(_SHOWN)

    def _layout(self) -> TableText:
        lines = []
        for each in self[:_LAID_OUT]:
            text = with_output(each.text, each.output)
            lines.append(Line((f"{each.coef:+.4g}", text)))
        left_out = len(self) - len(lines)
        footer = f"The table shows the {_LAID_OUT:,} largest." if left_out else ""
        section = Section("", tuple(lines), n_fixed=0)
        note = pluralize(len(self), "interaction")
        return TableText(("coef", "interaction"), "rl", (section,), note, footer)

    def columns(self) -> dict[str, list[Any]]:
        """Return the interactions as columns.

        Returns
        -------
        dict of str to list
            ``interaction`` (text), ``order``, ``coef``, ``standardized_coef`` and ``n_components``, the
            largest first; with several outputs ``output`` comes first.
        """
        columns: dict[str, list[Any]] = {} if self.outputs is None else {"output": list(self.outputs)}
        columns["interaction"] = [" x ".join(self._names[j] for j in found) for found in self.column_indices]
        columns["order"] = [len(found) for found in self.column_indices]
        columns["coef"] = self.coef.tolist()
        columns["standardized_coef"] = self.standardized_coef.tolist()
        columns["n_components"] = self._n_components.tolist()
        return columns

    def to_matrix(self) -> sparse.csr_array[Any]:
        """Return the coefficients of the pairs as a sparse matrix.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_columns, n_columns)
            The coefficient of columns i < j at (i, j); interactions of other sizes are
            omitted, and those of several outputs are added.
        """
        pairs = [k for k, found in enumerate(self.column_indices) if len(found) == 2]
        ends = np.asarray([self.column_indices[k] for k in pairs], dtype=np.int64).reshape(-1, 2)
        n = len(self._names)
        return sparse.csr_array((self.coef[pairs], (ends[:, 0], ends[:, 1])), shape=(n, n))
