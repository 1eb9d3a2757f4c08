"""Records that are sequences: lists of events or of sets of events, and strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any, Self

import numpy as np

from .. import _native
from ..fit_warnings import warn
from .arrow_records import as_lists
from .budget import Budget, running_budget
from .label_codes import LabelCodes, UnseenLabels
from .misplaced_frames import refuse_frame
from .records import PackedRecords, require_records
from .vocabulary import Vocabulary, check_label, words_of

ARROW = " -> "


def read_sequences(X: Any, budget: Budget | None = None) -> PackedRecords:
    """Read training records.

    Parameters
    ----------
    X : list of sequences
        As :class:`SequenceRegressor` takes them.
    budget : Budget, optional
        Its clock is looked at; by default there is no limit.

    Returns
    -------
    PackedRecords
        Records and vocabulary.

    Raises
    ------
    TypeError, ValueError
        If they are not sequences.
    """
    events = _Events.of(X, budget or Budget())
    require_records(len(events.lengths))
    return events.pack(events.items.vocabulary())


def read_sequences_like(X: Any, vocabulary: Vocabulary) -> PackedRecords:
    """Read new records; an event unknown from training matches nothing.

    Parameters
    ----------
    X : list of sequences
        As in training.
    vocabulary : Vocabulary
        The events of training.

    Returns
    -------
    PackedRecords
        Records encoded with the vocabulary of training.

    Raises
    ------
    TypeError, ValueError
        If they are not sequences.
    """
    events = _Events.of(X, running_budget())
    labels = events.items.labels
    if labels and len(vocabulary) and not any(label in vocabulary.place for label in labels):
        known = ", ".join(repr(label) for label in vocabulary.labels[:_SHOWN])
        are_letters = all(isinstance(label, str) and len(label) == 1 for label in labels)
        warn(
            f"no event of these records was in training: they have events such as {labels[0]!r}, training "
            f"had {known}"
            + "; a text is a sequence of letters: for events that are words give lists of them"
            * are_letters,
            UserWarning,
        )
    return events.pack(vocabulary)


def unseen_events(X: Any, vocabulary: Vocabulary) -> UnseenLabels:
    """Find the events of new records that training did not have.

    Parameters
    ----------
    X : list of sequences
        As in training.
    vocabulary : Vocabulary
        The events of training.

    Returns
    -------
    UnseenLabels
        The records, with these events (or items of events).

    Raises
    ------
    TypeError, ValueError
        If they are not sequences.
    """
    return _Events.of(X, running_budget()).items.unseen(vocabulary, "events")


def event_sets(X: Any, vocabulary: Vocabulary) -> list[list[set[int]]]:
    """Read new records as lists of sets of items.

    Parameters
    ----------
    X : list of sequences
        As in training.
    vocabulary : Vocabulary
        The events of training.

    Returns
    -------
    list of list of set of int
        The numbers of each event's items; an event that is unknown from training is an empty set.

    Raises
    ------
    TypeError, ValueError
        If they are not sequences.
    """
    read = _Events.of(X, running_budget())
    starts, numbers = (part.tolist() for part in read.items.encode(vocabulary, read.sizes))
    events = [set(numbers[start:end]) for start, end in pairwise(starts)]
    ends = np.cumsum([0, *read.lengths]).tolist()
    return [events[start:end] for start, end in pairwise(ends)]


def parse_sequence(sequence: Any, vocabulary: Vocabulary) -> list[list[int]]:
    """Parse a sequence given by a user.

    Parameters
    ----------
    sequence : list of events or of sets of events, or str
        The events in order; text is read letter by letter where training had single
        letters, else as ``Pattern.text`` prints it.
    vocabulary : Vocabulary
        The events.

    Returns
    -------
    list of list of int
        The events' numbers.

    Raises
    ------
    ValueError
        If an event is unknown or there is none.
    TypeError
        If it is of another type.
    """
    if isinstance(sequence, str):
        sequence = _parse(sequence, vocabulary)
    elif not isinstance(sequence, Iterable) or isinstance(sequence, (set, frozenset, Mapping)):
        raise TypeError(f"pattern: got {sequence!r}; give a list of events, or text")
    events = [{check_label(item, "pattern") for item in _items(event, "pattern")} for event in sequence]
    return [sorted(vocabulary.number_of(item, "event") for item in event) for event in events]


def are_letters(text: str, vocabulary: Vocabulary) -> bool:
    """Return whether a text is one of events of a letter each, and no event itself.

    Parameters
    ----------
    text : str
        The text.
    vocabulary : Vocabulary
        The events.

    Returns
    -------
    bool
        Whether its letters are the events of a sequence.

    Examples
    --------
    >>> are_letters("ab", Vocabulary(["a", "b"])), are_letters("aa", Vocabulary(["a", "aa"]))
    (True, False)
    """
    return text not in vocabulary.known and all(letter in vocabulary.known for letter in text)


def _parse(text: str, vocabulary: Vocabulary) -> list[Any]:
    """Parse ``a -> {b, c}``; each word is the text of an event."""
    known = vocabulary.known
    if ARROW not in text and are_letters(text, vocabulary):
        return [known[letter] for letter in text]
    events = []
    for word in words_of(text, ARROW):
        several = word not in vocabulary.printed and word.startswith("{") and word.endswith("}")
        names = words_of(word[1:-1], ", ") if several else [word]
        if word in known and not all(name in known for name in names):
            names = [word]
        events.append({known.get(name, name) for name in names})
    return events


@dataclass(frozen=True)
class _Events:
    """Checked sequences: the items of all events, one event after another.

    Parameters
    ----------
    items : LabelCodes
        The items of all events.
    sizes : list of int
        The number of items of each event.
    lengths : list of int
        The number of events of each record.
    """

    items: LabelCodes
    sizes: list[int]
    lengths: list[int]

    @classmethod
    def of(cls, X: Any, budget: Budget) -> Self:
        """Read and check records."""
        refuse_frame(X, "sequences")
        X = as_lists(X)
        if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
            raise TypeError(
                f"X is {type(X).__name__}; give a list of sequences (lists of events, or strings)"
            )
        budget.require_records(X, _BYTES_OF_A_RECORD, _BYTES_OF_AN_EVENT)
        labels: list[Any] = []
        sizes: list[int] = []
        lengths, n_items = [], []
        for row, record in enumerate(budget.within_time(X, "records")):
            if isinstance(record, (bytes, Mapping, set, frozenset)) or not isinstance(record, Iterable):
                raise TypeError(f"record {row} is {record!r}; give a list of events, or a string")
            start, events = len(labels), list(record)
            if any(issubclass(kind, _SEVERAL) for kind in set(map(type, events))):
                parts = [_items(event, f"record {row}") for event in events]
                labels.extend(item for part in parts for item in part)
                sizes.extend(map(len, parts))
            else:
                labels.extend(events)
                sizes.extend(repeat(1, len(events)))
            lengths.append(len(events))
            n_items.append(len(labels) - start)
        codes = LabelCodes()
        codes.add(labels, n_items)
        return cls(codes, sizes, lengths)

    def pack(self, vocabulary: Vocabulary) -> PackedRecords:
        """Encode the records; an item that is not in the vocabulary is left out of its event."""
        starts = np.cumsum([0, *self.lengths], dtype=np.int64)
        packed = _native.Records.sequences(
            vocabulary.to_json(), starts, *self.items.encode(vocabulary, self.sizes)
        )
        return PackedRecords(packed, vocabulary, len(self.lengths))


_BYTES_OF_A_RECORD, _BYTES_OF_AN_EVENT = (24, 16), (72, 48)
"""What the core reserves for each record and each event of one item: three copies, and where each item
occurs; and in each fold."""
_SHOWN = 3  # events of training that a warning lists
_SEVERAL = (set, frozenset, list)
"""What an event of several items may be."""


def _items(event: Any, where: str) -> list[Any]:
    """Return the distinct items of an event; an event that is not a set or list is its only item."""
    if not isinstance(event, _SEVERAL):
        return [event]
    try:
        return list(dict.fromkeys(event))
    except TypeError:
        return [check_label(item, where) for item in event]
