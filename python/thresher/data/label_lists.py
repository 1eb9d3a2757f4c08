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
    checked : dict
        The label that each distinct label stands for.

    Examples
    --------
    >>> lists = LabelLists.of(["b", "a", "b"], [1, 2])
    >>> starts, codes = lists.encode(lists.vocabulary(), [1, 2])
    >>> starts.tolist(), codes.tolist()
    ([0, 1, 3], [1, 0, 1])
    """

    labels: list[Any]
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
        try:
            checked = {label: check_label(label, "X") for label in set(labels)}
        except (TypeError, ValueError):
            rows = np.repeat(np.arange(len(sizes)), np.asarray(sizes, dtype=np.int64))
            for label, row in zip(labels, rows.tolist(), strict=True):
                check_label(label, f"record {row}")
            raise
        return cls(labels, checked)

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of the labels.

        Returns
        -------
        Vocabulary
            The distinct labels.
        """
        return Vocabulary.of(self.checked.values())

    def encode(
        self, vocabulary: Vocabulary, sizes: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the labels that are in a vocabulary.

        Parameters
        ----------
        vocabulary : Vocabulary
            The numbered labels.
        sizes : sequence of int
            The number of labels of each record or event.

        Returns
        -------
        starts : ndarray of shape (n_sizes + 1,), dtype int64
            Where the numbers of each record or event begin, and the end.
        codes : ndarray, dtype int64
            The numbers.
        """
        number = {label: vocabulary.place.get(known, -1) for label, known in self.checked.items()}
        codes = np.fromiter(map(number.__getitem__, self.labels), dtype=np.int64, count=len(self.labels))
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        if -1 not in number.values():
            return starts, codes
        known = codes >= 0
        return np.concatenate([[0], np.cumsum(known, dtype=np.int64)])[starts], codes[known]
