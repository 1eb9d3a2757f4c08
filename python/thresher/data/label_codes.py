"""The labels of records as numbers, encoded batch by batch: the labels themselves are not stored."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .vocabulary import Vocabulary, check_label


@dataclass(frozen=True)
class UnseenLabels:
    """Which records hold labels that training did not have.

    Parameters
    ----------
    noun : {"events", "items"}
        What the labels are.
    is_empty : ndarray of shape (n_records,)
        Which records hold no label at all.
    holds : sparse array of shape (n_records, n_labels)
        1 where a record holds an unseen label.
    labels : list of hashable
        The unseen labels.
    """

    noun: str
    is_empty: NDArray[np.bool_]
    holds: Any
    labels: list[Hashable]

    def select(self, rows: NDArray[Any]) -> Self:
        """Select records.

        Parameters
        ----------
        rows : ndarray
            A mask, or positions.

        Returns
        -------
        UnseenLabels
            These records, with the labels of all.
        """
        return type(self)(self.noun, self.is_empty[rows], self.holds[rows], self.labels)


class LabelCodes:
    """The labels of some records, one record after another.

    Attributes
    ----------
    labels : list of hashable
        The distinct labels, checked, in the order in which they were found.
    n_records, n_labels : int
        Number of records, and of the labels of all records together.

    Examples
    --------
    >>> codes = LabelCodes()
    >>> codes.add(["b", "a", "b"], [1, 2])
    >>> starts, numbers = codes.encode(codes.vocabulary())
    >>> starts.tolist(), numbers.tolist()
    ([0, 1, 3], [1, 0, 1])
    """

    def __init__(self) -> None:
        self.labels: list[Hashable] = []
        self.n_records = 0
        self.n_labels = 0
        self._place: dict[Any, int] = {}
        self._codes: list[NDArray[np.int32]] = []
        self._sizes: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]

    def add(self, labels: list[Any], sizes: Sequence[int]) -> None:
        """Add records.

        Parameters
        ----------
        labels : list
            The labels of all records.
        sizes : sequence of int
            The number of labels of each record.

        Raises
        ------
        TypeError, ValueError
            If a label is not hashable or missing; the message names the record.
        """
        try:
            fresh = [label for label in dict.fromkeys(labels) if label not in self._place]
            checked = [check_label(label, "X") for label in fresh]
        except (TypeError, ValueError):
            rows = np.repeat(np.arange(self.n_records, self.n_records + len(sizes)), np.asarray(sizes))
            for label, row in zip(labels, rows.tolist(), strict=True):
                check_label(label, f"record {row}")
            raise
        self._place.update(zip(fresh, range(len(self.labels), len(self.labels) + len(fresh)), strict=True))
        self.labels += checked
        self._codes.append(np.fromiter(map(self._place.__getitem__, labels), np.int32, len(labels)))
        self._sizes.append(np.asarray(sizes, dtype=np.int64))
        self.n_records += len(sizes)
        self.n_labels += len(labels)

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of the labels.

        Returns
        -------
        Vocabulary
            The distinct labels.
        """
        return Vocabulary.of(self.labels)

    def unseen(self, vocabulary: Vocabulary, noun: str) -> UnseenLabels:
        """Return which records hold labels that are not in a vocabulary.

        Parameters
        ----------
        vocabulary : Vocabulary
            The labels of training.
        noun : {"events", "items"}
            What the labels are.

        Returns
        -------
        UnseenLabels
            The records, with the labels.

        Examples
        --------
        >>> codes = LabelCodes()
        >>> codes.add(["b", "a", "c", "c"], [1, 0, 3])
        >>> found = codes.unseen(Vocabulary.of(["a", "b"]), "items")
        >>> found.labels, found.is_empty.tolist(), found.holds.toarray().tolist()
        (['c'], [False, True, False], [[0.0], [0.0], [1.0]])
        """
        is_unseen = np.asarray([label not in vocabulary.place for label in self.labels], dtype=np.bool_)
        numbers = np.concatenate([*self._codes, np.empty(0, dtype=np.int32)])
        sizes = np.concatenate(self._sizes)[1:]
        rows = np.repeat(np.arange(sizes.size), sizes)
        kept = is_unseen[numbers]
        places = (rows[kept], (np.cumsum(is_unseen) - 1)[numbers[kept]])
        labels = [label for label, own in zip(self.labels, is_unseen.tolist(), strict=True) if own]
        holds = sparse.csr_array((np.ones(kept.sum()), places), shape=(sizes.size, len(labels)))
        holds.data[:] = 1.0  # several of a record were added up
        return UnseenLabels(noun, sizes == 0, holds, labels)

    def encode(
        self, vocabulary: Vocabulary, sizes: Sequence[int] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the labels that are in a vocabulary, and drop the records.

        Parameters
        ----------
        vocabulary : Vocabulary
            The numbered labels.
        sizes : sequence of int, optional
            The number of labels of each event; by default records are not divided into events.

        Returns
        -------
        starts : ndarray of shape (n_records + 1,) or (n_events + 1,), dtype int64
            Where the numbers of each record or event begin, and the end.
        numbers : ndarray, dtype int64
            The numbers.
        """
        known = [vocabulary.place.get(label, -1) for label in self.labels]
        lookup = np.asarray(known, dtype=np.int64)
        parts = self._sizes if sizes is None else [self._sizes[0], np.asarray(sizes, dtype=np.int64)]
        starts = np.cumsum(np.concatenate(parts))
        numbers = np.empty(int(starts[-1]), dtype=np.int64)
        end = numbers.size
        while self._codes:  # each part is freed once it is copied
            codes = self._codes.pop()
            numbers[end - codes.size : end] = lookup[codes]
            end -= codes.size
        if -1 not in known:
            return starts, numbers
        is_known = numbers >= 0
        return np.concatenate([[0], np.cumsum(is_known, dtype=np.int64)])[starts], numbers[is_known]
