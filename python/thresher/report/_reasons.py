"""The contributions to sampled rows, against their mean over the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Column
from ..results.explanation import Contribution, Explanation
from ..results.shape_function import cell
from ._data import Data, spread
from ._metrics import Scored

DEFAULT_ROWS = 100  # explained rows: 100 rows of 100 rules that hold take some 100 kB of the page
MOST_REFERENCE = 10_000  # rows over which contributions are averaged: the mean is within 1 % of a deviation
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
    """

    def __init__(self, model: Any, data: Data) -> None:
        self.model, self.data = model, data
        self.rows = spread(np.arange(data.n_rows), MOST_REFERENCE)
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

    def shares(self) -> dict[Key, float]:
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
            key: math.sqrt(max(0.0, self.squares[place] / n - (self.sums[place] / n) ** 2))
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
        columns = None if fields is None else self.model._table(X).columns
        outputs = [str(label) for label, _ in explained[0].intercepts]
        texts: dict[str, int] = {}
        listed = []
        for k, (row, each) in enumerate(zip(rows.tolist(), explained, strict=True)):
            parts = []
            for part in each.contributions:
                entry: list[Any] = [self._place(part), part.value]
                if part.feature is not None:
                    entry.append(texts.setdefault(part.text, len(texts)))
                parts.append(entry)
            listed.append(
                {"row": row, "decision": [value for _, value in each.decisions], "parts": parts}
                | self._labels(found, row)
                | _cells(columns, fields, k, X)
            )
        place = {output: number for number, output in enumerate(outputs)}
        return {
            "rows": listed,
            "terms": [[kind, text, place.get(str(output), 0)] for output, kind, text in self.keys],
            "means": [total / self.rows.size for total in self.sums],
            "texts": list(texts),
            "intercepts": [value for _, value in explained[0].intercepts],
            "n_reference": int(self.rows.size),
            "n_rows": self.data.n_rows,
        }

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


def _cells(columns: Sequence[Column] | None, fields: Sequence[int] | None, k: int, X: Any) -> dict[str, Any]:
    """Return the values of a row's columns, or the text of a record."""
    if columns is None or fields is None:
        text = str(X[k]) if isinstance(X, (list, tuple)) else ""
        return {"record": text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"} if text else {}
    values = [cell(columns[j], k) for j in fields]
    return {"values": [None if value is None or value != value else value for value in values]}


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
    wrong = [row for row in listed if not 0 <= row < data.n_rows]
    if wrong or not listed or not is_whole:
        raise ValueError(f"rows: got {rows!r}; X has the rows 0 to {data.n_rows - 1}; {hint}")
    return listed
