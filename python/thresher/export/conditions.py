"""Conditions on the columns of a formula."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """The condition ``lower < x <= upper``; false for a missing x.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`.
    lower, upper : float
        The ends; infinite without a bound.
    """

    column: int
    lower: float
    upper: float


@dataclass(frozen=True)
class Equals:
    """The condition that x is a category, or, negated, that it is another one or missing.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`.
    level : int
        Position among the levels of the column.
    negated : bool
        Whether it is negated.
    """

    column: int
    level: int
    negated: bool = False


@dataclass(frozen=True)
class Missing:
    """The condition that x is missing, or that it is not.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`.
    missing : bool
        Whether it must be missing.
    """

    column: int
    missing: bool


@dataclass(frozen=True)
class IsCode:
    """The condition that x is one of some special codes.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`, of a number.
    codes : tuple of float
        The codes, ascending.
    negated : bool, default=False
        Whether x must be none of them; a condition that is false of a missing x stands beside it.
    or_missing : bool, default=False
        Whether a missing x satisfies the condition too.
    """

    column: int
    codes: tuple[float, ...]
    negated: bool = False
    or_missing: bool = False


@dataclass(frozen=True)
class Has:
    """The condition that an item is present, or absent.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`.
    present : bool
        Whether it must be present.
    """

    column: int
    present: bool


Condition = Interval | Equals | Missing | IsCode | Has


def finite_ends(condition: Interval) -> tuple[float | None, float | None]:
    """Return the ends of an interval.

    Parameters
    ----------
    condition : Interval
        The condition.

    Returns
    -------
    (float or None, float or None)
        None where there is no bound.

    Examples
    --------
    >>> finite_ends(Interval(0, -math.inf, 2.5))
    (None, 2.5)
    """
    lower, upper = (end if math.isfinite(end) else None for end in (condition.lower, condition.upper))
    return lower, upper
