"""The condition of a model of sequences."""

from __future__ import annotations

from dataclasses import dataclass

from ..data.columns import Level


@dataclass(frozen=True)
class EventPattern:
    """Events that occur in a record in their order.

    Parameters
    ----------
    events : tuple of tuple of level
        The items of each event.
    max_gap : int or None
        The most events of the record between two of them; None: no limit.
    """

    events: tuple[tuple[Level, ...], ...]
    max_gap: int | None
