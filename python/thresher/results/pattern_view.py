"""A fitted pattern model's document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import _native
from .coverage import coverage_of, n_rows_by_class
from .model_view import ModelView
from .pattern import Pattern


class PatternFamily(Protocol):
    """The part of a pattern family that formats patterns as text."""

    def restore(self, alphabet: Any) -> Any:
        """Create the vocabulary of a saved model."""

    def size(self, payload: Any) -> int:
        """Return the size of a pattern."""

    def pattern(
        self, payload: Any, vocabulary: Any, language: Mapping[str, Any], **attributes: Any
    ) -> Pattern:
        """Create a pattern with its text."""


class PatternView(ModelView):
    """The document of a pattern model, with the texts of its patterns.

    Parameters
    ----------
    model : thresher._native.PatternModel
        The compiled model.
    family : PatternFamily
        The pattern family.
    vocabulary : object, optional
        The labels; by default those of the document.
    """

    def __init__(self, model: _native.PatternModel, family: PatternFamily, vocabulary: Any = None) -> None:
        super().__init__(model)
        self.family = family
        self.language: dict[str, Any] = self.payload["language"]
        self.vocabulary = family.restore(self.payload["features"]) if vocabulary is None else vocabulary

    def order(self, term: Any) -> Any:
        """Order patterns by size, then by their labels' numbers.

        Parameters
        ----------
        term : mapping
            An output's pattern.

        Returns
        -------
        tuple
            A key.
        """
        return self.family.size(term["pattern"]), repr_key(term["pattern"])

    def pattern(self, payload: Any, **attributes: Any) -> Pattern:
        """Create a pattern with its text.

        Parameters
        ----------
        payload : object
            The entry of the document.
        **attributes : object
            Coefficient, support and the like.

        Returns
        -------
        Pattern
            The pattern with its text and size.
        """
        shown = self.family.pattern(payload, self.vocabulary, self.language, **attributes)
        return replace(shown, payload=payload)

    def text(self, output: int, term: int) -> str:
        """Return the text of a term.

        Parameters
        ----------
        output, term : int
            Positions of the output, and of the term among its terms.

        Returns
        -------
        str
            The text of the pattern.
        """
        return self.pattern(self.outputs[output]["terms"][term]["pattern"]).text

    def patterns(
        self, points: Sequence[int], labels: Sequence[Any], classes: Sequence[Any] | None
    ) -> list[Pattern]:
        """List the patterns of the chosen points.

        Parameters
        ----------
        points : list of int
            The selected point of each output.
        labels : list
            A label for each output; None where there is one only.
        classes : list or None
            The classes, for the support in each.

        Returns
        -------
        list of Pattern
            Output by output, ordered by size and labels: the columns of ``transform``.
        """
        return [
            self._to_pattern(self.outputs[output]["terms"][index], coef, label, classes)
            for output, (terms, label) in enumerate(zip(self.active(points), labels, strict=True))
            for index, coef in terms
        ]

    def _to_pattern(self, entry: Any, coef: float, output: Any, classes: Sequence[Any] | None) -> Pattern:
        attributes = {
            "coef": float(coef),
            "n_rows_per_class": n_rows_by_class(entry, classes),
            "output": output,
            **coverage_of(entry),
        }
        closure = entry["closure"]
        return self.pattern(
            entry["pattern"],
            closure=None if closure is None else self.pattern(closure, **attributes),
            equivalents=tuple(self.pattern(other, **attributes) for other in entry["equivalents"]),
            **attributes,
        )

    def activations(self, records: _native.Records, points: Sequence[int]) -> Any:
        """Return the indicator of each pattern for each record.

        Parameters
        ----------
        records : thresher._native.Records
            The records.
        points : list of int
            The selected point of each output.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_records, n_patterns)
            1.0 where the pattern occurs; columns in the order of :meth:`active`.
        """
        columns = self.model.activations(records, list(points))
        chosen = [columns[place] for place in self.places(points)]
        rows: NDArray[np.int64] = np.concatenate([np.zeros(0, np.int64), *chosen]).astype(np.int64)
        numbers = np.repeat(np.arange(len(chosen)), [column.size for column in chosen])
        shape = (len(records), len(chosen))
        return sparse.csr_array((np.ones(rows.size), (rows, numbers)), shape=shape)


def repr_key(payload: Any) -> str:
    """Return a text that sorts patterns of the same size by their numbers.

    Parameters
    ----------
    payload : object
        A pattern as in a document.

    Returns
    -------
    str
        Whole numbers with leading zeros.
    """
    if isinstance(payload, dict):
        return " ".join(f"{key} {repr_key(value)}" for key, value in sorted(payload.items(), reverse=True))
    if isinstance(payload, (list, tuple)):
        return "(" + " ".join(repr_key(entry) for entry in payload) + ")"
    return f"{payload:012d}" if isinstance(payload, int) else str(payload)
