"""Rows of a monitoring: scored, binned, and with what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..data.alignment import warn_if_reordered
from ..data.columns import is_missing
from ..data.fit_rows import rows_of_weight
from ..data.frames import named_column
from ..data.unknown_categories import apply_handle_unknown
from ..data.weights import are_counts, row_weights
from ..fit_warnings import warn
from ._periods import as_list
from ._predictions import PredictionCard
from ._rows import rows_as_given
from ._values import ColumnValues, values_of

if TYPE_CHECKING:
    from ._points import CardInPoints

    Card: TypeAlias = CardInPoints | PredictionCard

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Rows that are scored and binned.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores.
    codes : list of ndarray of shape (n_rows,)
        The bin of each row, column by column.
    observed : ndarray of shape (n_rows,)
        1 for an event, 0 for another class, or the target; NaN where it is not known.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    counts_rows : bool
        Whether they are numbers of equal rows.
    """

    score: Floats
    codes: list[NDArray[np.intp]]
    observed: Floats
    weights: Floats | None
    counts_rows: bool

    def select(self, rows: NDArray[Any]) -> Sample:
        """Select rows by a mask or by their positions."""
        return Sample(
            self.score[rows],
            [codes[rows] for codes in self.codes],
            self.observed[rows],
            None if self.weights is None else self.weights[rows],
            self.counts_rows,
        )


def sample_of(
    card: Card, X: Any, y: Any, sample_weight: Any, side: str
) -> tuple[Sample, list[ColumnValues], NDArray[np.bool_]]:
    """Score rows; return those of positive weight, their cells, and which they are.

    Parameters
    ----------
    card : CardInPoints or PredictionCard
        The card.
    X : array or frame of shape (n_rows, n_features)
        The rows.
    y, sample_weight : array-like, str or None
        Their classes or targets, and their weights; both may have gaps.
    side : {"reference", "new"}
        What the rows are, for messages.

    Returns
    -------
    sample : Sample
        The rows of positive weight.
    values : list of ColumnValues
        Their cells, column by column.
    counts : ndarray of shape (n_rows,)
        Which rows they are.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read.
    """
    y = named_column(X, y, f"y_{side}")
    sample_weight = named_column(X, sample_weight, f"sample_weight_{side}")
    warn_if_reordered(X, y, f"y_{side}")
    warn_if_reordered(X, sample_weight, f"sample_weight_{side}")
    model, schema = card.model, card.model._fitted.schema
    given = rows_as_given(model, card._aligned(X))
    used = {own.feature_index for own in card.bins}
    weights = _weights(sample_weight, given.n_rows, side)
    with rows_of_weight(weights):
        table = apply_handle_unknown(given, schema, model.handle_unknown, used)
    score = card._added(table).astype(np.float64)
    codes = [own.codes(table) for own in card.bins]
    found = Sample(score, codes, _observed(card, y, table.n_rows), weights, are_counts(weights))
    counts = np.ones(table.n_rows, dtype=np.bool_) if weights is None else weights > 0
    sample, rows = found.select(counts), np.flatnonzero(counts)
    own_weights = np.ones(rows.size) if sample.weights is None else sample.weights
    values = [
        values_of(given.columns[k], own, len(schema.levels[k] or ()), rows, own_weights)
        for k, own in ((own.feature_index, own) for own in card.bins)
    ]
    return sample, values, counts


def _weights(sample_weight: Any, n_rows: int, side: str) -> Floats | None:
    """Check weights; a missing one is 0, with a warning."""
    if sample_weight is None or not n_rows:
        return None
    if np.ndim(sample_weight) == 1 and (values := as_list(sample_weight)):
        absent = [row for row, value in enumerate(values) if is_missing(value)]
        if absent and len(absent) < len(values):
            warn(
                f"sample_weight_{side} is missing in {len(absent):,} of {len(values):,} rows, the first of "
                f"which is row {absent[0]}; they are left out",
                UserWarning,
            )
            sample_weight = [0.0 if is_missing(value) else value for value in values]
    return row_weights(sample_weight, n_rows)


def _observed(card: Card, y: Any, n_rows: int) -> Floats:
    """Return which rows are events, or their targets; one may be missing, because it is not known yet."""
    found = np.full(n_rows, np.nan)
    if y is None:
        return found
    labels = as_list(y)
    known = np.asarray([not is_missing(label) for label in labels], dtype=np.bool_)
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} values, X has {n_rows} rows")
    if known.any():
        kept = [label for label, is_known in zip(labels, known.tolist(), strict=True) if is_known]
        target = card.model._read_target(np.asarray(kept), len(kept), card.model._fitted)
        found[known] = target.values[:, 0] if target.classes is None else target.values[:, 0] > 0
    return found
