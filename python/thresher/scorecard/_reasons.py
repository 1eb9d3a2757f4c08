"""The reasons of rows: a function that the card has as a method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..validation import check, integer, words
from ._reason_texts import reason_texts, texts_of_sources
from .reasons import REFERENCE_ROWS, REFERENCES, Reasons, ranked_reasons

if TYPE_CHECKING:
    from ._points import CardInPoints

_UNITS_OF_A_POINT = 1e9  # of a cost: smaller differences are due to the rounding of means


def reasons(
    self: CardInPoints,
    X: Any,
    n: int = 4,
    *,
    reference: Any = "best",
    codes: Mapping[str | tuple[str, float | None], str] | None = None,
    adverse: Literal["high", "low"] = "high",
) -> Reasons:
    """Rank the columns of each row by the points that they cost: reasons of an adverse decision.

    A column costs the difference between its reference points and the points of the row's bin, in the
    direction of risk (where a high score means a high risk, the points above the reference); the other way
    round for ``adverse="low"``. Columns that share a code are one reason, which costs what they cost
    together. What costs nothing is no reason. Of equal costs the column that the card lists first comes
    first.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows.
    n : int, default=4
        The most reasons of a row, at most as many as the card has columns.
    reference : {"best", "mean"} or table of rows, default="best"
        The reference points of a column: the best ones that a known value can have, the mean over
        the training rows, or the mean over the rows of a table.
    codes : dict, optional
        The text or code of a reason, by column; the column's name where there is none. The key
        ``(column, special code)`` gives rows with that code a text of their own, ``(column, None)`` those
        with a missing value.
    adverse : {"high", "low"}, default="high"
        Which probability of :attr:`event` has the reasons, and so the best points: a high one, or a low one.

    Returns
    -------
    Reasons
        One line for each row, in the order of the rows.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, `n` is not a whole number >= 1, `reference` is unknown or has no rows, or
        `codes` is no dict, has a code that is no text, or a column or special code that the model does not
        know.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
    >>> print(card.reasons(X[[0, 15]], codes={"x0": "R01 Length of employment"}))
    Reasons for a higher probability of class 'bad'.
    Points: what a reason costs beside the best that a known value can have.
      row  score  reasons (points)
        0    529
        1    439  R01 Length of employment (90)
    """
    check("n", n, integer(1))
    check("adverse", adverse, words("high", "low"))
    texts = texts_of_sources(self._reason_sources, codes)
    table = self._table(X)
    costs_of_bins, unit = bin_costs(self, reference, adverse)
    costs_of_rows = [
        costs[column.codes(table)] for column, costs in zip(self.bins, costs_of_bins, strict=True)
    ]
    cost = np.column_stack([np.zeros((table.n_rows, 0)), *costs_of_rows])
    named = reason_texts(self._reason_sources, texts, table.columns, table.n_rows)
    phrase = REFERENCES[reference] if isinstance(reference, str) else REFERENCE_ROWS
    note = f"{direction_of(self, adverse)}.\nPoints: what a reason costs beside {phrase}."
    return ranked_reasons(self._added(table), named, cost, unit, min(n, len(self.bins)), X, note)


def direction_of(card: CardInPoints, adverse: str) -> str:
    """Say what the reasons of a card are reasons for.

    Parameters
    ----------
    card : CardInPoints
        The card.
    adverse : {"high", "low"}
        Which probability of the event they are for.

    Returns
    -------
    str
        The start of a sentence.
    """
    return f"Reasons for a {adverse}er probability of class {card.event!r}"


def bin_costs(
    card: CardInPoints, reference: Any, adverse: str = "high"
) -> tuple[list[NDArray[np.float64]], float]:
    """Return what each bin costs, in whole numbers of a unit.

    Sums below 2^53 units, whole points or 9 million points with fractions, and their ties are so the same in
    every order and in every language.

    Parameters
    ----------
    card : CardInPoints
        The card.
    reference : {"best", "mean"} or table of rows
        The reference points of a column.
    adverse : {"high", "low"}, default="high"
        Which probability of the event the costs are for.

    Returns
    -------
    costs : list of ndarray of shape (n_bins,)
        The costs of the bins of each column.
    unit : float
        The number of units of a point: 1 where all costs are whole points.

    Raises
    ------
    ValueError
        If `reference` is unknown or has no rows.
    """
    compared = reference_points(card, reference, adverse)
    sign = card.scaling.sign if adverse == "high" else -card.scaling.sign
    costs = [
        sign * (np.asarray(points, dtype=np.float64) - points_of_reference)
        for points, points_of_reference in zip(card.points, compared, strict=True)
    ]
    unit = 1.0 if all((column == np.rint(column)).all() for column in costs) else _UNITS_OF_A_POINT
    return [np.rint(column * unit) for column in costs], unit


def reference_points(card: CardInPoints, reference: Any, adverse: str = "high") -> list[float]:
    """Return the points of each column that a row is compared with.

    Parameters
    ----------
    card : CardInPoints
        The card.
    reference : {"best", "mean"} or table of rows
        The best points that a known value can have, the mean over the training rows, or over other rows.
    adverse : {"high", "low"}, default="high"
        Which probability of the event the best points are not for.

    Returns
    -------
    list of float
        The points, in the order of the card's columns.

    Raises
    ------
    ValueError
        If `reference` is unknown or has no rows.
    """
    pairs = list(zip(card.bins, card.points, strict=True))
    if isinstance(reference, str):
        if reference == "best":
            best = min if (card.scaling.sign > 0) == (adverse == "high") else max
            return [best(points[: column.n_known]) for column, points in pairs]
        if reference == "mean":
            return [float(np.dot(column.supports, points)) for column, points in pairs]
        raise ValueError(f"reference: got {reference!r}; give 'best', 'mean' or a table of rows")
    table = card._table(reference)
    if not table.n_rows:
        raise ValueError("reference has no rows; give rows such as those of training, 'best' or 'mean'")
    return [
        float(np.asarray(points, dtype=np.float64)[column.codes(table)].mean()) for column, points in pairs
    ]
