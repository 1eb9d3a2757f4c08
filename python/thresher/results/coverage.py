"""Support of a term of a model document in the training data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict


class Coverage(TypedDict):
    """Training rows of a term: their number, and their fraction of the training weight."""

    n_rows: int
    support: float


def coverage_of(term: Mapping[str, Any]) -> Coverage:
    """Read the support of a rule, a pattern or a candidate.

    Parameters
    ----------
    term : mapping
        An entry of a model document, or the core's description of a candidate.

    Returns
    -------
    Coverage
        ``n_rows``, a count, and ``support``, a fraction of the training weight.

    Examples
    --------
    >>> coverage_of({"n_rows": 25, "support": 0.25})
    {'n_rows': 25, 'support': 0.25}
    """
    return {"n_rows": int(term["n_rows"]), "support": float(term["support"])}


def n_training_rows(terms: Iterable[Any]) -> int | None:
    """Return the number of training rows, which a model without row weights tells by its supports.

    Parameters
    ----------
    terms : iterable
        Terms with ``n_rows`` and ``support``, which may be None.

    Returns
    -------
    int or None
        The number; None where the terms do not agree, or there are none.
    """
    found = {
        round(term.n_rows / term.support, 6) for term in terms if term.n_rows is not None and term.support
    }
    number = found.pop() if len(found) == 1 else 0.5
    return int(number) if number.is_integer() else None


def n_rows_by_class(term: Mapping[str, Any], classes: Sequence[Any] | None) -> dict[Any, int]:
    """Count the training rows of a term in each class.

    Parameters
    ----------
    term : mapping
        An entry of a model document.
    classes : sequence or None
        The labels; None for a regression.

    Returns
    -------
    dict of label to int
        Empty for a regression.

    Examples
    --------
    >>> n_rows_by_class({"n_rows_per_class": [2, 1]}, ["no", "yes"])
    {'no': 2, 'yes': 1}
    """
    counts = term.get("n_rows_per_class")
    return dict(zip(classes, counts, strict=True)) if classes and counts else {}


def weights_note(row_noun: str) -> str:
    """Say that counts and supports are not those of equal rows.

    Parameters
    ----------
    row_noun : str
        The noun for the rows.

    Returns
    -------
    str
        The sentence.
    """
    return f"The {row_noun} are counted, and support is the fraction of their weight."
