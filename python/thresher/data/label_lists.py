"""The labels of many records, encoded: each distinct label is checked once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .vocabulary import Vocabulary, check_label


@dataclass(frozen=True)
class LabelLists:
    """The labels of some records, one record after another.

    Parameters
    ----------
    labels : list
        The labels as given.
    rows : ndarray of shape (n_labels,), dtype int64
        The record of each label.
    checked : dict
        The label that each distinct label stands for.

    Examples
    --------
    >>> lists = LabelLists.of(["b", "a", "b"], [1, 2])
    >>> lists.rows.tolist(), lists.codes(lists.vocabulary()).tolist()
    ([0, 1, 1], [1, 0, 1])
    """

    labels: list[Any]
    rows: NDArray[np.int64]
    checked: dict[Any, Hashable]

    @classmethod
    def of(cls, labels: list[Any], sizes: Sequence[int]) -> Self:
        """Check labels.

        Parameters
        ----------
        labels : list
            The labels of all records.
        sizes : sequence of int
            The number of labels of each record.

        Returns
        -------
        LabelLists
            The labels.

        Raises
        ------
        TypeError, ValueError
            If a label is not hashable or missing; the message names the record.
        """
        rows = np.repeat(np.arange(len(sizes)), np.asarray(sizes, dtype=np.int64))
        try:
            checked = {label: check_label(label, "X") for label in set(labels)}
        except (TypeError, ValueError):
            for label, row in zip(labels, rows.tolist(), strict=True):
                check_label(label, f"record {row}")
            raise
        return cls(labels, rows, checked)

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of the labels.

        Returns
        -------
        Vocabulary
            The distinct labels.
        """
        return Vocabulary.of(self.checked.values())

    def codes(self, vocabulary: Vocabulary) -> NDArray[np.int64]:
        """Return the number of each label.

        Parameters
        ----------
        vocabulary : Vocabulary
            The numbered labels.

        Returns
        -------
        ndarray of shape (n_labels,), dtype int64
            The numbers; -1 for a label that is not in the vocabulary.
        """
        number = {label: vocabulary.place.get(known, -1) for label, known in self.checked.items()}
        return np.fromiter(map(number.__getitem__, self.labels), dtype=np.int64, count=len(self.labels))
