"""A factorization machine of some of its columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Entries = dict[int, list[tuple[int, float]]]
"""Components and values of the entries of a factor, by rows."""


class MachineColumns:
    """The columns of a machine, of which some make up a smaller one with the same coefficients.

    Parameters
    ----------
    document : dict
        The model's document.
    path_index : list of int
        The selected point of each output.

    Examples
    --------
    >>> point = {"signs": [1], "factors": [[[0, 0, 1.5], [2, 0, 0.5]]], "coef": [[1, 2.0]]}
    >>> document = {
    ...     "features": [{"name": "a", "levels": ["p", "q"]}, {"name": "b", "levels": None}],
    ...     "language": {"scales": [1.0, 1.0, 3.0]},
    ...     "outputs": [{"points": [point]}],
    ... }
    >>> found = json.loads(MachineColumns(document, [0]).only([2]))
    >>> found["language"], found["outputs"][0]["points"][0]["factors"]
    ({'scales': [3.0]}, [[[0, 0, 0.5]]])
    """

    def __init__(self, document: Mapping[str, Any], path_index: Sequence[int]) -> None:
        self._document = document
        outputs = zip(document["outputs"], path_index, strict=True)
        self._points = [output["points"][place] for output, place in outputs]
        self._entries = [[_by_row(entries) for entries in point["factors"]] for point in self._points]
        self._n_columns = sum(len(own["levels"] or [None]) for own in document["features"])

    def only(self, columns: Sequence[int]) -> str:
        """Write the machine of some columns, each of which is one of numbers.

        Parameters
        ----------
        columns : sequence of int
            The encoded columns, ascending: at most one category of each column of the table, which have no
            interactions with each other.

        Returns
        -------
        str
            The JSON of the model.
        """
        language = {**self._document["language"]}
        for name in ("scales", "centers"):
            if of_columns := language.get(name):
                language[name] = [of_columns[column] for column in columns]
        outputs = [
            {"selected": 0, "points": [self._point(*own, columns)], "cv": None}
            for own in zip(self._points, self._entries, strict=True)
        ]
        features = [{"name": f"x{place}", "levels": None} for place in range(len(columns))]
        return json.dumps({**self._document, "features": features, "language": language, "outputs": outputs})

    def _point(
        self, point: Mapping[str, Any], factors: Sequence[Entries], columns: Sequence[int]
    ) -> dict[str, Any]:
        ones = range(self._n_columns, self._n_columns + self._document["language"].get("ones", 0))
        rows = list(enumerate([*columns, *ones]))
        return {
            **point,
            "coef": [],
            "factors": [
                [(place, *entry) for place, row in rows for entry in entries.get(row, ())]
                for entries in factors
            ],
        }


def _by_row(entries: Sequence[tuple[int, int, float]]) -> Entries:
    found: Entries = {}
    for row, component, value in entries:
        found.setdefault(row, []).append((component, value))
    return found
