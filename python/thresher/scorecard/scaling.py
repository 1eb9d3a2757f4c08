"""The scale of a score: points that double the odds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..validation import Parameter, number, words

SCALING = {
    "pdo": Parameter((number(0),), "Points that double the odds.", hint="a number > 0"),
    "base_score": Parameter((number(-math.inf),), "The score at the odds `base_odds`.", hint="a number"),
    "base_odds": Parameter((number(0),), "The odds at `base_score`.", hint="a number > 0"),
    "high_score": Parameter((words("low_risk", "high_risk"),), "What a high score means."),
}
"""The parameters of a scale, with what they allow."""

LARGEST = 1e15
"""Points below this are exact in double precision, with whole sums."""

HighScore = Literal["low_risk", "high_risk"]


@dataclass(frozen=True)
class Scaling:
    r"""How log-odds become a score.

    With z the log-odds of the event, and s = -1 where a high score means a low risk, else 1,

        score = base_score + pdo / ln 2 * (s z - ln base_odds).

    Parameters
    ----------
    pdo : float
        Points that double the odds.
    base_score : float
        The score at the odds `base_odds`.
    base_odds : float
        The odds at `base_score`, in favour of what a high score means: non-events to events where that is a
        low risk, else events to non-events.
    high_score : {"low_risk", "high_risk"}
        What a high score means.

    Examples
    --------
    >>> scaling = Scaling(20.0, 600.0, 50.0, "low_risk")
    >>> float(scaling.probability(600.0)), round(scaling.score(math.log(1 / 100)), 6)
    (0.0196..., 620.0)
    """

    pdo: float
    base_score: float
    base_odds: float
    high_score: HighScore

    @classmethod
    def checked(cls, pdo: Any, base_score: Any, base_odds: Any, high_score: Any) -> Self:
        """Create a scale from unchecked values.

        Parameters
        ----------
        pdo, base_score, base_odds : float
            The scale.
        high_score : {"low_risk", "high_risk"}
            What a high score means.

        Returns
        -------
        Scaling
            The scale.

        Raises
        ------
        InvalidParameterError
            A ValueError, if one of them is not allowed.
        """
        values = {"pdo": pdo, "base_score": base_score, "base_odds": base_odds, "high_score": high_score}
        for name, value in values.items():
            SCALING[name].check(name, value)
        return cls(float(pdo), float(base_score), float(base_odds), high_score)

    @property
    def sign(self) -> int:
        """1 where the score grows with the log-odds of the event, else -1."""
        return 1 if self.high_score == "high_risk" else -1

    @property
    def factor(self) -> float:
        """Points of one unit of log-odds, without the sign."""
        return self.pdo / math.log(2)

    @property
    def even_score(self) -> float:
        """The score at even odds, where the probability of the event is a half."""
        return self.base_score - self.factor * math.log(self.base_odds)

    def score(self, log_odds: Any) -> Any:
        """Return the exact scores of log-odds.

        Parameters
        ----------
        log_odds : float or ndarray
            The log-odds of the event.

        Returns
        -------
        float or ndarray
            The scores.
        """
        return self.base_score + self.factor * (self.sign * log_odds - math.log(self.base_odds))

    def log_odds(self, score: Any) -> NDArray[np.float64]:
        """Return the log-odds of the event at scores.

        Parameters
        ----------
        score : float or array-like
            The scores.

        Returns
        -------
        ndarray
            The log-odds, of the same shape.
        """
        points = np.asarray(score, dtype=np.float64)
        return np.asarray((points - self.even_score) / (self.sign * self.factor))

    def probability(self, score: Any) -> NDArray[np.float64]:
        """Return the probability of the event at scores.

        Parameters
        ----------
        score : float or array-like
            The scores.

        Returns
        -------
        ndarray
            The probabilities, of the same shape.
        """
        return np.asarray(expit(self.log_odds(score)))
