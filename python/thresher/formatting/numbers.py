"""Formatting of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEWER_DIGITS = 8  # of a double that stands for the one below it
_ROUNDING = 1e-9  # of a fraction: what sums of weights may lack of 1
_ROUNDING_OF_EFFECTS = 1e-9  # of the largest: solvers end within 1e-10 of an effect that is 0


def format_number(value: float) -> str:
    """Format a number in full precision, without a trailing ``.0``.

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
    >>> format_number(30.0), format_number(0.1)
    ('30', '0.1')
    """
    text = repr(float(value))
    return text.removesuffix(".0")


def adjacent_number(value: float) -> tuple[str, bool]:
    """Format a bound, by the next larger double where that one has far fewer digits.

    A comparison x < 25 is x <= 24.999999999999996 with doubles, and reads better as it was meant.

    Parameters
    ----------
    value : float
        A number.

    Returns
    -------
    text : str
        The text, as by :func:`format_number`.
    is_next : bool
        Whether it is that of the next larger double.

    Examples
    --------
    >>> adjacent_number(24.999999999999996), adjacent_number(25.0), adjacent_number(0.1 + 0.2)
    (('25', True), ('25', False), ('0.30000000000000004', False))
    """
    text = format_number(value)
    above = math.nextafter(value, math.inf)
    if above == 0:
        return "0", True
    if len(shorter := format_number(above)) + _FEWER_DIGITS <= len(text):
        return shorter, True
    return text, False


def format_value(value: float) -> str:
    """Format a value of the data with at most six digits; integers in full, large ones to the unit.

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
    >>> format_value(-0.01764612515980379), format_value(1234567.25), format_value(30.0)
    ('-0.0176461', '1234567', '30')
    """
    if 1e6 <= abs(value) < 1e15:
        return f"{value:.0f}"
    is_whole = value.is_integer() and abs(value) < 1e15
    return format_number(value if is_whole else float(f"{value:.6g}"))


def format_grouped(value: float) -> str:
    """Format a number as :func:`format_value` does, with separators of thousands.

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
    >>> format_grouped(1234567.0), format_grouped(512.25)
    ('1,234,567', '512.25')
    """
    text = format_value(value)
    whole, dot, rest = text.partition(".")
    return (
        text if "e" in text else f"{int(whole):,}{dot}{rest}" if value >= 0 else "-" + format_grouped(-value)
    )


def format_percent(fraction: float, decimals: int = 0) -> str:
    """Format a fraction as percent.

    Parameters
    ----------
    fraction : float
        Between 0 and 1.
    decimals : int, default=0
        The number of decimals.

    Returns
    -------
    str
        The percentage; ``<1%`` for positive fractions that round to 0, ``>99%`` for those below 1 that round
        to 1.

    Examples
    --------
    >>> format_percent(0.46), format_percent(0.005), format_percent(0.0)
    ('46%', '<1%', '0%')
    >>> format_percent(0.997), format_percent(1.0), format_percent(0.9999, 1)
    ('>99%', '100%', '>99.9%')
    """
    step = 10.0 ** -(decimals + 2)
    text, least, none, whole, most = (f"{x:.{decimals}%}" for x in (fraction, step, 0.0, 1.0, 1.0 - step))
    if text == none and fraction > 0:
        return f"<{least}"
    return f">{most}" if text == whole and fraction < 1 - _ROUNDING else text


def format_gap(fraction: float) -> str:
    """Format a relative gap or rise as percent with two digits.

    Parameters
    ----------
    fraction : float
        The fraction.

    Returns
    -------
    str
        The percentage.

    Examples
    --------
    >>> format_gap(0.00461), format_gap(0.127), format_gap(12.5)
    ('0.46 %', '13 %', '1,250 %')
    """
    percent = 100 * fraction
    return f"{percent:.2g} %" if abs(percent) < 10 else f"{percent:,.0f} %"


def format_weight(weight: float) -> str:
    """Format a count of rows, or a sum of their weights.

    Parameters
    ----------
    weight : float
        The sum.

    Returns
    -------
    str
        With separators of thousands; weights with a decimal.

    Examples
    --------
    >>> format_weight(1200.0), format_weight(1200.25)
    ('1,200', '1,200.2')
    """
    return f"{weight:,.0f}" if float(weight).is_integer() else f"{weight:,.1f}"


def is_number(text: str) -> bool:
    """Return whether a text is a finite number.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    bool
        True for what :class:`float` reads as a finite number.

    Examples
    --------
    >>> is_number("-1.5"), is_number("nan"), is_number("age")
    (True, False, False)
    """
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_count(text: str) -> int:
    """Read a whole number of any length.

    Parameters
    ----------
    text : str
        Decimal digits.

    Returns
    -------
    int
        The number. ``int`` alone refuses 4,300 digits, and 15,000 items have more sets.

    Examples
    --------
    >>> read_count("12"), read_count("1" + "0" * 5000) == 10**5000
    (12, True)
    """
    return int(Decimal(text))


def format_count(number: int) -> str:
    """Format an integer of any size with thousands separators.

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
    >>> format_count(102033445566), format_count(10**40)
    ('102,033,445,566', '1.0e+40')
    """
    if abs(number) < 10**30:
        return f"{number:,}"
    return f"{Decimal(number):.1e}"


def format_effects(values: Sequence[float]) -> list[str]:
    """Format effects with a common number of decimals, chosen by the largest one, if that is below a million.

    Parameters
    ----------
    values : sequence of float
        The effects.

    Returns
    -------
    list of str
        The texts, with signs.

    Examples
    --------
    >>> format_effects([1.23456, -0.5]), format_effects([1234.5, 2.0])
    (['+1.235', '-0.500'], ['+1,234.5', '+2.0'])
    >>> format_effects([1000152.13, 588.7])
    ['+1,000,152', '+589']
    >>> format_effects([0.125, 4.2e-7])  # none that is not 0 looks like it
    ['+0.125', '+4e-07']
    """
    largest = max((abs(value) for value in values), default=0.0)
    if largest >= 1e6 or 0 < largest < 1e-3:
        # Beside a large intercept an effect keeps its own digits, and the intercept those of its size.
        return [f"{value:+,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:+.3g}" for value in values]
    decimals = next((d for d, bound in ((1, 1000), (2, 10)) if largest >= bound), 3)
    return [
        f"{round(value, decimals):+,.{decimals}f}" if round(value, decimals) or not value else f"{value:+.0e}"
        for value in (value + 0.0 for value in values)
    ]


def without_rounding(values: Sequence[float], terms: Sequence[float]) -> list[float]:
    """Replace effects that are 0 up to rounding by 0.

    Parameters
    ----------
    values : sequence of float
        The effects, which may include an intercept and a sum.
    terms : sequence of float
        Those of terms alone: beside a large intercept small effects count.

    Returns
    -------
    list of float
        The effects; 0 for those below a billionth of the largest of a term.

    Examples
    --------
    >>> without_rounding([-8e-17, 0.5, -3e-11], [0.5, -3e-11])
    [0.0, 0.5, 0.0]
    """
    least = _ROUNDING_OF_EFFECTS * max(map(abs, terms), default=0.0)
    return [0.0 if abs(value) < least else value for value in values]


def shortened(values: NDArray[Any], digits: int) -> NDArray[Any]:
    """Round numbers to a number of significant digits, so that they are short as text.

    Parameters
    ----------
    values : ndarray
        Numbers of any size; other values are left as they are.
    digits : int
        Number of significant digits.

    Returns
    -------
    ndarray
        The rounded values, of the same shape.

    Examples
    --------
    >>> shortened(np.array([0.4985394266005323, 1e-30, 123456.75]), 6).tolist()
    [0.498539, 1e-30, 123457.0]
    """
    if values.dtype.kind != "f":
        return values
    return np.asarray([float(f"{x:.{digits}g}") for x in values.ravel().tolist()]).reshape(values.shape)
