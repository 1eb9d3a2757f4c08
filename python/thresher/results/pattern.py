"""Patterns with their coefficients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..formatting.numbers import format_count
from .equivalents import MOST_PATTERNS, more_equivalents_text


@dataclass(frozen=True, repr=False)
class Pattern:
    """A pattern with its coefficient.

    Parameters
    ----------
    text : str
        The text of the pattern.
    size : int, default=0
        The number of items (of a sequence: over all events; of a graph: edges).
    coef : float, default=0
        The effect on the prediction where the pattern occurs, in units of the target (regression)
        or of the decision function (log-odds for the logistic loss).
    n_rows : int, default=0
        Number of training records in which it occurs.
    support : float, default=0
        Their fraction of the training weight, between 0 and 1.
    n_rows_per_class : mapping of label to int, default={}
        Number of training records of each class in which it occurs; empty for a regression.
    output : object, default=None
        The class or the number of the target, where a model has more than one.
    closure : Pattern or None, default=None
        The largest pattern that occurs in the same training records, if it is unique.
    equivalents : tuple of Pattern, default=()
        Other patterns that occur in the same training records: at most 20, the shortest; there may be more.
    payload : object, default=None
        The pattern as in a model document.
    smarts : str or None, default=None
        SMARTS that matches the molecules in which the pattern occurs and no others; None where the
        records are not molecules.

    Examples
    --------
    >>> from thresher import Pattern
    >>> print(Pattern("milk and bread", size=2, coef=0.5, n_rows=3, support=0.3).describe())
    +0.5 if milk and bread (3 records, 30.0%)
    """

    text: str
    size: int = 0
    coef: float = 0.0
    n_rows: int = 0
    support: float = 0.0
    n_rows_per_class: Mapping[Any, int] = field(default_factory=dict, compare=False)
    output: Any = None
    closure: Pattern | None = field(default=None, compare=False, repr=False)
    equivalents: tuple[Pattern, ...] = field(default=(), compare=False, repr=False)
    payload: Any = field(default=None, compare=False, repr=False)
    smarts: str | None = field(default=None, compare=False, repr=False)

    @property
    def importance(self) -> float:
        """|coef| sqrt(s (1 - s)), s the support: the standard deviation of its effect."""
        return abs(self.coef) * math.sqrt(max(0.0, self.support * (1 - self.support)))

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"{type(self).__name__}({self.describe()})"

    def describe(self) -> str:
        """Describe the pattern in one line.

        Returns
        -------
        str
            Coefficient, text and support, and whether 20 or more other patterns occur in the same records.
        """
        more = more_equivalents_text(len(self.equivalents), MOST_PATTERNS, "records")
        records = f"{format_count(self.n_rows)} records, {self.support:.1%}{more}"
        return f"{self.coef:+.4g} if {self.text} ({records})"
