"""Reasons of a score card in exported code: what each text costs a row, and how many are named."""

from __future__ import annotations

from dataclasses import dataclass

from .formula import Lookup, Output, Steps


@dataclass(frozen=True)
class ReasonCosts:
    """The reasons of a row: the texts that cost most, of equal ones the first.

    Parameters
    ----------
    n : int
        The most reasons of a row; what costs nothing is none.
    texts : tuple of Output
        The texts as labels, each with its cost in units, which are whole numbers: steps and lookups alone.
    unit : float
        The number of units of a point.
    """

    n: int
    texts: tuple[Output, ...]
    unit: float


def costing_terms(output: Output) -> list[Steps | Lookup]:
    """Return the terms of a text that are not zero everywhere.

    Parameters
    ----------
    output : Output
        The text with its costs.

    Returns
    -------
    list of Steps or Lookup
        The terms.
    """
    terms = [term for term in output.terms if isinstance(term, (Steps, Lookup))]
    codes = [[value for _, value in term.codes] if isinstance(term, Steps) else [] for term in terms]
    return [term for term, own in zip(terms, codes, strict=True) if any((*term.values, term.missing, *own))]
