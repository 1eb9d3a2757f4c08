"""The reasons of a score card in SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .reason_costs import ReasonCosts
from .sql_link import Named
from .sql_text import DOUBLE, Dialect, string

_MOST_TEXTS = 200
"""Every pair of texts is compared: 40,000 comparisons."""


def columns_of_reasons(
    reasons: ReasonCosts, dialect: Dialect, costs: Sequence[str], helper: Callable[[str], str]
) -> tuple[list[Named], Named]:
    """Write the ranking of reasons.

    Parameters
    ----------
    reasons : ReasonCosts
        The texts.
    dialect : Dialect
        The database.
    costs : sequence of str
        What each text costs, NULL for a row without a score.
    helper : callable
        Names a column that is not the table's.

    Returns
    -------
    layers : list of list of (str, str)
        Columns of further layers: alias and expression.
    result : list of (str, str)
        Columns of the result: ``reason_1``, ``points_1``, ...

    Raises
    ------
    ValueError
        If there are more than 200 texts.
    """
    n_texts = len(costs)
    if n_texts > _MOST_TEXTS:
        raise ValueError(
            f"reasons: SQL compares each pair of texts, and this card has {n_texts:,}; give codes that "
            f"columns share, at most {_MOST_TEXTS}, or use to_python"
        )
    places = range(n_texts)
    own, ranks = [[helper(f"{word} {k}") for k in places] for word in ("cost", "rank")]
    layers: list[Named] = [
        list(zip(own, costs, strict=True)),
        [(ranks[k], _rank(own, k)) for k in places],
    ]
    no_text, no_points = "CAST(NULL AS VARCHAR(1))", f"CAST(NULL AS {DOUBLE})"
    result = []
    for number in range(1, reasons.n + 1):
        rows = [f"WHEN {ranks[k]} = {number} AND {own[k]} > 0 THEN" for k in places]
        texts = [f"{row} {string(str(each.label))}" for row, each in zip(rows, reasons.texts, strict=True)]
        points = [f"{row} {_points(cost, reasons, dialect)}" for row, cost in zip(rows, own, strict=True)]
        exists = number <= n_texts
        result.append((f"reason_{number}", f"CASE {' '.join(texts)} END" if exists else no_text))
        result.append((f"points_{number}", f"CASE {' '.join(points)} END" if exists else no_points))
    return (layers if n_texts else []), result


def _rank(costs: Sequence[str], place: int) -> str:
    """Count the texts that come before one: those that cost more, and the first of equal ones."""
    before = [
        f"CASE WHEN {other} {'>=' if k < place else '>'} {costs[place]} THEN 1 ELSE 0 END"
        for k, other in enumerate(costs)
        if k != place
    ]
    return " + ".join(["1", *before])


def _points(cost: str, reasons: ReasonCosts, dialect: Dialect) -> str:
    return cost if reasons.unit == 1 else f"{cost} / {dialect.number(reasons.unit)}"
