"""The terms of factorization machines as rows of a summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .interactions import Interaction
from .summary import SummaryRow


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


def interaction_rows(interactions: Iterable[Interaction], features: EncodedFeatures) -> list[SummaryRow]:
    """List interactions.

    Parameters
    ----------
    interactions : iterable of Interaction
        The interactions of a model.
    features : EncodedFeatures
        The columns of the table to which their columns belong.

    Returns
    -------
    list of SummaryRow
        One for each, with its ``order``.
    """
    return [
        SummaryRow(
            each.text,
            "interaction",
            each.coef,
            output=each.output,
            extras={"order": len(each.column_indices)},
            category_of=features.text(each.column_indices),
        )
        for each in interactions
    ]
