"""Occurrences of patterns in sequences: a method of both sequence estimators."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..data.events import event_sets
from ..validation import check, integer


def matches(self: Any, X: Any, pattern: Any, limit: int = 100) -> list[list[tuple[int, ...]]]:
    """Find the occurrences of a pattern in sequences.

    Parameters
    ----------
    X : list of sequences
        As in :meth:`fit`.
    pattern : Pattern, list of events or str
        One of ``patterns_``, or a sequence as :meth:`price` takes it. `max_gap` is that of the model.
    limit : int, default=100
        The most occurrences to return for a sequence.

    Returns
    -------
    list of list of tuple
        For each sequence its occurrences, the earliest first: the positions, from 0, of the events of the
        sequence that hold those of the pattern.

    Raises
    ------
    TypeError, ValueError
        If the sequences or the pattern cannot be read.
    """
    check_is_fitted(self)
    check("limit", limit, integer(1))
    view = self._fitted.view
    wanted = [set(event) for event in self._payload_of(pattern)]
    gap = view.language["max_gap"]
    return [
        list(islice(_occurrences(events, wanted, gap), limit)) for events in event_sets(X, view.vocabulary)
    ]


def _occurrences(
    events: list[set[int]], wanted: list[set[int]], gap: int | None
) -> Iterator[tuple[int, ...]]:
    """Yield the positions of the pattern's events in lexicographic order.

    ``places[k]`` are the positions from which events k, k + 1, ... of the pattern can be placed, so that no
    step of the enumeration is in vain.
    """

    def follow(place: int, allowed: list[int]) -> list[int]:
        return [later for later in allowed if place < later and (gap is None or later - place - 1 <= gap)]

    places: list[list[int]] = []
    for event in reversed(wanted):
        found = [place for place, own in enumerate(events) if event <= own]
        if places:
            found = [place for place in found if follow(place, places[0])]
        places.insert(0, found)
    stack: list[tuple[int, ...]] = [(place,) for place in reversed(places[0])] if places else []
    while stack:
        begun = stack.pop()
        if len(begun) == len(wanted):
            yield begun
        else:
            later = follow(begun[-1], places[len(begun)])
            stack += [(*begun, place) for place in reversed(later)]
