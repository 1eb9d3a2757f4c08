"""Reading of graphs as the parameters say: methods of both graph estimators.

With ``on_invalid="skip"`` a fit leaves out molecules that rdkit does not read and missing records, with
their targets and weights; predictions of such records are NaN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ... import fit_warnings
from ...data.arrow_records import as_lists
from ...data.budget import Budget
from ...data.graph_records import is_molecule, read_valid
from ...data.masked_arrays import fill_masked
from ...data.molecules import can_draw
from ...data.records import require_records
from ...data.target_names import NamedTarget
from ...data.targets import scored_target
from ...data.valid_graphs import ValidGraphs, left_out, named
from ...data.weights import row_weights
from ...formatting.text import format_names
from ...results.certificate import Certificate
from ...results.explanation import Contribution
from ...results.pattern import Pattern
from ...results.pattern_table import PatternTable
from ...results.subset_certificate import SubsetCertificate
from .._optimality import timed
from .._patterns import PatternModel
from .._training import GivenRows, PathRequest, TrainingData
from ._drawings import example_drawing, pattern_drawing, record_drawing, whole_pattern

if TYPE_CHECKING:
    from ...plotting.molecules import Drawing


def graphs(self: Any, X: Any, budget: Budget | None = None) -> ValidGraphs:
    """Read records: those of a fit, within its budget, or new ones, with charges where training had them."""
    charges = self._fitted.view.vocabulary.has_charges if budget is None else self.charges
    return read_valid(X, charges=charges, skip=self.on_invalid == "skip", budget=budget)


def as_rows(self: Any, X: Any) -> list[Any]:
    """Read records before several methods get them, each of which would read them again."""
    found: list[Any] = self._graphs(X).records
    return found


def read(self: Any, rows: GivenRows, budget: Budget, path: PathRequest | None = None) -> TrainingData:
    """Check the data, and leave out records that are invalid."""
    found = self._graphs(rows.X, budget)
    require_records(found.n_records, "graphs")
    if not found.graphs:
        raise ValueError(
            f"all {found.n_records} records are invalid, such as {named(found.invalid)}; there is "
            "nothing to learn from"
        )
    reader: Any = self
    rows = rows._replace(X=found.graphs)
    if found.invalid:
        others = ("y", "sample_weight", "groups")
        rows = rows._replace(**{name: taken(getattr(rows, name), found, name) for name in others})
        if not isinstance(self.cv, int) and not hasattr(self.cv, "split") and np.iterable(self.cv):
            folds = [_of_kept(fold, found) for fold in self.cv]
            reader = type(self)(**{**self.get_params(deep=False), "cv": folds})
    with _counting_all(found):
        data: TrainingData = PatternModel._read(reader, rows, budget, path)
    if found.unused:
        name = next(iter(found.unused))
        fit_warnings.warn(
            f"attributes of nodes and edges that are not used: {format_names(found.unused)}; labels are the "
            f"attribute 'label' alone. To use another one, copy it: data['label'] = data[{name!r}] for each "
            "data of graph.nodes.values() or graph.edges.values()",
            UserWarning,
        )
    return replace(data, inputs=replace(data.inputs, invalid=found.invalid))


def warn(self: Any, data: TrainingData, seconds: float) -> None:
    """Warn of invalid records and of limits."""
    if invalid := data.inputs.invalid:
        fit_warnings.warn(
            f"{left_out(invalid, data.inputs.n_rows + len(invalid))}; invalid_rows_ lists them", UserWarning
        )
    PatternModel._warn(self, data, seconds)


def verify(
    self: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    time_limit: float | None = None,
) -> Certificate | SubsetCertificate:
    """Prove what the certificate says again by an independent search.

    Parameters
    ----------
    X, y, sample_weight : records and array-like
        The training data of the model; records that the fit left out are left out again.
    time_limit : float, optional
        Seconds for the proof and the reading of the data; by default there is no limit.

    Returns
    -------
    Certificate or SubsetCertificate
        The new certificate.

    Raises
    ------
    CertificateError
        If the check fails: the data differ, the file was edited, or there is a defect.
    TypeError, ValueError
        If the data cannot be read.
    TimeoutError
        If the time is over before; the message says which outputs are confirmed.
    """
    check_is_fitted(self)
    with timed(time_limit):
        found = self._graphs(X)
        y, sample_weight = taken(y, found, "y"), taken(sample_weight, found, "sample_weight")
        return PatternModel.verify(self, found.graphs, y, sample_weight)


def finite_decision(self: Any, X: Any) -> NDArray[np.float64]:
    """Compute the decision values, NaN for invalid records."""
    check_is_fitted(self)
    found = self._graphs(X)
    if not found.graphs:
        return np.full((found.n_records, len(self._fitted.outputs)), np.nan)
    decision: NDArray[np.float64] = found.scatter(PatternModel._finite_decision(self, found.graphs))
    return decision


def activations(self: Any, X: Any) -> Any:
    """Return the indicator of each pattern for each record, NaN for invalid ones."""
    check_is_fitted(self)
    found = self._graphs(X)
    if not found.invalid:
        return PatternModel._activations(self, found.graphs)
    n_patterns, invalid = len(self.patterns_), np.asarray(list(found.invalid), dtype=np.int64)
    rows, columns = np.repeat(invalid, n_patterns), np.tile(np.arange(n_patterns), invalid.size)
    values = np.full(rows.size, np.nan)
    if found.graphs:
        occurs = PatternModel._activations(self, found.graphs).tocoo()
        rows = np.concatenate([found.rows[occurs.row], rows])
        columns = np.concatenate([occurs.col, columns])
        values = np.concatenate([occurs.data, values])
    return sparse.csr_array((values, (rows, columns)), shape=(found.n_records, n_patterns))


def contributions(self: Any, X: Any) -> list[list[Contribution]]:
    """Return the contributions to the decision value of each record, none for invalid ones."""
    found = self._graphs(X)
    parts: list[list[Contribution]] = [[] for _ in range(found.n_records)]
    if found.graphs:
        for row, own in zip(found.rows, PatternModel._contributions(self, found.graphs), strict=True):
            parts[row] = own
    return parts


def draw_pattern(self: Any, pattern: Pattern) -> Drawing | None:
    """Draw a pattern; None where the graphs are not molecules or rdkit is not installed."""
    return pattern_drawing(self, pattern)


def draw_record(self: Any, record: Any, output: Any) -> Drawing | None:
    """Draw a molecule, its atoms coloured by their contributions to an output; None for other graphs."""
    if not can_draw() or not is_molecule(record):
        return None
    occurring = self._activations([record]).indices.tolist()
    patterns = [self.patterns_[k] for k in occurring]
    return record_drawing(self, record, [pattern for pattern in patterns if pattern.output == output])


def valid_rows(self: Any, X: Any) -> NDArray[np.intp]:
    """Return the positions of the records that can be read."""
    rows: NDArray[np.intp] = self._graphs(X).rows
    return rows


def pattern_table(self: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PatternTable:
    """Compare records with and without each pattern: the rate of a class, or the mean of the target.

    Parameters
    ----------
    X : list of graphs
        As in :meth:`fit`; invalid records do not count. In records of training, for which the patterns were
        chosen, the differences are larger than in new ones, and intervals and p-values far too good; the
        printed table says so.
    y : array-like of shape (n_records,) or (n_records, n_outputs)
        Their targets.
    sample_weight : array-like of shape (n_records,), optional
        Their weights. Rates, means and odds are then weighted, and intervals are those of as
        many equal records as vary as much; numbers of records stay counts, without those of weight 0,
        and there are no p-values.

    Returns
    -------
    PatternTable
        The patterns, the most important first, with coefficient, number of records (also by class), and
        rate or mean with an interval of 95 %; as columns (``to_frame``) also recall, odds ratio and Fisher's
        p-value of classes. For molecules it has SMARTS and, where rdkit is installed, drawings.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read.
    """
    check_is_fitted(self)
    X = list(X) if isinstance(X, Iterator) else X
    found = self._graphs(X)
    require_records(found.n_records)
    if not found.graphs:
        raise ValueError(f"all {found.n_records} records are invalid, such as {named(found.invalid)}")
    sample_weight = taken(sample_weight, found, "sample_weight")
    table = PatternModel.pattern_table(self, found.graphs, taken(y, found, "y"), sample_weight)
    if found.invalid:
        table = replace(table, note=f"{table.note}\nL{left_out(found.invalid, found.n_records)[1:]}.")
    if not self._fitted.view.vocabulary.is_chemical or not can_draw():
        return table
    records = found.graphs if isinstance(X, (str, PathLike)) else list(as_lists(X))
    occurs = PatternModel._activations(self, found.graphs).tocsc()
    place = {id(pattern): k for k, pattern in enumerate(self.patterns_)}
    rows = []
    for row in table.rows:
        k = place[id(row.pattern)]
        inside = occurs.indices[occurs.indptr[k] : occurs.indptr[k + 1]].tolist()
        whole = whole_pattern(self, row.pattern)
        drawings = (
            pattern_drawing(self, row.pattern, whole),
            example_drawing(self, row.pattern, records, found, inside),
        )
        pictures = tuple("" if each is None else each.svg() for each in drawings)
        rows.append(replace(row, whole=whole, drawings=pictures))
    return replace(table, rows=tuple(rows))


def score(self: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the accuracy of a classifier, the R^2 of a regressor; invalid records do not count.

    Parameters
    ----------
    X : list of graphs
        As in :meth:`fit`.
    y : array-like of shape (n_records,) or (n_records, n_outputs)
        Their targets.
    sample_weight : array-like of shape (n_records,), optional
        Weight of each record.

    Returns
    -------
    float
        The score.

    Raises
    ------
    TypeError, ValueError
        As in :meth:`predict`, or if every record is invalid.
    """
    check_is_fitted(self)
    found = self._graphs(X)
    y, sample_weight = taken(y, found, "y"), taken(sample_weight, found, "sample_weight")
    with _counting_all(found):
        y = scored_target(y, type(self).__name__)
    sample_weight = row_weights(sample_weight, len(found.graphs))
    mixin: Any = ClassifierMixin if self._task == "classification" else RegressorMixin
    return float(mixin.score(self, found.graphs, y, sample_weight))


def taken(values: Any, found: ValidGraphs, name: str) -> Any:
    """Select the entries of an array-like that belong to records that could be read.

    Parameters
    ----------
    values : array-like or None
        One entry for each record; None and a single number are returned as they are.
    found : ValidGraphs
        The records.
    name : str
        The name of the values, for messages.

    Returns
    -------
    array-like or None
        The entries.

    Raises
    ------
    ValueError
        If there is not one entry for each record.
    """
    if not found.invalid or values is None or np.ndim(values) == 0:
        return values
    if len(values) != found.n_records:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {found.n_records} records, {name} has {len(values)}"
        )
    rows = found.rows.tolist()
    frame = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, (nw.DataFrame, nw.Series)):
        return frame[rows].to_native()
    if isinstance(values, NamedTarget):
        return NamedTarget(np.asarray(values)[rows], values.name)
    return (
        [values[row] for row in rows]
        if isinstance(values, (list, tuple))
        else np.asarray(fill_masked(values))[rows]
    )


@contextmanager
def _counting_all(found: ValidGraphs) -> Iterator[None]:
    """Count the rows of an error's message among all records."""

    def row(match: re.Match[str]) -> str:
        place = int(match[1])
        return f"row {found.rows[place]}" if place < found.rows.size else match[0]

    try:
        yield
    except (TypeError, ValueError) as error:
        if not found.invalid:
            raise
        raise type(error)(re.sub(r"\brow (\d+)\b", row, str(error))) from error


def _of_kept(fold: Any, found: ValidGraphs) -> Any:
    """Replace the rows of a fold by their positions among the records that could be read."""
    place = np.full(found.n_records, -1, dtype=np.int64)
    place[found.rows] = np.arange(found.rows.size)
    parts = []
    for part in fold:
        rows = np.asarray(part)
        if rows.dtype == bool and rows.shape == (found.n_records,):
            rows = np.flatnonzero(rows)
        is_known = rows.dtype.kind in "iu" and rows.size and rows.min() >= 0 and rows.max() < found.n_records
        parts.append(place[rows][place[rows] >= 0] if is_known else part)
    return tuple(parts)
