"""Numbers and category values as people read them."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

import numpy as np
from numpy.typing import NDArray

Level = bool | int | float | str
"""A category's value as the user wrote it."""

_MOST_DIGITS = 17  # a double needs no more

_Gaps = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
_NO_GAPS: _Gaps = (np.empty(0), np.empty(0), np.empty(0))


def plain(value: float) -> str:
    """Write a number in full precision, without a needless ``.0``.

    Parameters
    ----------
    value : float
        Any finite number.

    Returns
    -------
    str
        The shortest text that reads back as the same double.

    Examples
    --------
    >>> plain(30.0), plain(0.1)
    ('30', '0.1')
    """
    text = repr(float(value))
    return text.removesuffix(".0")


def brief(value: float) -> str:
    """Write a value of the data with six digits at most; whole numbers in full.

    Parameters
    ----------
    value : float
        Any finite number.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> brief(-0.01764612515980379), brief(1234567.0), brief(30.0)
    ('-0.0176461', '1234567', '30')
    """
    return plain(value) if value.is_integer() and abs(value) < 1e15 else plain(float(f"{value:.6g}"))


def percent(share: float) -> str:
    """Write a share in whole percent.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Returns
    -------
    str
        ``<1%`` for what would round to nothing and is something.

    Examples
    --------
    >>> percent(0.46), percent(0.004), percent(0.0)
    ('46%', '<1%', '0%')
    """
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def shortest(low: float, cut: float, high: float) -> str:
    """Write a cut with the fewest digits that leave the same rows on each side.

    Parameters
    ----------
    low : float
        The largest training value that is <= `cut` (-inf if none).
    cut : float
        The cut itself.
    high : float
        The smallest training value that is > `cut` (inf if none).

    Returns
    -------
    str
        A decimal t with low <= t < high, so that ``x <= t`` holds for the same
        training rows as ``x <= cut``; among those of fewest digits the nearest to
        the cut.

    Examples
    --------
    >>> shortest(30.0, 30.5, 31.0), shortest(0.123, 0.555, 0.987)
    ('30', '0.6')
    """
    exact = Decimal(cut)
    for digits in range(1, _MOST_DIGITS + 1):
        fitting: list[tuple[Decimal, float]] = []
        for rounding in (ROUND_FLOOR, ROUND_CEILING):
            rounded = Context(prec=digits, rounding=rounding).plus(exact)
            if low <= float(rounded) < high:
                fitting.append((abs(rounded - exact), float(rounded)))
        if fitting:
            return plain(min(fitting)[1] + 0.0)
    return plain(cut)


class Digits:
    """How each cut of each feature is shown.

    Parameters
    ----------
    shown : list of dict of float to str, optional
        For each feature the text of each cut that is known. Others are written in full,
        where `gaps` does not hold them.
    gaps : list of (cuts, lows, highs), optional
        For each feature further cuts, ascending, with the training values beside them, as
        :func:`shortest` takes them: their texts are made when they are asked for.

    Examples
    --------
    >>> Digits([{30.5: "30"}]).show(0, 30.5)
    '30'
    """

    def __init__(
        self,
        shown: Sequence[dict[float, str]] = (),
        gaps: Sequence[_Gaps] = (),
    ) -> None:
        self.shown = list(shown)
        self._gaps = list(gaps)

    def show(self, feature: int, cut: float) -> str:
        """Write one cut.

        Parameters
        ----------
        feature : int
            The feature's position.
        cut : float
            The cut in full precision.

        Returns
        -------
        str
            The text to show.
        """
        known = self.shown[feature] if feature < len(self.shown) else {}
        if cut in known:
            return known[cut]
        cuts, lows, highs = self._gaps[feature] if feature < len(self._gaps) else _NO_GAPS
        place = int(np.searchsorted(cuts, cut))
        if place == cuts.size or cuts[place] != cut:
            return plain(cut)
        return shortest(float(lows[place]), cut, float(highs[place]))

    @classmethod
    def from_values(
        cls,
        columns: Sequence[NDArray[np.float64] | None],
        cuts: Sequence[Iterable[float]],
        others: Sequence[Iterable[float]] = (),
    ) -> Digits:
        """Choose the digits that keep the training rows apart.

        Parameters
        ----------
        columns : list of ndarray of shape (n_rows,) or None
            The training values, NaN where missing; None for a categorical column.
        cuts : list of iterable of float
            For each feature the cuts that are shown.
        others : list of iterable of float, default=()
            For each feature cuts that may be asked for.

        Returns
        -------
        Digits
            The texts.
        """
        shown = [
            {
                cut: shortest(low, cut, high)
                for cut, low, high in zip(*map(np.ndarray.tolist, gaps), strict=True)
            }
            for gaps in map(_gaps, columns, cuts)
        ]
        return cls(shown, list(map(_gaps, columns, others)))

    @classmethod
    def from_cuts(cls, all_cuts: Sequence[Sequence[float]]) -> Digits:
        """Choose digits without the training rows: from the model's own cuts.

        Each cut is written with the fewest digits that stay within a hundredth of
        the way to the neighbouring cuts.

        Parameters
        ----------
        all_cuts : list of list of float
            Each feature's cuts in increasing order; empty for a categorical one.

        Returns
        -------
        Digits
            The texts.
        """
        shown: list[dict[float, str]] = []
        for cuts in all_cuts:
            texts = {}
            for cut in cuts:
                place = bisect.bisect_left(cuts, cut)
                before = cut - cuts[place - 1] if place > 0 else math.inf
                after = cuts[place + 1] - cut if place + 1 < len(cuts) else math.inf
                room = min(before, after)
                room = (abs(cut) or 1.0) if math.isinf(room) else room
                texts[cut] = shortest(cut - room / 100, cut, cut + room / 100)
            shown.append(texts)
        return cls(shown)


def _gaps(values: NDArray[np.float64] | None, cuts: Iterable[float]) -> _Gaps:
    """Find the largest value up to each cut and the smallest one above it."""
    if values is None:
        return _NO_GAPS
    wanted = np.unique(np.asarray(list(cuts), dtype=np.float64))
    ordered = np.concatenate(([-math.inf], np.sort(values[~np.isnan(values)]), [math.inf]))
    places = np.searchsorted(ordered, wanted, side="right")
    return wanted, ordered[places - 1], ordered[places]


def show_level(level: Level) -> str:
    """Write a category's value.

    Parameters
    ----------
    level : bool, int, float or str
        The value.

    Returns
    -------
    str
        Numbers without a needless ``.0``, text as it is.

    Examples
    --------
    >>> show_level(True), show_level(2.0), show_level("deep red")
    ('True', '2', 'deep red')
    """
    if isinstance(level, float) and not isinstance(level, bool):
        return plain(level)
    return str(level)


def a(name: str) -> str:
    """Put the article before a class name.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        With ``a`` or ``an`` as it is spoken.

    Examples
    --------
    >>> a("RuleClassifier"), a("ItemsetClassifier"), a("L0Regressor")
    ('a RuleClassifier', 'an ItemsetClassifier', 'an L0Regressor')
    """
    return f"{'an' if name[0] in 'AEIOU' or name.startswith('L0') else 'a'} {name}"


def count(number: int) -> str:
    """Write a whole number with thousands apart, however large.

    Parameters
    ----------
    number : int
        Any whole number.

    Returns
    -------
    str
        Up to 10^30 in full, beyond that its leading digits and power of ten.

    Examples
    --------
    >>> count(102033445566), count(10**40)
    ('102,033,445,566', '1.0e+40')
    """
    if abs(number) < 10**30:
        return f"{number:,}"
    power = math.floor(math.log10(abs(number)))
    leading = number // 10 ** (power - 1) / 10
    return f"{leading:.1f}e+{power}"


def signed(values: Sequence[float]) -> list[str]:
    """Write effects with the decimals that the largest one calls for.

    Parameters
    ----------
    values : sequence of float
        Numbers to show below one another.

    Returns
    -------
    list of str
        Each with its sign.

    Examples
    --------
    >>> signed([1.23456, -0.5]), signed([1234.5, 2.0])
    (['+1.235', '-0.500'], ['+1,234.5', '+2.0'])
    """
    largest = max((abs(value) for value in values), default=0.0)
    if largest >= 1e6 or 0 < largest < 1e-3:
        return [f"{value:+.3g}" for value in values]
    decimals = next((d for d, bound in ((1, 1000), (2, 10)) if largest >= bound), 3)
    return [f"{round(value, decimals) + 0.0:+,.{decimals}f}" for value in values]


def wrap_rule(text: str, width: int) -> list[str]:
    """Break a long rule between its conditions.

    Parameters
    ----------
    text : str
        The rule.
    width : int
        The most characters of a line, where a condition is not longer by itself.

    Returns
    -------
    list of str
        The lines, the later ones indented.

    Examples
    --------
    >>> wrap_rule("age > 30 and bmi <= 25", 12)
    ['age > 30', '  and bmi <= 25']
    """
    lines = [""]
    for number, condition in enumerate(text.split(" and ")):
        piece = condition if number == 0 else f"and {condition}"
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
            lines.append(f"  {piece}")
        else:
            lines[-1] = f"{lines[-1]} {piece}" if lines[-1] else piece
    return lines
