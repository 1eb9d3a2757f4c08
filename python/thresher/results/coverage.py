"""Support of a term of a model document in the training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def weights_note(row_noun: str, with_counts: bool = True) -> str:
    """Say that supports are not fractions of equal rows.

    Parameters
    ----------
    row_noun : str
        The noun for the rows.
    with_counts : bool, default=True
        Whether a table has their numbers too.

    Returns
    -------
    str
        The sentence.
    """
    if with_counts:
        return f"The {row_noun} are counted, and support is the fraction of their weight."
    return f"Support is the fraction of the weight of the {row_noun}."


def class_weight_note(estimator: Any, noun: str) -> str:
    """Say what predictions are of where a fit gave the classes weights.

    Parameters
    ----------
    estimator : estimator
        A fitted one.
    noun : str
        What it predicts, such as "probabilities".

    Returns
    -------
    str
        The sentence; empty where classes had no weights.
    """
    if getattr(estimator, "class_weight", None) is None:
        return ""
    return f"The {noun} are those of the rows as class_weight weighs them, not of the population."
