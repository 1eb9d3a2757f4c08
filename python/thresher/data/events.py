"""Records that are sequences: lists of events or of sets of events, and strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import _native
from ..estimators import checks as parameters
from ..estimators.patterns.family import Family, Reading
from ..results.pattern import Pattern
from .frames import refuse_frame
from .vocabulary import Vocabulary, own, words_of

_ARROW = " -> "


class SequenceFamily(Family):
    """Subsequences."""

    format: ClassVar[str] = "thresher.sequences"
    called: ClassVar[str] = "sequences"
    limit: ClassVar[tuple[str, str]] = ("max_length", "items")

    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check the parameters that say which sequences there are.

        Parameters
        ----------
        params : mapping
            The estimator's parameters.

        Returns
        -------
        dict
            In the core's words.

        Raises
        ------
        ValueError
            If `contiguous` is asked for beside a gap.
        """
        gap = parameters.whole("max_gap", params["max_gap"], 0, optional=True)
        if parameters.flag("contiguous", params["contiguous"]):
            if gap:
                raise ValueError(
                    f"max_gap: got {gap} with contiguous=True, which allows no gap; give None or 0"
                )
            gap = 0
        return {
            "max_length": parameters.whole("max_length", params["max_length"], 1, optional=True),
            "max_gap": gap,
            "min_support": parameters.whole("min_support", params["min_support"], 1),
        }

    def read(self, X: Any, owner: str) -> Reading:  # noqa: ARG002
        """Read training records.

        Parameters
        ----------
        X : list of sequences
            As :class:`SequenceRegressor` takes them.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        Reading
            Records and vocabulary.
        """
        records = _records(X)
        vocabulary = Vocabulary.of(item for record in records for event in record for item in event)
        return _numbered(records, vocabulary)

    def read_like(
        self,
        X: Any,
        vocabulary: Vocabulary,
        matrix: Any,  # noqa: ARG002
        owner: str,  # noqa: ARG002
    ) -> Reading:
        """Read new records; an event that training did not see is one that matches nothing.

        Parameters
        ----------
        X : list of sequences
            As in training.
        vocabulary : Vocabulary
            The events of training.
        matrix : None
            Sequences are never rows of a matrix.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        Reading
            Records in the numbers of training.
        """
        return _numbered(_records(X), vocabulary)

    def restore(self, alphabet: Any) -> Vocabulary:
        """Make the vocabulary of a saved model.

        Parameters
        ----------
        alphabet : list
            The labels.

        Returns
        -------
        Vocabulary
            The same.
        """
        return Vocabulary(alphabet)

    def size(self, wire: Any) -> int:
        """Count what the parameter that limits the size counts.

        Parameters
        ----------
        wire : list
            Events, each a list of items.

        Returns
        -------
        int
            Items of all events.
        """
        return sum(map(len, wire))

    def pattern(
        self, wire: Any, vocabulary: Vocabulary, language: Mapping[str, Any], **facts: Any
    ) -> Pattern:
        """Put a sequence into words.

        Parameters
        ----------
        wire : list of list of int
            The events' items.
        vocabulary : Vocabulary
            The events.
        language : mapping
            Which sequences there are.
        **facts : object
            Coefficient, support and the like.

        Returns
        -------
        Pattern
            ``login -> search -> {cart, pay}``; of single letters without gaps ``ACGT``.
        """
        events = [[vocabulary.text(item) for item in event] for event in wire]
        if language["max_gap"] == 0 and all(len(event) == 1 and len(event[0]) == 1 for event in events):
            return Pattern("".join(event[0] for event in events), self.size(wire), **facts)
        words = [event[0] if len(event) == 1 else "{" + ", ".join(event) + "}" for event in events]
        return Pattern(_ARROW.join(words), self.size(wire), **facts)

    def parse(
        self,
        asked: Any,
        vocabulary: Vocabulary,
        language: Mapping[str, Any],  # noqa: ARG002
    ) -> list[list[int]]:
        """Read a sequence that a user names.

        Parameters
        ----------
        asked : list of events or of sets of events, or str
            The events in order; text is read letter by letter where training had single
            letters, else as ``Pattern.text`` writes it.
        vocabulary : Vocabulary
            The events.
        language : mapping
            Which patterns there are.

        Returns
        -------
        list of list of int
            The events' numbers.

        Raises
        ------
        ValueError
            If an event is unknown or there is none.
        TypeError
            If it is none of these.
        """
        if isinstance(asked, str):
            asked = _spoken(asked, vocabulary)
        elif not isinstance(asked, Iterable) or isinstance(asked, (set, frozenset, Mapping)):
            raise TypeError(f"pattern: got {asked!r}; give a list of events, or text")
        events = [_event(event, "pattern") for event in asked]
        unknown = [item for event in events for item in event if item not in vocabulary.place]
        if unknown:
            raise ValueError(f"pattern: training saw no event {unknown[0]!r}")
        return [sorted(vocabulary.place[item] for item in event) for event in events]


def _spoken(text: str, vocabulary: Vocabulary) -> list[Any]:
    """Read ``a -> {b, c}``; a word is an event of that text."""
    known = vocabulary.known()
    if _ARROW not in text and text not in known and all(letter in known for letter in text):
        return [known[letter] for letter in text]
    events = []
    for word in words_of(text, _ARROW):
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
    """Give the items of an event; one that is no set or list is its only item."""
    if isinstance(event, (set, frozenset, list)):
        return {own(item, where) for item in event}
    return {own(event, where)}


def _numbered(records: Sequence[Sequence[set[Any]]], vocabulary: Vocabulary) -> Reading:
    place = vocabulary.place
    events = [[place[item] for item in event if item in place] for record in records for event in record]
    starts = np.cumsum([0, *map(len, records)], dtype=np.int64)
    ends = np.cumsum([0, *map(len, events)], dtype=np.int64)
    items = np.asarray([item for event in events for item in event], dtype=np.int64)
    packed = _native.Records.sequences(vocabulary.to_json(), starts, ends, items)
    return Reading(packed, vocabulary, len(records))
