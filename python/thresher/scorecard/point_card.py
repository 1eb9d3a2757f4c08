"""Score cards of few whole points, rounded with least loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..formatting.numbers import format_percent
from ..results.coverage import class_weight_note
from ..results.printed import PrintedTable
from ..results.score_card import OutputCard
from ..results.table_text import Line, Section, TableText
from ._points import CardInPoints, Points, log_odds_scale
from .scaling import Scaling


@dataclass(frozen=True, repr=False)
class PointTable(PrintedTable):
    """The probability of the event at each sum of points that a row can have.

    The result of :meth:`PointCard.point_table`; prints as a table, shows as HTML in notebooks.

    Parameters
    ----------
    event : object
        The class.
    points : list of int
        The sums, ascending.
    probabilities : list of float
        The probability at each.
    footer : str, default=""
        What they are probabilities of, where that is not the population of the rows.
    """

    event: Any
    points: list[int]
    probabilities: list[float]
    footer: str = ""

    def __len__(self) -> int:
        """Return the number of sums."""
        return len(self.points)

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns.

        Returns
        -------
        dict of str to list
            ``points, probability``.
        """
        return {"points": self.points, "probability": self.probabilities}

    def _layout(self) -> TableText:
        pairs = zip(self.points, self.probabilities, strict=True)
        lines = tuple(Line((f"{points}", format_percent(probability, 1))) for points, probability in pairs)
        note = f"The probability of class {self.event!r} at each sum of points."
        return TableText(("points", "probability"), "rr", (Section("", lines),), note, self.footer)


@dataclass(frozen=True, repr=False)
class PointCard(CardInPoints):
    """A score card of few whole points: the result of :meth:`L0AdditiveClassifier.point_card`.

    A card of two classes has probabilities, reasons, bands, monitoring, reports and code, as a
    :class:`ScaledCard` has. It is a scale on which more points mean a higher probability of the event: the
    points of one unit of log-odds are ``1 / scale``, and no row has base points.

    Parameters
    ----------
    cards : tuple of OutputCard
        One card: the points, and the intercept.
    note : str
        The meaning of the sum.
    scale : float
        One point in units of the decision function.
    loss : float
        Summed loss of the points on the data given.
    exact_loss : float
        Summed loss of the model itself on these data.
    model : estimator
        The fitted model; a copy, which later fits of the estimator do not change.
    points : tuple of tuple of int
        The points of each bin of :attr:`bins`, column by column. A missing value that training had not has
        those of the column's mean.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "ill", "well")
    >>> model = L0AdditiveClassifier(lambda0=2.0, pos_label="ill").fit(X, y)
    >>> card = model.point_card(X, y, max_points=2)
    >>> card.score(X[[0, 15]]).tolist(), card.predict_proba(X[[0, 15]])[:, 0].round(2).tolist()
    ([0, 2], [0.16, 0.87])
    >>> print(card.point_table())
    The probability of class 'ill' at each sum of points.
      points  probability
           0        16.0%
           1        53.0%
           2        87.0%
    """

    cards: tuple[OutputCard, ...]
    note: str
    scale: float
    loss: float
    exact_loss: float
    model: Any = field(repr=False)
    points: Points = field(repr=False)

    whole = True
    base_points = 0.0
    _has_base = False

    @cached_property
    def scaling(self) -> Scaling:  # type: ignore[override]
        """The scale of the points as log-odds of the event; of two classes."""
        if not hasattr(self.model, "classes_"):
            raise ValueError(
                "points stand for probabilities in the cards of two classes; this one predicts a number: "
                "card.cards[0].intercept + card.scale * card.score(X)"
            )
        start, scale = self.cards[0].intercept, self.scale
        pdo = math.log(2) / (scale * log_odds_scale(self.model))
        return Scaling(pdo, -start / scale, 1.0, "high_risk")

    def probability(self, score: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of the event at sums of points.

        Parameters
        ----------
        score : array-like
            Whole numbers from the least to the largest sum of points of the card. Not each of them has to be
            the sum of a row: they lie on one scale. :meth:`point_table` lists the sums of rows.

        Returns
        -------
        ndarray
            The probabilities of class :attr:`event`, of the same shape.

        Raises
        ------
        ValueError
            If a number is no whole one or beyond these sums, or the card is that of a regression.
        """
        scaling, sums = self.scaling, np.asarray(score, dtype=np.float64)
        least, largest = (sum(int(end(points)) for points in self.points) for end in (min, max))
        is_sum = (sums >= least) & (sums <= largest) & (sums == np.round(sums))
        if not is_sum.all():
            raise ValueError(
                f"score: got {sums[~is_sum][0]:g}; the sums of points of this card are whole numbers from "
                f"{least} to {largest}"
            )
        return scaling.probability(sums)

    def point_table(self) -> PointTable:
        """Return the probability of the event at each sum of points that a row can have.

        Returns
        -------
        PointTable
            Prints as text; ``to_frame()`` gives a data frame with the columns ``points, probability``.

        Raises
        ------
        ValueError
            If the card is that of a regression.
        """
        sums = {0}
        for points in self.points:
            sums = {total + int(more) for total in sums for more in set(points)}
        listed = sorted(sums)
        probabilities = self.probability(listed).tolist()
        return PointTable(self.event, listed, probabilities, class_weight_note(self.model, "probabilities"))

    def _note(self) -> str:
        return self.note

    def _scale_sentence(self) -> str:
        return self.note

    def _footer(self) -> str:
        losses = (
            f"Loss on the rows for which the points were chosen: {self.loss:.6g}.\n"
            f"Loss of the model, whose penalties shrink it: {self.exact_loss:.6g}."
        )
        return "\n".join(filter(None, (losses, self._weights_note)))
