"""What is observed in records with and without each pattern of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.targets import Target
from ..data.weights import are_counts, n_of_weight
from ..data.whole_weights import warn_of_counted_rows
from ..results.association import Association
from ..results.coverage import weights_note
from ..results.pattern import Pattern
from ..results.pattern_table import Observed, PatternRow, PatternTable, note_of

_OF_TRAINING = (
    "Each pattern occurs in as many of these records as of those of training. If they are the same, the\n"
    "patterns were chosen for them, and {} are far too good: give other records."
)


def table_of(
    patterns: Sequence[Pattern],
    occurs: Any,
    target: Target,
    outputs: Sequence[Any],
    weights: NDArray[np.float64] | None = None,
    n_training: int = 0,
) -> PatternTable:
    """Compare the records with and without each pattern.

    Parameters
    ----------
    patterns : sequence of Pattern
        The patterns.
    occurs : sparse array of shape (n_records, n_patterns)
        Non-zero where a pattern occurs.
    target : Target
        The targets of the records.
    outputs : sequence
        The names of the outputs.
    weights : ndarray of shape (n_records,), optional
        The weights of the records.
    n_training : int, default=0
        The number of records of training, 0 where it is not known.

    Returns
    -------
    PatternTable
        The patterns, the most important first.
    """
    columns = occurs.tocsc()
    n_records = occurs.shape[0]
    warn_of_counted_rows(weights, "the intervals", noun="records")
    counts_rows, rows = are_counts(weights), []
    is_weighted = weights is not None and np.unique(weights[weights > 0]).size > 1
    for k in sorted(range(len(patterns)), key=lambda k: -patterns[k].importance):
        is_present = np.zeros(n_records, dtype=bool)
        is_present[columns.indices[columns.indptr[k] : columns.indptr[k + 1]]] = True
        place = list(outputs).index(patterns[k].output)
        values, observe = _values(target, place)
        rows.append(
            PatternRow(
                patterns[k],
                _by_class(target, is_present if weights is None else is_present & (weights > 0)),
                observe(values[is_present], _of(weights, is_present), counts_rows),
                observe(values[~is_present], _of(weights, ~is_present), counts_rows),
                None if target.classes is None else Association.of(values, is_present, weights),
                float(np.average(is_present, weights=weights)) if is_weighted else None,
            )
        )
    is_class, overall, named = target.classes is not None, None, ""
    if len(outputs) == 1:
        values, observe = _values(target, 0)
        overall = observe(values, weights, counts_rows)
        named = f"class {target.classes.tolist()[1]!r}" if target.classes is not None else ""
    elif is_class:
        named = "its class"
    quantity = "rate" if is_class else "mean"
    note = note_of(quantity, named, overall, is_weighted=is_weighted)
    if is_weighted and rows:
        note += f"\n{weights_note('records')}"
    n_given = n_of_weight(weights, n_records)
    footer = ""
    if _are_of_training(rows, n_given, n_training):
        footer = _OF_TRAINING.format("intervals and p-values" if is_class else "intervals")
    return PatternTable(tuple(rows), tuple(outputs), quantity, note, footer)


def _are_of_training(rows: Sequence[PatternRow], n_given: int, n_training: int) -> bool:
    """Return whether as many records have each pattern as in training, in all and in each class."""
    return (
        bool(rows)
        and n_training in (0, n_given)
        and all(
            row.present.n_rows == row.pattern.n_rows
            and row.n_rows_per_class == dict(row.pattern.n_rows_per_class)
            for row in rows
        )
    )


def _of(weights: NDArray[np.float64] | None, rows: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    return None if weights is None else weights[rows]


def _values(target: Target, output: int) -> tuple[NDArray[Any], Callable[[Any, Any, bool], Observed]]:
    """Return the values of an output, and what is observed of them: a class (the last of two) or a number."""
    if target.classes is None:
        return target.values[:, output], Observed.of_mean
    return target.values[:, output] > 0, Observed.of_rate


def _by_class(target: Target, rows: NDArray[np.bool_]) -> dict[Any, int]:
    if target.classes is None or target.codes is None:
        return {}
    counts = np.bincount(target.codes[rows], minlength=target.classes.size)
    return dict(zip(target.classes.tolist(), counts.tolist(), strict=True))
