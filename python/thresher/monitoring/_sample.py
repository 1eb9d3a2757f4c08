"""Rows of a monitoring: the score that a model gives them, the codes of its columns, what is observed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.alignment import to_array, warn_if_reordered
from ..data.columns import is_missing
from ..data.fit_rows import rows_of_weight
from ..data.frames import named_column, select_known
from ..data.inputs import Table
from ..data.label_codes import UnseenLabels
from ..data.targets import regression_target
from ..data.weights import are_counts, row_weights
from ..data.whole_weights import warn_of_counted_rows
from ..fit_warnings import warn
from ._periods import as_list
from ._values import ColumnValues, UsedColumn, values_of

Floats = NDArray[np.float64]


class CodedColumn(NamedTuple):
    """A column of codes: the bins of a column of a table, or a rule or pattern, which holds (1) or not (0).

    Parameters
    ----------
    name : str
        The column's name, or the text of the rule or pattern.
    values : sequence of float
        What each code contributes to the score.
    texts : sequence of str, default=()
        A text for each bin; none of a rule or pattern.
    """

    name: str
    values: Sequence[float]
    texts: Sequence[str] = ()


class Answers(NamedTuple):
    """What a model says of rows.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores; NaN for records that it cannot read.
    predicted : ndarray of shape (n_rows,)
        Probabilities of the class, NaN where the model has none; of numbers the predictions.
    codes : ndarray or sparse array of shape (n_rows, n_columns)
        The codes of the columns.
    table : Table or None, default=None
        The cells as they are given, whose categories may be unknown.
    unseen : UnseenLabels or None, default=None
        Labels of records that training did not have.
    """

    score: Floats
    predicted: Floats
    codes: Any
    table: Table | None = None
    unseen: UnseenLabels | None = None


class Scored(ABC):
    """A score, and the coded columns that add up to it.

    Parameters
    ----------
    model : estimator
        The fitted model.
    output : int
        The position of the class or target.
    columns : sequence of CodedColumn
        The columns.
    used : sequence of UsedColumn
        The columns of the table that the model uses; none of records.
    """

    def __init__(
        self, model: Any, output: int, columns: Sequence[CodedColumn], used: Sequence[UsedColumn]
    ) -> None:
        self.model, self.output, self.columns, self.used = model, output, columns, used

    @property
    def of_numbers(self) -> bool:
        """Whether the score predicts numbers."""
        return bool(self.model._task == "regression")

    @property
    def sign(self) -> int:
        """1 where larger scores are those of events, else -1."""
        return 1

    @abstractmethod
    def answers(self, X: Any, side: str) -> Answers:
        """Let the model answer to the rows of the reference, or to the new ones, which `side` names."""


@dataclass(frozen=True)
class Sample:
    """Rows that count, with the answers of a model.

    Parameters
    ----------
    score, predicted, codes : ndarray, or sparse array for codes
        As in :class:`Answers`.
    observed : ndarray of shape (n_rows,)
        1 for the class and 0 for others, or the target; NaN where it is not known.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    counts_rows : bool
        Whether they are numbers of equal rows.
    """

    score: Floats
    predicted: Floats
    codes: Any
    observed: Floats
    weights: Floats | None
    counts_rows: bool

    def select(self, rows: NDArray[Any]) -> Sample:
        """Select rows by a mask or by their positions."""
        weights = None if self.weights is None else self.weights[rows]
        score, predicted, observed = self.score[rows], self.predicted[rows], self.observed[rows]
        return Sample(score, predicted, self.codes[rows], observed, weights, self.counts_rows)

    def mean(self, values: Floats) -> float:
        """Return the weighted mean of a value of each row."""
        return float(np.average(values, weights=self.weights))

    @property
    def row_weights(self) -> Floats:
        """The weight of each row, 1 where none were given."""
        return np.ones(self.score.size) if self.weights is None else self.weights

    def each_column(self) -> Iterator[NDArray[np.intp]]:
        """Go through the codes column by column."""
        is_sparse = sparse.issparse(self.codes)
        codes = self.codes.tocsc() if is_sparse else self.codes
        for k in range(codes.shape[1]):
            yield codes[:, [k]].toarray().ravel().astype(np.intp) if is_sparse else codes[:, k]


class Read(NamedTuple):
    """Rows that were read: those that count, which these are, the cells of the columns in use, new labels."""

    sample: Sample
    counts: NDArray[np.bool_]
    values: list[ColumnValues]
    unseen: UnseenLabels | None


def read(scored: Scored, X: Any, y: Any, sample_weight: Any, side: str) -> Read:
    """Let a model answer to rows.

    Parameters
    ----------
    scored : Scored
        The score of the model.
    X : as in fit
        The rows or records.
    y, sample_weight : array-like, str or None
        Their classes or targets, and their weights; both may have gaps.
    side : {"reference", "new"}
        What the rows are, for messages.

    Returns
    -------
    Read
        The rows that count: those of weight 0, and records that the model cannot read, do not.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, or no row counts; there may be no new rows.
    """
    y = named_column(X, y, f"y_{side}")
    sample_weight = named_column(X, sample_weight, f"sample_weight_{side}")
    warn_if_reordered(X, y, f"y_{side}")
    warn_if_reordered(X, sample_weight, f"sample_weight_{side}")
    schema = scored.model._fitted.schema
    if schema is not None and schema.named:
        X = select_known(X, schema.names)
    sample_weight = _without_gaps(sample_weight, side)
    with rows_of_weight(sample_weight):
        score, predicted, codes, table, unseen = scored.answers(X, side)
    weights = row_weights(sample_weight, score.size) if score.size else None
    warn_of_counted_rows(weights, "psi_by_chance", f"sample_weight_{side}")
    counts = np.isfinite(score) if weights is None else np.isfinite(score) & (weights > 0)
    if not counts.any() and (score.size or side == "reference"):
        lacking = "no rows of positive weight whose score is known" if score.size else "no rows"
        raise ValueError(f"X_{side} has {lacking}; give the rows to compare")
    observed = _observed(scored.model, y, score.size, scored.output)
    sample = Sample(score, predicted, codes, observed, weights, are_counts(weights)).select(counts)
    rows, values = np.flatnonzero(counts), []
    if table is not None:
        pairs = [(own, own.feature_index) for own in scored.used]
        cells = [(table.columns[j], own, len(schema.levels[j] or ())) for own, j in pairs]
        values = [values_of(*each, rows, sample.row_weights) for each in cells]
    return Read(sample, counts, values, None if unseen is None else unseen.select(rows))


def _without_gaps(sample_weight: Any, side: str) -> Any:
    """Let missing weights be 0, with a warning."""
    if sample_weight is None or np.ndim(sample_weight) != 1:
        return sample_weight
    values = as_list(sample_weight)
    absent = [row for row, value in enumerate(values) if is_missing(value)]
    if not absent or len(absent) == len(values):
        return sample_weight
    warn(
        f"sample_weight_{side} is missing in {len(absent):,} of {len(values):,} rows, the first of "
        f"which is row {absent[0]}; they are left out",
        UserWarning,
    )
    return [0.0 if is_missing(value) else value for value in values]


def _observed(model: Any, y: Any, n_rows: int, output: int) -> Floats:
    """Return which rows are of the class, or their targets; one that is not known yet may be missing."""
    found = np.full(n_rows, np.nan)
    if y is None:
        return found
    labels = np.asarray(to_array(y), dtype=object)
    if labels.ndim == 2:
        labels = labels[:, output if labels.shape[1] > 1 else 0]
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} values, X has {n_rows} rows")
    known = np.asarray([not is_missing(label) for label in labels.tolist()], dtype=np.bool_)
    kept = np.asarray(labels[known].tolist())
    if kept.size and model._task == "regression":
        found[known] = regression_target(kept, kept.size, type(model).__name__).values[:, 0]
    elif kept.size:
        codes = model._read_target(kept, kept.size, model._fitted).codes
        found[known] = codes == (1 if len(model._fitted.outputs) == 1 else output)
    return found
