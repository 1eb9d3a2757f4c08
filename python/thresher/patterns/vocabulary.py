"""What numbered labels stand for."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from ..columns import is_missing
from ..text import plain

_LARGEST = 2**63


def _is_scalar(label: Any) -> bool:
    if isinstance(label, (bool, str)):
        return True
    if isinstance(label, int):
        return -_LARGEST <= label < _LARGEST
    return isinstance(label, float) and math.isfinite(label)


def _order(label: Any) -> tuple[int, float, str]:
    """Truth values and numbers by size, then text, then everything else."""
    if isinstance(label, (bool, int, float)):
        return 0, float(label), ""
    return (1, 0.0, label) if isinstance(label, str) else (2, 0.0, repr(label))


def own(label: Any, where: str) -> Hashable:
    """Turn a label into Python's own type, and refuse what can be none.

    Parameters
    ----------
    label : object
        From the user's records.
    where : str
        Whose it is, for messages.

    Returns
    -------
    object
        Hashable and not missing.

    Raises
    ------
    TypeError
        If it is not hashable.
    ValueError
        If it is missing.

    Examples
    --------
    >>> own(np.int64(3), "record 0")
    3
    """
    if isinstance(label, np.generic):
        label = label.item()
    if is_missing(label):
        raise ValueError(f"{where} holds {label!r}; leave missing items out")
    try:
        hash(label)
    except TypeError:
        raise TypeError(f"{where} holds {label!r}, which is not hashable; give text or numbers") from None
    return label  # type: ignore[no-any-return]


class Vocabulary:
    """Distinct labels, each known by its place.

    Parameters
    ----------
    labels : sequence of hashable
        The labels.

    Examples
    --------
    >>> words = Vocabulary.of(["b", "a", 2])
    >>> words.labels, words.place["b"]
    ([2, 'a', 'b'], 2)
    """

    def __init__(self, labels: Sequence[Hashable]) -> None:
        self.labels = list(labels)
        self.place = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def of(cls, labels: Iterable[Hashable]) -> Vocabulary:
        """Put the distinct ones of some labels in order.

        Parameters
        ----------
        labels : iterable of hashable
            With repetitions.

        Returns
        -------
        Vocabulary
            Numbers first, then text, then everything else.
        """
        return cls(sorted(set(labels), key=_order))

    def __len__(self) -> int:
        """Count the labels."""
        return len(self.labels)

    @property
    def is_plain(self) -> bool:
        """Whether JSON can hold every label."""
        return all(_is_scalar(label) for label in self.labels)

    def to_json(self) -> str:
        """Write the labels for the core.

        Returns
        -------
        str
            A JSON list of distinct scalars; other labels as text that stands for them.
        """
        written: list[Any] = []
        taken = {label for label in self.labels if isinstance(label, str)}
        for label in self.labels:
            if _is_scalar(label):
                written.append(label)
                continue
            text = f"{label!r}"
            while text in taken:
                text += "'"
            taken.add(text)
            written.append(text)
        return json.dumps(written)

    def text(self, number: int) -> str:
        """Write one label.

        Parameters
        ----------
        number : int
            Its place.

        Returns
        -------
        str
            Numbers without a needless ``.0``, text as it is.
        """
        label = self.labels[number]
        return plain(label) if isinstance(label, float) else str(label)
