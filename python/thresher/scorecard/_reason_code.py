"""The reasons of a card for exported code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..export.formula import Column, Formula, Lookup, Output, Steps
from ..export.reason_costs import ReasonCosts
from ..validation import check, integer
from ._reason_texts import ColumnTexts, texts_of_sources
from ._reasons import bin_costs
from .bins import ColumnBins

if TYPE_CHECKING:
    from ._points import CardInPoints


def reason_costs(
    card: CardInPoints, formula: Formula, n: int, reference: Any, codes: Any
) -> ReasonCosts | None:
    """Describe the reasons of a card, as its method ``reasons`` ranks them.

    Parameters
    ----------
    card : CardInPoints
        The card.
    formula : Formula
        Its formula.
    n : int
        The most reasons of a row.
    reference : {"best", "mean"} or table of rows
        The reference points of a column.
    codes : mapping, or None
        Texts by column, by (column, special code) or by (column, None) for missing values.

    Returns
    -------
    ReasonCosts or None
        The texts in the order of the card, with what they cost; None for no reasons.

    Raises
    ------
    TypeError, ValueError
        If `n`, `reference` or `codes` is not allowed.
    """
    check("reasons", n, integer(0))
    named = texts_of_sources(card._reason_sources, codes)
    costs, unit = bin_costs(card, reference)
    if n == 0:
        return None
    terms = {term.column: term for term in formula.outputs[0].terms if isinstance(term, (Steps, Lookup))}
    place = {column.position: k for k, column in enumerate(formula.columns)}
    found: dict[str, list[Steps | Lookup]] = {}
    for bins, texts, costs_of_bins in zip(card.bins, named, costs, strict=True):
        column = place[bins.feature_index]
        for text in dict.fromkeys([texts.text, *texts.apart.values()]):
            parts = found.setdefault(text, [])
            term = terms[column]
            if isinstance(term, Steps):
                parts.append(_of_number(term, bins, texts, costs_of_bins, text))
            else:
                parts.append(
                    _of_categories(column, formula.columns[column], bins, texts, costs_of_bins, text)
                )
    outputs = tuple(Output(text, 0.0, tuple(parts)) for text, parts in found.items())
    return ReasonCosts(n, outputs, unit)


def _of_number(
    term: Steps, bins: ColumnBins, texts: ColumnTexts, costs: NDArray[np.float64], text: str
) -> Steps:
    """Return what a column of numbers costs under a text: 0 where the row has another one."""

    def cost(position: int, text_of_row: str) -> float:
        return float(costs[position]) if text_of_row == text else 0.0

    codes = []
    for code, _ in term.codes:
        is_missing = code not in bins.special
        position = bins.missing_bin if is_missing else bins.n_known + bins.special.index(code)
        codes.append((code, cost(position, texts.of_code(code, is_missing=is_missing))))
    values = tuple(cost(position, texts.text) for position in range(bins.n_known))
    return Steps(term.column, term.cuts, values, cost(bins.missing_bin, texts.of_missing), tuple(codes))


def _of_categories(
    place: int,
    column: Column,
    bins: ColumnBins,
    texts: ColumnTexts,
    costs: NDArray[np.float64],
    text: str,
) -> Lookup:
    """Return what a column of categories costs under a text: 0 where the row has another one."""
    is_cost = texts.text == text
    values = tuple(float(costs[bins.bin_of(level)]) if is_cost else 0.0 for level in column.levels)
    return Lookup(place, values, float(costs[bins.missing_bin]) if texts.of_missing == text else 0.0)
