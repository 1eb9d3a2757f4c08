"""The answers of a model to rows: its score, and the rows in which each of its terms holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.alignment import to_array
from ..data.columns import is_missing
from ..data.fit_rows import rows_of_weight
from ..data.frames import named_column, select_known
from ..data.label_codes import UnseenLabels
from ..data.targets import regression_target
from ..data.weights import are_counts, row_weights
from ..scorecard._values import ColumnValues, values_of
from ..scorecard.stability import Shares, shares_of

Floats = NDArray[np.float64]


class UsedColumn(NamedTuple):
    """A column of a table that a model uses."""

    feature_name: str
    as_missing: tuple[float, ...] = ()
    special: tuple[float, ...] = ()


@dataclass(frozen=True)
class Sample:
    """Rows with the answers of a model.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        Decision values.
    predicted : ndarray of shape (n_rows,)
        Probabilities of the class, NaN where the model has none; of numbers the predictions.
    observed : ndarray of shape (n_rows,)
        1 for the class and 0 for others, or the target; NaN where it is not known.
    holds : sparse array of shape (n_rows, n_terms)
        1 where a term holds.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    counts_rows : bool
        Whether they are numbers of equal rows.
    """

    score: Floats
    predicted: Floats
    observed: Floats
    holds: Any
    weights: Floats | None
    counts_rows: bool

    def select(self, rows: NDArray[Any]) -> Sample:
        """Select rows by a mask or by their positions."""
        weights = None if self.weights is None else self.weights[rows]
        score, predicted, observed = self.score[rows], self.predicted[rows], self.observed[rows]
        return Sample(score, predicted, observed, self.holds[rows], weights, self.counts_rows)

    def mean(self, values: Floats) -> float:
        """Return the weighted mean of a value of each row."""
        return float(np.average(values, weights=self.weights))

    @property
    def row_weights(self) -> Floats:
        """The weight of each row, 1 where none were given."""
        return np.ones(self.score.size) if self.weights is None else self.weights

    @cached_property
    def term_shares(self) -> list[Shares]:
        """The shares of the rows in which each term does not hold and in which it holds."""
        columns = self.holds.tocsc()
        codes = (columns[:, [j]].toarray().ravel().astype(np.intp) for j in range(columns.shape[1]))
        return [shares_of(held, 2, self.weights, self.counts_rows) for held in codes]

    @property
    def supports(self) -> list[float]:
        """The fraction of the weight in which each term holds."""
        return [float(shares.values[1]) for shares in self.term_shares]


class Read(NamedTuple):
    """Rows that were read: those that count, which these are, the cells of the columns in use, new labels."""

    sample: Sample
    counts: NDArray[np.bool_]
    values: list[ColumnValues]
    unseen: UnseenLabels | None


def terms_of(model: Any, output: int) -> tuple[list[int], list[Any]]:
    """Return the positions of the rules or patterns of an output, and these; none of other models."""
    terms: Any = getattr(model, "rules_", None)
    terms = getattr(model, "patterns_", ()) if terms is None else terms
    label = model._fitted.output_names()[output]
    own = [(place, term) for place, term in enumerate(terms) if term.output == label]
    return [place for place, _ in own], [term for _, term in own]


def used_columns(model: Any) -> dict[int, UsedColumn]:
    """Return the columns that a model of a table uses, by their positions; none of models of records."""
    schema = model._fitted.schema
    if schema is None or hasattr(model, "patterns_"):
        return {}
    found = {}
    for place in sorted(model._used_columns()):
        codes = _special_codes(model, place)
        unseen = tuple(code["value"] for code in codes if not code["seen"])
        seen = tuple(code["value"] for code in codes if code["seen"])
        found[place] = UsedColumn(schema.names[place], unseen, seen)
    return found


def _special_codes(model: Any, place: int) -> Any:
    """Return the special codes of a column; those that training did not have count as missing."""
    features = getattr(model._fitted.view, "features", ())
    return features[place].get("special", ()) if features else ()


def read(model: Any, X: Any, y: Any, sample_weight: Any, output: int, side: str) -> Read:
    """Let a model answer to rows; those of weight 0, and records that it cannot read, do not count."""
    y = named_column(X, y, f"y_{side}")
    sample_weight = named_column(X, sample_weight, f"sample_weight_{side}")
    schema = model._fitted.schema
    if schema is not None and schema.named:
        X = select_known(X, schema.names)
    with rows_of_weight(sample_weight):
        decision = model._finite_decision(X)
        holds = _holds(model, X, output, len(decision))
    score = decision[:, output].astype(np.float64)
    weights = row_weights(sample_weight, score.size)
    counts = np.isfinite(score)
    counts = counts if weights is None else counts & (weights > 0)
    if not counts.any():
        lacking = "no rows" if not counts.size else "no rows of positive weight whose score is known"
        raise ValueError(f"X_{side} has {lacking}; give the rows to compare")
    found = Sample(
        score, _predicted(model, decision, output), _observed(model, y, score.size, output),
        holds, weights, are_counts(weights),
    )  # fmt: skip
    rows = np.flatnonzero(counts)
    unseen = model._family.unseen(X, model._fitted.view.vocabulary) if hasattr(model, "_family") else None
    return Read(
        found.select(counts),
        counts,
        _values(model, X, rows, weights),
        None if unseen is None else unseen.select(rows),
    )


def _predicted(model: Any, decision: Floats, output: int) -> Floats:
    if model._task == "regression":
        return decision[:, output]
    if not hasattr(model, "predict_proba"):
        return np.full(len(decision), np.nan)
    found: Floats = model._probabilities(decision)
    return found[:, 1 if decision.shape[1] == 1 else output]


def _holds(model: Any, X: Any, output: int, n_rows: int) -> Any:
    """Return the rows in which each term of an output holds."""
    places, terms = terms_of(model, output)
    if hasattr(model, "_activations"):
        found = model._activations(X)
    elif terms:
        found = np.asarray(model._indicators(model._table(X)), dtype=np.float64)
    else:
        return sparse.csr_array((n_rows, 0))
    return sparse.csr_array(found)[:, places]


def _values(model: Any, X: Any, rows: NDArray[np.intp], weights: Floats | None) -> list[ColumnValues]:
    """Return the cells of the columns in use, of a table that is not sparse."""
    used = {} if sparse.issparse(X) else used_columns(model)
    if not used:
        return []
    given, levels = model._table_as_given(X), model._fitted.schema.levels
    own_weights = np.ones(rows.size) if weights is None else weights[rows]
    return [
        values_of(given.columns[j], own, len(levels[j] or ()), rows, own_weights)  # type: ignore[arg-type]
        for j, own in used.items()
    ]


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
