"""Vocabularies: distinct labels and their numbers."""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from ..formatting.numbers import format_number
from ..formatting.text import format_list, refuse_surrogates
from .columns import is_missing
from .numeric import to_float

_LARGEST = 2**63
_SHOWN = 5  # labels that a message lists
# Empty, space or a bracket at an end, a quote that begins a word, or the separators and words of a pattern.
_AMBIGUOUS = re.compile(r'^$|^[\s{]|(?<!\S)\{?"|\s$|^not\s|(?:^|\s)(?:and|->)(?:\s|$)|,\s|[\n\r\t]')


def _is_scalar(label: Any) -> bool:
    if isinstance(label, (bool, str)):
        return True
    if isinstance(label, int):
        return -_LARGEST <= label < _LARGEST
    return isinstance(label, float) and math.isfinite(label)


def _in_quotes(label: Any) -> str:
    """Write a label as in a pattern, a text in the double quotes that patterns may have."""
    return json.dumps(label, ensure_ascii=False) if isinstance(label, str) else repr(label)


def _order(label: Any) -> tuple[int, float, str]:
    """Sort key: booleans and numbers by size, then text, then everything else."""
    if isinstance(label, (bool, int, float)):
        return 0, to_float(label), ""
    return (1, 0.0, label) if isinstance(label, str) else (2, 0.0, repr(label))


def check_label(label: Any, where: str) -> Hashable:
    """Convert a label to a Python type; missing and unhashable values are errors.

    Parameters
    ----------
    label : object
        A label from the user's records.
    where : str
        The name of the record, for messages.

    Returns
    -------
    object
        The label, hashable and not missing.

    Raises
    ------
    TypeError
        If it is not hashable.
    ValueError
        If it is missing.

    Examples
    --------
    >>> check_label(np.int64(3), "record 0")
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
    """Distinct labels, numbered by their positions.

    Parameters
    ----------
    labels : sequence of hashable
        The labels.

    Attributes
    ----------
    ambiguous : re.Pattern
        Matches texts that need quotes.

    Examples
    --------
    >>> words = Vocabulary.of(["b", "a", 2])
    >>> words.labels, words.place["b"]
    ([2, 'a', 'b'], 2)
    """

    ambiguous: ClassVar[re.Pattern[str]] = _AMBIGUOUS

    def __init__(self, labels: Sequence[Hashable]) -> None:
        self.labels = list(labels)
        self.place = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def of(cls, labels: Iterable[Hashable]) -> Self:
        """Create the vocabulary of the distinct labels.

        Parameters
        ----------
        labels : iterable of hashable
            The labels, with repetitions.

        Returns
        -------
        Vocabulary
            The vocabulary: numbers first, then text, then everything else.

        Raises
        ------
        ValueError
            If a text holds an unpaired surrogate.
        """
        distinct = set(labels)
        for label in distinct:
            if isinstance(label, str):
                refuse_surrogates(label, "X")
        return cls(sorted(distinct, key=_order))

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.labels)

    @property
    def is_plain(self) -> bool:
        """Whether JSON can hold every label."""
        return all(_is_scalar(label) for label in self.labels)

    def to_json(self) -> str:
        """Serialise the labels for the core.

        Returns
        -------
        str
            A JSON list of distinct scalars; other labels are replaced by texts.
        """
        encoded: list[Any] = []
        taken = {label for label in self.labels if isinstance(label, str)}
        for label in self.labels:
            if _is_scalar(label):
                encoded.append(label)
                continue
            text = f"{label!r}"
            while text in taken:
                text += "'"
            taken.add(text)
            encoded.append(text)
        return json.dumps(encoded)

    def number_of(self, label: Hashable, noun: str) -> int:
        """Return the number of a label in a pattern that a user gives.

        Parameters
        ----------
        label : hashable
            The label.
        noun : str
            What it is the label of, for the message.

        Returns
        -------
        int
            Its number.

        Raises
        ------
        ValueError
            If no record of training had it.
        """
        if label not in self.place:
            known = format_list(self.labels, _SHOWN, _in_quotes)
            raise ValueError(f"pattern: training saw no {noun} {_in_quotes(label)}; it saw {known}")
        return self.place[label]

    def text(self, number: int) -> str:
        """Format one label.

        Parameters
        ----------
        number : int
            Its number.

        Returns
        -------
        str
            Numbers without a trailing ``.0``, text unchanged; in quotes where the text
            would be ambiguous: several items, a number of the same records, a line
            break.

        Examples
        --------
        >>> words = Vocabulary.of(["x", "x and y", 1, "1"])
        >>> [words.text(number) for number in range(4)]
        ['1', '"1"', 'x', '"x and y"']
        """
        return self._texts[number]

    def bare(self, number: int) -> str:
        """Format one label without quotes.

        Parameters
        ----------
        number : int
            Its number.

        Returns
        -------
        str
            The text of :meth:`text`, never in quotes.
        """
        label = self.labels[number]
        return format_number(label) if isinstance(label, float) else str(label)

    @functools.cached_property
    def _texts(self) -> list[str]:
        texts = [self.bare(number) for number in range(len(self))]
        often = Counter(texts)

        def quoted(label: Hashable, text: str) -> str:
            if not self.ambiguous.search(text) and (often[text] == 1 or not isinstance(label, str)):
                return text
            while not isinstance(label, str) and text in self.place:
                text += "'"
            return json.dumps(text, ensure_ascii=False)

        return [quoted(label, text) for label, text in zip(self.labels, texts, strict=True)]

    @functools.cached_property
    def printed(self) -> dict[str, Hashable]:
        """The labels by their texts in patterns."""
        return dict(zip(self._texts, self.labels, strict=True))

    @functools.cached_property
    def known(self) -> dict[str, Hashable]:
        """The labels by the texts that a user may write.

        Those of :attr:`printed`; text labels also with and without quotes, unless that is the text of another
        label.
        """
        bare = {label: label for label in self.labels if isinstance(label, str)}
        quoted = {json.dumps(label, ensure_ascii=False): label for label in bare}
        return bare | quoted | self.printed


def words_of(text: str, between: str) -> list[str]:
    r"""Split a text at a separator, except within quotes.

    Parameters
    ----------
    text : str
        The text.
    between : str
        The separator, as a regular expression.

    Returns
    -------
    list of str
        The parts.

    Examples
    --------
    >>> words_of('"x and y" and not z', r"\s+and\s+")
    ['"x and y"', 'not z']
    """
    word = re.compile(rf'((?:(?<!\S)\{{?"(?:[^"\\]|\\.)*"|.)+?)(?:{between}|$)', re.DOTALL)
    return [match.group(1) for match in word.finditer(text.strip())]
