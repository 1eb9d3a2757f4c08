"""The terms of factorization machines as rows of a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_count
from .interactions import Interactions
from .summary import SummaryRow

MAX_LISTED = 10_000
"""The most interactions of an output in a summary, those of largest coefficients."""


@dataclass(frozen=True)
class EncodedFeatures:
    """The columns of a table to which encoded columns belong, of which each category has one.

    Parameters
    ----------
    names : sequence of str
        The columns of the table.
    widths : sequence of int or None
        The number of categories of each; None for numbers.
    """

    names: Sequence[str]
    widths: Sequence[int | None]

    @cached_property
    def place(self) -> list[int]:
        """The position of the column of the table, for each encoded column."""
        return [k for k, width in enumerate(self.widths) for _ in range(1 if width is None else width)]

    def text(self, columns: Iterable[int]) -> str:
        """Name the columns of the table, if one of them has categories.

        Parameters
        ----------
        columns : iterable of int
            Encoded columns.

        Returns
        -------
        str
            The names, joined by ``x``; empty where all columns are numbers.

        Examples
        --------
        >>> EncodedFeatures(["user", "age"], [3, None]).text([1, 3])
        'user x age'
        """
        places = [self.place[column] for column in columns]
        return (
            " x ".join(self.names[k] for k in places)
            if any(self.widths[k] is not None for k in places)
            else ""
        )


def encoded_rows(
    coef: Iterable[tuple[int, float]], names: Sequence[str], features: EncodedFeatures, output: Any
) -> list[SummaryRow]:
    """List coefficients of encoded columns: column by column, the largest of the categories first.

    Parameters
    ----------
    coef : iterable of (int, float)
        Encoded columns and coefficients.
    names : sequence of str
        The names of the encoded columns.
    features : EncodedFeatures
        The columns of the table to which they belong.
    output : object
        The class or target.

    Returns
    -------
    list of SummaryRow
        One for each.
    """
    ordered = sorted(coef, key=lambda pair: (features.place[pair[0]], -abs(pair[1])))
    return [
        SummaryRow(names[column], "linear", value, output=output, category_of=features.text([column]))
        for column, value in ordered
    ]


def interaction_rows(interactions: Interactions, features: EncodedFeatures) -> list[SummaryRow]:
    """List the largest interactions of each output, with the number of all those of the same columns.

    Parameters
    ----------
    interactions : Interactions
        The interactions of a model.
    features : EncodedFeatures
        The columns of the table to which their columns belong.

    Returns
    -------
    list of SummaryRow
        One for each, with its ``order``; of an output at most ``MAX_LISTED``.
    """
    place, n = features.place, len(interactions)
    groups = [tuple([place[column] for column in columns]) for columns in interactions.column_indices]
    outputs = [None] * n if interactions.outputs is None else interactions.outputs
    totals = Counter(zip(outputs, groups, strict=True))
    starts = [k for k in range(n) if k == 0 or outputs[k] != outputs[k - 1]]
    listed = [k for start, end in pairwise([*starts, n]) for k in range(start, min(end, start + MAX_LISTED))]
    return [
        SummaryRow(
            each.text,
            "interaction",
            each.coef,
            output=each.output,
            extras={"order": len(each.column_indices)},
            category_of=features.text(each.column_indices),
            n_of_category=totals[each.output, groups[k]],
        )
        for k in listed
        for each in [interactions[k]]
    ]


def note_of_unlisted(counts: NDArray[np.int64], limit: int) -> str:
    """Say how many interactions a summary has where it has not all of them.

    Parameters
    ----------
    counts : ndarray of shape (n_outputs,)
        The number of interactions of each output.
    limit : int
        The most of an output that can be listed at all.

    Returns
    -------
    str
        A sentence, or nothing.

    Examples
    --------
    >>> note_of_unlisted(np.array([36_000]), 10_000_000)
    ' Of 36,000 interactions the table lists the 10,000 largest.'
    """
    if counts.max() <= MAX_LISTED:
        return ""
    listed = f"the {MAX_LISTED:,} largest{' of each output' * (len(counts) > 1)}"
    listed = listed if counts.max() <= limit else "none"
    return f" Of {format_count(int(counts.sum()))} interactions the table lists {listed}."
