"""Records that are sequences: lists of events or of sets of events, and strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _native
from .frames import refuse_frame
from .records import PackedRecords
from .vocabulary import Vocabulary, check_label, words_of

ARROW = " -> "


def read_sequences(X: Any) -> PackedRecords:
    """Read training records.

    Parameters
    ----------
    X : list of sequences
        As :class:`SequenceRegressor` takes them.

    Returns
    -------
    PackedRecords
        Records and vocabulary.

    Raises
    ------
    TypeError, ValueError
        If they are not sequences.
    """
    records = _records(X)
    vocabulary = Vocabulary.of(item for record in records for event in record for item in event)
    return _pack(records, vocabulary)


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
    return _pack(_records(X), vocabulary)


def parse_sequence(sequence: Any, vocabulary: Vocabulary) -> list[list[int]]:
    """Parse a sequence given by a user.

    Parameters
    ----------
    sequence : list of events or of sets of events, or str
        The events in order; text is read letter by letter where training had single
        letters, else as ``Pattern.text`` writes it.
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
    events = [_event(event, "pattern") for event in sequence]
    unknown = [item for event in events for item in event if item not in vocabulary.place]
    if unknown:
        raise ValueError(f"pattern: training saw no event {unknown[0]!r}")
    return [sorted(vocabulary.place[item] for item in event) for event in events]


def _parse(text: str, vocabulary: Vocabulary) -> list[Any]:
    """Parse ``a -> {b, c}``; each word is the text of an event."""
    known = vocabulary.known()
    if ARROW not in text and text not in known and all(letter in known for letter in text):
        return [known[letter] for letter in text]
    events = []
    for word in words_of(text, ARROW):
        several = word not in known and word.startswith("{") and word.endswith("}")
        names = words_of(word[1:-1], ", ") if several else [word]
        events.append({known.get(name, name) for name in names})
    return events


def _records(X: Any) -> list[list[set[Any]]]:
    refuse_frame(X, "sequences")
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise TypeError(f"X is {type(X).__name__}; give a list of sequences (lists of events, or strings)")
    records = []
    for row, record in enumerate(X):
        if isinstance(record, (bytes, Mapping, set, frozenset)) or not isinstance(record, Iterable):
            raise TypeError(f"record {row} is {record!r}; give a list of events, or a string")
        records.append([_event(event, f"record {row}") for event in record])
    if not records:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required: X has no records")
    return records


def _event(event: Any, where: str) -> set[Any]:
    """Return the items of an event; an event that is not a set or list is its only item."""
    if isinstance(event, (set, frozenset, list)):
        return {check_label(item, where) for item in event}
    return {check_label(event, where)}


def _pack(records: Sequence[Sequence[set[Any]]], vocabulary: Vocabulary) -> PackedRecords:
    place = vocabulary.place
    events = [[place[item] for item in event if item in place] for record in records for event in record]
    starts = np.cumsum([0, *map(len, records)], dtype=np.int64)
    ends = np.cumsum([0, *map(len, events)], dtype=np.int64)
    items = np.asarray([item for event in events for item in event], dtype=np.int64)
    packed = _native.Records.sequences(vocabulary.to_json(), starts, ends, items)
    return PackedRecords(packed, vocabulary, len(records))
