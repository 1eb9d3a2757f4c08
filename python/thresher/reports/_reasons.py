"""The contributions to sampled rows, against their mean over the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.event_tables import EventSequences
from ..data.molecules import chem
from ..results.explanation import Contribution, Explanation
from ..results.shape_function import cell
from ._data import Data, spread
from ._drawings import record_drawings
from ._scored import Scored

DEFAULT_ROWS = 100  # explained rows: 100 rows of 100 rules that hold take some 100 kB of the page
MOST_REFERENCE = 10_000  # rows over which contributions are averaged: the mean is within 1 % of a deviation
LEAST_REFERENCE = 50  # the same for models of so many terms that a row takes long
MOST_WORK = 1_000_000  # terms times rows: five seconds for interactions, less for rules
MOST_LISTED = 1_000  # terms with means of their own, those of largest contributions first
MOST_PARTS = 60_000  # contributions in the page: 700 kB; fewer rows where a row has many
MOST_TEXT = 400  # characters of a record
_CHUNK = 1_000  # rows that are explained at once

Key = tuple[Any, str, str]


class Reasons:
    """The contributions to rows of the data.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    data : Data
        The rows.
    n_terms : int
        The number of terms of the model.
    """

    def __init__(self, model: Any, data: Data, n_terms: int) -> None:
        self.model, self.data = model, data
        most = max(LEAST_REFERENCE, min(MOST_REFERENCE, MOST_WORK // max(1, n_terms)))
        self.rows = spread(np.arange(data.n_rows), most)
        self.keys: dict[Key, int] = {}
        self.sums: list[float] = []
        self.squares: list[float] = []
        self.counts: list[int] = []
        for start in range(0, self.rows.size, _CHUNK):
            self._add(self.rows[start : start + _CHUNK])

    def _add(self, rows: NDArray[np.intp]) -> None:
        for parts in self.model._contributions(self.data.take(rows)):
            for part in parts:
                place = self._place(part)
                self.sums[place] += part.value
                self.squares[place] += part.value * part.value
                self.counts[place] += part.value != 0

    def _place(self, part: Contribution) -> int:
        """Return the position of a term; a linear term and a step are known by their column."""
        key = (part.output, part.kind, part.text if part.feature is None else part.feature)
        place = self.keys.get(key)
        if place is None:
            place = self.keys[key] = len(self.sums)
            self.sums.append(0.0)
            self.squares.append(0.0)
            self.counts.append(0)
        return place

    def fractions_of_rows(self) -> dict[Key, float]:
        """Return the fraction of the rows for which each rule or pattern holds."""
        return {
            key: self.counts[place] / self.rows.size
            for key, place in self.keys.items()
            if key[1] in ("rule", "pattern")
        }

    def deviations(self) -> dict[Key, float]:
        """Return the standard deviation of the contribution of each term over the rows."""
        n = self.rows.size
        return {
            key: math.sqrt(
                max(0.0, self.squares[place] / n - (self.sums[place] / n) * (self.sums[place] / n))
            )
            for key, place in self.keys.items()
        }

    def chosen(self, found: Scored, wanted: int | Sequence[int]) -> NDArray[np.intp]:
        """Choose the rows to explain: those named, or some spread evenly over the decision values."""
        if not isinstance(wanted, int):
            return np.asarray(list(dict.fromkeys(wanted)), dtype=np.intp)
        mean = max(1.0, sum(self.counts) / self.rows.size)
        most = max(1, min(wanted, int(MOST_PARTS / mean)))
        return spread(np.argsort(found.decision[:, 0], kind="stable"), most)

    def payload(self, found: Scored, rows: NDArray[np.intp], fields: Sequence[int] | None) -> dict[str, Any]:
        """Return the explanations of rows; `fields` are the columns whose values are shown."""
        X = self.data.take(rows)
        explained: list[Explanation] = self.model.explain(X)
        cells, names = _cells(self.model, X, fields), _names(X)
        for each in explained:
            for part in each.contributions:
                self._place(part)
        outputs = {str(label): number for number, (label, _) in enumerate(explained[0].intercepts)}
        kept, terms, means = self._listed(outputs)
        drawings, numbers = record_drawings(self.model, X, rows.size), self.data.numbers
        texts: dict[str, int] = {}
        listed = [
            {
                "row": row if numbers is None else int(numbers[row]),
                "decision": [value for _, value in each.decisions],
            }
            | {"parts": self._parts(each, kept, len(terms) - len(outputs), outputs, texts)}
            | self._labels(found, row)
            | cells[k]
            | ({"name": names[k]} if names else {})
            | ({"drawings": drawings[k]} if drawings[k] else {})
            for k, (row, each) in enumerate(zip(rows.tolist(), explained, strict=True))
        ]
        return {
            "rows": listed,
            "terms": terms,
            "means": means,
            "texts": list(texts),
            "intercepts": [value for _, value in explained[0].intercepts],
            "n_reference": int(self.rows.size),
            "n_rows": self.data.n_rows,
        }

    def _listed(self, outputs: Mapping[str, int]) -> tuple[dict[int, int], list[Any], list[float]]:
        """Choose the terms that are listed; the last of them are the sums of all others, one an output.

        Returns
        -------
        (dict of int to int, list of [kind, text, output], list of float)
            The new position of each listed term, the terms, and their mean contributions.
        """
        order = sorted(range(len(self.sums)), key=lambda place: -self.squares[place])[:MOST_LISTED]
        keys, n = list(self.keys), self.rows.size
        kept = {place: number for number, place in enumerate(sorted(order))}
        terms: list[Any] = [[keys[p][1], keys[p][2], outputs.get(str(keys[p][0]), 0)] for p in kept]
        means = [self.sums[place] / n for place in kept]
        rest = [0.0] * len(outputs)
        for place, (output, _, _) in enumerate(keys):
            if place not in kept:
                rest[outputs.get(str(output), 0)] += self.sums[place] / n
        terms += [["remainder", "all other terms", number] for number in range(len(outputs))]
        return kept, terms, means + rest

    def _parts(
        self,
        explained: Explanation,
        kept: Mapping[int, int],
        first_rest: int,
        outputs: Mapping[str, int],
        texts: dict[str, int],
    ) -> list[list[Any]]:
        """Return the contributions to a row: the term's position, the value, and the text of a column."""
        parts: list[list[Any]] = []
        rest = [0.0] * len(outputs)
        for part in explained.contributions:
            number = kept.get(self._place(part))
            if number is None:
                rest[outputs.get(str(part.output), 0)] += part.value
                continue
            named = part.feature is not None
            parts.append([number, part.value, *([texts.setdefault(part.text, len(texts))] if named else [])])
        return parts + [[first_rest + output, value] for output, value in enumerate(rest) if value]

    def _labels(self, found: Scored, row: int) -> dict[str, Any]:
        """Return prediction, truth, probabilities and group of a row."""
        labels: dict[str, Any] = {}
        if found.classes is None:
            labels["predicted"] = found.predicted[row].tolist()
            if found.truth is not None:
                labels["truth"] = found.truth[row].tolist()
        else:
            labels["predicted"] = str(found.classes[found.predicted[row]])
            if found.truth is not None:
                labels["truth"] = str(found.classes[found.truth[row]])
            if found.probabilities is not None:
                labels["probabilities"] = found.probabilities[row].tolist()
        if self.data.groups is not None:
            labels["group"] = self.data.groups.labels[self.data.groups.codes[row]]
        return labels


def _cells(model: Any, X: Any, fields: Sequence[int] | None) -> list[dict[str, Any]]:
    """Return the values of the columns of each row, or the texts of records."""
    if fields is not None:
        table = model._table(X)
        rows = ([cell(table.columns[j], k) for j in fields] for k in range(table.n_rows))
        return [
            {"values": [None if value is None or value != value else value for value in row]} for row in rows
        ]
    if getattr(X, "ndim", 1) != 1 or sparse.issparse(X):
        return [{}] * int(X.shape[0])
    texts = map(_text, X)
    return [{"record": text if len(text) <= MOST_TEXT else _shortened(text)} for text in texts]


def _shortened(text: str) -> str:
    """Cut a text, between two events where it is a list of them."""
    whole = text[:MOST_TEXT].rpartition(", ")[0]
    return f"{whole}, …" if whole else f"{text[:MOST_TEXT]}…"


def _names(X: Any) -> list[str]:
    """Return the records, and of several sessions the number, that sequences of a long table belong to."""
    if not isinstance(X, EventSequences):
        return []
    if not any(X.sessions):
        return list(map(str, X.records))
    return [f"{record}, session {number}" for record, number in zip(X.records, X.sessions, strict=True)]


def _text(record: Any) -> str:
    """Write a record; the items of a set have an order, the same in every run."""
    if hasattr(record, "GetAtoms"):
        return str(chem().MolToSmiles(record))
    return ", ".join(sorted(map(str, record))) if isinstance(record, (set, frozenset)) else str(record)


def check_rows(rows: Any, data: Data) -> int | list[int]:
    """Check the rows to explain: a number of rows, or positions."""
    hint = "give a number of rows >= 1, or a list of positions"
    if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
        if rows < 1:
            raise ValueError(f"rows: got {rows!r}; {hint}")
        return int(rows)
    try:
        listed = [int(row) for row in rows]
        is_whole = all(float(row) == int(row) for row in rows)
    except (TypeError, ValueError):
        raise TypeError(f"rows: got {rows!r}; {hint}") from None
    wrong = [row for row in listed if not 0 <= row < data.n_given]
    if wrong or not listed or not is_whole:
        raise ValueError(f"rows: got {rows!r}; X has the rows 0 to {data.n_given - 1}; {hint}")
    if data.numbers is None:
        return listed
    place = {int(row): k for k, row in enumerate(data.numbers)}
    unread = [row for row in listed if row not in place]
    if unread:
        either = ["has weight 0"] * (data.n_uncounted > 0) + ["cannot be read as a molecule"] * (
            data.n_invalid > 0
        )
        raise ValueError(f"rows: row {unread[0]} {' or '.join(either)}; leave it out")
    return [place[row] for row in listed]
