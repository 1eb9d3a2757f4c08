"""The score of any estimator, and the rules or patterns that add up to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.inputs import Table
from ..data.valid_graphs import records_read_once
from ._sample import Answers, CodedColumn, Scored
from ._values import UsedColumn

Floats = NDArray[np.float64]


class ScoredTerms(Scored):
    """One output of a model, as the sum of its rules or patterns; of other models the score alone.

    Parameters
    ----------
    model : estimator
        The fitted model.
    output : int
        The position of the class or target.
    """

    def __init__(self, model: Any, output: int) -> None:
        terms: Any = getattr(model, "rules_", None)
        terms = getattr(model, "patterns_", ()) if terms is None else terms
        label = model._fitted.output_names()[output]
        own = [(place, term) for place, term in enumerate(terms) if term.output == label]
        columns = [CodedColumn(term.text, (0.0, term.coef)) for _, term in own]
        super().__init__(model, output, columns, _used_columns(model))
        self._places = [place for place, _ in own]

    def answers(self, X: Any, side: str) -> Answers:
        """Let the model answer to rows or records, of which there has to be one."""
        model, output = self.model, self.output
        X = records_read_once(model, X)
        decision = model._finite_decision(X)
        if not len(decision):
            raise ValueError(f"X_{side} has no rows; give the rows to compare")
        unseen = model._family.unseen(X, model._fitted.view.vocabulary) if hasattr(model, "_family") else None
        score = decision[:, output].astype(np.float64)
        predicted = predictions_of(model, decision, output)
        return Answers(score, predicted, self._codes(X, score.size), self._cells(X), unseen)

    def _codes(self, X: Any, n_rows: int) -> Any:
        """Return the rows in which each term holds."""
        if hasattr(self.model, "_activations"):
            found = self.model._activations(X)
        elif self._places:
            found = np.asarray(self.model._indicators(self.model._table(X)), dtype=np.float64)
        else:
            return sparse.csr_array((n_rows, 0))
        return sparse.csr_array(found)[:, self._places]

    def _cells(self, X: Any) -> Table | None:
        """Return the cells of a table that is not sparse."""
        if sparse.issparse(X) or not self.used:
            return None
        found: Table = self.model._table_as_given(X)
        return found


def predictions_of(model: Any, decision: Floats, output: int) -> Floats:
    """Return the probabilities of a class, NaN where the model has none; of numbers the predictions."""
    if model._task == "regression":
        return decision[:, output]
    if not hasattr(model, "predict_proba"):
        return np.full(len(decision), np.nan)
    found: Floats = model._probabilities(decision)
    return found[:, 1 if decision.shape[1] == 1 else output]


def _used_columns(model: Any) -> list[UsedColumn]:
    """Return the columns that a model of a table uses; none of models of records."""
    schema = model._fitted.schema
    if schema is None or hasattr(model, "patterns_"):
        return []
    features = getattr(model._fitted.view, "features", ())
    found = []
    for place in sorted(model._used_columns()):
        codes = features[place].get("special", ()) if features else ()
        found.append(UsedColumn(place, schema.names[place], tuple(code["value"] for code in codes)))
    return found
