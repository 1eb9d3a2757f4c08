"""The rows on which a model is shown: checks, deterministic samples and groups."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

from ..data.alignment import to_array
from ..data.columns import is_missing
from ..data.datasets import is_dataset
from ..data.event_tables import EventSequences
from ..data.frames import Columns, named_column, select_known
from ..data.graph_records import graphs_of
from ..data.weights import row_weights
from ..formatting.numbers import format_number, format_value
from ..formatting.text import format_level, with_article

MOST_GROUPS = 25  # lines of a table that is still read line by line; the smallest groups are put together
MOST_NUMBERS = 12  # distinct numbers that are shown as groups of their own; more are cut at their quartiles
MOST_CELLS = 20_000_000  # of a sparse matrix that is made dense for the densities: 160 MB


@dataclass(frozen=True)
class Groups:
    """A division of the rows.

    Parameters
    ----------
    name : str
        What divides them.
    labels : list of str
        The groups.
    codes : ndarray of shape (n_rows,)
        Each row's position in `labels`.
    """

    name: str
    labels: list[str]
    codes: NDArray[np.intp]


@dataclass(frozen=True)
class Data:
    """Rows, with targets and groups where they are given.

    Parameters
    ----------
    X : table or records
        The rows.
    y : array-like or None
        The targets.
    groups : Groups or None
        A division of the rows.
    n_rows : int
        The number of rows.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    numbers : ndarray of shape (n_rows,) or None, default=None
        The positions of the rows among those that were given; None for all of them.
    n_invalid : int, default=0
        The number of given rows that no model can read.
    n_uncounted : int, default=0
        The number of given rows of weight 0.
    """

    X: Any
    y: Any
    groups: Groups | None
    n_rows: int
    weights: NDArray[np.float64] | None = None
    numbers: NDArray[np.intp] | None = None
    n_invalid: int = 0
    n_uncounted: int = 0

    @property
    def n_given(self) -> int:
        """The number of rows that were given."""
        return self.n_rows + self.n_invalid + self.n_uncounted

    def take(self, rows: NDArray[np.intp]) -> Any:
        """Select rows of X."""
        if isinstance(self.X, Columns):
            return self.X.take(rows)
        if isinstance(self.X, EventSequences):
            return self.X[rows]
        if type(self.X).__module__.startswith("pyarrow"):
            return self.X.take(rows)
        X: Any = self.X
        return _safe_indexing(X.tocsr() if hasattr(X, "tocsr") else X, rows)

    def without_invalid(self, models: Iterable[Any]) -> Data:
        """Return the data without the records that a model skips because it cannot read them."""
        valid = [model._valid_rows(self.X) for model in models if hasattr(model, "_valid_rows")]
        rows: NDArray[np.intp] = functools.reduce(np.intersect1d, valid, np.arange(self.n_rows))
        if rows.size == self.n_rows or not valid:
            return self
        if not rows.size:
            raise ValueError(f"X: none of its {self.n_rows} records can be read as a molecule")
        return replace(self._of_rows(rows), n_invalid=self.n_rows - rows.size)

    def _of_rows(self, rows: NDArray[np.intp]) -> Data:
        """Return the data of some rows."""
        groups = self.groups
        return replace(
            self,
            X=self.take(rows),
            y=None if self.y is None else _safe_indexing(self.y, rows),
            groups=None if groups is None else replace(groups, codes=groups.codes[rows]),
            n_rows=rows.size,
            weights=None if self.weights is None else self.weights[rows],
            numbers=rows if self.numbers is None else self.numbers[rows],
        )

    def without_uncounted(self) -> Data:
        """Return the data without the rows of weight 0, which may have categories that no model knows."""
        if self.weights is None or (self.weights > 0).all():
            return self
        rows = np.flatnonzero(self.weights > 0)
        return replace(self._of_rows(rows), n_uncounted=self.n_rows - rows.size)

    def of_model(self, model: Any) -> Data:
        """Return the data with the columns of a model alone, where a frame has more."""
        names = getattr(model, "feature_names_in_", None)
        return self if names is None else replace(self, X=select_known(self.X, list(names)))

    @property
    def is_readable(self) -> bool:
        """Whether the columns can be read as a whole: not those of a huge sparse matrix."""
        shape: tuple[int, ...] = getattr(self.X, "shape", ())
        return not sparse.issparse(self.X) or int(np.prod(shape)) <= MOST_CELLS


def data_of(
    X: Any, y: Any, group: Any, sample_weight: Any = None, *, reads_graphs: bool = False
) -> Data | None:
    """Check what the user gave; None without rows."""
    if X is None:
        for name, given in (("y", y), ("group", group), ("sample_weight", sample_weight)):
            if given is not None:
                raise ValueError(f"{name}: given without X; give the rows as well, or leave {name} out")
        return None
    if reads_graphs and isinstance(X, (str, PathLike)):
        X = graphs_of(X)
    elif not reads_graphs and is_dataset(X):
        found = f"the path {str(X)!r}" if isinstance(X, (str, PathLike)) else with_article(type(X).__name__)
        raise TypeError(
            f"X: got {found}; a report shows rows in memory: give a table, such as that of "
            "pandas.read_parquet(path), or some thousand rows of it"
        )
    if not hasattr(X, "shape") and not hasattr(X, "__len__"):
        X = list(X)
    n_rows = int(X.shape[0]) if getattr(X, "shape", ()) else len(X)
    if n_rows == 0:
        raise ValueError("X has no rows; give rows, or leave X out for what the model itself says")
    groups = None if group is None else _groups(X, group, n_rows)
    y, sample_weight = named_column(X, y, "y"), named_column(X, sample_weight, "sample_weight")
    return Data(X, y, groups, n_rows, row_weights(sample_weight, n_rows)).without_uncounted()


def _groups(X: Any, group: Any, n_rows: int) -> Groups:
    name = str(getattr(group, "name", None) or "group")
    if isinstance(group, str):
        name, group = group, named_column(X, group, "group")
    values = np.asarray(to_array(group), dtype=object)
    if values.ndim != 1 or values.size != n_rows:
        raise ValueError(
            f"group: got an array of shape {values.shape} for {n_rows} rows; give one value for each row, or "
            "the name of a column"
        )
    texts = _texts(values)
    labels, codes = np.unique(texts, return_inverse=True)
    counts = np.bincount(codes)
    if labels.size <= MOST_GROUPS:
        listed = _in_order(labels.tolist())
        return Groups(name, listed, _recoded(texts, listed))
    kept = set(labels[np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1]].tolist())
    rest = f"({labels.size - len(kept)} smaller groups)"
    texts = [text if text in kept else rest for text in texts]
    listed = [*_in_order(sorted(kept)), rest]
    return Groups(name, listed, _recoded(texts, listed))


def _recoded(texts: list[str], labels: list[str]) -> NDArray[np.intp]:
    place = {label: k for k, label in enumerate(labels)}
    return np.asarray([place[text] for text in texts], dtype=np.intp)


def _in_order(labels: list[str]) -> list[str]:
    """Sort labels: numbers and intervals by value, then text, missing values last."""

    def key(label: str) -> tuple[bool, bool, float, str]:
        try:
            return False, False, float(label.lstrip("([").split(",")[0]), label
        except ValueError:
            return label == "(missing)", True, 0.0, label

    return sorted(labels, key=key)


def _texts(values: NDArray[Any]) -> list[str]:
    """Write the groups; many distinct numbers are divided at their quartiles."""
    absent = np.asarray([is_missing(value) for value in values.tolist()], dtype=bool)
    present = values[~absent].tolist()
    texts = np.full(values.size, "(missing)", dtype=object)
    is_number = all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in present)
    if present and is_number and len(set(present)) > MOST_NUMBERS:
        numbers = np.asarray(present, dtype=np.float64)
        cuts = np.unique(np.quantile(numbers, [0.25, 0.5, 0.75]))
        ends = [float(numbers.min()), *cuts.tolist(), float(numbers.max())]
        names = [
            f"{'(' if k else '['}{low}, {high}]"
            for k, (low, high) in enumerate(itertools.pairwise(_format_ends(ends)))
        ]
        texts[~absent] = [names[k] for k in np.searchsorted(cuts, numbers)]
    else:
        found = [v.item() if hasattr(v, "item") else v for v in present]
        texts[~absent] = [
            format_level(v) if isinstance(v, (bool, int, float, str)) else str(v) for v in found
        ]
    return list(texts.tolist())


def _format_ends(ends: list[float]) -> list[str]:
    """Format numbers as values of the data, or with as many digits as tell different ones apart."""
    texts, digits = [format_value(end) for end in ends], 7
    while len(set(texts)) < len(set(ends)):  # 17 digits tell all doubles apart
        texts = [format_number(float(f"{end:.{digits}g}")) for end in ends]
        digits += 1
    return texts


def spread(order: NDArray[Any], wanted: int) -> NDArray[np.intp]:
    """Choose positions that are spread evenly over an order, both ends among them; the same in every run."""
    if order.size <= wanted:
        return np.sort(order).astype(np.intp)
    places = np.unique(np.linspace(0, order.size - 1, wanted).round().astype(np.intp))
    return np.sort(order[places]).astype(np.intp)
