"""Names, strings and numbers in SQL."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..data.columns import Level

DOUBLE = "DOUBLE PRECISION"
LARGEST = "1.7976931348623157E308"
"""The largest number; NaN and infinity are not at most this in any database."""
KEYWORDS = frozenset({"true", "false"})
"""Names that SQLite takes for values, also in quotes, where they name a column of a nested query."""

_EXACT_DIGITS = 15  # decimal numbers of so many digits need one exact division by a power of 10
_LARGEST_POWER = 62  # powers of 2 up to this are whole numbers of SQLite


@dataclass(frozen=True)
class Dialect:
    """What differs between databases.

    Parameters
    ----------
    name : str
        The name.
    text_type : str or None
        The type that texts are converted to before they are compared; None: they are not.
    materialized : str
        What keeps a common table expression from being evaluated several times.
    reads_exactly : bool
        Whether decimal numbers are read with the nearest double.
    barrier : str
        A column that keeps a layer from being merged into the next, where no keyword does: databases would
        copy the sum of all terms to every place that it is read at.
    tells_case : bool
        Whether every database of the dialect tells quoted names apart that differ only in case.
    casts_any_text : bool
        Whether a text that is no number is cast to one without an error: "n/a" to 0, "3.000,50" to 3.
    """

    name: str
    text_type: str | None
    materialized: str
    reads_exactly: bool
    barrier: str = ""
    tells_case: bool = False
    casts_any_text: bool = False

    def number(self, value: float) -> str:
        """Write a number such that the database reads the same bits.

        Parameters
        ----------
        value : float
            A finite number.

        Returns
        -------
        str
            A literal, in parentheses where it is an expression.

        Examples
        --------
        >>> DIALECTS["ansi"].number(0.1), DIALECTS["ansi"].number(-2.0)
        ('1E-1', '-2E0')
        >>> DIALECTS["sqlite"].number(0.1 + 0.2)
        '(1351079888211149 * 1.0 / 4503599627370496)'
        """
        sign, digits, exponent = _decimal(value)
        if self.reads_exactly or (len(digits) <= _EXACT_DIGITS and abs(exponent) <= _EXACT_DIGITS):
            head = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
            return f"{sign}{head}E{exponent}"
        return _as_fraction(value)

    def as_text(self, expression: str) -> str:
        """Convert an expression to text.

        Parameters
        ----------
        expression : str
            The expression.

        Returns
        -------
        str
            The conversion, or the expression itself.
        """
        return expression if self.text_type is None else f"CAST({expression} AS {self.text_type})"

    def label(self, value: Level) -> str:
        """Write a label or category.

        Parameters
        ----------
        value : level
            The value.

        Returns
        -------
        str
            A literal.

        Examples
        --------
        >>> DIALECTS["ansi"].label("it's"), DIALECTS["ansi"].label(True), DIALECTS["ansi"].label(3)
        ("'it''s'", 'TRUE', '3')
        """
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int):
            return str(value)
        return string(value) if isinstance(value, str) else self.number(value)


DIALECTS = {
    found.name: found
    for found in (
        Dialect("ansi", None, "", reads_exactly=True, barrier="COUNT(*) OVER ()"),
        Dialect("duckdb", "VARCHAR", "MATERIALIZED ", reads_exactly=True),
        Dialect("postgresql", "VARCHAR", "MATERIALIZED ", reads_exactly=True, tells_case=True),
        Dialect("sqlite", None, "MATERIALIZED ", reads_exactly=False, casts_any_text=True),
    )
}
"""The databases whose dialects are known; each is tested by execution, the first in two of the others."""


def _decimal(value: float) -> tuple[str, str, int]:
    """Return sign, digits and decimal exponent of the shortest decimal number that reads back."""
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).lstrip("0")
    lead = len(whole) if whole != "0" else len(digits) - len(part)
    digits = digits.rstrip("0") or "0"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    exponent = 0 if digits == "0" else lead - 1 + int(power or 0)
    return sign, digits, exponent


def _as_fraction(value: float) -> str:
    """Write a number as a whole number, less than 2^53, times powers of 2: every step is exact."""
    numerator, denominator = value.as_integer_ratio()
    up, down = 0, denominator.bit_length() - 1
    while numerator.bit_length() > 53:
        numerator, up = numerator // 2, up + 1
    text = f"{numerator} * 1.0"
    for power, sign in ((up, "*"), (down, "/")):
        for step in range(0, power, _LARGEST_POWER):
            text += f" {sign} {2 ** min(_LARGEST_POWER, power - step)}"
    return f"({text})"


def name(text: str) -> str:
    """Quote a name.

    Parameters
    ----------
    text : str
        The name of a table or a column.

    Returns
    -------
    str
        The name in double quotes.

    Raises
    ------
    ValueError
        If it is empty or holds the character NUL, which SQL has no way to write.

    Examples
    --------
    >>> print(name('a "b" c'))
    "a ""b"" c"
    """
    if not text or "\0" in text:
        raise ValueError(f"the name {text!r} cannot be expressed in SQL; rename the column, or use to_python")
    return '"' + text.replace('"', '""') + '"'


def string(text: str) -> str:
    """Quote a text.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text in single quotes.

    Raises
    ------
    ValueError
        If it holds the character NUL, which SQL has no way to write.

    Examples
    --------
    >>> string("it's")
    "'it''s'"
    """
    if "\0" in text:
        raise ValueError(f"the category {text!r} holds NUL and cannot be expressed in SQL; use to_python")
    return "'" + text.replace("'", "''") + "'"


def any_of(tests: Iterable[str]) -> str:
    """Join conditions by OR.

    Parameters
    ----------
    tests : iterable of str
        The conditions.

    Returns
    -------
    str
        The condition that one of them holds.

    Examples
    --------
    >>> any_of(["a = 1", "b = 2"])
    '(a = 1 OR b = 2)'
    """
    return "(" + " OR ".join(tests) + ")"
